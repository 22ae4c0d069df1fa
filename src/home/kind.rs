//! Kinds of devices. The table `KINDS` has the word, the categories and the abilities of each kind. The module
//! `evidence` finds the kind of an endpoint.

mod evidence;

use super::category::{Categories, Category};

pub use evidence::{kind_by_class, kind_of, opens_by_words};

use Category as C;

/// The kind of a device, as a person would call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // The names explain themselves.
pub enum Kind {
    Lock,
    GarageDoor,
    Gate,
    Cover,
    /// What opens a window.
    Window,
    Fan,
    Thermostat,
    RadiatorValve,
    Setpoint,
    Heater,
    Siren,
    Valve,
    ColorLight,
    Dimmer,
    Switch,
    Outlet,
    Remote,
    Keypad,
    Meter,
    Humidifier,
    Sensor,
    Group,
    Scene,
    /// A node without values: it was dead when the gateway started, or is still being interviewed.
    Unread,
}

/// An ability of a device. Groups and scenes have none, because they only control other devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ability {
    /// On or off: Binary Switch.
    OnOff,
    /// Open or closed: Binary Switch.
    Valve,
    /// A brightness or a speed: Multilevel Switch.
    Level,
    /// A position between closed and open: Window Covering, or Multilevel Switch with a motor.
    Position,
    /// Locked or unlocked: Door Lock, and the older Lock.
    Lock,
    /// Open or closed: Barrier Operator, or the motor or relay that moves the door.
    Barrier,
    /// Modes and temperatures: Thermostat Mode, Setpoint and Fan Mode.
    Climate,
    /// Colors: Color Switch.
    Color,
    /// Noise: Sound Switch, or the switch or indicator of a siren.
    Sound,
}

/// A row of the table of kinds.
///
/// Any other category in the name usually replaces the categories of the kind: a dimmer called "Water Valve"
/// becomes a valve, but one called "Lamp" is still a dimmer (`classify.rs`).
pub type KindRow = (
    Kind,
    &'static str,        // the word for it, in the singular
    &'static [Category], // its categories
    &'static [Category], // the categories that a device's name can add to those
    &'static [Ability],  // its abilities
);

const BARRIERS: &[Category] = &[C::Doors, C::GarageDoors, C::Gates, C::Locks];
const HEATERS: &[Category] = &[C::Thermostats, C::Heaters, C::RadiatorValves];
const LIGHTS: &[Category] = &[C::Lights, C::ColorLights];
const LEVELS: &[Ability] = &[Ability::Level, Ability::OnOff];
const COLORS: &[Ability] = &[Ability::Color, Ability::Level, Ability::OnOff];

/// Every kind, in the order of [`Kind`].
#[rustfmt::skip]
pub const KINDS: &[KindRow] = &[
    // kind, word, categories, categories that a name can add, abilities
    (Kind::Lock, "lock", &[C::Locks], BARRIERS, &[Ability::Lock]),
    (Kind::GarageDoor, "garage door", &[C::GarageDoors], BARRIERS, &[Ability::Barrier]),
    (Kind::Gate, "gate", &[C::Gates], BARRIERS, &[Ability::Barrier]),
    (Kind::Cover, "blind", &[C::Blinds], &[C::Blinds, C::Covers], &[Ability::Position]),
    (Kind::Window, "window opener", &[C::Windows], &[C::Windows], &[Ability::Position]),
    (Kind::Fan, "fan", &[C::Fans], &[], LEVELS),
    (Kind::Thermostat, "thermostat", &[C::Thermostats, C::Heaters], HEATERS, &[Ability::Climate]),
    (Kind::RadiatorValve, "radiator valve", HEATERS, HEATERS, &[Ability::Climate]),
    // A second setpoint of a thermostat is in no set.
    (Kind::Setpoint, "setpoint", &[], &[], &[Ability::Climate]),
    (Kind::Heater, "heater", &[C::Heaters], HEATERS, LEVELS),
    (Kind::Siren, "siren", &[C::Sirens], &[], &[Ability::Sound]),
    (Kind::Valve, "valve", &[C::Valves], &[], &[Ability::Valve, Ability::Position]),
    (Kind::ColorLight, "color light", &[C::ColorLights], LIGHTS, COLORS),
    (Kind::Dimmer, "dimmer", &[C::Dimmers, C::Lights], LIGHTS, LEVELS),
    (Kind::Switch, "switch", &[C::Switches], &[], &[Ability::OnOff]),
    (Kind::Outlet, "outlet", &[C::Outlets], &[], &[Ability::OnOff]),
    (Kind::Remote, "remote", &[C::Remotes], &[], &[]),
    (Kind::Keypad, "keypad", &[C::Keypads], &[], &[]),
    (Kind::Meter, "meter", &[C::Meters], &[], &[]),
    (Kind::Humidifier, "humidifier", &[], &[], &[]),
    (Kind::Sensor, "sensor", &[C::Sensors], &[], &[]),
    (Kind::Group, "group", &[C::Groups], &[], &[]),
    (Kind::Scene, "scene", &[C::Scenes], &[], &[]),
    UNREAD,
];

const UNREAD: KindRow = (Kind::Unread, "device", &[], &[], &[]);

impl Kind {
    fn row(self) -> &'static KindRow {
        KINDS.iter().find(|(kind, ..)| *kind == self).unwrap_or(&UNREAD)
    }

    /// Returns the word for the kind, in the singular.
    pub fn word(self) -> &'static str {
        let (_, word, ..) = self.row();
        word
    }

    /// Returns the words for all kinds.
    pub fn words() -> impl Iterator<Item = &'static str> {
        KINDS.iter().map(|(_, word, ..)| *word)
    }

    /// Finds a kind by the word that a list of devices shows for it. For a cover, the list may show a word
    /// from its name, such as "shutter". Only covers have such words, so every unknown word means a cover.
    pub(super) fn from_listed_word(word: &str) -> Self {
        let row = KINDS.iter().find(|(_, listed, ..)| *listed == word);
        row.map_or(Self::Cover, |(kind, ..)| *kind)
    }

    /// Returns the categories that a device of this kind has unless its name says something else.
    pub fn categories(self) -> Categories {
        let is_thing = !matches!(self, Self::Group | Self::Scene | Self::Setpoint);
        let everything: &[Category] = if is_thing { &[C::Everything] } else { &[] };
        let (_, _, categories, ..) = self.row();
        categories
            .iter()
            .map(|category| category.with_wider())
            .fold(Categories::of(everything), Categories::or)
    }

    /// Returns true if a name may add this category without making the device something else. A device that
    /// only reports may have any category in its name, because a sensor may be named after the door that it
    /// watches.
    pub(super) fn is_refined_by(self, category: Category) -> bool {
        let only_reports = !self.is_controllable() && self != Self::Unread;
        let (_, _, _, refined_by, _) = self.row();
        only_reports || refined_by.contains(&category)
    }

    /// Returns the abilities in order of preference: the first one that applies counts.
    pub fn abilities(self) -> &'static [Ability] {
        let (.., abilities) = self.row();
        abilities
    }

    /// Returns true if devices of this kind have an ability.
    pub fn has(self, ability: Ability) -> bool {
        self.abilities().contains(&ability)
    }

    /// Returns true for thermostats and radiator valves.
    pub fn heats(self) -> bool {
        self.has(Ability::Climate)
    }

    /// Returns true for locks, garage doors and gates, which keep a house shut.
    pub fn is_barrier(self) -> bool {
        self.has(Ability::Lock) || self.has(Ability::Barrier)
    }

    /// Returns true for kinds that open and close.
    pub fn opens_and_closes(self) -> bool {
        self.has(Ability::Position) || self.has(Ability::Barrier) || self.has(Ability::Valve)
    }

    /// Returns true for kinds that may be relays. A relay may open something.
    pub fn is_relay(self) -> bool {
        matches!(self, Self::Switch | Self::Outlet | Self::Dimmer)
    }

    /// Returns true for kinds that a relay or motor may be. Its name may say that it opens something, so every kind
    /// that can be switched or moved counts, except barriers, which open anyway, and those that only heat or shine.
    pub fn may_open(self) -> bool {
        let never_opens = matches!(
            self,
            Self::ColorLight | Self::Thermostat | Self::RadiatorValve | Self::Setpoint
        );
        !self.abilities().is_empty() && !self.is_barrier() && !never_opens
    }

    /// Returns true for kinds without a state of their own.
    pub fn is_stateless(self) -> bool {
        matches!(
            self,
            Self::Remote | Self::Keypad | Self::Group | Self::Scene
        )
    }

    /// Returns true for kinds that can be controlled. The others only report.
    pub fn is_controllable(self) -> bool {
        !self.abilities().is_empty() || matches!(self, Self::Group | Self::Scene)
    }
}

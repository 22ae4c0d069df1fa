//! Kinds of devices, in two tables. `KINDS` has the word, the categories and the abilities of each kind.
//! `EVIDENCE` finds the kind of an endpoint by its device class and command classes.

use super::category::{Categories, Category};
use super::model::ids::{CommandClass as Cc, ValueId};
use super::model::node::{DeviceClass, Nature, Node, Role};
use super::product::nature_of;

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

/// A kind; the word for it in the singular; its categories; the categories that a device's name can add to
/// those; and the kind's abilities.
///
/// Any other category in the name usually replaces the categories of the kind: a dimmer called "Water Valve"
/// becomes a valve, but one called "Lamp" is still a dimmer (`classify.rs`).
type KindRow = (
    Kind,
    &'static str,
    &'static [Category],
    &'static [Category],
    &'static [Ability],
);

const BARRIERS: &[Category] = &[C::Doors, C::GarageDoors, C::Gates, C::Locks];
const HEATERS: &[Category] = &[C::Thermostats, C::Heaters, C::RadiatorValves];
const LIGHTS: &[Category] = &[C::Lights, C::ColorLights];
const LEVELS: &[Ability] = &[Ability::Level, Ability::OnOff];
const COLORS: &[Ability] = &[Ability::Color, Ability::Level, Ability::OnOff];

/// Every kind, in the order of [`Kind`].
#[rustfmt::skip]
const KINDS: &[KindRow] = &[
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

/// A generic device class and some of its specific classes. An empty list stands for all of them.
type DeviceClasses = (u8, &'static [u8]);

// The numbers are those of the Z-Wave specification.
const THERMOSTATS: DeviceClasses = (DeviceClass::THERMOSTAT, &[]);
const SETPOINT_THERMOSTAT: DeviceClasses = (DeviceClass::THERMOSTAT, &[4]);
const WINDOW_COVERINGS: DeviceClasses = (9, &[]);
const BINARY_SWITCHES: DeviceClasses = (16, &[]);
const VALVES: DeviceClasses = (16, &[6, 7]);
const MOTORS: DeviceClasses = (17, &[3, 5, 6, 7]);
const FAN_SWITCH: DeviceClasses = (17, &[8]);
const VENTILATION: DeviceClasses = (22, &[]);
const SECURE_GATE: DeviceClasses = (64, &[6]);
const SECURE_BARRIERS: DeviceClasses = (64, &[5, 6, 7, 8, 9]);
const SECURE_KEYPAD: DeviceClasses = (64, &[11]);

/// The generic class of repeaters.
const REPEATER: u8 = 15;

/// The generic classes of remote controls and wall controllers.
const REMOTES: [u8; 3] = [1, 18, 24];

/// A kind and a test for it. The kind is `None` for an endpoint that is only a part of another endpoint.
type EvidenceRow = (Option<Kind>, fn(EndpointEvidence) -> bool);

/// The tests for kinds, those with the strongest evidence first. The first test that passes decides.
#[rustfmt::skip]
const EVIDENCE: &[EvidenceRow] = &[
    (Some(Kind::Lock), |at| at.has_any(&[Cc::DOOR_LOCK, Cc::LOCK])),
    (Some(Kind::Gate), |at| at.is(SECURE_GATE) && (at.has(Cc::BARRIER_OPERATOR) || at.is_switched())),
    (Some(Kind::GarageDoor), |at| at.has(Cc::BARRIER_OPERATOR)),
    (Some(Kind::GarageDoor), |at| at.is(SECURE_BARRIERS) && at.is_switched()),
    (Some(Kind::Cover), |at| at.has(Cc::WINDOW_COVERING)),
    (Some(Kind::Cover), |at| at.has_level() && (at.is(WINDOW_COVERINGS) || at.is(MOTORS))),
    (Some(Kind::Fan), |at| at.has_level() && (at.is(VENTILATION) || at.is(FAN_SWITCH))),
    (Some(Kind::RadiatorValve), |at| {
        at.has_climate() && (at.is(SETPOINT_THERMOSTAT) || at.heats_on_battery())
    }),
    (Some(Kind::Thermostat), |at| at.has_climate()),
    // A thermostat's valve. It only reports how far it is open.
    (None, |at| at.is(THERMOSTATS) && at.has_level() && at.is_on_thermostat_node()),
    (Some(Kind::RadiatorValve), |at| at.is(THERMOSTATS) && at.has_level()),
    (Some(Kind::Siren), |at| at.has(Cc::SOUND_SWITCH)),
    (Some(Kind::Siren), |at| at.class == DeviceClass::SIREN && at.has_any(&[Cc::BINARY_SWITCH, Cc::INDICATOR])),
    (Some(Kind::Valve), |at| at.is(VALVES) && at.has(Cc::BINARY_SWITCH)),
    (Some(Kind::Valve), |at| at.has(Cc::IRRIGATION)),
    (None, |at| at.is_light_ring()),
    (None, |at| at.endpoint > 0 && at.has_level() && at.is_part()),
    // A device of this class is only on or off. If it has a level, that is the level of its light ring.
    (Some(Kind::Switch), |at| at.is(BINARY_SWITCHES) && at.has(Cc::BINARY_SWITCH) && at.has_level()),
    (Some(Kind::ColorLight), |at| at.is_switched() && at.has(Cc::COLOR_SWITCH)),
    (Some(Kind::Dimmer), |at| at.has_level()),
    (Some(Kind::Switch), |at| at.has(Cc::BINARY_SWITCH)),
    (Some(Kind::Keypad), |at| at.is(SECURE_KEYPAD) || at.has(Cc::ENTRY_CONTROL)),
    (Some(Kind::Remote), |at| REMOTES.contains(&at.class.generic)),
    (Some(Kind::Remote), |at| at.has(Cc::CENTRAL_SCENE)),
    (Some(Kind::ColorLight), |at| at.is_lamp_of_colors()),
    (Some(Kind::Humidifier), |at| at.has(Cc::HUMIDITY_CONTROL_SETPOINT)),
    (Some(Kind::Meter), |at| at.has_any(&[Cc::METER, Cc::ENERGY_PRODUCTION])),
    (Some(Kind::Sensor), |at| {
        at.has_any(&[Cc::BINARY_SENSOR, Cc::MULTILEVEL_SENSOR, Cc::NOTIFICATION])
    }),
    // A device that has nothing but Basic.
    (Some(Kind::Dimmer), |at| at.has_basic("targetValue")),
    (Some(Kind::Sensor), |at| at.has_basic("currentValue")),
    (Some(Kind::Unread), |at| at.endpoint == 0 && at.node.values.is_empty() && !at.node.ready),
];

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

    /// Returns true for relays, and for kinds that a relay or motor is by its product or its class. Its name may
    /// say that it opens something else.
    pub fn may_open(self) -> bool {
        let may_be_motor = matches!(
            self,
            Self::Cover | Self::Window | Self::Fan | Self::Heater | Self::Siren | Self::Valve
        );
        self.is_relay() || may_be_motor
    }

    /// Returns true for kinds that must not move with the lights or the switches, even if their names say so.
    /// Locks, garage doors and gates can't be switched at all.
    pub(super) fn is_never_lamp(self) -> bool {
        matches!(self, Self::Siren | Self::Valve | Self::Window)
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

/// Returns the kind of an endpoint. Returns `None` if there is nothing to read or control, or if the
/// endpoint is only a part of another endpoint.
pub fn kind_of(node: &Node, endpoint: u8) -> Option<Kind> {
    let kind = kind_by_class(node, endpoint)?;
    let is_listed = nature_of(node, endpoint).is_some();
    let words = nature_in_words(node, endpoint).filter(|_| !is_listed && node.role == Role::Device);
    let by_words =
        words.and_then(|nature| EndpointEvidence::of(node, endpoint).kind_by_words(kind, nature));
    Some(by_words.unwrap_or(kind))
}

/// Returns true if only the words for a product say that an endpoint opens a door, a gate or a lock.
pub fn opens_by_words(node: &Node, endpoint: u8) -> bool {
    let is_opener = |nature| matches!(nature, Nature::GarageDoor | Nature::Gate | Nature::Lock);
    nature_in_words(node, endpoint).is_some_and(is_opener)
        && kind_by_class(node, endpoint).is_some_and(|kind| kind.is_relay() || kind == Kind::Cover)
}

/// Returns what the words for an endpoint, or else those for the product, say that it is.
fn nature_in_words(node: &Node, endpoint: u8) -> Option<Nature> {
    let of_endpoint = node.endpoint(endpoint).and_then(|endpoint| endpoint.described);
    of_endpoint.or(node.described)
}

/// Returns the kind of an endpoint without the words for the product: by the table of products, or else by its
/// device class and values.
pub fn kind_by_class(node: &Node, endpoint: u8) -> Option<Kind> {
    match (node.role, nature_of(node, endpoint)) {
        (Role::Controller | Role::Broadcast, _) => None,
        (Role::Group, _) => Some(Kind::Group),
        (Role::Device, None) => EndpointEvidence::of(node, endpoint).kind(),
        (Role::Device, Some(nature)) => match nature {
            Nature::Fan => Some(Kind::Fan),
            Nature::Cover | Nature::Slats => Some(Kind::Cover),
            Nature::Window => Some(Kind::Window),
            Nature::Gate => Some(Kind::Gate),
            Nature::GarageDoor => Some(Kind::GarageDoor),
            Nature::Siren => Some(Kind::Siren),
            Nature::Valve => Some(Kind::Valve),
            Nature::Heater => Some(Kind::Heater),
            Nature::Outlet => Some(Kind::Outlet),
            Nature::Switch | Nature::Pump | Nature::Lock => Some(Kind::Switch),
            Nature::Tilt | Nature::Void | Nature::Channel => None,
            // The root repeats endpoint 1, so the root counts only if endpoint 1 is missing.
            Nature::Repeats => (!node.has(1, Cc::MULTILEVEL_SWITCH)).then_some(Kind::Cover),
        },
    }
}

/// An endpoint with its node and its device class, which decide its kind.
#[derive(Clone, Copy)]
struct EndpointEvidence<'a> {
    node: &'a Node,
    endpoint: u8,
    class: DeviceClass,
}

impl<'a> EndpointEvidence<'a> {
    fn of(node: &'a Node, endpoint: u8) -> Self {
        Self {
            node,
            endpoint,
            class: node.class_of(endpoint),
        }
    }

    fn kind(self) -> Option<Kind> {
        let (kind, _) = EVIDENCE.iter().find(|(_, fits)| fits(self))?;
        match kind {
            Some(Kind::Switch) if self.endpoint > 0 => Some(Kind::Outlet),
            kind => *kind,
        }
    }

    /// Returns the number of endpoints with a switch, apart from the root.
    fn other_switches(self) -> usize {
        let classes = self.node.classes.iter();
        classes
            .filter(|(endpoint, class)| *endpoint > 0 && *class == Cc::BINARY_SWITCH)
            .count()
    }

    /// Returns the kind that the words for a switched endpoint say, if it can be of that kind. What a lock, a
    /// thermostat or a color light is, its values say better.
    fn kind_by_words(self, kind: Kind, nature: Nature) -> Option<Kind> {
        let is_plain = kind.may_open() && self.is_switched();
        let kind = match nature {
            // The root of a strip is the strip, not one of its outlets.
            Nature::Outlet
                if kind == Kind::Switch && (self.endpoint > 0 || self.other_switches() < 2) =>
            {
                Kind::Outlet
            }
            Nature::Switch if kind == Kind::Outlet => Kind::Switch,
            Nature::Fan => Kind::Fan,
            Nature::Siren => Kind::Siren,
            Nature::Valve => Kind::Valve,
            Nature::Heater => Kind::Heater,
            Nature::GarageDoor => Kind::GarageDoor,
            Nature::Gate => Kind::Gate,
            Nature::Cover if self.has_level() => Kind::Cover,
            Nature::Window if self.has_level() => Kind::Window,
            _ => return None,
        };
        (is_plain && !self.has(Cc::WINDOW_COVERING)).then_some(kind)
    }

    /// Returns true for the slats of a cover by the label of the endpoint, and for one color of a lamp.
    fn is_part(self) -> bool {
        let label = self.node.endpoint(self.endpoint).and_then(|endpoint| endpoint.described);
        match label {
            Some(Nature::Tilt) => true,
            Some(Nature::Channel) => self.node.has_anywhere(Cc::COLOR_SWITCH),
            _ => self.is_lamp_channel(),
        }
    }

    /// Returns true for one color of a lamp that is on an endpoint before: the node has just one endpoint with
    /// colors, and as many endpoints with only a level as that one has colors.
    fn is_lamp_channel(self) -> bool {
        let node = self.node;
        let with = |class: Cc| {
            let classes = node.classes.iter().filter(move |(_, known)| *known == class);
            classes.map(|(endpoint, _)| *endpoint)
        };
        let mut lamps = with(Cc::COLOR_SWITCH);
        let (Some(lamp), None) = (lamps.next(), lamps.next()) else {
            return false;
        };
        let colors = node
            .values_of(lamp)
            .filter(|value| value.id.property == "currentColor".into() && value.id.key.is_some());
        let channels = with(Cc::MULTILEVEL_SWITCH).filter(|endpoint| *endpoint > lamp);
        self.endpoint > lamp && colors.count() == channels.count()
    }

    /// Returns true if the endpoint has one of these device classes.
    fn is(self, (generic, specific): DeviceClasses) -> bool {
        let is_specific = specific.is_empty() || specific.contains(&self.class.specific);
        self.class.generic == generic && is_specific
    }

    fn has(self, class: Cc) -> bool {
        self.node.has(self.endpoint, class)
    }

    fn has_any(self, classes: &[Cc]) -> bool {
        classes.iter().any(|class| self.has(*class))
    }

    fn has_level(self) -> bool {
        self.has(Cc::MULTILEVEL_SWITCH)
    }

    /// Returns true if the endpoint is a thermostat. A relay on an endpoint of its own stays a relay, even if a
    /// setpoint of another part of the node is on the same endpoint.
    fn has_climate(self) -> bool {
        let is_relay = self.endpoint > 0 && self.is(BINARY_SWITCHES) && self.has(Cc::BINARY_SWITCH);
        self.has(Cc::THERMOSTAT_MODE) || (self.has(Cc::THERMOSTAT_SETPOINT) && !is_relay)
    }

    /// Returns true for a lamp that has colors, but neither a switch nor a level. Colors beside a switch anywhere in
    /// the node are those of its buttons.
    fn is_lamp_of_colors(self) -> bool {
        let switches = [Cc::BINARY_SWITCH, Cc::MULTILEVEL_SWITCH, Cc::CENTRAL_SCENE];
        self.has(Cc::COLOR_SWITCH) && !switches.iter().any(|class| self.node.has_anywhere(*class))
    }

    /// Returns true if the endpoint has a value of Basic that is kept, because the node has nothing else. A
    /// repeater has no state.
    fn has_basic(self, property: &str) -> bool {
        let id = ValueId::new(Cc::BASIC, self.endpoint, property);
        let value = self.node.value(&id);
        self.class.generic != REPEATER
            && value.is_some_and(|value| value.meta.writeable || property == "currentValue")
    }

    fn is_switched(self) -> bool {
        self.has(Cc::BINARY_SWITCH) || self.has_level()
    }

    fn is_on_thermostat_node(self) -> bool {
        self.node.has_anywhere(Cc::THERMOSTAT_MODE)
            || self.node.has_anywhere(Cc::THERMOSTAT_SETPOINT)
    }

    /// Returns true for a thermostat that runs on a battery, only heats and has no modes. In a node that
    /// always listens, the battery is only a backup.
    fn heats_on_battery(self) -> bool {
        let node = self.node;
        let cools = ValueId::with_key(Cc::THERMOSTAT_SETPOINT, 0, "setpoint", 2_u32);
        node.has(0, Cc::BATTERY)
            && !node.listening
            && !node.has_anywhere(Cc::THERMOSTAT_MODE)
            && !node.has_anywhere(Cc::THERMOSTAT_FAN_MODE)
            && node.value(&cools).is_none()
    }

    /// Returns true for the light ring of a wall switch or plug. The ring is the only endpoint with colors;
    /// the root can be switched, but has no colors.
    fn is_light_ring(self) -> bool {
        let node = self.node;
        // Returns the endpoints, except the root, that have one of these classes.
        let endpoints_with = |classes: &[Cc]| {
            let mut endpoints: Vec<u8> = node
                .classes
                .iter()
                .filter(|(endpoint, class)| *endpoint > 0 && classes.contains(class))
                .map(|(endpoint, _)| *endpoint)
                .collect();
            endpoints.dedup();
            endpoints
        };
        let root_switches = match node.class.generic {
            // A binary switch.
            16 => node.has(0, Cc::BINARY_SWITCH),
            // A multilevel switch. If several endpoints can be switched, the one with colors may be a lamp.
            17 => {
                let switched = endpoints_with(&[Cc::BINARY_SWITCH, Cc::MULTILEVEL_SWITCH]);
                node.has(0, Cc::MULTILEVEL_SWITCH) && switched == [self.endpoint]
            }
            _ => false,
        };
        let only_ring_has_colors = endpoints_with(&[Cc::COLOR_SWITCH]) == [self.endpoint];
        root_switches && !node.has(0, Cc::COLOR_SWITCH) && only_ring_has_colors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_one_row_in_the_order_of_the_enum() {
        let kinds = KINDS.iter().map(|(kind, ..)| *kind as usize);
        assert!(kinds.eq(0..KINDS.len()));
        assert_eq!(KINDS.len(), Kind::Unread as usize + 1);
    }
}

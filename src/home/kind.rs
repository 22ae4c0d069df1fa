//! Kinds of devices: a row each with its word, its categories and its abilities, and the evidence for
//! them in a node document.

use super::category::{Categories, Category};
use super::model::ids::{CommandClass as Cc, ValueId};
use super::model::node::{DeviceClass, Node, Role};
use super::product::{Nature, nature_of};

use Category as C;

/// What a person would call a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // Each variant says its own name.
pub enum Kind {
    Lock,
    GarageDoor,
    Gate,
    Cover,
    Fan,
    Thermostat,
    RadiatorValve,
    Siren,
    Valve,
    ColorLight,
    Dimmer,
    Switch,
    Outlet,
    Remote,
    Keypad,
    Meter,
    Sensor,
    Group,
    Scene,
    /// Listed because it has a name and a node, but nothing is known of it yet: a node that was
    /// dead when the gateway started has no values at all.
    Unread,
}

/// Something that a device can do. Groups and scenes have none of these: they move other devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ability {
    /// On or off: Binary Switch.
    OnOff,
    /// On or off, called open and closed.
    Valve,
    /// A brightness or a speed: Multilevel Switch.
    Level,
    /// How far open: Window Covering, or Multilevel Switch with a motor.
    Position,
    /// Locked or unlocked: Door Lock, and the older Lock.
    Lock,
    /// Open or closed: Barrier Operator, or the motor or relay that moves the door.
    Barrier,
    /// Modes and temperatures: Thermostat Mode, Setpoint and Fan Mode.
    Climate,
    /// Colors: Color Switch.
    Color,
    /// A tone: Sound Switch, or the switch or indicator that makes the noise.
    Sound,
}

/// What is known of a kind.
struct KindRow {
    kind: Kind,
    /// The word for it, in the singular.
    word: &'static str,
    /// The categories that it is in unless its name says another.
    categories: &'static [Category],
    /// The categories that a name may say of it without making it something else: a dimmer called
    /// "Lamp" stays a dimmer, and one called "Water Valve" is a valve.
    refined_by: &'static [Category],
    abilities: &'static [Ability],
}

const fn row(
    kind: Kind,
    word: &'static str,
    categories: &'static [Category],
    refined_by: &'static [Category],
    abilities: &'static [Ability],
) -> KindRow {
    KindRow {
        kind,
        word,
        categories,
        refined_by,
        abilities,
    }
}

const BARRIERS: &[Category] = &[C::Doors, C::GarageDoors, C::Gates, C::Locks];
const HEATERS: &[Category] = &[C::Thermostats, C::Heaters, C::RadiatorValves];
const LIGHTS: &[Category] = &[C::Lights, C::ColorLights];
const LEVELS: &[Ability] = &[Ability::Level, Ability::OnOff];
const COLORS: &[Ability] = &[Ability::Color, Ability::Level, Ability::OnOff];

/// Every kind, in the order of [`Kind`].
#[rustfmt::skip]
const KINDS: [KindRow; 20] = [
    row(Kind::Lock, "lock", &[C::Locks], BARRIERS, &[Ability::Lock]),
    row(Kind::GarageDoor, "garage door", &[C::GarageDoors], BARRIERS, &[Ability::Barrier]),
    row(Kind::Gate, "gate", &[C::Gates], BARRIERS, &[Ability::Barrier]),
    row(Kind::Cover, "blind", &[C::Blinds], &[C::Blinds, C::Covers], &[Ability::Position]),
    row(Kind::Fan, "fan", &[C::Fans], &[], LEVELS),
    row(Kind::Thermostat, "thermostat", &[C::Thermostats, C::Heaters], HEATERS, &[Ability::Climate]),
    row(Kind::RadiatorValve, "radiator valve", HEATERS, HEATERS, &[Ability::Climate]),
    row(Kind::Siren, "siren", &[C::Sirens], &[], &[Ability::Sound]),
    row(Kind::Valve, "valve", &[C::Valves], &[], &[Ability::Valve]),
    row(Kind::ColorLight, "color light", &[C::ColorLights], LIGHTS, COLORS),
    row(Kind::Dimmer, "dimmer", &[C::Dimmers, C::Lights], LIGHTS, LEVELS),
    row(Kind::Switch, "switch", &[C::Switches], &[], &[Ability::OnOff]),
    row(Kind::Outlet, "outlet", &[C::Outlets], &[], &[Ability::OnOff]),
    row(Kind::Remote, "remote", &[C::Remotes], &[], &[]),
    row(Kind::Keypad, "keypad", &[C::Keypads], &[], &[]),
    row(Kind::Meter, "meter", &[C::Meters], &[], &[]),
    row(Kind::Sensor, "sensor", &[C::Sensors], &[], &[]),
    row(Kind::Group, "group", &[C::Groups], &[], &[]),
    row(Kind::Scene, "scene", &[C::Scenes], &[], &[]),
    UNREAD,
];

const UNREAD: KindRow = row(Kind::Unread, "device", &[], &[], &[]);

/// A kind, and the evidence for it; no kind where the endpoint is part of another one.
type EvidenceRow = (Option<Kind>, fn(Evidence) -> bool);

/// The evidence that an endpoint is of a kind, the most telling first: the first that fits counts.
#[rustfmt::skip]
const EVIDENCE: [EvidenceRow; 25] = [
    (Some(Kind::Lock), |at| at.has_any(&[Cc::DOOR_LOCK, Cc::LOCK])),
    (Some(Kind::Gate), |at| at.is(64, &[6]) && (at.has(Cc::BARRIER_OPERATOR) || at.is_switched())),
    (Some(Kind::GarageDoor), |at| at.has(Cc::BARRIER_OPERATOR)),
    (Some(Kind::GarageDoor), |at| at.is(64, &[5, 6, 7, 8, 9]) && at.is_switched()),
    (Some(Kind::Cover), |at| at.has(Cc::WINDOW_COVERING)),
    (Some(Kind::Cover), |at| at.has_level() && (at.is(9, &[]) || at.is(17, &[3, 5, 6, 7]))),
    (Some(Kind::Fan), |at| at.has_level() && (at.is(22, &[]) || at.is(17, &[8]))),
    (Some(Kind::RadiatorValve), |at| at.has_climate() && (at.is(8, &[4]) || at.heats_on_battery())),
    (Some(Kind::Thermostat), |at| at.has_climate()),
    // How far a thermostat's valve is open.
    (None, |at| at.is(8, &[]) && at.has_level() && at.is_beside_thermostat()),
    (Some(Kind::RadiatorValve), |at| at.is(8, &[]) && at.has_level()),
    (Some(Kind::Siren), |at| at.has(Cc::SOUND_SWITCH)),
    (Some(Kind::Siren), |at| at.is(16, &[5]) && at.has_any(&[Cc::BINARY_SWITCH, Cc::INDICATOR])),
    (Some(Kind::Valve), |at| at.is(16, &[6, 7]) && at.has(Cc::BINARY_SWITCH)),
    (None, |at| at.is_light_ring()),
    // The levels and colors of what is a switch by its class are those of its light ring.
    (Some(Kind::Switch), |at| at.is(16, &[]) && at.has(Cc::BINARY_SWITCH) && at.has_level()),
    (Some(Kind::ColorLight), |at| at.is_switched() && at.has(Cc::COLOR_SWITCH)),
    (Some(Kind::Dimmer), |at| at.has_level()),
    (Some(Kind::Switch), |at| at.has(Cc::BINARY_SWITCH)),
    (Some(Kind::Keypad), |at| at.is(64, &[11]) || at.has(Cc::ENTRY_CONTROL)),
    (Some(Kind::Remote), |at| matches!(at.class.generic, 1 | 18 | 24)),
    (Some(Kind::Remote), |at| at.has(Cc::CENTRAL_SCENE)),
    (Some(Kind::Meter), |at| at.has_any(&[Cc::METER, Cc::ENERGY_PRODUCTION])),
    (Some(Kind::Sensor), |at| {
        at.has_any(&[Cc::BINARY_SENSOR, Cc::MULTILEVEL_SENSOR, Cc::NOTIFICATION])
    }),
    (Some(Kind::Unread), |at| at.endpoint == 0 && at.node.values.is_empty() && !at.node.ready),
];

impl Kind {
    fn row(self) -> &'static KindRow {
        let mut rows = KINDS.iter();
        rows.find(|row| row.kind == self).unwrap_or(&UNREAD)
    }

    /// The word for it, in the singular.
    pub fn word(self) -> &'static str {
        self.row().word
    }

    /// The words for all kinds.
    pub fn words() -> impl Iterator<Item = &'static str> {
        KINDS.iter().map(|row| row.word)
    }

    /// The kind that a list calls so. A word that no kind has is a blind's, which is called by its
    /// name.
    pub(super) fn listed_as(word: &str) -> Self {
        let mut rows = KINDS.iter();
        let row = rows.find(|row| row.word == word);
        row.map_or(Self::Cover, |row| row.kind)
    }

    /// The categories that a device of this kind is in unless its name says another.
    pub fn categories(self) -> Categories {
        let is_thing = !matches!(self, Self::Group | Self::Scene);
        let everything: &[Category] = if is_thing { &[C::Everything] } else { &[] };
        let own = self.row().categories.iter();
        own.fold(Categories::of(everything), |all, own| {
            all.or(own.with_wider())
        })
    }

    /// Returns true if a name that says this category says more of what the device is anyway. A door's
    /// contact is a sensor, whatever it is named after.
    pub(super) fn is_refined_by(self, category: Category) -> bool {
        let only_reports = !self.controls() && self != Self::Unread;
        only_reports || self.row().refined_by.contains(&category)
    }

    /// The abilities, those that are tried first in front.
    pub fn abilities(self) -> &'static [Ability] {
        self.row().abilities
    }

    /// Returns true if it can do this.
    pub fn has(self, ability: Ability) -> bool {
        self.abilities().contains(&ability)
    }

    /// Returns true if it sets a temperature.
    pub fn heats(self) -> bool {
        self.has(Ability::Climate)
    }

    /// Returns true for what keeps a house shut: a lock, a garage door or a gate.
    pub fn is_barrier(self) -> bool {
        self.has(Ability::Lock) || self.has(Ability::Barrier)
    }

    /// Returns true for what opens and closes.
    pub fn opens(self) -> bool {
        self.has(Ability::Position) || self.has(Ability::Barrier) || self.has(Ability::Valve)
    }

    /// Returns true for what is switched or dimmed, and may be a relay that opens something.
    pub fn is_relay(self) -> bool {
        matches!(self, Self::Switch | Self::Outlet | Self::Dimmer)
    }

    /// Returns true if it has no state of its own, so that none is missed.
    pub fn is_stateless(self) -> bool {
        matches!(
            self,
            Self::Remote | Self::Keypad | Self::Group | Self::Scene
        )
    }

    /// Returns true if it can be controlled; the others only report.
    pub fn controls(self) -> bool {
        !self.abilities().is_empty() || matches!(self, Self::Group | Self::Scene)
    }
}

/// The kind of an endpoint; none if there is nothing to read or do.
pub fn kind_of(node: &Node, endpoint: u8) -> Option<Kind> {
    match (node.role, nature_of(node, endpoint)) {
        (Role::Controller | Role::Broadcast, _) => None,
        (Role::Group, _) => Some(Kind::Group),
        (Role::Device, None) => Evidence::of(node, endpoint).kind(),
        (Role::Device, Some(nature)) => match nature {
            Nature::Fan => Some(Kind::Fan),
            Nature::Cover | Nature::Slats => Some(Kind::Cover),
            Nature::Gate => Some(Kind::Gate),
            Nature::Switch => Some(Kind::Switch),
            Nature::Tilt => None,
            Nature::Repeats => (!node.has(1, Cc::MULTILEVEL_SWITCH)).then_some(Kind::Cover),
        },
    }
}

/// What a node document says of an endpoint.
#[derive(Clone, Copy)]
struct Evidence<'a> {
    node: &'a Node,
    endpoint: u8,
    class: DeviceClass,
}

impl<'a> Evidence<'a> {
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

    /// Returns true if it is of a generic device class and one of these specific ones; any if there are
    /// none.
    fn is(self, generic: u8, specific: &[u8]) -> bool {
        let is_one = specific.is_empty() || specific.contains(&self.class.specific);
        self.class.generic == generic && is_one
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

    fn has_climate(self) -> bool {
        self.has_any(&[Cc::THERMOSTAT_MODE, Cc::THERMOSTAT_SETPOINT])
    }

    fn is_switched(self) -> bool {
        self.has(Cc::BINARY_SWITCH) || self.has_level()
    }

    fn is_beside_thermostat(self) -> bool {
        self.node.has_anywhere(Cc::THERMOSTAT_MODE)
            || self.node.has_anywhere(Cc::THERMOSTAT_SETPOINT)
    }

    /// Returns true for a thermostat without a mode that sleeps on its battery and only heats. What
    /// listens all the time has its battery as a reserve.
    fn heats_on_battery(self) -> bool {
        let node = self.node;
        let cools = ValueId::keyed(Cc::THERMOSTAT_SETPOINT, 0, "setpoint", 2_u32);
        node.has(0, Cc::BATTERY)
            && !node.listening
            && !node.has_anywhere(Cc::THERMOSTAT_MODE)
            && !node.has_anywhere(Cc::THERMOSTAT_FAN_MODE)
            && node.value(&cools).is_none()
    }

    /// Returns true for the light ring of a wall switch or plug: the one endpoint with colors above a
    /// root that switches and has none.
    fn is_light_ring(self) -> bool {
        let node = self.node;
        let above = |classes: &[Cc]| {
            let of_class = node.classes.iter().filter(|(_, own)| classes.contains(own));
            let mut above: Vec<u8> = of_class.map(|(at, _)| *at).filter(|at| *at > 0).collect();
            above.dedup();
            above
        };
        let root_switches = match node.class.generic {
            16 => node.has(0, Cc::BINARY_SWITCH),
            // A dimmer with several channels may have a colored one among them.
            17 => {
                let channels = above(&[Cc::BINARY_SWITCH, Cc::MULTILEVEL_SWITCH]);
                node.has(0, Cc::MULTILEVEL_SWITCH) && channels == [self.endpoint]
            }
            _ => false,
        };
        let only_ring_has_colors = above(&[Cc::COLOR_SWITCH]) == [self.endpoint];
        root_switches && !node.has(0, Cc::COLOR_SWITCH) && only_ring_has_colors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_row() {
        let kinds = KINDS.iter().map(|row| row.kind as usize);
        assert!(kinds.eq(0..KINDS.len()));
        assert_eq!(KINDS.len(), Kind::Unread as usize + 1);
    }
}

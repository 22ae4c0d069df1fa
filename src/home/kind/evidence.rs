//! Finds the kind of an endpoint: by the table of products, by the words for the product, and by its device class and
//! command classes (`docs/DEVICES.md`).

use super::Kind;
use crate::model::ids::{CommandClass as Cc, ValueId};
use crate::model::node::{DeviceClass, Nature, Node, Role};
use crate::only;
use crate::product::nature_of;

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
        // The root repeats endpoint 1, so the root counts only if endpoint 1 is missing.
        (Role::Device, Some(Nature::Repeats)) => {
            (!node.has(1, Cc::MULTILEVEL_SWITCH)).then_some(Kind::Cover)
        }
        (Role::Device, Some(nature)) => kind_of_nature(nature),
    }
}

/// Returns the kind of what has a nature. Returns `None` for a part of something else.
fn kind_of_nature(nature: Nature) -> Option<Kind> {
    Some(match nature {
        Nature::Fan => Kind::Fan,
        Nature::Cover | Nature::Slats => Kind::Cover,
        Nature::Window => Kind::Window,
        Nature::Gate => Kind::Gate,
        Nature::GarageDoor => Kind::GarageDoor,
        Nature::Siren => Kind::Siren,
        Nature::Valve => Kind::Valve,
        Nature::Heater => Kind::Heater,
        Nature::Outlet => Kind::Outlet,
        Nature::Switch | Nature::Pump | Nature::Lock => Kind::Switch,
        Nature::Tilt | Nature::Void | Nature::Channel | Nature::Repeats => return None,
    })
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

    /// Returns the kind that the words for a switched endpoint say, if it can be of that kind. What a lock, a
    /// thermostat or a color light is, its values say better.
    fn kind_by_words(self, kind: Kind, nature: Nature) -> Option<Kind> {
        let is_moved = |said: &Kind| matches!(said, Kind::Cover | Kind::Window);
        let said = kind_of_nature(nature).filter(|said| self.has_level() || !is_moved(said));
        // Of a known product that is no plug, the endpoints are no outlets.
        let said = said.unwrap_or(Kind::Switch);
        let fits = match said {
            // The root of a strip is the strip, not one of its outlets.
            Kind::Outlet => kind == Kind::Switch && (self.endpoint > 0 || !self.is_strip()),
            Kind::Switch => kind == Kind::Outlet && self.node.described.is_some(),
            _ => true,
        };
        let is_plain = kind.may_open() && self.is_switched() && !self.has(Cc::WINDOW_COVERING);
        (fits && is_plain).then_some(said)
    }

    /// Returns true if several endpoints have a switch, apart from the root.
    fn is_strip(self) -> bool {
        self.beside_root(&[Cc::BINARY_SWITCH]).count() > 1
    }

    /// Returns the endpoints, except the root, that have values of one of these classes.
    fn beside_root(self, classes: &[Cc]) -> impl Iterator<Item = u8> {
        let endpoints = self.node.endpoints_with(|class| classes.contains(&class));
        endpoints.into_iter().filter(|endpoint| *endpoint > 0)
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
        let Some(lamp) = only(node.endpoints_with(|class| class == Cc::COLOR_SWITCH)) else {
            return false;
        };
        let colors = node
            .values_of(lamp)
            .filter(|value| value.id.property == "currentColor".into() && value.id.key.is_some());
        let levels = node.endpoints_with(|class| class == Cc::MULTILEVEL_SWITCH);
        let channels = levels.into_iter().filter(|endpoint| *endpoint > lamp);
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
        let is_only_one_with = |classes| self.beside_root(classes).eq([self.endpoint]);
        let root_switches = match node.class.generic {
            // A binary switch.
            16 => node.has(0, Cc::BINARY_SWITCH),
            // A multilevel switch. If several endpoints can be switched, the one with colors may be a lamp.
            17 => {
                node.has(0, Cc::MULTILEVEL_SWITCH)
                    && is_only_one_with(&[Cc::BINARY_SWITCH, Cc::MULTILEVEL_SWITCH])
            }
            _ => false,
        };
        root_switches && !node.has(0, Cc::COLOR_SWITCH) && is_only_one_with(&[Cc::COLOR_SWITCH])
    }
}

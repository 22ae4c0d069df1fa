//! What kind of thing an endpoint is: by its product where that is known to be something else than
//! its class says, then by its classes and its device class, the most telling first.

use super::model::ids::{CommandClass as Cc, ValueId};
use super::model::node::{DeviceClass, Node, Role};
use super::product::{Nature, nature_of};

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

impl Kind {
    /// The word for it, in the singular.
    pub fn word(self) -> &'static str {
        match self {
            Self::Lock => "lock",
            Self::GarageDoor => "garage door",
            Self::Gate => "gate",
            Self::Cover => "blind",
            Self::Fan => "fan",
            Self::Thermostat => "thermostat",
            Self::RadiatorValve => "radiator valve",
            Self::Siren => "siren",
            Self::Valve => "valve",
            Self::ColorLight => "color light",
            Self::Dimmer => "dimmer",
            Self::Switch => "switch",
            Self::Outlet => "outlet",
            Self::Remote => "remote",
            Self::Keypad => "keypad",
            Self::Meter => "meter",
            Self::Sensor => "sensor",
            Self::Group => "group",
            Self::Scene => "scene",
            Self::Unread => "device",
        }
    }

    /// The kind that a list calls so; what it has no other word for is a blind by one of its names.
    pub(super) fn listed_as(word: &str) -> Self {
        let all = [
            Self::Lock,
            Self::GarageDoor,
            Self::Gate,
            Self::Fan,
            Self::Thermostat,
            Self::RadiatorValve,
            Self::Siren,
            Self::Valve,
            Self::ColorLight,
            Self::Dimmer,
            Self::Switch,
            Self::Outlet,
            Self::Remote,
            Self::Keypad,
            Self::Meter,
            Self::Sensor,
            Self::Group,
            Self::Scene,
            Self::Unread,
        ];
        let called = |kind: &Self| kind.word() == word;
        all.into_iter().find(called).unwrap_or(Self::Cover)
    }

    /// Whether it sets a temperature.
    pub fn heats(self) -> bool {
        matches!(self, Self::Thermostat | Self::RadiatorValve)
    }

    /// Whether it is what keeps a house shut: a lock, a garage door or a gate.
    pub fn is_barrier(self) -> bool {
        matches!(self, Self::Lock | Self::GarageDoor | Self::Gate)
    }

    /// Whether it has no state of its own, so that none is missed.
    pub fn is_stateless(self) -> bool {
        matches!(
            self,
            Self::Remote | Self::Keypad | Self::Group | Self::Scene
        )
    }

    /// Whether it can be controlled; the others only report.
    pub fn controls(self) -> bool {
        !matches!(
            self,
            Self::Remote | Self::Keypad | Self::Meter | Self::Sensor | Self::Unread
        )
    }
}

/// The kind of an endpoint; none where there is nothing to read or do.
pub fn kind_of(node: &Node, endpoint: u8) -> Option<Kind> {
    match (node.role, nature_of(node, endpoint)) {
        (Role::Controller | Role::Broadcast, _) => None,
        (Role::Group, _) => Some(Kind::Group),
        (Role::Device, None) => by_class(node, endpoint),
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

/// The kind of an endpoint by its classes and its device class, the most telling first.
fn by_class(node: &Node, endpoint: u8) -> Option<Kind> {
    let has = |class| node.has(endpoint, class);
    let has_any = |classes: &[Cc]| classes.iter().any(|class| has(*class));
    let (switch, level) = (has(Cc::BINARY_SWITCH), has(Cc::MULTILEVEL_SWITCH));
    let switches = switch || level;
    let thermostat = [Cc::THERMOSTAT_MODE, Cc::THERMOSTAT_SETPOINT];
    let sensor = [Cc::BINARY_SENSOR, Cc::MULTILEVEL_SENSOR, Cc::NOTIFICATION];
    let class = node.class_of(endpoint);
    Some(match (class.generic, class.specific) {
        _ if has_any(&[Cc::DOOR_LOCK, Cc::LOCK]) => Kind::Lock,
        (64, 6) if has(Cc::BARRIER_OPERATOR) || switches => Kind::Gate,
        _ if has(Cc::BARRIER_OPERATOR) => Kind::GarageDoor,
        (64, 5..=9) if switches => Kind::GarageDoor,
        _ if has(Cc::WINDOW_COVERING) => Kind::Cover,
        (9, _) | (17, 3 | 5 | 6 | 7) if level => Kind::Cover,
        (22, _) | (17, 8) if level => Kind::Fan,
        (8, 4) if has_any(&thermostat) => Kind::RadiatorValve,
        _ if has_any(&thermostat) && heats_on_a_battery(node) => Kind::RadiatorValve,
        _ if has_any(&thermostat) => Kind::Thermostat,
        // How far a thermostat's valve is open; it is the thermostat's business.
        (8, _) if level && thermostat.iter().any(|class| node.has_anywhere(*class)) => return None,
        (8, _) if level => Kind::RadiatorValve,
        _ if has(Cc::SOUND_SWITCH) => Kind::Siren,
        _ if class == DeviceClass::SIREN && (switch || has(Cc::INDICATOR)) => Kind::Siren,
        (16, 6 | 7) if switch => Kind::Valve,
        _ if is_light_ring(node, endpoint) => return None,
        // The levels and colours of what is a switch by its class are those of its light ring.
        (16, _) if switch && level => of_switch(endpoint),
        _ if switches && has(Cc::COLOR_SWITCH) => Kind::ColorLight,
        _ if level => Kind::Dimmer,
        _ if switch => of_switch(endpoint),
        (64, 11) => Kind::Keypad,
        _ if has(Cc::ENTRY_CONTROL) => Kind::Keypad,
        (1 | 18 | 24, _) => Kind::Remote,
        _ if has(Cc::CENTRAL_SCENE) => Kind::Remote,
        _ if has_any(&[Cc::METER, Cc::ENERGY_PRODUCTION]) => Kind::Meter,
        _ if has_any(&sensor) => Kind::Sensor,
        _ if endpoint == 0 && node.values.is_empty() && !node.ready => Kind::Unread,
        _ => return None,
    })
}

fn of_switch(endpoint: u8) -> Kind {
    if endpoint > 0 {
        Kind::Outlet
    } else {
        Kind::Switch
    }
}

/// A thermostat without a mode, which sleeps on its battery and only heats: a radiator valve. What
/// listens all the time has its battery as a reserve.
fn heats_on_a_battery(node: &Node) -> bool {
    let cools = ValueId::keyed(Cc::THERMOSTAT_SETPOINT, 0, "setpoint", 2_u32);
    node.has(0, Cc::BATTERY)
        && !node.listening
        && !node.has_anywhere(Cc::THERMOSTAT_MODE)
        && !node.has_anywhere(Cc::THERMOSTAT_FAN_MODE)
        && node.value(&cools).is_none()
}

/// Whether an endpoint is only the light ring of a wall switch or plug: the one endpoint with
/// colours above a root that switches and has none.
fn is_light_ring(node: &Node, endpoint: u8) -> bool {
    let above = |classes: &[Cc]| {
        let of_class = node.classes.iter().filter(|(_, own)| classes.contains(own));
        let mut above: Vec<u8> = of_class.map(|(at, _)| *at).filter(|at| *at > 0).collect();
        above.dedup();
        above
    };
    let has = |class| node.has(0, class);
    let root_switches = match node.class.generic {
        16 => has(Cc::BINARY_SWITCH),
        // A dimmer with several channels may have a coloured one among them.
        17 => {
            let channels = above(&[Cc::BINARY_SWITCH, Cc::MULTILEVEL_SWITCH]);
            has(Cc::MULTILEVEL_SWITCH) && channels == [endpoint]
        }
        _ => false,
    };
    root_switches && !has(Cc::COLOR_SWITCH) && above(&[Cc::COLOR_SWITCH]) == [endpoint]
}

/// The value that a device's main state is read from; none for what has no single state.
pub fn main_value(node: &Node, endpoint: u8, kind: Kind) -> Option<ValueId> {
    let first = |ids: &[ValueId]| ids.iter().find(|id| node.value(id).is_some()).cloned();
    let switch = ValueId::new(Cc::BINARY_SWITCH, endpoint, "currentValue");
    let level = ValueId::new(Cc::MULTILEVEL_SWITCH, endpoint, "currentValue");
    match kind {
        Kind::Switch | Kind::Outlet | Kind::Valve => first(&[switch]),
        Kind::Dimmer | Kind::Fan | Kind::ColorLight => first(&[level, switch]),
        Kind::Lock => first(&[
            ValueId::new(Cc::DOOR_LOCK, endpoint, "currentMode"),
            ValueId::new(Cc::LOCK, endpoint, "locked"),
        ]),
        Kind::GarageDoor | Kind::Gate => first(&[
            ValueId::new(Cc::BARRIER_OPERATOR, endpoint, "currentState"),
            level,
            switch,
        ]),
        Kind::Cover => window_covering(node, endpoint)
            .map(|key| ValueId::keyed(Cc::WINDOW_COVERING, endpoint, "currentValue", key))
            .or(first(&[level])),
        Kind::Siren => first(&[
            ValueId::new(Cc::SOUND_SWITCH, endpoint, "toneId"),
            switch,
            ValueId::new(Cc::INDICATOR, endpoint, "value"),
        ]),
        Kind::Thermostat | Kind::RadiatorValve => None,
        Kind::Remote | Kind::Keypad | Kind::Meter | Kind::Sensor => None,
        Kind::Group | Kind::Scene | Kind::Unread => None,
    }
}

/// The Window Covering parameter that moves the cover: of those that know their position (the odd
/// ones) the bottom edge first, slats last (Z-Wave Application Command Class Specification,
/// Window Covering parameters).
pub fn window_covering(node: &Node, endpoint: u8) -> Option<u32> {
    [13, 15, 17, 19, 21, 1, 3, 5, 7, 9, 23, 11]
        .into_iter()
        .find(|key| {
            let id = ValueId::keyed(Cc::WINDOW_COVERING, endpoint, "currentValue", *key);
            node.value(&id).is_some()
        })
}

/// Whether a cover's only position is how its slats are turned: open half-way, closed at both ends.
pub fn turns_slats(node: &Node, endpoint: u8) -> bool {
    match window_covering(node, endpoint) {
        Some(key) => matches!(key, 11 | 23),
        None => nature_of(node, endpoint) == Some(Nature::Slats),
    }
}

/// The second position of a cover: how its slats are turned, on an endpoint of its own.
pub fn tilt(node: &Node, endpoints: &[u8]) -> Option<ValueId> {
    let mut endpoints = endpoints.iter();
    let tilts = |endpoint: &&u8| nature_of(node, **endpoint) == Some(Nature::Tilt);
    let endpoint = *endpoints.find(tilts)?;
    Some(ValueId::new(
        Cc::MULTILEVEL_SWITCH,
        endpoint,
        "currentValue",
    ))
}

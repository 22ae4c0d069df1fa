//! The words people use for kinds of devices: "lights", "plugs", "blinds", "doors".

use super::device::Device;
use super::kind::Kind;

/// A kind of device as people name it; not the same as [`Kind`], because "lights" are dimmers,
/// colour lights and the switch called "Lamp".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Each variant says its own name.
pub enum Category {
    Everything,
    Lights,
    Switches,
    Outlets,
    Dimmers,
    Covers,
    Doors,
    GarageDoors,
    Gates,
    Locks,
    Thermostats,
    RadiatorValves,
    Fans,
    Valves,
    Sirens,
    Sensors,
    Meters,
    Remotes,
    Keypads,
    Groups,
    Scenes,
}

/// The words for a category: singular, plural.
type Words = &'static [(&'static str, &'static str)];

const TABLE: &[(Category, Words)] = &[
    (
        Category::Everything,
        &[("device", "devices"), ("thing", "things")],
    ),
    (
        Category::Lights,
        &[
            ("light", "lights"),
            ("lamp", "lamps"),
            ("bulb", "bulbs"),
            ("color light", "color lights"),
        ],
    ),
    (
        Category::Switches,
        &[("switch", "switches"), ("light switch", "light switches")],
    ),
    (
        Category::Outlets,
        &[
            ("outlet", "outlets"),
            ("plug", "plugs"),
            ("socket", "sockets"),
        ],
    ),
    (Category::Dimmers, &[("dimmer", "dimmers")]),
    (
        Category::Covers,
        &[
            ("blind", "blinds"),
            ("shade", "shades"),
            ("shutter", "shutters"),
            ("curtain", "curtains"),
            ("cover", "covers"),
            ("awning", "awnings"),
        ],
    ),
    (Category::Doors, &[("door", "doors")]),
    (
        Category::GarageDoors,
        &[("garage door", "garage doors"), ("garage", "garages")],
    ),
    (Category::Gates, &[("gate", "gates")]),
    (
        Category::Locks,
        &[("lock", "locks"), ("door lock", "door locks")],
    ),
    (
        Category::Thermostats,
        &[
            ("thermostat", "thermostats"),
            ("heater", "heaters"),
            ("heating", "heatings"),
        ],
    ),
    (
        Category::RadiatorValves,
        &[
            ("radiator valve", "radiator valves"),
            ("radiator", "radiators"),
        ],
    ),
    (
        Category::Fans,
        &[("fan", "fans"), ("ventilator", "ventilators")],
    ),
    (Category::Valves, &[("valve", "valves")]),
    (
        Category::Sirens,
        &[("siren", "sirens"), ("alarm", "alarms")],
    ),
    (Category::Sensors, &[("sensor", "sensors")]),
    (Category::Meters, &[("meter", "meters")]),
    (Category::Remotes, &[("remote", "remotes")]),
    (Category::Keypads, &[("keypad", "keypads")]),
    (Category::Groups, &[("group", "groups")]),
    (Category::Scenes, &[("scene", "scenes")]),
];

impl Category {
    /// The category that a phrase names, and the phrase's plural, which may be the phrase itself. The
    /// phrase is folded (see [`super::words::words`]) and its words are joined by one space.
    pub fn named(phrase: &str) -> Option<(Self, &'static str)> {
        TABLE.iter().find_map(|(category, words)| {
            words.iter().find_map(|(singular, plural)| {
                let named = *plural == phrase || *singular == phrase;
                named.then_some((*category, *plural))
            })
        })
    }

    /// Whether a device belongs to it. A plain switch or dimmer is what its name says it is: the
    /// switch "Lamp" is a light, the dimmer "Ceiling Fan" is a fan and no light.
    pub fn holds(self, device: &Device) -> bool {
        let said = named_by(&device.name.words);
        let plain = matches!(device.kind, Kind::Switch | Kind::Outlet | Kind::Dimmer);
        if plain && said == Some(self) {
            return true;
        }
        match self {
            Self::Everything => !matches!(device.kind, Kind::Group | Kind::Scene),
            Self::Lights => match device.kind {
                Kind::ColorLight => true,
                Kind::Dimmer => !matches!(said, Some(Self::Fans | Self::Thermostats)),
                _ => false,
            },
            Self::Switches => device.kind == Kind::Switch,
            Self::Outlets => device.kind == Kind::Outlet,
            Self::Dimmers => device.kind == Kind::Dimmer,
            Self::Covers => device.kind == Kind::Cover,
            Self::Doors => matches!(device.kind, Kind::Lock | Kind::GarageDoor | Kind::Gate),
            Self::GarageDoors => device.kind == Kind::GarageDoor,
            Self::Gates => device.kind == Kind::Gate,
            Self::Locks => device.kind == Kind::Lock,
            Self::Thermostats => {
                matches!(device.kind, Kind::Thermostat | Kind::RadiatorValve)
            }
            Self::RadiatorValves => device.kind == Kind::RadiatorValve,
            Self::Fans => device.kind == Kind::Fan,
            Self::Valves => device.kind == Kind::Valve,
            Self::Sirens => device.kind == Kind::Siren,
            Self::Sensors => device.kind == Kind::Sensor,
            Self::Meters => device.kind == Kind::Meter,
            Self::Remotes => device.kind == Kind::Remote,
            Self::Keypads => device.kind == Kind::Keypad,
            Self::Groups => device.kind == Kind::Group,
            Self::Scenes => device.kind == Kind::Scene,
        }
    }

    /// The word for several of it.
    pub fn plural(self) -> &'static str {
        TABLE
            .iter()
            .find(|(category, _)| *category == self)
            .and_then(|(_, words)| words.first())
            .map_or("devices", |(_, plural)| *plural)
    }
}

/// What a load's name says it is; the last such word counts, so that a "Fan Light" is a light.
fn named_by(words: &[String]) -> Option<Category> {
    words
        .iter()
        .rev()
        .filter_map(|word| Category::named(word))
        .map(|(category, _)| category)
        .find(|category| {
            matches!(
                category,
                Category::Lights | Category::Outlets | Category::Fans | Category::Thermostats
            )
        })
}

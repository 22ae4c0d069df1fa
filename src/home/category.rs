//! What people call kinds of devices: "lights", "plugs", "blinds", "doors".
//!
//! Not the same as [`Kind`], which is what a device is to the gateway: a dimmer called "Water Valve" is
//! a valve, and a switch called "Lamp" a light (our docs, "Which device").

use super::kind::Kind;
use super::language::{self, HEAD_FIRST, NamedKind};
use super::words::Word;

/// A kind of device as people name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Each variant says its own name.
pub enum Category {
    /// Nothing that anybody names: for words that only look like one of the others.
    None,
    Everything,
    Lights,
    ColorLights,
    Switches,
    Outlets,
    Dimmers,
    Relays,
    Motors,
    Covers,
    Blinds,
    Curtains,
    Awnings,
    Doors,
    GarageDoors,
    Gates,
    Locks,
    Thermostats,
    Heaters,
    RadiatorValves,
    Fans,
    Valves,
    Pumps,
    Sirens,
    Bells,
    Cameras,
    /// Spots, lanterns and chandeliers: lights only where the device is one anyway.
    Fixtures,
    Appliances,
    Sensors,
    Meters,
    Remotes,
    Keypads,
    Groups,
    Scenes,
}

use Category as C;

impl Category {
    /// The category that a phrase names.
    pub fn named(phrase: &[&Word]) -> Option<Self> {
        language::kind(phrase).map(|kind| kind.category)
    }

    /// What a thing of this kind also is: a garage door is a door.
    fn with_wider(self) -> Categories {
        Categories::of(match self {
            C::ColorLights => &[C::ColorLights, C::Lights],
            C::Blinds => &[C::Blinds, C::Covers],
            C::Curtains => &[C::Curtains, C::Covers],
            C::Awnings => &[C::Awnings, C::Covers],
            C::GarageDoors => &[C::GarageDoors, C::Doors],
            C::Gates => &[C::Gates, C::Doors],
            C::Locks => &[C::Locks, C::Doors],
            C::None => &[],
            _ => return Categories::of(&[self]),
        })
    }

    /// Whether a name says it only where it says no other.
    fn is_weak(self) -> bool {
        matches!(
            self,
            C::Switches | C::Outlets | C::Dimmers | C::Relays | C::Motors
        )
    }

    /// Whether it is a light, lamp or bulb, or a blind, shade or shutter: kinds whose words stand for
    /// one another.
    pub fn has_stand_ins(self) -> bool {
        matches!(self, C::Lights | C::Blinds)
    }
}

/// A set of categories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Categories(u64);

impl Categories {
    /// The set of these.
    pub fn of(categories: &[Category]) -> Self {
        let bits = categories.iter().map(|category| 1 << *category as u64);
        Self(bits.fold(0, |all, bit: u64| all | bit))
    }

    /// Those of either set.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn only(self, others: &[Category]) -> Self {
        Self(self.0 & Self::of(others).0)
    }

    /// Whether a category is among them.
    pub fn has(self, category: Category) -> bool {
        self.0 & (1 << category as u64) != 0
    }
}

/// The categories that a device of a kind is in where its name says none.
pub fn of_kind(kind: Kind) -> Categories {
    let everything = match kind {
        Kind::Group => return Categories::of(&[C::Groups]),
        Kind::Scene => return Categories::of(&[C::Scenes]),
        _ => Categories::of(&[C::Everything]),
    };
    everything.or(match kind {
        Kind::Lock => C::Locks.with_wider(),
        Kind::GarageDoor => C::GarageDoors.with_wider(),
        Kind::Gate => C::Gates.with_wider(),
        Kind::Cover => C::Blinds.with_wider(),
        Kind::Fan => Categories::of(&[C::Fans]),
        Kind::Thermostat => Categories::of(&[C::Thermostats, C::Heaters]),
        Kind::RadiatorValve => Categories::of(&[C::RadiatorValves, C::Thermostats, C::Heaters]),
        Kind::Siren => Categories::of(&[C::Sirens]),
        Kind::Valve => Categories::of(&[C::Valves]),
        Kind::ColorLight => C::ColorLights.with_wider(),
        Kind::Dimmer => Categories::of(&[C::Dimmers, C::Lights]),
        Kind::Switch => Categories::of(&[C::Switches]),
        Kind::Outlet => Categories::of(&[C::Outlets]),
        Kind::Remote => Categories::of(&[C::Remotes]),
        Kind::Keypad => Categories::of(&[C::Keypads]),
        Kind::Meter => Categories::of(&[C::Meters]),
        Kind::Sensor => Categories::of(&[C::Sensors]),
        Kind::Group | Kind::Scene | Kind::Unread => Categories::default(),
    })
}

/// What a thing is that is switched by something else.
const PLAIN: &[Category] = &[
    C::Everything,
    C::Switches,
    C::Outlets,
    C::Dimmers,
    C::Sensors,
    C::Meters,
    C::Remotes,
    C::Keypads,
];

/// The categories that words mean a device by: of the kind that its name says, and where that says
/// none, of its own.
pub fn of_device(kind: Kind, name: &[&Word]) -> Categories {
    let own = of_kind(kind);
    if matches!(kind, Kind::Group | Kind::Scene) {
        return own;
    }
    let everything = Categories::of(&[C::Everything]);
    match said_by_name(name) {
        None => own,
        // It says what it is for, and no more.
        Some(said) if said.is_weak() => own.or(Categories::of(&[said])),
        Some(C::Fixtures) => own,
        // A washer's plug is a plug, and a dimmer called "Fountain" no light.
        Some(C::Appliances) => own.only(PLAIN).or(Categories::of(&[C::Appliances])),
        Some(said) if refines(said, kind) => own.or(said.with_wider()),
        Some(said) => everything.or(said.with_wider()),
    }
}

/// Whether a name's kind says more of what the device is anyway, and nothing else.
fn refines(said: Category, kind: Kind) -> bool {
    match kind {
        Kind::Lock | Kind::GarageDoor | Kind::Gate => {
            matches!(said, C::Doors | C::GarageDoors | C::Gates | C::Locks)
        }
        Kind::Thermostat | Kind::RadiatorValve => {
            matches!(said, C::Thermostats | C::Heaters | C::RadiatorValves)
        }
        Kind::Dimmer | Kind::ColorLight => matches!(said, C::Lights | C::ColorLights),
        Kind::Cover => matches!(said, C::Blinds | C::Covers),
        // A door's contact is a sensor, whatever it is named after.
        Kind::Remote | Kind::Keypad | Kind::Meter | Kind::Sensor => true,
        _ => false,
    }
}

/// The kind that a name says: of those that are no mere switch, outlet, dimmer, relay or motor the
/// last, or the first where its language says first what a name is about.
fn said_by_name(name: &[&Word]) -> Option<Category> {
    let kinds = language::kinds_in_name(name);
    let kinds = || kinds.iter().filter(|kind| kind.category != C::Everything);
    let telling: Vec<_> = kinds().filter(|kind| !kind.category.is_weak()).collect();
    // A word of several languages leads only beside one that does not close a name elsewhere.
    let leads = |kind: &NamedKind| kind.tongues & HEAD_FIRST != 0;
    let only_leads = |kind: &NamedKind| kind.tongues & !HEAD_FIRST == 0;
    let head_first =
        telling.iter().all(|kind| leads(kind)) && telling.iter().any(|kind| only_leads(kind));
    let head = if head_first {
        telling.first()
    } else {
        telling.last()
    };
    let weak = || kinds().next_back();
    head.copied().or_else(weak).map(|kind| kind.category)
}

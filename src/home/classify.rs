//! From a device's kind and name to what people mean it by.
//!
//! A dimmer called "Water Valve" is a valve, and a switch called "Lamp" a light
//! (`docs/NAMES.md#how-words-are-compared`).

use super::category::{Categories, Category};
use super::heads::{head_kind, kinds_of_head, shuts_garage};
use super::kind::Kind;
use super::phrase::Phrase;

use Category as C;

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
pub fn of_device(kind: Kind, name: &Phrase) -> Categories {
    let own = of_kind(kind);
    if shuts_garage(name) {
        return own.or(C::GarageDoors.with_wider());
    }
    let kinds = kinds_of_head(name);
    if matches!(kind, Kind::Group | Kind::Scene) {
        return own;
    }
    let everything = Categories::of(&[C::Everything]);
    match head_kind(&kinds).map(|head| head.category) {
        None => own,
        // A motor at a window is no blind.
        Some(C::Windows) if kind == Kind::Cover => everything.or(Categories::of(&[C::Windows])),
        // It says what it is for, and no more.
        Some(said) if said.is_weak() => own.or(Categories::of(&[said])),
        Some(C::Fixtures) => own,
        // A washer's plug is a plug, and a dimmer called "Fountain" no light.
        Some(C::Appliances) => {
            let weak = kinds
                .iter()
                .map(|kind| kind.category)
                .filter(|own| own.is_weak());
            let said: Vec<Category> = weak.chain([C::Appliances]).collect();
            own.only(PLAIN).or(Categories::of(&said))
        }
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

//! The categories that people mean a device by, from its kind and its name.
//!
//! A dimmer called "Water Valve" is a valve, and a switch called "Lamp" a light
//! (`docs/NAMES.md#how-words-are-compared`).

use super::category::{Categories, Category};
use super::heads::{head_kind, kinds_of_head, shuts_garage};
use super::kind::Kind;
use super::phrase::Phrase;

use Category as C;

/// The categories of what only switches something else.
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
    let own = kind.categories();
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
        Some(said) if kind.is_refined_by(said) => own.or(said.with_wider()),
        Some(said) => everything.or(said.with_wider()),
    }
}

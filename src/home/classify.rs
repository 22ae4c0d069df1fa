//! Finds the categories of a device, from its kind and its name.
//!
//! A dimmer called "Water Valve" is a valve, and a switch called "Lamp" a light
//! (`docs/NAMES.md#how-words-are-compared`).

use super::category::{Categories, Category};
use super::heads::{head_kind, kinds_of_head, shuts_garage};
use super::kind::Kind;
use super::phrase::Phrase;

use Category as C;

/// The categories of devices that only switch something else.
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

/// Returns the categories by which people mean a device: those of the kind that its name says, or else
/// those of its own kind.
pub fn of_device(kind: Kind, name: &Phrase) -> Categories {
    let by_kind = kind.categories();
    if shuts_garage(name) {
        return by_kind.or(C::GarageDoors.with_wider());
    }
    let kinds = kinds_of_head(name);
    if matches!(kind, Kind::Group | Kind::Scene) {
        return by_kind;
    }
    let everything = Categories::of(&[C::Everything]);
    match head_kind(&kinds).map(|head| head.category) {
        None => by_kind,
        // A motor at a window is no blind.
        Some(C::Windows) if kind == Kind::Cover => everything.or(Categories::of(&[C::Windows])),
        // Such a word only adds to the kind.
        Some(named) if named.is_weak() => by_kind.or(Categories::of(&[named])),
        Some(C::Fixtures) => by_kind,
        // A washer's plug is a plug, and a dimmer called "Fountain" is no light.
        Some(C::Appliances) => {
            let weak = kinds
                .iter()
                .map(|kind| kind.category)
                .filter(|category| category.is_weak());
            let named: Vec<Category> = weak.chain([C::Appliances]).collect();
            by_kind.only(PLAIN).or(Categories::of(&named))
        }
        Some(named) if kind.is_refined_by(named) => by_kind.or(named.with_wider()),
        Some(named) => everything.or(named.with_wider()),
    }
}

//! Finds the categories of a device from its kind and from the head of its name. The head is the part that
//! says what the device is, not where it is.
//!
//! A dimmer called "Water Valve" is a valve, and a switch called "Lamp" is a light. "Lamp by the Fan" is a
//! lamp, and "Light at Back Door" is a light (`docs/NAMES.md#how-words-are-compared`).

use super::category::{Categories, Category};
use super::kind::Kind;
use super::language::{
    self, ALL_LANGUAGES, LanguageSet, NamedKind, WordUse, find_garage, head_first,
    joining_languages, kinds_in_name,
};
use super::phrase::Phrase;
use super::word::Word;

use Category as C;

/// The categories that a device keeps even if its name is that of an appliance.
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

/// Returns the categories that people would count a device in. The categories in the name replace or refine
/// those of the kind. The name is read in these languages.
pub fn categories_of(kind: Kind, name: &Phrase, languages: LanguageSet) -> Categories {
    let by_kind = kind.categories();
    if names_garage_door(name, languages) {
        return by_kind.or(C::GarageDoors.with_wider());
    }
    let kinds = kinds_in_name(&head(name), languages);
    if matches!(kind, Kind::Group | Kind::Scene | Kind::Setpoint) {
        return by_kind;
    }
    let everything = Categories::of(&[C::Everything]);
    match head_kind(&kinds).map(|head| head.category) {
        None => by_kind,
        // These must not move with the lights or the switches, even if their names say so. Locks, garage doors and
        // gates can't be switched at all.
        Some(named)
            if matches!(kind, Kind::Siren | Kind::Valve | Kind::Window)
                && (named.is_weak() || matches!(named, C::Lights | C::ColorLights)) =>
        {
            by_kind
        }
        // A motor at a window is not a blind.
        Some(C::Windows) if kind == Kind::Cover => everything.or(Categories::of(&[C::Windows])),
        // A word such as "switch" or "outlet" never replaces the categories of the kind.
        Some(named) if named.is_weak() => by_kind.or(Categories::of(&[named])),
        // A washer's plug is a plug, but a dimmer called "Fountain" is not a light.
        Some(C::Appliances) => {
            let named: Vec<Category> = kinds
                .iter()
                .map(|kind| kind.category)
                .filter(|category| category.is_weak())
                .chain([C::Appliances])
                .collect();
            by_kind.and(Categories::of(PLAIN)).or(Categories::of(&named))
        }
        Some(named) if kind.is_refined_by(named) => by_kind.or(named.with_wider()),
        Some(named) => everything.or(named.with_wider()),
    }
}

/// Returns the words that say what a device is: the name up to the first preposition. If that part is only a
/// switch, dimmer, relay, motor or window, returns the whole name: a "Relay for Garage Door" moves a door.
pub fn head(name: &Phrase) -> Vec<&Word> {
    let head = name.head();
    let says_only_switch = head.iter().all(|word| {
        let kind = language::kind(&[word], ALL_LANGUAGES).map(|kind| kind.category);
        let is_outlet = kind == Some(C::Outlets);
        word.is_number() || (kind.is_some_and(C::is_weak) && !is_outlet)
    });
    if says_only_switch {
        name.collect_main_words()
    } else {
        head
    }
}

/// Returns what a relay, switch, motor, outlet or controller is for, if its name says so: "Garage Door" in "Outlet for
/// Garage Door".
pub fn purpose(name: &Phrase) -> Option<Phrase> {
    let moves = |word: &Word| {
        let kind = language::kind(&[word], ALL_LANGUAGES).map(|kind| kind.category);
        word.is_number() || WordUse::Controls.has(word) || kind.is_some_and(C::is_mover)
    };
    name.purpose().filter(|_| name.head().into_iter().all(moves))
}

/// Returns true if a name means something that a house depends on, such as a freezer or a pump, or an outlet for it. A
/// "Freezer Light" and a "Lamp by the Fridge" are lights.
pub fn is_essential(name: &Phrase, languages: LanguageSet) -> bool {
    let head = name.head();
    // What stands behind an outlet or a relay counts, too.
    let is_weak = |kind: &NamedKind| kind.category.is_weak();
    let words = if kinds_in_name(&head, languages).iter().all(is_weak) {
        name.collect_main_words()
    } else {
        head
    };
    let kind = head_kind(&kinds_in_name(&words, languages));
    language::says_essential(&words, languages)
        && !kind.is_some_and(|kind| kind.category.is_never_essential())
}

/// Returns the kind that says what a device is: the last kind in its name, or the first kind if the language
/// puts the head first, as French does. A switch, outlet, dimmer, relay, motor or window counts only if the
/// name has no other kind.
pub fn head_kind(kinds: &[NamedKind]) -> Option<NamedKind> {
    let kinds = || kinds.iter().filter(|kind| kind.category != C::Everything);
    let strong: Vec<_> = kinds().filter(|kind| !kind.category.is_weak()).collect();
    // Many words belong to several languages. The first kind is the head if each kind's word belongs to a
    // head-first language, and at least one of these words belongs to head-first languages only.
    let may_be_first = |kind: &NamedKind| kind.languages & head_first() != 0;
    let must_be_first = |kind: &NamedKind| kind.languages & !head_first() == 0;
    let is_head_first = strong.iter().all(|kind| may_be_first(kind))
        && strong.iter().any(|kind| must_be_first(kind));
    let head = if is_head_first {
        strong.first()
    } else {
        strong.last()
    };
    // In German and Dutch, a thing at a door may be named before the door: "Lampe Haustür".
    let at_door = head.filter(|head| head.category.is_door()).and_then(|door| {
        strong.iter().rev().find(|thing| {
            thing.category.is_at_doors()
                && thing.languages & door.languages & joining_languages() != 0
        })
    });
    let last_weak = || kinds().next_back();
    at_door.or(head).copied().or_else(last_weak).copied()
}

/// Returns true if a name mentions a garage, and its head is a blind, cover or garage door. One compound may
/// mention both ("Garagenrollo"). The device then moves a garage door, whatever its kind is.
pub fn names_garage_door(name: &Phrase, languages: LanguageSet) -> bool {
    let head = head_kind(&kinds_in_name(&head(name), languages)).map(|kind| kind.category);
    let shuts = matches!(head, Some(C::Blinds | C::Covers | C::GarageDoors));
    shuts && find_garage(&name.collect_main_words()).is_some()
}

//! The head of a name: what a device is, and what it is only at.
//!
//! "Lamp by the Fan" is a lamp and "Light at Back Door" a light
//! (`docs/NAMES.md#how-words-are-compared`).

use super::category::Category as C;
use super::language::{self, NamedKind, head_first, joining_languages, kinds_in_name};
use super::phrase::Phrase;
use super::word::Word;

/// The kinds that the head of a name says. Where only a relay, motor or outlet stands before a
/// preposition, the rest counts too: a "Relay for Garage Door" moves a door.
pub fn kinds_of_head(name: &Phrase) -> Vec<NamedKind> {
    kinds_in_name(&head(name))
}

/// The words that a name is about.
pub fn head(name: &Phrase) -> Vec<&Word> {
    let head = name.head();
    let only_moves = head.iter().all(|word| {
        let kind = language::kind(&[word]).map(|kind| kind.category);
        let is_outlet = kind == Some(C::Outlets);
        word.is_number() || (kind.is_some_and(C::is_weak) && !is_outlet)
    });
    if only_moves { name.slice() } else { head }
}

/// The kind that a name is about: the last one, or the first where the language says the head first.
/// A mere switch, outlet, dimmer, relay or motor counts only where there is no other.
pub fn head_kind(kinds: &[NamedKind]) -> Option<NamedKind> {
    let kinds = || kinds.iter().filter(|kind| kind.category != C::Everything);
    let telling: Vec<_> = kinds().filter(|kind| !kind.category.is_weak()).collect();
    // A word shared by several languages is head-first only if another word settles the language.
    let leads = |kind: &NamedKind| kind.languages & head_first() != 0;
    let only_leads = |kind: &NamedKind| kind.languages & !head_first() == 0;
    let is_head_first =
        telling.iter().all(|kind| leads(kind)) && telling.iter().any(|kind| only_leads(kind));
    let head = if is_head_first {
        telling.first()
    } else {
        telling.last()
    };
    // In German and Dutch, a thing at a door is named in either order: "Lampe Haustür".
    let at_door = head
        .filter(|head| head.category.is_door())
        .and_then(|door| {
            let mut things = telling.iter().rev();
            things.find(|thing| {
                thing.category.is_at_doors()
                    && thing.languages & door.languages & joining_languages() != 0
            })
        });
    let weak = || kinds().next_back();
    let head = at_door.or(head).copied();
    head.or_else(weak).copied()
}

/// Returns true if a name says a garage and something that shuts: a garage door, whatever its class.
pub fn shuts_garage(name: &Phrase) -> bool {
    let words = name.slice();
    let shuts = |kind: &NamedKind| matches!(kind.category, C::Blinds | C::Covers | C::GarageDoors);
    words.iter().any(|word| language::says_garage(word)) && kinds_in_name(&words).iter().any(shuts)
}

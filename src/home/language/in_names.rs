//! Reads the words of a name and their ends: which kinds they say, and whether they open something.

use super::index::{self, INDEX, end_meanings, ends_of, meanings, of_text, phrase_at, stems};
use super::meaning::{KindWord, MAX_PHRASE_WORDS, Meaning, Opens};
use super::table::LanguageSet;
use crate::home::category::Category;
use crate::home::letters::{squash, squash_long};
use crate::home::word::Word;

/// Returns the number of words before the preposition that ends the head of a name, or of all words if
/// there is none: "Lamp by the Fan" is about a lamp.
pub fn head_length(name: &[Word]) -> usize {
    let inside = 1..name.len().saturating_sub(1);
    let mut places = inside.filter(|at| {
        let rest = name.get(*at..).unwrap_or_default();
        phrase_at(&INDEX.prepositions, rest).is_some_and(|length| length < rest.len())
    });
    places.next().unwrap_or(name.len())
}

/// Returns how surely a word, or its end, opens something, and in which languages it says so. A
/// diminutive opens too ("Törchen"), and so does a word with its motor or relay ("Torantrieb").
pub fn find_opening(word: &Word) -> Option<(Opens, LanguageSet)> {
    // Only as it is written: in another spelling, "Schränke" would be a barrier.
    let text = word.written();
    let exact = of_text(text);
    if !exact.is_empty() {
        return opening(exact);
    }
    let by_end = |text: &str| {
        let is_no_gate = NO_GATES.iter().any(|ending| text.ends_with(ending));
        opening(ends_of(text)).filter(|_| !is_no_gate)
    };
    let by_stem = || stems(word).find_map(|stem| opening(of_text(&stem)).or_else(|| by_end(&stem)));
    by_end(text).or_else(by_stem).or_else(|| {
        text.char_indices()
            .filter_map(|(at, _)| text.split_at_checked(at))
            .filter(|(_, end)| is_motor(end))
            .find_map(|(begin, _)| opening(of_text(begin)).or_else(|| by_end(begin)))
    })
}

fn opening(meanings: &[Meaning]) -> Option<(Opens, LanguageSet)> {
    let opens = meanings.iter().filter_map(|meaning| match meaning {
        Meaning::Opens(opens, languages) => Some((*opens, *languages)),
        _ => None,
    });
    opens.reduce(|(one, languages), (other, more)| (one.max(other), languages | more))
}

/// Returns true if the end of a compound names a motor, relay or switch.
fn is_motor(end: &str) -> bool {
    of_text(end)
        .iter()
        .filter_map(Meaning::kind)
        .any(|kind| MOTORS.contains(&kind.category))
}

const MOTORS: [Category; 3] = [Category::Motors, Category::Relays, Category::Switches];

/// The ends of words that are not gates: generator, monitor, motor, tutor, actor, aktor, transistor,
/// receptor, and "interruttore" and its like.
const NO_GATES: [&str; 9] = [
    "ator", "itor", "otor", "utor", "ctor", "ktor", "istor", "ptor", "tore",
];

/// Splits a word that is a place and a kind in one ("Küchenlicht"). The first part keeps its joint.
pub fn compound(word: &Word) -> Option<(&str, &str)> {
    let text = word.written();
    text.char_indices()
        .skip(index::SHORTEST_BEGINNING)
        .filter_map(|(at, _)| text.split_at_checked(at))
        .find(|(_, end)| {
            index::ends(end)
                .iter()
                .any(|meaning| matches!(meaning, Meaning::Kind(_) | Meaning::Opens(Opens::Door, _)))
        })
}

/// A kind that the words of a name say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedKind {
    /// The kind.
    pub category: Category,
    /// The languages of these words.
    pub languages: LanguageSet,
    /// The position of its first word in the name.
    pub at: usize,
    /// True if only the end of the word says it.
    pub by_end: bool,
}

/// Returns the kinds that the words of a name say, in their order.
pub fn kinds_in_name(name: &[&Word]) -> Vec<NamedKind> {
    let mut kinds = Vec::new();
    let mut at = 0;
    while let Some(rest) = name.get(at..).filter(|rest| !rest.is_empty()) {
        let lengths = (1..=MAX_PHRASE_WORDS.min(rest.len())).rev();
        let phrase = lengths
            .filter_map(|length| rest.get(..length))
            .find_map(|phrase| Some((named_kind(meanings(phrase), at, false)?, phrase.len())));
        let by_end = || {
            let first = rest.first().filter(|word| meanings(&[word]).is_empty())?;
            Some((named_kind(end_meanings(first), at, true)?, 1))
        };
        // A number says no kind, although "four" is an oven in French.
        let is_number = rest.first().is_some_and(|word| word.is_number());
        let found = phrase.or_else(by_end).filter(|_| !is_number);
        kinds.extend(found.map(|(kind, _)| kind));
        at += found.map_or(1, |(_, length)| length);
    }
    kinds.retain(|kind| kind.category != Category::None);
    kinds
}

fn named_kind(meanings: &[Meaning], at: usize, by_end: bool) -> Option<NamedKind> {
    let kinds = meanings.iter().filter_map(|meaning| match meaning {
        Meaning::Kind(kind) | Meaning::CalledSo(kind) => Some((kind.category, kind.languages)),
        Meaning::InNames(category, languages) => Some((*category, *languages)),
        _ => None,
    });
    let kinds = kinds.reduce(|(first, all), (_, one)| (first, all | one));
    let door = || match opening(meanings)? {
        (Opens::Door, languages) => Some((Category::Doors, languages)),
        (Opens::Always, _) => None,
    };
    let (category, languages) = kinds.or_else(door)?;
    Some(NamedKind {
        category,
        languages,
        at,
        by_end,
    })
}

/// Returns the kinds of devices that a word means in the plural by name, each with the word for one:
/// "tvs" means devices called TV, and "Nachttischlampen" those called Nachttischlampe. With `all`, the
/// word for one means several too.
pub fn plural_by_name(word: &Word, all: bool) -> Vec<(KindWord, String)> {
    let called_so = meanings(&[word]).iter().filter_map(|meaning| match meaning {
        Meaning::CalledSo(kind) => Some((*kind, kind.one.to_owned())),
        _ => None,
    });
    let text = word.written();
    let begin = |kind: &KindWord| {
        let end = if kind.plural { kind.several } else { kind.one };
        squash_long(end)
            .into_iter()
            .chain([squash(end)])
            .find_map(|end| text.strip_suffix(&end))
    };
    let ends = if meanings(&[word]).is_empty() {
        end_meanings(word)
    } else {
        &[]
    };
    let compounds = ends
        .iter()
        .filter_map(Meaning::kind)
        .filter_map(|kind| Some((kind, format!("{}{}", begin(&kind)?, kind.one))));
    let found: Vec<_> = called_so.chain(compounds).collect();
    let only_several = found.iter().all(|(kind, _)| kind.plural);
    let several = |(kind, _): &(KindWord, String)| all || (kind.plural && only_several);
    found.into_iter().filter(several).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home::word::words;

    #[test]
    fn a_door_is_a_word_of_its_own_or_the_end_of_a_compound() {
        let said = |text: &str| find_opening(&words(text).pop().unwrap()).map(|(opens, _)| opens);
        let doors = "door Gartentor Haustür Haustuer voordeur Frontdoor Sidegate Tür Rolltor \
                     garagedeur cancello puerta portail";
        for door in doors.split(' ') {
            assert_eq!(said(door), Some(Opens::Door), "{door}");
        }
        for opener in "Türöffner Türschloss deadbolt strike serrure cerradura".split(' ') {
            assert_eq!(said(opener), Some(Opens::Always), "{opener}");
        }
        let others = "Outdoor Indoor Ventilator Monitor Motor Elevator Aktor Actor Tutor Temperatur \
                      Clock Portable Doorbell Torlampe Block Report Schränke Store Transistor Natur";
        for other in others.split(' ') {
            assert_eq!(said(other), None, "{other}");
        }
    }

    #[test]
    fn the_end_of_a_compound_says_its_kind() {
        let kinds = |text: &str| {
            let words = words(text);
            kinds_in_name(&words.iter().collect::<Vec<_>>())
                .into_iter()
                .map(|kind| kind.category)
                .collect::<Vec<_>>()
        };
        assert_eq!(kinds("Deckenlampe"), [Category::Lights]);
        assert_eq!(kinds("Umwälzpumpe"), [Category::Pumps]);
        assert_eq!(
            kinds("Lampe Ventilator"),
            [Category::Lights, Category::Fans]
        );
        assert_eq!(
            kinds("Front Door Lamp"),
            [Category::Doors, Category::Lights]
        );
        assert_eq!(kinds("Garage Door"), [Category::GarageDoors]);
        assert!(kinds("Clamp Skylight").is_empty());
    }
}

//! Patterns in the owner's settings, which match devices by room, name or kind.

use super::category::Category;
use super::device::{Device, Name};
use super::language;
use super::letters::{spellings, squash, squash_long};
use super::word::{Word, words};

/// A pattern that matches devices.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// A category, written as `kind:lock`.
    Kind(Category),
    /// A room, a name or `room/name`. Contains the whole text and, for each slash, the room
    /// before it and the name after it.
    Text(Glob, Vec<(Glob, Glob)>),
}

/// The valid forms of a pattern, to complete the sentence "must be …".
pub const PATTERN_FORMS: &str = "a room, a name or room/name, where * matches anything, or \
     kind:KIND with a kind such as light, outlet, blind, lock, garage door or sensor";

impl Pattern {
    /// Parses a pattern. Returns `None` if the text is empty, or has an unknown kind after "kind:".
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some((_, kind)) = text
            .split_once(':')
            .filter(|(word, _)| word.trim().eq_ignore_ascii_case("kind"))
        {
            let phrase = words(kind);
            let phrase: Vec<&Word> = phrase.iter().collect();
            return language::kind(&phrase, language::ALL_LANGUAGES)
                .map(|kind| Self::Kind(kind.category));
        }
        if text.is_empty() {
            return None;
        }
        // Names and rooms may contain slashes too, so any slash could be the separator.
        let splits = text.match_indices('/').filter_map(|(at, _)| {
            let (room, name) = (text.get(..at)?, text.get(at + 1..)?);
            Some((Glob::new(room), Glob::new(name)))
        });
        Some(Self::Text(Glob::new(text), splits.collect()))
    }

    /// Returns true if the pattern matches a device by its kind, its room, one of its names, the name of its
    /// node, or an alias from the owner.
    pub fn matches(&self, device: &Device) -> bool {
        self.matches_as_shown(device) || self.matches_kind_or_name(device, device.own_names.iter())
    }

    /// Works like [`matches`](Self::matches), but ignores aliases from the owner, because an alias must not
    /// expose a device.
    pub fn matches_as_shown(&self, device: &Device) -> bool {
        let is_room = |whole: &Glob| !device.room.is_empty() && whole.matches_room(device);
        matches!(self, Self::Text(whole, _) if is_room(whole))
            || self.matches_shown_name(device)
            || self.matches_kind_or_name(device, device.part_of.as_deref().into_iter())
    }

    /// Works like [`matches_as_shown`](Self::matches_as_shown), but a pattern for a whole room or node does not
    /// match the devices in the room, or the parts of the node.
    pub fn matches_shown_name(&self, device: &Device) -> bool {
        self.matches_kind_or_name(device, device.shown_names())
    }

    fn matches_kind_or_name<'d>(
        &self,
        device: &Device,
        names: impl Iterator<Item = &'d Name> + Clone,
    ) -> bool {
        // An outlet of a strip is also matched by its label alone, unless the label is a number.
        let node = device.part_of.as_deref();
        let label = node.and_then(|node| device.name.raw.strip_prefix(node.raw.as_str()));
        let label = label.filter(|label| !is_number(label));
        let matches_name = |glob: &Glob| {
            let mut names = names.clone();
            names.any(|name| glob.matches(&name.text) || glob.matches(&name.raw))
                || label.is_some_and(|label| glob.matches(label.trim()))
        };
        match self {
            Self::Kind(category) => device.is_a(*category),
            Self::Text(whole, splits) => {
                let matches_both =
                    |(room, name): &(Glob, Glob)| room.matches_room(device) && matches_name(name);
                matches_name(whole) || splits.iter().any(matches_both)
            }
        }
    }
}

fn is_number(label: &str) -> bool {
    label.trim().chars().all(|digit| digit.is_ascii_digit())
}

/// A text in which `*` stands for any text. Case, accents, spaces and punctuation don't count, except between two
/// numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Glob {
    pub(super) text: String,
    /// The parts between the stars: once without accents, and once more with ä as ae if that differs.
    spellings: Vec<Vec<String>>,
}

impl Glob {
    fn new(text: &str) -> Self {
        let long = |part: &str| squash_long(part).unwrap_or_else(|| squash(part));
        let plain: Vec<String> = text.split('*').map(squash).collect();
        let long: Vec<String> = text.split('*').map(long).collect();
        Self {
            text: text.trim().to_owned(),
            spellings: if plain == long {
                vec![plain]
            } else {
                vec![plain, long]
            },
        }
    }

    fn matches(&self, text: &str) -> bool {
        // A name without letters and digits ("🌈") can only be compared exactly.
        if self.text == text {
            return true;
        }
        let texts: Vec<String> = spellings(text).collect();
        self.spellings
            .iter()
            .any(|parts| texts.iter().any(|text| has_parts(text, parts)))
    }

    fn matches_room(&self, device: &Device) -> bool {
        // The room may be shown shortened, but `room_words` has all of its words.
        let words: Vec<&str> = device.room_words.all().iter().map(Word::text).collect();
        self.matches(&device.room) || self.matches(&words.join(" "))
    }
}

/// Returns true if a text begins with the first part, ends with the last part, and has the other parts in order
/// between them. A single part must be the whole text, and not empty.
fn has_parts(text: &str, parts: &[String]) -> bool {
    let (first, rest) = match parts {
        [] => return false,
        [only] => return !only.is_empty() && only == text,
        [first, rest @ ..] => (first, rest),
    };
    let Some(mut remainder) = text.strip_prefix(first.as_str()) else {
        return false;
    };
    let (last, middle) =
        rest.split_last().map_or(("", rest), |(last, middle)| (last.as_str(), middle));
    for part in middle {
        let Some((_, after)) = remainder.split_once(part.as_str()) else {
            return false;
        };
        remainder = after;
    }
    remainder.ends_with(last)
}

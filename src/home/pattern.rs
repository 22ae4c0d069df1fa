//! What a house's owner writes to mean devices: rooms, names and kinds.

use super::category::Category;
use super::device::{Device, Name};
use super::kind::Kind;
use super::language;
use super::letters::{spellings, squashed, squashed_long};
use super::word::Word;
use super::words::words;

/// What a pattern matches: a kind, or a text with `*` for any run of letters, compared without
/// regard to case, accents, spaces and punctuation with a room, a name, or `room/name`.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// `kind:lock`.
    Kind(Category),
    /// Anything else.
    Text(Glob, Vec<(Glob, Glob)>),
}

/// The form of a pattern; completes "must be …".
pub const RIGHT_PATTERN: &str = "a room, a name or room/name, where * stands for anything, or \
     kind: with the word for a kind, such as light, outlet, blind, lock, garage door or sensor";

impl Pattern {
    /// Reads a pattern; none where it is empty or names no kind there is.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some((_, kind)) = text
            .split_once(':')
            .filter(|(word, _)| word.trim().eq_ignore_ascii_case("kind"))
        {
            let phrase = words(kind);
            let phrase: Vec<&Word> = phrase.iter().collect();
            return language::kind(&phrase).map(|kind| Self::Kind(kind.category));
        }
        if text.is_empty() {
            return None;
        }
        // A name may have a slash of its own, so that each could be the one after the room.
        let splits = text.match_indices('/').filter_map(|(at, _)| {
            let (room, name) = (text.get(..at)?, text.get(at + 1..)?);
            Some((Glob::new(room), Glob::new(name)))
        });
        Some(Self::Text(Glob::new(text), splits.collect()))
    }

    /// Whether it matches a device by its room, its name or that of the node it is a part of, both, or
    /// its kind: what its name says it is, or what it is to the gateway.
    pub fn matches(&self, device: &Device) -> bool {
        let in_room = |whole: &Glob| !device.room.is_empty() && inside(whole, device);
        match self {
            Self::Text(whole, _) if in_room(whole) => true,
            _ => self.fits(device, device.part_of.as_deref(), &device.own_names),
        }
    }

    /// The same, by the names that zwave-js-ui has: the owner's own words show and free nothing.
    pub fn matches_as_shown(&self, device: &Device) -> bool {
        let in_room = |whole: &Glob| !device.room.is_empty() && inside(whole, device);
        match self {
            Self::Text(whole, _) if in_room(whole) => true,
            _ => self.fits(device, device.part_of.as_deref(), &[]),
        }
    }

    /// The same, but that a room alone matches nothing in it, and a node's name no part of it.
    pub fn names_as_shown(&self, device: &Device) -> bool {
        self.fits(device, None, &[])
    }

    fn fits(&self, device: &Device, more: Option<&Name>, own: &[Name]) -> bool {
        let named = |glob: &Glob| {
            let mut names = device.shown_names().chain(own).chain(more);
            let node = device.part_of.as_deref();
            // An outlet is also called by its label alone.
            let label = node.and_then(|node| device.name.raw.strip_prefix(node.raw.as_str()));
            names.any(|name| glob.matches(&name.text) || glob.matches(&name.raw))
                || label.is_some_and(|label| !is_number(label) && glob.matches(label.trim()))
        };
        match self {
            Self::Kind(category) => device.is_a(*category),
            Self::Text(whole, splits) => {
                let both = |(room, name): &(Glob, Glob)| inside(room, device) && named(name);
                named(whole) || splits.iter().any(both)
            }
        }
    }

    /// The same for hiding: of what kind a device is whose values were never read nobody knows.
    pub(super) fn may_match(&self, device: &Device) -> bool {
        self.matches(device) || (matches!(self, Self::Kind(_)) && device.kind == Kind::Unread)
    }
}

/// Whether a part is only called by its number.
fn is_number(label: &str) -> bool {
    label.trim().chars().all(|digit| digit.is_ascii_digit())
}

/// A room is shown with at most 60 characters, but has all of its words.
fn inside(glob: &Glob, device: &Device) -> bool {
    let words = device.room_words.all().iter().map(Word::text);
    glob.matches(&device.room) || glob.matches(&words.collect::<String>())
}

/// A text with `*` for any run of letters.
#[derive(Clone, Debug, PartialEq)]
pub struct Glob {
    pub(super) text: String,
    /// What stands between the stars; again with ä as ae where that is another text.
    spellings: Vec<Vec<String>>,
}

impl Glob {
    fn new(text: &str) -> Self {
        let long = |part: &str| squashed_long(part).unwrap_or_else(|| squashed(part));
        let plain: Vec<String> = text.split('*').map(squashed).collect();
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
        // A name of symbols has no letters to compare.
        if self.text == text {
            return true;
        }
        let own: Vec<String> = spellings(text).collect();
        let spelled = |parts: &Vec<String>| own.iter().any(|own| fits(parts, own));
        self.spellings.iter().any(spelled)
    }
}

/// Whether a text has these parts in their order, and nothing before the first and after the last.
fn fits(parts: &[String], text: &str) -> bool {
    let (first, rest) = match parts {
        [] => return false,
        [only] => return !only.is_empty() && only == text,
        [first, rest @ ..] => (first, rest),
    };
    let Some(mut left) = text.strip_prefix(first.as_str()) else {
        return false;
    };
    let (last, middle) = rest
        .split_last()
        .map_or(("", rest), |(last, middle)| (last.as_str(), middle));
    for part in middle {
        let Some((_, after)) = left.split_once(part.as_str()) else {
            return false;
        };
        left = after;
    }
    left.ends_with(last)
}

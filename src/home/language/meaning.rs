//! The meanings of the words in the languages' files.

use super::table::{Language, LanguageSet, WordUse, pair};
use crate::category::Category;

/// A meaning of a word or a phrase. The fields of [`Language`] explain the variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordMeaning {
    /// The use of the list that has the word.
    Use(WordUse, LanguageSet),
    Kind(KindWord),
    /// A kind, but only as part of a name.
    InNames(Category, LanguageSet),
    /// Devices whose names have this word ("tv", "tvs"), with their kind.
    CalledSo(KindWord),
    /// A kind, but only in what a person says.
    StandIn(Category),
}

impl WordMeaning {
    /// Returns the kind of device that the word names, unless the word does so only as part of a name.
    pub(super) fn kind(&self) -> Option<KindWord> {
        match self {
            Self::Kind(kind) => Some(*kind),
            _ => None,
        }
    }

    /// Returns how certainly the word says that a device opens something: a word for a kind of door or lock, or for
    /// an opener.
    pub(super) fn opens(&self) -> Option<Opens> {
        match self {
            Self::Kind(kind) if kind.category.is_door() => Some(Opens::Door),
            Self::Kind(kind) if kind.category == Category::Locks => Some(Opens::Always),
            Self::Use(WordUse::Openers, _) => Some(Opens::Always),
            _ => None,
        }
    }

    /// Returns true if the meaning is that of a list.
    pub(super) fn is_of(&self, list: WordUse) -> bool {
        matches!(self, Self::Use(own, _) if *own == list)
    }

    /// Returns the languages in which the word has this meaning, or none if the meaning does not record them.
    pub(super) fn languages(&self) -> LanguageSet {
        match self {
            Self::Kind(kind) | Self::CalledSo(kind) => kind.languages,
            Self::Use(_, languages) | Self::InNames(_, languages) => *languages,
            Self::StandIn(_) => 0,
        }
    }
}

/// A phrase for a kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindWord {
    /// The kind.
    pub category: Category,
    /// True if the phrase is a plural.
    pub plural: bool,
    /// The singular, with its capitals and accents.
    pub one: &'static str,
    /// The plural, with its capitals and accents.
    pub several: &'static str,
    pub(super) languages: LanguageSet,
}

/// How certainly a word in a device's name means that the device opens something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Opens {
    /// A door or a gate. Other devices may be named after one ("Door Lamp").
    Door,
    /// A lock or an opener. The device opens something, whatever else its name says.
    Always,
}

/// The maximum number of words in a phrase that has a `Meaning`, not counting small words.
pub const MAX_PHRASE_WORDS: usize = 2;

impl Language {
    /// Returns every phrase of the language with its meaning. `languages` must contain only this language.
    pub(super) fn meanings(
        &'static self,
        languages: LanguageSet,
    ) -> Vec<(&'static str, WordMeaning)> {
        let mut meanings = Vec::new();
        let kind_words = |text: &'static str, category| {
            let (one, several) = pair(text)?;
            Some([(one, false), (several, true)].map(|(text, plural)| {
                let kind = KindWord {
                    category,
                    plural,
                    one,
                    several,
                    languages,
                };
                (text, kind)
            }))
        };
        for (category, texts) in &self.kinds {
            let kinds = texts.iter().filter_map(|text| kind_words(text, *category));
            meanings.extend(kinds.flatten().map(|(text, kind)| (text, WordMeaning::Kind(kind))));
        }
        for (category, texts) in &self.in_names {
            for text in texts {
                let kinds = kind_words(text, *category);
                let one = kinds.map_or(text.as_str(), |[(one, _), _]| one);
                meanings.push((one, WordMeaning::InNames(*category, languages)));
                let called_so = kinds.into_iter().flatten();
                meanings.extend(called_so.map(|(text, kind)| (text, WordMeaning::CalledSo(kind))));
            }
        }
        let lists = self.lists();
        let lists = lists.filter_map(|(list, texts)| Some((texts, list.meaning(languages)?)));
        let stand_ins = self
            .stand_ins
            .iter()
            .map(|(category, texts)| (texts.as_slice(), WordMeaning::StandIn(*category)));
        for (texts, meaning) in lists.chain(stand_ins) {
            meanings.extend(texts.iter().map(|text| (text.as_str(), meaning)));
        }
        meanings
    }
}

impl WordUse {
    /// Returns the meaning that a list's words have in these languages. Returns `None` if they only surround names.
    pub(super) fn meaning(self, languages: LanguageSet) -> Option<WordMeaning> {
        use WordUse::{All, Both, Essential, Everything, Joins, Openers, Places, Rooms};
        let languages = match self {
            Joins | Everything | All | Both | Rooms | Places | Openers | Essential => languages,
            WordUse::Harmless | WordUse::Garages | WordUse::Sides => 0,
            _ => return None,
        };
        Some(WordMeaning::Use(self, languages))
    }

    /// Returns true for the lists of words that ask for a set, or join the parts of one. They stand side by side.
    pub(super) fn is_for_set(self) -> bool {
        (Self::Joins..=Self::Both).contains(&self)
    }
}

//! What the words of the table mean.

use super::all::LanguageSet;
use super::table::{Language, pairs, texts};
use crate::home::category::Category;

/// What a phrase means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    All,
    Everything,
    Kind(KindWord),
    /// A kind, in names alone.
    InNames(Category, LanguageSet),
    /// One or several of such a kind that are called so.
    CalledSo(KindWord),
    Room,
    Place(LanguageSet),
    Opens(Opens, LanguageSet),
    NoDoor,
    Garage,
    Side,
    Essential,
}

/// A phrase for a kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindWord {
    /// The kind.
    pub category: Category,
    /// Whether it is the word for several of them, and not for one.
    pub plural: bool,
    /// The word for one of them, as its speakers write it.
    pub(super) one: &'static str,
    /// The word for several of them, as its speakers write it.
    pub several: &'static str,
    pub(super) languages: LanguageSet,
}

/// How surely a word opens something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Opens {
    /// It is a door or a gate, and what is at one may be named after it.
    Door,
    /// It opens, whatever else the name says.
    Always,
}

/// The most words of a phrase in the table, small words left out.
pub const LONGEST_PHRASE: usize = 2;

impl Language {
    /// Every phrase of the language with what it means; `languages` is the language itself.
    pub(super) fn meanings(
        &self,
        languages: LanguageSet,
    ) -> impl Iterator<Item = (&'static str, Meaning)> + '_ {
        let both = move |category, (one, several): (&'static str, &'static str)| {
            [(one, false), (several, true)].map(|(text, plural)| {
                let kind = KindWord {
                    category,
                    plural,
                    one,
                    several,
                    languages,
                };
                (text, kind)
            })
        };
        let kinds = self.kinds.iter().flat_map(move |(category, list)| {
            let kinds = pairs(list).flat_map(move |pair| both(*category, pair));
            kinds.map(|(text, kind)| (text, Meaning::Kind(kind)))
        });
        let called_so = self.in_names.iter().flat_map(move |(category, list)| {
            let pairs = pairs(self.several_in_names);
            let pairs = pairs.filter(|(one, _)| texts(list).any(|text| text == *one));
            let kinds = pairs.flat_map(move |pair| both(*category, pair));
            kinds.map(|(text, kind)| (text, Meaning::CalledSo(kind)))
        });
        let in_names = self.in_names.iter().flat_map(move |(category, list)| {
            texts(list).map(move |text| (text, Meaning::InNames(*category, languages)))
        });
        let others = [
            (self.all, Meaning::All),
            (self.everything, Meaning::Everything),
            (self.rooms, Meaning::Room),
            (self.places, Meaning::Place(languages)),
            (self.doors, Meaning::Opens(Opens::Door, languages)),
            (self.openers, Meaning::Opens(Opens::Always, languages)),
            (self.not_doors, Meaning::NoDoor),
            (self.garages, Meaning::Garage),
            (self.sides, Meaning::Side),
            (self.essential, Meaning::Essential),
        ];
        let others = others
            .into_iter()
            .flat_map(|(list, meaning)| texts(list).map(move |text| (text, meaning)));
        kinds.chain(called_so).chain(in_names).chain(others)
    }
}

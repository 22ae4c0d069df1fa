//! The languages that are understood.

use super::dutch::DUTCH;
use super::english::ENGLISH as ENGLISH_TABLE;
use super::french::FRENCH;
use super::german::GERMAN;
use super::italian::ITALIAN;
use super::spanish::SPANISH;
use super::table::Language;

pub(super) const LANGUAGES: [&Language; 6] =
    [&ENGLISH_TABLE, &GERMAN, &FRENCH, &SPANISH, &ITALIAN, &DUTCH];

/// A set of languages, by their places in `LANGUAGES`.
pub type LanguageSet = u8;

/// English, which is in every house.
pub(super) const ENGLISH: LanguageSet = 1;

/// The languages that say first what a name is about.
pub const HEAD_FIRST: LanguageSet = {
    let [english, german, french, spanish, italian, dutch] = LANGUAGES;
    (english.head_first as LanguageSet)
        | ((german.head_first as LanguageSet) << 1)
        | ((french.head_first as LanguageSet) << 2)
        | ((spanish.head_first as LanguageSet) << 3)
        | ((italian.head_first as LanguageSet) << 4)
        | ((dutch.head_first as LanguageSet) << 5)
};

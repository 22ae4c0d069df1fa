//! Reads what a product is in the words that zwave-js's database has for it.

use serde::Deserialize;

use super::TABLE;
use crate::bounds;
use crate::model::node::Nature;

/// Words, and what they say that a product is.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ProductWords {
    /// `None` if these words say that the description decides nothing.
    nature: Option<Nature>,
    /// True for parts of a device, which only the labels of endpoints name.
    labels_only: bool,
    says: Vec<String>,
    unless: Vec<String>,
}

/// What a text says, and the words that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordsFound {
    /// What the product is; `None` if the text decides nothing.
    pub nature: Option<Nature>,
    /// The words in the table.
    pub words: &'static str,
}

/// The beginning of the descriptions and labels of products that zwave-js does not know.
const UNKNOWN: &str = "Unknown product";

/// Returns what a product is, by its description, or else by its label. A known product that nothing says to be
/// anything else is a switch, if it can be switched. `None` if the product is not known.
pub fn described(description: &str, label: &str) -> Option<Nature> {
    let said = [description, label].into_iter().find_map(|text| read(text, false));
    let is_known =
        !description.is_empty() && !label.starts_with(UNKNOWN) && !description.starts_with(UNKNOWN);
    let nature = said.and_then(|said| said.nature);
    nature.or_else(|| is_known.then_some(Nature::Switch))
}

/// Returns what an endpoint is, by its label.
pub fn described_by_label(label: &str) -> Option<Nature> {
    read(label, true).and_then(|said| said.nature)
}

/// Reads a text: the part before "with" and the like or, if that says nothing, all of it.
pub fn read(text: &str, is_label: bool) -> Option<WordsFound> {
    let text = bounds::cut_input(text).to_lowercase();
    let all: Vec<&str> = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let end = all.iter().position(|word| TABLE.cut.iter().any(|cut| cut == word));
    let head = end.and_then(|end| all.get(..end));
    head.into_iter().chain([&all[..]]).find_map(|words| {
        let rows = TABLE.words.iter().filter(|row| is_label || !row.labels_only);
        rows.filter(|row| !row.unless.iter().any(|phrase| has_phrase(&all, phrase)))
            .find_map(|row| {
                let said = row.says.iter().find(|phrase| has_phrase(words, phrase))?;
                Some(WordsFound {
                    nature: row.nature,
                    words: said,
                })
            })
    })
}

/// Returns true if the words of a phrase stand one after the other, each perhaps in the plural.
fn has_phrase(words: &[&str], phrase: &str) -> bool {
    (0..words.len()).any(|start| {
        let mut words = words.iter().skip(start);
        phrase.split(' ').all(|wanted| {
            words.next().is_some_and(|word| {
                is_word(word, wanted)
                    || word.strip_suffix('s').is_some_and(|word| is_word(word, wanted))
            })
        })
    })
}

fn is_word(word: &str, wanted: &str) -> bool {
    match wanted.strip_prefix('*') {
        Some(end) => word.ends_with(end),
        None => word == wanted,
    }
}

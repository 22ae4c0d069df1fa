//! The words of all names, rooms and gateways of a house, and the devices that have each of them.

use std::sync::Arc;

use ecow::EcoString;
use hashbrown::HashMap;

use super::device::Device;
use super::model::snapshot::Snapshot;
use super::phrase::Phrase;
use super::word::Word;

/// The words of all names, rooms and gateways, in all their spellings.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary(HashMap<EcoString, Entry>);

/// A spelling of a word.
#[derive(Clone, Debug, Default)]
struct Entry {
    /// True if the word counts somewhere. A small word, such as an article, counts in few names.
    counts: bool,
    /// The positions of the devices that have the word, in ascending order.
    devices: Vec<u32>,
}

impl Vocabulary {
    /// Collects the words of these devices and of the gateways' names.
    pub fn of<'a>(devices: impl Iterator<Item = &'a Device>, snapshots: &[Arc<Snapshot>]) -> Self {
        let mut vocabulary = Self::default();
        for (at, device) in devices.enumerate() {
            for phrase in device.phrases() {
                vocabulary.add(phrase, u32::try_from(at).ok());
            }
        }
        for snapshot in snapshots {
            vocabulary.add(&Phrase::new(snapshot.gateway.as_str()), None);
        }
        vocabulary
    }

    fn add(&mut self, phrase: &Phrase, device: Option<u32>) {
        let main_words = phrase.main_words().map(|word| (word, true));
        for (word, counts) in main_words.chain(phrase.small_words().map(|word| (word, false))) {
            for spelling in word.all_spellings() {
                if !self.0.contains_key(spelling) {
                    self.0.insert(spelling.into(), Entry::default());
                }
                if let Some(entry) = self.0.get_mut(spelling) {
                    entry.counts |= counts;
                    if entry.devices.last() != device.as_ref() {
                        entry.devices.extend(device);
                    }
                }
            }
        }
    }

    /// Returns true if a text in lower case and without accents is a spelling of a word that counts.
    pub fn has_spelling(&self, text: &str) -> bool {
        self.0.get(text).is_some_and(|entry| entry.counts)
    }

    /// Returns true if one of the words that count is this word, with or without 's.
    pub fn has(&self, word: &Word) -> bool {
        word.all_spellings().any(|spelling| self.has_spelling(spelling))
    }

    /// Returns the positions of the devices that have this word, with or without 's, also as a small word. The
    /// positions are in ascending order.
    pub fn devices_with(&self, word: &Word) -> Vec<u32> {
        self.devices_spelled(word.all_spellings())
    }

    /// Returns the positions of the devices that have a word with one of these spellings.
    pub fn devices_spelled<'t>(&self, spellings: impl Iterator<Item = &'t str>) -> Vec<u32> {
        let entries = spellings.filter_map(|spelling| self.0.get(spelling));
        let mut devices: Vec<u32> =
            entries.flat_map(|entry| entry.devices.iter().copied()).collect();
        devices.sort_unstable();
        devices.dedup();
        devices
    }
}

//! Words that are said as one but written apart in names, and vice versa: "livingroom", "living room".

use super::different;
use super::index::Names;
use crate::language::{self, KindWord};
use crate::phrase::Phrase;
use crate::vocabulary::Vocabulary;
use crate::word::{Word, words};

/// Returns the runs of words in names that make the said word when they are joined.
pub(super) fn split_apart(names: &Names, said: &Word) -> Vec<Vec<Word>> {
    // "12" is not "1" and "2".
    if said.is_number() {
        return Vec::new();
    }
    let mut runs: Vec<Vec<Word>> = Vec::new();
    let found = names.devices_spelled(said.spellings().flat_map(beginnings));
    // The run may be in one phrase, or go on from a device's room into its name, or from its name into its room.
    let in_rooms = found.visible.iter().filter(|device| !device.room_words.is_empty());
    let pairs = in_rooms.flat_map(|device| {
        let (room, name) = (&device.room_words, &device.name.words);
        [(room, Some(name)), (name, Some(room))]
    });
    for (first, second) in names.phrases(&found).map(|phrase| (phrase, None)).chain(pairs) {
        let words = first.main_words().chain(second.into_iter().flat_map(Phrase::main_words));
        let starts = words.clone().enumerate().filter(|(_, word)| begins_with(said, word));
        for (start, _) in starts {
            let run = words.clone().skip(start);
            let length = joined_length(run.clone(), said);
            runs.extend(length.map(|length| run.take(length).cloned().collect()));
        }
    }
    different(runs)
}

/// Splits a compound into words of names and words for kinds: "Küchenlicht" is the light in the Küche, and
/// "keukenwaterkokerschakelaar" the switch of the waterkoker in the keuken. At least one part must be in a name.
pub(super) fn parts_of_compound(vocabulary: &Vocabulary, word: &Word) -> Option<Vec<Word>> {
    let is_in_name = |part: &str| vocabulary.has_spelling(part);
    let is_part = |part: &str| is_in_name(part) || language::kind_of_text(part).is_some();
    word.spellings().find_map(|text| {
        let parts = split(text, &is_part)?;
        let has_name = parts.iter().any(|part| is_in_name(part));
        (parts.len() > 1 && has_name).then(|| parts.iter().flat_map(|part| words(part)).collect())
    })
}

/// The minimum length of a compound's part, in letters.
const MIN_PART: usize = 3;

/// Splits a text into parts, without the letters that join the parts. Prefers the longest first part.
fn split<'t>(text: &'t str, is_part: &dyn Fn(&str) -> bool) -> Option<Vec<&'t str>> {
    let ends: Vec<usize> = text
        .char_indices()
        .map(|(at, _)| at)
        .skip(MIN_PART)
        .chain([text.len()])
        .collect();
    ends.into_iter().rev().find_map(|end| {
        let (part, rest) = text.split_at_checked(end)?;
        if part.len() < MIN_PART || !is_part(part) {
            return None;
        }
        if rest.is_empty() {
            return Some(vec![part]);
        }
        let mut others = JOINTS
            .iter()
            .filter_map(|joint| rest.strip_prefix(joint))
            .find_map(|rest| split(rest, is_part))?;
        others.insert(0, part);
        Some(others)
    })
}

/// Returns the kind that two words name when they are joined: "Garage Tor" is a Garagentor.
pub(super) fn kind_of_compound(run: &[&Word]) -> Option<KindWord> {
    let [begin, end] = run else {
        return None;
    };
    JOINTS.iter().find_map(|joint| {
        language::kind_of_text(&format!("{}{joint}{}", begin.written(), end.written()))
    })
}

/// The letters that may join the parts of a compound.
const JOINTS: [&str; 4] = ["", "n", "s", "en"];

/// Returns every beginning of a text, also the whole text.
fn beginnings(text: &str) -> impl Iterator<Item = &str> {
    let ends = text.char_indices().map(|(at, letter)| at + letter.len_utf8());
    ends.filter_map(|end| text.get(..end))
}

/// Returns true if a spelling of the said word begins with `word`.
fn begins_with(said: &Word, word: &Word) -> bool {
    said.spellings()
        .any(|spelling| spelling.starts_with(word.text()) || spelling.starts_with(word.written()))
}

/// Joins two or more words at the beginning of the run until they make the said word. Returns their number,
/// or `None` if they never make it.
fn joined_length<'w>(run: impl Iterator<Item = &'w Word>, said: &Word) -> Option<usize> {
    let longest = said.spellings().map(str::len).max()?;
    let (mut plain, mut written) = (String::new(), String::new());
    for (at, word) in run.enumerate() {
        plain.push_str(word.text());
        written.push_str(word.written());
        if at > 0 && (said.is_spelled(&plain) || said.is_spelled(&written)) {
            return Some(at + 1);
        }
        if plain.len().min(written.len()) >= longest {
            break;
        }
    }
    None
}

/// The maximum number of said words that are joined to one word of a name.
const MAX_JOINED: usize = 3;

/// Finds runs of said words that a name writes as one word: "living room" for a Livingroom. For each run,
/// returns the said words with the name's word in place of the run. Numbers alone are never joined.
pub(super) fn join_runs(names: &Names, said: &[Word]) -> Vec<Vec<Word>> {
    let runs = (2..=MAX_JOINED).flat_map(|length| said.windows(length).enumerate());
    let joined = runs.filter(|(_, run)| !run.iter().all(Word::is_number)).map(|(at, run)| {
        let spellings: [String; 2] = [
            run.iter().map(Word::text).collect(),
            run.iter().map(Word::written).collect(),
        ];
        (at..at + run.len(), spellings)
    });
    let joined: Vec<_> = joined.collect();
    let spellings = joined.iter().flat_map(|(_, spellings)| spellings);
    let found = names.devices_spelled(spellings.map(String::as_str));
    let name_words: Vec<&Word> = names.phrases(&found).flat_map(Phrase::all).collect();
    let replaced = joined.into_iter().filter_map(|(run, spellings)| {
        let is_joined = |word: &&&Word| spellings.iter().any(|text| word.is_spelled(text));
        let name_word = name_words.iter().find(is_joined)?;
        let mut words = said.to_vec();
        words.splice(run, [(*name_word).clone()]);
        Some(words)
    });
    replaced.collect()
}

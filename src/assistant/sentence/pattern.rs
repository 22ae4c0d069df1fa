//! Patterns of words, as the languages' files write them.
//!
//! A pattern is a row of words. `a/b` is either word, `a_b` is two words, `a?` may be left out, `<name>`
//! is one of a named group. `~` is a gap for the rest of the sentence: "turn ~ on" is also
//! "turn on". A pattern that begins with `~` needs other words before it, such as a name. One that begins
//! with `^` allows only filler words before it. One that begins with `!` is polite by itself.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::tokens::{Mark, Token};
use crate::home::word::{Word, words};

/// The words of one alternative.
type Phrase = Vec<Mark>;

/// One of several phrases. An optional slot may be left out.
#[derive(Clone, Debug)]
struct Slot {
    phrases: Vec<Phrase>,
    optional: bool,
}

/// Words that stand together.
type Group = Vec<Slot>;

/// A pattern.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    groups: Vec<Group>,
    /// True if other words, such as a name, must come before it.
    pub follows: bool,
    /// True if only filler words may come before it.
    pub leads: bool,
    /// It asks politely.
    pub polite: bool,
}

/// The places of a pattern's words, with one bit for each place.
pub(super) type Places = u64;

/// The bits of the places in a range.
pub(super) fn range(from: usize, to: usize) -> Places {
    (from..to).fold(0, |all, at| all | 1 << at)
}

/// The groups of words that patterns name.
pub(super) type Groups = BTreeMap<String, String>;

/// Parses one alternative, such as `a_b`, into its words and signs.
fn marks(text: &str) -> Phrase {
    let parts = text.split('_').filter(|part| !part.is_empty());
    parts
        .flat_map(|part| match part.chars().next() {
            Some(sign @ ('%' | '°')) => vec![Mark::Sign(sign)],
            _ => words(part).into_iter().map(Mark::Word).collect(),
        })
        .collect()
}

/// Parses alternatives with a slash between them. A name such as `<turn>` stands for its group.
fn alternatives(text: &str, groups: &Groups) -> Vec<Phrase> {
    let of_part = |part: &str| {
        let name = part.strip_prefix('<').and_then(|part| part.strip_suffix('>'));
        match name.and_then(|name| groups.get(name)) {
            Some(group) => alternatives(group, groups),
            None => vec![marks(part)],
        }
    };
    text.split('/').flat_map(of_part).collect()
}

impl Pattern {
    pub fn read(text: &str, groups: &Groups) -> Self {
        let mut pattern = Self {
            groups: vec![Vec::new()],
            follows: text.starts_with('~'),
            leads: text.starts_with('^'),
            polite: text.starts_with('!'),
        };
        for part in text.trim_start_matches(['~', '^', '!']).split_whitespace() {
            if part == "~" {
                pattern.groups.push(Vec::new());
                continue;
            }
            let optional = part.ends_with('?');
            let phrases = alternatives(part.trim_end_matches('?'), groups);
            if let Some(group) = pattern.groups.last_mut() {
                group.push(Slot { phrases, optional });
            }
        }
        pattern
    }

    /// Returns the lookup keys of the words that it may begin with.
    pub fn beginnings(&self) -> Vec<String> {
        let mut found = Vec::new();
        for slot in self.groups.first().into_iter().flatten() {
            let first = slot.phrases.iter().filter_map(|phrase| phrase.first());
            found.extend(first.flat_map(keys));
            if !slot.optional {
                break;
            }
        }
        found
    }

    /// Returns every way to match tokens with the first word at `at`. No match uses a place that is
    /// already taken.
    pub fn places(&self, tokens: &[Token], at: usize, taken: Places) -> Vec<Places> {
        let mut found = Vec::new();
        let Some((first, others)) = self.groups.split_first() else {
            return found;
        };
        if let Some(end) = match_group(first, tokens, at, taken) {
            match_groups(others, tokens, end, range(at, end), taken, &mut found);
        }
        found
    }

    /// Returns the number of tokens that its first group matches at a place.
    pub fn length(&self, tokens: &[Token], at: usize) -> Option<usize> {
        let first = self.groups.first()?;
        match_group(first, tokens, at, 0).map(|end| end - at)
    }
}

/// Matches the remaining groups, each somewhere after the previous one.
fn match_groups(
    groups: &[Group],
    tokens: &[Token],
    from: usize,
    placed: Places,
    taken: Places,
    found: &mut Vec<Places>,
) {
    let Some((group, others)) = groups.split_first() else {
        found.push(placed);
        return;
    };
    for at in from..tokens.len() {
        if let Some(end) = match_group(group, tokens, at, taken) {
            match_groups(others, tokens, end, placed | range(at, end), taken, found);
        }
    }
}

/// Returns the end of a group that matches at a place. The longest alternative wins in each slot.
fn match_group(group: &[Slot], tokens: &[Token], at: usize, taken: Places) -> Option<usize> {
    let mut end = at;
    for slot in group {
        let fitting = slot.phrases.iter().filter(|phrase| matches_at(phrase, tokens, end, taken));
        match fitting.map(Vec::len).max() {
            Some(length) => end += length,
            None if slot.optional => {}
            None => return None,
        }
    }
    (end > at).then_some(end)
}

fn matches_at(phrase: &Phrase, tokens: &[Token], at: usize, taken: Places) -> bool {
    phrase.iter().enumerate().all(|(offset, expected)| {
        let place = at + offset;
        let is_free = taken & (1_u64 << place.min(63)) == 0;
        let is_same = |token: &Token| match (expected, &token.mark) {
            (Mark::Word(expected), Mark::Word(word)) => expected.is(word),
            (expected, mark) => expected == mark,
        };
        is_free && tokens.get(place).is_some_and(is_same)
    })
}

/// Returns the lookup keys of a word or a sign: all spellings of a word.
pub(super) fn keys(mark: &Mark) -> Vec<String> {
    match mark {
        Mark::Word(word) => Word::spellings(word).map(str::to_owned).collect(),
        Mark::Sign(sign) => vec![sign.to_string()],
    }
}

/// Patterns with their meanings, found by the words that they begin with.
#[derive(Debug)]
pub(super) struct Patterns<T> {
    all: Vec<(Pattern, T)>,
    by_word: HashMap<String, Vec<usize>>,
    /// The words after a gap.
    words_after_gaps: HashSet<String>,
}

impl<T> Default for Patterns<T> {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            by_word: HashMap::new(),
            words_after_gaps: HashSet::new(),
        }
    }
}

impl<T: Copy> Patterns<T> {
    pub fn add<'t>(
        &mut self,
        texts: impl IntoIterator<Item = &'t String>,
        groups: &Groups,
        meaning: T,
    ) {
        for text in texts {
            let pattern = Pattern::read(text, groups);
            for key in pattern.beginnings() {
                let indices = self.by_word.entry(key).or_default();
                if indices.last() != Some(&self.all.len()) {
                    indices.push(self.all.len());
                }
            }
            let phrases = pattern.groups.iter().skip(1).flatten().flat_map(|slot| &slot.phrases);
            self.words_after_gaps.extend(phrases.flatten().flat_map(keys));
            self.all.push((pattern, meaning));
        }
    }

    /// Adds the texts of a table, each with what its key means.
    pub fn add_each<K: Copy>(
        &mut self,
        table: &BTreeMap<K, Vec<String>>,
        groups: &Groups,
        meaning: impl Fn(K) -> T,
    ) {
        for (key, texts) in table {
            self.add(texts, groups, meaning(*key));
        }
    }

    /// Returns the patterns that may begin with this token.
    pub fn find_by_first_word(&self, token: &Token) -> Vec<&(Pattern, T)> {
        let mut found: Vec<usize> = Vec::new();
        for key in keys(&token.mark) {
            found.extend(self.by_word.get(&key).into_iter().flatten());
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter().filter_map(|at| self.all.get(at)).collect()
    }

    /// Returns true if some pattern has this token after a gap.
    pub fn has_behind_a_gap(&self, token: &Token) -> bool {
        keys(&token.mark).iter().any(|key| self.words_after_gaps.contains(key))
    }

    /// Returns the length and the meaning of the longest pattern that matches at a place.
    pub fn at(&self, tokens: &[Token], at: usize) -> Option<(usize, T)> {
        let lengths = tokens
            .get(at)
            .map(|token| self.find_by_first_word(token))
            .into_iter()
            .flatten()
            .filter_map(|(pattern, meaning)| {
                let length = pattern.length(tokens, at);
                length.map(|length| (length, *meaning))
            });
        lengths.max_by_key(|(length, _)| *length)
    }
}

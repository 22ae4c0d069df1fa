//! The word patterns in the languages' files.
//!
//! A pattern is a sequence of words. `a/b` is either word, `a_b` is two words, `a?` is optional, and `<name>`
//! is any word of a named group. `~` is a gap that matches any words or none: "turn ~ on" matches "turn the
//! lamp on" and "turn on". The first character of a pattern may have another meaning:
//!
//! - `~`: a name or a pronoun must come before the pattern. "~ on" matches in "lamp on".
//! - `^`: only fillers, polite words and "a little" may come before the pattern.
//! - `!`: the pattern contains a polite request: "would you mind closing".

use std::collections::{BTreeMap, HashMap, HashSet};

use super::tokens::{MAX_SENTENCE_TOKENS, Mark, Token};
use crate::home::word::{Word, words};

/// One alternative of a slot: one or more words or signs.
type Phrase = Vec<Mark>;

/// A part of a pattern. Matches one of these phrases. An optional slot may also be skipped.
#[derive(Clone, Debug)]
struct Slot {
    phrases: Vec<Phrase>,
    is_optional: bool,
}

/// Slots that follow each other without a gap.
type Segment = Vec<Slot>;

#[derive(Clone, Debug)]
pub(super) struct SentencePattern {
    segments: Vec<Segment>,
    /// True if a name or a pronoun must come before the pattern.
    pub must_follow: bool,
    /// True if only fillers, polite words and "a little" may come before the pattern.
    pub must_lead: bool,
    /// True if the pattern contains a polite request.
    pub is_polite: bool,
}

/// A set of token indices, one bit each.
pub(super) type TokenSet = u128;

// Each word of the longest sentence may be split in two.
const _: () = assert!(2 * MAX_SENTENCE_TOKENS <= TokenSet::BITS as usize);

/// Returns the set of the token indices in `from..to`.
pub(super) fn range(from: usize, to: usize) -> TokenSet {
    (from..to).fold(0, |all, at| all | 1 << at)
}

/// Returns true if a set has this token index.
pub(super) fn has(set: TokenSet, index: usize) -> bool {
    set & range(index, index + 1) != 0
}

/// The named groups of words.
pub(super) type Groups = BTreeMap<String, String>;

/// Parses one alternative, such as `a_b`.
fn parse_phrase(text: &str) -> Phrase {
    let parts = text.split('_').filter(|part| !part.is_empty());
    parts
        .flat_map(|part| match part.chars().next() {
            Some(sign @ ('%' | '°')) => vec![Mark::Sign(sign)],
            _ => words(part).into_iter().map(Mark::Word).collect(),
        })
        .collect()
}

/// Parses alternatives, such as `a/b`. A name such as `<turn>` stands for the alternatives of its group.
fn parse_alternatives(text: &str, groups: &Groups) -> Vec<Phrase> {
    let of_part = |part: &str| {
        let name = part.strip_prefix('<').and_then(|part| part.strip_suffix('>'));
        match name.and_then(|name| groups.get(name)) {
            Some(group) => parse_alternatives(group, groups),
            None => vec![parse_phrase(part)],
        }
    };
    text.split('/').flat_map(of_part).collect()
}

impl SentencePattern {
    pub fn read(text: &str, groups: &Groups) -> Self {
        let parts = text.trim_start_matches(['~', '^', '!']).split_whitespace();
        let slot = |part: &&str| Slot {
            phrases: parse_alternatives(part.trim_end_matches('?'), groups),
            is_optional: part.ends_with('?'),
        };
        let segments = parts.collect::<Vec<_>>();
        let segments = segments.split(|part| *part == "~");
        Self {
            segments: segments.map(|parts| parts.iter().map(slot).collect()).collect(),
            must_follow: text.starts_with('~'),
            must_lead: text.starts_with('^'),
            is_polite: text.starts_with('!'),
        }
    }

    /// Returns the lookup keys of every word that can begin the pattern.
    pub fn first_word_keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        for slot in self.segments.first().into_iter().flatten() {
            let first = slot.phrases.iter().filter_map(|phrase| phrase.first());
            keys.extend(first.flat_map(lookup_keys));
            if !slot.is_optional {
                break;
            }
        }
        keys
    }

    /// Returns the tokens of every match that begins at `at` and has no token in `taken`.
    pub fn matches(&self, tokens: &[Token], at: usize, taken: TokenSet) -> Vec<TokenSet> {
        match_segments(&self.segments, tokens, at, taken)
    }
}

/// Returns the tokens of every way to match all these segments, one after the other, the first at `at`. Any tokens
/// may come before each of the others.
fn match_segments(
    segments: &[Segment],
    tokens: &[Token],
    at: usize,
    taken: TokenSet,
) -> Vec<TokenSet> {
    let Some((segment, more_segments)) = segments.split_first() else {
        return Vec::new();
    };
    match match_segment(segment, tokens, at, taken) {
        None => Vec::new(),
        Some(end) if more_segments.is_empty() => vec![range(at, end)],
        Some(end) => (end..tokens.len())
            .flat_map(|next| match_segments(more_segments, tokens, next, taken))
            .map(|matched| range(at, end) | matched)
            .collect(),
    }
}

/// Returns the index after a segment that matches at `at`. In each slot, the longest matching phrase wins.
fn match_segment(segment: &[Slot], tokens: &[Token], at: usize, taken: TokenSet) -> Option<usize> {
    let mut end = at;
    for slot in segment {
        let fitting = slot.phrases.iter().filter(|phrase| matches_at(phrase, tokens, end, taken));
        match fitting.map(Vec::len).max() {
            Some(length) => end += length,
            None if slot.is_optional => {}
            None => return None,
        }
    }
    (end > at).then_some(end)
}

/// Returns true if a phrase matches at `at` and needs no token in `taken`.
fn matches_at(phrase: &Phrase, tokens: &[Token], at: usize, taken: TokenSet) -> bool {
    phrase.iter().enumerate().all(|(offset, expected)| {
        let index = at + offset;
        let is_same = |token: &Token| match (expected, &token.mark) {
            (Mark::Word(expected), Mark::Word(word)) => expected.is(word),
            (expected, mark) => expected == mark,
        };
        tokens.get(index).is_some_and(is_same) && !has(taken, index)
    })
}

/// Returns the lookup keys of a mark: each spelling of a word, or the sign.
fn lookup_keys(mark: &Mark) -> Vec<String> {
    match mark {
        Mark::Word(word) => Word::spellings(word).map(str::to_owned).collect(),
        Mark::Sign(sign) => vec![sign.to_string()],
    }
}

/// Patterns and their meanings, indexed by first word.
#[derive(Debug)]
pub(super) struct Patterns<T> {
    all: Vec<(SentencePattern, T)>,
    /// For each word, the patterns that can begin with the word, as indices in `all`.
    by_first_word: HashMap<String, Vec<usize>>,
    /// All words that occur after a gap in some pattern.
    words_after_gaps: HashSet<String>,
}

/// The patterns of a language's table, each with the meaning of its key.
pub(super) fn each<'t, K, T: Copy>(
    table: &'t BTreeMap<K, Vec<String>>,
    meaning: impl Fn(&'t K) -> T,
) -> impl Iterator<Item = (&'t String, T)> {
    table.iter().flat_map(move |(key, texts)| all_of(texts, meaning(key)))
}

/// The patterns of a list, which all have this meaning.
pub(super) fn all_of<T: Copy>(texts: &[String], meaning: T) -> impl Iterator<Item = (&String, T)> {
    texts.iter().map(move |text| (text, meaning))
}

impl<T: Copy> Patterns<T> {
    pub fn new<'t>(texts: impl Iterator<Item = (&'t String, T)>, groups: &Groups) -> Self {
        let mut all = Vec::new();
        let mut by_first_word: HashMap<String, Vec<usize>> = HashMap::new();
        let mut words_after_gaps = HashSet::new();
        for (text, meaning) in texts {
            let pattern = SentencePattern::read(text, groups);
            for key in pattern.first_word_keys() {
                by_first_word.entry(key).or_default().push(all.len());
            }
            let phrases = pattern.segments.iter().skip(1).flatten().flat_map(|slot| &slot.phrases);
            words_after_gaps.extend(phrases.flatten().flat_map(lookup_keys));
            all.push((pattern, meaning));
        }
        Self {
            all,
            by_first_word,
            words_after_gaps,
        }
    }

    /// Returns the patterns that can begin with this token.
    pub fn find_by_first_word(&self, token: &Token) -> Vec<&(SentencePattern, T)> {
        let keys = lookup_keys(&token.mark);
        let indices = keys.iter().filter_map(|key| self.by_first_word.get(key)).flatten();
        let mut indices: Vec<&usize> = indices.collect();
        // An index is there twice if two alternatives of a pattern begin with the same word.
        indices.sort_unstable();
        indices.dedup();
        indices.into_iter().filter_map(|index| self.all.get(*index)).collect()
    }

    /// Returns true if this token occurs after a gap in some pattern.
    pub fn has_after_gap(&self, token: &Token) -> bool {
        lookup_keys(&token.mark).iter().any(|key| self.words_after_gaps.contains(key))
    }

    /// Returns the patterns whose part before the first gap matches at `at`, each with the length of that match.
    pub fn all_at<'p>(
        &'p self,
        tokens: &'p [Token],
        at: usize,
    ) -> impl Iterator<Item = (usize, &'p (SentencePattern, T))> {
        let candidates = tokens.get(at).map(|token| self.find_by_first_word(token));
        candidates.into_iter().flatten().filter_map(move |entry| {
            let end = match_segment(entry.0.segments.first()?, tokens, at, 0)?;
            Some((end - at, entry))
        })
    }

    /// Returns the meaning of each pattern that matches at `at`, with the tokens of all its matches together.
    pub fn matches_at(&self, tokens: &[Token], at: usize) -> Vec<(TokenSet, T)> {
        self.all_at(tokens, at)
            .map(|(_, (pattern, meaning))| {
                let matches = pattern.matches(tokens, at, 0).into_iter();
                (matches.fold(0, |all, matched| all | matched), *meaning)
            })
            .filter(|(matched, _)| *matched != 0)
            .collect()
    }

    /// Returns the length and the meaning of the longest match at `at`.
    pub fn longest_at(&self, tokens: &[Token], at: usize) -> Option<(usize, T)> {
        self.all_at(tokens, at)
            .map(|(length, (_, meaning))| (length, *meaning))
            .max_by_key(|(length, _)| *length)
    }
}

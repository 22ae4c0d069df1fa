//! The words of a sentence.

use crate::home::letters::squashed;

/// A word as it was said, and as it is looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SpokenWord {
    /// As it was said, without the punctuation around it.
    pub said: String,
    /// In lower case, without accents and apostrophes; what has no letters stands for itself.
    pub key: String,
}

/// The most words of a sentence that are looked at.
const MOST_WORDS: usize = 40;

/// What is a word by itself.
const SIGNS: [char; 5] = [',', ';', '%', '°', '&'];

/// Takes a sentence apart; none where it is longer than any command.
pub(super) fn words(sentence: &str) -> Option<Vec<SpokenWord>> {
    let mut words = Vec::new();
    for run in sentence.split_whitespace() {
        let mut word = String::new();
        let mut letters = run.chars().peekable();
        while let Some(letter) = letters.next() {
            // "21,5" is one number.
            let in_number = word.ends_with(|last: char| last.is_ascii_digit())
                && letters.peek().is_some_and(char::is_ascii_digit);
            if SIGNS.contains(&letter) && !(letter == ',' && in_number) {
                push(&mut words, &word);
                push(&mut words, letter.encode_utf8(&mut [0; 4]));
                word.clear();
            } else {
                word.push(letter);
            }
        }
        push(&mut words, &word);
        if words.len() > MOST_WORDS {
            return None;
        }
    }
    Some(words)
}

fn push(words: &mut Vec<SpokenWord>, word: &str) {
    let around =
        |letter: char| matches!(letter, '.' | '!' | '?' | '"' | '“' | '”' | '„' | ':' | '…');
    let said = word.trim_matches(around);
    if said.is_empty() {
        return;
    }
    let key = Some(key(said)).filter(|key| !key.is_empty());
    words.push(SpokenWord {
        key: key.unwrap_or_else(|| said.to_owned()),
        said: said.to_owned(),
    });
}

/// How a word is looked up.
pub(super) fn key(word: &str) -> String {
    squashed(word)
}

/// Words as one text again.
pub(super) fn text(words: &[SpokenWord]) -> String {
    let mut text = String::new();
    for word in words {
        if !text.is_empty() && !SIGNS.iter().any(|sign| word.said.starts_with(*sign)) {
            text.push(' ');
        }
        text.push_str(&word.said);
    }
    text
}

/// The keys of words as one text.
pub(super) fn keys(words: &[SpokenWord]) -> String {
    let keys: Vec<&str> = words.iter().map(|word| word.key.as_str()).collect();
    keys.join(" ")
}

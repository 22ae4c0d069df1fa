//! What is said around a command and asks for nothing: "hey, could you … please".

use super::lexicon::Lexicon;
use super::spoken::SpokenWord;

/// The command itself, and whether it was made a question of.
pub(super) fn without<'w>(
    mut words: &'w [SpokenWord],
    lexicon: &Lexicon,
) -> (&'w [SpokenWord], bool) {
    let mut asking = false;
    loop {
        let comma = words.first().is_some_and(is_comma).then_some(1);
        let called = words.get(1).is_some_and(is_comma)
            && words.first().is_some_and(|word| lexicon.called.has(word));
        let asks = lexicon.asking.at_start(words);
        let length = comma
            .or(called.then_some(2))
            .or(asks)
            .or_else(|| lexicon.before.at_start(words));
        asking |= asks.is_some() && comma.is_none() && !called;
        match length.and_then(|length| words.get(length..)) {
            Some(rest) if !rest.is_empty() => words = rest,
            _ => break,
        }
    }
    loop {
        let comma = words.last().is_some_and(is_comma).then_some(1);
        let length = comma.or_else(|| lexicon.behind.at_end(words));
        match length.and_then(|length| words.get(..words.len() - length)) {
            Some(rest) if !rest.is_empty() => words = rest,
            _ => break,
        }
    }
    (words, asking)
}

/// Whether a sentence has the mark of a question, wherever it stands.
pub(super) fn is_marked_as_question(sentence: &str) -> bool {
    sentence.contains(['?', '？', '‽'])
}

/// Whether a command asks: it is marked so, and not out of politeness, or begins as questions do.
pub(super) fn asks(command: &[SpokenWord], marked: bool, lexicon: &Lexicon) -> bool {
    marked || lexicon.questions.at_start(command).is_some()
}

/// Whether a word is a comma.
pub(super) fn is_comma(word: &SpokenWord) -> bool {
    matches!(word.key.as_str(), "," | ";")
}

//! The words of a sentence that may be the house's own.

use crate::assistant::sentence::house::KnownHouse;
use crate::assistant::sentence::lexicon::Lexicon;
use crate::assistant::sentence::tokens::{Mark, Token};
use crate::home::names::may_be_said;
use crate::home::word::{Word, words};

/// Returns true for each token that may belong to a name in the house.
pub(super) fn may_be_own(tokens: &[Token], house: &KnownHouse, lexicon: &Lexicon) -> Vec<bool> {
    let marks = tokens.iter().map(|token| match &token.mark {
        Mark::Word(word) => may_be_said(house.names(), word, lexicon.language),
        Mark::Sign(sign) => *sign == '&',
    });
    marks.collect()
}

/// Takes apart the words that end with a property ("woonkamertemperatuur"), and the verbs that end with a
/// pronoun ("apágala").
pub(super) fn take_apart(tokens: &[Token], house: &KnownHouse, lexicon: &Lexicon) -> Vec<Token> {
    let may_be = |word: &Word| may_be_said(house.names(), word, lexicon.language);
    let mut all = Vec::new();
    for token in tokens {
        let is_known = |word: &Word| {
            word.is_number() || may_be(word) || !lexicon.elements.beginning_with(token).is_empty()
        };
        let unknown = token.word().filter(|word| !is_known(word));
        let parts = unknown.and_then(|word| {
            let begin = |word: &Word, end: &Word| {
                let begin = word.written().strip_suffix(end.written())?;
                Some(begin.to_owned())
            };
            let of_property = || {
                lexicon.property_words.iter().find_map(|property| {
                    let property = words(property).pop()?;
                    let begin = begin(word, &property)?;
                    let mut begins = ["", "s", "n"]
                        .iter()
                        .filter_map(|joint| begin.strip_suffix(joint));
                    let begin = begins.find_map(|begin| words(begin).pop().filter(may_be))?;
                    Some([begin, property])
                })
            };
            let of_verb = || {
                lexicon.pronoun_words.iter().find_map(|pronoun| {
                    let pronoun = words(pronoun).pop()?;
                    let verb = words(&begin(word, &pronoun)?).pop()?;
                    lexicon.is_deed(&verb).then_some([verb, pronoun])
                })
            };
            of_property().or_else(of_verb)
        });
        match parts {
            Some(parts) => all.extend(parts.into_iter().map(Token::of)),
            None => all.push(token.clone()),
        }
    }
    all
}

//! Splits a sentence into words and signs.

use crate::home::language;
use crate::home::word::{Word, words};

/// The maximum number of words and signs in a sentence. Longer sentences are not understood.
pub(super) const MAX_SENTENCE_TOKENS: usize = 40;

/// A word, or a sign such as `%`. The sign `,` stands for any punctuation.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mark {
    Word(Word),
    Sign(char),
}

/// A word or a sign of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    /// The text as the user wrote it.
    pub said: String,
    pub mark: Mark,
    /// True for a number that can't be a value, such as "-5", "1/2", "1,000" or "5:30".
    pub is_unusable: bool,
    /// True if the token may belong to a name in the house.
    pub may_name: bool,
}

/// A sentence as tokens.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sentence {
    pub tokens: Vec<Token>,
    pub has_question_mark: bool,
}

impl Token {
    fn new(said: String, mark: Mark) -> Self {
        Self {
            said,
            mark,
            is_unusable: false,
            may_name: false,
        }
    }

    /// Makes a token from a word. The text is the word in lower case, without accents.
    pub fn of(word: Word) -> Self {
        Self::new(word.written().to_owned(), Mark::Word(word))
    }

    pub fn word(&self) -> Option<&Word> {
        match &self.mark {
            Mark::Word(word) => Some(word),
            Mark::Sign(_) => None,
        }
    }

    pub fn is_sign(&self, sign: char) -> bool {
        self.mark == Mark::Sign(sign)
    }

    /// Returns true for an article or a short preposition.
    pub fn is_article(&self) -> bool {
        self.word().is_some_and(language::is_small_word)
    }

    /// Returns true for punctuation between two parts of a sentence.
    pub fn is_break(&self) -> bool {
        self.is_sign(',')
    }
}

impl Sentence {
    /// Splits a sentence into tokens. Returns `None` if there are more than [`MAX_SENTENCE_TOKENS`] of them.
    pub fn read(text: &str) -> Option<Self> {
        let mut sentence = Self::default();
        for piece in text.split_whitespace() {
            sentence.has_question_mark |= piece.contains('?');
            sentence.add(piece);
            if sentence.tokens.len() > MAX_SENTENCE_TOKENS {
                return None;
            }
        }
        while sentence.tokens.last().is_some_and(Token::is_break) {
            sentence.tokens.pop();
        }
        Some(sentence)
    }

    /// Adds the tokens of a piece of the sentence. The piece has no whitespace: `21,5°C,`.
    fn add(&mut self, piece: &str) {
        let characters: Vec<char> = piece.chars().collect();
        let is_digit = |at: Option<usize>| {
            at.and_then(|at| characters.get(at)).is_some_and(char::is_ascii_digit)
        };
        let is_unusable = is_unusable_number(piece);
        let mut word = String::new();
        for (at, character) in characters.iter().enumerate() {
            let is_in_number = is_digit(at.checked_sub(1)) && is_digit(Some(at + 1));
            let sign = match character {
                '%' | '°' | '&' | '+' => Some(*character),
                ',' | ';' | '.' | '!' | '?' | ':' | '…' | '–' | '—' if !is_in_number => {
                    Some(',')
                }
                _ => None,
            };
            match sign {
                Some(sign) => {
                    self.add_words(&word, is_unusable);
                    word.clear();
                    self.add_sign(sign);
                }
                None => word.push(*character),
            }
        }
        self.add_words(&word, is_unusable);
    }

    fn add_words(&mut self, text: &str, is_unusable: bool) {
        let words = words(text);
        let is_single = words.len() == 1;
        self.tokens.extend(words.into_iter().map(|word| {
            let mut token = Token::of(word);
            token.is_unusable = is_unusable && token.word().is_some_and(Word::is_number);
            if is_single {
                text.clone_into(&mut token.said);
            }
            token
        }));
    }

    fn add_sign(&mut self, sign: char) {
        // A break at the beginning or after another break has no meaning.
        let is_needless = sign == ',' && self.tokens.last().is_none_or(Token::is_break);
        if !is_needless {
            self.tokens.push(Token::new(sign.to_string(), Mark::Sign(sign)));
        }
    }
}

/// Returns true for a number other than plain digits with at most two decimals: "-5", "5:30", "1,000".
fn is_unusable_number(piece: &str) -> bool {
    let number = piece.trim_matches(|letter: char| !letter.is_ascii_digit());
    let first_digit = piece.find(|letter: char| letter.is_ascii_digit());
    let before = first_digit.and_then(|at| piece.get(..at)).unwrap_or_default();
    let mut parts = number.split(['.', ',']);
    let whole = parts.next().unwrap_or_default();
    let decimals = parts.next().unwrap_or_default();
    let is_digits = |part: &str| part.bytes().all(|digit| digit.is_ascii_digit());
    first_digit.is_some()
        && (before.ends_with(['-', '−', '+', '~', '<', '>'])
            || !is_digits(whole)
            || !is_digits(decimals)
            || decimals.len() > 2
            || parts.next().is_some())
}

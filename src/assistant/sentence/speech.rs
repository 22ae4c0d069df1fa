//! Puts names and states into words: with articles, and in agreement with the subject.

use std::borrow::Borrow;

use super::element::State;
use super::lexicon::{Lexicon, first_word};
use crate::home::device::Device;
use crate::home::language;
use crate::home::letters::squash;
use crate::home::word::words;

/// The subject of a sentence. The verb and other words agree with the subject's gender and number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Subject {
    /// The text with its article.
    pub text: String,
    /// The text without an article.
    pub name: String,
    gender: char,
    pub is_plural: bool,
}

/// The name of each gap of a phrase, and the text to put there.
pub(super) type Fillings<'f> = &'f [(&'static str, &'f str)];

impl Lexicon {
    /// Returns a device as a subject.
    pub fn subject(&self, device: &Device) -> Subject {
        let name = &device.name.text;
        let with_room = device.spoken != device.listed_name() && !device.room.is_empty();
        // In "lampe cuisine", the noun comes first. In "kitchen lamp", the noun comes last.
        let is_head_first = language::head_first() & self.language != 0;
        let text = match (with_room, is_head_first) {
            (true, true) => format!("{name} {}", device.room),
            (true, false) => device.spoken.clone(),
            (false, _) => device.listed_name(),
        };
        let noun = self.noun(name, is_head_first);
        let (gender, is_plural) = noun.unwrap_or(('m', false));
        Subject {
            text: match noun {
                Some(_) => self.with_article(&text, gender, is_plural),
                None => text.clone(),
            },
            name: text,
            gender,
            is_plural,
        }
    }

    /// Returns devices as one subject that lists their names.
    pub fn named_subject(&self, devices: &[&Device]) -> Subject {
        let subjects: Vec<Subject> = devices.iter().map(|device| self.subject(device)).collect();
        if let [only] = subjects.as_slice() {
            return only.clone();
        }
        let are_all_feminine = subjects.iter().all(|subject| subject.gender == 'f');
        let names: Vec<&str> = subjects.iter().map(|subject| subject.name.as_str()).collect();
        Subject {
            text: self.list(&self.with_articles(devices), "and"),
            name: self.list(&names, "and"),
            gender: if are_all_feminine { 'f' } else { 'm' },
            is_plural: true,
        }
    }

    /// Returns a number of things as a subject: "four lights".
    pub fn count_phrase(&self, number: usize, singular: &str, plural: &str) -> Subject {
        let gender = self.noun(singular, true).map_or('m', |(gender, _)| gender);
        let text = format!("{} {plural}", self.number(number));
        Subject {
            name: text.clone(),
            text,
            gender,
            is_plural: true,
        }
    }

    /// Returns the gender of the main noun in a name, and true if the noun is plural.
    fn noun(&self, name: &str, is_head_first: bool) -> Option<(char, bool)> {
        let mut words: Vec<String> = name.split_whitespace().map(squash).collect();
        if !is_head_first {
            words.reverse();
        }
        words.iter().find_map(|word| {
            let mut forms = self.table.nouns.iter().flat_map(|(gender, pairs)| {
                pairs
                    .iter()
                    .filter_map(|pair| pair.split_once('/'))
                    .flat_map(|(one, many)| [(*gender, one, false), (*gender, many, true)])
            });
            // "Deckenlampe" has the gender of "Lampe".
            let noun = forms.find(|(_, form, _)| {
                let form = squash(form);
                *word == form || form.len() > 3 && word.ends_with(&form)
            });
            noun.map(|(gender, _, is_plural)| (gender, is_plural))
        })
    }

    /// Puts the article before a text, if the language has an article for this gender and number.
    fn with_article(&self, text: &str, gender: char, is_plural: bool) -> String {
        let first = text.split_whitespace().next().unwrap_or_default();
        // "Anna's lamp" and "My Lamp" take no article.
        let has_owner = first.contains(['\'', '’']) && self.table.code == "en"
            || first != text
                && words(first).iter().any(|word| language::is_small_in(word, self.language));
        let begins: Vec<char> = squash(first).chars().take(2).collect();
        // The "h" is counted as silent, as in "l'horloge".
        let is_vowel = begins.first().is_some_and(|letter| "aeiouh".contains(*letter));
        // Before these consonants, Italian says "lo" instead of "il".
        let takes_lo = match begins.as_slice() {
            ['s', next] => !"aeiou".contains(*next),
            ['z' | 'x' | 'y', ..] | ['g', 'n'] | ['p', 's' | 'n'] => true,
            _ => false,
        };
        let number = if is_plural { "p" } else { "" };
        let sound = match (is_vowel, takes_lo) {
            (true, _) => "v",
            (_, true) => "s",
            _ => "",
        };
        // From the most specific article to the most general.
        let keys = [
            format!("{gender}{sound}{number}"),
            format!("{gender}{number}"),
            number.to_owned(),
        ];
        let article = keys.iter().find_map(|key| self.table.articles.get(key));
        match article.filter(|_| !has_owner) {
            Some(article) if article.ends_with('\'') => format!("{article}{text}"),
            Some(article) => format!("{article} {text}"),
            None => text.to_owned(),
        }
    }

    /// Returns the word for a state, in agreement with its subject. Without a subject, it is the word for a state of
    /// everything or nothing, which has no gender and is singular: "rien n'est ouvert".
    pub fn state(&self, state: State, subject: Option<&Subject>) -> String {
        let forms = self.table.forms.get(&state).map_or(&[][..], Vec::as_slice);
        let index = subject.map_or(0, |subject| {
            usize::from(subject.gender == 'f') + 2 * usize::from(subject.is_plural)
        });
        let form = forms.get(index).or_else(|| forms.first());
        form.cloned().unwrap_or_default()
    }

    /// Fills the gaps of a phrase about a subject and its state.
    pub fn say_state(&self, phrase: &str, state: State, subject: &Subject) -> String {
        let state = self.state(state, Some(subject));
        self.say_of(phrase, subject, &[("state", &state)])
    }

    /// Returns the name of each device with its article.
    pub fn with_articles(&self, devices: &[&Device]) -> Vec<String> {
        devices.iter().map(|device| self.subject(device).text).collect()
    }

    /// Joins texts with commas, and the last text with the phrase that `join` names: "and" or "or".
    pub fn list<S: Borrow<str>>(&self, texts: &[S], join: &str) -> String {
        let join = self.phrase(join);
        match texts {
            [] => String::new(),
            [only] => only.borrow().to_owned(),
            [others @ .., last] => format!("{} {join} {}", others.join(", "), last.borrow()),
        }
    }

    /// Returns a number as text. A number from 2 to 12 is written as a word, any other number in digits.
    pub fn number(&self, number: usize) -> String {
        let word = self.table.count.get(number).filter(|_| (2..=12).contains(&number));
        word.map_or_else(|| number.to_string(), |word| first_word(word))
    }

    /// Returns a number with at most two decimals, and the language's decimal sign.
    pub fn decimal(&self, value: f64) -> String {
        let point = self.phrase("decimal");
        let rounded = (value * 100.0).round() / 100.0;
        rounded.to_string().replace('.', point)
    }

    /// Returns a phrase from the language's file, with its gaps unfilled.
    pub fn phrase(&self, name: &str) -> &str {
        self.table.phrases.get(name).map_or("", String::as_str)
    }

    /// Fills the gaps of a phrase, and capitalizes the result.
    pub fn say(&self, phrase: &str, fillings: Fillings) -> String {
        let mut text = self.phrase(phrase).to_owned();
        for (gap, filling) in fillings {
            text = text.replace(&format!("{{{gap}}}"), filling);
        }
        let mut letters = text.chars();
        let first = letters.next().map(|first| first.to_uppercase().collect::<String>());
        first.unwrap_or_default() + letters.as_str()
    }

    /// Fills the gaps of a phrase about a subject: `{S}` and `{s}` with the subject and its article, `{name}`
    /// with the subject without its article, and `{is}` with the verb in agreement.
    pub fn say_of(&self, phrase: &str, subject: &Subject, fillings: Fillings) -> String {
        let verb = if subject.is_plural { "are" } else { "is" };
        let verb = self.phrase(verb);
        let more = [
            ("S", subject.text.as_str()),
            ("s", subject.text.as_str()),
            ("name", subject.name.as_str()),
            ("is", verb),
        ];
        let all: Vec<(&'static str, &str)> = fillings.iter().copied().chain(more).collect();
        self.say(phrase, &all)
    }
}

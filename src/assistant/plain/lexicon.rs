//! A language's table, folded for looking words up.

use std::collections::{HashMap, HashSet};

use super::spoken::{SpokenWord, key, keys};
use super::vocabulary::{Aim, Vocabulary};
use crate::home::intent::Action;

/// Phrases, each with what it stands for.
pub(super) struct Phrases<T> {
    known: HashMap<String, T>,
    longest: usize,
}

impl<T: Clone> Phrases<T> {
    fn new(rows: impl IntoIterator<Item = (T, &'static str)>) -> Self {
        let rows = rows.into_iter().flat_map(|(meaning, phrases)| {
            let phrases = phrases
                .split(',')
                .filter(|phrase| !phrase.trim().is_empty());
            phrases.map(move |phrase| (folded(phrase), meaning.clone()))
        });
        let known: HashMap<String, T> = rows.collect();
        let lengths = known.keys().map(|phrase| phrase.split(' ').count());
        Self {
            longest: lengths.max().unwrap_or_default(),
            known,
        }
    }

    /// What all of these words stand for.
    pub fn whole(&self, words: &[SpokenWord]) -> Option<T> {
        let fits = (1..=self.longest).contains(&words.len());
        self.known.get(&keys(words)).filter(|_| fits).cloned()
    }

    /// Everything that a phrase may stand for, in the order of the alphabet.
    pub fn meanings(&self) -> Vec<T>
    where
        T: Ord,
    {
        let mut meanings: Vec<T> = self.known.values().cloned().collect();
        meanings.sort_unstable();
        meanings.dedup();
        meanings
    }

    /// How many words at the beginning are a phrase, the longest one.
    pub fn at_start(&self, words: &[SpokenWord]) -> Option<usize> {
        let lengths = (1..=self.longest.min(words.len())).rev();
        let mut heads = lengths.filter_map(|length| words.get(..length));
        heads
            .find(|head| self.whole(head).is_some())
            .map(<[_]>::len)
    }

    /// How many words at the end are a phrase, the longest one.
    pub fn at_end(&self, words: &[SpokenWord]) -> Option<usize> {
        let lengths = (1..=self.longest.min(words.len())).rev();
        let mut tails = lengths.filter_map(|length| words.get(words.len() - length..));
        tails
            .find(|tail| self.whole(tail).is_some())
            .map(<[_]>::len)
    }

    /// Whether a phrase stands anywhere among these.
    pub fn among(&self, words: &[SpokenWord]) -> bool {
        (0..words.len()).any(|at| {
            words
                .get(at..)
                .is_some_and(|rest| self.at_start(rest).is_some())
        })
    }

    /// Whether a word is a phrase by itself.
    pub fn has(&self, word: &SpokenWord) -> bool {
        self.known.contains_key(&word.key)
    }
}

/// A phrase as it is looked up; what has no letters stands for itself.
fn folded(phrase: &str) -> String {
    let words = phrase.split_whitespace().map(|word| {
        let key = key(word);
        if key.is_empty() { word.to_owned() } else { key }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// What stands for words in a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// A name: whatever is left.
    Name,
    /// A place, with the word before it.
    Place,
    /// A number, with or without its unit, or a part of the whole.
    Amount,
    /// The same, where it is plainly in percent.
    Percent,
    Color,
    Mode,
    State,
    Fact,
}

/// One part of a form.
pub(super) enum FormPart {
    /// One of these words.
    Word(Vec<String>),
    /// Whatever fits there.
    Slot(Slot),
}

/// A form of sentences: its parts, and whether each may be left out.
pub(super) struct Form {
    pub aim: Aim,
    pub parts: Vec<(FormPart, bool)>,
}

impl Form {
    /// Whether no verb stands at the beginning.
    pub fn begins_with_a_name(&self) -> bool {
        matches!(self.parts.first(), Some((FormPart::Slot(Slot::Name), _)))
    }

    /// Whether a state stands behind all that is named: "on", "off".
    pub fn ends_with_a_switch(&self, lexicon: &Lexicon) -> bool {
        let mut words = self.parts.iter().rev().filter_map(|(part, _)| match part {
            FormPart::Word(words) => Some(words),
            FormPart::Slot(_) => None,
        });
        let is_switch = |word: &String| lexicon.switches.known.contains_key(word);
        words
            .next()
            .is_some_and(|words| words.iter().all(is_switch))
    }

    fn read(aim: Aim, text: &str) -> Self {
        let part = |text: &str| {
            let (text, optional) = match text.strip_suffix('?') {
                Some(text) => (text, true),
                None => (text, false),
            };
            let slot = match text {
                "NAME" => Some(Slot::Name),
                "PLACE" => Some(Slot::Place),
                "AMOUNT" => Some(Slot::Amount),
                "PERCENT" => Some(Slot::Percent),
                "COLOR" => Some(Slot::Color),
                "MODE" => Some(Slot::Mode),
                "STATE" => Some(Slot::State),
                "FACT" => Some(Slot::Fact),
                _ => None,
            };
            let words = || FormPart::Word(text.split('/').map(key).collect());
            (slot.map_or_else(words, FormPart::Slot), optional)
        };
        Self {
            aim,
            parts: text.split_whitespace().map(part).collect(),
        }
    }
}

/// A language's table, folded.
pub(super) struct Lexicon {
    pub never: Phrases<()>,
    pub before: Phrases<()>,
    pub called: Phrases<()>,
    pub asking: Phrases<()>,
    pub minding: Phrases<()>,
    pub behind: Phrases<()>,
    pub anywhere: Phrases<()>,
    pub joins: Phrases<()>,
    pub places: Phrases<()>,
    pub times: Phrases<()>,
    pub particles: Phrases<()>,
    pub articles: Phrases<()>,
    pub own_articles: Phrases<()>,
    pub speed: Phrases<()>,
    pub fans: Phrases<()>,
    pub subjects: Phrases<()>,
    pub alternatives: Phrases<()>,
    pub no_names: Phrases<()>,
    pub every: Phrases<()>,
    pub alone: Phrases<()>,
    pub gerund: &'static str,
    pub switches: Phrases<()>,
    /// The words that a form begins with, but for those that a name may begin with, too.
    pub verbs: HashSet<String>,
    pub verbs_in_names: Phrases<()>,
    pub ones: Phrases<u8>,
    pub tens: Phrases<u8>,
    pub one_before_ten: Option<&'static str>,
    pub hundred: Phrases<()>,
    pub and_a_half: Phrases<()>,
    pub point: Phrases<()>,
    pub parts: Phrases<u8>,
    pub percent: Phrases<()>,
    pub degrees: Phrases<()>,
    pub colors: Phrases<&'static str>,
    pub modes: Phrases<&'static str>,
    pub states: Phrases<(&'static str, Option<Action>)>,
    pub facts: Phrases<&'static str>,
    pub urging: Phrases<()>,
    pub fillers: Phrases<()>,
    pub relative: Phrases<()>,
    pub cancels: Phrases<()>,
    pub questions: Phrases<()>,
    pub hints: Vec<Hinted>,
    pub forms: Vec<Form>,
}

/// Words that speak of an action, and the kinds of devices that they speak of.
pub(super) struct Hinted {
    pub action: Action,
    pub kinds: &'static [&'static str],
    pub words: Phrases<()>,
}

impl Lexicon {
    /// Whether a word tells what is being done: "turning", and not "bring".
    pub fn is_gerund(&self, word: &SpokenWord) -> bool {
        let stem = word.key.strip_suffix(self.gerund);
        let Some(stem) = stem.filter(|stem| stem.len() < word.key.len()) else {
            return false;
        };
        let in_names = self.verbs_in_names.known.keys();
        let mut verbs = self.verbs.iter().chain(in_names);
        verbs.any(|verb| {
            let is_stem = stem.starts_with(verb.as_str()) && verb.len() > 2;
            is_stem || verb.strip_suffix('e') == Some(stem)
        })
    }

    /// Folds a table.
    pub fn new(table: &Vocabulary) -> Self {
        let phrases = |list: &'static str| Phrases::new([((), list)]);
        let numbers = |list: &'static str, number: fn(u8) -> u8| {
            let ways = (0..).zip(list.split(','));
            Phrases::new(
                ways.flat_map(move |(at, ways)| ways.split('/').map(move |way| (number(at), way))),
            )
        };
        let states = table.states.iter();
        let forms = table.forms.iter().flat_map(|(aim, forms)| {
            let forms = forms.split(';');
            forms.map(|form| Form::read(*aim, form))
        });
        let forms: Vec<Form> = forms.collect();
        let verbs_in_names = phrases(table.verbs_in_names);
        let first = |form: &Form| match form.parts.first() {
            Some((FormPart::Word(words), _)) => words.clone(),
            _ => Vec::new(),
        };
        let verbs = forms.iter().flat_map(first);
        let verbs = verbs.filter(|verb| !verbs_in_names.known.contains_key(verb));
        let verbs: HashSet<String> = verbs.collect();
        Self {
            never: phrases(table.never),
            before: phrases(table.before),
            called: phrases(table.called),
            asking: phrases(table.asking),
            minding: phrases(table.minding),
            behind: phrases(table.behind),
            anywhere: phrases(table.anywhere),
            joins: phrases(table.joins),
            places: phrases(table.places),
            times: phrases(table.times),
            particles: phrases(table.particles),
            articles: phrases(table.articles),
            own_articles: phrases(table.own_articles),
            speed: phrases(table.speed),
            fans: phrases(table.fans),
            subjects: phrases(table.subjects),
            alternatives: phrases(table.alternatives),
            no_names: phrases(table.no_names),
            every: phrases(table.every),
            alone: phrases(table.alone),
            gerund: table.gerund,
            switches: phrases(table.switches),
            verbs,
            verbs_in_names,
            ones: numbers(table.ones, |at| at),
            tens: numbers(table.tens, |at| (at + 2) * 10),
            one_before_ten: table.one_before_ten,
            hundred: phrases(table.hundred),
            and_a_half: phrases(table.and_a_half),
            point: phrases(table.point),
            parts: Phrases::new(table.parts.iter().copied()),
            percent: phrases(table.percent),
            degrees: phrases(table.degrees),
            colors: Phrases::new(table.colors.iter().copied()),
            modes: Phrases::new(table.modes.iter().copied()),
            states: Phrases::new(states.map(|(word, action, said)| ((*word, *action), *said))),
            facts: Phrases::new(table.facts.iter().copied()),
            urging: phrases(table.urging),
            fillers: phrases(table.fillers),
            relative: phrases(table.relative),
            cancels: phrases(table.cancels),
            questions: phrases(table.questions),
            hints: table
                .hints
                .iter()
                .map(|(action, kinds, words)| Hinted {
                    action: *action,
                    kinds,
                    words: phrases(words),
                })
                .collect(),
            forms,
        }
    }
}

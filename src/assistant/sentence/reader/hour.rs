//! Orders for a bare hour: "turn off the lamp at eight".

use super::Reader;
use crate::assistant::sentence::lexicon::{Lexicon, WordList};
use crate::assistant::sentence::meaning::Meaning;
use crate::assistant::sentence::tokens::Token;
use crate::assistant::sentence::value::{Value, values};
use crate::home::intent::Action;

impl Reader<'_, '_> {
    /// Returns true if the sentence would be an order without a bare hour: "turn off the lamp at eight". If
    /// a level is missing, the number may be that level.
    pub(super) fn names_an_hour(&self) -> bool {
        let mut places = 0..self.tokens.len();
        places.any(|at| {
            let Some(length) = hour(&self.tokens, at, self.lexicon) else {
                return false;
            };
            let without = |all: &[Token]| {
                let (before, after) = (all.get(..at), all.get(at + length..));
                [before.unwrap_or_default(), after.unwrap_or_default()].concat()
            };
            let tokens = without(&self.tokens);
            let order = Self {
                may_name: self.lexicon.may_name(&tokens, self.house),
                tokens,
                ..*self
            };
            match order.meaning() {
                Some(Meaning::Do(steps, _, None)) => !steps
                    .iter()
                    .any(|step| matches!(step.call.action, Action::Increase | Action::Decrease)),
                Some(Meaning::Cannot(..) | Meaning::WhichOne(..)) => true,
                _ => false,
            }
        })
    }
}

/// Returns the length of a bare hour, with the word before it and the minutes after it.
fn hour(tokens: &[Token], at: usize, lexicon: &Lexicon) -> Option<usize> {
    let before = lexicon.length_at(WordList::Times, tokens, at)?;
    let number = |at: usize, max: f64| {
        let values = values(tokens, at, lexicon).into_iter();
        let numbers = values.filter(|(_, said)| {
            let is_bare = !said.to && !said.by;
            is_bare && matches!(said.value, Value::Number(n) if n <= max && n.fract() == 0.0)
        });
        numbers.map(|(length, _)| length).max()
    };
    let hour = number(at + before, 24.0)?;
    let minutes = number(at + before + hour, 59.0).unwrap_or(0);
    Some(before + hour + minutes)
}

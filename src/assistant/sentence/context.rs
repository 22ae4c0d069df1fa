//! What was spoken of before, for "it", "the other one", and the answer to "Which one?".

use std::time::{Duration, Instant};

use super::order::Wish;

/// How long what was spoken of is remembered.
const MEMORY: Duration = Duration::from_secs(120);

/// What was spoken of before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// The names of the devices that were spoken of last.
    pub(super) last: Vec<String>,
    /// Those that were not meant, of several that might have been.
    pub(super) others: Vec<String>,
    /// What is to be done as soon as it is clear with which of these devices.
    pub(super) pending: Option<(Wish, Vec<String>)>,
    at: Option<Instant>,
}

impl Context {
    /// Forgets what was spoken of too long ago.
    pub(super) fn forget_before(&mut self, now: Instant) {
        if self.at.is_none_or(|at| now.duration_since(at) > MEMORY) {
            *self = Self::default();
        }
    }

    /// Notes what is spoken of.
    pub(super) fn note(&mut self, names: impl Iterator<Item = String>, now: Instant) {
        self.last = names.collect();
        let asked = self
            .pending
            .take()
            .map(|(_, names)| names)
            .unwrap_or_default();
        let is_other = |name: &String| !self.last.contains(name);
        self.others = asked.into_iter().filter(is_other).collect();
        self.at = Some(now);
    }

    /// Notes a question which device is meant.
    pub(super) fn ask(&mut self, wish: Wish, names: Vec<String>, now: Instant) {
        self.pending = Some((wish, names));
        self.at = Some(now);
    }
}

//! The context of a sentence: what was spoken of before, for "it", "the other one", the answer to "Which one?", and "undo that".

use std::time::{Duration, Instant};

use super::call::DeviceCall;
use super::house::Standing;
use super::order::Wish;

/// How long what was spoken of is remembered.
const MEMORY: Duration = Duration::from_secs(120);

/// The devices and orders that were spoken of before. Devices are remembered by the names that they are controlled by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// The devices that were spoken of last.
    pub(super) last: Vec<String>,
    /// Those that were not meant, of several that might have been.
    pub(super) others: Vec<String>,
    /// The order that waits until it is clear for which device.
    pub(super) pending: Option<Pending>,
    /// The calls that bring back the state before the last order.
    pub(super) undo: Vec<Undo>,
    /// The last order was to take back the one before it.
    pub(super) has_undone: bool,
    /// The language of the answer to the sentence before.
    pub(super) language: Option<&'static str>,
    at: Option<Instant>,
}

/// A call that takes back another one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Undo {
    /// The name of the device.
    pub name: String,
    /// The call that is taken back.
    pub done: DeviceCall,
    /// Where it stood before.
    pub before: Standing,
    pub call: DeviceCall,
}

/// An order that waits for the answer to "Which one?".
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pending {
    pub wish: Wish,
    pub names: Vec<String>,
    /// The language that it was asked in.
    pub language: String,
}

impl Context {
    /// Forgets what was spoken of too long ago.
    pub(super) fn forget_before(&mut self, now: Instant) {
        if self.at.is_none_or(|at| now.duration_since(at) > MEMORY) {
            *self = Self {
                language: self.language,
                ..Self::default()
            };
        }
    }

    /// Forgets how to take back what was done: something else was done since.
    pub(in crate::assistant) fn forget_undo(&mut self) {
        self.undo.clear();
        self.has_undone = false;
    }

    /// Notes what is spoken of.
    pub(super) fn note(&mut self, names: Vec<String>, now: Instant) {
        let asked = self.pending.take().map(|pending| pending.names);
        let mut others = asked.unwrap_or_default();
        others.retain(|name| !names.contains(name));
        self.last = names;
        self.others = others;
        self.at = Some(now);
    }

    /// Notes a question which device is meant. Until it is answered, "it" is none of those before.
    pub(super) fn ask(&mut self, pending: Pending, now: Instant) {
        self.last.clear();
        self.others.clear();
        self.pending = Some(pending);
        self.at = Some(now);
    }
}

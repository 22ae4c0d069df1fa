//! The context of a sentence: what was spoken of before, for "it", "the other one", the answer to
//! "Which one?", and "undo that".

use std::time::{Duration, Instant};

use super::call::DeviceCall;
use super::house::Standing;
use super::order::Wish;

/// How long the context is remembered.
const MEMORY: Duration = Duration::from_secs(120);

/// The devices and orders that were spoken of before. Devices are remembered by the names that they are
/// controlled by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// The devices that were spoken of last.
    pub(super) last: Vec<String>,
    /// The devices that were offered by "Which one?" and not chosen.
    pub(super) others: Vec<String>,
    /// The order that waits for the choice of a device.
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
    /// The state before the call.
    pub before: Standing,
    /// The call that brings that state back.
    pub call: DeviceCall,
}

/// An order that waits for the answer to "Which one?".
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pending {
    pub wish: Wish,
    pub names: Vec<String>,
    /// The language that it was asked in.
    pub language: &'static str,
}

impl Context {
    /// Forgets everything but the language if the last sentence was too long ago.
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
        let offered = self.pending.take().map(|pending| pending.names);
        let mut others = offered.unwrap_or_default();
        others.retain(|name| !names.contains(name));
        self.last = names;
        self.others = others;
        self.at = Some(now);
    }

    /// Notes a question about which device is meant. Until it is answered, "it" refers to nothing.
    pub(super) fn ask(&mut self, pending: Pending, now: Instant) {
        self.last.clear();
        self.others.clear();
        self.pending = Some(pending);
        self.at = Some(now);
    }
}

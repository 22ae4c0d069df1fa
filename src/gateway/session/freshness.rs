//! How current the known nodes are, and for whom that is enough
//! (`docs/ARCHITECTURE.md#how-current-a-snapshot-is`).
//!
//! There are two rules. Where events are on, what was read once stays current for as long as the
//! connection and this life of the gateway last. Where they are off, a call needs a reading of its own.

use std::time::Duration;

use tokio::time::Instant;

/// What a call needs the nodes for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// To stop something: what is known will do.
    Known,
    /// To list it.
    List,
    /// To decide what is written, and to which node.
    Control,
    /// To say that there is no such device: events do not report every new name.
    Miss,
}

/// A list goes by nodes that are up to this old where nothing reported a change.
pub const OLD_FOR_A_LIST: Duration = Duration::from_secs(10);

/// A list goes by nodes that are up to this old, whatever was reported since.
const NEW_FOR_A_LIST: Duration = Duration::from_secs(1);

/// Where events keep the nodes current, they are read again behind an answer at this age.
const OLD_WITH_EVENTS: Duration = Duration::from_secs(600);

/// A finished reading of the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodesReading {
    /// When it was asked for.
    pub sent: Instant,
    /// When it came.
    pub came: Instant,
}

impl NodesReading {
    /// Returns how long it took.
    pub fn took(self) -> Duration {
        self.came.saturating_duration_since(self.sent)
    }
}

/// What is known of the nodes' age.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Freshness {
    last: Option<NodesReading>,
    /// A change was reported that the last reading may not show.
    is_dirty: bool,
    /// Something was written, and no event tells what came of it: a list that comes later shows it.
    written: Option<Instant>,
    /// A new life began: what was asked for before says nothing of it.
    life_since: Option<Instant>,
    /// An event says that nodes are others now: what came before does not show it.
    others_since: Option<Instant>,
    /// The first event of this life of the gateway: from then on every change is reported.
    events_since: Option<Instant>,
}

impl Freshness {
    /// Returns the last reading of the nodes.
    pub fn last(&self) -> Option<NodesReading> {
        self.last
    }

    /// Takes in that the nodes came.
    pub fn read(&mut self, reading: NodesReading) {
        self.last = Some(reading);
        self.is_dirty = false;
    }

    /// Takes in that something changed, and nobody says what.
    pub fn mark_dirty(&mut self) {
        self.is_dirty = true;
    }

    /// Returns true if a change was reported since the last reading.
    pub fn is_dirty(&self) -> bool {
        self.is_dirty
    }

    /// Takes in that something was written. Where events are on, one tells what came of it.
    pub fn mark_written(&mut self, now: Instant) {
        if !self.is_kept_by_events() {
            self.is_dirty = true;
            self.written = Some(now);
        }
    }

    /// Takes in that nodes are others now. A reading that comes after that shows it, because messages
    /// come in their order.
    pub fn mark_restructured(&mut self, now: Instant) {
        self.others_since = Some(now);
        self.is_dirty = true;
    }

    /// Takes in a new life of the gateway, or a new connection: whether it sends events is learnt anew.
    pub fn begin_life(&mut self, now: Instant) {
        self.events_since = None;
        self.life_since = Some(now);
        self.is_dirty = true;
    }

    /// Takes in an event. Returns true for the first of this life, which has the nodes read once more.
    pub fn hear_event(&mut self, now: Instant) -> bool {
        let is_first = self.events_since.is_none();
        self.events_since.get_or_insert(now);
        is_first
    }

    /// Returns true if all that changed since the nodes were read was reported.
    pub fn is_kept_by_events(&self) -> bool {
        let since = self.events_since.zip(self.valid());
        since.is_some_and(|(since, last)| last.sent >= since)
    }

    /// The last reading, unless it shows a house that is no more.
    fn valid(&self) -> Option<NodesReading> {
        self.last.filter(|last| {
            self.life_since.is_none_or(|since| last.sent >= since)
                && self.others_since.is_none_or(|since| last.came >= since)
        })
    }

    /// Returns true if what is known is enough for a call that came at `asked`.
    ///
    /// A list goes by a reading that ended since then. A control needs one that began since then,
    /// because a name may have moved to another node while an earlier reading was on its way.
    pub fn is_enough(&self, need: Need, asked: Instant) -> bool {
        let Some(last) = self.valid() else {
            return need == Need::Known && self.last.is_some();
        };
        match need {
            Need::Known => true,
            Need::List | Need::Control if self.is_kept_by_events() => true,
            Need::Control | Need::Miss => last.sent >= asked,
            Need::List => {
                let unread = self.written.filter(|written| last.sent < *written);
                let age = asked.saturating_duration_since(last.sent);
                let is_new = age < NEW_FOR_A_LIST || (age < OLD_FOR_A_LIST && !self.is_dirty);
                unread.is_none_or(|written| written > asked) && (is_new || last.came >= asked)
            }
        }
    }

    /// Returns true if it is time to read the nodes again though events keep them.
    pub fn is_old(&self, now: Instant) -> bool {
        let age = |last: NodesReading| now.saturating_duration_since(last.sent);
        self.last.is_some_and(|last| age(last) >= OLD_WITH_EVENTS)
    }
}

//! Decides whether the known nodes are current enough for a call
//! (`docs/ARCHITECTURE.md#how-current-a-snapshot-is`).
//!
//! There are two rules. If events are on, what was read once stays current for as long as this
//! life of the session lasts. If they are off, a call needs a reading of its own.

use std::time::Duration;

use tokio::time::Instant;

/// The purpose for which a call needs the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// To stop something: what is known will do.
    Known,
    /// To list them.
    List,
    /// To decide what is written, and to which node.
    Control,
    /// To say that there is no such device: events do not report every new name.
    Miss,
}

/// The maximum age of nodes that a list uses if no change was reported.
pub const OLD_FOR_A_LIST: Duration = Duration::from_secs(10);

/// The maximum age of nodes that a list uses, whatever was reported since.
const NEW_FOR_A_LIST: Duration = Duration::from_secs(1);

/// Nodes that events keep current are read again at this age, and no call waits for that.
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
    pub fn duration(self) -> Duration {
        self.came.saturating_duration_since(self.sent)
    }
}

/// The age of the nodes, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Freshness {
    /// The last reading of the nodes.
    pub last: Option<NodesReading>,
    /// True if a change was reported that the last reading may not show.
    pub is_dirty: bool,
    /// When something was written whose effect no event reports: a later list must show it.
    written: Option<Instant>,
    /// When the present life began: readings that were asked for before say nothing about it.
    life_since: Option<Instant>,
    /// When an event last said that nodes changed: readings that came before do not show that.
    restructured: Option<Instant>,
    /// When the first event of this life came: from then on every change is reported.
    events_since: Option<Instant>,
}

impl Freshness {
    /// Returns true if the nodes were read in the present life.
    pub fn is_of_this_life(&self) -> bool {
        let is_of = |last: NodesReading| self.life_since.is_none_or(|since| last.sent >= since);
        self.last.is_some_and(is_of)
    }

    /// Takes in a reading of the nodes.
    pub fn read(&mut self, reading: NodesReading) {
        self.last = Some(reading);
        self.is_dirty = false;
    }

    /// Notes that something was written. If events are on, one reports the effect.
    pub fn mark_written(&mut self, now: Instant) {
        if !self.is_kept_by_events() {
            self.is_dirty = true;
            self.written = Some(now);
        }
    }

    /// Notes that nodes changed. A reading that comes later shows that, because messages come in
    /// order.
    pub fn mark_restructured(&mut self, now: Instant) {
        self.restructured = Some(now);
        self.is_dirty = true;
    }

    /// Notes that a new life began: whether the gateway sends events is learnt anew.
    pub fn begin_life(&mut self, now: Instant) {
        self.events_since = None;
        self.life_since = Some(now);
        self.is_dirty = true;
    }

    /// Takes in an event. Returns true for the first of this life, after which the nodes must be read
    /// once more.
    pub fn hear_event(&mut self, now: Instant) -> bool {
        let is_first = self.events_since.is_none();
        self.events_since.get_or_insert(now);
        is_first
    }

    /// Returns true if every change since the nodes were read was reported.
    pub fn is_kept_by_events(&self) -> bool {
        let since = self.events_since.zip(self.valid());
        since.is_some_and(|(since, last)| last.sent >= since)
    }

    /// Returns the last reading, unless a new life or a change of the nodes has outdated it.
    fn valid(&self) -> Option<NodesReading> {
        let is_newer =
            |last: &NodesReading| self.restructured.is_none_or(|since| last.came >= since);
        self.last.filter(|_| self.is_of_this_life()).filter(is_newer)
    }

    /// Returns true if what is known is enough for a call that came at `called_at`.
    ///
    /// A list can use a reading that ended since then. A control needs one that began since then,
    /// because a name may have moved to another node while an earlier reading was on its way.
    pub fn is_enough(&self, need: Need, called_at: Instant) -> bool {
        let Some(last) = self.valid() else {
            return need == Need::Known && self.last.is_some();
        };
        match need {
            Need::Known => true,
            Need::List | Need::Control if self.is_kept_by_events() => true,
            Need::Control | Need::Miss => last.sent >= called_at,
            Need::List => {
                let unread = self.written.filter(|written| last.sent < *written);
                let age = called_at.saturating_duration_since(last.sent);
                let is_new = age < NEW_FOR_A_LIST || (age < OLD_FOR_A_LIST && !self.is_dirty);
                unread.is_none_or(|written| written > called_at)
                    && (is_new || last.came >= called_at)
            }
        }
    }

    /// Returns true if it is time to read the nodes again even though events keep them current.
    pub fn is_old(&self, now: Instant) -> bool {
        let age = |last: NodesReading| now.saturating_duration_since(last.sent);
        self.last.is_some_and(|last| age(last) >= OLD_WITH_EVENTS)
    }
}

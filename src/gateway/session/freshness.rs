//! Decides whether the known nodes are current enough for a call
//! (`docs/STATE.md#how-current-a-snapshot-is`).
//!
//! If events are on, nodes fetched after the first event stay current until the life ends. If events are off,
//! a command needs a fetch of its own, and a list needs a recent one.

use std::time::Duration;

use tokio::time::Instant;

/// The purpose for which a call needs the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// To stop something: whatever is known will do.
    Known,
    /// To list them.
    List,
    /// To decide what to write, and to which node.
    Control,
    /// To say that there is no such device: events do not report every new name.
    Miss,
}

/// The maximum age of nodes for a list, if no change was reported since.
pub const LIST_MAX_AGE: Duration = Duration::from_secs(10);

/// The maximum age of nodes for a list, if a change was reported since.
const DIRTY_LIST_MAX_AGE: Duration = Duration::from_secs(1);

/// Nodes that events keep current are fetched again at this age. No call waits for that.
const MAX_AGE_WITH_EVENTS: Duration = Duration::from_secs(600);

/// A completed fetch of the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodesFetch {
    /// When the nodes were requested.
    pub sent: Instant,
    /// When the reply arrived.
    pub received: Instant,
}

impl NodesFetch {
    /// Returns how long it took.
    pub fn duration(self) -> Duration {
        self.received.saturating_duration_since(self.sent)
    }
}

/// How current the known nodes are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Freshness {
    /// The last fetch of the nodes, possibly in an earlier life.
    pub last: Option<NodesFetch>,
    /// True if a change was reported that the last fetch may not show.
    pub is_dirty: bool,
    /// When something was last written whose effect no event reports. A later list must show it.
    written: Option<Instant>,
    /// When the current life began. A fetch requested earlier says nothing about it.
    life_since: Option<Instant>,
    /// When nodes were last reported to have changed. A fetch received earlier does not show that.
    restructured: Option<Instant>,
    /// When the first event of this life arrived. From then on, every change is reported.
    events_since: Option<Instant>,
}

impl Freshness {
    /// Returns true if the last fetch was requested in the current life.
    pub fn is_from_this_life(&self) -> bool {
        let in_this_life =
            |last: NodesFetch| self.life_since.is_none_or(|since| last.sent >= since);
        self.last.is_some_and(in_this_life)
    }

    /// Records a completed fetch.
    pub fn note_fetch(&mut self, fetch: NodesFetch) {
        self.last = Some(fetch);
        self.is_dirty = false;
    }

    /// Notes that something was written. If events are on, one of them will report the effect.
    pub fn mark_written(&mut self, now: Instant) {
        if !self.is_kept_by_events() {
            self.is_dirty = true;
            self.written = Some(now);
        }
    }

    /// Notes that nodes changed. A fetch received later shows that, because messages arrive in order.
    pub fn mark_restructured(&mut self, now: Instant) {
        self.restructured = Some(now);
        self.is_dirty = true;
    }

    /// Notes that a new life began. Whether the gateway sends events has to be learned again.
    pub fn begin_life(&mut self, now: Instant) {
        self.events_since = None;
        self.life_since = Some(now);
        self.is_dirty = true;
    }

    /// Notes that an event arrived. Returns true for the first one of this life, after which the nodes must
    /// be fetched once more.
    pub fn note_event(&mut self, now: Instant) -> bool {
        let is_first = self.events_since.is_none();
        self.events_since.get_or_insert(now);
        is_first
    }

    /// Returns true if events have reported every change since the nodes were requested.
    pub fn is_kept_by_events(&self) -> bool {
        let since = self.events_since.zip(self.valid());
        since.is_some_and(|(since, last)| last.sent >= since)
    }

    /// Returns the last fetch, unless a new life or a change of the nodes has made it obsolete.
    fn valid(&self) -> Option<NodesFetch> {
        let is_newer =
            |last: &NodesFetch| self.restructured.is_none_or(|since| last.received >= since);
        self.last.filter(|_| self.is_from_this_life()).filter(is_newer)
    }

    /// Returns true if the known nodes are current enough for a call made at `called_at`.
    ///
    /// Without events, a list can use a recent fetch, or any received since then. A command needs one
    /// requested since then, because a name may have moved to another node during an earlier one.
    pub fn is_enough(&self, need: Need, called_at: Instant) -> bool {
        let Some(last) = self.valid() else {
            return need == Need::Known && self.last.is_some();
        };
        match need {
            Need::Known => true,
            Need::List | Need::Control if self.is_kept_by_events() => true,
            Need::Control | Need::Miss => last.sent >= called_at,
            Need::List => {
                let is_missing = |written: Instant| last.sent < written && written <= called_at;
                let age = called_at.saturating_duration_since(last.sent);
                let is_fresh = age < DIRTY_LIST_MAX_AGE || (age < LIST_MAX_AGE && !self.is_dirty);
                !self.written.is_some_and(is_missing) && (is_fresh || last.received >= called_at)
            }
        }
    }

    /// Returns true if it is time to fetch the nodes again even if events keep them current.
    pub fn is_old(&self, now: Instant) -> bool {
        let age = |last: NodesFetch| now.saturating_duration_since(last.sent);
        self.last.is_some_and(|last| age(last) >= MAX_AGE_WITH_EVENTS)
    }
}

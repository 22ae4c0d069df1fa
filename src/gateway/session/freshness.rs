//! Decides whether a gateway's snapshot is current enough for a call, and requests what is missing
//! (`docs/dev/ARCHITECTURE.md#how-current-a-snapshot-is`).
//!
//! If the gateway sends events, nodes requested after the first event stay current until an event requires a
//! new fetch, the gateway restarts, or the connection to the broker is lost. Without events, a command needs a
//! fetch that was requested after the call, and a list needs a recent fetch.

use std::time::Duration;

use tokio::time::Instant;

use super::liveness::ProbeReason;
use super::{Moment, Session};
use crate::gateway::trouble::Trouble;

/// The purpose for which a call needs the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// To stop something. The known nodes are enough, however old they are.
    Known,
    /// To list devices.
    List,
    /// To decide what to write, and to which node.
    Control,
    /// To say that no device has the name in the call. This needs a new fetch, because events do not report
    /// every new name.
    Miss,
}

/// Without events, the maximum age of nodes for a list, if nothing indicates a change since the fetch.
pub const LIST_MAX_AGE: Duration = Duration::from_secs(10);

/// Without events, the maximum age of nodes for a list, if something may have changed since the fetch.
const DIRTY_LIST_MAX_AGE: Duration = Duration::from_secs(1);

/// With events, the age from which a call requests the nodes again. Lists and commands do not wait for this
/// fetch.
const MAX_AGE_WITH_EVENTS: Duration = Duration::from_secs(600);

/// The maximum age of scenes and groups for a list, and for the last check before a scene or group is written.
pub const SCENES_MAX_AGE: Duration = Duration::from_secs(2);

/// A completed fetch of the nodes, or of the scenes and groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// When the request was sent.
    pub sent: Instant,
    /// When the reply arrived.
    pub received: Instant,
}

impl Fetch {
    /// Returns how long the fetch took.
    pub fn duration(self) -> Duration {
        self.received.saturating_duration_since(self.sent)
    }
}

/// How current the known nodes are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Freshness {
    /// The last fetch of the nodes, possibly in an earlier life.
    pub last_fetch: Option<Fetch>,
    /// True if something may have changed since the last fetch.
    pub is_dirty: bool,
    /// When we last wrote something whose effect no event will report. A later list must show the effect.
    written_at: Option<Instant>,
    /// When the current life began. A fetch requested earlier says nothing about this life.
    life_since: Option<Instant>,
    /// When we last learned that nodes were added, removed or changed. A fetch received earlier is obsolete.
    restructured_at: Option<Instant>,
    /// When the first event of this life arrived. From this time on, events report every change.
    events_since: Option<Instant>,
}

impl Freshness {
    /// Returns true if the last fetch was requested in the current life.
    pub fn is_from_this_life(&self) -> bool {
        let in_this_life = |last: Fetch| self.life_since.is_none_or(|since| last.sent >= since);
        self.last_fetch.is_some_and(in_this_life)
    }

    /// Notes that we wrote something. Does nothing if events report every change, including the effect.
    pub fn mark_written(&mut self, now: Instant) {
        if !self.is_kept_by_events() {
            self.is_dirty = true;
            self.written_at = Some(now);
        }
    }

    /// Notes that nodes were added, removed or changed. A fetch that arrives later than this news shows the
    /// change, because the gateway's messages arrive in order.
    pub fn mark_restructured(&mut self, now: Instant) {
        self.restructured_at = Some(now);
        self.is_dirty = true;
    }

    /// Notes that a new life began. Whether events are on is unknown until one arrives in this life.
    pub fn begin_life(&mut self, now: Instant) {
        self.events_since = None;
        self.life_since = Some(now);
        self.is_dirty = true;
    }

    /// Notes that an event arrived. Returns true for the first event of this life, which requires a new fetch.
    pub fn note_event(&mut self, now: Instant) -> bool {
        let is_first = self.events_since.is_none();
        self.events_since.get_or_insert(now);
        is_first
    }

    /// Returns true if events have reported every change since the nodes were requested.
    pub fn is_kept_by_events(&self) -> bool {
        let Some((fetch, events_since)) = self.valid_fetch().zip(self.events_since) else {
            return false;
        };
        fetch.sent >= events_since
    }

    /// Returns the last fetch, unless it is obsolete because of a new life or a change of the nodes.
    fn valid_fetch(&self) -> Option<Fetch> {
        let shows_change =
            |fetch: &Fetch| self.restructured_at.is_none_or(|changed| fetch.received >= changed);
        self.last_fetch.filter(|_| self.is_from_this_life()).filter(shows_change)
    }

    /// Returns true if the known nodes are current enough for a call made at `called_at`.
    ///
    /// Without events, a list needs a fetch that shows what we wrote before the call. The fetch must also be
    /// recent, or have been received after the call. A command needs a fetch that was requested after the call.
    /// In an earlier fetch, a name may still belong to another node.
    pub fn is_enough(&self, need: Need, called_at: Instant) -> bool {
        let Some(fetch) = self.valid_fetch() else {
            return need == Need::Known && self.last_fetch.is_some();
        };
        match need {
            Need::Known => true,
            Need::List | Need::Control if self.is_kept_by_events() => true,
            Need::Control | Need::Miss => fetch.sent >= called_at,
            Need::List => {
                let is_missing = |written: Instant| fetch.sent < written && written <= called_at;
                let misses_write = self.written_at.is_some_and(is_missing);
                let age = called_at.saturating_duration_since(fetch.sent);
                let is_recent = age < DIRTY_LIST_MAX_AGE || (age < LIST_MAX_AGE && !self.is_dirty);
                !misses_write && (is_recent || fetch.received >= called_at)
            }
        }
    }

    /// Returns true if it is time to fetch the nodes again even if events keep them current.
    pub fn is_old(&self, now: Instant) -> bool {
        let age = |last: Fetch| now.saturating_duration_since(last.sent);
        self.last_fetch.is_some_and(|last| age(last) >= MAX_AGE_WITH_EVENTS)
    }
}

/// Returns true if a request was sent after `called_at`, or less than `max_age` before `called_at`.
fn is_fresh(sent: Instant, called_at: Instant, max_age: Duration) -> bool {
    called_at.saturating_duration_since(sent) < max_age || sent >= called_at
}

impl Session {
    /// Requests whatever a call made at `called_at` still lacks. If the gateway is silent, probes it instead.
    pub fn want(&mut self, need: Need, called_at: Instant, now: Moment) {
        if !self.is_linked || self.liveness.is_away() {
            return;
        }
        if self.liveness.is_silent {
            return self.probe(now.at, ProbeReason::Doubt, now);
        }
        let is_urgent = matches!(need, Need::Control | Need::Miss);
        match self.trouble(now) {
            None => {}
            // A command needs the nodes now, even if the last fetch failed.
            Some(Trouble::NodesUnread { .. }) if is_urgent => {}
            // The trouble may be over, so have the nodes fetched soon.
            Some(_) => return self.nodes_refresh.note_change(now.at),
        }
        let is_enough = self.freshness.is_enough(need, called_at);
        if !is_enough || self.freshness.is_old(called_at) {
            // A list can use the fetch that is under way.
            if is_urgent || self.nodes_request.is_none() {
                self.nodes_refresh.add_waiting_call(called_at);
            }
        }
        if is_enough && need == Need::List && !self.are_scenes_settled(called_at) {
            self.want_scenes(called_at, SCENES_MAX_AGE);
            // Over a half-open connection, nothing else shows before the list that the values may be old.
            if self.nodes_request.is_none() {
                self.probe(now.at, ProbeReason::Doubt, now);
            }
        }
    }

    /// Requests the nodes, because a node was written to since they were last read.
    pub fn want_written(&mut self, now: Moment) {
        if self.is_reachable() {
            self.nodes_refresh.add_waiting_call(now.at);
        }
    }

    /// Requests the scenes and groups, unless [they are fresh](Self::are_scenes_fresh), or will be when the
    /// request under way is answered.
    pub fn want_scenes(&mut self, called_at: Instant, max_age: Duration) {
        let sent = self.scenes_request.as_ref().map(|request| request.sent);
        let is_under_way = sent.is_some_and(|sent| is_fresh(sent, called_at, max_age));
        if !self.are_scenes_fresh(called_at, max_age) && !is_under_way {
            self.scenes_refresh.add_waiting_call(called_at);
        }
    }

    /// Returns true if the scenes and groups were fetched by a request that was sent after `called_at`, or less
    /// than `max_age` before `called_at`.
    pub fn are_scenes_fresh(&self, called_at: Instant, max_age: Duration) -> bool {
        self.scenes_fetch.is_some_and(|fetch| is_fresh(fetch.sent, called_at, max_age))
    }

    /// Returns true if a list requested at `called_at` need not wait for the scenes and groups, either because
    /// they are fresh, or because a request that was sent after `called_at` has failed.
    fn are_scenes_settled(&self, called_at: Instant) -> bool {
        self.are_scenes_fresh(called_at, SCENES_MAX_AGE)
            || self.scenes_tried_at.is_some_and(|tried| tried >= called_at)
    }

    /// Returns true if a request for the scenes and groups is under way or scheduled.
    pub fn are_scenes_coming(&self) -> bool {
        self.scenes_request.is_some() || self.scenes_refresh.due().is_some()
    }

    /// Returns true if the gateway is reachable, is not being probed, and has a snapshot that is current enough
    /// for a call made at `called_at`.
    pub fn is_ready(&self, need: Need, called_at: Instant) -> bool {
        self.is_reachable()
            && !self.is_probed()
            && self.freshness.is_enough(need, called_at)
            && (need != Need::List || self.are_scenes_settled(called_at))
    }

    /// Returns true if the gateway [is ready](Self::is_ready), or can be expected to become so.
    pub fn may_become_ready(&self, need: Need, now: Moment) -> bool {
        if self.is_probed() {
            return true;
        }
        let is_being_read =
            matches!(need, Need::Control | Need::Miss) && self.nodes_request.is_some();
        self.is_reachable() && (is_being_read || self.trouble(now).is_none())
    }

    /// Explains why the nodes, or the scenes and groups, did not arrive for a call made at `called_at`.
    pub fn explain_unread(&self, called_at: Instant) -> Trouble {
        let gateway = self.name.to_string();
        if self.liveness.was_heard_since(called_at) {
            Trouble::NodesUnread { gateway }
        } else {
            Trouble::silent(gateway)
        }
    }
}

//! When a gateway's nodes are fetched again: soon, but not often.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

use crate::home::ids::{NodeId, ValueId};

/// Two fetches of one gateway are at least this far apart.
const SHORTEST: Duration = Duration::from_secs(1);

/// A gateway that keeps changing is fetched at least this often.
const LONGEST_FOR_CHANGES: Duration = Duration::from_secs(4);

/// A gateway whose topics keep making no sense is fetched this seldom.
const LONGEST_FOR_TOPICS: Duration = Duration::from_secs(300);

/// How many topics that make no sense are remembered; what comes above that asks for nothing.
const MOST_REMEMBERED: usize = 4096;

/// How many of them are looked up again after a fetch.
const MOST_PENDING: usize = 64;

/// What was heard of and belongs to nothing that is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Unmatched {
    /// A topic.
    Topic(String),
    /// A value in an event.
    Value(NodeId, ValueId),
    /// A node that says it is of this topic, which is another one's.
    Named(NodeId, String),
}

/// The plan for fetching one gateway's nodes.
#[derive(Debug, Default)]
pub struct Refetch {
    due: Option<Instant>,
    last: Option<Instant>,
    /// The distance to the next fetch; none is the shortest.
    distance: Option<Duration>,
    /// How many fetches in a row failed.
    failures: u32,
    pending: VecDeque<Unmatched>,
    remembered: HashSet<Unmatched>,
}

impl Refetch {
    /// Something changed that the snapshot does not show.
    pub fn changed(&mut self, now: Instant) {
        let distance = self.distance.unwrap_or(SHORTEST).min(LONGEST_FOR_CHANGES);
        self.ask(now, distance);
    }

    /// Something belongs to nothing that is known. False where that is no news, and asks for nothing.
    pub fn unmatched(&mut self, now: Instant, what: Unmatched) -> bool {
        let known = self.remembered.contains(&what) || self.pending.contains(&what);
        if known || self.remembered.len() >= MOST_REMEMBERED || self.pending.len() >= MOST_PENDING {
            return false;
        }
        self.pending.push_back(what);
        self.ask(now, self.distance.unwrap_or(SHORTEST));
        true
    }

    fn ask(&mut self, now: Instant, distance: Duration) {
        let at = self.last.map_or(now, |last| (last + distance).max(now));
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    /// When the next fetch is due.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// A fetch starts. One that follows soon upon another makes the next one wait longer.
    pub fn started(&mut self, now: Instant) {
        let distance = self.distance.unwrap_or(SHORTEST);
        let soon = self.last.is_some_and(|last| now < last + distance * 2);
        self.distance = soon.then(|| (distance * 2).min(LONGEST_FOR_TOPICS));
        self.last = Some(now);
        self.due = None;
    }

    /// The fetch is in: what still belongs to nothing is remembered and never asks again.
    pub fn finished(&mut self, mut still_unmatched: impl FnMut(&Unmatched) -> bool) {
        self.failures = 0;
        for what in std::mem::take(&mut self.pending) {
            if still_unmatched(&what) {
                self.remembered.insert(what);
            }
        }
    }

    /// The fetch failed, and is tried again, ever more seldom. True where it is the first failure
    /// in a row.
    pub fn failed(&mut self, now: Instant) -> bool {
        let distance = SHORTEST * 2_u32.saturating_pow(self.failures).min(300);
        self.failures = self.failures.saturating_add(1);
        self.ask(now, distance.min(LONGEST_FOR_TOPICS));
        self.failures == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(start: Instant, millis: u64) -> Instant {
        start + Duration::from_millis(millis)
    }

    #[test]
    fn the_first_change_is_fetched_at_once_and_the_next_after_a_second() {
        let start = Instant::now();
        let mut refetch = Refetch::default();
        refetch.changed(start);
        assert_eq!(refetch.due(), Some(start));
        refetch.started(start);
        assert_eq!(refetch.due(), None);
        refetch.changed(after(start, 100));
        assert_eq!(refetch.due(), Some(after(start, 1000)));
    }

    #[test]
    fn a_leftover_topic_asks_once_and_never_again() {
        let start = Instant::now();
        let mut refetch = Refetch::default();
        let topic = || Unmatched::Topic("nodeID_21/status".to_owned());
        refetch.unmatched(start, topic());
        refetch.started(start);
        refetch.finished(|_| true);
        refetch.unmatched(after(start, 5000), topic());
        assert_eq!(refetch.due(), None);
    }

    #[test]
    fn new_topics_without_end_are_fetched_ever_more_seldom() {
        let start = Instant::now();
        let mut refetch = Refetch::default();
        let mut fetches = 0;
        for second in 0..3600 {
            let now = after(start, second * 1000);
            refetch.unmatched(now, Unmatched::Topic(format!("junk/{second}")));
            if refetch.due().is_some_and(|due| due <= now) {
                fetches += 1;
                refetch.started(now);
                refetch.finished(|_| true);
            }
        }
        assert!(fetches < 25, "{fetches} fetches in an hour");
    }

    #[test]
    fn a_gateway_that_does_not_answer_is_asked_ever_more_seldom_but_at_once_when_it_shows_up() {
        let start = Instant::now();
        let mut refetch = Refetch::default();
        let mut fetches = 0;
        refetch.changed(start);
        for second in 0..3600 {
            let now = after(start, second * 1000);
            if refetch.due().is_some_and(|due| due <= now) {
                fetches += 1;
                refetch.started(now);
                assert_eq!(refetch.failed(now), fetches == 1);
            }
        }
        assert!(fetches < 25, "{fetches} fetches in an hour");
        let now = after(start, 3_600_000);
        refetch.changed(now);
        assert!(refetch.due().unwrap() <= now);
    }
}

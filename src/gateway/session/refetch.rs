//! When a gateway's nodes are read again though nobody asks: soon, but not often.

use std::time::Duration;

use tokio::time::Instant;

/// Two readings that nobody asks for are at least this far apart.
const SHORTEST: Duration = Duration::from_secs(1);

/// A gateway that tells of changes of which nothing comes, or that does not answer, is read this
/// seldom.
const LONGEST: Duration = Duration::from_secs(300);

/// The plan for reading one gateway's nodes.
#[derive(Debug)]
pub struct Refetch {
    due: Option<Instant>,
    last: Option<Instant>,
    /// How far apart two readings are now.
    distance: Duration,
    /// The present reading was due; else somebody asked for it.
    was_due: bool,
    /// How many readings in a row failed.
    failures: u32,
}

impl Default for Refetch {
    fn default() -> Self {
        Self {
            due: None,
            last: None,
            distance: SHORTEST,
            was_due: false,
            failures: 0,
        }
    }
}

impl Refetch {
    /// Something changed that the snapshot does not show.
    pub fn changed(&mut self, now: Instant) {
        self.ask(now, self.distance);
    }

    /// How many readings in a row failed.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// When the last reading started.
    pub fn last(&self) -> Option<Instant> {
        self.last
    }

    /// The gateway or the connection is back: whatever came of earlier changes is forgotten.
    pub fn returned(&mut self, now: Instant) {
        self.distance = SHORTEST;
        self.failures = 0;
        self.changed(now);
    }

    fn ask(&mut self, now: Instant, distance: Duration) {
        let at = self.last.map_or(now, |last| (last + distance).max(now));
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    /// When the next reading is due.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// A reading starts, which shows every change that was reported so far.
    pub fn started(&mut self, now: Instant) {
        self.was_due = self.due.take().is_some_and(|due| due <= now);
        // Who was quiet for long is read at once again.
        if self.last.is_none_or(|last| now >= last + self.distance * 2) {
            self.distance = SHORTEST;
        }
        self.last = Some(now);
    }

    /// The nodes are in; whether they are others than before, or have other names.
    pub fn finished(&mut self, news: bool) {
        self.failures = 0;
        if news {
            self.distance = SHORTEST;
        } else if self.was_due {
            self.distance = (self.distance * 2).min(LONGEST);
        }
    }

    /// The reading failed, and is tried again, ever more seldom. True where it is the first failure
    /// in a row.
    pub fn failed(&mut self, now: Instant) -> bool {
        let distance = SHORTEST * 2_u32.saturating_pow(self.failures).min(300);
        self.failures = self.failures.saturating_add(1);
        self.ask(now, distance.min(LONGEST));
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
    fn the_first_change_is_read_at_once_and_the_next_after_a_second() {
        let start = Instant::now();
        let mut refetch = Refetch::default();
        refetch.changed(start);
        assert_eq!(refetch.due(), Some(start));
        refetch.started(start);
        assert_eq!(refetch.due(), None);
        refetch.finished(true);
        refetch.changed(after(start, 100));
        assert_eq!(refetch.due(), Some(after(start, 1000)));
    }

    /// How often it is read in an hour in which something tells of a change every second.
    fn readings(start: Instant, refetch: &mut Refetch, news: bool) -> usize {
        let mut readings = 0;
        for second in 0..3600 {
            let now = after(start, second * 1000);
            refetch.changed(now);
            if refetch.due().is_some_and(|due| due <= now) {
                readings += 1;
                refetch.started(now);
                refetch.finished(news);
            }
        }
        readings
    }

    #[test]
    fn changes_of_which_nothing_comes_are_read_ever_more_seldom() {
        let start = Instant::now();
        let mut refetch = Refetch::default();
        let fruitless = readings(start, &mut refetch, false);
        assert!(fruitless < 25, "{fruitless} readings in an hour");
        refetch.returned(after(start, 3_600_000));
        let fruitful = readings(after(start, 3_601_000), &mut refetch, true);
        assert!(fruitful > 1700, "{fruitful} readings in an hour");
    }

    #[test]
    fn a_gateway_that_does_not_answer_is_asked_ever_more_seldom_but_at_once_when_it_returns() {
        let start = Instant::now();
        let mut refetch = Refetch::default();
        let mut readings = 0;
        refetch.changed(start);
        for second in 0..3600 {
            let now = after(start, second * 1000);
            if refetch.due().is_some_and(|due| due <= now) {
                readings += 1;
                refetch.started(now);
                assert_eq!(refetch.failed(now), readings == 1);
            }
        }
        assert!(readings < 25, "{readings} readings in an hour");
        let now = after(start, 3_600_000);
        refetch.returned(now);
        assert!(refetch.due().unwrap() <= now);
    }
}

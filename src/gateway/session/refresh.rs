//! The schedule of requests to a gateway: at once for a call that waits, otherwise soon, but not often.

use std::time::Duration;

use tokio::time::Instant;

/// The time between two requests that no call waits for.
const MIN_BACKOFF: Duration = Duration::from_secs(1);

/// Maximum backoff while readings show no change or fail.
const MAX_BACKOFF: Duration = Duration::from_secs(300);

/// The schedule for asking a gateway for one thing: its nodes, or its scenes and groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Refresh {
    /// When the last call came that waits for a request made since then.
    wanted: Option<Instant>,
    /// When it is asked for even if no call waits.
    due: Option<Instant>,
    /// When it was asked for last.
    pub last: Option<Instant>,
    backoff: Duration,
    /// True if the present request was due; otherwise a call waits for it.
    was_due: bool,
    /// The number of requests in a row that failed.
    pub failures: u32,
}

impl Default for Refresh {
    fn default() -> Self {
        Self {
            wanted: None,
            due: None,
            last: None,
            backoff: MIN_BACKOFF,
            was_due: false,
            failures: 0,
        }
    }
}

impl Refresh {
    /// Notes that a call came that waits for a request made since then.
    pub fn want(&mut self, called_at: Instant) {
        self.wanted = self.wanted.max(Some(called_at));
    }

    /// Notes that something changed that was not read yet.
    pub fn note_change(&mut self, now: Instant) {
        self.ask(now, self.backoff);
    }

    /// Forgets the backoff, because the gateway or the connection is back.
    pub fn restart(&mut self, now: Instant) {
        self.backoff = MIN_BACKOFF;
        self.failures = 0;
        self.note_change(now);
    }

    fn ask(&mut self, now: Instant, backoff: Duration) {
        let at = self.last.map_or(now, |last| (last + backoff).max(now));
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    /// Returns when it has to be asked for; a time in the past if a call waits.
    pub fn due(&self) -> Option<Instant> {
        self.wanted.into_iter().chain(self.due).min()
    }

    /// Notes that it is asked for, which will show every change that was reported so far.
    pub fn start(&mut self, now: Instant) {
        self.was_due = self.due.take().is_some_and(|due| due <= now);
        // Nodes that were quiet for long are read again at once.
        if self.last.is_none_or(|last| now >= last + self.backoff * 2) {
            self.backoff = MIN_BACKOFF;
        }
        self.last = Some(now);
    }

    /// Notes that it came. `sent` is when it was asked for, and `news` is true if it differs from
    /// before.
    pub fn finish(&mut self, sent: Instant, news: bool) {
        self.wanted = self.wanted.filter(|wanted| *wanted > sent);
        self.failures = 0;
        if news {
            self.backoff = MIN_BACKOFF;
        } else if self.was_due {
            self.backoff = (self.backoff * 2).min(MAX_BACKOFF);
        }
    }

    /// Notes that it did not come. It is asked for again, ever more seldom, and no call waits for it
    /// any more. Returns true for the first failure in a row.
    pub fn fail(&mut self, now: Instant) -> bool {
        let backoff = MIN_BACKOFF * 2_u32.saturating_pow(self.failures).min(300);
        self.failures = self.failures.saturating_add(1);
        self.wanted = None;
        self.ask(now, backoff.min(MAX_BACKOFF));
        self.failures == 1
    }

    /// Gives up waiting: the gateway is away.
    pub fn give_up(&mut self) {
        self.wanted = None;
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
        let mut refresh = Refresh::default();
        refresh.note_change(start);
        assert_eq!(refresh.due(), Some(start));
        refresh.start(start);
        assert_eq!(refresh.due(), None);
        refresh.finish(start, true);
        refresh.note_change(after(start, 100));
        assert_eq!(refresh.due(), Some(after(start, 1000)));
    }

    #[test]
    fn a_call_is_waited_with_for_nothing_and_served_by_what_was_asked_for_since() {
        let start = Instant::now();
        let mut refresh = Refresh::default();
        refresh.start(start);
        refresh.want(after(start, 10));
        assert_eq!(refresh.due(), Some(after(start, 10)));
        refresh.finish(start, false);
        assert_eq!(
            refresh.due(),
            Some(after(start, 10)),
            "it was asked for before"
        );
        refresh.start(after(start, 20));
        refresh.finish(after(start, 20), false);
        assert_eq!(refresh.due(), None);
    }

    /// Counts the readings in an hour in which something tells of a change every second.
    fn readings(start: Instant, refresh: &mut Refresh, news: bool) -> usize {
        let mut readings = 0;
        for second in 0..3600 {
            let now = after(start, second * 1000);
            refresh.note_change(now);
            if refresh.due().is_some_and(|due| due <= now) {
                readings += 1;
                refresh.start(now);
                refresh.finish(now, news);
            }
        }
        readings
    }

    #[test]
    fn changes_of_which_nothing_comes_are_read_ever_more_seldom() {
        let start = Instant::now();
        let mut refresh = Refresh::default();
        let fruitless = readings(start, &mut refresh, false);
        assert!(fruitless < 25, "{fruitless} readings in an hour");
        refresh.restart(after(start, 3_600_000));
        let fruitful = readings(after(start, 3_601_000), &mut refresh, true);
        assert!(fruitful > 1700, "{fruitful} readings in an hour");
    }

    #[test]
    fn a_gateway_that_does_not_answer_is_asked_ever_more_seldom_but_at_once_when_it_returns() {
        let start = Instant::now();
        let mut refresh = Refresh::default();
        let mut readings = 0;
        refresh.note_change(start);
        for second in 0..3600 {
            let now = after(start, second * 1000);
            if refresh.due().is_some_and(|due| due <= now) {
                readings += 1;
                refresh.start(now);
                assert_eq!(refresh.fail(now), readings == 1);
            }
        }
        assert!(readings < 25, "{readings} readings in an hour");
        let now = after(start, 3_600_000);
        refresh.restart(now);
        assert!(refresh.due().unwrap() <= now);
    }
}

//! Schedules requests to a gateway: at once if a call waits for the reply, otherwise with backoff.

use std::time::Duration;

use tokio::time::Instant;

/// The minimum time between two requests that no call waits for.
const MIN_BACKOFF: Duration = Duration::from_secs(1);

/// The maximum backoff, after many replies that show no change, or many failures.
const MAX_BACKOFF: Duration = Duration::from_secs(300);

/// The schedule of one kind of request: for the nodes, or for the scenes and groups.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refresh {
    /// When the latest of the waiting calls was made. This call needs a request sent at that time or later.
    latest_call: Option<Instant>,
    /// When the next request is due even if no call waits.
    scheduled: Option<Instant>,
    /// When the last request started.
    pub last_start: Option<Instant>,
    /// The number of replies in a row that show no change.
    unchanged: u32,
    /// True if the last request was due by schedule, and not only because a call waited.
    was_scheduled: bool,
    /// The number of failed requests in a row.
    pub failures: u32,
}

/// Returns the backoff after this number of failures, or of replies that show no change.
fn backoff(count: u32) -> Duration {
    let factor = 2_u32.saturating_pow(count);
    MIN_BACKOFF.saturating_mul(factor).min(MAX_BACKOFF)
}

impl Refresh {
    /// Notes that a call waits for a request sent at `called_at` or later.
    pub fn add_waiting_call(&mut self, called_at: Instant) {
        self.latest_call = self.latest_call.max(Some(called_at));
    }

    /// Schedules a request, because something changed or may have changed.
    pub fn note_change(&mut self, now: Instant) {
        self.schedule(now, backoff(self.unchanged));
    }

    /// Resets the backoff and schedules a request, because the gateway or the connection is back.
    pub fn restart(&mut self, now: Instant) {
        self.unchanged = 0;
        self.failures = 0;
        self.note_change(now);
    }

    fn schedule(&mut self, now: Instant, backoff: Duration) {
        let at = self.last_start.map_or(now, |last| (last + backoff).max(now));
        self.scheduled = Some(self.scheduled.map_or(at, |scheduled| scheduled.min(at)));
    }

    /// Returns when the next request is due; a time in the past if a call waits.
    pub fn due(&self) -> Option<Instant> {
        self.latest_call.into_iter().chain(self.scheduled).min()
    }

    /// Notes that a request starts. The reply will show every change that was reported so far.
    pub fn start(&mut self, now: Instant) {
        self.was_scheduled = self.scheduled.take().is_some_and(|due| due <= now);
        // After twice the backoff without a request, start over with the shortest backoff.
        if self.last_start.is_none_or(|last| now >= last + backoff(self.unchanged) * 2) {
            self.unchanged = 0;
        }
        self.last_start = Some(now);
    }

    /// Notes the reply to a request sent at `sent`. `has_changed` is true if the reply shows a change.
    pub fn finish(&mut self, sent: Instant, has_changed: bool) {
        self.latest_call = self.latest_call.filter(|call| *call > sent);
        self.failures = 0;
        if has_changed {
            self.unchanged = 0;
        } else if self.was_scheduled {
            self.unchanged += 1;
        }
    }

    /// Notes that the request failed. Schedules a retry with backoff, and drops the waiting calls. Returns
    /// true for the first failure in a row.
    pub fn fail(&mut self, now: Instant) -> bool {
        let retry_delay = backoff(self.failures);
        self.failures = self.failures.saturating_add(1);
        self.latest_call = None;
        self.schedule(now, retry_delay);
        self.failures == 1
    }

    /// Drops the waiting calls, because the gateway or the connection is away.
    pub fn give_up(&mut self) {
        self.latest_call = None;
    }
}

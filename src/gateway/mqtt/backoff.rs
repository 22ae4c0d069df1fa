//! The delays between attempts to connect.

use std::time::Duration;

/// The delay between two attempts in the same round, and the delay after the first round. After each further
/// round, the delay is twice as long as after the previous one, up to `MAX_DELAY`. Each client shortens its
/// delays by up to a quarter, so that clients do not all return at once.
pub const MIN_DELAY: Duration = Duration::from_millis(250);

/// The maximum delay between rounds.
const MAX_DELAY: Duration = Duration::from_secs(4);

/// The delays of a client that tries each of its brokers once per round.
pub struct Backoff {
    brokers: usize,
    /// The number of failed attempts since the last connection was up.
    failed: usize,
    /// The delay after the current round.
    delay: Duration,
    /// The factor that shortens this client's delays.
    factor: f64,
}

impl Backoff {
    /// Creates the backoff of a client that has not connected yet.
    pub fn new(brokers: usize, seed: u64) -> Self {
        Self {
            brokers: brokers.max(1),
            failed: 0,
            delay: MIN_DELAY,
            factor: 1.0 - 0.25 * (seed as f64 / u64::MAX as f64),
        }
    }

    /// Starts over, after a connection that was up.
    pub fn reset(&mut self) {
        self.failed = 0;
        self.delay = MIN_DELAY;
    }

    /// Counts an attempt that failed.
    pub fn count_failure(&mut self) {
        self.failed += 1;
    }

    /// Returns true if the broker that failed last has failed only once.
    pub fn is_first_failure_of_broker(&self) -> bool {
        self.failed <= self.brokers
    }

    /// Returns true if no round is under way: all brokers have been tried equally often.
    pub fn is_between_rounds(&self) -> bool {
        self.failed.is_multiple_of(self.brokers)
    }

    /// Returns the delay before the next attempt.
    pub fn next_delay(&mut self) -> Duration {
        let delay = if self.is_between_rounds() {
            let next_delay = (self.delay * 2).min(MAX_DELAY);
            std::mem::replace(&mut self.delay, next_delay)
        } else {
            MIN_DELAY
        };
        delay.mul_f64(self.factor)
    }
}

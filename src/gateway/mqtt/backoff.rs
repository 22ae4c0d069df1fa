//! The delays between attempts to connect.

use std::time::Duration;

/// The delay between two attempts in the same round, and the delay after the first round. After each further
/// round, the delay is twice as long as after the previous one, up to `MAX_DELAY`. Each client shortens its
/// delays by up to a quarter, so that clients do not all return at once.
const MIN_DELAY: Duration = Duration::from_millis(250);

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_seeds_shorten_delays_by_up_to_a_quarter() {
        let first_delay = |percent| Backoff::new(1, u64::MAX / 100 * percent).next_delay();
        let delays: Vec<Duration> = (0..=100).map(first_delay).collect();
        let bounds = MIN_DELAY * 3 / 4..=MIN_DELAY;
        assert!(delays.iter().all(|delay| bounds.contains(delay)));
        assert!(delays.windows(2).all(|pair| pair[0] != pair[1]));
    }

    /// Returns the delay after each of `count` failures, in quarters of a second, rounded up.
    fn delays_after(backoff: &mut Backoff, count: usize) -> Vec<u32> {
        let steps = (0..count).map(|_| {
            backoff.count_failure();
            (backoff.next_delay().as_secs_f64() / 0.25).ceil() as u32
        });
        steps.collect()
    }

    /// Asserts that each delay is at most its `longest` value, and at least three quarters of it (rounded up).
    #[track_caller]
    fn assert_delays(delays: &[u32], longest: &[u32]) {
        assert_eq!(delays.len(), longest.len());
        for (delay, longest) in delays.iter().zip(longest) {
            let shortest = (longest * 3).div_ceil(4);
            assert!((shortest..=*longest).contains(delay), "{delays:?}");
        }
    }

    #[test]
    fn delays_double_up_to_the_maximum_and_start_over_after_a_connection() {
        let mut backoff = Backoff::new(1, 7);
        assert_delays(&delays_after(&mut backoff, 7), &[1, 2, 4, 8, 16, 16, 16]);
        backoff.reset();
        assert_delays(
            &[(backoff.next_delay().as_secs_f64() / 0.25).ceil() as u32],
            &[1],
        );
        assert_delays(&delays_after(&mut backoff, 2), &[2, 4]);
    }

    #[test]
    fn delays_within_a_round_stay_short_and_those_between_rounds_double() {
        let mut backoff = Backoff::new(3, 7);
        let delays = delays_after(&mut backoff, 12);
        assert_delays(&delays, &[1, 1, 1, 1, 1, 2, 1, 1, 4, 1, 1, 8]);
        backoff.reset();
        assert!(backoff.is_between_rounds() && backoff.is_first_failure_of_broker());
        backoff.count_failure();
        assert!(!backoff.is_between_rounds());
    }
}

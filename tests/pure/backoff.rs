//! The delays between attempts to connect.

use std::time::Duration;

use zwave_mcp_server::gateway::mqtt::backoff::{Backoff, MIN_DELAY};

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

//! When nodes, scenes and groups are fetched again.

use std::time::Duration;

use tokio::time::Instant;
use zwave_mcp_server::gateway::session::refresh::Refresh;

fn after(start: Instant, millis: u64) -> Instant {
    start + Duration::from_millis(millis)
}

#[test]
fn the_first_change_is_read_at_once_and_the_next_change_a_second_later() {
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
fn the_request_for_a_waiting_call_is_due_at_once_and_must_be_sent_after_the_call() {
    let start = Instant::now();
    let mut refresh = Refresh::default();
    refresh.start(start);
    refresh.add_waiting_call(after(start, 10));
    assert_eq!(refresh.due(), Some(after(start, 10)));
    refresh.finish(start, false);
    assert_eq!(
        refresh.due(),
        Some(after(start, 10)),
        "the finished request was sent before the call"
    );
    refresh.start(after(start, 20));
    refresh.finish(after(start, 20), false);
    assert_eq!(refresh.due(), None);
}

/// Counts the requests in an hour in which a change is reported every second.
fn count_fetches(start: Instant, refresh: &mut Refresh, has_changed: bool) -> usize {
    let mut fetches = 0;
    for second in 0..3600 {
        let now = after(start, second * 1000);
        refresh.note_change(now);
        if refresh.due().is_some_and(|due| due <= now) {
            fetches += 1;
            refresh.start(now);
            refresh.finish(now, has_changed);
        }
    }
    fetches
}

#[test]
fn requests_back_off_while_replies_show_no_change() {
    let start = Instant::now();
    let mut refresh = Refresh::default();
    let unchanged = count_fetches(start, &mut refresh, false);
    assert!(unchanged < 25, "{unchanged} fetches in an hour");
    refresh.restart(after(start, 3_600_000));
    let changed = count_fetches(after(start, 3_601_000), &mut refresh, true);
    assert!(changed > 1700, "{changed} fetches in an hour");
}

#[test]
fn failed_requests_back_off_until_the_gateway_returns() {
    let start = Instant::now();
    let mut refresh = Refresh::default();
    let mut fetches = 0;
    refresh.note_change(start);
    for second in 0..3600 {
        let now = after(start, second * 1000);
        if refresh.due().is_some_and(|due| due <= now) {
            fetches += 1;
            refresh.start(now);
            assert_eq!(refresh.fail(now), fetches == 1);
        }
    }
    assert!(fetches < 25, "{fetches} fetches in an hour");
    let now = after(start, 3_600_000);
    refresh.restart(now);
    assert!(refresh.due().unwrap() <= now);
}

//! Gateways that only retained messages name are probed in batches, and there is a limit to them.

use std::time::Duration;

use tokio::time::Instant;
use zwave_mcp_server::gateway::network::unconfirmed::UnconfirmedGateways;

#[test]
fn gateways_are_first_probed_in_quick_batches_and_later_with_backoff() {
    let start = Instant::now();
    let mut unconfirmed = UnconfirmedGateways::default();
    for number in 0..1000 {
        unconfirmed.add(&format!("old-{number}"), Some(true), start);
    }
    let batches = (0..50)
        .map(|batch| unconfirmed.next_batch(start + Duration::from_millis(20) * batch).len());
    assert_eq!(batches.sum::<usize>(), 1000);
    let seconds = (1..3600).map(Duration::from_secs);
    let later: usize = seconds.map(|after| unconfirmed.next_batch(start + after).len()).sum();
    assert!(later < 1000 * 20, "{later} probes in an hour");
    assert_eq!(unconfirmed.remove("old-3"), Some(true));
    assert_eq!(unconfirmed.names().len(), 999);
}

#[test]
fn a_known_gateway_gets_its_status_even_if_the_list_is_full() {
    let start = Instant::now();
    let mut unconfirmed = UnconfirmedGateways::default();
    for number in 0..=16_384 {
        unconfirmed.add(&format!("old-{number}"), None, start);
    }
    assert_eq!(unconfirmed.names().len(), 16_384);
    unconfirmed.add("old-3", Some(false), start);
    assert_eq!(unconfirmed.remove("old-3"), Some(false));
}

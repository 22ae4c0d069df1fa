//! The end of a session with calls in flight.

use std::time::Duration;

use simulator_testing::{Fault, Faults};
use tokio::time::{Instant, sleep};

use crate::House;
use crate::fixture::Server;

/// Starts a server and waits until it has read the house.
async fn start_and_read(house: &House, options: &[&str]) -> Server {
    let mut server = Server::start(&house.broker, options).await;
    server.list("").await;
    server
}

#[cfg(unix)]
#[tokio::test]
async fn a_call_in_flight_is_finished_after_stdin_is_closed_or_a_signal_arrives() {
    needs!(mosquitto);
    for ending in ["stdin", "TERM"] {
        let house = House::start().await;
        let mut server = start_and_read(&house, &[]).await;
        let call = server.begin_control("dead plug", "on").await;
        sleep(Duration::from_millis(200)).await;
        match ending {
            "stdin" => server.close_input(),
            signal => server.signal(signal),
        }
        call.answer().await.assert_says("failed", "did not respond");
        assert_eq!(server.wait_for_end().await, Some(0), "{ending}");
    }
}

#[tokio::test]
async fn a_call_that_takes_too_long_does_not_keep_the_process_alive() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = start_and_read(&house, &["--reply-timeout=60s"]).await;
    house.set_faults(Faults(vec![("*", Fault::Drop)]));
    let _call = server.begin_control("switch one", "on").await;
    sleep(Duration::from_millis(200)).await;
    let started = Instant::now();
    server.close_input();
    assert_eq!(server.wait_for_end().await, Some(0));
    // Calls in flight have 5 s to finish.
    let took = started.elapsed().as_secs();
    assert!((4..9).contains(&took), "{took} s");
}

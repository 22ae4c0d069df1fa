//! Unit tests of `src/gateway/mqtt/look_up.rs`.

use std::future::pending;
use std::iter::empty;

use super::*;

#[tokio::test(start_paused = true)]
async fn a_lookup_that_hangs_times_out() {
    let hanging = pending::<io::Result<std::iter::Empty<SocketAddr>>>();
    let why = within_limit(hanging).await.unwrap_err();
    assert_eq!(why, "its name could not be looked up within 5 s");
}

#[tokio::test]
async fn a_name_without_an_address_and_a_failed_lookup_have_different_errors() {
    let why = within_limit(async { Ok(empty()) }).await.unwrap_err();
    assert_eq!(why, "its name has no address");
    let unknown = async { Err::<std::iter::Empty<_>, _>(io::Error::other("nobody knows it")) };
    assert_eq!(within_limit(unknown).await.unwrap_err(), "nobody knows it");
}

#[tokio::test]
async fn an_address_needs_no_look_up() {
    let addresses = look_up("[::1]:1883").await.unwrap();
    assert_eq!(addresses, ["[::1]:1883".parse().unwrap()]);
}

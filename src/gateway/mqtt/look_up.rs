//! Looks up the broker's name. A failure has its own message, because it is not the broker's fault: in a
//! container without a resolver, for example, a lookup hangs.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::lookup_host;
use tokio::time::timeout;

use super::{CONNECT_SECONDS, describe_error};

/// The error for a lookup that took `CONNECT_SECONDS`.
const LOOKUP_TIMED_OUT: &str = "its name could not be looked up within 5 s";

/// Returns at least one address for a host and port. Takes at most `CONNECT_SECONDS`. After this time, a
/// lookup that hangs goes on in its thread.
///
/// # Errors
/// Fails with the reason, as shown to people.
pub async fn look_up(address: &str) -> Result<Vec<SocketAddr>, String> {
    within_limit(lookup_host(address)).await
}

async fn within_limit(
    lookup: impl Future<Output = io::Result<impl Iterator<Item = SocketAddr>>>,
) -> Result<Vec<SocketAddr>, String> {
    let limit = Duration::from_secs(CONNECT_SECONDS);
    match timeout(limit, lookup).await {
        Err(_) => Err(LOOKUP_TIMED_OUT.to_owned()),
        Ok(Err(error)) => Err(describe_error(&error)),
        Ok(Ok(addresses)) => match addresses.collect::<Vec<_>>() {
            none if none.is_empty() => Err("its name has no address".to_owned()),
            addresses => Ok(addresses),
        },
    }
}

#[cfg(test)]
mod tests {
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
}

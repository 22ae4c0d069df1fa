//! Looks up the broker's name. A failure here is not the broker's fault, and is not reported as such: a
//! container without a resolver waits for an answer that nobody gives.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::lookup_host;
use tokio::time::timeout;

use super::{CONNECT_SECONDS, word_error};

/// The error for a look-up that took `CONNECT_SECONDS`.
const NOT_LOOKED_UP: &str = "its name could not be looked up within 5 s";

/// Returns the addresses of a host and port, at least one, or why there is none. Takes at most
/// `CONNECT_SECONDS`; a look-up that hangs is left to its thread.
pub async fn look_up(address: &str) -> Result<Vec<SocketAddr>, String> {
    in_time(lookup_host(address)).await
}

async fn in_time(
    lookup: impl Future<Output = io::Result<impl Iterator<Item = SocketAddr>>>,
) -> Result<Vec<SocketAddr>, String> {
    let limit = Duration::from_secs(CONNECT_SECONDS);
    match timeout(limit, lookup).await {
        Err(_) => Err(NOT_LOOKED_UP.to_owned()),
        Ok(Err(error)) => Err(word_error(&error)),
        Ok(Ok(found)) => match found.collect::<Vec<_>>() {
            none if none.is_empty() => Err("its name has no address".to_owned()),
            all => Ok(all),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::iter::empty;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_look_up_that_hangs_is_called_a_look_up() {
        let hanging = pending::<io::Result<std::iter::Empty<SocketAddr>>>();
        let why = in_time(hanging).await.unwrap_err();
        assert_eq!(why, "its name could not be looked up within 5 s");
    }

    #[tokio::test]
    async fn a_name_without_an_address_and_one_that_nobody_knows_are_told_apart() {
        let why = in_time(async { Ok(empty()) }).await.unwrap_err();
        assert_eq!(why, "its name has no address");
        let unknown = async { Err::<std::iter::Empty<_>, _>(io::Error::other("nobody knows it")) };
        assert_eq!(in_time(unknown).await.unwrap_err(), "nobody knows it");
    }

    #[tokio::test]
    async fn an_address_needs_no_look_up() {
        let all = look_up("[::1]:1883").await.unwrap();
        assert_eq!(all, ["[::1]:1883".parse().unwrap()]);
    }
}

//! Looks up the broker's name. A failure has its own message, because it is not the broker's fault: in a
//! container without a resolver, for example, a lookup hangs.

use std::io;
use std::net::SocketAddr;

use tokio::net::lookup_host;
use tokio::time::timeout;

use super::{CONNECT_TIMEOUT, describe_error};

/// The error for a lookup that took `CONNECT_TIMEOUT`.
const LOOKUP_TIMED_OUT: &str = "its name could not be looked up within 5 s";

/// Returns at least one address for a host and port. Takes at most `CONNECT_TIMEOUT`. After this time, a
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
    match timeout(CONNECT_TIMEOUT, lookup).await {
        Err(_) => Err(LOOKUP_TIMED_OUT.to_owned()),
        Ok(Err(error)) => Err(describe_error(&error)),
        Ok(Ok(addresses)) => match addresses.collect::<Vec<_>>() {
            none if none.is_empty() => Err("its name has no address".to_owned()),
            addresses => Ok(addresses),
        },
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/gateway/mqtt/look_up.rs"]
mod tests;

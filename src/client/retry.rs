//! The policy by which a connection is tried: how often, and how long to wait in between.

use std::fmt::Display;
use std::time::Duration;

use tracing::{info, warn};

use super::error::seconds;

/// Tries until an attempt succeeds, waiting before each as long as the delays say. Each attempt gets
/// its number, counted from 1. Without delays there is still one attempt.
///
/// Dropping the future ends the trying.
///
/// # Errors
/// The last attempt's error.
pub async fn attempts<T, E: Display, F: Future<Output = Result<T, E>>>(
    delays: &[Duration],
    mut attempt: impl FnMut(usize) -> F,
) -> Result<T, E> {
    let count = delays.len().max(1);
    let mut number = 1;
    loop {
        let delay = delays.get(number - 1).copied().unwrap_or_default();
        info!(
            "MCP connection attempt {number} of {count}, after a delay of {}",
            seconds(delay)
        );
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        match attempt(number).await {
            Ok(value) => {
                info!("MCP connection succeeded on attempt {number}");
                return Ok(value);
            }
            Err(error) => {
                warn!("MCP connection attempt {number} of {count} failed: {error}");
                if number >= count {
                    return Err(error);
                }
            }
        }
        number += 1;
    }
}

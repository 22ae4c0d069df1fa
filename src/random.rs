//! Random secrets.

use rustls::crypto::ring::default_provider;
use thiserror::Error;

const SECRET_BYTES: usize = 32;

/// The system provides no random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a safe address needs random numbers, but the system provides none")]
pub struct NoRandomness;

/// Returns a new secret, in hexadecimal digits.
///
/// # Errors
/// See [`NoRandomness`].
pub fn secret() -> Result<String, NoRandomness> {
    let mut bytes = [0; SECRET_BYTES];
    let random = default_provider().secure_random;
    random.fill(&mut bytes).map_err(|_| NoRandomness)?;
    Ok(bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect())
}

//! Secrets that nobody can guess.

use rustls::crypto::ring::default_provider;
use thiserror::Error;

/// The random bytes of a secret.
const SECRET: usize = 32;

/// The system has no random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the system gives no random numbers, so nobody can be let in safely")]
pub struct NoRandomness;

/// Returns a new secret in hexadecimal digits.
///
/// # Errors
/// The system gives no random numbers.
pub fn secret() -> Result<String, NoRandomness> {
    let mut bytes = [0; SECRET];
    let random = default_provider().secure_random;
    random.fill(&mut bytes).map_err(|_| NoRandomness)?;
    Ok(bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect())
}

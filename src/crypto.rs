//! Random secrets, and TLS that trusts given certificates. Uses ring, and installs no process-wide crypto provider.

use std::sync::Arc;

use rustls::client::WantsClientCert;
use rustls::crypto::ring::default_provider;
use rustls::{ClientConfig, ConfigBuilder, RootCertStore};
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

/// Begins the configuration of a TLS client that trusts these certificates.
pub fn trusting(
    roots: RootCertStore,
) -> Result<ConfigBuilder<ClientConfig, WantsClientCert>, rustls::Error> {
    let provider = Arc::new(default_provider());
    let builder = ClientConfig::builder_with_provider(provider);
    Ok(builder.with_safe_default_protocol_versions()?.with_root_certificates(roots))
}

/// Returns the root certificates that the system trusts, except those that can't be read.
pub fn system_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    let native = rustls_native_certs::load_native_certs();
    for error in native.errors {
        tracing::debug!(%error, "part of the system's trust store can't be read");
    }
    roots.add_parsable_certificates(native.certs);
    roots
}

//! TLS to the broker: whom we trust, who we are, and what can be wrong with it.
//!
//! rustls with ring: no library of the system is needed to build it. Everything is read when a
//! connection is made, never before: a trust store of hundreds of certificates must not delay the host,
//! and a corrected file is used at the next attempt.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{AlertDescription, CertificateError, ClientConfig, RootCertStore};

/// The settings for TLS with the broker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tls {
    /// The certificates (PEM) of the authorities to trust; if none, the system's trust store.
    pub ca_file: Option<PathBuf>,
    /// Our identity, for a broker that asks for it.
    pub identity: Option<Identity>,
}

/// A client certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The certificate, and those between it and its authority (PEM).
    pub certificate: PathBuf,
    /// Its private key (PEM, without a passphrase).
    pub key: PathBuf,
}

/// The purpose of a file of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The authorities to trust.
    Authorities,
    /// The client certificate.
    Certificate,
    /// Its key.
    Key,
}

/// The reason why TLS could not be set up. The protocol face words it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TlsTrouble {
    /// A file of ours can't be used.
    File {
        /// Its purpose.
        purpose: Purpose,
        /// Its path.
        path: PathBuf,
        /// The fault.
        why: String,
    },
    /// The system has no trust store, or an empty one.
    NoTrustStore,
    /// The broker's certificate was signed by nobody we trust.
    NotTrusted,
    /// The broker's certificate has expired.
    Expired,
    /// The broker's certificate is not valid yet.
    NotYetValid,
    /// The broker's certificate is for other hosts.
    WrongName {
        /// The hosts it is for.
        names: Vec<String>,
    },
    /// The broker shows the certificate of an authority as its own.
    IsAuthority,
    /// The broker's certificate is of X.509 version 1, as `openssl x509 -req` makes them unless it is
    /// given extensions.
    OldVersion,
    /// The other end does not speak TLS.
    NotTls,
    /// The broker wants a client certificate, and we have none.
    CertificateWanted,
    /// The broker refuses the client certificate.
    CertificateRefused(String),
    /// The broker hung up after the handshake, before its greeting: in TLS 1.3, the alert that asks for
    /// a client certificate can be lost.
    ClosedAfterHandshake,
    /// Something else.
    Other(String),
}

/// Makes the configuration for a connection. It reads files and may take some milliseconds, so it must
/// not be called where nothing may block.
pub fn client_config(tls: &Tls) -> Result<Arc<ClientConfig>, TlsTrouble> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsTrouble::Other(error.to_string()))?
        .with_root_certificates(trust_store(tls.ca_file.as_deref())?);
    let config = match &tls.identity {
        None => builder.with_no_client_auth(),
        Some(Identity { certificate, key }) => {
            let chain = read_certificates(Purpose::Certificate, certificate)?;
            let secret =
                PrivateKeyDer::from_pem_slice(&read_file(Purpose::Key, key)?).map_err(|_| {
                    let why = "no private key without a passphrase is in it";
                    file_trouble(Purpose::Key, key, why.to_owned())
                })?;
            builder
                .with_client_auth_cert(chain, secret)
                .map_err(|error| explain_identity(&error, certificate, key))?
        }
    };
    Ok(Arc::new(config))
}

fn explain_identity(error: &rustls::Error, certificate: &Path, key: &Path) -> TlsTrouble {
    let (purpose, path, why) = match error {
        rustls::Error::InvalidCertificate(error) if is_called(error, OLD_VERSION) => (
            Purpose::Certificate,
            certificate,
            "it is of X.509 version 1, and must be of version 3 (openssl x509 -req with -extfile)"
                .to_owned(),
        ),
        rustls::Error::InvalidCertificate(error) => {
            (Purpose::Certificate, certificate, error.to_string())
        }
        rustls::Error::InconsistentKeys(_) => {
            let why = "it does not belong to the certificate";
            (Purpose::Key, key, why.to_owned())
        }
        error => (Purpose::Key, key, error.to_string()),
    };
    file_trouble(purpose, path, why)
}

fn trust_store(ca_file: Option<&Path>) -> Result<RootCertStore, TlsTrouble> {
    let mut store = RootCertStore::empty();
    if let Some(path) = ca_file {
        for certificate in read_certificates(Purpose::Authorities, path)? {
            store
                .add(certificate)
                .map_err(|error| file_trouble(Purpose::Authorities, path, error.to_string()))?;
        }
    } else {
        // Some of a system's certificates are old or odd; the others still count.
        let found = rustls_native_certs::load_native_certs();
        for error in found.errors {
            tracing::debug!(%error, "part of the system's trust store can't be read");
        }
        store.add_parsable_certificates(found.certs);
        if store.is_empty() {
            return Err(TlsTrouble::NoTrustStore);
        }
    }
    Ok(store)
}

fn read_certificates(
    purpose: Purpose,
    path: &Path,
) -> Result<Vec<CertificateDer<'static>>, TlsTrouble> {
    let text = read_file(purpose, path)?;
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    match all {
        Ok(all) if !all.is_empty() => Ok(all),
        _ => Err(file_trouble(
            purpose,
            path,
            "no certificate in PEM form is in it".to_owned(),
        )),
    }
}

fn read_file(purpose: Purpose, path: &Path) -> Result<Vec<u8>, TlsTrouble> {
    std::fs::read(path).map_err(|error| file_trouble(purpose, path, error.to_string()))
}

fn file_trouble(purpose: Purpose, path: &Path, why: String) -> TlsTrouble {
    TlsTrouble::File {
        purpose,
        path: path.to_owned(),
        why,
    }
}

/// Explains an error, if it comes from TLS. `identified`: a client certificate was given.
pub fn trouble_in(error: &(dyn Error + 'static), identified: bool) -> Option<TlsTrouble> {
    find_cause::<rustls::Error>(error).map(|error| explain_error(error, identified))
}

/// Finds the first error of a kind among an error and its causes. An I/O error does not count the error
/// that it wraps among its causes.
fn find_cause<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = match wrapped {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
    }
    None
}

fn explain_error(error: &rustls::Error, identified: bool) -> TlsTrouble {
    match error {
        rustls::Error::InvalidCertificate(error) => explain_certificate(error),
        // This is no record of TLS at all.
        rustls::Error::InvalidMessage(_) => TlsTrouble::NotTls,
        rustls::Error::AlertReceived(alert) => explain_alert(*alert, identified),
        error => TlsTrouble::Other(error.to_string()),
    }
}

fn explain_certificate(error: &CertificateError) -> TlsTrouble {
    use CertificateError as Wrong;
    match error {
        Wrong::UnknownIssuer | Wrong::BadSignature => TlsTrouble::NotTrusted,
        Wrong::Expired | Wrong::ExpiredContext { .. } => TlsTrouble::Expired,
        Wrong::NotValidYet | Wrong::NotValidYetContext { .. } => TlsTrouble::NotYetValid,
        Wrong::NotValidForName => TlsTrouble::WrongName { names: Vec::new() },
        Wrong::NotValidForNameContext { presented, .. } => TlsTrouble::WrongName {
            names: presented.iter().map(|name| host_name(name)).collect(),
        },
        error if is_called(error, OLD_VERSION) => TlsTrouble::OldVersion,
        error if is_called(error, "CaUsedAsEndEntity") => TlsTrouble::IsAuthority,
        error => TlsTrouble::Other(error.to_string()),
    }
}

/// The name for a certificate of X.509 version 1 in the library below rustls.
const OLD_VERSION: &str = "UnsupportedCertVersion";

/// Returns true if an error has this name in the library below rustls, for errors that rustls has no
/// name for.
fn is_called(error: &CertificateError, name: &str) -> bool {
    format!("{error:?}").contains(name)
}

/// Returns a host name from the library's words for it, `DnsName("pi.local")` or
/// `IpAddress(192.168.1.2)`.
fn host_name(name: &str) -> String {
    let inner = name.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    inner.unwrap_or(name).trim_matches('"').to_owned()
}

/// Explains the broker's alert about our certificate (RFC 8446, section 6.2).
fn explain_alert(alert: AlertDescription, identified: bool) -> TlsTrouble {
    use AlertDescription as Alert;
    match alert {
        Alert::CertificateRequired => TlsTrouble::CertificateWanted,
        // TLS 1.2 has no alert of its own for it.
        Alert::HandshakeFailure | Alert::BadCertificate if !identified => {
            TlsTrouble::CertificateWanted
        }
        Alert::BadCertificate
        | Alert::UnsupportedCertificate
        | Alert::CertificateRevoked
        | Alert::CertificateExpired
        | Alert::CertificateUnknown
        | Alert::UnknownCA
        | Alert::AccessDenied
        | Alert::DecryptError
            if identified =>
        {
            TlsTrouble::CertificateRefused(format!("{alert:?}"))
        }
        alert => TlsTrouble::Other(format!("the broker says {alert:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_out_of_the_library_s_words() {
        assert_eq!(host_name("DnsName(\"pi.local\")"), "pi.local");
        assert_eq!(host_name("IpAddress(192.168.1.2)"), "192.168.1.2");
        assert_eq!(host_name("pi"), "pi");
    }

    /// Made by `openssl x509 -req` without `-extfile`, for this test alone; it expires in a hundred
    /// years.
    const OLD: &str = "\
-----BEGIN CERTIFICATE-----
MIIBGTCBvwIUP/R7mjnyCXcw9hxDt8llw7rjRu0wCgYIKoZIzj0EAwIwDjEMMAoG
A1UEAwwDb2xkMCAXDTI2MTEyMjA1NTAxOFoYDzIxMjYxMDI5MDU1MDE4WjAOMQww
CgYDVQQDDANvbGQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATgKUaw3X8vkFqP
N36CC0aXNeDTZ5ho61OfA8AwNf2bfeMdVOPyw64DAwj3xb8X1DZNpd5l5EpFgM3y
gbbe3shbMAoGCCqGSM49BAMCA0kAMEYCIQDCaSJjRum3y5z2zESxn1jnoVCTrHu4
Vy1gR1DlR8wSvgIhANbI8ck+bBXESYA7RCD/nr72aESBs3Ftf9HCfbqjZq4o
-----END CERTIFICATE-----
";
    const ITS_KEY: &str = "\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgS9T1U/BW4JlE4Y1U
x+wR/zE9S1WZae7OvXn2+F0aLBChRANCAATgKUaw3X8vkFqPN36CC0aXNeDTZ5ho
61OfA8AwNf2bfeMdVOPyw64DAwj3xb8X1DZNpd5l5EpFgM3ygbbe3shb
-----END PRIVATE KEY-----
";

    #[test]
    fn a_certificate_of_version_1_is_told_as_that_and_its_key_is_not_blamed() {
        let folder = tempfile::TempDir::new().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let (certificate, key) = (write("me.pem", OLD), write("me.key", ITS_KEY));
        let tls = Tls {
            ca_file: Some(certificate.clone()),
            identity: Some(Identity {
                certificate: certificate.clone(),
                key,
            }),
        };
        let error = client_config(&tls).unwrap_err();
        let TlsTrouble::File { purpose, path, why } = error else {
            panic!("{error:?}");
        };
        assert_eq!((purpose, path), (Purpose::Certificate, certificate));
        assert!(why.contains("X.509 version 1"), "{why}");
    }

    #[test]
    fn an_error_is_found_below_others() {
        let inner = rustls::Error::AlertReceived(AlertDescription::CertificateRequired);
        let outer = io::Error::other(io::Error::other(inner));
        assert_eq!(
            trouble_in(&outer, false),
            Some(TlsTrouble::CertificateWanted)
        );
        assert_eq!(trouble_in(&io::Error::other("text"), false), None);
    }
}

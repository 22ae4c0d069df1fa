//! TLS to the broker: the trusted certificates, our client certificate, and what can go wrong.
//!
//! Uses rustls with ring, because both build without system libraries. Each attempt to connect reads all
//! files anew, so a corrected file is used at the next attempt. The program's start reads none of them, so it
//! is not delayed by a trust store of hundreds of certificates.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{AlertDescription, CertificateError, ClientConfig, RootCertStore};

use crate::crypto::{system_roots, trusting};
use crate::files;

/// The settings for TLS with the broker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tls {
    /// A file with the CA certificates to trust (PEM). Without a file, the system's trust store is used.
    pub ca_file: Option<PathBuf>,
    /// Our client certificate, for a broker that requests one.
    pub identity: Option<ClientIdentity>,
}

/// A client certificate and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientIdentity {
    /// The certificate, along with any intermediate certificates (PEM).
    pub certificate: PathBuf,
    /// The private key (PEM, without a passphrase).
    pub key: PathBuf,
}

/// The purpose of a file that [`Tls`] names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsFile {
    /// The CA certificates to trust.
    Authorities,
    /// The client certificate.
    Certificate,
    /// The client certificate's key.
    Key,
}

/// The reason why TLS failed. `mcp::wording` turns it into a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TlsTrouble {
    /// One of our files can't be used.
    File {
        /// Its purpose.
        purpose: TlsFile,
        /// Its path.
        path: PathBuf,
        /// The fault.
        why: String,
    },
    /// The system has no trust store, or an empty one.
    NoTrustStore,
    /// The broker's certificate is not signed by an authority that we trust.
    NotTrusted,
    /// The broker's certificate has expired.
    Expired,
    /// The broker's certificate is not valid yet.
    NotYetValid,
    /// The broker's certificate does not name the host that we connected to.
    WrongName {
        /// The hosts that it names.
        names: Vec<String>,
    },
    /// The broker presents a CA certificate as its own.
    IsAuthority,
    /// The broker's certificate uses X.509 version 1, which `openssl x509 -req` creates unless it is
    /// given extensions.
    OldVersion,
    /// The other end does not speak TLS.
    NotTls,
    /// The broker requires a client certificate.
    CertificateWanted,
    /// The broker refuses the client certificate.
    CertificateRefused(String),
    /// After the handshake, there was no CONNACK. The broker may require a client certificate: in TLS 1.3,
    /// the alert that says so can get lost.
    ClosedAfterHandshake,
    /// Something else.
    Other(String),
}

/// Builds the configuration for a connection. Blocks for some milliseconds, because it reads files.
///
/// # Errors
/// Fails if a file can't be used, or if the system has no trust store.
pub fn client_config(tls: &Tls) -> Result<Arc<ClientConfig>, TlsTrouble> {
    let builder = trusting(trust_store(tls.ca_file.as_deref())?)
        .map_err(|error| TlsTrouble::Other(error.to_string()))?;
    let config = match &tls.identity {
        None => builder.with_no_client_auth(),
        Some(ClientIdentity { certificate, key }) => {
            let chain = read_certificates(TlsFile::Certificate, certificate)?;
            let private_key = PrivateKeyDer::from_pem_slice(&read_file(TlsFile::Key, key)?)
                .map_err(|_| {
                    file_trouble(TlsFile::Key, key, "it contains no unencrypted private key")
                })?;
            builder
                .with_client_auth_cert(chain, private_key)
                .map_err(|error| explain_identity(&error, certificate, key))?
        }
    };
    Ok(Arc::new(config))
}

fn explain_identity(error: &rustls::Error, certificate: &Path, key: &Path) -> TlsTrouble {
    let certificate_trouble = |why: &str| file_trouble(TlsFile::Certificate, certificate, why);
    match error {
        rustls::Error::InvalidCertificate(error) if has_name(error, OLD_VERSION) => {
            certificate_trouble(
                "it uses X.509 version 1, but must use version 3 (openssl x509 -req with -extfile)",
            )
        }
        rustls::Error::InvalidCertificate(error) => certificate_trouble(&error.to_string()),
        rustls::Error::InconsistentKeys(_) => {
            file_trouble(TlsFile::Key, key, "it does not belong to the certificate")
        }
        error => file_trouble(TlsFile::Key, key, error),
    }
}

fn trust_store(ca_file: Option<&Path>) -> Result<RootCertStore, TlsTrouble> {
    let mut store = RootCertStore::empty();
    if let Some(path) = ca_file {
        for certificate in read_certificates(TlsFile::Authorities, path)? {
            store
                .add(certificate)
                .map_err(|error| file_trouble(TlsFile::Authorities, path, error))?;
        }
    } else {
        store = system_roots();
        if store.is_empty() {
            return Err(TlsTrouble::NoTrustStore);
        }
    }
    Ok(store)
}

fn read_certificates(
    purpose: TlsFile,
    path: &Path,
) -> Result<Vec<CertificateDer<'static>>, TlsTrouble> {
    let text = read_file(purpose, path)?;
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    match certificates {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        _ => Err(file_trouble(
            purpose,
            path,
            "it contains no certificate in PEM format",
        )),
    }
}

fn read_file(purpose: TlsFile, path: &Path) -> Result<Vec<u8>, TlsTrouble> {
    files::read(path).map_err(|why| file_trouble(purpose, path, why))
}

fn file_trouble(purpose: TlsFile, path: &Path, why: impl ToString) -> TlsTrouble {
    TlsTrouble::File {
        purpose,
        path: path.to_owned(),
        why: why.to_string(),
    }
}

/// Explains an error if TLS caused it. `has_identity` says whether we have a client certificate.
pub fn trouble_in(error: &(dyn Error + 'static), has_identity: bool) -> Option<TlsTrouble> {
    find_cause::<rustls::Error>(error).map(|error| explain_error(error, has_identity))
}

/// Finds the first error of type `E` among an error and its causes. The `source` of an I/O error skips the
/// error that the I/O error wraps, so the wrapped error is visited explicitly.
fn find_cause<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(cause) = error.downcast_ref::<E>() {
            return Some(cause);
        }
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = match wrapped {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
    }
    None
}

fn explain_error(error: &rustls::Error, has_identity: bool) -> TlsTrouble {
    match error {
        rustls::Error::InvalidCertificate(error) => explain_certificate(error),
        // What arrived is not a TLS record.
        rustls::Error::InvalidMessage(_) => TlsTrouble::NotTls,
        rustls::Error::AlertReceived(alert) => explain_alert(*alert, has_identity),
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
        error if has_name(error, OLD_VERSION) => TlsTrouble::OldVersion,
        error if has_name(error, "CaUsedAsEndEntity") => TlsTrouble::IsAuthority,
        error => TlsTrouble::Other(error.to_string()),
    }
}

/// The name of webpki's error for a certificate of X.509 version 1.
const OLD_VERSION: &str = "UnsupportedCertVersion";

/// Returns true if an error has this name in webpki, the library below rustls. Needed for errors for which
/// rustls has no variant.
fn has_name(error: &CertificateError, name: &str) -> bool {
    format!("{error:?}").contains(name)
}

/// Extracts a host name from the form in which webpki reports it: `DnsName("pi.local")` or
/// `IpAddress(192.168.1.2)`.
fn host_name(name: &str) -> String {
    let inner = name.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    inner.unwrap_or(name).trim_matches('"').to_owned()
}

/// Explains an alert from the broker, most likely about our certificate (RFC 8446, section 6.2).
fn explain_alert(alert: AlertDescription, has_identity: bool) -> TlsTrouble {
    use AlertDescription as Alert;
    match alert {
        Alert::CertificateRequired => TlsTrouble::CertificateWanted,
        // TLS 1.2 has no specific alert for a missing client certificate.
        Alert::HandshakeFailure | Alert::BadCertificate if !has_identity => {
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
            if has_identity =>
        {
            TlsTrouble::CertificateRefused(format!("{alert:?}"))
        }
        alert => TlsTrouble::Other(format!("the broker says {alert:?}")),
    }
}

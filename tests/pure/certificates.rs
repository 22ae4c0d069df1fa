//! Errors of TLS are told by their cause.

use std::io;

use rustls::pki_types::ServerName;
use rustls::{AlertDescription, CertificateError};
use zwave_mcp_server::gateway::tls::{TlsTrouble, trouble_in};

#[test]
fn a_certificate_for_other_hosts_is_told_with_their_names() {
    let presented = ["DnsName(\"pi.local\")", "IpAddress(192.168.1.2)", "pi"];
    let error = rustls::Error::InvalidCertificate(CertificateError::NotValidForNameContext {
        expected: ServerName::try_from("broker").unwrap(),
        presented: presented.map(str::to_owned).to_vec(),
    });
    let names = ["pi.local", "192.168.1.2", "pi"].map(str::to_owned).to_vec();
    assert_eq!(
        trouble_in(&error, false),
        Some(TlsTrouble::WrongName { names })
    );
}

#[test]
fn a_wrapped_tls_error_is_found() {
    let inner = rustls::Error::AlertReceived(AlertDescription::CertificateRequired);
    let outer = io::Error::other(io::Error::other(inner));
    assert_eq!(
        trouble_in(&outer, false),
        Some(TlsTrouble::CertificateWanted)
    );
    assert_eq!(trouble_in(&io::Error::other("text"), false), None);
}

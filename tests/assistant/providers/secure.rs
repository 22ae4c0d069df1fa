//! TLS: the system's trust store decides whom to trust, and no crypto provider is installed process-wide.

use std::collections::VecDeque;
use std::env;
use std::process::Command;
use std::sync::{Arc, Mutex};

use rustls::ServerConfig;
use rustls::pki_types::PrivatePkcs8KeyDer;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use zwave_mcp_server::assistant::{ModelFailure, Provider};

use super::{ask, client_at, content_type, limits};
use crate::stand_in::{Answer, serve};

/// The environment variable with the path of a file that replaces the system's trusted certificates.
const STORE: &str = "SSL_CERT_FILE";

/// Runs twice: as usual, and in a process for which the test below sets the variable `TRUSTED`. In that
/// process, a temporary file replaces the system's store, and this test writes its certificate into the file.
#[tokio::test]
async fn a_certificate_is_trusted_only_if_the_system_trusts_it() {
    let certificate = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let store = env::var_os(STORE).filter(|_| env::var_os("TRUSTED").is_some());
    if let Some(store) = &store {
        std::fs::write(store, certificate.cert.pem()).unwrap();
    }
    let key = PrivatePkcs8KeyDer::from(certificate.signing_key.serialize_der());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.cert.der().clone()], key.into())
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let line = "{\"message\":{\"content\":\"Done.\"},\"done\":true}\n";
    let answers = VecDeque::from([Answer::stream(content_type(Provider::Ollama), [line])]);
    let serving = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        if let Ok(stream) = acceptor.accept(stream).await {
            serve(stream, Arc::new(Mutex::new(answers)), Arc::default()).await;
        }
    });
    let address = format!("https://localhost:{port}");
    let client = client_at(Provider::Ollama, &address, limits());
    let reply = ask(client.as_ref()).await.0;
    serving.abort();
    if store.is_some() {
        assert_eq!(reply.unwrap().text, "Done.");
    } else {
        let error = reply.unwrap_err();
        let message = error.to_string();
        let is_unreachable = matches!(error.failure, ModelFailure::Unreachable(_));
        assert!(is_unreachable, "{message}");
        assert!(message.contains("certificate"), "{message}");
    }
    assert!(rustls::crypto::CryptoProvider::get_default().is_none());
}

#[test]
fn a_certificate_in_the_systems_store_is_trusted() {
    let folder = tempfile::TempDir::new().unwrap();
    let name = "providers::secure::a_certificate_is_trusted_only_if_the_system_trusts_it";
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", name])
        .env(STORE, folder.path().join("store.pem"))
        .env_remove("SSL_CERT_DIR")
        .env("TRUSTED", "1")
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && stdout.contains("1 passed"),
        "{stdout}"
    );
}

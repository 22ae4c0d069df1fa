//! `mqtts://` with a real Mosquitto, and what the server says if the connection fails.

use std::path::Path;

use tempfile::TempDir;
use zwave_mcp_server::gateway::tls::{ClientIdentity, Tls, TlsFile, TlsTrouble, client_config};

use crate::House;
use crate::fixture::{Authority, Mosquitto, PASSWORD, PASSWORD_LINE, Server, USER, eventually};

/// The years of a certificate that is valid now.
const NOW: (i32, i32) = (2020, 2100);
const HOSTS: &[&str] = &["localhost", "127.0.0.1"];

/// Starts a broker that speaks TLS with a certificate for these hosts and years. In the further settings
/// `more`, `USERS` stands for the path of the password file. The broker's file `ca.pem` is the authority's
/// certificate.
fn start_encrypted(
    authority: &Authority,
    hosts: &[&str],
    years: (i32, i32),
    more: &str,
) -> Mosquitto {
    let folder = TempDir::new().unwrap();
    let file = |name: &str, text: &str| write_file(folder.path(), name, text);
    let server = authority.sign_server(hosts, years);
    file("users", PASSWORD_LINE);
    let more = more.replace("USERS", folder.path().join("users").to_str().unwrap());
    let settings = format!(
        "certfile {}\nkeyfile {}\ncafile {}\n{more}",
        file("server.pem", &server.certificate),
        file("server.key", &server.key),
        file("ca.pem", authority.pem()),
    );
    Mosquitto::of(folder, settings)
}

/// Writes a file, and returns its path.
fn write_file(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

const ALLOW_ANONYMOUS: &str = "allow_anonymous true\n";

/// Starts a broker that speaks TLS and lets only `USER` in.
pub fn start_with_login(authority: &Authority) -> Mosquitto {
    let more = "allow_anonymous false\npassword_file USERS\n";
    start_encrypted(authority, HOSTS, NOW, more)
}

/// Starts and initializes a server on a broker, with this environment.
async fn start_server(broker: &Mosquitto, scheme: &str, env: &[(&str, &str)]) -> Server {
    let address = format!("{scheme}://localhost:{}", broker.port());
    let env: Vec<_> = env.iter().copied().chain([("MQTT_BROKER_URL", address.as_str())]).collect();
    let mut server = Server::spawn_with(&[], &env);
    server.initialize().await;
    server
}

type Variable<'a> = (&'a str, &'a str);

/// Starts a server for each row, and waits until its list contains the row's text. A row has a broker, the
/// scheme of the broker's address, the environment, and the text. In the text, `HOST` stands for the broker's
/// host and port.
async fn check_lists(rows: &[(&Mosquitto, &str, &[Variable<'_>], &str)]) {
    for (broker, scheme, environment, text) in rows {
        let mut server = start_server(broker, scheme, environment).await;
        let text = text.replace("HOST", &format!("localhost:{}", broker.port()));
        server.wait_until_listed("", &text).await;
    }
}

#[tokio::test]
async fn a_house_behind_tls_and_a_password_is_listed_and_controlled() {
    needs!(mosquitto);
    let authority = Authority::new("home");
    let broker = start_with_login(&authority);
    let ca = broker.path("ca.pem");
    let mut house = House::behind_tls(broker).await;
    let login = [("MQTT_USERNAME", USER), ("MQTT_PASSWORD", PASSWORD)];
    let named = [login[0], login[1], ("MQTT_CA_FILE", &ca)];
    // `SSL_CERT_FILE` replaces the system's trust store.
    let trusted = [login[0], login[1], ("SSL_CERT_FILE", &ca)];
    for env in [named, trusted] {
        let mut server = start_server(&house.broker, "mqtts", &env).await;
        server.wait_until_listed("", "23 devices").await;
        server.control("lamp corner", "toggle").await.assert_certainty("confirmed");
    }
    assert_eq!(house.writes().len(), 2);

    // After a lost connection, the server connects again with TLS.
    let mut server = start_server(&house.broker, "mqtts", &named).await;
    server.list("").await;
    house.broker.stop();
    server.wait_until_listed("", "connection refused").await;
    house.broker.start_again();
    eventually("the house is back", async || {
        server.control("lamp corner", "on").await.is_confirmed()
    })
    .await;
}

#[tokio::test]
async fn a_list_distinguishes_a_wrong_password_a_missing_password_and_a_broker_that_is_down() {
    needs!(mosquitto);
    let authority = Authority::new("home");
    let mut broker = start_with_login(&authority);
    let ca = broker.path("ca.pem");
    let ca = ("MQTT_CA_FILE", ca.as_str());
    let wrong = [
        ca,
        ("MQTT_USERNAME", USER),
        ("MQTT_PASSWORD", "another s3cret"),
    ];
    let refused = "at HOST refused the user name or password";
    let wanted = "at HOST wants a user name and a password";
    check_lists(&[
        (&broker, "mqtts", &wrong, refused),
        (&broker, "mqtts", &[ca], wanted),
    ])
    .await;
    broker.stop();
    let down = "at HOST can't be reached (connection refused)";
    check_lists(&[(&broker, "mqtts", &wrong, down)]).await;
}

#[tokio::test]
async fn a_list_says_what_is_wrong_with_a_certificate() {
    needs!(mosquitto);
    let (home, stranger) = (Authority::new("home"), Authority::new("stranger"));
    let broker = start_encrypted(&home, HOSTS, NOW, ALLOW_ANONYMOUS);
    let home_ca = broker.path("ca.pem");
    let folder = TempDir::new().unwrap();
    let other_ca = write_file(folder.path(), "other.pem", stranger.pem());
    let old = start_encrypted(&home, HOSTS, (2020, 2021), ALLOW_ANONYMOUS);
    let early = start_encrypted(&home, HOSTS, (2099, 2100), ALLOW_ANONYMOUS);
    let elsewhere = start_encrypted(&home, &["pi.local", "192.168.1.2"], NOW, ALLOW_ANONYMOUS);
    let ca = &[("MQTT_CA_FILE", home_ca.as_str())][..];
    let other_ca = other_ca.as_str();
    let untrusted = "at HOST is not trusted: it was signed by an unknown CA";
    let none = "This system has no trusted certificates";
    let names = "at HOST is for pi.local and 192.168.1.2 only";
    let fine = "No zwave-js-ui gateway was found";
    check_lists(&[
        (&broker, "mqtts", &[("MQTT_CA_FILE", other_ca)], untrusted),
        (&broker, "mqtts", &[("SSL_CERT_FILE", other_ca)], untrusted),
        (&broker, "mqtts", &[("SSL_CERT_FILE", "/nowhere")], none),
        (&old, "mqtts", ca, "at HOST has expired"),
        (&early, "mqtts", ca, "at HOST is not valid yet"),
        (&elsewhere, "mqtts", ca, names),
        // With the right CA, host and years, nothing is wrong.
        (&broker, "mqtts", ca, fine),
    ])
    .await;
}

#[tokio::test]
async fn tls_on_a_plain_port_and_plain_mqtt_on_a_tls_port_are_reported() {
    needs!(mosquitto);
    let tls = start_encrypted(&Authority::new("home"), HOSTS, NOW, ALLOW_ANONYMOUS);
    let plain = Mosquitto::start();
    let ca = tls.path("ca.pem");
    let no_tls = "at HOST does not speak TLS on this port";
    let no_login = "at HOST hangs up before the login. If it expects TLS";
    check_lists(&[
        (&plain, "mqtts", &[("MQTT_CA_FILE", &ca)], no_tls),
        (&tls, "mqtt", &[], no_login),
    ])
    .await;
}

#[tokio::test]
async fn a_client_certificate_is_presented_and_a_missing_or_unknown_one_is_reported() {
    needs!(mosquitto);
    let (home, stranger) = (Authority::new("home"), Authority::new("stranger"));
    let folder = TempDir::new().unwrap();
    let file = |name: &str, text: &str| write_file(folder.path(), name, text);
    let (right, wrong) = (home.sign_client(), stranger.sign_client());
    let ca = file("ca.pem", home.pem());
    let ca = ("MQTT_CA_FILE", ca.as_str());
    let (right_key, wrong_key) = (file("right.key", &right.key), file("wrong.key", &wrong.key));
    let right = file("right.pem", &right.certificate);
    let wrong = file("wrong.pem", &wrong.certificate);
    let present = |cert, key| [ca, ("MQTT_CLIENT_CERT", cert), ("MQTT_CLIENT_KEY", key)];
    let wanted = "at HOST wants a client certificate";
    let refused = "at HOST refused the client certificate";
    let fine = "No zwave-js-ui gateway was found";
    for version in ["tlsv1.2", "tlsv1.3"] {
        let more = format!("{ALLOW_ANONYMOUS}require_certificate true\ntls_version {version}\n");
        let broker = start_encrypted(&home, HOSTS, NOW, &more);
        let (wrong, right) = (present(&wrong, &wrong_key), present(&right, &right_key));
        check_lists(&[
            (&broker, "mqtts", &[ca], wanted),
            (&broker, "mqtts", &wrong, refused),
            (&broker, "mqtts", &right, fine),
        ])
        .await;
    }
    let tls = Tls {
        ca_file: None,
        identity: Some(ClientIdentity {
            certificate: right.into(),
            key: wrong_key.into(),
        }),
    };
    let trouble = zwave_mcp_server::gateway::tls::client_config(&tls).unwrap_err();
    let trouble = format!("{trouble:?}");
    assert!(
        trouble.contains("does not belong to the certificate"),
        "{trouble}"
    );
}

#[tokio::test]
async fn the_list_reports_an_unusable_ca_file_and_the_server_reads_the_file_again_after_a_repair() {
    needs!(mosquitto);
    let broker = start_encrypted(&Authority::new("home"), HOSTS, NOW, ALLOW_ANONYMOUS);
    let folder = TempDir::new().unwrap();
    let empty = write_file(folder.path(), "empty.pem", "nothing\n");
    let empty = empty.as_str();
    let nowhere = [("MQTT_CA_FILE", "/nowhere/ca.pem")];
    let missing = "The file of trusted CAs /nowhere/ca.pem can't be used: No such file";
    let none = format!("{empty} can't be used: it contains no certificate in PEM format");
    check_lists(&[
        (&broker, "mqtts", &nowhere, missing),
        (&broker, "mqtts", &[("MQTT_CA_FILE", empty)], &none),
    ])
    .await;
    let mut server = start_server(&broker, "mqtts", &[("MQTT_CA_FILE", empty)]).await;
    assert!(server.list("").await.contains("it contains no certificate in PEM format"));
    std::fs::copy(broker.path("ca.pem"), empty).unwrap();
    server.wait_until_listed("", "No zwave-js-ui gateway").await;
}

/// Created with `openssl x509 -req` without `-extfile`, only for this test. Expires in 2126.
const VERSION_1_CERTIFICATE: &str = "\
-----BEGIN CERTIFICATE-----
MIIBGTCBvwIUP/R7mjnyCXcw9hxDt8llw7rjRu0wCgYIKoZIzj0EAwIwDjEMMAoG
A1UEAwwDb2xkMCAXDTI2MTEyMjA1NTAxOFoYDzIxMjYxMDI5MDU1MDE4WjAOMQww
CgYDVQQDDANvbGQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATgKUaw3X8vkFqP
N36CC0aXNeDTZ5ho61OfA8AwNf2bfeMdVOPyw64DAwj3xb8X1DZNpd5l5EpFgM3y
gbbe3shbMAoGCCqGSM49BAMCA0kAMEYCIQDCaSJjRum3y5z2zESxn1jnoVCTrHu4
Vy1gR1DlR8wSvgIhANbI8ck+bBXESYA7RCD/nr72aESBs3Ftf9HCfbqjZq4o
-----END CERTIFICATE-----
";
const VERSION_1_KEY: &str = "\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgS9T1U/BW4JlE4Y1U
x+wR/zE9S1WZae7OvXn2+F0aLBChRANCAATgKUaw3X8vkFqPN36CC0aXNeDTZ5ho
61OfA8AwNf2bfeMdVOPyw64DAwj3xb8X1DZNpd5l5EpFgM3ygbbe3shb
-----END PRIVATE KEY-----
";

#[test]
fn a_version_1_certificate_is_blamed_and_not_its_key() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let certificate = write("me.pem", VERSION_1_CERTIFICATE);
    let key = write("me.key", VERSION_1_KEY);
    let tls = Tls {
        ca_file: Some(certificate.clone()),
        identity: Some(ClientIdentity {
            certificate: certificate.clone(),
            key,
        }),
    };
    let error = client_config(&tls).unwrap_err();
    let TlsTrouble::File { purpose, path, why } = error else {
        panic!("{error:?}");
    };
    assert_eq!((purpose, path), (TlsFile::Certificate, certificate));
    assert!(why.contains("X.509 version 1"), "{why}");
}

#[test]
fn a_file_of_certificates_is_read_within_bounds() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("ca.pem");
    std::fs::write(
        &path,
        VERSION_1_CERTIFICATE.to_owned() + &"\n".repeat(1 << 20),
    )
    .unwrap();
    let tls = Tls {
        ca_file: Some(path),
        identity: None,
    };
    let error = client_config(&tls).unwrap_err();
    assert!(
        format!("{error:?}").contains("longer than 1 MiB"),
        "{error:?}"
    );
}

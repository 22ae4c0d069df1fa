//! A password is in no log at any level, in no error, and in no process list.

use tempfile::TempDir;

use crate::fixture::{Mosquitto, PASSWORD, PASSWORD_LINE, run};
#[cfg(target_os = "linux")]
use crate::fixture::{Server, USER};

/// `PASSWORD` as it is written in an address.
const ENCODED: &str = "s3cret-W%C3%B6rd%22%25";

/// The forms in which the password could appear: plain, in an address, in debug output, or in part.
const FORMS: [&str; 4] = [PASSWORD, ENCODED, "s3cret-Wörd\\\"%", "s3cret"];

/// Checks that a text does not contain the password in any form.
#[track_caller]
pub fn assert_no_password(text: &str, place: &str) {
    for form in FORMS {
        assert!(!text.contains(form), "{place} has the password: {text}");
    }
}

/// Starts a broker that lets only `USER` in.
pub fn start_with_login() -> Mosquitto {
    let folder = TempDir::new().unwrap();
    let users = folder.path().join("users");
    std::fs::write(&users, PASSWORD_LINE).unwrap();
    let settings = format!("allow_anonymous false\npassword_file {}\n", users.display());
    Mosquitto::of(folder, settings)
}

/// Returns the arguments of a process as `ps` shows them.
#[cfg(target_os = "linux")]
fn read_command_line(id: u32) -> String {
    let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap();
    String::from_utf8_lossy(&line).replace('\0', " ")
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_password_is_in_no_log_no_answer_and_no_process_list() {
    needs!(mosquitto);
    let broker = start_with_login();
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, format!("{PASSWORD}\n")).unwrap();
    let logs = folder.path().join("logs");
    let log = format!("--log-file={}", logs.display());
    let file = file.to_str().unwrap();
    let plain = broker.url();
    let encoded = format!("mqtt://{USER}:{ENCODED}@127.0.0.1:{}", broker.port());
    let wrong = encoded.replace("3cret", "3cret-s3cret");
    let address = format!("--broker={encoded}");
    let login = [
        ("MQTT_BROKER_URL", plain.as_str()),
        ("MQTT_USERNAME", USER),
        ("MQTT_PASSWORD", PASSWORD),
    ];
    let from_file = ["--username", USER, "--password-file", file];
    /// A way to give the server a password: arguments, environment, and whether the password is right.
    type Way<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)], bool);
    let ways: [Way; 6] = [
        (&[], &login, true),
        (&from_file, &login[..1], true),
        (&[], &[("MQTT_BROKER_URL", &encoded)], true),
        (&[], &[("MQTT_BROKER_URL", &wrong)], false),
        // The server removes the password from its command line, where every user could see it.
        (&[&address], &[], true),
        (&["--broker=mqtt://127.0.0.1:1", &address], &[], true),
    ];
    for (arguments, environment, is_right) in ways {
        let arguments = [arguments, &["--log-level=trace", &log]].concat();
        let mut server = Server::spawn_with(&arguments, environment);
        let handshake = server.initialize().await;
        let expected = if is_right {
            "No zwave-js-ui gateway"
        } else {
            "refused the user name"
        };
        server.wait_until_listed("", expected).await;
        assert_no_password(&server.list("").await, "an answer");
        assert_no_password(&handshake.to_string(), "the handshake");
        let command_line = read_command_line(server.child.id().unwrap());
        assert_no_password(&command_line, "the process list");
        let stderr = server.finish().await;
        assert!(stderr.contains("TRACE"), "{stderr}");
        assert_no_password(&stderr, "stderr");
    }
    let files: Vec<_> =
        std::fs::read_dir(&logs).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(!files.is_empty());
    for file in files {
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.contains("TRACE"));
        assert_no_password(&text, "a log file");
    }
}

#[tokio::test]
async fn the_password_is_in_no_error_about_the_command_line_or_a_setting() {
    for line in [
        &["mqtt://me:s3cret@host"][..],
        &["--broker=http://me:s3cret@host"],
        &["--broker=mqtt://me:s3cret@host/path", "list"],
        &["--broker", "mqtt://:s3cret@host"],
        &["--password", "s3cret"],
        &["list", "--password=s3cret"],
    ] {
        let output = run(line).await;
        assert_ne!(output.code, Some(0), "{line:?}: {output:?}");
        assert!(!output.err.is_empty(), "{line:?}: {output:?}");
        assert_eq!(output.out, "", "{line:?}");
        assert_no_password(&output.err, &format!("the error about {line:?}"));
    }
}

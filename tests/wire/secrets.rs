//! A password is in no log at any level, in no error, and in no process list.

use tempfile::TempDir;

use crate::fixture::{Mosquitto, PASSWORD, PASSWORD_LINE, run};
#[cfg(target_os = "linux")]
use crate::fixture::{Server, USER, eventually};

/// The password as it may be written: as it is, in an address, and in a dump.
const FORMS: [&str; 4] = [
    PASSWORD,
    "s3cret-W%C3%B6rd%22%25",
    "s3cret-Wörd\\\"%",
    "s3cret",
];

#[track_caller]
pub fn assert_secret(text: &str, place: &str) {
    for form in FORMS {
        assert!(!text.contains(form), "{place} has the password: {text}");
    }
}

pub fn start_guarded() -> Mosquitto {
    let folder = TempDir::new().unwrap();
    let users = folder.path().join("users");
    std::fs::write(&users, PASSWORD_LINE).unwrap();
    let settings = format!("allow_anonymous false\npassword_file {}\n", users.display());
    Mosquitto::of(folder, settings)
}

#[cfg(target_os = "linux")]
fn shown_by_ps(id: u32) -> String {
    let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap();
    String::from_utf8_lossy(&line).replace('\0', " ")
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn no_log_at_any_level_and_no_process_list_has_the_password() {
    needs!(mosquitto);
    let broker = start_guarded();
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, format!("{PASSWORD}\n")).unwrap();
    let logs = folder.path().join("logs");
    let log = format!("--log-file={}", logs.display());
    let file = file.to_str().unwrap();
    let plain = broker.url();
    let encoded = format!("mqtt://{USER}:{}@127.0.0.1:{}", FORMS[1], broker.port());
    let wrong = encoded.replace("3cret", "3cret-s3cret");
    let address = format!("--broker={encoded}");
    type Way<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)], bool);
    let ways: [Way; 6] = [
        (
            &[],
            &[
                ("MQTT_BROKER_URL", &plain),
                ("MQTT_USERNAME", USER),
                ("MQTT_PASSWORD", PASSWORD),
            ],
            true,
        ),
        (
            &["--username", USER, "--password-file", file],
            &[("MQTT_BROKER_URL", &plain)],
            true,
        ),
        (&[], &[("MQTT_BROKER_URL", &encoded)], true),
        (&[], &[("MQTT_BROKER_URL", &wrong)], false),
        // Typed where everybody sees it: taken away from there.
        (&[&address], &[], true),
        (&["--broker=mqtt://127.0.0.1:1", &address], &[], true),
    ];
    for (arguments, environment, right) in ways {
        let arguments = [arguments, &["--log-level=trace", &log]].concat();
        let mut server = Server::spawn_with(&arguments, environment);
        let hello = server.initialize().await;
        let told = if right {
            "No zwave-js-ui gateway"
        } else {
            "refused the user name"
        };
        let mut said = String::new();
        eventually("the login is decided", async || {
            said = server.list("").await;
            said.contains(told)
        })
        .await;
        assert_secret(&said, "an answer");
        assert_secret(&hello.to_string(), "the handshake");
        assert_secret(&shown_by_ps(server.child.id().unwrap()), "the process list");
        let stderr = server.finish().await;
        assert!(stderr.contains("TRACE"), "{stderr}");
        assert_secret(&stderr, "stderr");
    }
    let files: Vec<_> =
        std::fs::read_dir(&logs).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(!files.is_empty());
    for file in files {
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.contains("TRACE"));
        assert_secret(&text, "a log file");
    }
}

#[tokio::test]
async fn no_error_about_the_command_line_or_a_setting_has_the_password() {
    for line in [
        &["mqtt://me:s3cret@host"][..],
        &["--broker=http://me:s3cret@host"],
        &["--broker=mqtt://me:s3cret@host/path", "list"],
        &["--broker", "mqtt://:s3cret@host"],
        &["--password", "s3cret"],
        &["list", "--password=s3cret"],
    ] {
        let told = run(line).await;
        // `list` passes on how the server it started ended.
        assert_ne!(told.code, Some(0), "{line:?}: {told:?}");
        assert!(
            !told.err.is_empty() && told.out.is_empty(),
            "{line:?}: {told:?}"
        );
        assert_secret(&told.err, &format!("the error about {line:?}"));
    }
}

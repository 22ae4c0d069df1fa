//! Files and passwords that only the owner may read.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::host::{Host, binary};

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn only_the_owner_can_read_log_files_and_their_folder() {
    let folder = TempDir::new().unwrap();
    let logs = folder.path().join("made/when/needed");
    let option = format!("--log-file={}", logs.display());
    let run = || {
        let mut host = Host::spawn(&["--demo", &option]);
        host.begin();
        // The server writes all queued log lines before it exits.
        host.finish();
        let file = std::fs::read_dir(&logs).unwrap().next().unwrap().unwrap();
        file.path()
    };
    let file = run();
    assert_eq!((mode(&logs), mode(&file)), (0o700, 0o600));
    // The mode of an existing file is corrected.
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    assert_eq!(mode(&run()), 0o600);
}

#[test]
fn the_server_and_doctor_warn_of_a_password_file_that_others_can_read() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, "s3cret\n").unwrap();
    let path = file.to_str().unwrap();
    let arguments = [
        "--broker=mqtt://127.0.0.1:1",
        "--username=me",
        "--password-file",
        path,
    ];
    let warning = format!("others can read the password in {path}");
    for (permissions, is_warned) in [(0o644, true), (0o640, true), (0o600, false)] {
        std::fs::set_permissions(&file, PermissionsExt::from_mode(permissions)).unwrap();
        let mut host = Host::spawn(&arguments);
        host.begin();
        assert_eq!(
            host.finish().stderr.contains(&warning),
            is_warned,
            "{permissions:o}"
        );
        let doctor = Command::new(binary())
            .arg("doctor")
            .args(arguments)
            .env_clear()
            .output()
            .unwrap();
        let printed = String::from_utf8(doctor.stderr).unwrap();
        assert_eq!(
            printed.contains(&warning),
            is_warned,
            "{permissions:o}: {printed}"
        );
        assert!(!printed.contains("s3cret"), "{printed}");
    }
}

#[test]
fn a_password_in_the_query_of_an_address_is_not_shown() {
    for command in [&["doctor"][..], &["list"], &[]] {
        let output = Command::new(binary())
            .arg("--broker=mqtt://host/?user=me&password=s3cret")
            .args(command)
            .env_clear()
            .output()
            .unwrap();
        let printed = [output.stdout, output.stderr].map(|out| String::from_utf8(out).unwrap());
        assert_ne!(output.status.code(), Some(0));
        assert!(printed.concat().contains("mqtt://host/?***"), "{printed:?}");
        assert!(!printed.concat().contains("s3cret"), "{printed:?}");
    }
}

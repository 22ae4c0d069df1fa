//! Files and passwords that only the owner of the house may read.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::host::{Host, binary};

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn log_files_and_their_folder_are_the_owner_s_alone() {
    let folder = TempDir::new().unwrap();
    let logs = folder.path().join("made/when/needed");
    let option = format!("--log-file={}", logs.display());
    let run = || {
        let mut host = Host::spawn(&["--demo", &option]);
        host.begin();
        // The lines that wait are written at the end.
        host.finish();
        let file = std::fs::read_dir(&logs).unwrap().next().unwrap().unwrap();
        file.path()
    };
    let file = run();
    assert_eq!((mode(&logs), mode(&file)), (0o700, 0o600));
    // A file of an earlier version is made so.
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    assert_eq!(mode(&run()), 0o600);
}

#[test]
fn a_password_file_that_others_can_read_is_warned_of() {
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
    for (others, warned) in [(0o644, true), (0o640, true), (0o600, false)] {
        std::fs::set_permissions(&file, PermissionsExt::from_mode(others)).unwrap();
        let mut host = Host::spawn(&arguments);
        host.begin();
        assert_eq!(
            host.finish().stderr.contains(&warning),
            warned,
            "{others:o}"
        );
        let doctor = Command::new(binary())
            .arg("doctor")
            .args(arguments)
            .env_clear()
            .output()
            .unwrap();
        let said = String::from_utf8(doctor.stderr).unwrap();
        assert_eq!(said.contains(&warning), warned, "{others:o}: {said}");
        assert!(!said.contains("s3cret"), "{said}");
    }
}

#[test]
fn a_password_in_an_address_s_query_is_not_shown() {
    for command in [&["doctor"][..], &["list"], &[]] {
        let output = Command::new(binary())
            .arg("--broker=mqtt://host/?user=me&password=s3cret")
            .args(command)
            .env_clear()
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].map(|out| String::from_utf8(out).unwrap());
        assert_ne!(output.status.code(), Some(0));
        assert!(said.concat().contains("mqtt://host/?***"), "{said:?}");
        assert!(!said.concat().contains("s3cret"), "{said:?}");
    }
}

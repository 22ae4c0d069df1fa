//! Files and passwords that only the owner may read.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::host::{Host, binary, clear_environment, eventually};

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
        let printed = String::from_utf8(doctor.stdout).unwrap();
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

/// Runs the server, which must end by itself because of a wrong setting.
fn run_with_names(file: &Path) -> Output {
    let start = Instant::now();
    let output = Command::new(binary())
        .args(["--demo", "--names"])
        .arg(file)
        .env_clear()
        .output()
        .unwrap();
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{}",
        file.display()
    );
    output
}

#[test]
fn a_file_of_names_that_is_wrong_is_a_bad_setting_that_names_the_line() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("names.toml");
    let broken_lines =
        "[aliases]\n\"ok\" = \"Hall/Lamp\"\nnot toml\n".to_owned() + &"x\n".repeat(20_000);
    let long = "a".repeat(100_000);
    let many: Vec<String> = (0..50_000).map(|number| format!("a{number} = \"b\"\n")).collect();
    for (content, why) in [
        (broken_lines, "line 3: "),
        ("[aliases]\nlamp = 3\n".to_owned(), "line 2: "),
        (
            format!("[aliases]\n{long} = \"Hall/Lamp\"\n"),
            "is longer than 200 characters",
        ),
        (
            format!("[aliases]\n{}", many.concat()),
            "more than 1000 aliases and floors",
        ),
        ("# too long\n".repeat(200_000), "it is longer than 1 MiB"),
    ] {
        std::fs::write(&file, content).unwrap();
        let output = run_with_names(&file);
        let printed = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{printed}");
        assert!(
            printed.contains("--names is \"") && printed.contains(why),
            "{printed}"
        );
        assert_eq!(printed.lines().count(), 1, "{printed}");
    }
}

#[test]
fn a_file_of_names_that_never_ends_is_refused_at_once() {
    let folder = TempDir::new().unwrap();
    let fifo = folder.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    for file in [Path::new("/dev/zero"), &fifo, folder.path()] {
        let output = run_with_names(file);
        let printed = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{printed}");
        assert!(printed.contains("it is not a regular file"), "{printed}");
    }
}

#[test]
fn names_and_patterns_that_match_nothing_are_named_in_the_log() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("names.toml");
    let aliases = "\"barn gate\" = \"Barn/Auger\"\n\"brewer\" = \"Kitchen/Coffee Machine\"\n";
    std::fs::write(&file, format!("[aliases]\n{aliases}")).unwrap();
    let names = format!("--names={}", file.display());
    let arguments = [
        "--demo",
        "--reply-timeout=100ms",
        "--hide=barn gate",
        "--guarded=brewer",
        &names,
    ];
    let mut host = Host::spawn(&arguments);
    host.begin();
    for part in [
        "there is no device \"Barn/Auger\" for \"barn gate\"",
        "matches no",
    ] {
        eventually(part, || host.stderr_so_far().contains(part));
    }
    let logged = host.finish().stderr;
    assert_eq!(logged.matches("--names: ").count(), 1, "{logged}");
    // "brewer" is the name of a device, if only for its owner.
    assert!(!logged.contains("\"brewer\""), "{logged}");
}

#[test]
fn doctor_names_the_patterns_and_the_room_that_match_nothing_even_if_no_device_is_left() {
    for (pattern, code, devices) in [
        ("--room=attic", 0, "17 devices"),
        ("--hide=frunt door", 0, "17 devices"),
        ("--guarded=Barn/Auger", 0, "17 devices"),
        ("--expose=kitchn/*", 1, "There is no device to list."),
    ] {
        let mut command = Command::new(binary());
        let doctor = clear_environment(&mut command).args(["doctor", "--demo", pattern]);
        let output = doctor.output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(code), "{printed}");
        let words = printed.split_whitespace().collect::<Vec<_>>().join(" ");
        let (_, name) = pattern.split_once('=').unwrap();
        let unmatched = if pattern.starts_with("--room") {
            format!("The house has no room \"{name}\", which --room names; its rooms are")
        } else {
            format!("The pattern \"{name}\" of --expose, --hide")
        };
        assert!(
            words.contains(&unmatched) && words.contains(devices),
            "{printed}"
        );
    }
}

#[test]
fn a_misspelt_safety_setting_is_a_warning_at_start_and_a_line_in_doctor() {
    let warning = "ZWAVE_READONLY is not a setting; did you mean ZWAVE_READ_ONLY?";
    let mut command = Command::new(binary());
    clear_environment(&mut command).arg("--demo").env("ZWAVE_READONLY", "1");
    let mut host = Host::spawn_command(&mut command);
    host.begin();
    assert!(host.finish().stderr.contains(warning));
    let mut command = Command::new(binary());
    let doctor = clear_environment(&mut command)
        .args(["doctor", "--demo"])
        .env("ZWAVE_READONLY", "1")
        .output()
        .unwrap();
    let printed = String::from_utf8(doctor.stdout).unwrap();
    assert!(printed.contains(warning), "{printed}");
}

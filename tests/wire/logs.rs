//! Where lines go, and that a log that can't be written stops nothing.

use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::process::Output;
use std::time::Duration;
#[cfg(unix)]
use std::time::SystemTime;

use serde_json::json;
use tempfile::TempDir;
#[cfg(unix)]
use tokio::process::Command;

use crate::support::Server;

fn files(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

async fn demo(folder: &Path, more: &[&str]) -> Server {
    let folder = format!("--log-file={}", folder.display());
    let arguments = ["--demo", "--log-level=debug", folder.as_str()];
    let arguments = arguments.iter().chain(more);
    let arguments: Vec<String> = arguments.map(|one| (*one).to_owned()).collect();
    let mut server = Server::spawn(&arguments);
    server.initialize().await;
    server
}

async fn ended(mut server: Server) -> String {
    server.close_stdin();
    assert_eq!(server.ended().await, Some(0));
    tokio::time::sleep(Duration::from_millis(100)).await;
    server.stderr()
}

#[tokio::test]
async fn every_control_call_leaves_one_line_with_what_was_said_and_what_became_of_it() {
    needs!(mosquitto);
    let arguments = ["--demo".to_owned()];
    let mut server = Server::spawn(&arguments);
    server.initialize().await;
    server.control("the coffee machine", "on").await;
    server.control("nothing like it", "on").await;
    server.control(&"x".repeat(100_000), "unlock").await;
    for arguments in [
        json!({ "action": "on" }),
        json!({ "deviceName": "Ceiling", "action": 7 }),
        json!({ "args": { "device_name": "coffee machine", "command": "off" } }),
        json!({ "name": "fan", "action": "off", "frobnicate": 1 }),
        json!({ "name": "coffee machine", "action": "off", "level": 50 }),
        json!({ "name": "coffee machine", "action": "set_mode" }),
    ] {
        server.call("control_zwave_device", arguments).await;
    }
    let stderr = ended(server).await;
    let lines: Vec<&str> = stderr
        .lines()
        .filter(|line| line.contains(" said="))
        .collect();
    let cut = format!("said=\"{}\" ", "x".repeat(100));
    let expected = [
        "said=\"the coffee machine\" devices=\"Kitchen/Coffee Machine\" action=\"on\" \
         certainty=\"confirmed\" milliseconds=",
        "said=\"nothing like it\" devices=\"\" action=\"on\" certainty=\"failed\" milliseconds=",
        cut.as_str(),
        "said=\"\" devices=\"\" action=\"on\" certainty=\"failed\" milliseconds=",
        "said=\"Ceiling\" devices=\"\" action=\"7\" certainty=\"failed\" milliseconds=",
        "said=\"coffee machine\" devices=\"Kitchen/Coffee Machine\" action=\"off\" \
         certainty=\"confirmed\" milliseconds=",
        "said=\"fan\" devices=\"\" action=\"off\" certainty=\"failed\" milliseconds=",
        "said=\"coffee machine\" devices=\"Kitchen/Coffee Machine\" action=\"off\" \
         certainty=\"failed\" milliseconds=",
        "said=\"coffee machine\" devices=\"Kitchen/Coffee Machine\" action=\"set_mode\" \
         certainty=\"failed\" milliseconds=",
    ];
    assert_eq!(lines.len(), expected.len(), "{stderr}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.contains(expected) && line.contains(" INFO "), "{line}");
        assert!(line.len() < 400, "{line}");
    }
}

#[tokio::test]
async fn lines_go_to_stderr_and_to_the_day_s_file_one_a_line_and_without_colours() {
    needs!(mosquitto);
    let folder = TempDir::new().unwrap();
    let logs = folder.path().join("made/when/needed");
    let mut server = demo(&logs, &[]).await;
    server.control("coffee machine", "on").await;
    let stderr = ended(server).await;
    let [file] = &files(&logs)[..] else {
        panic!("{:?}", files(&logs))
    };
    let name = file.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("zwave-mcp-server.20"), "{name}");
    let text = std::fs::read_to_string(file).unwrap();
    for text in [stderr, text] {
        assert!(text.lines().count() > 2, "{text}");
        for line in text.lines() {
            assert!(
                line.starts_with("20"),
                "no time, so no whole line: {line:?}"
            );
            assert!(!line.contains('\x1b'), "{line:?}");
        }
    }
}

#[tokio::test]
async fn old_files_go_and_only_ours() {
    needs!(mosquitto);
    let folder = TempDir::new().unwrap();
    for day in 1..=9 {
        let name = format!("zwave-mcp-server.2020-01-0{day}.log");
        std::fs::write(folder.path().join(name), "old\n").unwrap();
        // They are told apart by when they were made, in steps of the file system's clock.
        std::thread::sleep(Duration::from_millis(15));
    }
    std::fs::write(folder.path().join("mine.txt"), "mine\n").unwrap();
    let server = demo(folder.path(), &["--log-days=3"]).await;
    ended(server).await;
    let names = files(folder.path());
    let names: Vec<_> = names
        .iter()
        .map(|file| file.file_name().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(names.len(), 4, "{names:?}");
    assert_eq!(
        names[..3],
        [
            "mine.txt",
            "zwave-mcp-server.2020-01-08.log",
            "zwave-mcp-server.2020-01-09.log",
        ]
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_is_said_once_and_the_server_serves_on() {
    needs!(mosquitto);
    let folder = TempDir::new().unwrap();
    // Whatever day it is when the line is written.
    let today = today();
    for day in [today, today + 1] {
        let name = format!("zwave-mcp-server.{}.log", date(day));
        std::os::unix::fs::symlink("/dev/full", folder.path().join(name)).unwrap();
    }
    let mut server = demo(folder.path(), &[]).await;
    for _ in 0..20 {
        assert!(
            server
                .control("coffee machine", "toggle")
                .await
                .certainty
                .is_some()
        );
    }
    let stderr = ended(server).await;
    let said = "can't be written (No space left on device";
    assert_eq!(stderr.matches(said).count(), 1, "{stderr}");
    assert!(stderr.contains(folder.path().to_str().unwrap()), "{stderr}");
    assert!(stderr.contains("DEBUG"), "stderr goes on: {stderr}");
}

#[tokio::test]
async fn a_folder_that_can_not_be_used_is_said_once_and_the_server_serves_on() {
    needs!(mosquitto);
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let mut server = demo(&file, &[]).await;
    for _ in 0..5 {
        assert!(server.list("").await.starts_with("13 devices"));
    }
    let stderr = ended(server).await;
    assert_eq!(stderr.matches("can't be written (").count(), 1, "{stderr}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_hangs_delays_neither_the_host_nor_the_end() {
    needs!(mosquitto);
    let folder = TempDir::new().unwrap();
    let today = today();
    for day in [today, today + 1] {
        // A pipe that nobody reads: opening it waits for ever.
        let pipe = folder
            .path()
            .join(format!("zwave-mcp-server.{}.log", date(day)));
        let made = Command::new("mkfifo").arg(&pipe).status().await.unwrap();
        assert!(made.success());
    }
    let mut server = demo(folder.path(), &[]).await;
    assert!(server.list("").await.starts_with("13 devices"));
    ended(server).await;
}

/// Days since 1970.
#[cfg(unix)]
fn today() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.unwrap().as_secs() / 86_400
}

/// A day since 1970 as a date: days to civil, by H. Hinnant.
#[cfg(unix)]
fn date(day: u64) -> String {
    let shifted = day + 719_468;
    let era = shifted / 146_097;
    let of_era = shifted % 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The program on a terminal: `script` gives it one.
#[cfg(target_os = "linux")]
async fn on_a_terminal(environment: &[(&str, &str)]) -> Output {
    let command = format!(
        "{} --demo --log-level=debug </dev/null 2>/dev/tty >/dev/null",
        env!("CARGO_BIN_EXE_zwave-mcp-server")
    );
    Command::new("script")
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .envs(environment.iter().copied())
        .output()
        .await
        .expect("script (of util-linux) gives a terminal")
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_terminal_has_colours_unless_they_are_not_wanted() {
    needs!(mosquitto);
    let output = on_a_terminal(&[("NO_COLOR", "")]).await;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("INFO"), "{text}");
    assert!(text.contains("\x1b["), "{text}");
    let output = on_a_terminal(&[("NO_COLOR", "1")]).await;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("INFO"), "{text}");
    assert!(!text.contains("\x1b["), "{text}");
}

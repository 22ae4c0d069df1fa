//! Log lines, and the places where they go. A log that can't be written does not stop the server.

use std::path::{Path, PathBuf};

#[cfg(unix)]
use chrono::{Days, Utc};
use serde_json::json;
use tempfile::TempDir;
#[cfg(unix)]
use tokio::process::Command;

use crate::fixture::Server;
#[cfg(target_os = "linux")]
use crate::fixture::end;

fn list_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

/// Starts a server with the demo house. The server logs to a folder and to stderr.
async fn start_demo(folder: &Path, more: &[&str]) -> Server {
    let folder = format!("--log-file={}", folder.display());
    Server::demo(&[&["--log-level=debug", &folder], more].concat()).await
}

#[tokio::test]
async fn every_control_call_logs_one_line_with_what_was_said_and_its_outcome() {
    let mut server = Server::demo(&[]).await;
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
        server.control_with(arguments).await;
    }
    let stderr = server.finish().await;
    let lines: Vec<&str> = stderr.lines().filter(|line| line.contains(" said=")).collect();
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
async fn log_lines_are_whole_and_without_colors_on_stderr_and_in_the_file_of_the_day() {
    let folder = TempDir::new().unwrap();
    let logs = folder.path().join("made/when/needed");
    let mut server = start_demo(&logs, &[]).await;
    server.control("coffee machine", "on").await;
    let stderr = server.finish().await;
    let [file] = &list_files(&logs)[..] else {
        panic!("{:?}", list_files(&logs))
    };
    let name = file.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("zwave-mcp-server.20"), "{name}");
    let text = std::fs::read_to_string(file).unwrap();
    for text in [stderr, text] {
        assert!(text.lines().count() > 2, "{text}");
        for line in text.lines() {
            assert!(
                line.starts_with("20"),
                "the line does not begin with a time, so it is not whole: {line:?}"
            );
            assert!(!line.contains('\x1b'), "{line:?}");
        }
    }
}

#[tokio::test]
async fn only_our_own_old_log_files_are_deleted() {
    let folder = TempDir::new().unwrap();
    for day in 1..=9 {
        let name = format!("zwave-mcp-server.2020-01-0{day}.log");
        std::fs::write(folder.path().join(name), "old\n").unwrap();
    }
    std::fs::write(folder.path().join("mine.txt"), "mine\n").unwrap();
    let server = start_demo(folder.path(), &["--log-days=3"]).await;
    server.finish().await;
    let names = list_files(folder.path());
    let names: Vec<_> =
        names.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
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
async fn a_full_disk_is_reported_once_and_the_server_keeps_serving() {
    let folder = TempDir::new().unwrap();
    for name in log_file_names() {
        std::os::unix::fs::symlink("/dev/full", folder.path().join(name)).unwrap();
    }
    let mut server = start_demo(folder.path(), &[]).await;
    for _ in 0..20 {
        assert!(server.control("coffee machine", "toggle").await.certainty.is_some());
    }
    let stderr = server.finish().await;
    let notice = "can't be written (No space left on device";
    assert_eq!(stderr.matches(notice).count(), 1, "{stderr}");
    assert!(stderr.contains(folder.path().to_str().unwrap()), "{stderr}");
    assert!(stderr.contains("DEBUG"), "stderr has no log: {stderr}");
}

#[tokio::test]
async fn an_unusable_folder_is_reported_once_and_the_server_keeps_serving() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let mut server = start_demo(&file, &[]).await;
    for _ in 0..5 {
        assert!(server.list("").await.starts_with("16 devices"));
    }
    let stderr = server.finish().await;
    assert_eq!(stderr.matches("can't be written (").count(), 1, "{stderr}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_log_file_that_blocks_delays_neither_answers_nor_the_exit() {
    let folder = TempDir::new().unwrap();
    for name in log_file_names() {
        // As long as nobody reads this pipe, an attempt to open it for writing blocks.
        let pipe = folder.path().join(name);
        let made = Command::new("mkfifo").arg(&pipe).status().await.unwrap();
        assert!(made.success());
    }
    let mut server = start_demo(folder.path(), &[]).await;
    assert!(server.list("").await.starts_with("16 devices"));
    server.finish().await;
}

/// Returns the names of today's and tomorrow's log files, because midnight may pass during a test.
#[cfg(unix)]
fn log_file_names() -> [String; 2] {
    let today = Utc::now().date_naive();
    [today, today + Days::new(1)].map(|day| format!("zwave-mcp-server.{day}.log"))
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_log_at_a_terminal_has_colors_unless_the_variable_no_color_is_set() {
    // script(1) runs the program at a terminal, on which stderr is shown.
    let program = env!("CARGO_BIN_EXE_zwave-mcp-server");
    let script = format!("{program} --demo --log-level=debug </dev/null 2>/dev/tty >/dev/null");
    for (no_color, has_colors) in [("", true), ("1", false)] {
        let mut command = Command::new("script");
        command
            .args(["--quiet", "--return", "--command", &script, "/dev/null"])
            .env("NO_COLOR", no_color);
        let text = end(command).await.out;
        assert!(text.contains("INFO"), "{text}");
        assert_eq!(text.contains("\x1b["), has_colors, "{text}");
    }
}

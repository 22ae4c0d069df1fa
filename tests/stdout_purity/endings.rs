//! The server exits on a signal and after its host is gone. Closed pipes and stray output are no failure.

use std::process::Command;
#[cfg(unix)]
use std::process::Stdio;
use std::time::{Duration, Instant};

#[cfg(unix)]
use crate::fixture::signal;
use crate::host::{Host, binary, list};
#[cfg(unix)]
use crate::host::{eventually, parse_answers};

#[cfg(unix)]
#[test]
fn a_signal_ends_the_server_cleanly_before_and_during_a_session() {
    for name in ["TERM", "INT"] {
        let mut silent = Host::spawn(&["--demo"]);
        let mut interrupted = Host::spawn(&["--demo"]);
        let mut session = Host::spawn(&["--demo", "--log-level", "trace"]);
        interrupted.begin();
        interrupted.send(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"meth");
        session.begin();
        session.say(&list(2));
        session.wait_for(2);
        // `silent` has no answer to wait for, so give its server time to set up the signal handlers.
        silent.say("");
        std::thread::sleep(Duration::from_millis(300));
        for (host, answers) in [(silent, 0), (interrupted, 1), (session, 2)] {
            host.signal(name);
            let ended = host.wait_for_end();
            assert_eq!(
                (ended.code, ended.answers.0.len()),
                (Some(0), answers),
                "{name}"
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn a_broken_pipe_signal_does_not_end_the_server() {
    let mut host = Host::spawn(&["--demo"]);
    host.begin();
    host.signal("PIPE");
    host.say(&list(2));
    assert!(host.finish().answers.text(2).starts_with("16 devices"));
}

#[test]
fn the_server_exits_with_0_if_its_host_closes_stdout_before_the_first_answer() {
    let mut host = Host::spawn_without_reading(Command::new(binary()).arg("--demo"));
    host.close_stdout();
    host.say(&crate::host::initialize(1));
    let ended = host.wait_for_end();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
}

#[cfg(unix)]
#[test]
fn the_server_exits_if_its_host_dies_without_closing_the_pipes() {
    // The shell is the server's host. This test keeps the other ends of the server's pipes open.
    let script = format!("'{}' --demo <&0 & echo $! >&2; wait", binary().display());
    let mut shell =
        Host::spawn_command(Command::new("bash").args(["-c", &script]).stdin(Stdio::piped()));
    eventually("the shell prints the server's process id", || {
        shell.stderr_so_far().contains('\n')
    });
    let stderr = shell.stderr_so_far();
    let server = stderr.lines().next().unwrap().to_owned();
    shell.begin();
    shell.say(&list(2));
    shell.wait_for(2);
    let is_alive = || {
        Command::new("kill")
            .args(["-0", &server])
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success()
    };
    assert!(is_alive());
    signal(shell.id(), "KILL");
    eventually("the server is gone", || {
        // A zombie counts as gone: there may be no process that reaps it.
        let state = std::fs::read_to_string(format!("/proc/{server}/stat")).unwrap_or_default();
        !is_alive() || state.contains(") Z ")
    });
    assert_eq!(shell.wait_for_end().answers.0.len(), 2);
}

#[cfg(unix)]
#[test]
fn files_or_closed_descriptors_in_place_of_pipes_are_no_failure() {
    let directory = tempfile::tempdir().unwrap();
    let input = directory.path().join("in");
    let text = format!("{}\n{}\n", crate::host::initialize(1), list(2));
    std::fs::write(&input, text).unwrap();
    let output = directory.path().join("out");
    let run = |redirections: &str| {
        let script = format!("exec '{}' --demo {redirections}", binary().display());
        let status = Command::new("bash")
            .args(["-c", &script])
            .env("IN", &input)
            .env("OUT", &output)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert_eq!(status.unwrap().code(), Some(0), "{redirections}");
    };
    let written = || parse_answers(&std::fs::read(&output).unwrap());
    for redirections in ["<\"$IN\" >\"$OUT\"", "<\"$IN\" >\"$OUT\" 2>&-"] {
        run(redirections);
        assert!(written().text(2).starts_with("16 devices"));
    }
    run("<&- >\"$OUT\"");
    assert!(written().0.is_empty());
    for redirections in ["<\"$IN\" >&-", "<\"$IN\" >/dev/full", "<\"$IN\" >&- 2>&-"] {
        run(redirections);
    }
}

#[cfg(windows)]
#[test]
fn files_in_place_of_pipes_are_no_failure() {
    use std::fs::File;

    let directory = tempfile::tempdir().unwrap();
    let (input, output) = (directory.path().join("in"), directory.path().join("out"));
    let text = format!("{}\r\n{}\r\n", crate::host::initialize(1), list(2));
    std::fs::write(&input, text).unwrap();
    let status = Command::new(binary())
        .arg("--demo")
        .stdin(File::open(&input).unwrap())
        .stdout(File::create(&output).unwrap())
        .stderr(std::process::Stdio::null())
        .status();
    assert_eq!(status.unwrap().code(), Some(0));
    let answers = crate::host::parse_answers(&std::fs::read(&output).unwrap());
    assert!(answers.text(2).starts_with("16 devices"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_stray_write_to_descriptor_1_goes_to_stderr() {
    use std::io::Write;

    let mut host = Host::spawn(&["--demo"]);
    host.begin();
    let descriptor = format!("/proc/{}/fd/1", host.id());
    let mut stray = std::fs::OpenOptions::new().write(true).open(descriptor).unwrap();
    for id in 2..50 {
        host.say(&list(id));
        stray.write_all(b"a stray write\n{\"jsonrpc\":\"2.0\",").unwrap();
    }
    drop(stray);
    let ended = host.finish();
    assert_eq!(ended.answers.0.len(), 49);
    assert_eq!(ended.stderr.matches("a stray write").count(), 48);
}

#[test]
fn the_server_exits_at_once_if_stdin_ends_and_no_call_is_in_flight() {
    let mut host = Host::spawn(&["--demo"]);
    host.begin();
    let start = Instant::now();
    host.finish();
    assert!(start.elapsed() < Duration::from_secs(3));
}

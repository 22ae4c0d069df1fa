//! Stdout carries nothing but protocol, whatever is logged and whatever the settings.

use std::process::Command;

use serde_json::json;

use crate::host::{
    Host, binary, clear_environment, control, eventually, initialize, list, request,
};

#[test]
fn stdout_is_pure_at_every_log_level_with_and_without_a_broker() {
    for level in ["error", "warn", "info", "debug", "trace"] {
        for broker in [&["--demo"][..], &["--broker", "mqtt://127.0.0.1:1"][..]] {
            let mut host = Host::spawn(&[broker, &["--log-level", level]].concat());
            host.say(&initialize(1));
            host.say(&list(2));
            host.wait_for(2);
            if level == "trace" {
                // A separate thread writes the log, perhaps later than the answer.
                eventually("the server logs", || host.stderr_so_far().contains("TRACE"));
            }
            let ended = host.finish();
            assert_eq!(ended.answers.0.len(), 2, "{level} {broker:?}");
            let name = &ended.answers.get(1)["result"]["serverInfo"]["name"];
            assert_eq!(name, "zwave-mcp-server");
            assert!(!ended.answers.text(2).is_empty());
            assert_eq!(level == "trace", ended.stderr.contains("TRACE"), "{level}");
        }
    }
}

#[test]
fn stdout_is_pure_if_the_environment_turns_on_the_log_of_every_crate() {
    for levels in [
        "trace",
        "rmcp=trace,rumqttc=trace,tokio=trace,mio=trace,zwave_mcp_server=trace",
    ] {
        let mut host =
            Host::spawn_command(Command::new(binary()).arg("--demo").env("RUST_LOG", levels));
        host.begin();
        host.say(&control(2, "kitchen light", "on"));
        host.say(&list(3));
        eventually("the server logs", || host.stderr_so_far().contains("TRACE"));
        let ended = host.finish();
        assert_eq!(ended.answers.0.len(), 3, "{levels}");
    }
}

#[test]
fn stdout_is_pure_with_every_setting() {
    let settings: [&[&str]; 13] = [
        &["--read-only"],
        &["--structured"],
        &["--guard", "deny"],
        &["--guard", "allow"],
        &["--prefix", "a/b"],
        &["--gateway", "one", "--gateway", "two"],
        &["--confirm-timeout", "10ms"],
        &["--reply-timeout", "500ms"],
        &["--username", "me"],
        &["--broker", "mqtt://me:pw@127.0.0.1:1"],
        &["--broker=mqtt://127.0.0.1:1,mqtt://127.0.0.1:2"],
        &["serve"],
        &[
            "--read-only",
            "--structured",
            "--guard=allow",
            "--gateway=demo",
            "--reply-timeout=1s",
            "--log-level=rumqttc=trace,debug",
        ],
    ];
    for setting in settings {
        let mut host = Host::spawn(&[&["--demo"], setting].concat());
        host.begin();
        host.say(&request(2, "tools/list", json!({})));
        host.say(&list(3));
        host.say(&control(4, "front door", "unlock"));
        let ended = host.finish();
        assert_eq!(ended.answers.0.len(), 4, "{setting:?}: {}", ended.stderr);
        let tools = ended.answers.get(2)["result"]["tools"].as_array().unwrap();
        assert_eq!(tools.len(), if setting[0] == "--read-only" { 1 } else { 2 });
        assert!(!ended.answers.text(3).is_empty());
    }
}

#[test]
fn a_bad_setting_causes_one_line_on_stderr_and_exit_code_2() {
    let settings: [&[&str]; 6] = [
        &["--guard", "maybe"],
        &["--broker", "http://localhost"],
        &["--broker=mqtt://localhost", "--broker=mqtt://one,two"],
        &["--reply-timeout", "soon"],
        &["--log-level", "loud"],
        &["--password-file", "/nowhere/at/all"],
    ];
    for setting in settings {
        let mut host = Host::spawn(setting);
        host.close();
        let ended = host.wait_for_end();
        assert_eq!(ended.code, Some(2), "{setting:?}: {}", ended.stderr);
        assert!(ended.answers.0.is_empty());
        assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    }
    let mut host = Host::spawn(&["--no-such-option"]);
    host.close();
    let ended = host.wait_for_end();
    assert_eq!((ended.code, ended.answers.0.len()), (Some(2), 0));
}

#[test]
fn a_log_file_that_can_not_be_written_does_no_harm() {
    let directory = tempfile::tempdir().unwrap();
    let taken = directory.path().join("taken");
    std::fs::write(&taken, "a file, no folder").unwrap();
    // A path below a file, a folder in place of the file, and a device that is always full.
    let mut paths = vec![taken.join("log"), directory.path().into()];
    if cfg!(unix) {
        paths.push("/dev/full".into());
    }
    for path in paths {
        let mut command = Command::new(binary());
        let command = clear_environment(command.arg("--demo"));
        let mut host = Host::spawn_command(command.env("ZWAVE_LOG_FILE", &path));
        std::thread::sleep(std::time::Duration::from_millis(300));
        if host.has_ended() {
            // The server may also refuse the path as a bad setting.
            let ended = host.wait_for_end();
            assert_eq!(
                (ended.code, ended.answers.0.len()),
                (Some(2), 0),
                "{}",
                path.display()
            );
            assert!(!ended.stderr.is_empty());
            continue;
        }
        host.begin();
        host.say(&list(2));
        let ended = host.finish();
        assert!(ended.answers.text(2).starts_with("16 devices"));
    }
}

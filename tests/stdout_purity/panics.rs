//! A panic in a tool call or a read, in a build that can be made to panic.

use std::path::PathBuf;
use std::process::Command;

use serde_json::json;

use crate::host::{Host, eventually, initialize, list, request, without_environment};

/// Builds the program once more with a feature that only this test uses, in the folder where the
/// tests were built: only this crate is compiled again, in half a minute once and never after.
fn panicking() -> PathBuf {
    let own = PathBuf::from(env!("CARGO_BIN_EXE_zwave-mcp-server"));
    let folder = own.parent().unwrap();
    let profile = match folder.file_name().unwrap().to_str().unwrap() {
        "debug" => "dev",
        other => other,
    };
    let name = "zwave-mcp-server-panicking";
    let built = Command::new(env!("CARGO"))
        .args([
            "build",
            "--locked",
            "--features",
            "panicking",
            "--bin",
            name,
            // With an example, dependencies have the features that tests give them, and are those
            // that are built already.
            "--example",
            "house",
        ])
        .args(["--profile", profile, "--target-dir"])
        .arg(folder.parent().unwrap())
        // It need not be fast, but built fast.
        .args([
            "--config",
            "profile.dev.package.zwave-mcp-server.opt-level=0",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{stderr}");
    folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

#[test]
fn a_panic_is_an_answer_to_its_call_and_a_line_on_stderr() {
    let mut host = Host::of(without_environment(Command::new(panicking()).arg("--demo")));
    host.say(&initialize(1));
    let panic = json!({ "name": "list_zwave_devices", "arguments": { "filter": "panic" } });
    for id in [2, 4, 6] {
        host.say(&request(id, "tools/call", panic.clone()));
        host.say(&list(id + 1));
    }
    let read = |uri| json!({ "uri": uri });
    host.say(&request(
        8,
        "resources/read",
        read("zwave://devices/Kitchen/panic"),
    ));
    host.say(&request(9, "resources/read", read("zwave://devices")));
    eventually("it is logged", || {
        let stderr = host.stderr_so_far();
        stderr.matches("a tool call broke").count() == 3 && stderr.contains("a request broke")
    });
    let ended = host.finished();
    for id in [2, 4, 6] {
        let answer = ended.answers.of(id);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        let text = ended.answers.text(id);
        assert!(
            text.starts_with("Something went wrong inside the server"),
            "{text}"
        );
        assert!(ended.answers.text(id + 1).starts_with("13 devices"));
    }
    let broken = &ended.answers.of(8)["error"];
    assert_eq!(broken["code"], -32603, "{broken}");
    let text = broken["message"].as_str().unwrap();
    assert!(text.contains("No command was sent"), "{text}");
    assert!(ended.answers.of(9)["result"]["contents"].is_array());
    let lines = ended.stderr.lines();
    let panics = lines
        .filter(|line| line.contains("panicked at") && line.contains("it was asked to panic"))
        .count();
    assert_eq!(panics, 4, "{}", ended.stderr);
}

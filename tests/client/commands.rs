//! The `call` and `tools` commands as a user types them, with this server and with others.

use tokio::process::Command;

use crate::accepted::{assert_accepted_by_anthropic, assert_accepted_by_ollama};
use crate::fixture::{Ended, end, run};
use crate::garbage::{Flaw, Garbage};
use crate::hostile::Script;

/// Runs this crate's program with the scripted server.
async fn run_with_server(arguments: &[&str], script: &Script) -> Ended {
    let program = script.program();
    let mut command = Command::new(env!("CARGO_BIN_EXE_zwave-mcp-server"));
    command
        .args(arguments)
        .arg("--server")
        .arg(program.path)
        .args(program.arguments)
        .envs(program.environment);
    end(command).await
}

#[tokio::test]
async fn the_call_command_runs_any_tool_and_its_exit_code_tells_the_outcome() {
    let arguments = r#"{"device_name": "coffee machine", "command": "on"}"#;
    let output = run(&["--demo", "call", "control_zwave_device", arguments]).await;
    assert_eq!(output.out, "Coffee Machine is now on.\n", "{output:?}");
    assert_eq!(output.code, Some(0));
    let arguments = r#"{"deviceName": "work light", "action": "on"}"#;
    let output = run(&["--demo", "call", "control_zwave_device", arguments]).await;
    assert_eq!(output.out, "Work Light still reports off.\n");
    assert_eq!(output.code, Some(1));
    let output = run(&["--demo", "call", "list_zwave_devices", "--json"]).await;
    let json = output.json();
    assert!(
        json["content"][0]["text"].as_str().unwrap().starts_with("16 devices"),
        "{json}"
    );
}

#[tokio::test]
async fn mistakes_on_the_command_line_are_explained_without_revealing_secrets() {
    let output = run(&["--demo", "call", "lights"]).await;
    assert_eq!(output.code, Some(1));
    assert_eq!(
        output.err,
        "zwave-mcp-server: There is no tool \"lights\". There are: list_zwave_devices, \
         control_zwave_device.\n"
    );
    let output = run(&["--demo", "call", "list_zwave_devices", "kitchen"]).await;
    assert_eq!(output.code, Some(2));
    assert!(
        output.err.contains("It takes filter (string), includeInactive (boolean)."),
        "{output:?}"
    );
    let output = run(&["list", "--broker", "http://me:secret@host"]).await;
    assert_eq!(output.code, Some(2));
    assert!(!output.err.contains("secret"));
    let arguments = [
        "--broker=mqtt://me:secret@host",
        "call",
        "env",
        "--server",
        "sh",
    ];
    let output = run(&arguments).await;
    assert_eq!(output.code, Some(2));
    let stderr = &output.err;
    assert!(
        stderr.contains("leave --broker out") && !stderr.contains("secret"),
        "{stderr}"
    );
    let output = run(&["tools", "--server", "/no/such/server"]).await;
    assert_eq!(output.code, Some(1));
    assert!(
        output.err.contains("MCP connection failed after 1 attempt: can't start"),
        "{output:?}"
    );
}

#[tokio::test]
async fn the_tools_command_prints_every_format() {
    let tools = async |format| {
        let output = run(&["--demo", "tools", "--format", format]).await;
        assert!(output.code == Some(0), "{output:?}");
        let json = output.json();
        json.as_array().unwrap().clone()
    };
    let mcp = tools("mcp").await;
    let claude = tools("anthropic").await;
    let qwen = tools("ollama").await;
    assert_eq!(tools("openai").await, qwen);
    assert!(mcp[0]["inputSchema"].is_object());
    claude.iter().for_each(assert_accepted_by_anthropic);
    qwen.iter().for_each(assert_accepted_by_ollama);
    assert_eq!((mcp.len(), claude.len(), qwen.len()), (2, 2, 2));
}

#[tokio::test]
async fn the_call_command_works_with_any_server_and_reports_bad_stdout_lines_on_stderr() {
    let script = Script {
        start: vec![Garbage::Ansi],
        after: vec![Garbage::LogLine; 20],
        ..Script::default()
    };
    let output = run_with_server(&["call", "echo", r#"{"text":"hello"}"#], &script).await;
    assert_eq!(output.out, "hello\n", "{output:?}");
    assert_eq!(output.code, Some(0));
    let stderr = &output.err;
    let heading = "The server prints on stdout what is not a message:\n  \"";
    assert!(
        stderr.starts_with(heading) && stderr.contains("\n  \"\\u{1b}[32mINFO"),
        "{stderr}"
    );
    assert!(stderr.contains("  … and "), "{stderr}");
    let output = run_with_server(&["call", "die"], &Script::default()).await;
    assert_eq!(output.code, Some(1));
    assert!(
        output.err.contains("The server's stderr ends with:\n  pid "),
        "{output:?}"
    );
    let end = "zwave-mcp-server: The call of die may or may not have been done: the server broke off: it ended \
               with exit code 9.\n";
    assert!(output.err.ends_with(end), "{output:?}");
}

#[tokio::test]
async fn the_commands_call_and_tools_use_a_server_that_exits_at_discovery() {
    let script = Script::with(|script| script.die_at = Some("server/discover".to_owned()));
    let output = run_with_server(&["call", "echo", r#"{"text":"hello"}"#], &script).await;
    assert_eq!((output.out.as_str(), output.code), ("hello\n", Some(0)));
    let output = run_with_server(&["tools"], &script).await;
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.out.contains("\"echo\""), "{output:?}");
}

#[tokio::test]
async fn an_answer_that_lenient_clients_accept_is_accepted() {
    for (flaw, text) in [
        (Flaw::NullError, "hello\n"),
        (Flaw::Surrogate, "\\ \u{1f600} hell\u{fffd} o\n"),
    ] {
        let script = Script::with(|script| script.flaw = Some(flaw));
        let output = run_with_server(&["call", "echo", r#"{"text":"hello"}"#], &script).await;
        assert_eq!(output.out, text, "{flaw:?} {output:?}");
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_shown_and_ends_the_call_after_seconds() {
    for flaw in [
        Flaw::NaN,
        Flaw::LogPrefix,
        Flaw::Ansi,
        Flaw::Pretty,
        Flaw::Utf16,
    ] {
        let script = Script::with(|script| script.flaw = Some(flaw));
        // A call may take five minutes, but the test's limit for a command is one.
        let output = run_with_server(&["call", "echo", r#"{"text":"hello"}"#], &script).await;
        assert_eq!(output.code, Some(1), "{flaw:?} {output:?}");
        let heading = "The server prints on stdout what is not a message:\n  \"";
        let error = "the server's answer to tools/call can't be used (";
        assert!(
            output.err.contains(heading) && output.err.contains(error),
            "{flaw:?} {output:?}"
        );
    }
}

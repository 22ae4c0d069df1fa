//! A server program's environment, and the `Debug` and `Serialize` output of the client's types.

use serde_json::json;
use zwave_mcp_server::client::formats::ToolCall;
use zwave_mcp_server::client::{Connection, Host, Program, Redactor, ToolResult};

use crate::support::tool;

#[test]
fn debug_output_shows_no_secret() {
    let mut program = Program::new("server", ["--demo"]);
    program.environment = vec![("MQTT_PASSWORD".into(), "hunter2".into())];
    let connection = Connection::new(program, Host::new("me", "1.0"));
    let shown = format!("{connection:?} {:?}", Redactor::new(["hunter2"]));
    assert!(
        shown.contains("MQTT_PASSWORD") && !shown.contains("hunter2"),
        "{shown}"
    );
}

#[test]
fn a_tool_a_call_and_a_result_serialize_to_mcp_json() {
    let lamp = tool("lamp", json!({ "type": "object" }));
    assert_eq!(json!(lamp), lamp.document);
    let call = ToolCall {
        id: None,
        name: "lamp".to_owned(),
        arguments: json!({ "on": true }),
    };
    assert_eq!(
        json!(call),
        json!({ "name": "lamp", "arguments": { "on": true } })
    );
    let result = ToolResult {
        structured: Some(json!({ "on": true })),
        ..ToolResult::failure("It is broken.")
    };
    let content = json!([{ "type": "text", "text": "It is broken." }]);
    assert_eq!(
        json!(result),
        json!({ "content": content, "structuredContent": { "on": true }, "isError": true })
    );
    assert_eq!(
        json!(ToolResult::text("Done.")),
        json!({ "content": [{ "type": "text", "text": "Done." }], "isError": false })
    );
}

/// Runs a program that prints its environment on stderr, and returns the names of the variables.
async fn read_environment(program: Program) -> Vec<String> {
    let mut host = Host::new("test", "0");
    host.limits.delays = Vec::new();
    let error = Connection::new(program, host).connect().await.unwrap_err();
    error
        .stderr
        .iter()
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name.to_owned())
        .collect()
}

#[tokio::test]
async fn a_server_inherits_the_whole_environment_or_only_the_listed_variables() {
    let (shell, arguments) = if cfg!(windows) {
        ("cmd", ["/C", "set >&2"])
    } else {
        ("sh", ["-c", "env >&2"])
    };
    let mut program = Program::new(shell, arguments);
    program.environment = vec![("SET".into(), "yes".into())];
    // Cargo sets this variable for tests.
    let host_variable = "CARGO_MANIFEST_DIR";
    let has =
        |names: &[String], wanted: &str| names.iter().any(|name| name.eq_ignore_ascii_case(wanted));
    let all = read_environment(program.clone()).await;
    assert!(has(&all, host_variable) && has(&all, "SET"), "{all:?}");
    let listed = program.inherit_only(Program::BASIC_ENVIRONMENT);
    let basic = read_environment(listed.clone()).await;
    assert!(has(&basic, "PATH") && has(&basic, "SET"), "{basic:?}");
    assert!(!has(&basic, host_variable), "{basic:?}");
    let mut bare = listed.inherit_only(["NO_SUCH_VARIABLE"]);
    if !cfg!(windows) {
        // Without PATH, the shell must be named by its full path.
        bare.path = "/bin/sh".into();
    }
    let bare = read_environment(bare).await;
    assert!(has(&bare, "SET"), "{bare:?}");
    assert!(
        !has(&bare, "HOME") && !has(&bare, "NO_SUCH_VARIABLE"),
        "{bare:?}"
    );
}

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
fn tools_calls_and_results_serialize_to_mcp_json() {
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

/// Returns the names of the environment variables that a server sees.
async fn read_environment(program: Program) -> Vec<String> {
    let mut host = Host::new("test", "0");
    host.limits.delays = Vec::new();
    let failed = Connection::new(program, host).connect().await.unwrap_err();
    failed
        .stderr
        .iter()
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name.to_owned())
        .collect()
}

#[tokio::test]
async fn a_server_inherits_the_environment_or_only_the_listed_variables() {
    let (shell, arguments) = if cfg!(windows) {
        ("cmd", ["/C", "set >&2"])
    } else {
        ("sh", ["-c", "env >&2"])
    };
    let mut program = Program::new(shell, arguments);
    program.environment = vec![("SET".into(), "yes".into())];
    // Cargo sets this variable for tests.
    let host_variable = "CARGO_MANIFEST_DIR";
    let has = |names: &[String], name: &str| names.iter().any(|own| own.eq_ignore_ascii_case(name));
    let all = read_environment(program.clone()).await;
    assert!(has(&all, host_variable) && has(&all, "SET"), "{all:?}");
    let listed = program.inherit_only(Program::BASIC_ENVIRONMENT);
    let some = read_environment(listed.clone()).await;
    assert!(has(&some, "PATH") && has(&some, "SET"), "{some:?}");
    assert!(!has(&some, host_variable), "{some:?}");
    let none = read_environment(Program {
        path: if cfg!(windows) { shell } else { "/bin/sh" }.into(),
        ..listed.inherit_only(["NO_SUCH_VARIABLE"])
    });
    let none = none.await;
    assert!(has(&none, "SET"), "{none:?}");
    assert!(
        !has(&none, "HOME") && !has(&none, "NO_SUCH_VARIABLE"),
        "{none:?}"
    );
}

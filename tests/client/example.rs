//! Runs the example host of the client's documentation.

#[path = "../../docs/example_host.rs"]
mod host;

use serde_json::{Value as Json, json};
use zwave_mcp_server::client::Program;

/// Checks that the device tool is offered exactly if `has_device_tool` is true. Returns a model's answer with two
/// calls. The first call has argument names that the device tool's schema does not have.
fn answer_as_model(tools: &[Json], has_device_tool: bool) -> Json {
    let names: Vec<&str> =
        tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap()).collect();
    assert_eq!(
        names.contains(&"control_zwave_device"),
        has_device_tool,
        "{names:?}"
    );
    let arguments = json!({ "device_name": "coffee machine", "command": "on" });
    json!({ "message": { "role": "assistant", "tool_calls": [
        { "function": { "name": "control_zwave_device", "arguments": arguments } },
        { "function": { "name": "remember", "arguments": "{\"note\": \"milk\"}" } },
    ] } })
}

fn contents(messages: &[Json]) -> Vec<&str> {
    messages.iter().map(|message| message["content"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn the_example_host_runs_the_calls_of_a_model_with_the_real_server() {
    let server = Program::new(env!("CARGO_BIN_EXE_zwave-mcp-server"), ["--demo"]);
    let messages = host::host(server, |tools| answer_as_model(&tools, true)).await.unwrap();
    assert_eq!(
        contents(&messages),
        ["Coffee Machine is now on.", "Noted: \"milk\""]
    );
    assert_eq!(messages[0]["tool_name"], "control_zwave_device");
}

#[tokio::test]
async fn the_example_host_runs_its_own_tools_even_if_there_is_no_server() {
    let server = Program::new("/no/such/server", [""; 0]);
    let messages = host::host(server, |tools| answer_as_model(&tools, false)).await.unwrap();
    assert_eq!(
        contents(&messages),
        [
            "There is no tool \"control_zwave_device\". There are: get_date_and_time, volume, \
             remember.",
            "Noted: \"milk\""
        ]
    );
}

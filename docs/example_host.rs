use std::sync::Arc;

use serde_json::{Value, json};
use zwave_mcp_server::client::formats::ollama;
use zwave_mcp_server::client::local::{clock, volume};
use zwave_mcp_server::client::{
    Connection, Host, Limits, LocalTool, Program, Redactor, ServerEvent, ToolExecutor, ToolManager,
    ToolResult,
};

/// Connects to a server during the host's start-up, offers all tools to a model, and runs the calls that the
/// model requests.
pub async fn host(
    program: Program,
    model: impl Fn(Vec<Value>) -> Value,
) -> Result<Vec<Value>, Box<dyn std::error::Error>> {
    // The host's own tools are available even if the server fails.
    let manager = Arc::new(ToolManager::default());
    manager.add_local(clock::tool(clock::Now::from_system_clock)?);
    manager.add_local(volume::tool(None)?);
    manager.add_local(LocalTool::new(
        "remember",
        "Writes a note down.",
        json!({
            "type": "object",
            "properties": { "note": { "type": "string", "description": "The note" } },
            "required": ["note"],
        }),
        |arguments| async move { Ok(format!("Noted: {}", arguments["note"])) },
    )?);

    let host = Host::new("example", "1.0").with_listener(|event| {
        if let ServerEvent::BadLine(line) = event {
            eprintln!("The server printed a line that is not a message: {line}");
        }
    });
    let server = Arc::new(Connection::new(program, host));
    // `connect` makes up to three attempts, after delays of 0, 2 and 4 s, while other start-up work runs.
    let (connecting, ()) = tokio::join!(server.connect(), async { /* load the model */ });
    let mut connected = connecting.is_ok();
    match connecting {
        Ok(()) => {
            manager.add_server(server.clone()).await?;
        }
        // The error says what to check. The host continues with its own tools.
        Err(error) => eprintln!("{error}"),
    }

    // The model receives the tools, and answers with calls. The result of each call becomes a message.
    let answer = model(ollama::tools(&manager.tools()));
    let secrets = Redactor::new(["the-broker's-password"]);
    let executor = ToolExecutor::new(manager, Limits::default(), secrets);
    let mut messages = Vec::new();
    for call in ollama::tool_calls(&answer) {
        // If the server dies during a call, nobody knows whether the call was done. The result says so.
        // The host reconnects, but does not repeat the call.
        let called = executor.call(&call.name, call.arguments.clone()).await;
        let result = called.unwrap_or_else(ToolResult::from);
        messages.push(ollama::tool_result(&call, &result));
        if connected && !server.is_alive() {
            connected = server.connect().await.is_ok();
        }
    }

    // Closes the server's stdin, and waits until the server is gone.
    server.close().await?;
    Ok(messages)
}

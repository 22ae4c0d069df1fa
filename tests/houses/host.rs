//! A host and the real server in one process: JSON-RPC goes in and comes out, line by line.

use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, duplex};
use zwave_mcp_server::gateway::Gateways;
use zwave_mcp_server::mcp::{Policy, serve};

/// More than any line has.
const ENOUGH: usize = 1 << 20;

/// The host's side of a session.
pub struct Host {
    input: DuplexStream,
    output: Lines<BufReader<DuplexStream>>,
    last: u64,
}

/// A tool's answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub text: String,
    pub is_error: bool,
}

impl Host {
    /// Starts the server on a gateway, and a session with it.
    pub async fn start(gateways: Gateways, policy: Policy) -> Self {
        let (input, reader) = duplex(ENOUGH);
        let (writer, output) = duplex(ENOUGH);
        let is_closed = Box::new(|| false);
        tokio::spawn(async move {
            serve(reader, writer, is_closed, gateways, policy)
                .await
                .unwrap();
        });
        let mut host = Self {
            input,
            output: BufReader::new(output).lines(),
            last: 0,
        };
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "houses", "version": "0" },
        });
        host.request("initialize", params).await;
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        host.send(&ready).await;
        host
    }

    /// Calls `control_zwave_device`.
    pub async fn control(&mut self, arguments: Json) -> Answer {
        let result = self.call("control_zwave_device", arguments).await;
        let text = result["content"][0]["text"].as_str();
        Answer {
            text: text.unwrap_or_else(|| panic!("{result}")).to_owned(),
            is_error: result["isError"].as_bool().unwrap_or_default(),
        }
    }

    /// Calls a tool; its result as it came.
    pub async fn call(&mut self, tool: &str, arguments: Json) -> Json {
        let params = json!({ "name": tool, "arguments": arguments });
        self.request("tools/call", params).await["result"].take()
    }

    async fn send(&mut self, message: &Json) {
        let line = format!("{message}\n");
        self.input.write_all(line.as_bytes()).await.unwrap();
    }

    async fn request(&mut self, method: &str, params: Json) -> Json {
        self.last += 1;
        let request = json!({
            "jsonrpc": "2.0", "id": self.last, "method": method, "params": params,
        });
        self.send(&request).await;
        loop {
            let line = self.output.next_line().await.unwrap();
            let message: Json = serde_json::from_str(&line.expect("the server left")).unwrap();
            if message["id"] == self.last {
                return message;
            }
        }
    }
}

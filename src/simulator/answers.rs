//! A simulated gateway's API: what is called, and how the reply goes out.

use serde_json::{Map, Value as Json, json};

use super::Sim;
use crate::gateway::bus::Outgoing;

/// What a call comes to.
pub(super) enum CallResult {
    /// It ran; what it returned, if anything.
    Ran(Option<Json>),
    /// It did not run.
    NotRun(String),
    /// It gives no reply at all.
    Silent,
}

/// JavaScript's complaint about arguments that are missing.
pub(super) fn undefined(property: &str) -> CallResult {
    CallResult::NotRun(format!(
        "Cannot read properties of undefined (reading '{property}')"
    ))
}

impl Sim {
    /// Serves one call.
    pub(super) async fn serve(&self, api: &str, payload: &[u8]) {
        // A payload that is no JSON is a call without arguments; JSON null gets no reply at all
        // (`docs/GATEWAY.md#bad-requests`).
        let request: Json = match serde_json::from_slice(payload) {
            Ok(Json::Null) => return,
            Ok(request) => request,
            // What begins like a number is taken for one, and is none.
            Err(_) if payload.first().is_some_and(u8::is_ascii_digit) => Json::Null,
            Err(_) => Json::String(String::from_utf8_lossy(payload).into_owned()),
        };
        #[cfg(feature = "simulator")]
        let request = super::testing::noted(api, request);
        let args = match request.get("args") {
            Some(Json::Array(args)) => args.clone(),
            Some(_) => {
                let reply = json!({
                    "success": false, "message": "Args must be an array", "origin": request,
                });
                self.reply(api, &reply);
                return;
            }
            None => Vec::new(),
        };
        let called = if self.state().driver {
            self.call(api, &args).await
        } else {
            CallResult::NotRun("Z-Wave client not connected".to_owned())
        };
        let mut reply = Map::new();
        let (success, message, result) = match called {
            CallResult::Ran(result) => (true, "Success zwave api call".to_owned(), result),
            CallResult::NotRun(message) => (false, message, None),
            CallResult::Silent => return,
        };
        reply.insert("success".to_owned(), json!(success));
        reply.insert("message".to_owned(), json!(message));
        if let Some(result) = result {
            reply.insert("result".to_owned(), result);
        }
        reply.insert("args".to_owned(), Json::Array(args));
        reply.insert("origin".to_owned(), request);
        self.reply(api, &Json::Object(reply));
    }

    async fn call(&self, api: &str, args: &[Json]) -> CallResult {
        #[cfg(feature = "simulator")]
        if let Some(called) = self.call_of_others(api, args).await {
            return called;
        }
        match api {
            "getInfo" => CallResult::Ran(Some(json!({
                "homeid": self.setup.home, "name": "0x7e570001", "controllerId": 1,
                "status": "scan done", "appVersion": "11.22.2", "zwaveVersion": "15.29.0",
            }))),
            "getNodes" => {
                let state = self.state();
                let nodes = state.nodes.values().map(super::SimNode::whole);
                CallResult::Ran(Some(nodes.collect()))
            }
            "writeValue" => match args {
                [] => undefined("commandClass"),
                [id, rest @ ..] => self.write_value(id, rest.first().cloned()).await,
            },
            "pollValue" => match args.first() {
                Some(id) => self.poll_value(id).await,
                None => undefined("nodeId"),
            },
            "sendCommand" => match args {
                [target, Json::String(command), rest @ ..] => {
                    self.send_command(target, command, rest.first()).await
                }
                _ => undefined("nodeId"),
            },
            "pingNode" => match self.known(args.first()) {
                Some(node) => CallResult::Ran(Some(json!(self.status(node) != "Dead"))),
                None => undefined("ping"),
            },
            "_getScenes" | "_getGroups" => CallResult::Ran(Some(json!([]))),
            _ => CallResult::NotRun("Unknown API".to_owned()),
        }
    }

    /// The number of a node that there is.
    pub(super) fn known(&self, node: Option<&Json>) -> Option<u16> {
        let node = u16::try_from(node?.as_u64()?).ok()?;
        self.state().nodes.contains_key(&node).then_some(node)
    }

    /// Sends a reply.
    fn reply(&self, api: &str, reply: &Json) {
        let sent = self.send(Outgoing {
            topic: format!("{}{api}", self.setup.calls()),
            payload: reply.to_string().into_bytes(),
            retain: false,
            acknowledged: true,
        });
        if sent.is_err() {
            tracing::debug!(api, "the simulated gateway can't reply");
        }
    }
}

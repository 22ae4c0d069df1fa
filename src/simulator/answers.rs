//! A simulated gateway's API: the calls, and their replies.

use serde_json::{Map, Value as Json, json};

use super::Sim;
use crate::gateway::bus::Outgoing;

/// The result of a call.
pub(super) enum CallResult {
    /// It ran, and returned this, if anything.
    Ran(Option<Json>),
    /// It did not run.
    NotRun(String),
    /// It gives no reply at all.
    Silent,
}

impl Sim {
    /// Serves one call.
    pub(super) async fn serve(&self, api: &str, payload: &[u8]) {
        let Ok(Json::Object(request)) = serde_json::from_slice(payload) else {
            tracing::debug!(api, "a request that is no JSON object");
            return;
        };
        let args = request.get("args").and_then(Json::as_array);
        let args = args.cloned().unwrap_or_default();
        let outcome = if self.state().driver {
            self.call(api, &args).await
        } else {
            CallResult::NotRun("Z-Wave client not connected".to_owned())
        };
        let mut reply = Map::new();
        let (success, message, result) = match outcome {
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
        reply.insert("origin".to_owned(), Json::Object(request));
        self.reply(api, &Json::Object(reply));
    }

    async fn call(&self, api: &str, args: &[Json]) -> CallResult {
        #[cfg(feature = "simulator")]
        if let Some(result) = self.scene_call(api, args) {
            return result;
        }
        let first = args.first().unwrap_or(&Json::Null);
        match api {
            "getInfo" => CallResult::Ran(Some(json!({
                "homeid": self.setup.home, "name": "0x7e570001", "controllerId": 1,
                "status": "scan done", "appVersion": "11.22.2", "zwaveVersion": "15.29.0",
            }))),
            "getNodes" => {
                let state = self.state();
                CallResult::Ran(Some(
                    state.nodes.values().map(super::SimNode::whole).collect(),
                ))
            }
            "writeValue" => self.write_value(first, args.get(1).cloned()).await,
            "pollValue" => self.poll_value(first).await,
            "sendCommand" => self.send_command(first, args.get(1)).await,
            "_getScenes" | "_getGroups" => CallResult::Ran(Some(json!([]))),
            _ => CallResult::NotRun("Unknown API".to_owned()),
        }
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

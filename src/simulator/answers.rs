//! A simulated gateway's API: what is called, and how the reply goes out.

use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use tokio::time::{Instant, sleep, sleep_until};

use super::id::{Id, numbers};
use super::{Fault, Sim};
use crate::gateway::bus::Outgoing;

/// How long a reply waits for another one to overtake it.
const OVERTAKEN: Duration = Duration::from_secs(1);

/// The virtual node of all nodes.
const BROADCAST: u16 = 255;

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
fn undefined(property: &str) -> CallResult {
    CallResult::NotRun(format!(
        "Cannot read properties of undefined (reading '{property}')"
    ))
}

fn note_scene_value(request: &mut Json) {
    if let Some(Json::Array(args)) = request.get_mut("args")
        && let [_, Json::Object(fields), value, timeout, ..] = args.as_mut_slice()
    {
        fields.insert("value".to_owned(), value.clone());
        fields.insert("timeout".to_owned(), timeout.clone());
    }
}

impl Sim {
    /// Serves one call.
    pub(super) async fn serve(&self, api: &str, payload: &[u8]) {
        // A payload that is no JSON is a call without arguments; JSON null gets no reply at all
        // (`docs/GATEWAY.md#bad-requests`).
        let mut request: Json = match serde_json::from_slice(payload) {
            Ok(Json::Null) => return,
            Ok(request) => request,
            // What begins like a number is taken for one, and is none.
            Err(_) if payload.first().is_some_and(u8::is_ascii_digit) => Json::Null,
            Err(_) => Json::String(String::from_utf8_lossy(payload).into_owned()),
        };
        if api == "_addSceneValue" {
            // The gateway notes the value in the very arguments that it echoes.
            note_scene_value(&mut request);
        }
        let args = match request.get("args") {
            Some(Json::Array(args)) => args.clone(),
            Some(_) => {
                let reply = json!({
                    "success": false, "message": "Args must be an array", "origin": request,
                });
                self.reply(api, &reply).await;
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
        self.reply(api, &Json::Object(reply)).await;
    }

    async fn call(&self, api: &str, args: &[Json]) -> CallResult {
        match api {
            "getInfo" => CallResult::Ran(Some(json!({
                "homeid": 2_119_630_849_u32, "name": "0x7e570001", "controllerId": 1,
                "status": "scan done", "appVersion": "11.22.2", "zwaveVersion": "15.29.0",
            }))),
            "getNodes" => {
                let state = self.state();
                let nodes = state.nodes.values().map(super::SimNode::whole);
                CallResult::Ran(Some(nodes.collect()))
            }
            "writeValue" => match args {
                [] => undefined("commandClass"),
                [id, rest @ ..] if id.get("nodeId") == Some(&json!(BROADCAST)) => {
                    match Id::without_node(id) {
                        Some(id) => {
                            let value = rest.first().cloned().unwrap_or(Json::Null);
                            self.spread(None, &id, &value).await;
                            CallResult::Ran(Some(json!({ "status": 254 })))
                        }
                        None => undefined("commandClass"),
                    }
                }
                [id, rest @ ..] => self.write_value(id, rest.first().cloned()).await,
            },
            "writeMulticast" => match (args.get(1).and_then(Id::without_node), args.get(2)) {
                (Some(id), Some(value)) => {
                    let nodes = numbers(args.first());
                    self.spread(Some(nodes), &id, value).await
                }
                _ => undefined("commandClass"),
            },
            "writeBroadcast" => match (args.first().and_then(Id::without_node), args.get(1)) {
                (Some(id), Some(value)) => self.spread(None, &id, value).await,
                _ => undefined("commandClass"),
            },
            "pollValue" => match args.first() {
                Some(id) => self.poll_value(id).await,
                None => undefined("nodeId"),
            },
            "refreshValues" => self.refresh_values(args.first()).await,
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
            "setNodeName" | "setNodeLocation" => match (self.known(args.first()), args.get(1)) {
                (Some(node), Some(Json::String(text))) => {
                    self.name_by_call(node, api == "setNodeName", text);
                    CallResult::Ran(Some(json!(true)))
                }
                _ => CallResult::NotRun("Invalid Node ID".to_owned()),
            },
            "_getScenes" => CallResult::Ran(Some(Json::Array(self.state().scenes.clone()))),
            "_getGroups" => CallResult::Ran(Some(Json::Array(self.state().groups.clone()))),
            "_activateScene" => self.activate_scene(args.first()),
            _ if api.starts_with('_') => self.scene_call(api, args),
            _ => CallResult::NotRun("Unknown API".to_owned()),
        }
    }

    /// The number of a node that there is.
    fn known(&self, node: Option<&Json>) -> Option<u16> {
        let node = u16::try_from(node?.as_u64()?).ok()?;
        self.state().nodes.contains_key(&node).then_some(node)
    }

    /// Sends a reply, the way the faults of the day have it.
    async fn reply(&self, api: &str, reply: &Json) {
        let fault = self.state().faults.of(api);
        let mut payload = reply.to_string().into_bytes();
        match fault {
            Some(Fault::Drop) => return,
            Some(Fault::Delay(time)) => sleep(time).await,
            Some(Fault::Throttle(time)) => {
                let turn = {
                    let mut state = self.state();
                    let turn = state.next_reply.max(Instant::now());
                    state.next_reply = turn + time;
                    turn
                };
                sleep_until(turn).await;
            }
            Some(Fault::Swap) => self.be_overtaken().await,
            Some(Fault::Garble) => payload.truncate(payload.len() / 2),
            Some(Fault::Double) | None => {}
        }
        let times = if fault == Some(Fault::Double) { 2 } else { 1 };
        for _ in 0..times {
            let sent = self.send(Outgoing {
                topic: format!("{}{api}", self.calls()),
                payload: payload.clone(),
                retain: false,
                acknowledged: true,
            });
            if sent.is_err() {
                tracing::debug!(api, "the simulated gateway can't reply");
            }
        }
        self.state().replies += 1;
    }

    /// Waits until another reply has gone out, unless one waits for that already.
    async fn be_overtaken(&self) {
        let sent = {
            let mut state = self.state();
            if std::mem::replace(&mut state.overtaking, true) {
                return;
            }
            state.replies
        };
        let until = Instant::now() + OVERTAKEN;
        while self.state().replies == sent && Instant::now() < until {
            sleep(Duration::from_millis(1)).await;
        }
        self.state().overtaking = false;
    }
}

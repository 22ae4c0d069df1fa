//! A simulated gateway's API: runs the calls, asks devices where a call needs it, and sends the replies.

use std::pin::Pin;
use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use tokio::time::sleep;

use super::control::DEAD_NODE_TIME;
use super::id::{Id, read_class};
use super::publish::duration_json;
use super::refusals::{write_result, write_status};
use super::{Sim, SimNode};
use crate::home::model::ids::CommandClass as Cc;

/// The time for which the radio is occupied by a request to a device that does not answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(1);

/// The properties in a lock's report besides the mode.
const LOCK_DETAILS: [&str; 5] = [
    "outsideHandlesCanOpenDoor",
    "insideHandlesCanOpenDoor",
    "latchStatus",
    "boltStatus",
    "doorStatus",
];

/// The result of an API call.
pub enum CallResult {
    /// The call ran, with this result if it has one.
    Ran(Option<Json>),
    /// The call failed, for this reason.
    NotRun(String),
    /// The call gets no reply at all.
    Silent,
}

/// The future result of an API call.
pub type FutureResult<'a> = Pin<Box<dyn Future<Output = CallResult> + Send + 'a>>;

impl Sim {
    pub(super) async fn serve(&self, api: &str, payload: &[u8]) {
        let Ok(Json::Object(request)) = serde_json::from_slice(payload) else {
            tracing::debug!(api, "a request that is no JSON object");
            return;
        };
        let args = request.get("args").and_then(Json::as_array).cloned().unwrap_or_default();
        let outcome = if self.state().is_driver_ready {
            self.call(api, &args).await
        } else {
            CallResult::NotRun("Z-Wave client not connected".to_owned())
        };
        let (success, message, result) = match outcome {
            CallResult::Ran(result) => (true, "Success zwave api call".to_owned(), result),
            CallResult::NotRun(message) => (false, message, None),
            CallResult::Silent => return,
        };
        let mut reply = Map::from_iter([
            ("success".to_owned(), json!(success)),
            ("message".to_owned(), json!(message)),
        ]);
        reply.extend(result.map(|result| ("result".to_owned(), result)));
        reply.extend([
            ("args".to_owned(), args.into()),
            ("origin".to_owned(), request.into()),
        ]);
        let path = format!("_CLIENTS/ZWAVE_GATEWAY-{}/api/{api}", self.setup.name);
        self.publish(&path, &reply.into(), false);
    }

    /// Runs an API call.
    pub async fn call(&self, api: &str, args: &[Json]) -> CallResult {
        if let Some(result) = self.extension.serve(self, api, args) {
            return result.await;
        }
        let first_arg = args.first().unwrap_or(&Json::Null);
        match api {
            "getInfo" => CallResult::Ran(Some(json!({
                "homeid": self.setup.home, "name": "0x7e570001", "controllerId": 1,
                "status": "scan done", "appVersion": "11.22.2", "zwaveVersion": "15.29.0",
            }))),
            "getNodes" => {
                let state = self.state();
                CallResult::Ran(Some(
                    state.nodes.values().map(SimNode::full_document).collect(),
                ))
            }
            "writeValue" => CallResult::Ran(Some(match Id::read(first_arg) {
                Some(id) => self.write(&id, args.get(1).cloned()).await,
                None => write_result(write_status::FAIL),
            })),
            "pollValue" => self.poll_value(first_arg).await,
            "sendCommand" if args.get(1) == Some(&json!("get")) => {
                self.get_report(first_arg, args.get(2)).await
            }
            "_getScenes" | "_getGroups" => CallResult::Ran(Some(json!([]))),
            _ => CallResult::NotRun("Unknown API".to_owned()),
        }
    }

    /// Serves `pollValue`: returns the bare value as the device reports it.
    async fn poll_value(&self, id: &Json) -> CallResult {
        let Some(id) = Id::read(id) else {
            return CallResult::NotRun("Invalid value id".to_owned());
        };
        if let Err(result) = self.ask(id.node).await {
            return result;
        }
        let key = id.key();
        self.report_class(&id, &key);
        let truth = self.with_node(id.node, |node| node.true_state(&key));
        CallResult::Ran(truth.filter(|truth| !truth.is_null()))
    }

    /// Serves `sendCommand get`: returns the device's whole report for a command class. Window Covering needs the
    /// number of a parameter.
    async fn get_report(&self, target: &Json, args: Option<&Json>) -> CallResult {
        let number = |name: &str| target.get(name).and_then(Json::as_u64);
        let node = number("nodeId").unwrap_or_default();
        let (Ok(node), Some(class)) = (u16::try_from(node), read_class(target)) else {
            return CallResult::NotRun("Node was not found!".to_owned());
        };
        if let Err(result) = self.ask(node).await {
            return result;
        }
        let (property, details): (_, &[&str]) = match class {
            Cc::DOOR_LOCK => ("currentMode", &LOCK_DETAILS),
            Cc::BARRIER_OPERATOR => ("currentState", &["position"]),
            Cc::THERMOSTAT_MODE | Cc::THERMOSTAT_FAN_MODE => ("mode", &[]),
            _ => ("currentValue", &[]),
        };
        let parameter = args.and_then(|args| args.get(0));
        let id = Id {
            node,
            class,
            endpoint: number("endpoint").unwrap_or_default(),
            property: property.to_owned(),
            suffix: parameter.map(|parameter| format!("-{parameter}")).unwrap_or_default(),
        };
        let key = id.key();
        self.report_class(&id, &key);
        let report = self.with_node(node, |node| {
            let mut report = Map::from_iter([(property.to_owned(), node.true_state(&key))]);
            if node.values.contains_key(&id.sibling("duration")) {
                let (goal, time_left) = node.heading(&key);
                let is_lock = class == Cc::DOOR_LOCK;
                let target = if is_lock { "targetMode" } else { "targetValue" };
                report.insert(target.to_owned(), goal);
                report.insert("duration".to_owned(), duration_json(time_left));
            }
            for name in details {
                let key = id.sibling(name);
                if node.values.contains_key(&key) {
                    report.insert((*name).to_owned(), node.true_state(&key));
                }
            }
            report
        });
        CallResult::Ran(Some(report.unwrap_or_default().into()))
    }

    /// Sends a request to a device, and waits for the answer. If there is none, returns the call's result as
    /// the error.
    async fn ask(&self, node: u16) -> Result<(), CallResult> {
        let _on_air = self.radio.lock().await;
        let status_and_answers = self.with_node(node, |node| {
            (node.text("status").to_owned(), node.habits.answers)
        });
        let Some((status, answers)) = status_and_answers else {
            return Err(CallResult::NotRun("Node was not found!".to_owned()));
        };
        match status.as_str() {
            "Asleep" => Err(CallResult::Silent),
            "Dead" => {
                sleep(DEAD_NODE_TIME).await;
                Err(CallResult::NotRun(
                    "Failed to send the command (ZW0204)".to_owned(),
                ))
            }
            _ if !answers => {
                sleep(ANSWER_TIMEOUT).await;
                Err(CallResult::Ran(None))
            }
            _ => {
                sleep(self.setup.radio).await;
                Ok(())
            }
        }
    }
}

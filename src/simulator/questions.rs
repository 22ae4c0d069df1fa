//! What a simulated gateway asks its devices, and sends them by a command of their class.

use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use tokio::time::sleep;

use super::Sim;
use super::answers::CallResult;
use super::control::DEAD;
use super::id::Id;
use super::publish::seconds;

/// A device that does not answer a question keeps the radio this long.
const NO_ANSWER: Duration = Duration::from_secs(1);

/// What a lock's report has besides.
const LOCK_REPORT: [&str; 5] = [
    "outsideHandlesCanOpenDoor",
    "insideHandlesCanOpenDoor",
    "latchStatus",
    "boltStatus",
    "doorStatus",
];

impl Sim {
    /// `pollValue`: the bare value as the device tells it.
    pub(super) async fn poll_value(&self, id: &Json) -> CallResult {
        let Some(id) = Id::read(id) else {
            return CallResult::NotRun("Invalid value id".to_owned());
        };
        if let Err(called) = self.ask(id.node).await {
            return called;
        }
        let key = id.key();
        self.report_whole(&id, &key);
        let state = self.state();
        let truth = state.nodes.get(&id.node).map(|node| node.truth(&key));
        CallResult::Ran(truth.filter(|truth| !truth.is_null()))
    }

    /// `sendCommand`: `get` is the device's whole report, `set` publishes nothing.
    pub(super) async fn send_command(
        &self,
        target: &Json,
        command: &str,
        args: Option<&Json>,
    ) -> CallResult {
        let number = |name: &str| target.get(name).and_then(Json::as_u64);
        let node = number("nodeId").unwrap_or_default();
        let class = {
            let state = self.state();
            let Some(known) = u16::try_from(node).ok().and_then(|id| state.nodes.get(&id)) else {
                return CallResult::NotRun(format!("Node {node} was not found!"));
            };
            let named = target.get("commandClass").and_then(Json::as_str);
            number("commandClass").or_else(|| known.class_named(named?))
        };
        let (Ok(node), Some(class)) = (u16::try_from(node), class) else {
            return CallResult::NotRun("Node was not found!".to_owned());
        };
        let property = match (class, command) {
            (98, "get") => "currentMode",
            (102, "get") => "currentState",
            (64 | 68, "get") => "mode",
            (_, "get") => "currentValue",
            (38 | 106, "stopLevelChange") => "Up",
            (98, "set") => "targetMode",
            (64 | 68, "set") => "mode",
            (37 | 38, "set") => "targetValue",
            _ => {
                let text = format!("The command {command} does not exist for CC {class}");
                return CallResult::NotRun(text);
            }
        };
        if let Err(called) = self.ask(node).await {
            return called;
        }
        let id = Id {
            node,
            class,
            endpoint: number("endpoint").unwrap_or_default(),
            property: property.to_owned(),
            suffix: String::new(),
        };
        match command {
            "get" => {
                self.report_whole(&id, &id.key());
                CallResult::Ran(Some(self.whole_report(&id)))
            }
            "set" => {
                let value = args.and_then(|args| args.get(0)).cloned();
                CallResult::Ran(Some(self.obey(&id, &value.unwrap_or(Json::Null))))
            }
            _ => {
                self.obey(&id, &Json::Bool(false));
                self.ask_after_stop(&id);
                CallResult::Ran(None)
            }
        }
    }

    /// A device's report as the call's result has it.
    fn whole_report(&self, id: &Id) -> Json {
        let key = id.key();
        let mut report = Map::new();
        let state = self.state();
        let Some(node) = state.nodes.get(&id.node) else {
            return Json::Object(report);
        };
        let truth = node.truth(&key);
        report.insert(id.property.clone(), truth.clone());
        let target = match id.class {
            98 => "targetMode",
            _ => "targetValue",
        };
        if node.values.contains_key(&id.sibling("duration")) {
            let (goal, left) = node.heading(&key).unwrap_or((truth, Duration::ZERO));
            report.insert(target.to_owned(), goal);
            report.insert("duration".to_owned(), seconds(left));
        }
        let more: &[&str] = match id.class {
            98 => &LOCK_REPORT,
            102 => &["position"],
            _ => &[],
        };
        for name in more {
            let key = id.sibling(name);
            if node.values.contains_key(&key) {
                report.insert((*name).to_owned(), node.truth(&key));
            }
        }
        Json::Object(report)
    }

    /// Puts a question on the air; a device that gives no answer leaves no result.
    pub(super) async fn ask(&self, node: u16) -> Result<(), CallResult> {
        let _on_air = self.radio.lock().await;
        let (status, answers) = {
            let state = self.state();
            let node = state.nodes.get(&node);
            match node {
                Some(node) => (node.text("status").to_owned(), node.habits.answers),
                None => return Err(CallResult::NotRun("Node was not found!".to_owned())),
            }
        };
        match status.as_str() {
            "Asleep" => Err(CallResult::Silent),
            "Dead" => {
                sleep(DEAD).await;
                Err(CallResult::NotRun(
                    "Failed to send the command (ZW0204)".to_owned(),
                ))
            }
            _ if !answers => {
                sleep(NO_ANSWER).await;
                Err(CallResult::Ran(None))
            }
            _ => {
                sleep(self.setup.radio).await;
                Ok(())
            }
        }
    }

    /// The status of a command that is not a write: nothing is guessed and nothing is published.
    fn obey(&self, id: &Id, value: &Json) -> Json {
        let supervised = {
            let state = self.state();
            let node = state.nodes.get(&id.node);
            node.is_some_and(|node| node.habits.supervised)
        };
        self.begin(id, value);
        json!({ "status": if supervised { 255 } else { 254 } })
    }
}

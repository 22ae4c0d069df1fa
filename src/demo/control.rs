//! What a simulated gateway does with a write and with a question, and when.

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::sleep;

use super::answers::Called;
use super::publish::seconds;
use super::{Received, Sim};

/// A dead node keeps the radio this long (captures, section 2).
const DEAD: Duration = Duration::from_secs(3);

/// A device that does not answer a question keeps the radio this long.
const NO_ANSWER: Duration = Duration::from_secs(1);

/// The values that begin and end a movement, by what a device's switch type calls down and up.
pub const LEVEL_CHANGES: [(&str, &str); 7] = [
    ("Off", "On"),
    ("Down", "Up"),
    ("Close", "Open"),
    ("Counter-Clockwise", "Clockwise"),
    ("Left", "Right"),
    ("Reverse", "Forward"),
    ("Pull", "Push"),
];

/// A value id as requests spell it.
#[derive(Clone)]
pub(super) struct Id {
    pub(super) node: u16,
    pub(super) class: u64,
    pub(super) endpoint: u64,
    property: String,
    suffix: String,
}

impl Id {
    fn read(json: &Json) -> Option<Self> {
        let number = |name: &str| json.get(name).and_then(Json::as_u64);
        let text = |name: &str| match json.get(name)? {
            Json::String(text) => Some(text.clone()),
            Json::Null => None,
            other => Some(other.to_string()),
        };
        Some(Self {
            node: u16::try_from(number("nodeId")?).ok()?,
            class: number("commandClass")?,
            endpoint: number("endpoint").unwrap_or_default(),
            property: text("property")?,
            suffix: text("propertyKey").map_or_else(String::new, |key| format!("-{key}")),
        })
    }

    pub(super) fn key(&self) -> String {
        self.sibling(&self.property)
    }

    /// Another property of the same class, endpoint and property key.
    pub(super) fn sibling(&self, property: &str) -> String {
        format!("{}-{}-{property}{}", self.class, self.endpoint, self.suffix)
    }

    /// The value that tells the state this one sets.
    pub(super) fn state(&self) -> String {
        match self.property.as_str() {
            "targetValue" => self.sibling("currentValue"),
            _ if self.moves() => self.sibling("currentValue"),
            "targetMode" => self.sibling("currentMode"),
            "targetState" => self.sibling("currentState"),
            _ => self.key(),
        }
    }

    /// The same value of another node.
    pub(super) fn of(&self, node: u16) -> Self {
        Self {
            node,
            ..self.clone()
        }
    }

    /// Whether it begins and ends a movement: every flag of these classes but these, by whatever
    /// name the device's switch type gives it.
    pub(super) fn moves(&self) -> bool {
        let others = ["currentValue", "targetValue", "duration", "restorePrevious"];
        matches!(self.class, 38 | 106) && !others.contains(&self.property.as_str())
    }

    /// Whether the movement that it begins goes up.
    pub(super) fn moves_up(&self) -> bool {
        let mut names = LEVEL_CHANGES.iter();
        self.property == "levelChangeUp" || names.any(|(_, up)| *up == self.property)
    }
}

impl Sim {
    pub(super) async fn write_value(&self, id: &Json, value: Json) -> Called {
        let status = |status: u64| Called::Ran(Some(json!({ "status": status })));
        let refused = |status: u64, message: String| {
            Called::Ran(Some(json!({ "status": status, "message": message })))
        };
        let Some(id) = Id::read(id) else {
            return status(2);
        };
        let key = id.key();
        if let Some(members) = self.members(id.node) {
            return self.multicast(&id, &members, &value).await;
        }
        let number = {
            let mut state = self.state();
            let Some(node) = state.nodes.get(&id.node) else {
                return status(2);
            };
            let prefix = format!("{}-{}-", id.class, id.endpoint);
            let endpoint = format!("-{}-", id.endpoint);
            if !node.values.keys().any(|key| key.contains(&endpoint)) {
                let (endpoint, node) = (id.endpoint, id.node);
                let text = format!("Endpoint {endpoint} does not exist on Node {node}");
                return refused(3, text);
            }
            if !node.values.keys().any(|key| key.starts_with(&prefix)) {
                return status(2);
            }
            let fields = node.values.get(&key);
            let field = |name: &str| fields.and_then(|fields| fields.get(name));
            if field("writeable").and_then(Json::as_bool) != Some(true) {
                let text = format!("\"{}\" is not a supported property (ZW0322)", id.property);
                return refused(5, node.class_words(id.class, &text));
            }
            let received = kind_of(&value);
            let wanted = field("type").and_then(Json::as_str);
            let wanted = wanted.filter(|wanted| matches!(*wanted, "boolean" | "number"));
            if let Some(wanted) = wanted.filter(|wanted| *wanted != received) {
                let property = &id.property;
                let text = format!(
                    "\"{property}\" must be of type \"{wanted}\", received \"{received}\" (ZW0322)"
                );
                return refused(5, node.class_words(id.class, &text));
            }
            state.received.push(Received {
                node: id.node,
                key: key.clone(),
                value: value.clone(),
            });
            state.writes += 1;
            let number = state.writes;
            state.latest.insert((id.node, key.clone()), number);
            number
        };
        let _on_air = if self.awake(id.node, &key, number).await {
            self.radio.lock().await
        } else {
            return status(2);
        };
        let latest = self.state().latest.get(&(id.node, key)).copied();
        if latest.is_some_and(|latest| latest > number) {
            // A later write to the same value took its place while it waited.
            return status(2);
        }
        if self.status(id.node) == "Dead" {
            sleep(DEAD).await;
            return status(2);
        }
        sleep(self.setup.radio).await;
        let refusal = self
            .state()
            .nodes
            .get(&id.node)
            .and_then(|node| node.habits.refuses);
        match refusal {
            Some((number, "")) => status(number),
            Some((number, message)) => refused(number, message.to_owned()),
            None => self.carry_out(&id, &value),
        }
    }

    /// Waits until a sleeping node wakes up; false where a later write to the value takes this
    /// one's place meanwhile.
    async fn awake(&self, node: u16, key: &str, number: u64) -> bool {
        while self.status(node) == "Asleep" {
            let latest = self.state().latest.get(&(node, key.to_owned())).copied();
            if latest.is_some_and(|latest| latest > number) {
                return false;
            }
            sleep(Duration::from_millis(20)).await;
        }
        true
    }

    fn status(&self, node: u16) -> String {
        let state = self.state();
        let node = state.nodes.get(&node);
        node.map_or_else(String::new, |node| node.text("status").to_owned())
    }

    /// `pollValue`: the bare value as the device tells it.
    pub(super) async fn poll_value(&self, id: &Json) -> Called {
        let Some(id) = Id::read(id) else {
            return Called::NotRun("Invalid value id".to_owned());
        };
        if let Err(called) = self.ask(id.node).await {
            return called;
        }
        let key = id.key();
        self.report_whole(id.node, id.class, id.endpoint, &key);
        let truth = self
            .state()
            .nodes
            .get(&id.node)
            .map(|node| node.truth(&key));
        Called::Ran(truth.filter(|truth| !truth.is_null()))
    }

    /// `sendCommand`, of which only `get` is used here: the device's whole report.
    pub(super) async fn send_command(&self, target: &Json, command: &str) -> Called {
        let number = |name: &str| target.get(name).and_then(Json::as_u64);
        let node = number("nodeId").and_then(|node| u16::try_from(node).ok());
        let class = {
            let state = self.state();
            let node = node.and_then(|node| state.nodes.get(&node));
            let named = target.get("commandClass").and_then(Json::as_str);
            number("commandClass").or_else(|| node?.class_named(named?))
        };
        let (Some(node), Some(class)) = (node, class) else {
            return Called::NotRun("Node was not found!".to_owned());
        };
        let endpoint = number("endpoint").unwrap_or_default();
        if command != "get" {
            let text = format!("The command {command} does not exist for CC {class}");
            return Called::NotRun(text);
        }
        if let Err(called) = self.ask(node).await {
            return called;
        }
        let (current, target) = match class {
            98 => ("currentMode", "targetMode"),
            102 => ("currentState", ""),
            _ => ("currentValue", "targetValue"),
        };
        let key = format!("{class}-{endpoint}-{current}");
        self.report_whole(node, class, endpoint, &key);
        let state = self.state();
        let Some(node) = state.nodes.get(&node) else {
            return Called::NotRun("Node was not found!".to_owned());
        };
        let truth = node.truth(&key);
        let mut report = json!({ current: truth });
        if let Json::Object(report) = &mut report {
            let has_target = node
                .values
                .contains_key(&format!("{class}-{endpoint}-duration"));
            if has_target {
                let (goal, left) = node.heading(&key).unwrap_or((truth, Duration::ZERO));
                report.insert(target.to_owned(), goal);
                report.insert("duration".to_owned(), seconds(left));
            }
        }
        Called::Ran(Some(report))
    }

    /// Puts a question on the air; a device that gives no answer leaves no result.
    async fn ask(&self, node: u16) -> Result<(), Called> {
        let _on_air = self.radio.lock().await;
        let (status, answers) = {
            let state = self.state();
            let node = state.nodes.get(&node);
            match node {
                Some(node) => (node.text("status").to_owned(), node.habits.answers),
                None => return Err(Called::NotRun("Node was not found!".to_owned())),
            }
        };
        match status.as_str() {
            "Asleep" => Err(Called::Silent),
            "Dead" => {
                sleep(DEAD).await;
                Err(Called::NotRun(
                    "Failed to send the command (ZW0204)".to_owned(),
                ))
            }
            _ if !answers => {
                sleep(NO_ANSWER).await;
                Err(Called::Ran(None))
            }
            _ => {
                sleep(self.setup.radio).await;
                Ok(())
            }
        }
    }

    /// Does something later, unless the gateway's process has ended by then.
    pub(super) fn later(&self, time: Duration, act: impl FnOnce(&Self) + Send + 'static) {
        let life = self.state().life.clone();
        let Some(sim) = self.this.upgrade() else {
            return;
        };
        tokio::spawn(async move {
            tokio::select! {
                () = sleep(time) => act(&sim),
                () = life.cancelled() => {}
            }
        });
    }
}

/// The type of a value in JavaScript's words.
fn kind_of(value: &Json) -> &'static str {
    match value {
        Json::Bool(_) => "boolean",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Null | Json::Array(_) | Json::Object(_) => "object",
    }
}

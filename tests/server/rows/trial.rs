//! Runs a row in one of its houses.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use tokio::time::{Instant, sleep};

use super::Row;
use super::house::HouseRow;
use super::step::{CallStep, ListStep, Look, Step, Write};
use crate::fixture::{Call, eventually};
use crate::{House, Server};

/// The time between two checks of a list that must stay as expected.
const CHECK_INTERVAL: Duration = Duration::from_millis(300);

pub struct Trial {
    house: House,
    server: Server,
    /// The calls that a later step waits for, with their arguments, by name.
    open_calls: BTreeMap<String, (Json, Call)>,
    /// The number of writes that were checked so far.
    checked_writes: usize,
    /// The number of calls of `pollValue` and `sendCommand` at the last check of the writes.
    api_calls: BTreeMap<&'static str, usize>,
    sentences: String,
}

impl Trial {
    /// Runs a row in a house, and returns the sentences of the answers.
    pub async fn run(row: &Row, house: &HouseRow) -> String {
        let house = house.start().await;
        for action in &row.before {
            action.perform(&house).await;
        }
        let options: Vec<&str> = row.options.iter().map(String::as_str).collect();
        let mut server = Server::spawn(&house, &options);
        server.initialize_with(row.host.clone().into()).await;
        let mut trial = Self {
            house,
            server,
            open_calls: BTreeMap::new(),
            checked_writes: 0,
            api_calls: BTreeMap::new(),
            sentences: String::new(),
        };
        for values in &row.each {
            for step in &row.steps {
                match Step::read(step, values) {
                    Step::Call(call) => trial.call(&call).await,
                    Step::List(list) => trial.list(&list).await,
                    Step::Doctor(doctor) => doctor.check(&trial.house).await,
                    Step::Look(look) => trial.look(&look).await,
                    Step::HouseAction(action) => action.perform(&trial.house).await,
                }
            }
        }
        trial.sentences
    }

    async fn call(&mut self, step: &CallStep) {
        let started = Instant::now();
        let (arguments, call) = if let Some(name) = &step.answer {
            self.open_calls.remove(name).expect("no such call is open")
        } else {
            let arguments = step.call.clone();
            let call = self.server.begin_call("control_zwave_device", arguments);
            (step.call.clone(), call.await)
        };
        if let Some(name) = &step.begin {
            self.open_calls.insert(name.clone(), (arguments, call));
            return;
        }
        if let Some(reply) = &step.person {
            let question = self.server.wait_for_message("elicitation/create").await;
            let text = question["params"]["message"].as_str().unwrap();
            self.sentences.push_str(&format!("  asks: {text}\n"));
            self.server.answer(&question, reply.clone()).await;
        }
        let answer = call.answer().await;
        let request = arguments
            .as_object()
            .into_iter()
            .flat_map(Map::values)
            .map(|word| word.as_str().map_or_else(|| word.to_string(), str::to_owned))
            .collect::<Vec<_>>()
            .join(", ");
        if let Some(fault) = step.find_fault(&answer) {
            panic!("{request} {fault}: {}", answer.text);
        }
        if let Some((min, max)) = step.takes {
            let took = started.elapsed().as_secs_f64();
            assert!((min..=max).contains(&took), "{request} takes {took} s");
        }
        for (api, count) in &step.asks {
            let before = self.api_calls.get(api.as_str()).copied().unwrap_or_default();
            let asked = self.house.calls(api) - before;
            assert!(asked == *count, "{request} calls {api} {asked} times");
        }
        self.check_writes(&step.writes, &request);
        self.sentences.push_str(&format!("  {request}: {}: {}\n", step.is, answer.text));
    }

    fn check_writes(&mut self, expected: &[Write], after: &str) {
        // Writes to different nodes may come in any order.
        let sort_by_node = |mut writes: Vec<Write>| {
            writes.sort_by_key(|(node, ..)| *node);
            writes
        };
        let writes = sort_by_node(self.house.writes().split_off(self.checked_writes));
        let expected = sort_by_node(expected.to_vec());
        assert!(
            writes == expected,
            "{after}: {writes:?} was written, not {expected:?}"
        );
        self.checked_writes += writes.len();
        for api in ["pollValue", "sendCommand"] {
            self.api_calls.insert(api, self.house.calls(api));
        }
    }

    async fn list(&mut self, step: &ListStep) {
        let arguments = json!({ "filter": step.list, "includeInactive": step.inactive });
        let end = Instant::now() + Duration::from_millis(step.stays);
        if step.until {
            eventually(
                &format!("the list {} is as expected", step.list),
                async || {
                    let list = self.server.list_with(arguments.clone()).await;
                    step.find_fault(&list).is_none()
                },
            )
            .await;
        }
        loop {
            let list = self.server.list_with(arguments.clone()).await;
            if let Some(fault) = step.find_fault(&list) {
                panic!("the list {} {fault}:\n{}", step.list, list.text);
            }
            if Instant::now() >= end {
                return;
            }
            sleep(CHECK_INTERVAL).await;
        }
    }

    async fn look(&mut self, look: &Look) {
        let house = &self.house;
        match look {
            Look::Subscribe(uri) => {
                self.server.read(uri).await;
                let params = json!({ "uri": uri });
                let answer = self.server.request("resources/subscribe", params).await;
                assert!(answer["result"].is_object(), "{answer}");
            }
            Look::Updated(uri) => {
                let messages = self.server.messages();
                assert!(
                    messages.iter().any(|message| message["params"]["uri"] == **uri),
                    "{messages:?}"
                );
            }
            Look::Truth(node, key, value) => {
                let truth = house.true_state(*node, key);
                assert!(truth == *value, "{node}-{key} is {truth}, not {value}");
            }
            Look::Becomes(node, key, value) => {
                let becomes = async || house.true_state(*node, key) == *value;
                eventually(&format!("{node}-{key} is {value}"), becomes).await;
            }
            Look::Writes(expected) => self.check_writes(expected, "so far"),
            Look::Calls(api, min, max) => {
                let count = house.calls(api);
                assert!((*min..=*max).contains(&count), "{count} calls of {api}");
            }
        }
    }
}

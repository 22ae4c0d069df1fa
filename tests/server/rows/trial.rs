//! A row that is being tried.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use tokio::time::{Instant, sleep};

use super::Row;
use super::house::HouseRow;
use super::step::{CallStep, ListStep, Look, Step, Write};
use crate::fixture::{Call, eventually};
use crate::{House, Server};

/// The time between two looks at a list that must stay as it is.
const LOOK: Duration = Duration::from_millis(300);

pub struct Trial {
    house: House,
    server: Server,
    /// Calls whose answers a later step looks at, and their arguments.
    begun: BTreeMap<String, (Json, Call)>,
    /// The number of writes that were looked at.
    seen: usize,
    /// The number of questions then, by API.
    asked: BTreeMap<&'static str, usize>,
    sentences: String,
}

impl Trial {
    /// Tries a row in a house, and returns the sentences of its answers.
    pub async fn run(row: &Row, house: &HouseRow) -> String {
        let house = house.start().await;
        for deed in &row.before {
            deed.happen(&house).await;
        }
        let options: Vec<&str> = row.options.iter().map(String::as_str).collect();
        let mut server = Server::spawn(&house, &options);
        server.initialize_with(row.host.clone().into()).await;
        let mut trial = Self {
            house,
            server,
            begun: BTreeMap::new(),
            seen: 0,
            asked: BTreeMap::new(),
            sentences: String::new(),
        };
        for values in &row.each {
            for step in &row.steps {
                match Step::read(step, values) {
                    Step::Call(call) => trial.call(&call).await,
                    Step::List(list) => trial.list(&list).await,
                    Step::Doctor(doctor) => doctor.check(&trial.house).await,
                    Step::Look(look) => trial.look(&look).await,
                    Step::Deed(deed) => deed.happen(&trial.house).await,
                }
            }
        }
        trial.sentences
    }

    async fn call(&mut self, step: &CallStep) {
        let begun = Instant::now();
        let (arguments, call) = if let Some(name) = &step.answer {
            self.begun.remove(name).expect("no such call was begun")
        } else {
            let arguments = step.call.clone();
            let call = self.server.begin_call("control_zwave_device", arguments);
            (step.call.clone(), call.await)
        };
        if let Some(name) = &step.begin {
            self.begun.insert(name.clone(), (arguments, call));
            return;
        }
        if let Some(reply) = &step.person {
            let question = self.server.told("elicitation/create").await;
            let text = question["params"]["message"].as_str().unwrap();
            self.sentences.push_str(&format!("  asks: {text}\n"));
            self.server.answer(&question, reply.clone()).await;
        }
        let answer = call.answer().await;
        let said = arguments
            .as_object()
            .into_iter()
            .flat_map(Map::values)
            .map(|word| word.as_str().map_or_else(|| word.to_string(), str::to_owned))
            .collect::<Vec<_>>()
            .join(", ");
        if let Some(fault) = step.fault(&answer) {
            panic!("{said} {fault}: {}", answer.text);
        }
        if let Some((least, most)) = step.takes {
            let took = begun.elapsed().as_secs_f64();
            assert!((least..=most).contains(&took), "{said} takes {took} s");
        }
        for (api, count) in &step.asks {
            let before = self.asked.get(api.as_str()).copied().unwrap_or_default();
            let asked = self.house.calls(api) - before;
            assert!(asked == *count, "{said} calls {api} {asked} times");
        }
        self.check_writes(&step.writes, &said);
        self.sentences.push_str(&format!("  {said}: {}: {}\n", step.is, answer.text));
    }

    fn check_writes(&mut self, expected: &[Write], after: &str) {
        // Only the writes to one device have an order.
        let by_node = |mut writes: Vec<Write>| {
            writes.sort_by_key(|(node, ..)| *node);
            writes
        };
        let writes = by_node(self.house.writes().split_off(self.seen));
        let expected = by_node(expected.to_vec());
        assert!(
            writes == expected,
            "{after}: {writes:?} was written, not {expected:?}"
        );
        self.seen += writes.len();
        for api in ["pollValue", "sendCommand"] {
            self.asked.insert(api, self.house.calls(api));
        }
    }

    async fn list(&mut self, step: &ListStep) {
        let arguments = json!({ "filter": step.list, "includeInactive": step.inactive });
        let end = Instant::now() + Duration::from_millis(step.stays);
        if step.until {
            eventually(
                &format!("the list {} is as it must be", step.list),
                async || {
                    let list = self.server.list_with(arguments.clone()).await;
                    step.fault(&list).is_none()
                },
            )
            .await;
        }
        loop {
            let list = self.server.list_with(arguments.clone()).await;
            if let Some(fault) = step.fault(&list) {
                panic!("the list {} {fault}:\n{}", step.list, list.text);
            }
            if Instant::now() >= end {
                return;
            }
            sleep(LOOK).await;
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
                let told = self.server.all_told();
                assert!(
                    told.iter().any(|one| one["params"]["uri"] == **uri),
                    "{told:?}"
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
            Look::Calls(api, least, most) => {
                let count = house.calls(api);
                assert!((*least..=*most).contains(&count), "{count} calls of {api}");
            }
        }
    }
}

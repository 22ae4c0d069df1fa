//! An order said to the assistant and the same name called at the server move the same things.
//!
//! Each phrase of `fixtures/houses` is called at the server, and said to the assistant with a verb of the house's
//! language (`fixtures/orders.json`), each in a house of its own. What the two gateways are told to write is compared.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;
use zwave_mcp_server::assistant::AiRouter;

use super::house_files::{Case, House, Served, ServedHouse, read_all};
use super::recorder::{ApiCall, Record};
use super::routed::RoutedHouse;
use crate::fixture::served::run_on_paused_clock;

/// The highest number of phrases for which only the server acts.
const MAX_ONLY_SERVER: usize = 49;

/// The highest number of phrases for which only the assistant acts.
const MAX_ONLY_ASSISTANT: usize = 4;

/// The lowest share of phrases for which both ways write the same, or nothing.
const MIN_SAME: f64 = 0.97;

/// How people say orders.
#[derive(Deserialize)]
struct Orders {
    /// The language of each house that does not speak English.
    languages: BTreeMap<String, String>,
    /// The sentence for each action, by language.
    orders: BTreeMap<String, BTreeMap<String, String>>,
}

impl Orders {
    fn read() -> Self {
        serde_json::from_str(include_str!("../../fixtures/orders.json")).unwrap()
    }

    fn language_of(&self, house: &str) -> &str {
        self.languages.get(house).map_or("en", String::as_str)
    }

    /// Returns the sentence for a case. Returns `None` if a person would not say the case's arguments.
    fn sentence(&self, language: &str, case: &Case) -> Option<String> {
        let order = self.orders[language].get(&case.action)?.replace('~', &case.say);
        let arguments: Vec<&Json> = case.arguments().map(|(_, argument)| argument).collect();
        match (arguments.as_slice(), order.contains('#')) {
            ([], false) => Some(order),
            ([amount], true) => {
                let amount = amount.as_str().map_or_else(|| amount.to_string(), str::to_owned);
                Some(order.replace('#', &amount))
            }
            _ => None,
        }
    }
}

/// A house with a server that is called, and the same house with an assistant that is spoken to.
struct BothWays {
    server: Served,
    assistant: RoutedHouse,
    record: Record,
}

impl BothWays {
    async fn start(house: &House, language: &str) -> Self {
        let ServedHouse {
            gateways,
            simulation,
            record,
            policy,
        } = ServedHouse::start(house).await;
        let assistant = RoutedHouse::of(gateways, simulation, policy, Vec::new()).await;
        Self {
            server: Served::start(house).await,
            assistant: assistant.with(|parts| parts.language = Some(language.to_owned())),
            record,
        }
    }

    /// Returns what the server and the assistant write, and the answer of the assistant.
    async fn try_case(&mut self, case: &Case, sentence: &str) -> (Written, Written, String) {
        let called = self.server.control(case.call()).await.calls;
        let (_, answer) =
            self.assistant.say_in(&mut AiRouter::conversation_in(None), sentence).await;
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        (
            Written::of(called),
            Written::of(self.record.take()),
            answer.text,
        )
    }
}

/// The calls of a gateway's API, in a stable order.
#[derive(PartialEq)]
struct Written(Vec<String>);

impl Written {
    fn of(calls: Vec<ApiCall>) -> Self {
        let mut written: Vec<String> = calls.iter().map(describe).collect();
        written.sort();
        Self(written)
    }

    fn is_nothing(&self) -> bool {
        self.0.is_empty()
    }

    fn line(&self) -> String {
        if self.is_nothing() {
            return "nothing".to_owned();
        }
        self.0.join(", ")
    }
}

fn describe(call: &ApiCall) -> String {
    let id = &call.args[0];
    let place = match id["nodeId"].as_u64() {
        Some(node) => format!(
            "{node}-{}-{}-{}",
            id["commandClass"], id["endpoint"], id["property"]
        ),
        None => format!("{} {id}", call.api),
    };
    let value = call.args.get(1).map_or_else(String::new, |value| format!(" {value}"));
    place.replace('"', "") + &value
}

#[derive(Default)]
struct Count {
    tried: usize,
    same: usize,
    different: Vec<String>,
    only_server: Vec<String>,
    only_assistant: Vec<String>,
}

impl Count {
    fn add(&mut self, house: &str, sentence: &str, both: &(Written, Written, String)) -> bool {
        let (server, assistant, answer) = both;
        self.tried += 1;
        let list = match (server.is_nothing(), assistant.is_nothing()) {
            _ if server == assistant => {
                self.same += 1;
                return true;
            }
            (false, true) => &mut self.only_server,
            (true, false) => &mut self.only_assistant,
            _ => &mut self.different,
        };
        list.push(format!(
            "- {house}: {sentence}\n    called: {}\n    said: {} ({answer})",
            server.line(),
            assistant.line()
        ));
        false
    }
}

#[test]
fn an_order_said_and_the_same_name_called_move_the_same_things() {
    let orders = Orders::read();
    let mut count = Count::default();
    for (name, house) in read_all() {
        run_on_paused_clock(try_house(&name, &house, &orders, &mut count));
    }
    let Count {
        tried,
        same,
        different,
        only_server,
        only_assistant,
    } = count;
    let summary = format!(
        "{tried} phrases: {same} the same, {} differently, {} only by the server, {} only by the assistant",
        different.len(),
        only_server.len(),
        only_assistant.len(),
    );
    println!(
        "{summary}\nDifferent:\n{}\nOnly the server:\n{}\nOnly the assistant:\n{}",
        different.join("\n"),
        only_server.join("\n"),
        only_assistant.join("\n")
    );
    assert!(different.is_empty(), "{summary}");
    assert!(only_server.len() <= MAX_ONLY_SERVER, "{summary}");
    assert!(only_assistant.len() <= MAX_ONLY_ASSISTANT, "{summary}");
    assert!(same as f64 >= MIN_SAME * tried as f64, "{summary}");
}

async fn try_house(name: &str, house: &House, orders: &Orders, count: &mut Count) {
    let language = orders.language_of(name);
    let mut both_ways = BothWays::start(house, language).await;
    for case in &house.cases {
        let Some(sentence) = orders.sentence(language, case) else {
            continue;
        };
        let both = both_ways.try_case(case, &sentence).await;
        if !count.add(name, &sentence, &both) {
            // The two houses are now in different states, which would make later orders differ.
            both_ways = BothWays::start(house, language).await;
        }
    }
}

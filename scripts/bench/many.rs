//! Many houses of 200 nodes on one broker: twenty gateways under one prefix with one server, and ten
//! prefixes with a server each.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::sync::oneshot;
use zwave_mcp_server::simulator::{Setup, Simulation};

use crate::broker::Mosquitto;
use crate::control::{by_tool, confirms};
use crate::houses::{self, RADIO};
use crate::server::Server;
use crate::table::{Table, Timings};

/// How many there are: how a figure grows is seen from one to the last.
const GATEWAYS: [usize; 4] = [1, 5, 10, 20];
const PREFIXES: [usize; 2] = [1, 10];

/// How often is called.
const CALLS: usize = 50;

/// Houses on one broker.
struct Town {
    broker: Mosquitto,
    houses: Vec<(Simulation, oneshot::Sender<()>)>,
}

impl Town {
    fn new() -> Self {
        Self {
            broker: houses::broker(),
            houses: Vec::new(),
        }
    }

    /// One house more, whose names begin with its number where several share a prefix.
    fn build(&mut self, prefix: &str, numbered: bool) {
        let number = self.houses.len();
        let mut documents = houses::large();
        if numbered {
            for node in &mut documents {
                if let Some(name) = node["name"].as_str().filter(|name| !name.is_empty()) {
                    node["name"] = json!(format!("H{number} {name}"));
                }
            }
        }
        let setup = Setup {
            prefix: prefix.to_owned(),
            name: format!("House{number}"),
            ..houses::setup(RADIO)
        };
        self.houses.push(houses::simulate(self.broker.port(), setup, documents));
    }
}

/// One server with more and more gateways under one prefix.
pub fn gateways(table: &mut Table) {
    let mut town = Town::new();
    for count in GATEWAYS {
        while town.houses.len() < count {
            town.build("zwave", true);
        }
        let label = format!("{count} gateways of 200 nodes under one prefix");
        let mut server = Server::start(&town.broker.url());
        let took = all_known(&mut server, count * devices());
        let what = format!("initialize answered to all listed, {label}");
        table.row(&what, took, "ms", None, "one run");
        timed(table, &label, &mut server, "H0 switch one");
        held(table, &label, &[&server]);
        // The right house moved, and no other.
        for (number, (house, _)) in town.houses.iter().enumerate() {
            let written = house.received_writes().len();
            assert_eq!(
                written % CALLS == 0 && written > 0,
                number == 0,
                "{written} at {number}"
            );
        }
        server.close();
    }
}

/// A server for each of more and more prefixes.
pub fn prefixes(table: &mut Table) {
    let mut town = Town::new();
    for count in PREFIXES {
        while town.houses.len() < count {
            let prefix = format!("house{}", town.houses.len());
            town.build(&prefix, false);
        }
        let label = format!("{count} prefixes, each with 200 nodes and a server of its own");
        let start = Instant::now();
        let mut servers: Vec<Server> = (0..count)
            .map(|number| Server::start_under(&format!("house{number}"), &town.broker.url()))
            .collect();
        for server in &mut servers {
            all_known(server, devices());
        }
        let took = start.elapsed().as_secs_f64() * 1000.0;
        let what = format!("spawn to all listed, {label}");
        table.row(&what, took, "ms", None, "one run");
        let before: Vec<usize> =
            town.houses.iter().map(|one| one.0.received_writes().len()).collect();
        let last = servers.last_mut().unwrap();
        timed(table, &label, last, "switch one");
        for (number, (house, _)) in town.houses.iter().enumerate() {
            let own = if number + 1 == count { CALLS } else { 0 };
            assert_eq!(
                house.received_writes().len() - before[number],
                own,
                "at {number}"
            );
        }
        let all: Vec<&Server> = servers.iter().collect();
        held(table, &label, &all);
    }
}

/// The devices of one house.
fn devices() -> usize {
    houses::large().iter().filter(|node| houses::is_device(node)).count()
}

/// Lists until every device of every house is known; how many milliseconds that took.
fn all_known(server: &mut Server, wanted: usize) -> f64 {
    let start = Instant::now();
    loop {
        let arguments = json!({ "filter": "", "includeInactive": true });
        let (answer, _) = server.call("list_zwave_devices", arguments);
        let counted = answer.text.split_whitespace().next().and_then(count);
        if !answer.is_error && counted.is_some_and(|counted| counted >= wanted) {
            return start.elapsed().as_secs_f64() * 1000.0;
        }
        assert!(
            start.elapsed() < Duration::from_secs(120),
            "{counted:?} of {wanted}: {}",
            &answer.text[..200]
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// "4,000" as a number.
fn count(word: &str) -> Option<usize> {
    word.replace(',', "").parse().ok()
}

/// The two calls that a host makes: what is narrow, and a device of one house.
fn timed(table: &mut Table, label: &str, server: &mut Server, name: &'static str) {
    let lists = Timings::of(CALLS, || server.list("kitchen").1);
    table.timings(&format!("list, {label}"), &lists, None);
    let device = crate::control::Switched { name, ..confirms() };
    let mut turn = 0;
    let controls = Timings::of(CALLS, || {
        turn += 1;
        by_tool(server, &device, &device.states[turn % 2])
    });
    table.timings(&format!("control, {label}"), &controls, None);
}

/// What the servers hold, the largest of them.
fn held(table: &mut Table, label: &str, servers: &[&Server]) {
    let held = servers.iter().map(|server| server.process().settled());
    let most = held.max_by_key(|held| held.resident).unwrap();
    crate::memory_row(table, label, &most, None);
}

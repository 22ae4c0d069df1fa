//! Many houses of 200 nodes on one broker: up to twenty gateways under one prefix with one server, and up to
//! ten prefixes with a server for each.

use std::time::{Duration, Instant};

use serde_json::json;
use simulator_testing::{Setup, Simulation};
use tokio::sync::oneshot;

use crate::broker::Mosquitto;
use crate::control::{supervised_plug, switch_by_tool};
use crate::houses::{self, RADIO};
use crate::server::Server;
use crate::table::{Table, Timings};

/// The numbers of gateways that are measured in turn, to see how the figures grow.
const GATEWAYS: [usize; 4] = [1, 5, 10, 20];

/// The numbers of prefixes that are measured in turn.
const PREFIXES: [usize; 2] = [1, 10];

/// The number of timed calls.
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

    /// Adds a house. If `has_numbered_names` is set, each device's name begins with "H" and the number of the
    /// house, so that no two houses under one prefix have the same names.
    fn add_house(&mut self, prefix: &str, has_numbered_names: bool) {
        let number = self.houses.len();
        let mut documents = houses::large();
        if has_numbered_names {
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

/// Measures a server with more and more gateways under one prefix.
pub fn measure_gateways(table: &mut Table) {
    let mut town = Town::new();
    for count in GATEWAYS {
        while town.houses.len() < count {
            town.add_house("zwave", true);
        }
        let label = format!("{count} gateways of 200 nodes under one prefix");
        let mut server = Server::start(&town.broker.url());
        let took = wait_until_all_known(&mut server, count * count_devices());
        let what = format!("from the answer to `initialize` until all devices are listed, {label}");
        table.add(&what, took, "ms", None, "one run");
        time_calls(table, &label, &mut server, "H0 switch one");
        measure_memory(table, &label, &[&server]);
        // Check that only the first house has received writes.
        for (number, (house, _)) in town.houses.iter().enumerate() {
            let written = house.received_writes().len();
            assert_eq!(
                written % CALLS == 0 && written > 0,
                number == 0,
                "{written} writes at house {number}"
            );
        }
        server.close();
    }
}

/// Measures more and more prefixes, with a server for each.
pub fn measure_prefixes(table: &mut Table) {
    let mut town = Town::new();
    for count in PREFIXES {
        while town.houses.len() < count {
            let prefix = format!("house{}", town.houses.len());
            town.add_house(&prefix, false);
        }
        let label = format!("{count} prefixes, each with 200 nodes and a server of its own");
        let start = Instant::now();
        let mut servers: Vec<Server> = (0..count)
            .map(|number| Server::start_under(&format!("house{number}"), &town.broker.url()))
            .collect();
        for server in &mut servers {
            wait_until_all_known(server, count_devices());
        }
        let took = start.elapsed().as_secs_f64() * 1000.0;
        let what = format!("from spawn until all devices are listed, {label}");
        table.add(&what, took, "ms", None, "one run");
        let before: Vec<usize> =
            town.houses.iter().map(|(house, _)| house.received_writes().len()).collect();
        let last = servers.last_mut().unwrap();
        time_calls(table, &label, last, "switch one");
        for (number, (house, _)) in town.houses.iter().enumerate() {
            let expected = if number + 1 == count { CALLS } else { 0 };
            assert_eq!(
                house.received_writes().len() - before[number],
                expected,
                "writes at house {number}"
            );
        }
        let servers: Vec<&Server> = servers.iter().collect();
        measure_memory(table, &label, &servers);
    }
}

/// Counts the devices of one house.
fn count_devices() -> usize {
    houses::large().iter().filter(|node| houses::is_device(node)).count()
}

/// Lists until the server knows all wanted devices. Returns how many milliseconds that took.
fn wait_until_all_known(server: &mut Server, wanted: usize) -> f64 {
    let start = Instant::now();
    loop {
        let arguments = json!({ "filter": "", "includeInactive": true });
        let (answer, _) = server.call("list_zwave_devices", arguments);
        let counted = answer.text.split_whitespace().next().and_then(parse_count);
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

/// Parses a number such as "4,000".
fn parse_count(word: &str) -> Option<usize> {
    word.replace(',', "").parse().ok()
}

/// Measures the time of lists with the filter "kitchen", and of commands to the device `name`.
fn time_calls(table: &mut Table, label: &str, server: &mut Server, name: &'static str) {
    let lists = Timings::of(CALLS, || server.list("kitchen").1);
    table.add_timings(&format!("list, {label}"), &lists, None);
    let device = crate::control::Switched {
        name,
        ..supervised_plug()
    };
    let mut turn = 0;
    let controls = Timings::of(CALLS, || {
        turn += 1;
        switch_by_tool(server, &device, &device.states[turn % 2])
    });
    table.add_timings(&format!("control, {label}"), &controls, None);
}

/// Measures the memory of the server that uses the most memory.
fn measure_memory(table: &mut Table, label: &str, servers: &[&Server]) {
    let held = servers.iter().map(|server| server.process().wait_until_settled());
    let most = held.max_by_key(|held| held.resident).unwrap();
    crate::add_memory_row(table, label, &most, None);
}

//! Measures the real binary with a real Mosquitto and simulated houses of 21, 200 and 4,000 nodes. `bench`
//! prints the figures with their budgets. `bench load` checks that a million updates and a hundred
//! reconnects leak nothing.
//!
//! Run by `scripts/bench.sh`. Needs Linux, for `/proc`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::too_many_lines,
    missing_docs
)]

mod bare;
#[path = "../../tests/fixture/broker.rs"]
#[allow(dead_code)] // Tests use more of this module.
mod broker;
mod control;
mod houses;
mod load;
mod many;
#[path = "../../tests/needs/mod.rs"]
mod needs;
#[path = "../../tests/fixture/process.rs"]
mod process;
#[path = "../../tests/fixture/proxy.rs"]
#[allow(dead_code)] // Tests use more of this module.
mod proxy;
mod readings;
mod server;
mod table;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use broker::{ClosedAddress, Mosquitto};
use control::{check_calls_at_once, compare_control, polled_plug, supervised_plug, switch_by_tool};
use houses::{House, RADIO};
use process::ResourceUsage;
use readings::compare_with_reading;
use serde_json::json;
use server::Server;
use table::{Table, Timings};

/// The number of timed process starts and exits.
const STARTS: usize = 200;

/// The number of timed list calls.
const LISTS: usize = 500;

/// The number of timings of the processor, each of several calls.
const ROUNDS: usize = 20;
const CALLS_A_ROUND: u32 = 50;

/// The number of commands that our server and a bare client each carry out.
const PAIRS: usize = 100;

const MIB: f64 = 1024.0;

fn main() -> ExitCode {
    println!("{}", server::binary().display());
    let mut arguments = std::env::args().skip(1).filter(|word| word != "--bench");
    match (arguments.next().as_deref(), arguments.next()) {
        (None, _) => print_table(measure_all),
        (Some("load"), scale) => {
            // The number of updates, in thousands. A small number is enough to try out the benchmark.
            let thousands = scale.map_or(1000, |scale| scale.parse().expect("a number"));
            load(thousands)
        }
        (Some("control"), _) => print_table(measure_commands),
        (Some("processor"), _) => print_table(measure_processor),
        (Some("many"), _) => print_table(measure_many_houses),
        (Some("readings"), _) => print_table(measure_without_events),
        (Some("calls"), _) => print_table(measure_memory_after_calls),
        (Some(other), _) => {
            eprintln!(
                "\"{other}\" is not known; it must be \"calls\", \"control\", \"load\", \"many\", \"processor\", \"readings\" or nothing"
            );
            ExitCode::from(2)
        }
    }
}

/// Fills a table and prints it.
fn print_table(fill: fn(&mut Table)) -> ExitCode {
    let mut table = Table::default();
    fill(&mut table);
    println!();
    table.print();
    ExitCode::SUCCESS
}

fn load(thousands: usize) -> ExitCode {
    let house = House::start(houses::large(), Duration::from_millis(1));
    let reconnects = (thousands / 10).max(10);
    let eventless_house = House::without_events(houses::large());
    let updates = thousands * 1000;
    // The second argument is true if the house sends events.
    let is_flat = load::check_flat(&house, true, updates, reconnects)
        && load::check_flat(&eventless_house, false, updates / 10, reconnects);
    if is_flat {
        println!("flat: memory, descriptors and threads stayed within the limits");
        ExitCode::SUCCESS
    } else {
        println!("NOT flat: memory, descriptors or threads changed too much");
        ExitCode::FAILURE
    }
}

/// Measures the memory before many requests are sent at once, and after all answers were read.
fn measure_memory_after_calls(table: &mut Table) {
    let house = House::start(houses::large(), RADIO);
    let list = json!({ "name": "list_zwave_devices", "arguments": {} });
    for (method, params, count) in [("tools/call", list, 100_000), ("ping", json!({}), 20_000)] {
        let mut server = start_known(&house);
        measure_memory(table, "200 nodes, before", &server, Some(10.5));
        server.flood(method, &params, count);
        let label = format!("200 nodes, after {count} {method} requests");
        measure_memory(table, &label, &server, Some(12.0));
    }
}

/// Measures many houses on one broker.
fn measure_many_houses(table: &mut Table) {
    many::measure_gateways(table);
    many::measure_prefixes(table);
}

/// Measures commands in the houses of 21, 200 and 4,000 nodes.
fn measure_commands(table: &mut Table) {
    for (label, documents) in [
        ("21 nodes", houses::small()),
        ("200 nodes", houses::large()),
        ("4,000 nodes", houses::huge(4000)),
    ] {
        let house = House::start(documents, RADIO);
        measure_control(
            table,
            label,
            &house,
            &mut start_known(&house),
            PAIRS,
            Some(1.05),
        );
    }
    measure_without_radio(table);
}

/// Measures the processor's time in the houses of 200 and 4,000 nodes.
fn measure_processor(table: &mut Table) {
    for (label, documents) in [
        ("200 nodes", houses::large()),
        ("4,000 nodes", houses::huge(4000)),
    ] {
        let house = House::start(documents, RADIO);
        measure_processor_time(table, label, &mut start_known(&house));
    }
}

/// Measures the processor's time for a list, and for a call that is decided without a command. Unlike the time on the
/// clock, these depend little on what else the machine does.
fn measure_processor_time(table: &mut Table, label: &str, server: &mut Server) {
    // Until the first event, the nodes are read before each call.
    for state in &supervised_plug().states {
        switch_by_tool(server, &supervised_plug(), state);
    }
    let process = server.process();
    let time_of = |call: &mut dyn FnMut()| {
        let time = process.time_on_processor(|| (0..CALLS_A_ROUND).for_each(|_| call()));
        time / CALLS_A_ROUND
    };
    let mut add = |what: &str, budget: Option<f64>, time: &mut dyn FnMut() -> Duration| {
        let what = format!("processor's time, {what}, {label}");
        table.add_timings(&what, &Timings::of(ROUNDS, time), budget);
    };
    add("list", None, &mut || {
        time_of(&mut || assert!(!server.list("").0.is_error))
    });
    let mut refuse = |name: &str| {
        let arguments = json!({ "deviceName": name, "action": "on" });
        let (answer, _) = server.call("control_zwave_device", arguments);
        assert!(answer.is_error, "{answer:?}");
    };
    // Two rooms have a device with this name, so the answer asks which one is meant.
    add("decision", None, &mut || time_of(&mut || refuse("ceiling")));
    if label != "200 nodes" {
        return;
    }
    // The last part has no device, so every way to divide the phrase is tried. After a miss, the nodes are read and the
    // call is decided once more, so the time of any other miss is taken off.
    let unknown = "an unknown thing";
    let names = "Garden Device 155, Lamp Corner, Office Device 98, lamp, Device 149, Device 184, switch one";
    let joined = format!("{} and {unknown}", names.replace(", ", " and "));
    let what = "deciding twice about eight joined names";
    add(what, Some(10.0), &mut || {
        let miss = time_of(&mut || refuse(unknown));
        time_of(&mut || refuse(&joined)).saturating_sub(miss)
    });
}

/// Measures gateways without events, one of them also over a link of 2 MB/s.
fn measure_without_events(table: &mut Table) {
    for (label, documents, pairs) in [
        ("21 nodes", houses::small(), 15),
        ("200 nodes", houses::large(), 15),
        ("4,000 nodes", houses::huge(4000), 3),
    ] {
        let house = House::without_events(documents);
        let mut server = start_known(&house);
        compare_with_reading(table, label, &house, &mut server, pairs);
        if label == "200 nodes" {
            house.simulation.set_link(Some(2_000_000));
            let label = "200 nodes, 2 MB/s";
            compare_with_reading(table, label, &house, &mut server, 5);
        }
        measure_memory(table, &format!("{label}, events off"), &server, None);
        if label == "200 nodes" {
            house.simulation.set_link(None);
            check_calls_at_once(table, "events off", &house, server);
        }
    }
}

/// Measures commands with a radio that takes no time. The figures show the time that our server adds.
fn measure_without_radio(table: &mut Table) {
    let label = "a radio that takes no time";
    let house = House::start(houses::large(), Duration::ZERO);
    let mut server = start_known(&house);
    measure_control(table, label, &house, &mut server, 10 * PAIRS, None);
    check_calls_at_once(table, label, &house, server);
}

/// Compares our server with a bare client, for a plug that confirms writes and for one that must be polled.
fn measure_control(
    table: &mut Table,
    label: &str,
    house: &House,
    server: &mut Server,
    pairs: usize,
    budget: Option<f64>,
) {
    for device in [supervised_plug(), polled_plug()] {
        compare_control(table, label, house, server, &device, pairs, budget);
    }
}

fn measure_all(table: &mut Table) {
    let size = std::fs::metadata(server::binary()).unwrap().len();
    let size = size as f64 / MIB / MIB;
    table.add("binary", size, "MiB", Some(8.0), "stripped");
    let closed = ClosedAddress::new();
    measure_start(table, "broker down", &format!("mqtt://{closed}"));
    let idle = Mosquitto::start();
    measure_start(table, "broker up", &idle.url());
    measure_memory_without_house(table, &idle.url());
    drop(idle);

    let house = House::start(houses::small(), RADIO);
    measure_house(table, "21 nodes", &house, (None, None));
    let house = House::start(houses::large(), RADIO);
    let budgets = (Some(0.5), Some(10.5));
    measure_house(table, "200 nodes", &house, budgets);
    let server = start_known(&house);
    check_calls_at_once(table, "a radio as slow as the recorded one", &house, server);
    drop(house);
    measure_without_radio(table);
    let house = House::start(houses::huge(4000), RADIO);
    let budgets = (None, Some(30.0));
    measure_house(table, "4,000 nodes", &house, budgets);
    drop(house);
    measure_memory_after_calls(table);
    measure_without_events(table);
}

fn measure_start(table: &mut Table, label: &str, url: &str) {
    let first = Timings::of(STARTS, || {
        let start = Instant::now();
        let mut server = Server::spawn(url);
        server.initialize() - start
    });
    let what = format!("from spawn until the answer to `initialize`, {label}");
    table.add_timings(&what, &first, Some(3.0));
    let ended = Timings::of(STARTS, || Server::start(url).close());
    let what = format!("from closing stdin until the process is gone, {label}");
    table.add_timings(&what, &ended, Some(20.0));
}

fn measure_memory_without_house(table: &mut Table, url: &str) {
    let mut server = Server::start(url);
    // Even a list without a house makes the server allocate memory.
    server.list("");
    measure_memory(table, "no house", &server, Some(8.0));
}

fn measure_memory(table: &mut Table, label: &str, server: &Server, budget: Option<f64>) {
    add_memory_row(table, label, &server.process().wait_until_settled(), budget);
}

fn add_memory_row(table: &mut Table, label: &str, held: &ResourceUsage, budget: Option<f64>) {
    let details = format!("peak {:.1} MiB", held.peak as f64 / MIB);
    let what = format!("resident memory, {label}");
    table.add(&what, held.resident as f64 / MIB, "MiB", budget, &details);
}

/// Starts a server and waits until it knows the house.
fn start_known(house: &House) -> Server {
    let mut server = Server::start(&house.broker.url());
    server.wait_until_known();
    server
}

/// Measures a house. The budgets are those of a list, in ms, and of the resident memory, in MiB.
fn measure_house(
    table: &mut Table,
    label: &str,
    house: &House,
    (list_budget, memory_budget): (Option<f64>, Option<f64>),
) {
    let mut server = Server::start(&house.broker.url());
    let took = server.wait_until_known().as_secs_f64() * 1000.0;
    let what = format!("from the answer to `initialize` until the house is listed, {label}");
    table.add(&what, took, "ms", None, "one run");
    let lists = Timings::of(LISTS, || {
        let (answer, took) = server.list("");
        assert!(!answer.is_error);
        took
    });
    let what = format!("list, {label}");
    table.add_timings(&what, &lists, list_budget);
    measure_memory(table, label, &server, memory_budget);
    measure_processor_time(table, label, &mut server);
    measure_control(table, label, house, &mut server, PAIRS, Some(1.05));
    let ended = server.close().as_secs_f64() * 1000.0;
    let what = format!("from closing stdin until the process is gone, {label}");
    table.add(&what, ended, "ms", Some(20.0), "one run");
}

//! What the program costs, measured on the real binary, a real Mosquitto and simulated houses of
//! 21, 200 and 4,000 nodes. `bench` prints the figures beside their budgets, `bench load` what a
//! million updates and a hundred reconnects leave behind.
//!
//! Run by `scripts/bench.sh`; needs Linux, for `/proc`.

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
#[allow(dead_code)] // Tests use more of it.
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
#[allow(dead_code)] // Tests use more of it.
mod proxy;
mod readings;
mod server;
mod table;

use std::net::{Ipv4Addr, TcpListener};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use broker::Mosquitto;
use control::{at_once, confirms, is_asked, side_by_side};
use houses::{House, RADIO};
use process::Held;
use readings::read_first;
use serde_json::json;
use server::Server;
use table::{Table, Timings};

/// How often a process is started, or a call made.
const STARTS: usize = 200;
const LISTS: usize = 500;
const PAIRS: usize = 100;

const MIB: f64 = 1024.0;

fn main() -> ExitCode {
    println!("{}", server::binary().display());
    let mut arguments = std::env::args().skip(1).filter(|word| word != "--bench");
    match (arguments.next().as_deref(), arguments.next()) {
        (None, _) => shown(figures),
        (Some("load"), scale) => {
            // A smaller number of thousands is for trying out the bench itself.
            let thousands = scale.map_or(1000, |scale| scale.parse().expect("a number"));
            load(thousands)
        }
        (Some("control"), _) => shown(controls),
        (Some("many"), _) => shown(many_houses),
        (Some("readings"), _) => shown(readings_first),
        (Some("calls"), _) => shown(after_calls),
        (Some(other), _) => {
            eprintln!(
                "\"{other}\" is not known; it must be \"calls\", \"control\", \"load\", \"many\", \"readings\" or nothing"
            );
            ExitCode::from(2)
        }
    }
}

/// Fills a table and prints it.
fn shown(fill: fn(&mut Table)) -> ExitCode {
    let mut table = Table::default();
    fill(&mut table);
    println!();
    table.print();
    ExitCode::SUCCESS
}

fn load(thousands: usize) -> ExitCode {
    let house = House::start(houses::large(), Duration::from_millis(1));
    let reconnects = (thousands / 10).max(10);
    let without = House::without_events(houses::large());
    let flat = load::flat(&house, true, thousands * 1000, reconnects)
        && load::flat(&without, false, thousands * 100, reconnects);
    if flat {
        println!("flat");
        ExitCode::SUCCESS
    } else {
        println!("NOT flat");
        ExitCode::FAILURE
    }
}

/// The rows of memory after calls that came at once and whose answers were read.
fn after_calls(table: &mut Table) {
    let house = House::start(houses::large(), RADIO);
    let list = json!({ "name": "list_zwave_devices", "arguments": {} });
    for (method, params, count) in [("tools/call", list, 100_000), ("ping", json!({}), 20_000)] {
        let mut server = known(&house);
        memory(table, "200 nodes, before", &server, Some(10.0));
        server.flood(method, &params, count);
        let label = format!("200 nodes, after {count} times {method}");
        memory(table, &label, &server, Some(12.0));
    }
}

/// The rows of many houses.
fn many_houses(table: &mut Table) {
    many::gateways(table);
    many::prefixes(table);
}

/// The rows of the tool that acts, in the houses of 21, 200 and 4,000 nodes.
fn controls(table: &mut Table) {
    for (label, documents) in [
        ("21 nodes", houses::small()),
        ("200 nodes", houses::large()),
        ("4,000 nodes", houses::huge(4000)),
    ] {
        let house = House::start(documents, RADIO);
        control(table, label, &house, &mut known(&house), PAIRS, Some(1.05));
    }
    without_radio(table);
}

/// The rows of a gateway without events, also behind a link of 2 MB/s.
fn readings_first(table: &mut Table) {
    for (label, documents, pairs) in [
        ("21 nodes", houses::small(), 15),
        ("200 nodes", houses::large(), 15),
        ("4,000 nodes", houses::huge(4000), 3),
    ] {
        let house = House::without_events(documents);
        let mut server = known(&house);
        read_first(table, label, &house, &mut server, pairs);
        if label == "200 nodes" {
            house.simulation.set_link(Some(2_000_000));
            let label = "200 nodes, 2 MB/s";
            read_first(table, label, &house, &mut server, 5);
        }
        memory(table, &format!("{label}, events off"), &server, None);
        if label == "200 nodes" {
            house.simulation.set_link(None);
            at_once(table, "events off", &house, server);
        }
    }
}

/// How much longer ours takes than the least possible, where nothing else takes any time.
fn without_radio(table: &mut Table) {
    let label = "a radio that takes no time";
    let house = House::start(houses::large(), Duration::ZERO);
    let mut server = known(&house);
    control(table, label, &house, &mut server, 10 * PAIRS, None);
    at_once(table, label, &house, server);
}

/// Both kinds of plug, each beside a bare client.
fn control(
    table: &mut Table,
    label: &str,
    house: &House,
    server: &mut Server,
    pairs: usize,
    budget: Option<f64>,
) {
    for device in [confirms(), is_asked()] {
        side_by_side(table, label, house, server, &device, pairs, budget);
    }
}

fn figures(table: &mut Table) {
    let size = std::fs::metadata(server::binary()).unwrap().len();
    let size = size as f64 / MIB / MIB;
    table.row("binary", size, "MiB", Some(8.0), "stripped");
    let down = format!("mqtt://127.0.0.1:{}", free_port());
    starting(table, "broker down", &down);
    let idle = Mosquitto::start();
    starting(table, "broker up", &idle.url());
    memory_without_house(table, &idle.url());
    drop(idle);

    let house = House::start(houses::small(), RADIO);
    in_a_house(table, "21 nodes", &house, (None, None));
    let house = House::start(houses::large(), RADIO);
    let budgets = (Some(0.5), Some(10.0));
    in_a_house(table, "200 nodes", &house, budgets);
    let server = known(&house);
    at_once(table, "radio as recorded", &house, server);
    drop(house);
    without_radio(table);
    let house = House::start(houses::huge(4000), RADIO);
    let budgets = (None, Some(30.0));
    in_a_house(table, "4,000 nodes", &house, budgets);
    drop(house);
    after_calls(table);
    readings_first(table);
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.local_addr().unwrap().port()
}

fn starting(table: &mut Table, label: &str, url: &str) {
    let first = Timings::of(STARTS, || {
        let start = Instant::now();
        let mut server = Server::spawn(url);
        server.initialize() - start
    });
    let what = format!("spawn to initialize answered, {label}");
    table.timings(&what, &first, Some(3.0));
    let ended = Timings::of(STARTS, || Server::start(url).close());
    let what = format!("stdin closed to process gone, {label}");
    table.timings(&what, &ended, Some(20.0));
}

fn memory_without_house(table: &mut Table, url: &str) {
    let mut server = Server::start(url);
    // A call that finds no house makes room for itself too.
    server.list("");
    memory(table, "no house", &server, Some(8.0));
}

fn memory(table: &mut Table, label: &str, server: &Server, budget: Option<f64>) {
    memory_row(table, label, &server.process().settled(), budget);
}

fn memory_row(table: &mut Table, label: &str, held: &Held, budget: Option<f64>) {
    let more = format!("peak {:.1} MiB", held.peak as f64 / MIB);
    let what = format!("resident, {label}");
    table.row(&what, held.resident as f64 / MIB, "MiB", budget, &more);
}

/// A server that knows the house.
fn known(house: &House) -> Server {
    let mut server = Server::start(&house.broker.url());
    server.house_known();
    server
}

fn in_a_house(
    table: &mut Table,
    label: &str,
    house: &House,
    (list, resident): (Option<f64>, Option<f64>),
) {
    let mut server = Server::start(&house.broker.url());
    let took = server.house_known().as_secs_f64() * 1000.0;
    let what = format!("initialize answered to house listed, {label}");
    table.row(&what, took, "ms", None, "one run");
    let lists = Timings::of(LISTS, || {
        let (answer, took) = server.list("");
        assert!(!answer.is_error);
        took
    });
    let what = format!("list, {label}");
    table.timings(&what, &lists, list);
    memory(table, label, &server, resident);
    control(table, label, house, &mut server, PAIRS, Some(1.05));
    let ended = server.close().as_secs_f64() * 1000.0;
    let what = format!("stdin closed to process gone, {label}");
    table.row(&what, ended, "ms", Some(20.0), "one run");
}

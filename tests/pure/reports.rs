//! Last reports, weak links and silent devices in the lists "changed" and "problems".

use serde_json::{Value as Json, json};
use zwave_mcp_server::home::house::House;
use zwave_mcp_server::mcp::arguments::ListArguments;
use zwave_mcp_server::mcp::list::list;

use crate::houses::{build_house, build_view};
use crate::nodes::Document;

fn list_filtered(house: &House, filter: &str) -> String {
    let arguments = ListArguments {
        filter: filter.to_owned(),
        ..ListArguments::default()
    };
    list(&build_view(house), &arguments, false).text
}

/// Lists the problems of a plug with these statistics and other fields.
fn plug_problems(statistics: Json, fields: &[(&str, Json)]) -> String {
    let mut plug = Document::new("Cellar Plug", 16, 1)
        .switch(0, true)
        .field("statistics", statistics);
    for (name, value) in fields {
        plug = plug.field(name, value.clone());
    }
    list_filtered(&build_house([plug]), "problems")
}

#[test]
fn a_link_is_weak_if_a_tenth_of_twenty_commands_gets_no_answer_or_an_answer_takes_a_second() {
    let statistics = |sent, dropped, timeouts, rtt: f64| {
        json!({
            "commandsTX": sent, "commandsDroppedTX": dropped, "timeoutResponse": timeouts, "rtt": rtt,
        })
    };
    let lossy = |commands| format!("Cellar Plug: 1 in {commands} commands gets no answer; move it");
    for (counts, expected) in [
        (statistics(18, 2, 3, 20.0), Some(lossy(4))),
        (statistics(20, 0, 2, 20.0), Some(lossy(10))),
        (statistics(21, 0, 2, 20.0), None),
        (statistics(19, 0, 19, 20.0), None),
        (
            statistics(40, 0, 39, 20.0),
            Some("most commands get no answer; move it".to_owned()),
        ),
        (
            statistics(2, 0, 0, 2340.0),
            Some("an answer takes 2.3 s; move it or add".to_owned()),
        ),
        (statistics(2, 0, 0, 1000.0), None),
        (json!("none"), None),
    ] {
        let problems = plug_problems(counts.clone(), &[]);
        match expected {
            Some(expected) => assert!(problems.contains(&expected), "{counts}: {problems}"),
            None => assert!(
                problems.contains("Nothing is wrong"),
                "{counts}: {problems}"
            ),
        }
    }
}

#[test]
fn only_a_device_that_always_listens_and_is_alive_has_a_weak_link() {
    let weak = || json!({ "commandsTX": 30, "timeoutResponse": 14, "rtt": 2000 });
    let sleeps = plug_problems(weak(), &[("isListening", json!(false))]);
    assert!(sleeps.contains("Nothing is wrong"), "{sleeps}");
    let dead = plug_problems(weak(), &[("status", json!("Dead"))]);
    assert!(
        dead.contains("not responding") && !dead.contains("commands"),
        "{dead}"
    );
}

#[test]
fn only_what_sleeps_is_to_be_woken_up_and_what_is_on_mains_is_never_silent() {
    let quiet = |document: Document| {
        document.number("49-0-Humidity", 40, "%").field("lastActive", json!(1))
    };
    let sleeper = quiet(Document::new("Sleeper", 33, 1)).field("isListening", json!(false));
    let with_battery =
        quiet(Document::new("Lasting", 33, 1).number("128-0-level", 80, "%")).field("id", json!(3));
    let on_mains = quiet(Document::new("Mains", 33, 1)).field("id", json!(4));
    let problems = list_filtered(&build_house([sleeper, with_battery, on_mains]), "problems");
    let line = |name| problems.lines().find(|line| line.contains(name));
    assert!(
        line("Sleeper").unwrap().contains("wake it up, or check its battery"),
        "{problems}"
    );
    assert!(
        line("Lasting").unwrap().ends_with("ago; check its battery"),
        "{problems}"
    );
    assert_eq!(line("Mains"), None, "{problems}");
}

#[test]
fn what_was_not_seen_to_change_is_listed_with_its_last_report_and_the_line_does_not_say_since_when()
{
    let at = 1_795_000_000_000_u64;
    let lock =
        json!({ "type": "number", "value": 255, "states": [[255, "Secured"]], "lastUpdate": at });
    let lock = Document::new("Porch", 64, 3).value("98-0-currentMode", lock);
    let door = json!({ "type": "number", "value": 22, "states": [], "lastUpdate": at + 120_000 });
    let window = Document::new("Window", 7, 1)
        .value("113-0-Access Control-Door state", door)
        .value(
            "49-0-Air temperature",
            json!({ "value": 20, "unit": "°C", "lastUpdate": at }),
        )
        .field("id", json!(3));
    let lamp = json!({ "type": "boolean", "value": true, "lastUpdate": at });
    let lamp = Document::new("Lamp", 16, 1)
        .value("37-0-currentValue", lamp)
        .field("id", json!(4));
    let house = build_house([lock, window, lamp]);
    let changed = list_filtered(&house, "changed");
    assert!(
        changed.starts_with("Nothing has changed since"),
        "{changed}"
    );
    let reports: Vec<&str> = changed.lines().filter(|line| line.starts_with("- ")).collect();
    assert_eq!(reports.len(), 2, "{changed}");
    assert!(
        reports[0].starts_with("- Home Window: open, last report "),
        "{changed}"
    );
    assert!(
        reports[1].starts_with("- Home Porch: locked, last report "),
        "{changed}"
    );
    let locks = list_filtered(&house, "changed locks");
    assert!(
        locks.contains("Porch") && !locks.contains("Window"),
        "{locks}"
    );
    let all = list_filtered(&house, "");
    assert!(
        !all.contains("since") && !all.contains("last report"),
        "{all}"
    );
}

//! Lists of devices: their counts and headings, the states of windows, and lists of problems.

use zwave_mcp_server::home::house::House;
use zwave_mcp_server::home::intent::Action;
use zwave_mcp_server::home::model::ids::{CommandClass as Cc, NodeId, Timestamp, ValueId};
use zwave_mcp_server::home::model::node::NodeStatus;
use zwave_mcp_server::home::model::snapshot::Snapshot;
use zwave_mcp_server::home::model::value::Value;
use zwave_mcp_server::home::names::{Resolved, resolve};
use zwave_mcp_server::mcp::arguments::ListArguments;
use zwave_mcp_server::mcp::list::{ListAnswer, list};

use crate::houses::{build_switches, build_view, captured_snapshot, house_of};

fn list_house(house: &House, arguments: &ListArguments) -> ListAnswer {
    list(&build_view(house), arguments, true)
}

fn list_filtered(house: &House, filter: &str) -> String {
    let arguments = ListArguments {
        filter: filter.to_owned(),
        ..ListArguments::default()
    };
    list_house(house, &arguments).text
}

fn captured_house() -> House {
    house_of(vec![captured_snapshot()])
}

fn build_house(names: &[(&str, &str)]) -> House {
    let owned = |(name, room): &(&str, &str)| ((*name).to_owned(), (*room).to_owned());
    build_switches(&names.iter().map(owned).collect::<Vec<_>>())
}

#[test]
fn devices_without_a_room_are_kept_apart_from_a_room_that_is_called_no_room() {
    for room in ["No room", "NO ROOM", "- no-room"] {
        let house = build_house(&[("Lamp", room), ("Fan", "")]);
        let text = list_filtered(&house, "");
        let headings: Vec<&str> = text.lines().filter(|line| line.ends_with(':')).collect();
        assert_eq!(headings.len(), 2, "{text}");
        assert_eq!(headings[1], "Without a room:", "{text}");
        for (said, name) in [
            ("Without a room: - Fan: switch, off", "Fan"),
            ("- Fan: switch, off", "Fan"),
        ] {
            let Resolved::One(device) = resolve(&house, said, None, None, Action::On) else {
                panic!("{said}")
            };
            assert_eq!(device.name.text, name);
        }
    }
    let text = list_filtered(&build_house(&[("Fan", "")]), "");
    assert!(text.contains("\nNo room:\n- Fan"), "{text}");
}

#[test]
fn a_device_that_does_not_respond_is_counted_whether_it_is_listed_or_not() {
    let house = build_house(&[("Lamp", "Hall"), ("Fan", "Hall"), ("Plug", "Den")]);
    let mut snapshot = Snapshot::clone(&house.snapshots()[0]);
    for node in [2, 4] {
        snapshot.node_mut(NodeId(node)).unwrap().status = NodeStatus::Dead;
    }
    let house = house_of(vec![snapshot]);
    for (include_inactive, filter, count, dead) in [
        (false, "", 1, 2),
        (true, "", 3, 2),
        (false, "hall", 1, 1),
        (true, "hall", 2, 1),
        (false, "dead", 2, 2),
    ] {
        let arguments = ListArguments {
            filter: filter.to_owned(),
            include_inactive,
            ..ListArguments::default()
        };
        let answer = list_house(&house, &arguments);
        let json = answer.structured.unwrap();
        assert_eq!(json["count"], count, "{filter} {include_inactive}");
        assert_eq!(json["notResponding"], dead, "{filter} {include_inactive}");
        assert_eq!(json["devices"].as_array().unwrap().len(), count);
    }
}

/// Builds the captured house with a door sensor that reports only these variables of the notification type
/// "Access Control".
/// Returns the names of the devices in a list's text, in order.
fn listed_names(text: &str) -> Vec<&str> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("- "));
    lines.filter_map(|line| Some(line.split_once(':')?.0)).collect()
}

#[test]
fn a_filter_with_several_parts_lists_what_matches_one_of_them() {
    let house = captured_house();
    let joined = |one: &str, other: &str| {
        let (one, other) = (list_filtered(&house, one), list_filtered(&house, other));
        let mut names: Vec<String> = listed_names(&one).into_iter().map(str::to_owned).collect();
        names.extend(listed_names(&other).into_iter().map(str::to_owned));
        names.sort();
        names.dedup();
        assert!(names.len() > 1, "{names:?}");
        names
    };
    for (filter, one, other) in [
        ("locks and thermostats", "locks", "thermostats"),
        ("locks or thermostats", "locks", "thermostats"),
        ("locks, thermostats", "locks", "thermostats"),
        ("kitchen and entrance", "kitchen", "entrance"),
        ("Schlösser und Thermostate", "locks", "thermostats"),
        ("serrures ou thermostats", "locks", "thermostats"),
        // A kind, a room or a state that is said once belongs to all parts.
        (
            "lights in the kitchen and the bedroom",
            "kitchen lights",
            "bedroom lights",
        ),
        (
            "kitchen and bedroom lights",
            "kitchen lights",
            "bedroom lights",
        ),
        (
            "switches and dimmers that are on",
            "switches on",
            "dimmers on",
        ),
        // A part that fits nothing together with the rest counts alone.
        ("front door and dimmers", "front door", "dimmers"),
    ] {
        let text = list_filtered(&house, filter);
        let mut names = listed_names(&text);
        names.sort_unstable();
        names.dedup();
        assert_eq!(names, joined(one, other), "{filter}: {text}");
    }
}

#[test]
fn a_filter_is_split_only_if_no_device_can_match_it_as_a_whole() {
    let house = captured_house();
    for (filter, whole) in [
        ("kitchen, lights", "kitchen lights"),
        ("lights, kitchen", "kitchen lights"),
        ("bedroom, shade", "bedroom shade"),
    ] {
        let text = list_filtered(&house, filter);
        assert_eq!(text, list_filtered(&house, whole), "{filter}");
        assert!(!listed_names(&text).is_empty(), "{filter}: {text}");
    }
    let house = build_house(&[
        ("Salt and Pepper", "Hall"),
        ("Salt Lamp", "Hall"),
        ("Pepper Mill", "Hall"),
    ]);
    let text = list_filtered(&house, "salt and pepper");
    assert_eq!(listed_names(&text), ["Salt and Pepper"], "{text}");
    assert_eq!(list_filtered(&house, "tea and coffee").lines().count(), 1);
}

fn build_window(variables: &[(&str, f64)]) -> House {
    let mut snapshot = captured_snapshot();
    let node = snapshot.node_mut(NodeId(16)).unwrap();
    let reports_opening = |value: &Value| {
        let property = value.id.property.text();
        value.id.class == Cc::BINARY_SENSOR || property == Some("Access Control")
    };
    let template = node.values.iter().rfind(|value| reports_opening(value)).unwrap().clone();
    node.values.retain(|value| !reports_opening(value));
    for (variable, state) in variables {
        let id = ValueId::with_key(Cc::NOTIFICATION, 0, "Access Control", *variable);
        let reading = Some((*state).into());
        node.values.push(Value {
            id,
            reading,
            ..template.clone()
        });
    }
    node.values.sort_by(|a, b| a.id.cmp(&b.id));
    house_of(vec![snapshot])
}

#[test]
fn a_window_is_listed_as_open_closed_or_tilted_whichever_variable_reports_it() {
    let cases: [(&[(&str, f64)], &str); 8] = [
        (&[("Opening state", 0.0)], "closed"),
        (&[("Opening state", 1.0)], "open"),
        (&[("Opening state", 2.0)], "tilted"),
        (&[("Door state", 5633.0)], "tilted"),
        (&[("Door state", 22.0), ("Opening state", 1.0)], "open"),
        (
            &[("Door state (simple)", 22.0), ("Door state", 23.0)],
            "closed",
        ),
        (&[("Door tilt state", 1.0), ("Door state", 22.0)], "tilted"),
        (&[("Door tilt state", 0.0), ("Door state", 23.0)], "closed"),
    ];
    for (variables, state) in cases {
        let text = list_filtered(&build_window(variables), "");
        let line = text
            .lines()
            .find(|line| line.starts_with("- Door Sensor"))
            .unwrap_or_else(|| panic!("{text}"));
        let says = line.split([':', ',']).any(|fact| fact.trim() == state);
        assert!(says, "{variables:?}: {line}");
    }
}

#[test]
fn problems_are_listed_worst_first_and_a_filter_can_select_some() {
    let mut snapshot = captured_snapshot();
    let battery = ValueId::new(Cc::BATTERY, 0, "level");
    for node in [12, 16] {
        let value = snapshot.node_mut(NodeId(node)).unwrap().value_mut(&battery);
        value.unwrap().reading = Some(f64::from(node - 10).into());
    }
    let house = house_of(vec![snapshot]);
    let list_problems = |filter: &str| list_filtered(&house, filter);
    let problems = list_problems("problems");
    let first = problems.lines().nth(1).unwrap();
    assert!(
        first.starts_with("- Basement Dead Plug: not responding;"),
        "{problems}"
    );
    let places =
        ["Dead Plug", "battery 2 %", "battery 6 %"].map(|part| problems.find(part).unwrap());
    assert!(places.is_sorted(), "{problems}");
    for filter in [
        "what's wrong",
        "Was ist los?",
        "PROBLÈMES",
        "todo: problemas",
        "problemen",
    ] {
        assert_eq!(
            list_problems(filter).lines().count(),
            problems.lines().count(),
            "{filter}"
        );
    }
    assert!(!list_problems("low battery").contains("Dead Plug"));
    assert!(!list_problems("not responding").contains("battery"));
    assert!(list_problems("kitchen problems").starts_with("Nothing is wrong"));
}

#[test]
fn the_longest_silence_is_listed_first() {
    let mut snapshot = captured_snapshot();
    let now = build_view(&house_of(vec![snapshot.clone()])).now;
    let day = 24 * 3600 * 1000;
    snapshot.node_mut(NodeId(16)).unwrap().last_active = Some(Timestamp(now.0 - 9 * day));
    let problems = list_filtered(&house_of(vec![snapshot]), "problems");
    // The captured sensors were last active 54 days before the time of the view.
    let places = ["54 days ago", "9 days ago"].map(|part| problems.find(part).unwrap());
    assert!(places.is_sorted(), "{problems}");
}

#[test]
fn a_filter_that_is_part_of_a_device_s_name_lists_that_device_instead_of_problems() {
    let house = build_house(&[("Trouble Lamp", "Hall"), ("Fan", "Hall")]);
    let text = list_filtered(&house, "trouble");
    assert!(
        text.contains("Trouble Lamp") && !text.contains("Fan"),
        "{text}"
    );
}

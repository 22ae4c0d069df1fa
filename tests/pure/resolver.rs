//! The target that a name selects: one device, a set that was clearly requested, or none. Tests the rows of
//! `fixtures/names.json`, and random names.

use proptest::prelude::*;
use serde::Deserialize;
use zwave_mcp_server::home::device::Device;
use zwave_mcp_server::home::house::House;
use zwave_mcp_server::home::intent::Action;
use zwave_mcp_server::home::letters::squash;
use zwave_mcp_server::home::names::{Resolved, resolve};

use crate::fixture::read_rows;
use crate::houses::{build_switches, captured};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(rename = "row")]
    promise: String,
    /// The names and rooms of the switches in the house. By default, the house is the captured one.
    house: Option<Vec<(String, String)>>,
    /// The cases: each is a name, a room if one is given, and the expected target.
    said: Vec<Vec<String>>,
}

fn describe(resolved: &Resolved<'_>) -> String {
    let names = |devices: &[&Device]| {
        let names: Vec<String> = devices.iter().map(|device| device.with_room()).collect();
        names.join(" | ")
    };
    match resolved {
        Resolved::One(device) => device.with_room(),
        Resolved::Tie(devices) => format!("tie: {}", names(devices)),
        Resolved::Set(set) => format!("set: {}", names(&set.members)),
        Resolved::Joined(_) => format!("joined: {}", names(&resolved.devices())),
        Resolved::Room(room, _) => format!("room: {room}"),
        Resolved::NoRoom => "no such room".to_owned(),
        Resolved::Miss(near) => {
            assert!(near.len() <= 5);
            format!("miss: {}", names(near))
        }
    }
}

/// Returns true if a target is as expected. `!lamp` accepts every target except `lamp`, and `miss: …` accepts
/// every target that begins with `miss: `.
fn matches_expected(target: &str, expected: &str) -> bool {
    if let Some(excluded) = expected.strip_prefix('!') {
        return !matches_expected(target, excluded);
    }
    match expected.strip_suffix('…') {
        Some(start) => target.starts_with(start),
        None => target == expected,
    }
}

#[test]
fn each_name_selects_the_target_in_its_row() {
    let mut wrong = Vec::new();
    for row in read_rows::<Row>("names.json") {
        let house = row.house.map_or_else(captured, |names| build_switches(&names));
        for case in row.said {
            let (said, room, expected) = match case.as_slice() {
                [said, expected] => (said, None, expected),
                [said, room, expected] => (said, Some(room.as_str()), expected),
                other => panic!("{other:?}"),
            };
            let target = describe(&resolve(&house, said, room, None, Action::On));
            if !matches_expected(&target, expected) {
                wrong.push(format!(
                    "{}: {said:?}, {room:?} selects {target:?}, not {expected:?}",
                    row.promise
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_set_that_was_requested_in_a_room_holds_the_name_of_that_room() {
    let house = captured();
    let Resolved::Set(set) = resolve(&house, "lights", Some("kitchen"), None, Action::On) else {
        panic!("no set");
    };
    assert_eq!(set.room.as_deref(), Some("Kitchen"));
}

fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![
        "(lamp|light|ceiling|fan|door|plug)( (corner|left|2|east))?",
        "[A-Za-z]{1,6}([ _/-][A-Za-z0-9]{1,5}){0,2}",
        "\\PC{0,12}",
    ]
}

fn any_room() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "(Kitchen|Living Room|Office|Hall)",
        "\\PC{0,8}"
    ]
}

fn any_house() -> impl Strategy<Value = House> {
    prop::collection::vec((any_name(), any_room()), 0..12).prop_map(|names| build_switches(&names))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.max(400),
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_listed_name_with_its_room_never_selects_a_device_of_another_name(house in any_house()) {
        for device in house.devices() {
            let said = device.with_room();
            match resolve(&house, &said, None, None, Action::On) {
                Resolved::One(found) => prop_assert!(
                    found.id == device.id || found.with_room() == said
                        || found.name.squashed == squash(&said),
                    "{said:?} found {:?}", found.with_room()
                ),
                Resolved::Tie(found) => prop_assert!(found.len() > 1),
                // A device need not be found if its name has fewer than three main words. A name that reads
                // like a set, such as "lights", may select that set.
                other => prop_assert!(
                    device.name.words.main_words().count() < 3
                        || matches!(other, Resolved::Set(_)),
                    "{said:?}: {other:?}"
                ),
            }
        }
    }

    #[test]
    fn any_text_can_be_resolved_and_misses_have_at_most_five_near_names(
        house in any_house(), said in "\\PC{0,40}",
    ) {
        if let Resolved::Miss(near) = resolve(&house, &said, None, None, Action::Open) {
            prop_assert!(near.len() <= 5);
        }
    }
}

#[test]
fn a_device_is_found_by_its_name_even_if_the_name_begins_with_an_article() {
    for name in ["Ä x1a", "Ä o 1 a", "a x 1 b"] {
        let house = build_switches(&[(name.to_owned(), String::new())]);
        let resolved = resolve(&house, name, None, None, Action::On);
        assert!(matches!(resolved, Resolved::One(_)), "{name}: {resolved:?}");
    }
}

//! A name names exactly one device, or a set that was plainly asked for, or nothing: the rows of
//! `fixtures/names.json`, and any names at all.

use proptest::prelude::*;
use serde::Deserialize;
use zwave_mcp_server::home::device::Device;
use zwave_mcp_server::home::house::House;
use zwave_mcp_server::home::intent::Action;
use zwave_mcp_server::home::letters::squash;
use zwave_mcp_server::home::names::{Resolved, resolve};

use crate::fixture::read_rows;
use crate::houses::{captured, named};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(rename = "row")]
    promise: String,
    /// Names and rooms of switches; the captured house without.
    house: Option<Vec<(String, String)>>,
    /// Cases: a name, perhaps a room, and the target.
    said: Vec<Vec<String>>,
}

fn words(resolved: &Resolved<'_>) -> String {
    let names = |devices: &[&Device]| {
        let names: Vec<String> = devices.iter().map(|device| device.with_room()).collect();
        names.join(" | ")
    };
    match resolved {
        Resolved::One(device) => device.with_room(),
        Resolved::Tie(devices) => format!("tie: {}", names(devices)),
        Resolved::Set(set) => format!("set: {}", names(&set.members)),
        Resolved::Room(room, _) => format!("room: {room}"),
        Resolved::NoRoom => "no such room".to_owned(),
        Resolved::Miss(near) => {
            assert!(near.len() <= 5);
            format!("miss: {}", names(near))
        }
    }
}

fn fits(told: &str, expected: &str) -> bool {
    if let Some(not) = expected.strip_prefix('!') {
        return !fits(told, not);
    }
    match expected.strip_suffix('…') {
        Some(start) => told.starts_with(start),
        None => told == expected,
    }
}

#[test]
fn what_is_said_leads_to_what_is_meant() {
    let mut wrong = Vec::new();
    for row in read_rows::<Row>("names.json") {
        let house = row.house.map_or_else(captured, |names| named(&names));
        for case in row.said {
            let (said, room, expected) = match case.as_slice() {
                [said, expected] => (said, None, expected),
                [said, room, expected] => (said, Some(room.as_str()), expected),
                other => panic!("{other:?}"),
            };
            let told = words(&resolve(&house, said, room, Action::On));
            if !fits(&told, expected) {
                wrong.push(format!(
                    "{}: {said:?}, {room:?} is {told:?}, not {expected:?}",
                    row.promise
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_set_in_a_room_says_where_it_is() {
    let house = captured();
    let Resolved::Set(set) = resolve(&house, "lights", Some("kitchen"), Action::On) else {
        panic!("no set");
    };
    assert_eq!(set.room.as_deref(), Some("Kitchen"));
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "(lamp|light|ceiling|fan|door|plug)( (corner|left|2|east))?",
        "[A-Za-z]{1,6}([ _/-][A-Za-z0-9]{1,5}){0,2}",
        "\\PC{0,12}",
    ]
}

fn room() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "(Kitchen|Living Room|Office|Hall)",
        "\\PC{0,8}"
    ]
}

fn house() -> impl Strategy<Value = House> {
    prop::collection::vec((name(), room()), 0..12).prop_map(|names| named(&names))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.max(400),
        ..ProptestConfig::default()
    })]

    /// A device's own listed name, with its room, finds it, or a tie with what reads the same.
    #[test]
    fn every_device_is_found_by_what_the_list_calls_it(house in house()) {
        for device in house.devices() {
            let said = device.with_room();
            match resolve(&house, &said, None, Action::On) {
                Resolved::One(found) => prop_assert!(
                    found.id == device.id || found.with_room() == said
                        || found.name.squashed == squash(&said),
                    "{said:?} found {:?}", found.with_room()
                ),
                Resolved::Tie(found) => prop_assert!(found.len() > 1),
                // A name without words is found as it is written; one like a kind or room may ask.
                other => prop_assert!(
                    device.name.words.main_words().count() < 3
                        || matches!(other, Resolved::Set(_)),
                    "{said:?}: {other:?}"
                ),
            }
        }
    }

    /// No text breaks the resolver, and near names are at most five.
    #[test]
    fn anything_can_be_said(house in house(), said in "\\PC{0,40}") {
        if let Resolved::Miss(near) = resolve(&house, &said, None, Action::Open) {
            prop_assert!(near.len() <= 5);
        }
    }
}

#[test]
fn a_word_that_counts_at_one_place_of_a_name_and_not_at_another_may_be_said_at_both() {
    for name in ["Ä x1a", "Ä o 1 a", "a x 1 b"] {
        let house = named(&[(name.to_owned(), String::new())]);
        let found = resolve(&house, name, None, Action::On);
        assert!(matches!(found, Resolved::One(_)), "{name}: {found:?}");
    }
}

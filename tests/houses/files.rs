//! Houses' files: their rules, and that every file is tried.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::fixture::served::in_paused_time;
use super::model::House;
use super::moves::{self, Move};
use super::trial::failures;

/// A house that is in order.
fn house() -> Json {
    json!({
        "about": "a house to spoil",
        "devices": [
            { "id": 2, "kind": "switch", "name": "Kettle", "room": "Kitchen" },
            { "id": 3, "kind": "strip", "name": "Strip", "endpoints": ["Left", "Right"] },
            { "id": 1, "kind": "scene", "name": "Tea", "members": [2] },
            { "id": 4096, "kind": "group", "name": "All of it", "members": [2, 3] },
        ],
        "cases": [
            { "say": "kettle", "action": "on", "moves": [2], "why": "step 1" },
        ],
    })
}

/// The fault that is told of that house with something put in at a place.
fn fault(place: &str, field: &str, what: Json) -> String {
    let mut house = house();
    house.pointer_mut(place).unwrap()[field] = what;
    House::read(&house.to_string()).err().unwrap_or_default()
}

#[test]
fn every_file_is_a_house_that_is_tried() {
    let files: BTreeSet<String> = std::fs::read_dir(super::folder())
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "README.md")
        .collect();
    let tried: BTreeSet<String> = super::HOUSES.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(files, tried, "the list in tests/houses/main.rs");
}

#[test]
fn a_slip_in_a_file_is_told() {
    assert_eq!(fault("", "about", json!("in order")), "");
    let (case, switch, strip, scene) = ("/cases/0", "/devices/0", "/devices/1", "/devices/2");
    for (place, field, what, slip) in [
        ("", "optoins", json!([]), "unknown field `optoins`"),
        (case, "wy", json!("step 1"), "unknown field `wy`"),
        (switch, "rom", json!("x"), "unknown field `rom`"),
        (switch, "kind", json!("swich"), "unknown variant `swich`"),
        (switch, "endpoints", json!(2), "endpoints does not fit"),
        (switch, "specific", json!(3), "specific does not fit"),
        (scene, "members", json!([]), "members does not fit"),
        (scene, "members", json!([7]), "the house has no 7"),
        (strip, "id", json!(2), "its id is another's"),
        (case, "why", json!(" "), "does not say why"),
        (case, "moves", json!([9]), "the house has no 9"),
        (case, "moves", json!(["3#3"]), "the house has no 3#3"),
        (
            case,
            "moves",
            json!(["scene 2"]),
            "the house has no scene 2",
        ),
        (case, "moves", json!(["scene1"]), "\"scene1\" is no node"),
        (case, "within", json!([2]), "needs moves, either"),
        (case, "moves", Json::Null, "needs moves, either"),
    ] {
        let fault = fault(place, field, what);
        assert!(fault.contains(slip), "{slip}: {fault:?}");
    }
}

#[test]
fn a_strip_is_its_outlets_and_a_group_its_members() {
    let house = House::read(&house().to_string()).unwrap();
    let leaves = |moves: &[Move]| moves::all(&house, moves);
    let parts = [Move::Part(3, 1), Move::Part(3, 2)];
    assert_eq!(leaves(&[Move::Node(3)]), BTreeSet::from(parts));
    let everything = leaves(&[Move::Node(2), parts[0], parts[1]]);
    assert_eq!(leaves(&[Move::Node(4096)]), everything);
}

/// The harness tells a lamp that moves from one that does not, by the gateway's writes.
#[test]
fn a_case_that_does_not_hold_is_told() {
    let mut wrong = house();
    wrong["options"] = json!(["--guard", "allow"]);
    wrong["cases"] = json!([
        { "say": "Kettle", "action": "on", "moves": [], "why": "it moves" },
        { "say": "Kettle", "action": "on", "within": [3], "why": "it is not within" },
        { "say": "Kettle", "action": "on", "either": [["3#1"], []], "why": "it is neither" },
        { "say": "Left", "action": "on", "moves": ["3#2"], "why": "it is the other" },
        { "say": "Strip", "action": "off", "moves": [2], "why": "it is the strip" },
        { "say": "Tea", "action": "on", "moves": [2], "why": "a scene is no write" },
        { "say": "Nothing", "action": "on", "moves": [2], "why": "nothing moves" },
        { "say": "Kettle", "action": "on", "moves": [2], "why": "it holds" },
        { "say": "All of it", "action": "off", "moves": [2, 3], "why": "it holds" },
        { "say": "Tea", "action": "on", "moves": ["scene 1"], "why": "it holds" },
    ]);
    let house = House::read(&wrong.to_string()).unwrap();
    let failures = in_paused_time(failures(&house));
    let heads: Vec<&str> = failures.iter().filter_map(|text| text.lines().next()).collect();
    assert_eq!(
        heads,
        [
            "- on \"Kettle\": 2 moved; nothing should",
            "- on \"Kettle\": 2 moved; 2 must not move",
            "- on \"Kettle\": 2 moved; 3#1 or nothing should",
            "- on \"Left\": 3#1 moved; 3#2 should",
            "- off \"Strip\": 3#1, 3#2 moved; 2 should",
            "- on \"Tea\": scene 1 moved; 2 should",
            "- on \"Nothing\": nothing moved; 2 should",
        ],
        "{failures:#?}"
    );
}

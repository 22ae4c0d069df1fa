//! Tests of the house files. Every file is tried. A mistake in a file is reported, and so is a case that does
//! not hold.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::fixture::served::run_on_paused_clock;
use super::model::House;
use super::moves::{self, Move};
use super::trial::find_failures;

/// Builds a house file without mistakes.
fn build_house() -> Json {
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

/// Sets a field in the file of `build_house` and reads the file. Returns the error, or an empty text.
fn set_and_read(place: &str, field: &str, content: Json) -> String {
    let mut house = build_house();
    house.pointer_mut(place).unwrap()[field] = content;
    House::read(&house.to_string()).err().unwrap_or_default()
}

#[test]
fn every_house_file_is_tried() {
    let files: BTreeSet<String> = std::fs::read_dir(super::folder())
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "README.md")
        .collect();
    let tried: BTreeSet<String> = super::HOUSES.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(files, tried, "tests/houses/main.rs must list every file");
}

#[test]
fn a_mistake_in_a_file_is_reported() {
    assert_eq!(set_and_read("", "about", json!("in order")), "");
    let (case, switch, strip, scene) = ("/cases/0", "/devices/0", "/devices/1", "/devices/2");
    for (place, field, content, mistake) in [
        ("", "optoins", json!([]), "unknown field `optoins`"),
        (case, "wy", json!("step 1"), "unknown field `wy`"),
        (switch, "rom", json!("x"), "unknown field `rom`"),
        (switch, "kind", json!("swich"), "unknown variant `swich`"),
        (
            switch,
            "product",
            json!({ "label": "ZEN16" }),
            "unknown field `label`",
        ),
        (switch, "endpoints", json!(2), "`endpoints` does not fit"),
        (switch, "specific", json!(3), "`specific` does not fit"),
        (scene, "members", json!([]), "`members` does not fit"),
        (scene, "members", json!([7]), "7 is not in the house"),
        (strip, "id", json!(2), "another entry has this id"),
        (case, "why", json!(" "), "does not say why"),
        (case, "moves", json!([9]), "9 is not in the house"),
        (case, "moves", json!(["3#3"]), "3#3 is not in the house"),
        (
            case,
            "moves",
            json!(["scene 2"]),
            "scene 2 is not in the house",
        ),
        (case, "moves", json!(["scene1"]), "\"scene1\" is no node"),
        (case, "within", json!([2]), "needs exactly one of `moves`"),
        (case, "moves", Json::Null, "needs exactly one of `moves`"),
    ] {
        let error = set_and_read(place, field, content);
        assert!(error.contains(mistake), "{mistake}: {error:?}");
    }
}

#[test]
fn a_strip_is_expanded_into_its_outlets_and_a_group_into_its_members() {
    let house = House::read(&build_house().to_string()).unwrap();
    let expand = |moves: &[Move]| moves::expand_all(&house, moves);
    let parts = [Move::Part(3, 1), Move::Part(3, 2)];
    assert_eq!(expand(&[Move::Node(3)]), BTreeSet::from(parts));
    let everything = expand(&[Move::Node(2), parts[0], parts[1]]);
    assert_eq!(expand(&[Move::Node(4096)]), everything);
}

/// Tests the test code itself: `find_failures` reports every case that does not hold. Here, `why` says why a
/// case does not hold.
#[test]
fn a_case_that_does_not_hold_is_reported() {
    let mut file = build_house();
    file["options"] = json!(["--guard", "allow"]);
    file["cases"] = json!([
        { "say": "Kettle", "action": "on", "moves": [], "why": "the kettle moves" },
        { "say": "Kettle", "action": "on", "within": [3], "why": "the kettle is not in the list" },
        { "say": "Kettle", "action": "on", "either": [["3#1"], []], "why": "the kettle is in neither list" },
        { "say": "Left", "action": "on", "moves": ["3#2"], "why": "the other outlet moves" },
        { "say": "Strip", "action": "off", "moves": [2], "why": "the strip moves" },
        { "say": "Tea", "action": "on", "moves": [2], "why": "the scene moves, not its member" },
        { "say": "Nothing", "action": "on", "moves": [2], "why": "nothing moves" },
        { "say": "Kettle", "action": "on", "moves": [2], "why": "it holds" },
        { "say": "All of it", "action": "off", "moves": [2, 3], "why": "it holds" },
        { "say": "Tea", "action": "on", "moves": ["scene 1"], "why": "it holds" },
    ]);
    let house = House::read(&file.to_string()).unwrap();
    let failures = run_on_paused_clock(find_failures(&house));
    let first_lines: Vec<&str> = failures.iter().filter_map(|text| text.lines().next()).collect();
    assert_eq!(
        first_lines,
        [
            "- on \"Kettle\": moved 2; should move nothing",
            "- on \"Kettle\": moved 2; must not move 2",
            "- on \"Kettle\": moved 2; should move 3#1 or nothing",
            "- on \"Left\": moved 3#1; should move 3#2",
            "- off \"Strip\": moved 3#1, 3#2; should move 2",
            "- on \"Tea\": moved scene 1; should move 2",
            "- on \"Nothing\": moved nothing; should move 2",
        ],
        "{failures:#?}"
    );
}

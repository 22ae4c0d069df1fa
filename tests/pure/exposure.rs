//! A hidden device is not part of the house, and neither is a scene or power strip that would operate it.

use std::collections::BTreeMap;

use proptest::prelude::*;
use zwave_mcp_server::home::device::Device;
use zwave_mcp_server::home::exposure::Exposure;
use zwave_mcp_server::home::house::House;
use zwave_mcp_server::home::model::ids::{CommandClass, NodeId, SceneId, ValueId};
use zwave_mcp_server::home::model::snapshot::{Scene, Snapshot};
use zwave_mcp_server::home::model::value::{Reading, Write};
use zwave_mcp_server::home::pattern::Pattern;

use crate::houses::{captured_snapshot, house_of};

fn parse_patterns(texts: &[&str]) -> Vec<Pattern> {
    texts
        .iter()
        .map(|text| Pattern::read(text).unwrap_or_else(|| panic!("{text}")))
        .collect()
}

/// Builds the captured house with a scene that writes to a lamp and to the front door's lock.
fn build_snapshot() -> Snapshot {
    let mut snapshot = captured_snapshot();
    let write = |node: u16, class: CommandClass, value: f64| {
        let target = ValueId::new(class, 0, "targetValue");
        let value = Reading::Number(value);
        (NodeId(node), Write { target, value })
    };
    let goodnight = Scene {
        label: "Goodnight".to_owned(),
        writes: vec![
            write(3, CommandClass::BINARY_SWITCH, 0.0),
            write(12, CommandClass::DOOR_LOCK, 255.0),
        ],
    };
    snapshot.scenes = BTreeMap::from([(SceneId(1), goodnight)]);
    snapshot
}

/// Returns the room and name of each device that is visible with these patterns.
fn list_visible(expose: &[&str], hide: &[&str]) -> Vec<String> {
    let exposure = Exposure {
        expose: parse_patterns(expose),
        hide: parse_patterns(hide),
        ..Exposure::default()
    };
    let house = House::exposing(exposure, vec![build_snapshot()]);
    house.devices().iter().map(Device::with_room).collect()
}

/// Returns the room and name of each device that these patterns hide.
fn list_hidden(hide: &[&str]) -> Vec<String> {
    let visible = list_visible(&[], hide);
    let mut hidden = list_visible(&[], &[]);
    hidden.retain(|name| !visible.contains(name));
    hidden
}

#[test]
fn the_letter_case_of_a_kind_is_ignored_and_a_name_that_matches_nothing_is_reported() {
    for text in ["kind:lock", "Kind:lock", "KIND: Locks"] {
        assert_eq!(list_hidden(&[text]), list_hidden(&["kind:lock"]), "{text}");
    }
    let exposure = Exposure {
        expose: parse_patterns(&["*"]),
        hide: parse_patterns(&["Frunt Door", "kind:gate", "kitchen", "entrance/front door"]),
        ..Exposure::default()
    };
    let house = House::exposing(exposure, vec![build_snapshot()]);
    assert_eq!(house.unmatched_patterns(), ["Frunt Door"]);
}

#[test]
fn a_pattern_matches_by_room_by_name_or_by_both() {
    assert_eq!(list_visible(&["kitchen"], &[]), ["Kitchen Dimmer"]);
    assert_eq!(
        list_visible(&["Living Room/lamp*"], &[]),
        ["Living Room Lamp", "Living Room Lamp Corner"]
    );
    assert_eq!(list_visible(&["lamp"], &[]), ["Living Room Lamp"]);
    assert_eq!(
        list_visible(&["*/ceiling"], &["bedroom"]),
        ["Office Ceiling"]
    );
    assert_eq!(
        list_visible(&["Blind/East"], &[]),
        ["Living Room Blind/East"]
    );
    assert_eq!(
        list_visible(&["kids room"], &[]),
        ["Kid's Room Björn's Lämp 🌈"]
    );
    assert_eq!(list_hidden(&["Garage/*"]), ["Garage Garage Door"]);
    assert_eq!(
        list_visible(&["*"], &["*"]),
        Vec::<String>::new(),
        "hide wins"
    );
}

#[test]
fn scenes_and_strips_that_would_operate_a_hidden_device_are_hidden_too() {
    assert_eq!(
        list_hidden(&["kind:lock"]),
        ["Entrance Front Door", "Goodnight"]
    );
    assert_eq!(
        list_hidden(&["power strip left outlet"]),
        ["Office Power Strip", "Office Power Strip Left Outlet"]
    );
    let strip = list_hidden(&["Office/Power Strip"]);
    assert_eq!(strip.len(), 4, "the strip and its outlets: {strip:?}");
    assert_eq!(
        list_visible(&["power strip usb"], &[]),
        ["Office Power Strip USB"],
        "a write to the whole strip would switch the hidden outlets"
    );
}

#[test]
fn a_node_without_values_is_hidden_if_it_may_be_of_a_hidden_kind() {
    let mut snapshot = captured_snapshot();
    if let Some(node) = snapshot.node_mut(NodeId(12)) {
        node.values.clear();
        node.classes = Box::default();
    }
    let exposure = Exposure {
        hide: parse_patterns(&["kind:lock"]),
        ..Exposure::default()
    };
    let house = House::exposing(exposure, vec![snapshot]);
    assert!(house.devices().iter().all(|device| device.name.text != "Front Door"));
}

#[test]
fn a_pattern_without_a_name_or_a_known_kind_is_rejected() {
    for text in ["", "  ", "kind:", "kind:spaceship"] {
        assert_eq!(Pattern::read(text), None, "{text:?}");
    }
}

proptest! {
    #[test]
    fn a_pattern_hides_every_device_that_it_would_expose(
        text in "\\PC{1,12}|[a-z*/ ]{1,12}|kind:[a-z ]{1,8}",
    ) {
        let Some(pattern) = Pattern::read(&text) else { return Ok(()); };
        let exposing = Exposure { expose: vec![pattern.clone()], ..Exposure::default() };
        let hiding = Exposure { hide: vec![pattern], ..Exposure::default() };
        let house = house_of(vec![build_snapshot()]);
        let exposed = House::exposing(exposing, vec![build_snapshot()]);
        let remaining = House::exposing(hiding, vec![build_snapshot()]);
        let has = |house: &House, id| house.device(id).is_some();
        for device in house.devices() {
            let is_in_both = has(&exposed, &device.id) && has(&remaining, &device.id);
            prop_assert!(!is_in_both, "{:?}", device.name);
        }
    }
}

#[test]
fn a_device_is_hidden_by_its_whole_name_however_long_it_is() {
    let long = "The lamp that grandmother brought from Vienna and that nobody may touch, ever";
    let room = "The room behind the second door of the corridor on the upper floor, left";
    let is_visible_despite = |pattern: &str| {
        let mut snapshot = captured_snapshot();
        let node = snapshot.node_mut(NodeId(3)).unwrap();
        node.name = long.into();
        node.room = room.into();
        let exposure = Exposure {
            expose: Vec::new(),
            hide: parse_patterns(&[pattern]),
            ..Exposure::default()
        };
        let house = House::exposing(exposure, vec![snapshot]);
        house.devices().iter().any(|device| device.id.node() == Some(NodeId(3)))
    };
    let shown = long.chars().take(59).collect::<String>() + "…";
    for pattern in [
        long,
        &shown,
        room,
        &format!("{room}/{long}"),
        "*grandmother*ever",
    ] {
        assert!(!is_visible_despite(pattern), "{pattern}");
    }
    assert!(is_visible_despite("The lamp that grandmother brought"));
}

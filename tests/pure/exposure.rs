//! Hidden devices do not exist: none is left, and nothing that would move one.

use std::collections::BTreeMap;

use proptest::prelude::*;
use zwave_mcp_server::home::device::Device;
use zwave_mcp_server::home::exposure::Exposure;
use zwave_mcp_server::home::house::House;
use zwave_mcp_server::home::model::ids::{CommandClass, NodeId, SceneId, ValueId};
use zwave_mcp_server::home::model::snapshot::{Scene, Snapshot};
use zwave_mcp_server::home::model::value::{Reading, Write};
use zwave_mcp_server::home::pattern::Pattern;

use crate::houses::captured_snapshot;

fn patterns(texts: &[&str]) -> Vec<Pattern> {
    texts
        .iter()
        .map(|text| Pattern::read(text).unwrap_or_else(|| panic!("{text}")))
        .collect()
}

/// The captured house with a scene of the lamp and the front door, and a group of two lamps.
fn site() -> Snapshot {
    let mut site = captured_snapshot();
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
    site.scenes = BTreeMap::from([(SceneId(1), goodnight)]);
    site
}

/// The devices that may be seen, by room and name.
fn seen(expose: &[&str], hide: &[&str]) -> Vec<String> {
    let exposure = Exposure {
        expose: patterns(expose),
        hide: patterns(hide),
        ..Exposure::default()
    };
    let house = House::exposing(exposure, vec![site()]);
    house.devices().iter().map(Device::with_room).collect()
}

fn gone(hide: &[&str]) -> Vec<String> {
    let left = seen(&[], hide);
    let mut all = seen(&[], &[]);
    all.retain(|name| !left.contains(name));
    all
}

#[test]
fn kind_may_be_written_in_any_case_and_a_slip_is_found() {
    for text in ["kind:lock", "Kind:lock", "KIND: Locks"] {
        assert_eq!(gone(&[text]), gone(&["kind:lock"]), "{text}");
    }
    let exposure = Exposure {
        expose: patterns(&["*"]),
        hide: patterns(&["Frunt Door", "kind:gate", "kitchen", "entrance/front door"]),
        ..Exposure::default()
    };
    let house = House::exposing(exposure, vec![site()]);
    assert_eq!(house.unmatched_patterns(), ["Frunt Door"]);
}

#[test]
fn a_room_a_name_both_or_a_kind_is_exposed_or_hidden() {
    assert_eq!(seen(&["kitchen"], &[]), ["Kitchen Dimmer"]);
    assert_eq!(
        seen(&["Living Room/lamp*"], &[]),
        ["Living Room Lamp", "Living Room Lamp Corner"]
    );
    assert_eq!(seen(&["lamp"], &[]), ["Living Room Lamp"]);
    assert_eq!(seen(&["*/ceiling"], &["bedroom"]), ["Office Ceiling"]);
    assert_eq!(seen(&["Blind/East"], &[]), ["Living Room Blind/East"]);
    assert_eq!(seen(&["kids room"], &[]), ["Kid's Room Björn's Lämp 🌈"]);
    assert_eq!(gone(&["Garage/*"]), ["Garage Garage Door"]);
    assert_eq!(seen(&["*"], &["*"]), Vec::<String>::new(), "hide wins");
}

#[test]
fn what_would_move_a_hidden_device_is_hidden_with_it() {
    assert_eq!(gone(&["kind:lock"]), ["Entrance Front Door", "Goodnight"]);
    assert_eq!(
        gone(&["power strip left outlet"]),
        ["Office Power Strip", "Office Power Strip Left Outlet"]
    );
    let strip = gone(&["Office/Power Strip"]);
    assert_eq!(strip.len(), 4, "the strip and its outlets: {strip:?}");
    assert_eq!(
        seen(&["power strip usb"], &[]),
        ["Office Power Strip USB"],
        "the whole strip would move the others"
    );
}

#[test]
fn a_node_that_was_never_read_may_be_of_any_hidden_kind() {
    let mut site = captured_snapshot();
    if let Some(node) = site.node_mut(NodeId(12)) {
        node.values.clear();
        node.classes = Box::default();
    }
    let exposure = Exposure {
        hide: patterns(&["kind:lock"]),
        ..Exposure::default()
    };
    let house = House::exposing(exposure, vec![site]);
    assert!(house.devices().iter().all(|device| device.name.text != "Front Door"));
}

#[test]
fn a_pattern_that_says_nothing_is_none() {
    for text in ["", "  ", "kind:", "kind:spaceship"] {
        assert_eq!(Pattern::read(text), None, "{text:?}");
    }
}

proptest! {
    /// An exposed device is one of the house's, and a hidden one is never seen.
    #[test]
    fn any_pattern_can_be_given(text in "\\PC{1,12}|[a-z*/ ]{1,12}|kind:[a-z ]{1,8}") {
        let Some(pattern) = Pattern::read(&text) else { return Ok(()); };
        let only = Exposure { expose: vec![pattern.clone()], ..Exposure::default() };
        let without = Exposure { hide: vec![pattern], ..Exposure::default() };
        let all = House::new(vec![site()]);
        let seen = House::exposing(only, vec![site()]);
        let left = House::exposing(without, vec![site()]);
        let has = |house: &House, id| house.device(id).is_some();
        for device in all.devices() {
            prop_assert!(!(has(&seen, &device.id) && has(&left, &device.id)), "{:?}", device.name);
        }
    }
}

#[test]
fn a_device_is_hidden_by_its_whole_name_however_long_it_is() {
    let long = "The lamp that grandmother brought from Vienna and that nobody may touch, ever";
    let room = "The room behind the second door of the corridor on the upper floor, left";
    let site = |pattern: &str| {
        let mut site = captured_snapshot();
        let node = site.node_mut(NodeId(3)).unwrap();
        node.name = long.into();
        node.room = room.into();
        let exposure = Exposure {
            expose: Vec::new(),
            hide: patterns(&[pattern]),
            ..Exposure::default()
        };
        let house = House::exposing(exposure, vec![site]);
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
        assert!(!site(pattern), "{pattern}");
    }
    assert!(site("The lamp that grandmother brought"));
}

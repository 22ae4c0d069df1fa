//! A name names exactly one device, or a set that was plainly asked for, or nothing.

use proptest::prelude::*;
use zwave_mcp_server::home::category::Category;
use zwave_mcp_server::home::house::House;
use zwave_mcp_server::home::intent::Action;
use zwave_mcp_server::home::letters::squashed;
use zwave_mcp_server::home::names::{Resolved, resolve};

use crate::houses::{captured, named};

/// What a name resolves to, in words.
fn told(house: &House, said: &str) -> String {
    told_in(house, said, None)
}

/// The same, with a room said beside it.
fn told_in(house: &House, said: &str, room: Option<&str>) -> String {
    match resolve(house, said, room, Action::On) {
        Resolved::One(device) => device.with_room(),
        Resolved::Tie(devices) => {
            let names: Vec<String> = devices.iter().map(|device| device.with_room()).collect();
            format!("tie: {}", names.join(" | "))
        }
        Resolved::Set(set) => {
            let names: Vec<String> = set.members.iter().map(|one| one.with_room()).collect();
            format!("set: {}", names.join(" | "))
        }
        Resolved::Room(room, _) => format!("room: {room}"),
        Resolved::NoRoom => "no such room".to_owned(),
        Resolved::Miss(near) => {
            let names: Vec<String> = near.iter().map(|device| device.with_room()).collect();
            format!("miss: {}", names.join(" | "))
        }
    }
}

#[test]
fn a_room_beside_the_name_is_where_it_has_to_be() {
    let house = captured();
    for (said, room, meant) in [
        ("ceiling", "office", "Office Ceiling"),
        ("ceiling", "the Office", "Office Ceiling"),
        ("ceiling", "living", "no such room"),
        ("Dimmer", "Kitchen", "Kitchen Dimmer"),
        ("kitchen dimmer", "kitchen", "Kitchen Dimmer"),
        ("lamp", "office", "Office Ceiling"),
        ("dimmer", "garage", "miss: Kitchen Dimmer"),
        ("kitchen", "kitchen", "room: Kitchen"),
        ("everything", "garage", "set: Garage Garage Door"),
    ] {
        let told = told_in(&house, said, Some(room));
        if let Some(miss) = meant.strip_prefix("miss: ") {
            assert!(told.starts_with("miss: "), "{said} in {room}: {told}");
            for name in miss.split(" | ") {
                assert!(told.contains(name), "{said} in {room}: {told}");
            }
        } else {
            assert_eq!(told, meant, "{said} in {room}");
        }
    }
    let Resolved::Set(set) = resolve(&house, "lights", Some("kitchen"), Action::On) else {
        panic!("no set");
    };
    assert_eq!(
        set.room.as_deref(),
        Some("Kitchen"),
        "the answer says where"
    );
}

#[test]
fn several_of_what_names_say_are_a_set_in_each_language() {
    for (names, said, meant) in [
        (
            "TV left|TV right|TV Lamp",
            "tvs",
            "set: x TV left | x TV right",
        ),
        (
            "Lamp|Bed Clock|Wall Clock",
            "clocks",
            "set: x Bed Clock | x Wall Clock",
        ),
        (
            "Télé|Télé chambre|Lampe",
            "les télés",
            "set: x Télé | x Télé chambre",
        ),
        ("Tele 1|Tele 2|Luz", "las teles", "set: x Tele 1 | x Tele 2"),
        (
            "Televisore 1|Televisore 2",
            "i televisori",
            "set: x Televisore 1 | x Televisore 2",
        ),
        (
            "Nachtlamp 1|Nachtlamp 2|Lamp",
            "de nachtlampen",
            "set: x Nachtlamp 1 | x Nachtlamp 2",
        ),
        (
            "Tuinpomp 1|Tuinpomp 2|Pomp",
            "alle tuinpompen",
            "set: x Tuinpomp 1 | x Tuinpomp 2",
        ),
        (
            "Lüfter|Badlüfter 1|Badlüfter 2",
            "alle Badlüfter",
            "set: x Badlüfter 1 | x Badlüfter 2",
        ),
        (
            "Badlüfter 1|Badlüfter 2",
            "Badlüfter",
            "tie: x Badlüfter 1 | x Badlüfter 2",
        ),
    ] {
        let names = names.split('|').map(|name| (name.into(), "x".into()));
        assert_eq!(
            told(&named(&names.collect::<Vec<_>>()), said),
            meant,
            "{said}"
        );
    }
}

#[test]
fn a_number_alone_names_nothing_but_what_is_called_so() {
    let house = captured();
    assert!(told(&house, "2").starts_with("miss"));
    assert!(told(&house, "21").starts_with("miss"));
    assert_eq!(told(&house, "node 21"), "Node 21");
    let named = named(&[("Blind 5".into(), "x".into()), ("7".into(), "x".into())]);
    assert!(told(&named, "5").starts_with("miss"));
    assert_eq!(told(&named, "7"), "x 7");
}

#[test]
fn names_of_the_captured_house_are_understood_as_people_say_them() {
    let house = captured();
    for (said, meant) in [
        ("Lamp", "Living Room Lamp"),
        ("lamp", "Living Room Lamp"),
        ("the lamp please", "Living Room Lamp"),
        ("Lamp Corner", "Living Room Lamp Corner"),
        ("corner lamp", "Living Room Lamp Corner"),
        ("corner", "Living Room Lamp Corner"),
        ("living room lamp", "Living Room Lamp"),
        ("lamp in the living room", "Living Room Lamp"),
        ("switch_one", "Demo Switch One"),
        ("SwitchOne", "Demo Switch One"),
        ("office ceiling", "Office Ceiling"),
        ("ceiling in the office", "Office Ceiling"),
        ("the ceiling of my office", "Office Ceiling"),
        ("bjorns lamp", "Kid's Room Björn's Lämp 🌈"),
        ("Björn's Lämp 🌈", "Kid's Room Björn's Lämp 🌈"),
        ("kids room lamp", "Kid's Room Björn's Lämp 🌈"),
        ("blind east", "Living Room Blind/East"),
        ("kitchen dimmer", "Kitchen Dimmer"),
        ("node 21", "Node 21"),
        ("nodeID_21", "Node 21"),
        ("washer", "Laundry Washer Plug"),
        ("power strip", "Office Power Strip"),
        ("power strip usb", "Office Power Strip USB"),
        ("power strip 3", "Office Power Strip USB"),
        ("left outlet", "Office Power Strip Left Outlet"),
        ("garage door", "Garage Garage Door"),
        ("fan", "Fan"),
        ("office ceiling light", "Office Ceiling"),
        ("livingroom lamp", "Living Room Lamp"),
        ("lamp livingroom", "Living Room Lamp"),
        ("kitchen dimmer light", "Kitchen Dimmer"),
        ("kitchen light", "Kitchen Dimmer"),
    ] {
        assert_eq!(told(&house, said), meant, "{said}");
    }
    for said in ["office ceiling heater", "lamp 5", "ceiling light"] {
        let told = told(&house, said);
        assert!(
            told.starts_with("miss") || told.starts_with("tie"),
            "{said}: {told}"
        );
    }
}

#[test]
fn what_several_could_be_meant_by_is_a_tie() {
    let house = captured();
    for (said, tie) in [
        ("ceiling", "tie: Bedroom Ceiling | Office Ceiling"),
        ("CEILING", "tie: Bedroom Ceiling | Office Ceiling"),
        (
            "plug",
            "tie: Basement Dead Plug | Laundry Washer Plug | Office Power Strip Left Outlet | \
             Office Power Strip Right Outlet | Office Power Strip USB",
        ),
        (
            "outlet",
            "tie: Basement Dead Plug | Laundry Washer Plug | Office Power Strip Left Outlet | \
             Office Power Strip Right Outlet | Office Power Strip USB",
        ),
    ] {
        assert_eq!(told(&house, said), tie, "{said}");
    }
}

#[test]
fn a_room_alone_names_nothing() {
    let house = captured();
    assert_eq!(told(&house, "kitchen"), "room: Kitchen");
    assert_eq!(told(&house, "the living room"), "room: Living Room");
    assert_eq!(told(&house, "kids room"), "room: Kid's Room");
}

#[test]
fn a_miss_answers_with_at_most_five_near_names_and_acts_on_none() {
    let house = captured();
    assert_eq!(told(&house, "lmap"), "miss: Living Room Lamp");
    assert_eq!(
        told(&house, "bedroom lamp"),
        "Bedroom Ceiling",
        "the light there"
    );
    assert_eq!(
        told(&house, "lamp kitchen"),
        "Kitchen Dimmer",
        "the light there"
    );
    assert!(told(&house, "dining room lamp").starts_with("miss: "));
    assert_eq!(told(&house, "lamps corner"), "tie: Living Room Lamp Corner");
    assert_eq!(told(&house, "xyzzy"), "miss: ");
    assert_eq!(told(&house, ""), "miss: ");
    assert_eq!(told(&house, "the"), "miss: ");
    let near = told(&house, "switch two");
    assert!(near.matches(" | ").count() < 5, "{near}");
}

#[test]
fn a_set_needs_all_every_everything_or_a_plural() {
    let house = captured();
    let lights = "set: Bedroom Ceiling | Kid's Room Björn's Lämp 🌈 | Kitchen Dimmer | \
                  Living Room Lamp | Living Room Lamp Corner | Office Ceiling";
    for said in [
        "all lights",
        "lights",
        "every light",
        "all the lights",
        "the lights",
    ] {
        assert_eq!(told(&house, said), lights, "{said}");
    }
    assert_eq!(told(&house, "kitchen lights"), "set: Kitchen Dimmer");
    assert_eq!(
        told(&house, "all lamps in the living room"),
        "set: Living Room Lamp | Living Room Lamp Corner"
    );
    assert_eq!(
        told(&house, "everything in the kitchen"),
        "set: Kitchen Dimmer"
    );
    assert_eq!(told(&house, "all sirens"), "set: Hall Siren");
    assert_eq!(told(&house, "fans"), "set: Fan");
    assert_eq!(told(&house, "lights in the hall"), "set: ");
    assert!(!told(&house, "light").starts_with("set"));
    assert!(!told(&house, "kitchen light").starts_with("set"));
    assert!(!told(&house, "everything in the sauna").starts_with("set"));
    assert!(!told(&house, "all off").starts_with("set"));
}

#[test]
fn what_keeps_a_house_going_is_not_meant_by_a_word_for_its_kind() {
    let names = [("Freezer Plug", "Garage"), ("Work Light", "Garage")];
    let house = named(&names.map(|(name, room)| (name.to_owned(), room.to_owned())));
    for said in ["garage switch", "the switch in the garage", "switch"] {
        assert!(told(&house, said).starts_with("miss"), "{said}");
    }
    for said in ["freezer", "the plug of the freezer", "plug"] {
        assert_eq!(told(&house, said), "Garage Freezer Plug", "{said}");
    }
}

#[test]
fn a_strip_is_in_a_set_where_its_outlets_are_not() {
    let house = captured();
    assert_eq!(
        told(&house, "switches in the office"),
        "set: Office Power Strip"
    );
    assert!(!told(&house, "all outlets").contains("Office Power Strip |"));
    assert!(told(&house, "plugs").contains("Laundry Washer Plug"));
}

#[test]
fn everything_is_no_single_device_that_is_called_so_in_part() {
    let names = [
        ("Floor Lamp", ""),
        ("Left Outlet", ""),
        ("Kitchen Light", ""),
        ("Christmas Tree", ""),
        ("Christmas Star", ""),
    ];
    let house = named(&names.map(|(name, room)| (name.to_owned(), room.to_owned())));
    for said in [
        "everything on the floor",
        "everything left",
        "all devices left",
        "the outlets left",
        "all outlets, right",
    ] {
        assert!(!told(&house, said).starts_with("set"), "{said}");
    }
    for (said, set) in [
        ("everything in the kitchen", "set: Kitchen Light"),
        ("everything left outlet", "set: Left Outlet"),
        (
            "everything christmas",
            "set: Christmas Star | Christmas Tree",
        ),
    ] {
        assert_eq!(told(&house, said), set, "{said}");
    }
}

#[test]
fn everything_in_a_room_that_is_called_like_a_kind_is_the_room() {
    let names = [
        ("Work Light", "Garage"),
        ("Freezer Plug", "Garage"),
        ("Garage Door", ""),
        ("Desk", "Lock"),
        ("Lock", "Hall"),
    ];
    let house = named(&names.map(|(name, room)| (name.to_owned(), room.to_owned())));
    let garage = "set: Garage Freezer Plug | Garage Work Light | Garage Door";
    for said in [
        "everything in the garage",
        "everything in Garage",
        "everything garage",
    ] {
        assert_eq!(told(&house, said), garage, "{said}");
    }
    assert_eq!(told(&house, "everything in the lock"), "set: Lock Desk");
    assert!(!told(&house, "everything in the gate").starts_with("set"));
    assert_eq!(
        told(&house, "all lights in the garage"),
        "set: Garage Work Light"
    );
}

#[test]
fn a_device_that_is_called_like_a_set_is_that_device() {
    let names = [
        ("Kitchen Lights", "Kitchen"),
        ("All Lights", ""),
        ("Spot", "Kitchen"),
    ];
    let names = names.map(|(name, room)| (name.to_owned(), room.to_owned()));
    let house = named(&names);
    assert_eq!(told(&house, "kitchen lights"), "Kitchen Kitchen Lights");
    assert_eq!(
        told(&house, "all lights"),
        "tie: All Lights | Kitchen Kitchen Lights",
        "the device, or every light"
    );
}

#[test]
fn two_of_one_name_in_one_room_are_told_apart_by_their_nodes() {
    let names = [("Lamp", "Hall"), ("Lamp", "Hall"), ("lamp!", "Attic")];
    let names = names.map(|(name, room)| (name.to_owned(), room.to_owned()));
    let house = named(&names);
    assert_eq!(
        told(&house, "hall lamp"),
        "tie: Hall Lamp (node 2) | Hall Lamp (node 3)"
    );
    assert_eq!(told(&house, "hall lamp node 3"), "Hall Lamp (node 3)");
    assert_eq!(told(&house, "Lamp (node 2)"), "Hall Lamp (node 2)");
    assert_eq!(told(&house, "attic lamp"), "Attic lamp!");
}

#[test]
fn a_device_called_lights_stays_out_of_what_its_name_denies() {
    let names = [
        ("Desk Lamp", "Office"),
        ("Ceiling Fan", "Office"),
        ("Pump", "Office"),
    ];
    let names = names.map(|(name, room)| (name.to_owned(), room.to_owned()));
    let house = named(&names);
    let held = |category: Category| -> Vec<&str> {
        let devices = house.devices().iter();
        let held = devices.filter(|device| device.categories.has(category));
        held.map(|device| device.name.text.as_str()).collect()
    };
    assert_eq!(held(Category::Lights), ["Desk Lamp"]);
    assert_eq!(held(Category::Fans), ["Ceiling Fan"]);
}

#[test]
fn a_letter_behind_a_number_counts_in_a_name_as_it_does_when_said() {
    let names = [
        "Lamp 2 A",
        "Lamp 2 A East",
        "0\u{e0} 0\u{e4}",
        "12A Heater 12\u{e4}",
    ];
    let house = named(&names.map(|name| (name.to_owned(), String::new())));
    for device in house.devices() {
        let said = &device.name.text;
        let found = resolve(&house, said, None, Action::On);
        assert_eq!(found, Resolved::One(device), "{said}");
    }
    assert!(matches!(
        resolve(&house, "lamp 2 b east", None, Action::On),
        Resolved::Miss(_)
    ));
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
                        || found.name.squashed == squashed(&said),
                    "{said:?} found {:?}", found.with_room()
                ),
                Resolved::Tie(found) => prop_assert!(found.len() > 1),
                // A name without words is found as it is written; one like a kind or room may ask.
                other => prop_assert!(
                    device.name.words.telling().count() < 3
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

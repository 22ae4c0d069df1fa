//! Doors on relays: with the default guard, a relay whose name says that it opens something never switches, and a
//! name that only looks so guards nothing. The names are in `fixtures/doors.json`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Value as Json, json};
use zwave_mcp_server::home::language::FILES;

use super::fixture::served::run_on_paused_clock;
use super::model::House;
use super::moves::Move;
use super::served::Served;

/// The names by their language.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Doors {
    guarded: BTreeMap<String, Vec<String>>,
    free: BTreeMap<String, Vec<String>>,
}

fn doors() -> Doors {
    serde_json::from_str(include_str!("../../fixtures/doors.json")).unwrap()
}

/// Returns the words for kinds of doors, gates and locks in the files of `src/home/words`, and the openers.
fn words_of_kinds() -> BTreeMap<String, Vec<String>> {
    let words_of = |file: &str| {
        let file: toml::Table = file.parse().unwrap();
        let kinds = ["doors", "garage_doors", "gates", "locks"];
        let lists = kinds.map(|kind| &file["kinds"][kind]).into_iter();
        let texts = lists
            .chain([&file["guard"]["openers"]])
            .flat_map(|list| list.as_array().unwrap());
        let words = texts.flat_map(|text| text.as_str().unwrap().split('/'));
        let code = file["sentence"]["code"].as_str().unwrap().to_owned();
        (code, words.map(str::to_owned).collect())
    };
    FILES.map(words_of).into()
}

/// Makes a house of relays. Each is in a zone of its own, with a number that is also the node's.
fn house_of_relays(names: &[String]) -> House {
    let relay = |(id, name): (u16, &String)| json!({ "id": id, "kind": "switch", "name": name, "room": format!("Zone {id}") });
    let devices: Vec<Json> = (2..).zip(names).map(relay).collect();
    read(json!({ "about": "relays", "devices": devices, "cases": [] }))
}

fn read(house: Json) -> House {
    House::read(&house.to_string()).unwrap()
}

#[test]
fn a_relay_with_a_word_for_a_door_never_switches() {
    assert_guarded(doors().guarded, &["on", "off", "toggle"]);
}

/// The guard has no list of its own that could lack a word for a kind.
#[test]
fn a_relay_with_any_word_for_a_kind_of_door_or_lock_never_switches() {
    assert_guarded(words_of_kinds(), &[]);
}

/// Checks that no action moves a relay with one of these names, and that "everything off" leaves all of them alone.
/// The actions take turns, because each call takes long in a house of many.
fn assert_guarded(names: BTreeMap<String, Vec<String>>, actions: &[&str]) {
    let mut failures = Vec::new();
    for (language, mut names) in names {
        names.push("Kettle".to_owned());
        let house = house_of_relays(&names);
        let kettle = house.devices.last().unwrap().id;
        run_on_paused_clock(async {
            let mut served = Served::start(&house).await;
            let doors = house.devices.iter().filter(|entry| entry.id != kettle);
            for (entry, action) in doors.zip(actions.iter().cycle()) {
                let said = format!("{} {}", entry.room, entry.name);
                let outcome = served.control(json!({ "deviceName": said, "action": action })).await;
                let is_guarded = outcome.answer.refusal.as_deref() == Some("guarded");
                if !is_guarded || !outcome.moved.is_empty() {
                    failures.push(format!(
                        "{language}: {action} {said}: {}",
                        outcome.answer.text
                    ));
                }
            }
            let everything = json!({ "deviceName": "everything", "action": "off" });
            let outcome = served.control(everything).await;
            if outcome.moved != BTreeSet::from([Move::Node(kettle)]) {
                failures.push(format!(
                    "{language}: everything off: {}",
                    outcome.answer.text
                ));
            }
        });
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn what_is_called_a_gate_never_moves_whatever_kind_of_relay_or_motor_it_is() {
    let kinds = [
        "switch",
        "dimmer",
        "fan",
        "cover",
        "shade",
        "window_covering",
        "valve",
        "siren",
    ];
    let named = kinds.iter().flat_map(|kind| ["Front Gate", "Hoftor"].map(|name| (kind, name)));
    let devices: Vec<Json> = (2..)
        .zip(named)
        .map(|(id, (kind, name))| json!({ "id": id, "kind": kind, "name": name, "room": format!("Zone {id}") }))
        .collect();
    let house = read(json!({ "about": "gates", "devices": devices, "cases": [] }));
    run_on_paused_clock(async {
        let mut served = Served::start(&house).await;
        for entry in &house.devices {
            let said = format!("{} {}", entry.room, entry.name);
            let mut is_guarded = false;
            for action in ["on", "open"] {
                let outcome = served.control(json!({ "deviceName": said, "action": action })).await;
                let kind = entry.kind;
                assert!(
                    outcome.moved.is_empty(),
                    "{kind:?}, {action} {said}: {}",
                    outcome.answer.text
                );
                is_guarded |= outcome.answer.refusal.as_deref() == Some("guarded");
            }
            assert!(is_guarded, "{:?}, {said}", entry.kind);
        }
    });
}

#[test]
fn a_relay_whose_name_only_looks_like_a_door_switches() {
    let mut failures = Vec::new();
    for (language, names) in doors().free {
        let house = house_of_relays(&names);
        run_on_paused_clock(async {
            let mut served = Served::start(&house).await;
            for entry in &house.devices {
                let said = format!("{} {}", entry.room, entry.name);
                let outcome = served.control(json!({ "deviceName": said, "action": "on" })).await;
                if outcome.moved != BTreeSet::from([Move::Node(entry.id)]) {
                    failures.push(format!("{language}: on {said}: {}", outcome.answer.text));
                }
            }
        });
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn what_only_looks_like_a_door_is_no_door_of_all_doors() {
    let mut names: Vec<String> = doors().free.into_values().flatten().collect();
    names.push("Front Door".to_owned());
    let mut house = house_of_relays(&names);
    let door = house.devices.last_mut().unwrap();
    door.kind = super::model::Kind::Lock;
    let door = Move::Node(door.id);
    let outcome = run_on_paused_clock(async {
        let mut served = Served::start(&house).await;
        served.control(json!({ "deviceName": "all doors", "action": "lock" })).await
    });
    assert_eq!(
        outcome.moved,
        BTreeSet::from([door]),
        "{}",
        outcome.answer.text
    );
    assert!(
        !outcome.answer.text.contains("Monitor"),
        "{}",
        outcome.answer.text
    );
}

/// Shades and relays that say "garage" or "gate" in a way that a list of words misses: by the owner's alias, by
/// letters of another alphabet, or by letters with spaces between.
#[test]
fn a_door_is_guarded_however_its_letters_are_written() {
    let aliases = [
        "garage shutter",
        "Garagenrollo",
        "Garage Rollo",
        "garage",
        "Gаte",
    ];
    let shades = [
        "Gаrage",
        "Gаrage Shutter",
        "G a r a g e",
        "Carpоrt Rollo",
        "G a t e",
    ];
    let mut devices: Vec<Json> = Vec::new();
    let mut lines = vec!["[aliases]".to_owned()];
    for (id, alias) in (2..).zip(aliases) {
        devices.push(
            json!({ "id": id, "kind": "cover", "name": format!("Shade{id}"), "room": "Annex" }),
        );
        lines.push(format!("\"{alias}\" = \"Annex/Shade{id}\""));
    }
    for (id, shade) in (20..).zip(shades) {
        devices.push(json!({ "id": id, "kind": "cover", "name": shade, "room": "Annex" }));
    }
    let relays = [
        ("Relay", "Gаte"),
        ("Switch", "G a t e"),
        ("Relay 2", "Gаrage"),
        ("Shutter", "Cаrport"),
    ];
    for (id, (name, room)) in (30..).zip(relays) {
        let kind = if name == "Shutter" { "cover" } else { "switch" };
        devices.push(json!({ "id": id, "kind": kind, "name": name, "room": room }));
    }
    let house =
        read(json!({ "about": "letters", "names": lines, "devices": devices, "cases": [] }));
    let mut failures = Vec::new();
    run_on_paused_clock(async {
        let mut served = Served::start(&house).await;
        for entry in &house.devices {
            let said = format!("{} {}", entry.room, entry.name);
            let opens = match entry.kind {
                super::model::Kind::Cover => json!({ "deviceName": said, "action": "open" }),
                _ => json!({ "deviceName": said, "action": "on" }),
            };
            let outcome = served.control(opens).await;
            if outcome.answer.refusal.as_deref() != Some("guarded") || !outcome.moved.is_empty() {
                failures.push(format!("{said}: {}", outcome.answer.text));
            }
        }
    });
    assert!(failures.is_empty(), "{failures:#?}");
}

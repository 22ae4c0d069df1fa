//! Answers where nothing moves: they invite no call that is refused, and tell two devices apart.

use serde_json::{Value as Json, json};

use super::fixture::served::in_paused_time;
use super::model::House;
use super::moves::Move;
use super::served::Served;
use super::trial::read;

/// Makes calls one after the other, none of which may move anything, and returns what is answered.
fn answers(house: &House, calls: &[Json]) -> Vec<String> {
    in_paused_time(async {
        let mut served = Served::start(house).await;
        let mut answers = Vec::new();
        for call in calls {
            let outcome = served.control(call.clone()).await;
            assert!(outcome.moved.is_empty(), "{call}: {:?}", outcome.moved);
            assert!(outcome.answer.is_error, "{call}: {}", outcome.answer.text);
            answers.push(outcome.answer.text);
        }
        answers
    })
}

fn house(options: &[&str], devices: Json) -> House {
    let house = json!({ "about": "a few", "options": options, "devices": devices, "cases": [] });
    House::read(&house.to_string()).unwrap()
}

fn call(device: &str, action: &str, more: Json) -> Json {
    let mut call = json!({ "deviceName": device, "action": action });
    for (name, argument) in more.as_object().unwrap() {
        call[name] = argument.clone();
    }
    call
}

#[test]
fn a_question_tells_apart_what_is_called_like_another_s_tag() {
    let asked = |said| call(said, "on", json!({}));
    let said = ["Kettle (node 17)", "Node 13", "Node 14", "Party (scene 3)"];
    let answers = answers(&read("namesakes.json"), &said.map(asked));
    for (answer, both) in answers.iter().zip([
        ["Kitchen Kettle", "Kitchen Kettle (node 17) (node 5)"],
        ["Hall Node 13 (node 6)", "Hall Node 13 (node 13)"],
        ["Study Node 14 (node 7)", "Attic Printer"],
        ["Study Party (scene 3) (node 8)", "Party"],
    ]) {
        let question = answer.strip_prefix("Which one: ").unwrap();
        let question = question.strip_suffix("? Nothing was done.").unwrap();
        let mut asked: Vec<&str> = question.split(" or ").collect();
        let mut both = both.to_vec();
        asked.sort_unstable();
        both.sort_unstable();
        assert_eq!(asked, both, "{answer}");
    }
}

/// A strange word before a set is named, and the set without it is offered; sent back, it is just the
/// devices that were named.
#[test]
fn a_miss_names_the_set_that_could_have_been_meant() {
    let house = house(
        &[],
        json!([
            { "id": 2, "kind": "dimmer", "name": "Ceiling", "room": "Kitchen" },
            { "id": 3, "kind": "switch", "name": "Counter Lamp", "room": "Kitchen" },
            { "id": 4, "kind": "dimmer", "name": "Ceiling", "room": "Hall" },
            { "id": 5, "kind": "cover", "name": "Blind", "room": "Hall" },
        ]),
    );
    for (said, offered, named, moves) in [
        (
            "gloomy kitchen lights",
            "kitchen lights",
            "Kitchen Ceiling and Kitchen Counter Lamp",
            vec![2, 3],
        ),
        (
            "All grotty lamps",
            "All lamps",
            "Hall Ceiling, Kitchen Ceiling and Kitchen Counter Lamp",
            vec![2, 3, 4],
        ),
    ] {
        in_paused_time(async {
            let mut served = Served::start(&house).await;
            let missed = served.control(call(said, "on", json!({}))).await;
            assert!(missed.moved.is_empty(), "{said}");
            assert_eq!(
                missed.answer.text,
                format!(
                    "There is no device \"{said}\". Did you mean \"{offered}\", which are {named}? \
                     Nothing was done."
                )
            );
            let outcome = served.control(call(offered, "on", json!({}))).await;
            assert_eq!(
                outcome.moved,
                moves.iter().map(|node| Move::Node(*node)).collect(),
                "{offered}"
            );
        });
    }
    // No set is offered for an unknown exception, one device, no kind, or a room that is none.
    let said = [
        "all lights except the grotto",
        "gloomy blinds",
        "everything gloomy",
        "attic lights",
        "lights of gloom in the attic",
    ];
    for answer in answers(&house, &said.map(|said| call(said, "on", json!({})))) {
        assert!(!answer.contains("Did you mean \""), "{answer}");
    }
}

#[test]
fn a_count_is_the_number_of_those_that_can_do_it() {
    let house = house(
        &[],
        json!([
            { "id": 2, "kind": "dimmer", "name": "Kitchen Light" },
            { "id": 3, "kind": "dimmer", "name": "Hall Light" },
            { "id": 4, "kind": "switch", "name": "Attic Light" },
        ]),
    );
    let dim = |said| call(said, "dim", json!({ "level": 30 }));
    let asked = answers(&house, &[dim("three lights"), dim("four lights")]);
    for answer in asked {
        assert!(answer.starts_with("Which one: "), "{answer}");
    }
    for (call, moves) in [
        (dim("two lights"), vec![2, 3]),
        (call("three lights", "on", json!({})), vec![2, 3, 4]),
    ] {
        in_paused_time(async {
            let mut served = Served::start(&house).await;
            let outcome = served.control(call.clone()).await;
            let moves = moves.into_iter().map(Move::Node).collect();
            assert_eq!(outcome.moved, moves, "{call}: {}", outcome.answer.text);
        });
    }
}

#[test]
fn that_it_can_t_do_that_comes_before_what_is_wrong_besides() {
    let house = house(
        &[],
        json!([
            { "id": 2, "kind": "lock", "name": "Front Door", "room": "Hall" },
            { "id": 3, "kind": "switch", "name": "TV Plug", "room": "Hall" },
            { "id": 4, "kind": "dimmer", "name": "Ceiling", "room": "Hall" },
            { "id": 5, "kind": "lock", "name": "Cellar Door" },
        ]),
    );
    let cant = |name: &str, action: &str, can: &str| {
        format!("{name} can't do \"{action}\"; it can do {can}.")
    };
    let lock = |action: &str| cant("Front Door", action, "lock");
    let cases = [
        (call("front door", "dim", json!({})), lock("dim")),
        (
            call("front door", "off", json!({ "level": 50 })),
            lock("off"),
        ),
        (
            call("front door", "close", json!({ "level": 50 })),
            lock("close"),
        ),
        (
            call("front door", "dim", json!({ "level": 500 })),
            lock("dim"),
        ),
        (call("front door", "set_mode", json!({})), lock("set_mode")),
        (
            call("front door", "on", json!({ "color": "red" })),
            lock("on"),
        ),
        (
            call("front door", "dim", json!({ "frobnicate": 1 })),
            "Unknown argument \"frobnicate\". This tool takes deviceName, action, level, mode and color."
                .to_owned(),
        ),
        (
            call("tv plug", "set_color", json!({ "color": "mauvish" })),
            cant("TV Plug", "set_color", "on, off and toggle"),
        ),
        (
            call("tv plug", "close", json!({ "level": "half" })),
            cant("TV Plug", "close", "on, off and toggle"),
        ),
        (
            call("ceiling", "dim", json!({})),
            "Action \"dim\" needs \"level\", for example {\"deviceName\": \"…\", \"action\": \
             \"dim\", \"level\": 50}."
                .to_owned(),
        ),
        (
            call("ceiling", "off", json!({ "level": 50 })),
            "Action \"off\" takes no level; leave it out, or use action \"dim\".".to_owned(),
        ),
        (
            call("tv plug", "off", json!({ "level": 50 })),
            "Action \"off\" takes no level; leave it out.".to_owned(),
        ),
        (
            call("sauna", "dim", json!({})),
            "Action \"dim\" needs \"level\", for example {\"deviceName\": \"…\", \"action\": \
             \"dim\", \"level\": 50}."
                .to_owned(),
        ),
    ];
    let calls: Vec<Json> = cases.iter().map(|(call, _)| call.clone()).collect();
    for (answer, (call, expected)) in answers(&house, &calls).into_iter().zip(cases) {
        assert_eq!(answer, expected, "{call}");
    }
}

#[test]
fn a_guarded_barrier_that_opens_only_whole_invites_nobody_to_open_it() {
    let garage = json!([{ "id": 2, "kind": "garage", "name": "Big Door", "room": "Yard" }]);
    let part = [call("big door", "open", json!({ "level": 50 }))];
    let [denied] = &answers(&house(&[], garage.clone()), &part)[..] else {
        panic!()
    };
    assert!(
        denied.starts_with("Big Door was not opened: that is not allowed here."),
        "{denied}"
    );
    let [allowed] = &answers(&house(&["--guard", "allow"], garage), &part)[..] else {
        panic!()
    };
    assert!(
        allowed.ends_with("Leave level out to open it."),
        "{allowed}"
    );
}

#[test]
fn a_set_of_which_none_can_do_it_says_what_they_can_do() {
    let house = house(
        &[],
        json!([
            { "id": 2, "kind": "two_channel", "name": "Twin", "room": "Hall", "endpoints": ["One", "Two"] },
            { "id": 3, "kind": "dimmer", "name": "Ceiling", "room": "Hall" },
            { "id": 4, "kind": "switch", "name": "Desk Lamp", "room": "Hall" },
        ]),
    );
    let calls = [
        call("twin", "lock", json!({})),
        call("all lights", "unlock", json!({})),
        call("everything", "lock", json!({})),
    ];
    let answers = answers(&house, &calls);
    assert_eq!(
        answers,
        [
            "None of the parts of Twin can do \"lock\"; they can do on and off.",
            "None of the lights can do \"unlock\"; they can do on, off, dim, increase and decrease.",
            "None of the devices can do \"lock\"; they can do off.",
        ]
    );
}

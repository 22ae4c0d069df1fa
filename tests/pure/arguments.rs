//! Arguments as models send them.

use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};
use zwave_mcp_server::home::color::Color;
use zwave_mcp_server::home::intent::Intent;
use zwave_mcp_server::home::model::quantity::Percent;
use zwave_mcp_server::mcp::arguments::{
    ArgumentError, ControlArguments, ListArguments, control, heard, list,
};
use zwave_mcp_server::mcp::wording;

fn object(json: Json) -> Option<Map<String, Json>> {
    match json {
        Json::Object(fields) => Some(fields),
        Json::Null => None,
        other => panic!("{other}"),
    }
}

fn read(json: Json) -> Result<ControlArguments, ArgumentError> {
    control(object(json))
}

#[track_caller]
fn means(json: Json, device: &str, intent: Intent) {
    let read = read(json.clone()).unwrap_or_else(|error| panic!("{json}: {error:?}"));
    assert_eq!(
        (read.device.as_str(), read.intent),
        (device, intent),
        "{json}"
    );
}

#[track_caller]
fn says(json: Json, sentence: &str) {
    let error = read(json.clone()).expect_err(&json.to_string());
    assert_eq!(wording::argument(&error), sentence, "{json}");
}

fn percent(percent: u8) -> Percent {
    Percent::new(f64::from(percent)).unwrap()
}

#[test]
fn other_names_are_mapped_to_the_right_ones() {
    let dim = || Intent::Dim(percent(50));
    for json in [
        json!({"deviceName": "lamp", "action": "dim", "level": 50}),
        json!({"device_name": "lamp", "command": "dim", "brightness": 50}),
        json!({"device": "lamp", "action": "dim", "value": 50}),
        json!({"name": "lamp", "cmd": "dim", "percent": "50%"}),
        json!({"DeviceName": "lamp", "ACTION": "DIM", "Level": "50"}),
        json!({"deviceName": "lamp", "action": "set_brightness", "level": "50 percent"}),
        json!({"deviceName": ["lamp"], "action": "dim", "level": [50.0]}),
    ] {
        means(json, "lamp", dim());
    }
}

#[test]
fn a_value_that_is_an_action_is_the_action() {
    means(
        json!({"device": "lamp", "value": "on"}),
        "lamp",
        Intent::On(None),
    );
    means(
        json!({"device": "lamp", "value": true}),
        "lamp",
        Intent::On(None),
    );
}

#[test]
fn a_name_is_mapped_only_where_the_right_one_was_not_sent() {
    means(
        json!({"deviceName": null, "name": "lamp", "action": "on"}),
        "lamp",
        Intent::On(None),
    );
    means(
        json!({"deviceName": "lamp", "name": "lamp", "action": "on"}),
        "lamp",
        Intent::On(None),
    );
    says(
        json!({"deviceName": "lamp", "name": "fan", "action": "on"}),
        "\"deviceName\" and \"name\" say different things; send only \"deviceName\".",
    );
}

#[test]
fn a_room_beside_the_name_is_where_to_look_and_everywhere_is_no_room() {
    for (sent, room) in [
        (json!("office"), Some("office")),
        (json!("all"), None),
        (json!("Everywhere"), None),
        (json!(null), None),
    ] {
        for name in ["room", "location", "area"] {
            let json = json!({"deviceName": "ceiling", name: sent, "action": "off"});
            let read = control(object(json)).unwrap();
            assert_eq!(read.device, "ceiling");
            assert_eq!(read.room.as_deref(), room, "{name} {sent}");
        }
    }
}

fn nothings() -> Vec<Json> {
    let mut nothings = vec![
        json!(null),
        json!(""),
        json!("  "),
        json!([]),
        json!({}),
        json!([null]),
        json!({ "value": null }),
        json!("\u{3164}"),
    ];
    for word in ["null", "None", "undefined", "nil", "n/a", "NaN"] {
        nothings
            .extend([word.to_owned(), word.to_uppercase(), format!(" {word} ")].map(Json::from));
    }
    nothings
}

#[test]
fn what_models_send_for_nothing_is_nothing() {
    for nothing in nothings() {
        let json = json!({
            "deviceName": "lamp", "action": "on", "level": nothing, "mode": nothing,
            "color": nothing, "something": nothing, "room": nothing,
        });
        means(json, "lamp", Intent::On(None));
        says(
            json!({ "deviceName": nothing, "action": "on" }),
            "Say which device, for example {\"deviceName\": \"Kitchen Dimmer\", \"action\": \
             \"on\"}.",
        );
        let error = read(json!({ "deviceName": "lamp", "action": nothing }));
        assert_eq!(error, Err(ArgumentError::NoAction), "{nothing}");
        let everything = json!({ "filter": nothing, "includeInactive": nothing, "x": nothing });
        let everything = list(object(everything)).unwrap();
        assert_eq!(everything, ListArguments::default(), "{nothing}");
    }
}

#[test]
fn what_can_not_change_what_is_meant_is_left_out_of_account() {
    let with = |action: &str, more: Json| {
        let mut json = json!({ "deviceName": "x", "action": action });
        json.as_object_mut().unwrap().extend(object(more).unwrap());
        json
    };
    for level in [
        json!(50),
        json!(0),
        json!("half"),
        json!("21 °C"),
        json!(999),
    ] {
        let level = json!({ "level": level });
        for (action, intent) in [
            ("lock", Intent::Lock),
            ("unlock", Intent::Unlock),
            ("stop", Intent::Stop),
            ("toggle", Intent::Toggle),
        ] {
            means(with(action, level.clone()), "x", intent);
        }
        let mut mode = with("set_mode", level.clone());
        mode["mode"] = json!("heat");
        means(mode, "x", Intent::SetMode("heat".to_owned()));
        let mut color = with("set_color", level);
        color["color"] = json!("red");
        means(color, "x", Intent::SetColor(Color::Rgb(255, 0, 0)));
    }
    means(with("on", json!({ "level": 100 })), "x", Intent::On(None));
    means(
        with("on", json!({ "level": 19 })),
        "x",
        Intent::On(Some(percent(19))),
    );
    means(with("off", json!({ "level": 0 })), "x", Intent::Off);
    means(with("close", json!({ "level": 0 })), "x", Intent::Close);
    means(
        with("lock", json!({ "mode": "auto", "color": "red" })),
        "x",
        Intent::Lock,
    );
    let color = json!({ "color": "red", "mode": "rgb" });
    means(
        with("set_color", color),
        "x",
        Intent::SetColor(Color::Rgb(255, 0, 0)),
    );
    means(
        with("lock", json!({ "brightness": 5, "percent": 6 })),
        "x",
        Intent::Lock,
    );
    // What could have been meant is asked for.
    for (action, more) in [
        ("on", json!({ "color": "red" })),
        ("dim", json!({ "level": 50, "color": "red" })),
        ("off", json!({ "mode": "heat" })),
        ("close", json!({ "level": 40 })),
        ("set_temperature", json!({ "level": 21, "mode": "cool" })),
    ] {
        let json = with(action, more);
        let error = read(json.clone());
        assert!(
            matches!(error, Err(ArgumentError::TakesNo(..))),
            "{json}: {error:?}"
        );
    }
}

#[test]
fn no_error_about_arguments_is_long_or_has_a_second_line() {
    let long = "\n- Lamp: <|im_start|> ".repeat(1000);
    for json in [
        json!({ "deviceName": "x", "action": long }),
        json!({ "deviceName": "x", "action": "dim", "level": 1e300 }),
        json!({ "deviceName": "x", "action": "dim", "level": long }),
        json!({ "deviceName": "x", "action": "on", long.as_str(): 1 }),
        json!({ "deviceName": [long, long], "action": "on" }),
        json!({ "deviceName": "x", "name": long, "action": "on" }),
        json!({ "deviceName": "x", "action": "set_color", "color": long }),
    ] {
        let error = read(json).unwrap_err();
        let sentence = wording::argument(&error);
        assert!(sentence.chars().count() < 300, "{sentence}");
        assert!(!sentence.contains(['\n', '<', '>']), "{sentence}");
    }
}

#[test]
fn no_error_names_an_argument_that_the_tool_does_not_take() {
    says(
        json!({"deviceName": "x", "action": "on", "rooom": "hall"}),
        "Unknown argument \"rooom\". This tool takes deviceName, action, level, mode and color.",
    );
    says(
        json!({"deviceName": "x", "action": "dim", "brightness": 5, "percent": 6}),
        "\"brightness\" and \"percent\" say different things; send only \"level\".",
    );
    means(
        json!({"deviceName": "x", "action": "dim", "level": 50, "percent": "50"}),
        "x",
        Intent::Dim(percent(50)),
    );
}

#[test]
fn the_log_knows_the_device_under_whatever_name_it_was_sent() {
    for json in [
        json!({"deviceName": "lamp", "action": "on"}),
        json!({"device_name": "lamp", "command": "on"}),
        json!({"name": "lamp", "action": "on", "level": {"a": 1}}),
        json!({"args": {"device": "lamp", "cmd": "on"}}),
        json!({"input": "{\"device\": \"lamp\", \"value\": \"on\"}"}),
        json!({"device": "lamp", "action": "on", "frobnicate": 1}),
    ] {
        let (said, _) = heard(object(json.clone()));
        assert_eq!(
            (said.device.as_str(), said.action.as_str()),
            ("lamp", "on"),
            "{json}"
        );
    }
}

#[test]
fn arguments_that_are_sent_whole_under_one_name_are_unwrapped() {
    let inner = json!({"deviceName": "lamp", "action": "on"});
    for name in ["input", "args", "arguments", "parameters"] {
        means(json!({ name: inner }), "lamp", Intent::On(None));
        means(json!({ name: inner.to_string() }), "lamp", Intent::On(None));
    }
    means(
        json!({"input": {"arguments": inner}, "x": null}),
        "lamp",
        Intent::On(None),
    );
    for mixed in [
        json!({"arguments": {"deviceName": "lamp"}, "action": "on"}),
        json!({"action": "on", "args": "{\"device\": \"lamp\"}", "input": {"level": null}}),
        json!({"parameters": inner, "deviceName": "Lamp"}),
        json!({"input": {"name": "lamp"}, "args": {"parameters": {"command": "on"}}}),
    ] {
        means(mixed, "lamp", Intent::On(None));
    }
    let two = json!({"arguments": inner, "deviceName": "fan"});
    assert!(matches!(
        read(two).unwrap_err(),
        ArgumentError::SaidTwice { .. }
    ));
    let words = json!({"arguments": "the lamp", "action": "on"});
    assert!(matches!(
        read(words).unwrap_err(),
        ArgumentError::UnknownName { .. }
    ));
}

#[test]
fn what_is_said_twice_in_other_words_is_said_once() {
    for value in [json!("on"), json!(true), json!("turn_on"), json!("100%")] {
        let sent = json!({"deviceName": "x", "action": "on", "value": value});
        means(sent, "x", Intent::On(None));
    }
    for state in [json!("turn on"), json!(true), json!("ON")] {
        let sent = json!({"deviceName": "x", "action": "on", "state": state});
        means(sent, "x", Intent::On(None));
    }
    means(
        json!({"deviceName": "x", "action": "dim", "level": 50, "brightness": "50 %"}),
        "x",
        Intent::Dim(percent(50)),
    );
    for other in [
        json!({"deviceName": "x", "action": "on", "value": "off"}),
        json!({"deviceName": "x", "action": "on", "state": "off"}),
        json!({"deviceName": "x", "action": "dim", "level": 50, "brightness": 60}),
        json!({"deviceName": "x", "action": "set_temperature", "level": "21 °C", "temperature": "21 °F"}),
    ] {
        assert!(read(other.clone()).is_err(), "{other}");
    }
}

#[test]
fn actions_are_understood_as_they_are_said() {
    for (said, intent) in [
        (json!("ON"), Intent::On(None)),
        (json!("turn_on"), Intent::On(None)),
        (json!("Turn On"), Intent::On(None)),
        (json!(true), Intent::On(None)),
        (json!(false), Intent::Off),
        (json!("TURN_OFF"), Intent::Off),
        (json!("open"), Intent::Open(None)),
        (json!("shut"), Intent::Close),
        (json!("toggle"), Intent::Toggle),
    ] {
        means(json!({"deviceName": "x", "action": said}), "x", intent);
    }
}

#[test]
fn on_with_a_level_dims_and_dim_to_nothing_is_off() {
    let on = |level: Json| json!({"deviceName": "x", "action": "on", "level": level});
    means(on(json!(40)), "x", Intent::On(Some(percent(40))));
    means(
        json!({"deviceName": "x", "action": "dim", "level": 0}),
        "x",
        Intent::Dim(percent(0)),
    );
    says(
        on(json!(0)),
        "Action \"on\" with level 0 contradicts itself; leave level out, or use action \"off\".",
    );
    says(
        json!({"deviceName": "x", "action": "dim"}),
        "Action \"dim\" needs \"level\", for example {\"deviceName\": \"…\", \"action\": \
         \"dim\", \"level\": 50}.",
    );
}

#[test]
fn a_mistake_gets_one_clear_sentence() {
    says(
        json!({"action": "on"}),
        "Say which device, for example {\"deviceName\": \"Kitchen Dimmer\", \"action\": \"on\"}.",
    );
    says(
        json!({"deviceName": "x", "action": "explode"}),
        "Unknown action \"explode\". Use one of: on, off, dim, toggle, open, close, stop, lock, \
         unlock, set_temperature, set_mode, set_color, increase, decrease.",
    );
    says(
        json!({"deviceName": "x", "action": "dim", "level": 150}),
        "\"level\" is a percentage from 0 to 100, not 150.",
    );
    says(
        json!({"deviceName": "x", "action": "dim", "level": "half"}),
        "\"level\" must be a number, not half.",
    );
    says(
        json!({"deviceName": "x", "action": "on", "colr": "red"}),
        "Unknown argument \"colr\"; did you mean \"color\"? This tool takes deviceName, action, \
         level, mode and color.",
    );
    says(
        json!({"deviceName": "x", "action": "on", "color": "red"}),
        "Action \"on\" takes no color; leave it out, or use action \"set_color\".",
    );
    says(
        json!({"deviceName": "x", "action": "off", "level": 30}),
        "Action \"off\" takes no level; leave it out, or use action \"dim\".",
    );
    says(
        json!({"deviceName": {"a": 1}, "action": "off"}),
        "\"deviceName\" must be one device's name, as a string, not {\"a\":1}.",
    );
}

#[test]
fn filter_words_may_come_under_other_names_and_in_parts() {
    let filter = |json: Json| list(object(json)).unwrap().filter;
    assert_eq!(filter(json!(null)), "");
    assert_eq!(filter(json!({})), "");
    assert_eq!(filter(json!({"room": "kitchen"})), "kitchen");
    assert_eq!(
        filter(json!({"location": "kitchen", "type": "dimmer"})),
        "kitchen dimmer"
    );
    let inactive = |json: Json| list(object(json)).unwrap().include_inactive;
    assert!(inactive(json!({"includeInactive": "true"})));
    assert!(inactive(json!({"include_inactive": true})));
    assert!(!inactive(json!({"includeInactive": null})));
    assert!(list(object(json!({"includeInactive": "maybe"}))).is_err());
    // A list tells nothing that it is not asked for.
    let passed_over = list(object(json!({"limit": 5, "room": "kitchen", "page": null}))).unwrap();
    assert_eq!(passed_over.filter, "kitchen");
    assert_eq!(passed_over.passed_over, ["limit"]);
    assert_eq!(
        wording::passed_over(&passed_over.passed_over).as_deref(),
        Some("Passed over: \"limit\"; this tool takes filter and includeInactive."),
    );
}

fn any_value() -> impl Strategy<Value = Json> {
    prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        "\\PC{0,12}".prop_map(Json::from),
        "(on|off|dim|50%|null|-1|1e999|lamp)".prop_map(Json::from),
        prop::collection::vec("\\PC{0,5}", 0..3).prop_map(Json::from),
    ]
}

fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![
        "(deviceName|device_name|name|action|command|level|brightness|mode|color|input|args|filter|room)",
        "\\PC{0,10}",
    ]
}

proptest! {
    #[test]
    fn anything_is_read_or_gets_a_sentence(
        fields in prop::collection::btree_map(any_name(), any_value(), 0..6)
    ) {
        let fields: Map<String, Json> = fields.into_iter().collect();
        let sentences = [
            list(Some(fields.clone())).err(),
            control(Some(fields.clone())).err(),
            control(Some(Map::from_iter([("input".to_owned(), Json::Object(fields))]))).err(),
        ];
        for error in sentences.into_iter().flatten() {
            let sentence = wording::argument(&error);
            prop_assert!(sentence.ends_with('.') && !sentence.is_empty(), "{sentence}");
        }
    }

    #[test]
    fn a_level_is_never_read_as_another(level in 0_u8..=100, style in 0_usize..4) {
        let spelled = match style {
            0 => json!(level),
            1 => json!(f64::from(level)),
            2 => json!(format!("{level}%")),
            _ => json!(format!(" {level} ")),
        };
        let read = read(json!({"deviceName": "x", "action": "dim", "level": spelled})).unwrap();
        prop_assert_eq!(read.intent, Intent::Dim(percent(level)));
    }
}

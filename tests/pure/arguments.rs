//! Arguments as models send them: the rows of `fixtures/arguments.json`, and any arguments at all.

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use zwave_mcp_server::home::intent::Intent;
use zwave_mcp_server::home::model::quantity::Percent;
use zwave_mcp_server::mcp::arguments::{
    ArgumentError, ControlArguments, ListArguments, read_control, read_list,
};
use zwave_mcp_server::mcp::wording;

use crate::fixture::read_rows;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(rename = "row")]
    promise: String,
    /// Arguments that are all read alike.
    #[serde(default)]
    same: Vec<Json>,
    #[serde(default)]
    refused: Vec<Json>,
}

fn object(json: Json) -> Option<Map<String, Json>> {
    match json {
        Json::Object(fields) => Some(fields),
        Json::Null => None,
        other => panic!("{other}"),
    }
}

fn read(json: Json) -> Result<ControlArguments, ArgumentError> {
    read_control(object(json)).1
}

#[test]
fn arguments_are_read_as_reviewed() {
    let (mut told, mut wrong) = (String::new(), Vec::new());
    for Row {
        promise,
        same,
        refused,
    } in read_rows("arguments.json")
    {
        told.push_str(&format!("{promise}\n"));
        let first = same.first().map(|first| read(first.clone()).unwrap());
        for sent in &same {
            let one = read(sent.clone());
            if one.as_ref().ok() != first.as_ref() {
                wrong.push(format!("{promise}: {sent} is {one:?}, not {first:?}"));
            }
        }
        if let Some(ControlArguments {
            device,
            room,
            intent,
            ..
        }) = first
        {
            let place = room.map(|room| format!(" in {room}")).unwrap_or_default();
            told.push_str(&format!("  {device}{place}: {intent:?}\n"));
        }
        for sent in refused {
            match read(sent.clone()) {
                Ok(read) => wrong.push(format!("{promise}: {sent} is {read:?}")),
                Err(error) => {
                    told.push_str(&format!("  {sent}: {}\n", wording::word_mistake(&error)));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    insta::assert_snapshot!(told);
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
        assert_eq!(read(json).unwrap().intent, Intent::On(None), "{nothing}");
        let error = read(json!({ "deviceName": nothing, "action": "on" }));
        assert_eq!(error, Err(ArgumentError::NoDevice), "{nothing}");
        let error = read(json!({ "deviceName": "lamp", "action": nothing }));
        assert_eq!(error, Err(ArgumentError::NoAction), "{nothing}");
        let everything = json!({ "filter": nothing, "includeInactive": nothing, "x": nothing });
        let everything = read_list(object(everything)).unwrap();
        assert_eq!(everything, ListArguments::default(), "{nothing}");
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
        let sentence = wording::word_mistake(&error);
        assert!(sentence.chars().count() < 300, "{sentence}");
        assert!(!sentence.contains(['\n', '<', '>']), "{sentence}");
    }
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
        let (said, _) = read_control(object(json.clone()));
        assert_eq!(
            (said.device.as_str(), said.action.as_str()),
            ("lamp", "on"),
            "{json}"
        );
    }
}

#[test]
fn filter_words_may_come_under_other_names_and_in_parts() {
    let filter = |json: Json| read_list(object(json)).unwrap().filter;
    assert_eq!(filter(json!(null)), "");
    assert_eq!(filter(json!({})), "");
    assert_eq!(filter(json!({"room": "kitchen"})), "kitchen");
    assert_eq!(
        filter(json!({"location": "kitchen", "type": "dimmer"})),
        "kitchen dimmer"
    );
    let inactive = |json: Json| read_list(object(json)).unwrap().include_inactive;
    assert!(inactive(json!({"includeInactive": "true"})));
    assert!(inactive(json!({"include_inactive": true})));
    assert!(!inactive(json!({"includeInactive": null})));
    assert!(read_list(object(json!({"includeInactive": "maybe"}))).is_err());
    // A list tells nothing that it is not asked for.
    let passed_over =
        read_list(object(json!({"limit": 5, "room": "kitchen", "page": null}))).unwrap();
    assert_eq!(passed_over.filter, "kitchen");
    assert_eq!(passed_over.passed_over, ["limit"]);
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
            read_list(Some(fields.clone())).err(),
            read_control(Some(fields.clone())).1.err(),
            read_control(Some(Map::from_iter([("input".to_owned(), Json::Object(fields))]))).1.err(),
        ];
        for error in sentences.into_iter().flatten() {
            let sentence = wording::word_mistake(&error);
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
        prop_assert_eq!(read.intent, Intent::Dim(Percent::new(f64::from(level)).unwrap()));
    }
}

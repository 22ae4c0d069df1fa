//! Arguments as models send them: the rows of `fixtures/arguments.json`, and random ones.

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use zwave_mcp_server::home::intent::{Action, Intent};
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
    /// Several ways to write one call. All must be read alike.
    #[serde(default)]
    same: Vec<Json>,
    /// Arguments that must be refused with a sentence.
    #[serde(default)]
    refused: Vec<Json>,
}

fn to_object(json: Json) -> Option<Map<String, Json>> {
    match json {
        Json::Object(fields) => Some(fields),
        Json::Null => None,
        other => panic!("{other}"),
    }
}

fn read(json: Json) -> Result<ControlArguments, ArgumentError> {
    read_control(to_object(json)).1
}

#[test]
fn arguments_are_read_as_reviewed() {
    let (mut reviewed, mut wrong) = (String::new(), Vec::new());
    for Row {
        promise,
        same,
        refused,
    } in read_rows("arguments.json")
    {
        reviewed.push_str(&format!("{promise}\n"));
        let first = same.first().map(|first| read(first.clone()).unwrap());
        for sent in &same {
            let arguments = read(sent.clone());
            if arguments.as_ref().ok() != first.as_ref() {
                wrong.push(format!(
                    "{promise}: {sent} is read as {arguments:?}, not as {first:?}"
                ));
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
            reviewed.push_str(&format!("  {device}{place}: {intent:?}\n"));
        }
        for sent in refused {
            match read(sent.clone()) {
                Ok(arguments) => wrong.push(format!(
                    "{promise}: {sent} is read as {arguments:?}, not refused"
                )),
                Err(error) => {
                    reviewed.push_str(&format!(
                        "  {sent}: {}\n",
                        wording::describe_mistake(&error, &Action::ALL)
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    insta::assert_snapshot!(reviewed);
}

/// Returns what models send for an argument that they mean to leave out.
fn list_empty_values() -> Vec<Json> {
    let mut values = vec![
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
        values.extend([word.to_owned(), word.to_uppercase(), format!(" {word} ")].map(Json::from));
    }
    values
}

#[test]
fn an_empty_value_counts_as_an_absent_argument() {
    for empty in list_empty_values() {
        let json = json!({
            "deviceName": "lamp", "action": "on", "level": empty, "mode": empty,
            "color": empty, "something": empty, "room": empty,
        });
        assert_eq!(read(json).unwrap().intent, Intent::On(None), "{empty}");
        let error = read(json!({ "deviceName": empty, "action": "on" }));
        assert_eq!(error, Err(ArgumentError::NoDevice), "{empty}");
        let error = read(json!({ "deviceName": "lamp", "action": empty }));
        assert_eq!(error, Err(ArgumentError::NoAction), "{empty}");
        let json = json!({ "filter": empty, "includeInactive": empty, "x": empty });
        let arguments = read_list(to_object(json)).unwrap();
        assert_eq!(arguments, ListArguments::default(), "{empty}");
    }
}

#[test]
fn an_error_about_arguments_is_one_short_line() {
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
        let sentence = wording::describe_mistake(&error, &Action::ALL);
        assert!(sentence.chars().count() < 300, "{sentence}");
        assert!(!sentence.contains(['\n', '<', '>']), "{sentence}");
    }
}

#[test]
fn the_device_and_the_action_are_logged_whatever_their_arguments_are_called() {
    for json in [
        json!({"deviceName": "lamp", "action": "on"}),
        json!({"device_name": "lamp", "command": "on"}),
        json!({"name": "lamp", "action": "on", "level": {"a": 1}}),
        json!({"args": {"device": "lamp", "cmd": "on"}}),
        json!({"input": "{\"device\": \"lamp\", \"value\": \"on\"}"}),
        json!({"device": "lamp", "action": "on", "frobnicate": 1}),
    ] {
        let (logged, _) = read_control(to_object(json.clone()));
        assert_eq!(
            (logged.device.as_str(), logged.action.as_str()),
            ("lamp", "on"),
            "{json}"
        );
    }
}

#[test]
fn a_list_accepts_other_names_for_its_arguments_and_joins_a_location_and_a_type_into_one_filter() {
    let filter = |json: Json| read_list(to_object(json)).unwrap().filter;
    assert_eq!(filter(json!(null)), "");
    assert_eq!(filter(json!({})), "");
    assert_eq!(filter(json!({"room": "kitchen"})), "kitchen");
    assert_eq!(
        filter(json!({"location": "kitchen", "type": "dimmer"})),
        "kitchen dimmer"
    );
    let inactive = |json: Json| read_list(to_object(json)).unwrap().include_inactive;
    assert!(inactive(json!({"includeInactive": "true"})));
    assert!(inactive(json!({"include_inactive": true})));
    assert!(!inactive(json!({"includeInactive": null})));
    assert!(read_list(to_object(json!({"includeInactive": "maybe"}))).is_err());
    // Unknown arguments do not change the filter. Those that have a value are reported.
    let paged = read_list(to_object(
        json!({"limit": 5, "room": "kitchen", "page": null}),
    ))
    .unwrap();
    assert_eq!(paged.filter, "kitchen");
    assert_eq!(paged.unknown_names, ["limit"]);
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
    fn any_arguments_are_accepted_or_refused_with_a_sentence(
        fields in prop::collection::btree_map(any_name(), any_value(), 0..6)
    ) {
        let fields: Map<String, Json> = fields.into_iter().collect();
        let errors = [
            read_list(Some(fields.clone())).err(),
            read_control(Some(fields.clone())).1.err(),
            read_control(Some(Map::from_iter([("input".to_owned(), Json::Object(fields))]))).1.err(),
        ];
        for error in errors.into_iter().flatten() {
            let sentence = wording::describe_mistake(&error, &Action::ALL);
            prop_assert!(sentence.ends_with('.'), "{sentence}");
        }
    }

    #[test]
    fn a_level_may_be_a_number_or_a_text_with_or_without_a_percent_sign(
        level in 0_u8..=100, style in 0_usize..4,
    ) {
        let spelled = match style {
            0 => json!(level),
            1 => json!(f64::from(level)),
            2 => json!(format!("{level}%")),
            _ => json!(format!(" {level} ")),
        };
        let json = json!({"deviceName": "x", "action": "dim", "level": spelled});
        let arguments = read(json).unwrap();
        prop_assert_eq!(arguments.intent, Intent::Dim(Percent::new(f64::from(level)).unwrap()));
    }
}

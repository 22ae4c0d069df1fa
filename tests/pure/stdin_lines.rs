//! Each line from the host is accepted, refused or ignored. No line is misread, and no line crashes the parser.

use proptest::prelude::*;
use rmcp::model::{ClientRequest, JsonRpcMessage};
use serde_json::{Value as Json, json};
use zwave_mcp_server::mcp::transport::messages::{HostInput, parse_line};

use crate::hostile_lines;

/// JSON-RPC's error code for a line that is not valid JSON.
const PARSE_ERROR: i64 = -32700;

/// Returns the ids of the accepted requests in a line, and the ids and error codes of the refused ones.
fn read_line(line: &[u8]) -> (Vec<Json>, Vec<(Json, i64)>) {
    sort_inputs(parse_line(line, true))
}

fn sort_inputs(inputs: Vec<HostInput>) -> (Vec<Json>, Vec<(Json, i64)>) {
    let (mut accepted, mut refused) = (Vec::new(), Vec::new());
    for input in inputs {
        match input {
            HostInput::Message(message) => {
                if let JsonRpcMessage::Request(request) = *message {
                    accepted.push(json!(request.id));
                }
            }
            HostInput::Refused(request) => {
                let line = request.line();
                assert!(!line.contains(&b'\n'));
                let answer: Json = serde_json::from_slice(&line).unwrap();
                assert_eq!(answer["jsonrpc"], "2.0");
                assert!(matches!(
                    answer["id"],
                    Json::String(_) | Json::Number(_) | Json::Null
                ));
                assert!(answer["error"]["message"].as_str().unwrap().len() > 10);
                refused.push((
                    answer["id"].clone(),
                    answer["error"]["code"].as_i64().unwrap(),
                ));
            }
            HostInput::Unanswerable(why) => assert!(!why.is_empty()),
        }
    }
    (accepted, refused)
}

#[test]
fn every_hostile_line_gets_the_answers_in_its_row() {
    for row in hostile_lines::rows() {
        if row.bytes.len() > 16 * 1024 * 1024 {
            // The server never reads a whole line of this length. Tests of the real binary send such lines.
            continue;
        }
        let (accepted, refused) = read_line(&row.bytes);
        let expected = |by_session: bool| {
            row.answers.iter().filter(move |answer| answer.by_session == by_session)
        };
        let ids: Vec<Json> = expected(true).map(|answer| answer.id.clone()).collect();
        assert_eq!(json!(accepted), json!(ids), "{}", row.why);
        let codes: Vec<(Json, i64)> = expected(false)
            .map(|answer| (answer.id.clone(), answer.code.unwrap()))
            .collect();
        assert_eq!(refused, codes, "{}", row.why);
    }
}

#[test]
fn arguments_sent_as_text_are_parsed() {
    let line = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {
            "name": "control_zwave_device",
            "arguments": "{\"deviceName\": \"Lamp\", \"action\": \"on\"}",
            "_meta": { "progressToken": 7 },
        },
    });
    let mut inputs = parse_line(line.to_string().as_bytes(), true);
    let Some(HostInput::Message(message)) = inputs.pop() else {
        panic!("no message");
    };
    let JsonRpcMessage::Request(request) = *message else {
        panic!("no request");
    };
    let ClientRequest::CallToolRequest(call) = request.request else {
        panic!("no call");
    };
    let arguments = json!({ "deviceName": "Lamp", "action": "on" });
    assert_eq!(json!(call.params.arguments), arguments);
    assert!(inputs.is_empty());
}

/// Requests for various methods, each with its id. The fields of a request are in any order.
fn any_request() -> impl Strategy<Value = (Json, Json)> {
    let id = prop_oneof![
        any::<i32>().prop_map(Json::from),
        "\\PC{0,8}".prop_map(Json::from)
    ];
    let method = prop_oneof![
        Just(("ping", json!({}))),
        Just(("tools/list", json!({}))),
        Just(("no/such", json!({ "id": 4 }))),
        "\\PC{0,12}".prop_map(|filter| {
            let arguments = json!({ "filter": filter });
            (
                "tools/call",
                json!({ "name": "list_zwave_devices", "arguments": arguments }),
            )
        }),
    ];
    let order = Just([0, 1, 2, 3]).prop_shuffle();
    (id, method, order).prop_map(|(id, (method, params), order)| {
        let fields = [
            ("jsonrpc", json!("2.0")),
            ("id", id.clone()),
            ("method", json!(method)),
            ("params", params),
        ];
        let message = order
            .map(|at| fields[at].clone())
            .map(|(name, json)| (name.to_owned(), json))
            .into_iter();
        (id, Json::Object(message.collect()))
    })
}

/// Returns true if a line that holds one request gets at most one answer with an id, and at most one answer
/// without an id, which says that a part of the line can't be read.
fn is_answered_once(accepted: &[Json], refused: &[(Json, i64)]) -> bool {
    let without_id = refused.iter().filter(|(id, _)| id.is_null()).count();
    without_id <= 1 && accepted.len() + refused.len() - without_id <= 1
}

#[test]
fn a_wrong_byte_anywhere_causes_no_second_answer() {
    for line in [
        r#"{"jsonrpc":"2.0","id":7,"method":"no/such","params":{"id":4}}"#,
        r#"{"id": 7, "params": {"a": [{"id": 4}], "id": 4}, "method": "x"}"#,
        r#"{"method":"x","id":"k","jsonrpc":"2.0","params":{"b":"{\"id\":4}","id":4}}"#,
        r#"{"params":{"id":4,"c":[4,{"id":5}]},"method":"x","jsonrpc":"2.0","id":"k"}"#,
    ] {
        for at in 0..line.len() {
            for byte in 0..=255 {
                let mut bytes = line.as_bytes().to_vec();
                bytes[at] = byte;
                let line = String::from_utf8_lossy(&bytes);
                let (accepted, refused) = read_line(&bytes);
                assert!(
                    is_answered_once(&accepted, &refused),
                    "{line}: {accepted:?} {refused:?}"
                );
            }
        }
    }
}

proptest! {
    #[test]
    fn no_bytes_crash_the_parser(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_line(&bytes);
        let (_, refused) = sort_inputs(parse_line(&bytes, false));
        // A line that lacks its newline gets no parse error.
        prop_assert!(refused.iter().all(|(_, code)| *code != PARSE_ERROR));
    }

    #[test]
    fn no_sequence_of_json_tokens_crashes_the_parser(pieces in prop::collection::vec(
        prop::sample::select(vec![
            "{", "}", "[", "]", ",", ":", "\"id\"", "\"method\"", "\"ping\"", "\"jsonrpc\"",
            "\"2.0\"", "\"params\"", "1", "-0", "1e400", "null", "\"\\ud800\"", "\"result\"", "\"",
            "\\", " ", "\r", "\u{feff}", "\"arguments\"", "\"tools/call\"", "\"name\"",
        ]), 0..40,
    )) {
        read_line(pieces.concat().as_bytes());
    }

    #[test]
    fn every_request_in_a_line_is_accepted_once_and_in_order(
        requests in prop::collection::vec(any_request(), 1..6), batch in any::<bool>(),
        between in "[ \t\r]{0,3}",
    ) {
        let texts: Vec<String> = requests.iter().map(|(_, request)| request.to_string()).collect();
        let line = if batch {
            format!("[{between}{}{between}]", texts.join(&format!("{between},{between}")))
        } else {
            texts.join(&between)
        };
        let ids: Vec<Json> = requests.into_iter().map(|(id, _)| id).collect();
        for has_newline in [true, false] {
            let (accepted, refused) = sort_inputs(parse_line(line.as_bytes(), has_newline));
            prop_assert_eq!(&accepted, &ids);
            prop_assert_eq!(refused, vec![]);
        }
    }

    #[test]
    fn a_truncated_request_is_never_accepted((_, request) in any_request(), cut in 0_usize..200) {
        let text = request.to_string();
        let cut = cut.min(text.len() - 1);
        let cut = &text.as_bytes()[..cut];
        let (accepted, refused) = read_line(cut);
        prop_assert_eq!(accepted, Vec::<Json>::new());
        let expected = if cut.is_empty() { vec![] } else { vec![(Json::Null, PARSE_ERROR)] };
        prop_assert_eq!(refused, expected);
        prop_assert_eq!(sort_inputs(parse_line(cut, false)), (vec![], vec![]));
    }

    #[test]
    fn a_changed_byte_never_causes_a_second_answer(
        (_, request) in any_request(), at in any::<prop::sample::Index>(), byte in any::<u8>(),
    ) {
        let mut bytes = request.to_string().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let (accepted, refused) = read_line(&bytes);
        prop_assert!(is_answered_once(&accepted, &refused), "{accepted:?} {refused:?}");
    }
}

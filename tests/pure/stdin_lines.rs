//! Lines of the host are read, or answered unread, or passed over; never misread, never a crash.

use proptest::prelude::*;
use rmcp::model::{ClientRequest, JsonRpcMessage};
use serde_json::{Value as Json, json};
use zwave_mcp_server::mcp::transport::messages::{HostInput, read};

use crate::hostile;

/// The ids of the requests that are handed on, and those that are refused with their codes.
fn sorted(line: &[u8]) -> (Vec<Json>, Vec<(Json, i64)>) {
    by_kind(read(line, true))
}

fn by_kind(inputs: Vec<HostInput>) -> (Vec<Json>, Vec<(Json, i64)>) {
    let (mut passed, mut refused) = (Vec::new(), Vec::new());
    for input in inputs {
        match input {
            HostInput::Message(message) => {
                if let JsonRpcMessage::Request(request) = *message {
                    passed.push(json!(request.id));
                }
            }
            HostInput::Refused(request) => {
                let line = request.line();
                assert!(!line.contains(&b'\n'));
                let answer: Json = serde_json::from_slice(&line).unwrap();
                assert_eq!(answer["jsonrpc"], "2.0");
                assert!(answer["id"].is_string() || answer["id"].is_number());
                assert!(answer["error"]["message"].as_str().unwrap().len() > 10);
                refused.push((
                    answer["id"].clone(),
                    answer["error"]["code"].as_i64().unwrap(),
                ));
            }
            HostInput::Unanswerable(why) => assert!(!why.is_empty()),
        }
    }
    (passed, refused)
}

#[test]
fn every_hostile_line_gets_the_answers_that_it_must_get() {
    for row in hostile::rows() {
        if row.bytes.len() > 16 * 1024 * 1024 {
            // Such lines are never read as a whole; tests of the real binary send them.
            continue;
        }
        let (passed, refused) = sorted(&row.bytes);
        let expected = |of_session: bool| {
            row.answers.iter().filter(move |answer| answer.by_session == of_session)
        };
        let ids: Vec<Json> = expected(true).map(|answer| answer.id.clone()).collect();
        assert_eq!(json!(passed), json!(ids), "{}", row.why);
        let codes: Vec<(Json, i64)> = expected(false)
            .map(|answer| (answer.id.clone(), answer.code.unwrap()))
            .collect();
        assert_eq!(refused, codes, "{}", row.why);
    }
}

#[test]
fn arguments_that_came_as_text_are_read_as_what_they_say() {
    let line = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {
            "name": "control_zwave_device",
            "arguments": "{\"deviceName\": \"Lamp\", \"action\": \"on\"}",
            "_meta": { "progressToken": 7 },
        },
    });
    let mut all = read(line.to_string().as_bytes(), true);
    let Some(HostInput::Message(message)) = all.pop() else {
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
    assert!(all.is_empty());
}

/// A request of any kind, its fields in any order.
fn request() -> impl Strategy<Value = (Json, Json)> {
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

#[test]
fn a_wrong_byte_anywhere_makes_no_second_answer() {
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
                let said = String::from_utf8_lossy(&bytes).into_owned();
                let (passed, refused) = sorted(&bytes);
                let answers = passed.len() + refused.len();
                assert!(answers <= 1, "{said}: {passed:?} {refused:?}");
            }
        }
    }
}

proptest! {
    #[test]
    fn no_bytes_break_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        sorted(&bytes);
        let (_, refused) = by_kind(read(&bytes, false));
        prop_assert!(refused.iter().all(|(_, code)| *code != -32700));
    }

    #[test]
    fn no_row_of_json_pieces_breaks_the_reader(pieces in prop::collection::vec(
        prop::sample::select(vec![
            "{", "}", "[", "]", ",", ":", "\"id\"", "\"method\"", "\"ping\"", "\"jsonrpc\"",
            "\"2.0\"", "\"params\"", "1", "-0", "1e400", "null", "\"\\ud800\"", "\"result\"", "\"",
            "\\", " ", "\r", "\u{feff}", "\"arguments\"", "\"tools/call\"", "\"name\"",
        ]), 0..40,
    )) {
        sorted(pieces.concat().as_bytes());
    }

    #[test]
    fn every_request_of_a_line_is_handed_on_once_and_in_order(
        requests in prop::collection::vec(request(), 1..6), batch in any::<bool>(),
        between in "[ \t\r]{0,3}",
    ) {
        let texts: Vec<String> = requests.iter().map(|(_, request)| request.to_string()).collect();
        let line = if batch {
            format!("[{between}{}{between}]", texts.join(&format!("{between},{between}")))
        } else {
            texts.join(&between)
        };
        let ids: Vec<Json> = requests.into_iter().map(|(id, _)| id).collect();
        for ended in [true, false] {
            let (passed, refused) = by_kind(read(line.as_bytes(), ended));
            prop_assert_eq!(&passed, &ids);
            prop_assert_eq!(refused, vec![]);
        }
    }

    #[test]
    fn a_request_that_is_cut_is_never_done((id, request) in request(), cut in 0_usize..200) {
        let text = request.to_string();
        let cut = cut.min(text.len() - 1);
        let cut = &text.as_bytes()[..cut];
        let (passed, refused) = sorted(cut);
        prop_assert_eq!(passed, Vec::<Json>::new());
        // A number may have been cut itself; whatever is answered is answered once.
        prop_assert!(refused.len() <= 1);
        if let (Some((answered, code)), true) = (refused.first(), id.is_string()) {
            prop_assert_eq!((answered, *code), (&id, -32700));
        }
        prop_assert_eq!(by_kind(read(cut, false)), (vec![], vec![]));
    }

    #[test]
    fn one_byte_changed_never_makes_two_answers_of_one(
        (_, request) in request(), at in any::<prop::sample::Index>(), byte in any::<u8>(),
    ) {
        let mut bytes = request.to_string().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let (passed, refused) = sorted(&bytes);
        prop_assert!(passed.len() + refused.len() <= 1, "{passed:?} {refused:?}");
    }
}

//! Streams in the providers' documented formats, split at any byte. They follow the recorded
//! `tool_use_response` of Anthropic's SDK, and the API references of Ollama and `OpenAI`.

use serde_json::{Value as Json, json};
use zwave_mcp_server::assistant::{ModelError, ModelFailure, ModelReply, Provider};
use zwave_mcp_server::client::formats::ToolCall;

use super::{ask, ask_for, client_at, content_type, limits};
use crate::stand_in::{Answer, End, StandIn};

/// A stream, and the ids of its calls, if it has calls.
pub struct Recorded {
    pub provider: Provider,
    pub bytes: &'static [u8],
    pub ids: Option<[&'static str; 2]>,
}

pub const RECORDED: [Recorded; 5] = [
    Recorded {
        provider: Provider::Anthropic,
        bytes: include_bytes!("../streams/anthropic.txt"),
        ids: Some(["toolu_01A", "toolu_01B"]),
    },
    Recorded {
        provider: Provider::Ollama,
        bytes: include_bytes!("../streams/ollama.txt"),
        // The first call has no id in the stream, so the client gives it one.
        ids: Some(["call_1", "call_x"]),
    },
    Recorded {
        provider: Provider::OpenAi,
        bytes: include_bytes!("../streams/openai.txt"),
        ids: Some(["call_A", "call_B"]),
    },
    Recorded {
        provider: Provider::Ollama,
        bytes: include_bytes!("../streams/ollama_tags.txt"),
        ids: None,
    },
    Recorded {
        provider: Provider::OpenAi,
        bytes: include_bytes!("../streams/openai_tags.txt"),
        ids: None,
    },
];

impl Recorded {
    /// Returns the reply that a client must read from the whole stream.
    fn reply(&self) -> ModelReply {
        let calls = self.ids.into_iter().flat_map(|[first, second]| {
            [
                call(first, "control", json!({ "device": "Küche" })),
                call(second, "no_such_tool", json!({})),
            ]
        });
        ModelReply {
            text: "Küche 💡 on.".to_owned(),
            calls: calls.collect(),
        }
    }

    /// Returns an answer that sends the stream in these pieces.
    fn answer<'a>(&self, pieces: impl IntoIterator<Item = &'a [u8]>) -> Answer {
        Answer::stream(content_type(self.provider), pieces)
    }
}

fn call(id: &str, name: &str, arguments: Json) -> ToolCall {
    ToolCall {
        id: Some(id.to_owned()),
        name: name.to_owned(),
        arguments,
    }
}

#[tokio::test]
async fn a_stream_gives_the_same_reply_wherever_it_is_split() {
    for recorded in RECORDED {
        let stand_in = StandIn::new([]).await;
        let client = client_at(recorded.provider, &stand_in.address, limits());
        let cut = (0..recorded.bytes.len()).map(|at| {
            let (start, rest) = recorded.bytes.split_at(at);
            vec![start, rest]
        });
        let bytes = recorded.bytes.chunks(1).collect();
        for pieces in cut.chain([bytes]) {
            let place = pieces[0].len();
            stand_in.add(recorded.answer(pieces));
            let (reply, streamed) = ask(client.as_ref()).await;
            assert_eq!(reply, Ok(recorded.reply()), "cut at {place}");
            assert_eq!(streamed, "Küche 💡 on.", "cut at {place}");
        }
    }
}

#[tokio::test]
async fn thoughts_are_removed_wherever_the_text_is_cut() {
    for (text, expected) in [
        ("<think>\nA lamp…\n</think>\n\nDone.", "Done."),
        ("<think>\n\n</think>\n\n", ""),
        ("<think>never closed", ""),
        ("Yes. <think>Hm.</think>No.", "Yes. No."),
        ("below 5 <b>", "below 5 <b>"),
        ("1 <", "1 <"),
        ("</think>Done.", "Done."),
        ("<<think>x</think>", "<"),
        ("ö <<th<think></think>ink> <", "ö <<think> <"),
    ] {
        let letters: Vec<char> = text.chars().collect();
        for length in 1..=letters.len() {
            let line = |piece: &str, is_done: bool| {
                let message = json!({ "role": "assistant", "content": piece });
                let line = json!({ "model": "m", "message": message, "done": is_done });
                format!("{line}\n")
            };
            let pieces = letters.chunks(length).map(|piece| piece.iter().collect::<String>());
            let mut lines: Vec<String> = pieces.map(|piece| line(&piece, false)).collect();
            lines.push(line("", true));
            let provider = Provider::Ollama;
            let lines = lines.iter().map(String::as_bytes);
            let answer = Answer::stream(content_type(provider), lines);
            let (reply, streamed) = ask_for(provider, answer, limits()).await;
            assert_eq!(reply.unwrap().text, expected, "{text} by {length}");
            assert_eq!(streamed, expected, "{text} by {length}");
        }
    }
}

#[tokio::test]
async fn a_stream_that_ends_early_yields_no_call() {
    for recorded in RECORDED {
        let stand_in = StandIn::new([]).await;
        let client = client_at(recorded.provider, &stand_in.address, limits());
        let mut complete = 0;
        for at in 0..recorded.bytes.len() {
            stand_in.add(Answer {
                end: if at % 2 == 0 { End::Whole } else { End::Broken },
                ..recorded.answer([recorded.bytes.split_at(at).0])
            });
            match ask(client.as_ref()).await.0 {
                Ok(reply) => {
                    complete += 1;
                    assert_eq!(reply, recorded.reply(), "cut at {at}");
                }
                Err(ModelError {
                    failure: ModelFailure::Garbled(_),
                    ..
                }) => {}
                Err(error) => panic!("cut at {at}: {error}"),
            }
        }
        // A reply is complete once its end marker has arrived. Only the few cuts after the marker yield a reply.
        assert!(complete < 400, "{complete} of {}", recorded.bytes.len());
    }
}

#[tokio::test]
async fn text_is_delivered_before_the_reply_ends() {
    for recorded in RECORDED {
        let text = recorded.bytes.windows(3).rposition(|part| part == b"on.");
        let end = recorded.bytes[text.unwrap()..].iter().position(|byte| *byte == b'\n');
        // The cut is after the empty line that ends an event.
        let at = text.unwrap() + end.unwrap() + 3;
        let answer = Answer {
            end: End::Silent,
            ..recorded.answer([&recorded.bytes[..at.min(recorded.bytes.len())]])
        };
        let mut limits = limits();
        limits.idle = std::time::Duration::from_millis(100);
        let (reply, streamed) = ask_for(recorded.provider, answer, limits).await;
        assert_eq!(streamed, "Küche 💡 on.");
        if at < recorded.bytes.len() {
            let failure = reply.unwrap_err().failure;
            assert_eq!(failure, ModelFailure::TimedOut(limits.idle));
        }
    }
}

/// A provider may ignore the request to stream and answer with one JSON document.
#[tokio::test]
async fn an_unstreamed_reply_is_understood() {
    let anthropic = json!({
        "type": "message",
        "role": "assistant",
        "content": [
            { "type": "text", "text": "Küche 💡 on." },
            { "type": "tool_use", "id": "a", "name": "control", "input": { "device": "Küche" } },
            { "type": "tool_use", "id": "b", "name": "no_such_tool", "input": {} },
        ],
        "stop_reason": "tool_use",
    });
    let openai = json!({
        "object": "chat.completion",
        "choices": [{
            "index": 0,
            "message": {
                "role": "assistant",
                "content": "Küche 💡 on.",
                "tool_calls": [
                    { "id": "a", "type": "function", "function": { "name": "control", "arguments": "{\"device\":\"Küche\"}" } },
                    { "id": "b", "type": "function", "function": { "name": "no_such_tool", "arguments": "{}" } },
                ],
            },
            "finish_reason": "tool_calls",
        }],
    });
    for (provider, answer) in [(Provider::Anthropic, anthropic), (Provider::OpenAi, openai)] {
        let answer = Answer::stream("application/json", [answer.to_string()]);
        let (reply, streamed) = ask_for(provider, answer, limits()).await;
        let reply = reply.unwrap();
        assert_eq!(streamed, reply.text);
        assert_eq!(
            reply.calls,
            [
                call("a", "control", json!({ "device": "Küche" })),
                call("b", "no_such_tool", json!({})),
            ]
        );
    }
}

/// Empty arguments may mean that the tool takes none, or that the reply reached its limit before the
/// arguments.
#[tokio::test]
async fn arguments_cut_by_a_limit_are_an_error_but_other_broken_arguments_are_kept() {
    let openai = |reason: &str, arguments: Json| {
        let call = json!({ "id": "", "function": { "name": "control", "arguments": arguments } });
        let chunk =
            json!({ "choices": [{ "delta": { "tool_calls": [call] }, "finish_reason": reason }] });
        (Provider::OpenAi, format!("data: {chunk}\n\n"))
    };
    let block = json!({ "type": "tool_use", "id": "call_1", "name": "control", "input": {} });
    let anthropic = |reason: &str, input: &str| {
        let start = json!({ "type": "content_block_start", "index": 0, "content_block": block });
        let delta = json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "input_json_delta", "partial_json": input } });
        let end = json!({ "type": "message_delta", "delta": { "stop_reason": reason } });
        let events = format!("data: {start}\n\ndata: {delta}\n\ndata: {end}\n\n");
        (Provider::Anthropic, events)
    };
    let in_one_event = |reason: &str| {
        let message = json!({ "type": "message", "content": [block], "stop_reason": reason });
        (Provider::Anthropic, format!("data: {message}\n\n"))
    };
    let broken = "{\"device\": Kü";
    let no_arguments = Some(json!({}));
    for ((provider, events), arguments) in [
        (openai("tool_calls", broken.into()), Some(broken.into())),
        (openai("length", broken.into()), None),
        (openai("length", "".into()), None),
        (openai("length", Json::Null), None),
        (openai("length", "{}".into()), no_arguments.clone()),
        (openai("tool_calls", "".into()), no_arguments.clone()),
        (anthropic("tool_use", broken), Some(broken.into())),
        (anthropic("max_tokens", broken), None),
        (anthropic("max_tokens", ""), None),
        (anthropic("max_tokens", "{}"), no_arguments.clone()),
        (anthropic("tool_use", ""), no_arguments.clone()),
        (in_one_event("max_tokens"), None),
        (in_one_event("tool_use"), no_arguments),
    ] {
        let answer = Answer::stream(content_type(provider), [events.as_str()]);
        let reply = ask_for(provider, answer, limits()).await.0;
        if let Some(arguments) = arguments {
            let expected = call("call_1", "control", arguments);
            assert_eq!(reply.unwrap().calls, [expected], "{events}");
        } else {
            let failure = reply.expect_err(&events).failure;
            assert!(matches!(failure, ModelFailure::Garbled(_)), "{failure:?}");
        }
    }
}

/// Some servers, such as Google's, give every call the same index. Others give no index.
#[tokio::test]
async fn calls_without_a_distinct_index_stay_separate() {
    for index in [json!({ "index": 0 }), json!({})] {
        let chunk = |id: &str, name: &str, arguments: &str| {
            let mut call = index.clone();
            call["id"] = id.into();
            call["function"] = json!({ "name": name, "arguments": arguments });
            let chunk = json!({ "choices": [{ "delta": { "tool_calls": [call] }, "finish_reason": null }] });
            format!("data: {chunk}\n\n")
        };
        let events = [
            chunk("a", "control", "{\"device\":"),
            chunk("", "", "\"Küche\"}"),
            chunk("b", "no_such_tool", "{}"),
            "data: [DONE]\n\n".to_owned(),
        ];
        let answer = Answer::stream(content_type(Provider::OpenAi), [events.concat()]);
        let reply = ask_for(Provider::OpenAi, answer, limits()).await.0;
        assert_eq!(
            reply.unwrap().calls,
            [
                call("a", "control", json!({ "device": "Küche" })),
                call("b", "no_such_tool", json!({})),
            ]
        );
    }
}

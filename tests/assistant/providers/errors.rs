//! Failures become errors that say what to do. The error bodies follow the providers' documentation.

use std::process::Command;
use std::time::Duration;

use serde_json::json;
use zwave_mcp_server::assistant::{
    AnthropicClient, ModelError, OllamaClient, OpenAiClient, Provider, ProviderSettings,
};

use super::{KEY, ask, ask_for, client_at, kind, limits};
use crate::fixture::free_port;
use crate::stand_in::{Answer, End, StandIn};

/// Returns an error body in a provider's format.
fn body(provider: Provider, kind: &str, message: &str) -> String {
    let body = match provider {
        Provider::Ollama => json!({ "error": message }),
        Provider::Anthropic => {
            json!({ "type": "error", "error": { "type": kind, "message": message } })
        }
        Provider::OpenAi => {
            json!({ "error": { "message": message, "type": kind, "param": null, "code": null } })
        }
    };
    body.to_string()
}

/// Returns the error for a provider's answer. Checks that neither it nor the client shows the key.
async fn ask_for_error(provider: Provider, answer: Answer) -> ModelError {
    let stand_in = StandIn::new([answer]).await;
    let client = client_at(provider, &stand_in.address, limits());
    let error = ask(client.as_ref()).await.0.unwrap_err();
    for told in [
        format!("{error:?}"),
        error.to_string(),
        format!("{client:?}"),
    ] {
        assert!(!told.contains(KEY), "{told}");
        assert!(!told.contains('\n'), "{told}");
    }
    error
}

#[tokio::test]
async fn each_http_status_becomes_the_matching_error() {
    for provider in Provider::ALL {
        for status in [400_u16, 413, 422] {
            let said = body(provider, "invalid_request_error", "max_tokens: too much.");
            let error = ask_for_error(provider, Answer::error(status, &said)).await;
            let ModelError::Refused { why, .. } = &error else {
                panic!("{error:?}");
            };
            assert_eq!(*why, format!("HTTP {status}: max_tokens: too much"));
        }
        let said = body(provider, "authentication_error", &format!("bad key {KEY}"));
        let no_key = ask_for_error(provider, Answer::error(401, &said)).await;
        assert!(matches!(no_key, ModelError::NoKey { .. }), "{no_key:?}");
        // The key is valid but lacks a right, so only the provider's message says what is wrong.
        let said = body(provider, "permission_error", &format!("{KEY}: no access"));
        let refused = ask_for_error(provider, Answer::error(403, &said)).await;
        let ModelError::Refused { why, .. } = &refused else {
            panic!("{refused:?}");
        };
        assert_eq!(*why, "HTTP 403: …: no access");
        for status in [500, 502, 503, 529] {
            for said in [
                body(
                    provider,
                    "overloaded_error",
                    &format!("Overloaded by {KEY}"),
                ),
                "<html><body>Bad Gateway</body></html>".to_owned(),
                String::new(),
            ] {
                let error = ask_for_error(provider, Answer::error(status, &said)).await;
                assert!(
                    matches!(&error, ModelError::Overloaded { why, retry_after: None, .. }
                        if why.contains(&status.to_string()) && !why.contains('<')),
                    "{error:?}"
                );
            }
        }
        for status in [301, 307] {
            let mut answer = Answer::error(status, "");
            answer.headers += "location: http://127.0.0.1:9/\r\n";
            let error = ask_for_error(provider, answer).await;
            assert!(matches!(error, ModelError::Unreachable { .. }), "{error:?}");
        }
    }
}

#[tokio::test]
async fn a_rate_limit_error_says_when_to_retry() {
    for provider in Provider::ALL {
        for (headers, seconds) in [
            ("retry-after: 7\r\n", 7),
            (
                "date: Wed, 21 Oct 2015 07:28:00 GMT\r\nretry-after: Wed, 21 Oct 2015 07:29:00 GMT\r\n",
                60,
            ),
        ] {
            let said = body(provider, "rate_limit_error", "Slow down.");
            let mut answer = Answer::error(429, &said);
            answer.headers += headers;
            let error = ask_for_error(provider, answer).await;
            let ModelError::Overloaded { retry_after, .. } = &error else {
                panic!("{error:?}");
            };
            assert_eq!(*retry_after, Some(Duration::from_secs(seconds)));
            let told = format!("; try again in {seconds} s, or");
            assert!(error.to_string().contains(&told), "{error}");
        }
        let error = ask_for_error(provider, Answer::error(429, "")).await;
        assert!(error.to_string().contains("; try again later, or"));
    }
}

#[tokio::test]
async fn a_missing_model_is_distinguished_from_a_wrong_address() {
    let said = body(Provider::Ollama, "", "model 'qwen3:0.6b' not found");
    let missing = ask_for_error(Provider::Ollama, Answer::error(404, &said)).await;
    assert_eq!(
        missing.to_string(),
        "ollama:qwen3:0.6b is not there: run `ollama pull qwen3:0.6b`."
    );
    for (provider, message) in [
        (Provider::Anthropic, "model: qwen3:0.6b"),
        (Provider::OpenAi, "The model `qwen3:0.6b` does not exist."),
    ] {
        let said = body(provider, "not_found_error", message);
        let missing = ask_for_error(provider, Answer::error(404, &said)).await;
        assert!(
            matches!(missing, ModelError::NoSuchModel { .. }),
            "{missing:?}"
        );
    }
    for provider in Provider::ALL {
        for said in ["404 page not found", "{\"detail\":\"Not Found\"}", "<html>"] {
            let wrong = ask_for_error(provider, Answer::error(404, said)).await;
            let setting = provider.address_setting();
            assert!(matches!(wrong, ModelError::Unreachable { .. }), "{wrong:?}");
            assert!(wrong.to_string().contains(setting), "{wrong}");
        }
    }
}

#[tokio::test]
async fn an_error_within_a_stream_ends_it() {
    let anthropic = |kind: &str| {
        let said = body(Provider::Anthropic, kind, "Overloaded");
        let text = "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Kü\"}}\n\n";
        (
            Provider::Anthropic,
            format!("{text}event: error\ndata: {said}\n\n"),
        )
    };
    let openai = |error: serde_json::Value| {
        (
            Provider::OpenAi,
            format!("data: {}\n\ndata: [DONE]\n\n", json!({ "error": error })),
        )
    };
    let ollama = "{\"message\":{\"content\":\"Kü\"},\"done\":false}\n{\"error\":\"an error was encountered while running the model\"}\n";
    for (provider, events) in [
        anthropic("overloaded_error"),
        anthropic("api_error"),
        anthropic("rate_limit_error"),
        openai(
            json!({ "message": "The server had an error", "type": "server_error", "code": null }),
        ),
        openai(json!({ "message": "slot unavailable", "type": "unavailable_error", "code": 503 })),
        (Provider::Ollama, ollama.to_owned()),
    ] {
        let error =
            ask_for_error(provider, Answer::stream(kind(provider), [events.as_str()])).await;
        assert!(
            matches!(error, ModelError::Overloaded { .. }),
            "{events}: {error:?}"
        );
    }
    for (provider, events) in [
        anthropic("invalid_request_error"),
        anthropic("permission_error"),
        openai(json!({ "message": "too long", "type": "BadRequestError", "code": 400 })),
    ] {
        let error =
            ask_for_error(provider, Answer::stream(kind(provider), [events.as_str()])).await;
        assert!(
            matches!(error, ModelError::Refused { .. }),
            "{events}: {error:?}"
        );
    }
}

#[tokio::test]
async fn a_malformed_reply_is_a_garbled_error() {
    for provider in Provider::ALL {
        for answer in [
            Answer::stream("text/html", ["<html>Log in</html>"]),
            Answer::stream(kind(provider), ["Hello.\n\n"]),
            Answer::stream(kind(provider), ["data: Hello.\n\n"]),
            Answer::stream(kind(provider), ["data: \"[1\"\n\n"]),
            Answer::stream(kind(provider), [b"data: \xff\xfe\n\n".as_slice()]),
            Answer::stream("application/json", ["{"]),
            Answer::stream("application/json", [""]),
            Answer::stream(kind(provider), ["data: {}\n\n"]),
        ] {
            let error = ask_for_error(provider, answer.clone()).await;
            assert!(
                matches!(error, ModelError::Garbled { .. }),
                "{answer:?}: {error:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_reply_that_is_too_long_is_an_error() {
    for provider in Provider::ALL {
        for piece in ["\n", "data: aaaa", ": aaaaaaaaa\n\n"] {
            let pieces = std::iter::repeat_n(piece, 2000);
            let mut limits = limits();
            limits.max_bytes = 1000;
            let answer = Answer::stream(kind(provider), pieces);
            let error = ask_for(provider, answer, limits).await.0.unwrap_err();
            let at_once = error.to_string().contains("too long") || piece.starts_with(':');
            assert!(at_once, "{error}");
        }
    }
}

#[tokio::test]
async fn a_silent_or_stalled_reply_times_out() {
    for provider in Provider::ALL {
        for pieces in [vec![], vec!["\n"]] {
            let mut limits = limits();
            if pieces.is_empty() {
                limits.total = Duration::from_millis(150);
            } else {
                limits.idle = Duration::from_millis(150);
            }
            let answer = Answer {
                end: End::Silent,
                ..Answer::stream(kind(provider), pieces)
            };
            let error = ask_for(provider, answer, limits).await.0.unwrap_err();
            assert!(matches!(error, ModelError::TimedOut { .. }), "{error:?}");
        }
    }
}

/// A server may send the head of its reply at once, and only then load the model.
#[tokio::test]
async fn the_first_piece_may_take_the_whole_timeout() {
    for provider in Provider::ALL {
        let answer = Answer {
            end: End::Silent,
            ..Answer::stream(kind(provider), [""])
        };
        let mut limits = limits();
        limits.idle = Duration::from_millis(1);
        limits.total = Duration::from_millis(150);
        let error = ask_for(provider, answer, limits).await.0.unwrap_err();
        let whole = limits.total;
        assert!(
            matches!(error, ModelError::TimedOut { limit, .. } if limit == whole),
            "{error:?}"
        );
    }
}

#[test]
fn a_timeout_error_gives_the_limit_in_tenths_of_a_second() {
    for (limit, told) in [
        (30_000, "30 s"),
        (29_999, "30 s"),
        (7500, "7.5 s"),
        (20, "0.1 s"),
    ] {
        let error = ModelError::TimedOut {
            model: "openai:x".parse().unwrap(),
            limit: Duration::from_millis(limit),
        };
        let told = format!("openai:x did not reply within {told}.");
        assert_eq!(error.to_string(), told);
    }
}

#[tokio::test]
async fn a_refused_connection_is_reported_without_the_password() {
    for provider in Provider::ALL {
        let port = free_port();
        let address = format!("http://me:pass@127.0.0.1:{port}");
        let client = client_at(provider, &address, limits());
        let error = ask(client.as_ref()).await.0.unwrap_err();
        let told = format!("{error} {error:?} {client:?}");
        assert!(matches!(error, ModelError::Unreachable { .. }), "{told}");
        assert!(!told.contains("pass"), "{told}");
        assert!(told.contains("refused"), "{told}");
        assert!(told.contains(&format!("127.0.0.1:{port}")), "{told}");
    }
}

#[test]
fn an_invalid_address_is_rejected_when_the_client_is_created() {
    let at = |address: &str| ProviderSettings {
        address: address.to_owned(),
        ..ProviderSettings::default()
    };
    for error in [
        AnthropicClient::new("x", at("me:pass@example.com")).unwrap_err(),
        OpenAiClient::new("x", at("ftp://me:pass@example.com")).unwrap_err(),
        OllamaClient::new("x", at("me:pass@example.com:port")).unwrap_err(),
    ] {
        assert!(matches!(error, ModelError::Unreachable { .. }), "{error:?}");
        assert!(!error.to_string().contains("pass"), "{error}");
    }
}

#[tokio::test]
async fn anthropic_gets_no_request_without_a_key() {
    let stand_in = StandIn::new([]).await;
    let settings = ProviderSettings {
        address: stand_in.address.clone(),
        ..ProviderSettings::default()
    };
    let client = AnthropicClient::new("x", settings).unwrap();
    let error = ask(&client).await.0.unwrap_err();
    assert_eq!(
        error.to_string(),
        "anthropic:x needs a valid key in ANTHROPIC_API_KEY."
    );
    assert!(stand_in.requests().is_empty());
}

/// Ollama refuses `think` for models without a thinking mode.
#[tokio::test]
async fn ollama_is_asked_again_without_think_if_it_refuses_it() {
    let said = "\"qwen3:0.6b\" does not support thinking";
    let line = "{\"message\":{\"content\":\"Done.\"},\"done\":true}\n";
    let stand_in = StandIn::new([
        Answer::error(400, &body(Provider::Ollama, "", said)),
        Answer::stream(kind(Provider::Ollama), [line]),
        Answer::stream(kind(Provider::Ollama), [line]),
    ])
    .await;
    let client = client_at(Provider::Ollama, &stand_in.address, limits());
    for _ in 0..2 {
        assert_eq!(ask(client.as_ref()).await.0.unwrap().text, "Done.");
    }
    let asked = stand_in.requests();
    let think: Vec<_> = asked.iter().map(|asked| asked.body.get("think")).collect();
    assert_eq!(think, [Some(&json!(false)), None, None]);
}

/// A proxy from the environment would see the sentence and the key.
#[test]
fn requests_to_this_machine_never_use_a_proxy() {
    let again = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "providers::streams::an_unstreamed_reply_is_understood",
        ])
        .env("HTTP_PROXY", "http://127.0.0.1:9")
        .env("ALL_PROXY", "http://127.0.0.1:9")
        .env("http_proxy", "http://127.0.0.1:9")
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&again.stdout);
    assert!(
        again.status.success() && said.contains("1 passed"),
        "{said}"
    );
}

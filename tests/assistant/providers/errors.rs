//! Failures become errors that say what to do. The error bodies follow the providers' documentation.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value as Json, json};
use zwave_mcp_server::assistant::{
    AnthropicClient, ModelError, ModelFailure, OllamaClient, OpenAiClient, Provider,
    ProviderSettings, ReplyLimits,
};

use super::{KEY, ask, ask_for, client_at, content_type, limits};
use crate::fixture::ClosedAddress;
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

fn refused(why: &str) -> ModelFailure {
    ModelFailure::Refused(why.to_owned())
}

fn unreachable(why: &str) -> ModelFailure {
    ModelFailure::Unreachable(why.to_owned())
}

fn overloaded(why: &str, retry_after: Option<u64>) -> ModelFailure {
    ModelFailure::Overloaded {
        why: why.to_owned(),
        retry_after: retry_after.map(Duration::from_secs),
    }
}

/// Returns the error for a provider's answer. Checks that the error and the client are each printed as one
/// line without the key.
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
        let body = |kind: &str, message: &str| body(provider, kind, message);
        let too_much = body("invalid_request_error", "max_tokens: too much.");
        let bad_key = body("authentication_error", &format!("bad key {KEY}"));
        // The key is valid but lacks a permission, so only the provider's message says what is wrong.
        let no_access = body("permission_error", &format!("{KEY}: no access"));
        let mut rows = vec![
            (401, bad_key, ModelFailure::NoKey),
            (403, no_access, refused("HTTP 403: …: no access")),
        ];
        for status in [400, 413, 422] {
            let why = format!("HTTP {status}: max_tokens: too much");
            rows.push((status, too_much.clone(), refused(&why)));
            // Error bodies in the formats of vLLM, FastAPI and others.
            for text in [
                r#"{"object":"error","message":"max_tokens: too much.","code":404}"#,
                r#"{"detail":"max_tokens: too much"}"#,
                "max_tokens:\n too much\n",
            ] {
                rows.push((status, text.to_owned(), refused(&why)));
            }
        }
        for status in [500, 502, 503, 529] {
            let why = format!("HTTP {status}");
            let overload = body("overloaded_error", &format!("Overloaded by {KEY}"));
            rows.push((
                status,
                overload,
                overloaded(&format!("{why}: Overloaded by …"), None),
            ));
            let page = "<html><body>Bad Gateway</body></html>".to_owned();
            rows.push((status, page, overloaded(&why, None)));
            rows.push((status, String::new(), overloaded(&why, None)));
            rows.push((status, "{}".to_owned(), overloaded(&why, None)));
        }
        for (status, text, failure) in rows {
            let error = ask_for_error(provider, Answer::with_status(status, &text)).await;
            assert_eq!(error.failure, failure);
        }
        for status in [301, 307] {
            let mut answer = Answer::with_status(status, "");
            answer.headers += "location: http://127.0.0.1:9/\r\n";
            let error = ask_for_error(provider, answer).await;
            let why = format!("HTTP {status}; the address redirects elsewhere");
            assert_eq!(error.failure, unreachable(&why));
        }
    }
}

#[tokio::test]
async fn a_rate_limit_error_says_when_to_retry() {
    for provider in Provider::ALL {
        for (headers, seconds, told) in [
            ("retry-after: 7\r\n", Some(7), "; try again in 7 s, or"),
            (
                "date: Wed, 21 Oct 2015 07:28:00 GMT\r\nretry-after: Wed, 21 Oct 2015 07:29:00 GMT\r\n",
                Some(60),
                "; try again in 60 s, or",
            ),
            (
                "date: Wed, 21 Oct 2015 07:28:00 GMT\r\nretry-after: Wed, 21 Oct 2015 07:20:00 GMT\r\n",
                Some(0),
                "; try again later, or",
            ),
            // The wait is at most a day.
            (
                "retry-after: 18446744073709551615\r\n",
                Some(86_400),
                "; try again in 86400 s, or",
            ),
            ("retry-after: soon\r\n", None, "; try again later, or"),
            ("", None, "; try again later, or"),
        ] {
            let body = body(provider, "rate_limit_error", "Slow down.");
            let mut answer = Answer::with_status(429, &body);
            answer.headers += headers;
            let error = ask_for_error(provider, answer).await;
            assert_eq!(error.failure, overloaded("HTTP 429: Slow down", seconds));
            assert!(error.to_string().contains(told), "{error}");
        }
    }
}

#[tokio::test]
async fn a_missing_model_is_distinguished_from_a_wrong_address() {
    for (provider, message, told) in [
        (
            Provider::Ollama,
            "model 'qwen3:0.6b' not found",
            "ollama:qwen3:0.6b is not installed: run `ollama pull qwen3:0.6b`.",
        ),
        (
            Provider::Anthropic,
            "model: qwen3:0.6b",
            "anthropic:qwen3:0.6b is not there: model: qwen3:0.6b.",
        ),
        (
            Provider::OpenAi,
            "The model `qwen3:0.6b` does not exist.",
            "openai:qwen3:0.6b is not there: The model `qwen3:0.6b` does not exist.",
        ),
    ] {
        let body = body(provider, "not_found_error", message);
        let missing = ask_for_error(provider, Answer::with_status(404, &body)).await;
        assert_eq!(missing.to_string(), told);
        for body in ["404 page not found", "{\"detail\":\"Not Found\"}", "<html>"] {
            let wrong = ask_for_error(provider, Answer::with_status(404, body)).await;
            let is_unreachable = matches!(wrong.failure, ModelFailure::Unreachable(_));
            assert!(is_unreachable, "{wrong:?}");
            assert!(
                wrong.to_string().contains(provider.settings()[0]),
                "{wrong}"
            );
        }
    }
}

#[tokio::test]
async fn an_error_within_a_stream_is_the_error_of_the_reply() {
    let anthropic = |kind: &str| {
        let error = body(Provider::Anthropic, kind, "Overloaded");
        let text = "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Kü\"}}\n\n";
        let events = format!("{text}event: error\ndata: {error}\n\n");
        (Provider::Anthropic, events)
    };
    let openai = |message: &str, kind: &str, code: Json| {
        let error = json!({ "message": message, "type": kind, "code": code });
        let events = format!("data: {}\n\ndata: [DONE]\n\n", json!({ "error": error }));
        (Provider::OpenAi, events)
    };
    let ollama =
        "{\"message\":{\"content\":\"Kü\"},\"done\":false}\n{\"error\":\"the model stopped\"}\n";
    for ((provider, events), failure) in [
        (
            anthropic("overloaded_error"),
            overloaded("Overloaded", None),
        ),
        (anthropic("api_error"), overloaded("Overloaded", None)),
        (
            anthropic("rate_limit_error"),
            overloaded("Overloaded", None),
        ),
        (
            openai("The server had an error", "server_error", Json::Null),
            overloaded("The server had an error", None),
        ),
        (
            openai("slot unavailable", "unavailable_error", json!(503)),
            overloaded("slot unavailable", None),
        ),
        (
            (Provider::Ollama, ollama.to_owned()),
            overloaded("the model stopped", None),
        ),
        (
            anthropic("invalid_request_error"),
            refused("HTTP 400: Overloaded"),
        ),
        (
            anthropic("permission_error"),
            refused("HTTP 403: Overloaded"),
        ),
        (
            openai("too long", "BadRequestError", json!(400)),
            refused("HTTP 400: too long"),
        ),
    ] {
        let answer = Answer::stream(content_type(provider), [events.as_str()]);
        let error = ask_for_error(provider, answer).await;
        assert_eq!(error.failure, failure, "{events}");
    }
}

#[tokio::test]
async fn a_malformed_reply_is_reported_as_garbled() {
    for provider in Provider::ALL {
        for answer in [
            Answer::stream("text/html", ["<html>Log in</html>"]),
            Answer::stream(content_type(provider), ["Hello.\n\n"]),
            Answer::stream(content_type(provider), ["data: Hello.\n\n"]),
            Answer::stream(content_type(provider), ["data: \"[1\"\n\n"]),
            Answer::stream(content_type(provider), [b"data: \xff\xfe\n\n".as_slice()]),
            Answer::stream("application/json", ["{"]),
            Answer::stream("application/json", [""]),
            Answer::stream(content_type(provider), ["data: {}\n\n"]),
        ] {
            let error = ask_for_error(provider, answer.clone()).await;
            let is_garbled = matches!(error.failure, ModelFailure::Garbled(_));
            assert!(is_garbled, "{answer:?}: {error:?}");
        }
    }
}

#[tokio::test]
async fn a_reply_that_is_too_long_is_an_error() {
    for provider in Provider::ALL {
        for piece in ["\n", "data: aaaa", ": aaaaaaaaa\n\n"] {
            let answer = Answer::stream(content_type(provider), std::iter::repeat_n(piece, 2000));
            let limits = ReplyLimits {
                max_bytes: 1000,
                ..limits()
            };
            let error = ask_for(provider, answer, limits).await.0.unwrap_err();
            // Ollama's client fails at once on the line that starts with a colon, because the line is not JSON.
            let is_expected = error.to_string().contains("too long") || piece.starts_with(':');
            assert!(is_expected, "{error}");
        }
    }
}

/// A server may send the HTTP headers at once, and only then load the model. Therefore, the idle limit
/// applies only after the first piece of the body.
#[tokio::test]
async fn a_silent_or_stalled_reply_times_out() {
    let short = Duration::from_millis(150);
    for provider in Provider::ALL {
        for (pieces, total, idle) in [
            (vec![], short, limits().idle),
            (vec![""], short, Duration::from_millis(1)),
            (vec!["\n"], limits().total, short),
        ] {
            let answer = Answer {
                end: End::Silent,
                ..Answer::stream(content_type(provider), pieces)
            };
            let limits = ReplyLimits {
                total,
                idle,
                ..limits()
            };
            let error = ask_for(provider, answer, limits).await.0.unwrap_err();
            assert_eq!(error.failure, ModelFailure::TimedOut(short));
        }
    }
}

#[test]
fn a_timeout_error_gives_the_limit_in_seconds_rounded_up_to_tenths() {
    for (limit, words) in [
        (30_000, "30 s"),
        (29_999, "30 s"),
        (7500, "7.5 s"),
        (20, "0.1 s"),
    ] {
        let error = ModelError {
            model: "openai:x".parse().unwrap(),
            address: String::new(),
            failure: ModelFailure::TimedOut(Duration::from_millis(limit)),
        };
        let message = format!("openai:x did not reply within {words}.");
        assert_eq!(error.to_string(), message);
    }
}

#[tokio::test]
async fn a_refused_connection_is_reported_without_the_password() {
    for provider in Provider::ALL {
        let closed = ClosedAddress::new();
        let address = format!("http://me:pass@{closed}");
        let client = client_at(provider, &address, limits());
        let error = ask(client.as_ref()).await.0.unwrap_err();
        let told = format!("{error} {error:?} {client:?}");
        assert!(
            matches!(error.failure, ModelFailure::Unreachable(_)),
            "{told}"
        );
        assert!(!told.contains("pass"), "{told}");
        assert!(told.contains("refused"), "{told}");
        assert!(told.contains(&closed.to_string()), "{told}");
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
        assert!(
            matches!(error.failure, ModelFailure::Unreachable(_)),
            "{error:?}"
        );
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
async fn if_ollama_refuses_the_think_field_it_gets_the_request_again_without_that_field() {
    let message = "\"qwen3:0.6b\" does not support thinking";
    let line = "{\"message\":{\"content\":\"Done.\"},\"done\":true}\n";
    let stand_in = StandIn::new([
        Answer::with_status(400, &body(Provider::Ollama, "", message)),
        Answer::stream(content_type(Provider::Ollama), [line]),
        Answer::stream(content_type(Provider::Ollama), [line]),
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
    let output = Command::new(std::env::current_exe().unwrap())
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
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && stdout.contains("1 passed"),
        "{stdout}"
    );
}

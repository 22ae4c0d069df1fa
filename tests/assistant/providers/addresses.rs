//! The addresses that clients derive from the settings, as their `Debug` output shows them.

use zwave_mcp_server::assistant::{OllamaClient, Provider};

use super::{MODEL, client_with, limits, settings};

/// Returns true if a client of the provider uses `address` for what its settings say.
fn uses(provider: Provider, setting: &str, address: &str) -> bool {
    let client = client_with(provider, settings(setting, limits()));
    format!("{client:?}").contains(&format!("address: {address:?}"))
}

#[test]
fn a_base_address_may_end_with_a_slash_or_the_version() {
    for base in [
        "https://a.example",
        "https://a.example/",
        "https://a.example/v1/",
    ] {
        let messages = "https://a.example/v1/messages";
        assert!(uses(Provider::Anthropic, base, messages), "{base}");
        let chat = "https://a.example/v1/chat/completions";
        assert!(uses(Provider::OpenAi, base, chat), "{base}");
    }
    let (proxy, messages) = (
        "http://proxy.example/anthropic/",
        "http://proxy.example/anthropic/v1/messages",
    );
    assert!(uses(Provider::Anthropic, proxy, messages));
}

#[test]
fn a_version_other_than_v1_is_kept() {
    let google = "https://g.example/v1beta/openai/";
    let chat = "https://g.example/v1beta/openai/chat/completions";
    assert!(uses(Provider::OpenAi, google, chat));
}

/// The cases of `TestHost` in Ollama's `envconfig/config_test.go` that a client can connect to.
#[test]
fn ollamas_host_may_have_the_forms_that_ollama_accepts() {
    for (host, address) in [
        ("", "http://127.0.0.1:11434/api/chat"),
        ("1.2.3.4", "http://1.2.3.4:11434/api/chat"),
        (":1234", "http://127.0.0.1:1234/api/chat"),
        ("1.2.3.4:1234", "http://1.2.3.4:1234/api/chat"),
        ("example.com", "http://example.com:11434/api/chat"),
        ("example.com:1234", "http://example.com:1234/api/chat"),
        ("example.com:80", "http://example.com/api/chat"),
        ("http://1.2.3.4", "http://1.2.3.4/api/chat"),
        ("https://1.2.3.4", "https://1.2.3.4/api/chat"),
        ("https://1.2.3.4:1234", "https://1.2.3.4:1234/api/chat"),
        (
            "https://example.com/ollama",
            "https://example.com/ollama/api/chat",
        ),
        ("[::1]", "http://[::1]:11434/api/chat"),
        ("::1", "http://[::1]:11434/api/chat"),
        ("[::1]:1337", "http://[::1]:1337/api/chat"),
        ("[::]", "http://[::1]:11434/api/chat"),
        ("0.0.0.0", "http://127.0.0.1:11434/api/chat"),
        ("0.0.0.0:80", "http://127.0.0.1/api/chat"),
        ("\"1.2.3.4\"", "http://1.2.3.4:11434/api/chat"),
        (" ' 1.2.3.4 ' ", "http://1.2.3.4:11434/api/chat"),
        ("1.2.3.4/", "http://1.2.3.4:11434/api/chat"),
        ("http://1.2.3.4:11434/v1", "http://1.2.3.4:11434/api/chat"),
        // A password is not shown.
        (
            "http://me:secret@127.0.0.1:1",
            "http://127.0.0.1:1/api/chat",
        ),
    ] {
        assert!(uses(Provider::Ollama, host, address), "{host}");
    }
    for host in ["1.2.3.4:66000", "host:port", "ftp://1.2.3.4"] {
        assert!(
            OllamaClient::new(MODEL, settings(host, limits())).is_err(),
            "{host}"
        );
    }
}

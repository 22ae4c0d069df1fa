//! What each entry and link for a host has in it, whatever the settings.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use serde_json::Value as Json;
use zwave_mcp_server::cli::settings::for_hosts::HostSettings;
use zwave_mcp_server::doctor::{Entries, EntryFormat, KnownHost, find_hosts, hosts};
use zwave_mcp_server::terminal::Screen;

const PLACEHOLDER: &str = "put the MQTT password here";

fn host(id: &str) -> &'static KnownHost {
    find_hosts(id).unwrap().pop().unwrap()
}

fn entries(needs_password: bool) -> Entries {
    Entries {
        program: "/opt/my tools/zwave-mcp-server".into(),
        settings: HostSettings {
            variables: vec![
                ("MQTT_BROKER_URL".to_owned(), "mqtt://pi:1883".to_owned()),
                ("MQTT_USERNAME".to_owned(), "it's me".to_owned()),
            ],
            arguments: vec![
                "--hide=Ätt?c>>/*,{env}".to_owned(),
                "--read-only".to_owned(),
            ],
            needs_password,
            confirms_guarded: false,
        },
    }
}

fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8().unwrap().into_owned()
}

#[test]
fn a_host_is_found_by_its_id_or_name_in_any_case() {
    let found =
        |name| find_hosts(name).map(|hosts| hosts.iter().map(|host| &*host.id).collect::<Vec<_>>());
    assert_eq!(found("CURSOR"), Ok(vec!["cursor"]));
    assert_eq!(found("lm studio"), Ok(vec!["lm-studio"]));
    assert_eq!(found("vscode"), Ok(vec!["vs-code"]));
    assert_eq!(found("all").map(|all| all.len()), Ok(hosts().len()));
    let error = found("emacs").unwrap_err();
    assert!(
        error.contains("\"emacs\"") && error.contains("open-webui"),
        "{error}"
    );
}

#[test]
fn there_are_eighteen_hosts_with_ids_that_are_unique_and_need_no_quotes() {
    let ids: BTreeSet<_> = hosts().iter().map(|host| &*host.id).collect();
    assert_eq!((ids.len(), hosts().len()), (18, 18));
    let plain = |id: &&str| id.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-');
    assert!(ids.iter().all(plain), "{ids:?}");
}

#[test]
fn a_posix_shell_splits_the_claude_code_command_into_the_right_words() {
    let words = shlex::split(&entries(true).text(host("claude-code"))).unwrap();
    let expected = [
        "claude",
        "mcp",
        "add",
        "--scope",
        "user",
        "zwave",
        "-e",
        "MQTT_BROKER_URL=mqtt://pi:1883",
        "-e",
        "MQTT_USERNAME=it's me",
        "-e",
        "MQTT_PASSWORD=put the MQTT password here",
        "--",
        "/opt/my tools/zwave-mcp-server",
        "--hide=Ätt?c>>/*,{env}",
        "--read-only",
    ];
    assert_eq!(words, expected);
}

#[test]
fn every_entry_has_the_program_its_arguments_and_its_environment() {
    for (needs_password, host) in [true, false]
        .into_iter()
        .flat_map(|needs| hosts().iter().map(move |host| (needs, host)))
    {
        let text = entries(needs_password).text(host);
        let read = match host.format {
            EntryFormat::Json => {
                serde_json::from_str::<Json>(&text).map_err(|error| error.to_string())
            }
            EntryFormat::Toml => toml::from_str::<Json>(&text).map_err(|error| error.to_string()),
            EntryFormat::Yaml | EntryFormat::Shell => Ok(Json::Null),
        };
        assert!(read.is_ok(), "{}: {read:?}\n{text}", host.id);
        let expected = [
            "/opt/my tools/zwave-mcp-server",
            "--hide=Ätt?c>>/*,{env}",
            "--read-only",
            "mqtt://pi:1883",
            "me",
        ];
        for expected in expected {
            assert!(
                text.contains(expected),
                "{} lacks {expected}: {text}",
                host.id
            );
        }
        let has_password = text.contains(PLACEHOLDER) || text.contains("${input:");
        assert_eq!(has_password, needs_password, "{}: {text}", host.id);
        let templates = ["{command}", "{args}", "{words}", " {env}", "{if_password}"];
        assert!(templates.iter().all(|name| !text.contains(name)), "{text}");
    }
}

#[test]
fn an_entry_without_settings_has_empty_lists() {
    let entries = Entries {
        program: "server".into(),
        settings: HostSettings::default(),
    };
    let text = entries.text(host("continue"));
    assert!(text.ends_with("args: []\n    env: {}"), "{text}");
    let text = entries.text(host("codex"));
    assert!(text.ends_with("args = []\nenv = {}"), "{text}");
    let text = entries.text(host("claude-desktop"));
    let server = &serde_json::from_str::<Json>(&text).unwrap()["mcpServers"]["zwave"];
    assert_eq!(server["args"].as_array().unwrap().len(), 0);
}

#[test]
fn the_server_can_be_decoded_from_a_link() {
    let entries = entries(true);
    for (id, start) in [
        ("cursor", "cursor://anysphere.cursor-deeplink/mcp/install?"),
        ("lm-studio", "lmstudio://add_mcp?"),
    ] {
        let link = entries.link(host(id)).unwrap();
        let config = link.strip_prefix(start).unwrap();
        let config = config.strip_prefix("name=zwave&config=").unwrap();
        assert!(!config.contains(['+', '/', '=']), "{config}");
        let config = STANDARD.decode(decode(config)).unwrap();
        let text = entries.text(host(id));
        let entry: Json = serde_json::from_str(&text).unwrap();
        assert_eq!(
            serde_json::from_slice::<Json>(&config).unwrap(),
            entry["mcpServers"]["zwave"]
        );
    }
}

#[test]
fn vs_code_asks_for_a_password_only_if_one_is_needed() {
    for needs_password in [true, false] {
        let entries = entries(needs_password);
        let link = entries.link(host("vs-code")).unwrap();
        let query = link.strip_prefix("vscode:mcp/install?").unwrap();
        assert!(!query.contains([' ', '"', '{', '?']), "{query}");
        let link: Json = serde_json::from_str(&decode(query)).unwrap();
        assert_eq!(link["name"], "zwave");
        let file: Json = serde_json::from_str(&entries.text(host("vs-code"))).unwrap();
        let server = &file["servers"]["zwave"];
        for (server, inputs) in [(&link, link.get("inputs")), (server, file.get("inputs"))] {
            let password = server["env"].get("MQTT_PASSWORD").and_then(Json::as_str);
            let expected = needs_password.then_some("${input:mqtt-password}");
            assert_eq!(password, expected);
            assert_eq!(inputs.is_some(), needs_password);
        }
    }
}

#[test]
fn the_option_guard_confirm_adds_a_note_to_hosts_that_cannot_ask() {
    let mut entries = entries(false);
    let [can_ask, cannot_ask] = ["vs-code", "claude-desktop"].map(host);
    assert!(!entries.listing([cannot_ask], Screen::default()).contains("--guard"));
    entries.settings.confirms_guarded = true;
    assert!(entries.listing([cannot_ask], Screen::default()).contains("--guard=confirm"));
    assert!(!entries.listing([can_ask], Screen::default()).contains("--guard"));
}

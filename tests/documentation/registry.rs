//! `server.json` follows the rules that the MCP registry publishes and checks (schema 2025-12-11).

use serde_json::Value as Json;

use crate::host::{README, package_field, variables};

fn server() -> Json {
    serde_json::from_str(include_str!("../../server.json")).unwrap()
}

fn text<'a>(json: &'a Json, field: &str) -> &'a str {
    json[field].as_str().unwrap_or_else(|| panic!("{field} must be a text: {json}"))
}

#[test]
fn every_field_is_known_and_within_the_registry_s_limits() {
    let server = server();
    assert_eq!(
        text(&server, "$schema"),
        "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
    );
    let known = [
        "$schema",
        "name",
        "title",
        "description",
        "version",
        "repository",
        "packages",
    ];
    for field in server.as_object().unwrap().keys() {
        assert!(known.contains(&field.as_str()), "{field}");
    }
    for (field, least, most) in [("name", 3, 200), ("title", 1, 100), ("description", 1, 100)] {
        let length = text(&server, field).chars().count();
        assert!((least..=most).contains(&length), "{field}: {length}");
    }
    let (namespace, name) = text(&server, "name").split_once('/').unwrap();
    let allowed = |text: &str, more: &str| {
        let fits = |letter: char| letter.is_ascii_alphanumeric() || more.contains(letter);
        !text.is_empty() && text.chars().all(fits)
    };
    assert!(allowed(namespace, ".-") && allowed(name, "._-"));
    // The workflow publishes as the repository's owner, and only OWNER may publish under `io.github.OWNER`.
    let owner = namespace.strip_prefix("io.github.").unwrap();
    let repository = &server["repository"];
    assert_eq!(
        text(repository, "url"),
        format!("https://github.com/{owner}/{name}")
    );
    assert_eq!(text(repository, "url"), package_field("repository"));
    assert_eq!(text(repository, "source"), "github");
}

#[test]
fn the_crate_needs_the_rules_of_its_own_version() {
    let version = package_field("version");
    let ours = include_str!("../../Cargo.toml");
    assert!(ours.contains(&format!(
        "\nzwave-home = {{ path = \"src/home\", version = \"={version}\""
    )));
}

#[test]
fn the_entry_has_the_crate_s_version_and_no_package_other_than_the_crate() {
    let server = server();
    assert_eq!(text(&server, "version"), package_field("version"));
    let [package] = &server["packages"].as_array().unwrap()[..] else {
        panic!(
            "server.json must have only the crate as a package; the MCP bundles are added to a copy for each release"
        )
    };
    assert_eq!(text(package, "registryType"), "cargo");
    assert_eq!(text(package, "identifier"), package_field("name"));
    assert_eq!(text(package, "version"), package_field("version"));
    assert_eq!(package["transport"], serde_json::json!({ "type": "stdio" }));
    // The registry rejects these fields for cargo packages.
    assert!(package["fileSha256"].is_null() && package["registryBaseUrl"].is_null());
    let known = variables();
    for variable in package["environmentVariables"].as_array().unwrap() {
        let name = text(variable, "name");
        assert!(known.contains(name), "no setting is called {name}");
        let is_secret = variable["isSecret"].as_bool().unwrap_or_default();
        assert_eq!(is_secret, name == "MQTT_PASSWORD", "{name}");
        if let Some(default) = variable.get("default") {
            assert!(default.is_string(), "{name}: a default must be a string");
        }
    }
}

#[test]
fn the_readme_has_the_line_by_which_the_registry_checks_the_crate_s_owner() {
    // The line is visible, because crates.io strips comments.
    let expected = format!("mcp-name: {}", text(&server(), "name"));
    let has_line = README.lines().any(|line| line == expected);
    assert!(has_line, "the README needs a line {expected:?}");
}

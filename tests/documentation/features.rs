//! The crates that each feature of the package brings along, as cargo tells them.

use std::collections::BTreeMap;
use std::process::Command;

/// The crates that are built for a feature alone, this one not among them, each with its own
/// features.
fn crates(feature: &str) -> BTreeMap<String, Vec<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--no-default-features"])
        .args(["--features", feature, "--edges", "normal,build"])
        .args(["--prefix", "none", "--no-dedupe", "--format", "{p}|{f}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let crates = text.lines().map(|line| {
        let (package, features) = line.split_once('|').unwrap();
        let mut words = package.split(' ');
        let name = [words.next().unwrap(), words.next().unwrap()].join(" ");
        (name, features.split(',').map(str::to_owned).collect())
    });
    crates.filter(|(name, _)| !name.starts_with("zwave-mcp-server ")).collect()
}

fn named<'a>(crates: &'a BTreeMap<String, Vec<String>>, name: &str) -> Option<&'a Vec<String>> {
    let found = crates.iter().find(|(package, _)| package.split(' ').next() == Some(name));
    found.map(|(_, features)| features)
}

#[test]
fn the_client_alone_brings_nothing_of_mqtt_tls_rmcp_or_the_command_line_and_no_c_compiler() {
    let (client, server) = (crates("client"), crates("server"));
    assert!(client.len() <= 45, "{}: {client:?}", client.len());
    for name in [
        "rumqttc",
        "rustls",
        "ring",
        "rmcp",
        "clap",
        "cc",
        "tracing-subscriber",
        "indexmap",
    ] {
        // On Windows what makes job objects has it.
        let has = named(&client, name).is_some();
        assert!(
            !has || cfg!(windows) && name == "indexmap",
            "the client has {name}"
        );
        assert!(named(&server, name).is_some(), "the server has no {name}");
    }
    let json = |crates| named(crates, "serde_json").unwrap().join(",");
    for feature in ["preserve_order", "raw_value"] {
        assert!(!json(&client).contains(feature), "{}", json(&client));
        assert!(json(&server).contains(feature), "{}", json(&server));
    }
}

#[test]
fn the_view_brings_a_web_server_and_nothing_of_the_assistant() {
    let (view, server) = (crates("view"), crates("server"));
    for (name, there) in [
        ("hyper", true),
        ("opener", true),
        ("reqwest", false),
        ("rustyline", false),
    ] {
        assert_eq!(named(&view, name).is_some(), there, "{name}");
        assert!(named(&server, name).is_none(), "the server has {name}");
    }
    assert!(
        view.len() <= server.len() + 12,
        "{} and {}",
        view.len(),
        server.len()
    );
}

#[test]
fn the_default_is_the_server_with_its_page_and_the_simulator_brings_no_crate() {
    assert_eq!(crates("default"), crates("view"));
    assert_eq!(crates("simulator"), crates("server"));
}

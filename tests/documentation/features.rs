//! The crates that each feature of the package needs, according to cargo.

use std::collections::BTreeMap;
use std::process::Command;

/// Lists the dependencies of a build with only this feature, and the features that are enabled in each dependency.
fn crates(feature: &str) -> BTreeMap<String, Vec<String>> {
    let only = ["--no-default-features", "--features", feature];
    crates_of(&[&only[..], &["--edges", "normal,build"]].concat())
}

fn crates_of(options: &[&str]) -> BTreeMap<String, Vec<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline"])
        .args(options)
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

/// Returns the enabled features of the crate with this name; `None` if `crates` does not contain it.
fn features_of<'a>(
    crates: &'a BTreeMap<String, Vec<String>>,
    name: &str,
) -> Option<&'a Vec<String>> {
    let found = crates.iter().find(|(package, _)| package.split(' ').next() == Some(name));
    found.map(|(_, features)| features)
}

#[test]
fn the_client_alone_needs_few_crates_and_no_c_compiler() {
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
    ] {
        assert!(
            features_of(&client, name).is_none(),
            "the client has {name}"
        );
        assert!(
            features_of(&server, name).is_some(),
            "the server has no {name}"
        );
    }
    let json = |crates| features_of(crates, "serde_json").unwrap().join(",");
    for feature in ["preserve_order", "raw_value"] {
        assert!(!json(&client).contains(feature), "{}", json(&client));
        assert!(json(&server).contains(feature), "{}", json(&server));
    }
}

#[test]
fn the_view_needs_a_web_server_and_no_crate_of_the_assistant() {
    let (view, server) = (crates("view"), crates("server"));
    for (name, in_view) in [
        ("hyper", true),
        ("opener", true),
        ("reqwest", false),
        ("rustyline", false),
    ] {
        assert_eq!(features_of(&view, name).is_some(), in_view, "{name}");
        assert!(
            features_of(&server, name).is_none(),
            "the server has {name}"
        );
    }
    let (view, server) = (view.len(), server.len());
    assert!(
        view <= server + 12,
        "the view needs {view} crates, the server {server}"
    );
}

#[test]
fn the_default_build_has_the_view_and_the_assistant() {
    assert_eq!(crates("default"), crates("assistant,view"));
}

/// A feature that only tests enable would compile a crate, and all that depend on it, once more.
#[test]
fn the_tests_go_on_with_the_crates_that_the_demo_compiled() {
    let tests = crates_of(&["--edges", "normal,build,dev"]);
    for (name, features) in crates("default") {
        assert_eq!(tests.get(&name), Some(&features), "{name}");
    }
}

//! `list` and `control` as a person types them.

use std::process::Output;

use serde_json::Value as Json;
use tokio::process::Command;

use crate::size::two_hundred;
use crate::support::{House, setup};

async fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_zwave-mcp-server"))
        .args(arguments)
        .output()
        .await
        .unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn list_prints_a_table_of_the_demo_house() {
    needs!(mosquitto);
    let output = run(&["--demo", "list"]).await;
    assert!(output.status.success(), "{output:?}");
    let out = text(&output.stdout);
    // A person sees every device, dead ones too.
    assert!(out.starts_with("14 devices, 1 not responding."), "{out}");
    assert!(out.contains("switch       not responding\n"), "{out}");
    // One lamp lies and one plug is dead: a newcomer is told so.
    assert!(text(&output.stderr).contains("one lamp lies"), "{output:?}");
    assert!(out.contains("\nROOM         NAME"), "{out}");
    assert!(out.contains("\nKitchen      Ceiling"), "{out}");
}

#[tokio::test]
async fn list_json_has_the_same_devices() {
    needs!(mosquitto);
    let output = run(&["--demo", "list", "--json", "kitchen"]).await;
    let json: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["count"], 2);
    assert_eq!(json["devices"][0]["name"], "Ceiling");
    assert_eq!(json["devices"][0]["state"], "on 30 %");
}

#[tokio::test]
async fn list_has_every_device_of_a_large_house() {
    needs!(mosquitto);
    let house = House::of(setup(), two_hundred()).await;
    let broker = house.broker.url();
    let output = run(&["list", "--json", "--broker", &broker]).await;
    let json: Json = serde_json::from_slice(&output.stdout).unwrap();
    let devices = json["devices"].as_array().unwrap();
    assert!(devices.len() > 200, "{}", devices.len());
    assert_eq!(json["count"], devices.len());
    let output = run(&["list", "--broker", &broker]).await;
    let rows = text(&output.stdout).lines().count();
    assert_eq!(rows, devices.len() + 3);
}

#[tokio::test]
async fn list_problems_exits_with_3_only_where_there_are_some() {
    for (filter, code, first) in [
        (
            "problems",
            3,
            "2 problems.\n\nROOM     NAME          KIND    PROBLEM\n",
        ),
        ("problems kitchen", 0, "Nothing is wrong"),
        ("kitchen", 0, "2 matching devices."),
    ] {
        for json in [&["--json"][..], &[]] {
            let arguments = [&["--demo", "list"], json, &[filter]].concat();
            let output = run(&arguments).await;
            assert_eq!(output.status.code(), Some(code), "{arguments:?}");
            let out = text(&output.stdout);
            assert!(!json.is_empty() || out.starts_with(first), "{out}");
        }
    }
}

#[tokio::test]
async fn a_pattern_that_exposes_nothing_is_named() {
    let output = run(&["--demo", "list", "--expose", "cellar/*"]).await;
    let out = text(&output.stdout);
    assert!(
        out.contains("Nothing in the house is called \"cellar/*\""),
        "{out}"
    );
}

#[tokio::test]
async fn control_prints_a_sentence_and_exits_by_what_happened() {
    needs!(mosquitto);
    let output = run(&["--demo", "control", "coffee machine", "on"]).await;
    assert_eq!(text(&output.stdout), "Coffee Machine is now on.\n");
    assert_eq!(output.status.code(), Some(0));
    let output = run(&["--demo", "control", "work light", "on"]).await;
    assert_eq!(text(&output.stdout), "Work Light still reports off.\n");
    assert_eq!(output.status.code(), Some(1));
    let output = run(&[
        "--demo",
        "control",
        "kitchen ceiling",
        "dim",
        "55%",
        "--json",
    ])
    .await;
    let json: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["certainty"], "confirmed");
    assert_eq!(json["message"], "Kitchen Ceiling is now on at 55 %.");
}

#[tokio::test]
async fn control_reaches_a_house_on_a_broker() {
    needs!(mosquitto);
    let house = House::start().await;
    let broker = house.broker.url();
    let output = run(&["control", "lamp corner", "on", "--broker", &broker]).await;
    assert_eq!(text(&output.stdout), "Lamp Corner is now on.\n");
    assert_eq!(house.writes().len(), 1);
}

#[tokio::test]
async fn bad_usage_and_bad_settings_exit_with_2_and_one_line() {
    needs!(mosquitto);
    assert_eq!(run(&["--no-such-option"]).await.status.code(), Some(2));
    let output = run(&["--broker", "http://me:secret@host"]).await;
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        text(&output.stderr),
        "zwave-mcp-server: --broker is \"***@host\"; it must be an address such as \
         mqtt://localhost:1883 or mqtts://broker.local:8883\n"
    );
}

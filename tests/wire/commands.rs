//! `list` and `control` as a person types them.

use crate::House;
use crate::fixture::{run, setup, two_hundred_nodes};

#[tokio::test]
async fn list_prints_a_table_or_json_of_the_demo_house() {
    let table = run(&["--demo", "list"]).await;
    assert_eq!(table.code, Some(0), "{table:?}");
    // A person sees every device, dead ones too.
    assert!(
        table.out.starts_with("14 devices, 1 not responding."),
        "{table:?}"
    );
    for part in [
        "\nROOM         NAME",
        "\nKitchen      Ceiling",
        "switch       not responding\n",
    ] {
        assert!(table.out.contains(part), "{table:?}");
    }
    // One lamp lies and one plug is dead: a newcomer is told so.
    assert!(table.err.contains("one lamp lies"), "{table:?}");

    let json = run(&["--demo", "list", "--json", "kitchen"]).await.json();
    let ceiling = &json["devices"][0];
    assert_eq!(
        (&json["count"], &ceiling["name"], &ceiling["state"]),
        (&2.into(), &"Ceiling".into(), &"on 30 %".into())
    );
}

#[tokio::test]
async fn list_has_every_device_of_a_large_house() {
    needs!(mosquitto);
    let house = House::of(setup(), two_hundred_nodes()).await;
    let broker = house.broker.url();
    let json = run(&["list", "--json", "--broker", &broker]).await.json();
    let count = json["devices"].as_array().unwrap().len();
    assert!(count > 200, "{count}");
    assert_eq!(json["count"], count);
    let table = run(&["list", "--broker", &broker]).await;
    assert_eq!(table.out.lines().count(), count + 3);
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
            assert_eq!(output.code, Some(code), "{arguments:?}");
            let out = &output.out;
            assert!(!json.is_empty() || out.starts_with(first), "{out}");
        }
    }
}

#[tokio::test]
async fn a_pattern_that_exposes_nothing_is_named() {
    let told = run(&["--demo", "list", "--expose", "cellar/*"]).await;
    assert!(told.out.contains("\"cellar/*\""), "{told:?}");
}

#[tokio::test]
async fn control_prints_a_sentence_and_exits_by_what_happened() {
    let done = run(&["--demo", "control", "coffee machine", "on"]).await;
    assert_eq!(
        (done.code, done.out.as_str()),
        (Some(0), "Coffee Machine is now on.\n")
    );
    let failed = run(&["--demo", "control", "work light", "on"]).await;
    assert_eq!(
        (failed.code, failed.out.as_str()),
        (Some(1), "Work Light still reports off.\n")
    );
    let json = run(&[
        "--demo",
        "control",
        "kitchen ceiling",
        "dim",
        "55%",
        "--json",
    ])
    .await
    .json();
    assert_eq!(json["certainty"], "confirmed");
    assert!(json["message"].as_str().unwrap().contains("55 %"), "{json}");
}

#[tokio::test]
async fn control_reaches_a_house_on_a_broker() {
    needs!(mosquitto);
    let house = House::start().await;
    let broker = house.broker.url();
    let done = run(&["control", "lamp corner", "on", "--broker", &broker]).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(house.written_to(), [4]);
}

#[tokio::test]
async fn bad_usage_and_bad_settings_exit_with_2_and_one_line() {
    assert_eq!(run(&["--no-such-option"]).await.code, Some(2));
    for command in [&[][..], &["doctor"]] {
        let bad = [&["--broker", "http://me:secret@host"], command].concat();
        let told = run(&bad).await;
        assert_eq!((told.code, told.out.as_str()), (Some(2), ""));
        assert_eq!(told.err.lines().count(), 1, "{told:?}");
        assert!(
            told.err.contains("--broker is \"***@host\"; it must be"),
            "{told:?}"
        );
    }
}

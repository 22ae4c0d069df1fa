//! `list` and `control` as a person types them.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::sleep;

use crate::House;
use crate::fixture::{Ended, run, setup, signal, two_hundred_nodes};

#[tokio::test]
async fn list_prints_a_table_or_json_of_the_demo_house() {
    let table = run(&["--demo", "list"]).await;
    assert_eq!(table.code, Some(0), "{table:?}");
    // A person sees every device, dead ones too.
    assert!(
        table.out.starts_with("17 devices, 1 not responding."),
        "{table:?}"
    );
    for part in [
        "\nROOM         NAME",
        "\nKitchen      Ceiling",
        "switch       not responding\n",
    ] {
        assert!(table.out.contains(part), "{table:?}");
    }
    // Stderr explains the faults of the demo house to newcomers.
    assert!(table.err.contains("one lamp lies"), "{table:?}");

    let json = run(&["--demo", "list", "--json", "kitchen"]).await.json();
    let ceiling = &json["devices"][0];
    assert_eq!(
        (&json["count"], &ceiling["name"], &ceiling["state"]),
        (&2.into(), &"Ceiling".into(), &"on 30 %".into())
    );
}

#[tokio::test]
async fn control_fails_if_one_device_of_a_set_fails() {
    let text = run(&["--demo", "control", "all lights", "on"]).await;
    assert_eq!(
        text.out,
        "4 of 5 lights are now on. Work Light still reports off.\n"
    );
    assert_eq!(text.code, Some(1));
    let json = run(&["--demo", "control", "all lights", "on", "--json"]).await;
    assert_eq!(
        (json.json()["certainty"].as_str(), json.code),
        (Some("failed"), Some(1))
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
async fn list_problems_exits_with_3_only_if_there_are_some() {
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
async fn a_list_names_an_expose_pattern_that_matches_nothing() {
    let output = run(&["--demo", "list", "--expose", "cellar/*"]).await;
    assert!(output.out.contains("\"cellar/*\""), "{output:?}");
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
async fn bad_usage_exits_with_2_and_so_does_a_bad_setting_with_one_line() {
    assert_eq!(run(&["--no-such-option"]).await.code, Some(2));
    for command in [&[][..], &["doctor"]] {
        let bad = [&["--broker", "http://me:secret@host"], command].concat();
        let output = run(&bad).await;
        assert_eq!((output.code, output.out.as_str()), (Some(2), ""));
        assert_eq!(output.err.lines().count(), 1, "{output:?}");
        assert!(
            output.err.contains("--broker is \"***@host\"; it must be"),
            "{output:?}"
        );
    }
}

#[tokio::test]
async fn list_with_follow_says_so_prints_a_change_and_exits_with_0_when_interrupted() {
    needs!(mosquitto);
    let house = House::start().await;
    let broker = house.broker.url();
    let follower = Command::new(env!("CARGO_BIN_EXE_zwave-mcp-server"))
        .args(["list", "changed", "--follow", "--broker", &broker])
        .env_clear()
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let process = follower.id().unwrap();
    let follower = tokio::spawn(follower.wait_with_output());
    sleep(Duration::from_secs(2)).await;
    let switched = run(&["control", "lamp corner", "on", "--broker", &broker]).await;
    assert_eq!(switched.code, Some(0), "{switched:?}");
    sleep(Duration::from_secs(3)).await;
    signal(process, "INT");
    let followed: Ended = follower.await.unwrap().unwrap().into();
    assert_eq!(followed.code, Some(0), "{followed:?}");
    assert_eq!(followed.out.lines().count(), 1, "{followed:?}");
    assert!(followed.out.contains("Lamp Corner: on"), "{followed:?}");
    let notices = followed.err.matches("Watching; Ctrl-C ends it.").count();
    assert_eq!(notices, 1, "{followed:?}");
}

#[tokio::test]
async fn list_changed_suggests_follow_and_list_problems_rejects_it() {
    let changed = run(&["--demo", "list", "changed"]).await;
    assert!(changed.out.contains("With --follow"), "{changed:?}");
    let problems = run(&["--demo", "list", "problems", "--follow"]).await;
    assert_eq!(problems.code, Some(1));
    assert!(
        problems.out.starts_with("\"problems\" can't be followed."),
        "{problems:?}"
    );
}

#[tokio::test]
async fn control_accepts_an_action_in_any_of_its_spellings() {
    for action in ["set_color", "set-color", "Color"] {
        let typed = run(&["--demo", "control", "desk light", action, "blue"]).await;
        assert_eq!(typed.out, "Desk Light is now blue.\n", "{action}");
    }
}

#[tokio::test]
async fn a_mistyped_command_is_explained_in_terms_of_the_shell_not_of_a_tool_call() {
    for (typed, right) in [
        (
            &["kitchen ceiling", "dim"][..],
            "needs a level, for example: control \"kitchen ceiling\" dim 50\n",
        ),
        (&["kitchen ceiling", "+10"], "Did you mean \"increase 10\"?"),
        (&["kitchen ceiling", "40"], "Did you mean \"dim 40\"?"),
        (
            &["on", "coffee machine"],
            "Did you mean: control \"coffee machine\" on?",
        ),
        (
            &["dim", "kitchen ceiling", "40"],
            "Did you mean: control \"kitchen ceiling\" dim 40?",
        ),
        (&["kitchen ceiling", "-10"], "Did you mean \"decrease 10\"?"),
        (
            &["kitchen ceiling", "warm", "white"],
            "Did you mean \"set_color warm white\"?",
        ),
        (
            &["kitchen", "ceiling", "dim", "40"],
            "Put a name of several words in quotes.",
        ),
        (&["sauna", "on"], "\"zwave-mcp-server list\" shows"),
        // The missing level is not mentioned, because the device can't dim at all.
        (&["coffee machine", "dim"], "it can do on, off and toggle"),
    ] {
        let output = run(&[&["--demo", "control"], typed].concat()).await;
        assert_eq!(output.code, Some(1), "{output:?}");
        assert!(output.out.contains(right), "{typed:?}: {output:?}");
        for word in ["deviceName", "zwave_device"] {
            assert!(!output.out.contains(word), "{typed:?}: {output:?}");
        }
    }
    let stepped = run(&["--demo", "control", "kitchen ceiling", "dim", "-10"]).await;
    assert_eq!(stepped.code, Some(0), "{stepped:?}");
    assert!(stepped.out.contains("20 %"), "{stepped:?}");
    let typed = ["--demo", "--read-only", "control", "coffee machine", "on"];
    let output = run(&typed).await;
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(
        output.err.contains("Nothing can be controlled"),
        "{output:?}"
    );
}

#[tokio::test]
async fn a_broker_given_along_with_demo_is_reported_as_ignored() {
    let output = run(&["--demo", "--broker", "mqtt://nowhere", "list"]).await;
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(
        output.err.matches("--broker is ignored").count(),
        1,
        "{output:?}"
    );
}

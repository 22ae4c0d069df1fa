//! `list` and `control` as a person types them.

use std::process::Stdio;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};
use zwave_mcp_server::cli::{Setting, settings};
use zwave_mcp_server::gateway::bus::Incoming;
use zwave_mcp_server::gateway::mqtt::connect;
use zwave_mcp_server::simulator::demo_house;

use crate::House;
use crate::fixture::{
    Mosquitto, Publisher, client_of, eventually, run, run_with, setup, signal, two_hundred_nodes,
};

#[tokio::test]
async fn list_prints_a_table_or_json_of_the_demo_house() {
    let table = run(&["--demo", "list"]).await;
    // A person sees every device, dead ones too.
    let count = "17 devices, 1 not responding.";
    assert!(table.out.starts_with(count), "{table:?}");
    for part in [
        "\nROOM         NAME",
        "\nKitchen      Ceiling",
        "switch       not responding\n",
    ] {
        table.assert_prints(0, part);
    }
    // Stderr explains the faults of the demo house to newcomers.
    assert!(table.err.contains("one lamp is faulty"), "{table:?}");

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
    let answer = "4 of 5 lights are now on. Work Light still reports off.\n";
    assert_eq!((text.code, text.out.as_str()), (Some(1), answer));
    let json = run(&["--demo", "control", "all lights", "on", "--json"]).await;
    assert_eq!(
        (json.code, &json.json()["certainty"]),
        (Some(1), &"failed".into())
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
    // Above the devices are the count, an empty line and the headings.
    assert_eq!(table.out.lines().count(), count + 3);
}

#[tokio::test]
async fn list_problems_exits_with_3_only_if_there_are_problems() {
    let table = "2 problems.\n\nROOM     NAME          KIND    PROBLEM\n";
    for (filter, code, start) in [
        ("problems", 3, table),
        ("problems kitchen", 0, "Nothing is wrong"),
        ("kitchen", 0, "2 matching devices."),
    ] {
        for format in [&["--json"][..], &[]] {
            let arguments = [&["--demo", "list"], format, &[filter]].concat();
            let output = run(&arguments).await;
            assert_eq!(output.code, Some(code), "{arguments:?}");
            let out = &output.out;
            assert!(!format.is_empty() || out.starts_with(start), "{out}");
        }
    }
}

#[tokio::test]
async fn a_pattern_of_the_option_expose_is_reported_if_it_matches_nothing() {
    let output = run(&["--demo", "list", "--expose", "cellar/*"]).await;
    output.assert_prints(0, "\"cellar/*\"");
}

#[tokio::test]
async fn control_prints_a_sentence_and_its_exit_code_shows_the_outcome() {
    for (device, code, answer) in [
        ("coffee machine", 0, "Coffee Machine is now on.\n"),
        ("work light", 1, "Work Light still reports off.\n"),
    ] {
        let ended = run(&["--demo", "control", device, "on"]).await;
        assert_eq!((ended.code, ended.out.as_str()), (Some(code), answer));
    }
    let dim = [
        "--demo",
        "control",
        "kitchen ceiling",
        "dim",
        "55%",
        "--json",
    ];
    let json = run(&dim).await.json();
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
async fn a_level_that_is_typed_beside_on_is_set_or_refused_and_never_dropped() {
    needs!(mosquitto);
    let house = House::start().await;
    let broker = house.broker.url();
    for (words, code, answer) in [
        (
            "lamp corner on 50",
            1,
            "Lamp Corner can't do \"dim\"; it can do on, off and toggle.",
        ),
        ("bedroom ceiling on 50", 0, "Ceiling is now on at 50 %."),
        ("lamp corner on 100", 0, "Lamp Corner is now on."),
    ] {
        let words = ["control", "--broker", &broker].into_iter().chain(words.split(' '));
        run(&words.collect::<Vec<_>>()).await.assert_prints(code, answer);
    }
    let written: Vec<_> = house.writes().into_iter().map(|(_, _, value)| value).collect();
    assert_eq!(written, [json!(50), json!(true)]);
}

#[tokio::test]
async fn an_unknown_option_and_a_bad_setting_exit_with_2() {
    assert_eq!(run(&["--no-such-option"]).await.code, Some(2));
    for command in [&[][..], &["doctor"]] {
        let arguments = [&["--broker", "http://me:secret@host"], command].concat();
        let output = run(&arguments).await;
        assert_eq!((output.code, output.out.as_str()), (Some(2), ""));
        assert_eq!(output.err.lines().count(), 1, "{output:?}");
        let words = "--broker is \"***@host\"; it must be";
        assert!(output.err.contains(words), "{output:?}");
    }
}

fn start_follower(broker: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_zwave-mcp-server"))
        .args(["list", "changed", "--follow", "--broker", broker])
        .env_clear()
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

#[tokio::test]
async fn list_with_follow_prints_a_notice_and_each_change_and_exits_with_0_when_interrupted() {
    needs!(mosquitto);
    let house = House::start().await;
    let broker = house.broker.url();
    let mut follower = start_follower(&broker);
    let process = follower.id().unwrap();
    let mut lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    let mut notices = BufReader::new(follower.stderr.take().unwrap()).lines();
    let patience = Duration::from_secs(20);
    // The notice comes when the follower has read the house.
    let notice = timeout(patience, notices.next_line()).await.expect("a notice");
    assert_eq!(
        notice.unwrap().as_deref(),
        Some("Watching; Ctrl-C ends it.")
    );
    let switched = run(&["control", "lamp corner", "on", "--broker", &broker]).await;
    assert_eq!(switched.code, Some(0), "{switched:?}");
    let line = timeout(patience, lines.next_line()).await.expect("a line").unwrap().unwrap();
    assert!(line.contains("Lamp Corner: on"), "{line}");
    // Let the follower print the change once more, if it would.
    sleep(Duration::from_secs(3)).await;
    signal(process, "INT");
    assert_eq!(follower.wait().await.unwrap().code(), Some(0));
    assert_eq!(lines.next_line().await.unwrap(), None);
    assert_eq!(notices.next_line().await.unwrap(), None);
}

#[tokio::test]
async fn list_with_follow_tells_a_ramp_as_one_change_from_the_state_before_the_command() {
    needs!(mosquitto);
    let house = House::of(setup(), demo_house()).await;
    let broker = house.broker.url();
    let mut follower = start_follower(&broker);
    let mut lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    // Let the follower read the house.
    sleep(Duration::from_secs(2)).await;
    for (name, level, before) in [
        ("Kitchen Ceiling", 90, "on 30 %"),
        ("Floor Lamp", 80, "off"),
    ] {
        let level = level.to_string();
        let dimmed = run(&["control", name, "dim", &level, "--broker", &broker]).await;
        assert_eq!(dimmed.code, Some(0), "{dimmed:?}");
        let line = timeout(Duration::from_secs(6), lines.next_line()).await;
        let line = line.expect("a line").unwrap().unwrap();
        let change = format!("{name}: on {level} %,");
        assert!(line.contains(&change) && line.ends_with(before), "{line}");
    }
    signal(follower.id().unwrap(), "INT");
    assert_eq!(lines.next_line().await.unwrap(), None);
}

#[tokio::test]
async fn list_with_follow_prints_each_change_that_another_client_makes_to_a_device_without_supervision()
 {
    needs!(mosquitto);
    let house = House::start().await;
    let broker = house.broker.url();
    let mut follower = start_follower(&broker);
    let process = follower.id().unwrap();
    let mut lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    // Let the follower read the house.
    sleep(Duration::from_secs(2)).await;
    for state in ["on", "off", "on"] {
        let switched = run(&["control", "living room lamp", state, "--broker", &broker]).await;
        assert_eq!(switched.code, Some(0), "{switched:?}");
        let line = timeout(Duration::from_secs(5), lines.next_line()).await;
        let line = line.expect("a line").unwrap().unwrap();
        assert!(
            line.starts_with(&format!("Living Room Lamp: {state},")),
            "{line}"
        );
    }
    assert_eq!(house.written_to(), [3, 3, 3]);
    signal(process, "INT");
    follower.wait().await.unwrap();
}

#[tokio::test]
async fn a_list_of_changes_suggests_the_option_follow_and_a_list_of_problems_rejects_it() {
    let changed = run(&["--demo", "list", "changed"]).await;
    changed.assert_prints(0, "With --follow");
    let problems = run(&["--demo", "list", "problems", "--follow"]).await;
    problems.assert_prints(1, "\"problems\" can't be followed.");
}

#[tokio::test]
async fn a_command_warns_of_a_misspelled_setting_but_not_if_another_server_is_named() {
    let misspelled = [("ZWAVE_READONLY", "1")];
    let warning = "ZWAVE_READONLY is not a setting; did you mean ZWAVE_READ_ONLY?";
    for command in [
        &["list", "kitchen"][..],
        &["control", "coffee machine", "on"],
    ] {
        let ended = run_with(&[&["--demo"], command].concat(), &misspelled).await;
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert_eq!(ended.err.matches(warning).count(), 1, "{ended:?}");
        assert!(!ended.out.contains("ZWAVE_READONLY"), "{ended:?}");
    }
    let program = env!("CARGO_BIN_EXE_zwave-mcp-server");
    let other = ["tools", "--server", program, "--demo"];
    let ended = run_with(&other, &misspelled).await;
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{ended:?}");
}

#[tokio::test]
async fn control_accepts_an_action_in_any_of_its_spellings() {
    for action in ["set_color", "set-color", "Color"] {
        let typed = run(&["--demo", "control", "desk light", action, "blue"]).await;
        assert_eq!(
            typed.out, "Desk Light is now blue, but was off before.\n",
            "{action}"
        );
    }
}

#[tokio::test]
async fn a_mistyped_command_is_explained_in_the_words_of_the_shell_and_not_of_the_tools() {
    // A comma separates two arguments, because an argument can contain spaces.
    for (typed, advice) in [
        (
            "kitchen ceiling,dim",
            "needs a level, for example: control \"kitchen ceiling\" dim 50\n",
        ),
        ("kitchen ceiling,+10", "Did you mean \"increase 10\"?"),
        ("kitchen ceiling,40", "Did you mean \"dim 40\"?"),
        ("kitchen ceiling,-10", "Did you mean \"decrease 10\"?"),
        (
            "kitchen ceiling,warm,white",
            "Did you mean \"set_color warm white\"?",
        ),
        (
            "kitchen,ceiling,dim",
            "needs a level, for example: control \"kitchen ceiling\" dim 50\n",
        ),
        ("kitchen,ceiling,40", "Did you mean \"dim 40\"?"),
        ("coffee,machine", "Unknown action \"machine\""),
        ("sauna,on", "\"zwave-mcp-server list\" shows"),
        // The missing level is not mentioned, because the device can't dim at all.
        ("coffee machine,dim", "it can do on, off and toggle"),
    ] {
        let typed: Vec<&str> = ["--demo", "control"].into_iter().chain(typed.split(',')).collect();
        let output = run(&typed).await;
        output.assert_prints(1, advice);
        for word in ["deviceName", "zwave_device"] {
            assert!(!output.out.contains(word), "{typed:?}: {output:?}");
        }
    }
    let stepped = run(&["--demo", "control", "kitchen ceiling", "dim", "-10"]).await;
    stepped.assert_prints(0, "20 %");
    let typed = ["--demo", "--read-only", "control", "coffee machine", "on"];
    let output = run(&typed).await;
    assert_eq!(output.code, Some(1), "{output:?}");
    let words = "Nothing can be controlled";
    assert!(output.err.contains(words), "{output:?}");
}

#[tokio::test]
async fn control_takes_a_name_without_quotes_and_an_action_that_comes_first() {
    for (typed, answer) in [
        ("coffee machine on", "Coffee Machine is now on.\n"),
        ("turn on the coffee machine", "Coffee Machine is now on.\n"),
        ("on coffee machine", "Coffee Machine is now on.\n"),
        (
            "kitchen ceiling dim 40",
            "Kitchen Ceiling is now on at 40 %.\n",
        ),
        (
            "dim kitchen ceiling 40 %",
            "Kitchen Ceiling is now on at 40 %.\n",
        ),
        (
            "set_color desk light warm white",
            "Desk Light is now warm white, but was off before.\n",
        ),
        (
            "desk light color warm white",
            "Desk Light is now warm white, but was off before.\n",
        ),
        (
            "living room thermostat set_mode off",
            "Living Room Thermostat is now off.\n",
        ),
    ] {
        let words = ["--demo", "control"].into_iter().chain(typed.split(' '));
        let output = run(&words.collect::<Vec<_>>()).await;
        assert_eq!(
            (output.code, output.out.as_str()),
            (Some(0), answer),
            "{typed}"
        );
    }
}

#[tokio::test]
async fn a_list_without_a_match_fails_and_one_of_recent_changes_does_not() {
    run(&["--demo", "list", "sauna"]).await.assert_prints(1, "No device matches");
    let json = run(&["--demo", "list", "sauna", "--json"]).await;
    assert_eq!(
        (json.code, json.json()["count"].as_u64()),
        (Some(1), Some(0))
    );
    assert_eq!(run(&["--demo", "list", "changed"]).await.code, Some(0));
}

#[tokio::test]
async fn a_person_is_asked_which_device_was_meant_and_not_told_to_ask_one() {
    for (device, answer) in [
        (
            "kitchn ceiling",
            "There is no device \"kitchn ceiling\". Did you mean Kitchen Ceiling? Nothing was done.\n",
        ),
        (
            "desk light in",
            "There is no device \"desk light in\". What follows \"in\" is missing.\n",
        ),
    ] {
        let refused = run(&["--demo", "control", device, "on"]).await;
        assert_eq!((refused.code, refused.out.as_str()), (Some(1), answer));
    }
}

#[tokio::test]
async fn the_json_of_a_refused_command_has_its_reason() {
    for (device, action, reason) in [
        ("front door", "unlock", "guarded"),
        ("sauna", "on", "unknown-name"),
        ("lamp", "on", "ambiguous-name"),
    ] {
        let refused = run(&["--demo", "control", device, action, "--json"]).await;
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert_eq!(refused.json()["reason"], reason, "{refused:?}");
    }
}

#[tokio::test]
async fn the_command_of_another_server_may_be_in_quotes() {
    let command = format!(
        "'{}' --demo --read-only",
        env!("CARGO_BIN_EXE_zwave-mcp-server")
    );
    let tools = run(&["tools", "--server", &command]).await;
    assert_eq!(tools.code, Some(0), "{tools:?}");
    let names: Vec<_> = tools
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].clone())
        .collect();
    assert_eq!(names, ["list_zwave_devices"]);
}

#[tokio::test]
async fn a_broker_given_along_with_demo_is_reported_as_ignored() {
    let output = run(&["--demo", "--broker", "mqtt://nowhere", "list"]).await;
    assert_eq!(output.code, Some(0), "{output:?}");
    let notices = output.err.matches("--broker is ignored").count();
    assert_eq!(notices, 1, "{output:?}");
}

#[tokio::test]
async fn the_short_help_of_a_command_has_only_its_own_options() {
    let short = run(&["list", "-h"]).await;
    short.assert_prints(0, "--follow");
    short.assert_prints(0, "--help lists the settings");
    let long = run(&["list", "--help"]).await;
    let begins_a_line = |help: &str, option: &str| {
        let mut first_words = help.lines().filter_map(|line| line.split_whitespace().next());
        first_words.any(|word| word == option)
    };
    for Setting { option, .. } in settings() {
        assert!(begins_a_line(&long.out, option), "{option}: {long:?}");
        assert!(!begins_a_line(&short.out, option), "{option}: {short:?}");
    }
    let of_server = [
        "--guard",
        "--expose",
        "--names",
        "--reply-timeout",
        "--demo",
    ];
    let of_simulation = ["--broker", "--password-file", "--prefix", "--log-level"];
    let nothing = &[][..];
    for (command, shown, hidden) in [
        ("simulate", &of_simulation[..], [&of_server[..], nothing]),
        ("completions", nothing, [&of_server, &of_simulation]),
        ("man", nothing, [&of_server, &of_simulation]),
    ] {
        let help = run(&[command, "--help"]).await;
        for option in shown {
            assert!(begins_a_line(&help.out, option), "{option}: {help:?}");
        }
        for option in hidden.concat() {
            assert!(!begins_a_line(&help.out, option), "{option}: {help:?}");
        }
        let short = run(&[command, "-h"]).await;
        for words in ["lists the settings", "Each setting"] {
            let is_said = short.out.contains(words) || help.out.contains(words);
            assert_eq!(is_said, !shown.is_empty(), "{short:?} {help:?}");
        }
    }
    let of_program = run(&["-h"]).await;
    of_program.assert_prints(0, "--broker <URL>");
    assert!(!of_program.out.contains("--log-days"), "{of_program:?}");
}

/// Starts the command `simulate`, which does not end by itself.
fn start_simulation(url: &str, log: Stdio) -> Child {
    Command::new(env!("CARGO_BIN_EXE_zwave-mcp-server"))
        .args(["simulate", "--broker", url])
        .env_clear()
        .stderr(log)
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

#[tokio::test]
async fn a_second_simulation_with_the_name_of_the_first_is_refused_and_a_dead_one_is_in_nobodys_way()
 {
    needs!(mosquitto);
    let broker = Mosquitto::start();
    let url = broker.url();
    let is_simulated = async || {
        let listed = run(&["list", "--broker", &url, "--reply-timeout=1s"]).await;
        listed.code == Some(0)
    };
    let mut first = start_simulation(&url, Stdio::null());
    eventually("the house is there", &is_simulated).await;
    let second = run(&["simulate", "--broker", &url]).await;
    assert_eq!(second.code, Some(1), "{second:?}");
    let sentence = "A gateway called simulated is already running on this broker. Give this one another name with --name.";
    assert!(second.err.contains(sentence), "{second:?}");
    let switched = run(&["control", "desk light", "on", "--broker", &url]).await;
    switched.assert_prints(0, "Desk Light is now on.");
    // Its retained status stays: online.
    first.kill().await.unwrap();
    let _third = start_simulation(&url, Stdio::null());
    eventually("the house is there again", &is_simulated).await;
}

#[tokio::test]
async fn a_simulation_tells_once_that_it_is_connected() {
    needs!(mosquitto);
    let broker = Mosquitto::start();
    let url = broker.url();
    let log = tempfile::NamedTempFile::new().unwrap();
    let _simulation = start_simulation(&url, log.reopen().unwrap().into());
    eventually("the house is there", async || {
        let listed = run(&["list", "--broker", &url, "--reply-timeout=1s"]).await;
        listed.code == Some(0)
    })
    .await;
    let told = std::fs::read_to_string(log.path()).unwrap();
    assert_eq!(
        told.matches("connected to the MQTT broker").count(),
        1,
        "{told}"
    );
}

#[tokio::test]
async fn a_simulation_says_what_it_serves_and_takes_its_messages_from_the_broker_when_it_ends() {
    needs!(mosquitto);
    let broker = Mosquitto::start();
    let url = broker.url();
    let real = "zwave/_CLIENTS/ZWAVE_GATEWAY-Real/status";
    Publisher::connect(broker.port()).retain(real, br#"{"value":false}"#);
    let retained = async || {
        let mut end = connect(vec![client_of(&broker, &setup())]);
        let mut topics = Vec::new();
        while let Ok(Some(incoming)) =
            timeout(Duration::from_millis(500), end.incoming.recv()).await
        {
            match incoming {
                Incoming::Up => end.bus.subscribe("#").unwrap(),
                Incoming::Message(message) => topics.push(message.topic),
                other => panic!("{other:?}"),
            }
        }
        topics
    };
    for interrupt in ["TERM", "INT"] {
        let log = tempfile::NamedTempFile::new().unwrap();
        let mut simulation = start_simulation(&url, log.reopen().unwrap().into());
        let told = || std::fs::read_to_string(log.path()).unwrap();
        eventually("it says how to end it", async || told().contains("Ctrl-C")).await;
        for part in [
            "zwave-js-ui",
            "simulated",
            "16 nodes",
            &url[7..],
            "\"zwave\"",
        ] {
            assert!(told().contains(part), "{part}: {}", told());
        }
        assert!(retained().await.len() > 50);
        signal(simulation.id().unwrap(), interrupt);
        assert_eq!(simulation.wait().await.unwrap().code(), Some(0));
        assert_eq!(retained().await, [real]);
    }
}

//! `doctor` as a person runs it: the report, the entries for the configuration files of hosts, and problems
//! with the broker. The rows of `fixtures/calls/doctor.json` test what `doctor` finds in a house.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tokio::process::Command;

use crate::House;
use crate::fixture::{
    Authority, ClosedAddress, Ended, Mosquitto, PASSWORD, Publisher, Server, USER, end, eventually,
    run, run_with,
};
use crate::secrets::assert_no_password;

/// Runs `doctor --json` on a broker's address.
pub async fn examine(url: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Ended {
    let arguments = [&["doctor", "--json", "--broker", url], arguments].concat();
    run_with(&arguments, environment).await
}

/// Returns the object that describes this server, from a report's entry for Claude Desktop.
pub fn entry_of(report: &Json) -> Json {
    let text = report["entries"]["claude-desktop"]["text"].as_str().unwrap();
    let file: Json = serde_json::from_str(text).unwrap();
    file["mcpServers"]["zwave"].clone()
}

/// Checks that only this step failed, that its fix contains these words, and that all later steps were skipped.
#[track_caller]
pub fn assert_fails_at(output: &Ended, step: &str, words: &str) {
    let json = output.json();
    assert_eq!(
        (output.code, output.err.as_str()),
        (Some(1), ""),
        "{json:#}"
    );
    assert!(json["ok"] == false && json["failed"] == step, "{json:#}");
    let to_do = json["whatToDo"].as_str().unwrap();
    assert!(to_do.contains(words), "{to_do}");
    let steps = json["steps"].as_array().unwrap();
    let failed = steps.iter().position(|entry| entry["step"] == step).unwrap();
    for (number, entry) in steps.iter().enumerate() {
        let is_after = number > failed;
        assert_eq!(entry["status"] == "failed", number == failed, "{json:#}");
        // TLS is also skipped with `mqtt://`.
        let is_skipped = entry["status"] == "skipped";
        assert!(is_skipped == is_after || entry["step"] == "tls", "{json:#}");
    }
    assert!(entry_of(&json)["command"].is_string(), "{json:#}");
}

#[tokio::test]
async fn doctor_finds_nothing_wrong_in_a_house_that_reports_changes() {
    needs!(mosquitto);
    let house = House::start().await;
    let url = house.broker.url();
    let mut on = false;
    // Changes a lamp while `doctor` runs, and panics if `doctor` runs for too long.
    let keep_changing = eventually("doctor is done", async || {
        on = !on;
        house.by_hand(3, "37-0-currentValue", json!(on));
        false
    });
    let arguments = ["doctor", "--broker", &url];
    let output = tokio::select! {
        output = run(&arguments) => output,
        () = keep_changing => panic!("doctor listens for too long"),
    };
    let port = house.broker.port();
    let expected = [
        "✓ Broker name: 127.0.0.1 is an address already\n",
        &format!("✓ TCP: port {port} is open\n"),
        "– TLS: not used (the address says mqtt://)\n",
        "✓ MQTT login: without a user name\n",
        "✓ Prefix: a zwave-js-ui publishes under zwave\n",
    ];
    assert!(output.out.starts_with(&expected.concat()), "{output:?}");
    output.assert_prints(0, " was heard live, so every change is known at once\n");
    output.assert_prints(
        0,
        "✓ zwave-js-ui's settings: events are on, retain is on\n\nAll is well.",
    );
    assert_eq!(output.err, "");
    assert_eq!(house.writes(), []);
}

#[tokio::test]
async fn a_setting_that_cannot_be_seen_in_a_quiet_house_gets_no_check_mark() {
    needs!(mosquitto);
    let house = House::start().await;
    house.wait_for_delivery().await;
    let output = run(&["doctor", "--broker", &house.broker.url()]).await;
    let settings = "– zwave-js-ui's settings: events can't be seen yet, retain is on\n";
    output.assert_prints(0, settings);
    output.assert_prints(
        0,
        "under Settings → Gateway, whether \"Send Z-Wave events\" is on.",
    );
}

#[tokio::test]
async fn a_broker_that_is_not_reached_is_reported_at_the_step_that_fails() {
    needs!(mosquitto);
    let output = examine("mqtt://broker.invalid", &[], &[]).await;
    let words = "The MQTT broker at broker.invalid:1883 can't be reached (";
    assert_fails_at(&output, "name", words);

    let closed = ClosedAddress::new();
    let output = examine(&format!("mqtt://{closed}"), &[], &[]).await;
    assert_fails_at(
        &output,
        "tcp",
        "can't be reached (connection refused). Check that it runs",
    );

    let encrypted = crate::tls::start_with_login(&Authority::new("home"));
    let output = examine(&encrypted.url(), &[], &[]).await;
    assert_fails_at(&output, "login", "hangs up before the login. If it expects");

    let plain = Mosquitto::start();
    let address = format!("mqtts://localhost:{}", plain.port());
    let ca = encrypted.path("ca.pem");
    let output = examine(&address, &[], &[("MQTT_CA_FILE", &ca)]).await;
    assert_fails_at(
        &output,
        "tls",
        "does not speak TLS on this port. Use its TLS",
    );
}

#[tokio::test]
async fn a_missing_and_a_wrong_login_are_reported_with_and_without_tls() {
    needs!(mosquitto);
    let plain = crate::secrets::start_with_login();
    let encrypted = crate::tls::start_with_login(&Authority::new("home"));
    let ca = encrypted.path("ca.pem");
    let address = format!("mqtts://localhost:{}", encrypted.port());
    for (address, mut environment) in [
        (plain.url(), Vec::new()),
        (address, vec![("MQTT_CA_FILE", ca.as_str())]),
    ] {
        let output = examine(&address, &[], &environment).await;
        assert_fails_at(&output, "login", "wants a user name and a password. Set");
        environment.extend([("MQTT_USERNAME", USER), ("MQTT_PASSWORD", "another s3cret")]);
        let output = examine(&address, &[], &environment).await;
        assert_fails_at(&output, "login", "refused the user name or password. Check");
        assert_no_password(&output.out, "the report");
    }
}

#[tokio::test]
async fn a_user_name_without_a_password_is_told_as_that_and_a_password_without_a_user_name() {
    needs!(mosquitto);
    let broker = crate::secrets::start_with_login();
    let output = examine(&broker.url(), &[], &[("MQTT_USERNAME", USER)]).await;
    let words = "There is a user name but no password: set MQTT_PASSWORD.";
    assert_fails_at(&output, "login", words);
    let output = examine(&broker.url(), &[], &[("MQTT_PASSWORD", PASSWORD)]).await;
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(
        output.err.contains("together with a user name"),
        "{output:?}"
    );
}

#[tokio::test]
async fn a_status_that_was_left_under_an_old_prefix_does_not_hide_the_right_one() {
    needs!(mosquitto);
    let house = House::start().await;
    let status = "home/zw/_CLIENTS/ZWAVE_GATEWAY-old/status";
    Publisher::connect(house.broker.port()).retain(status, br#"{"value":true}"#);
    let output = examine(&house.broker.url(), &["--prefix=home/zw"], &[]).await;
    let words =
        "A gateway is online under the prefix \"zwave\": set --prefix (MQTT_TOPIC_PREFIX) to that.";
    assert_fails_at(&output, "gateway", words);
}

#[tokio::test]
async fn a_broker_that_accepts_connections_and_stays_silent_is_reported_in_time() {
    needs!(mosquitto);
    let broker = Mosquitto::start();
    broker.stall();
    let started = Instant::now();
    let output = examine(&broker.url(), &[], &[]).await;
    broker.resume();
    assert_fails_at(&output, "login", "can't be reached (no answer within 5 s)");
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[tokio::test]
async fn doctor_finds_nothing_wrong_in_the_demo_house_which_needs_no_broker() {
    let output = run(&["doctor", "--demo"]).await;
    let first = "– Broker name: the demo house needs no broker\n– TCP: the demo house";
    assert!(output.out.starts_with(first), "{}", output.out);
    for part in [
        "✓ Gateway: demo\n",
        "✓ Devices: 17 devices, 1 of them not responding\n",
        "Restart Claude Desktop afterwards.",
        " -- ",
        " --demo\n",
    ] {
        output.assert_prints(0, part);
    }
}

/// Returns the environment that a host with this entry gives the server.
fn environment_of(entry: &Json) -> Vec<(String, String)> {
    entry["env"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, text)| (name.clone(), text.as_str().unwrap().to_owned()))
        .collect()
}

/// Returns the first JSON document after a heading.
fn document_after(text: &str, heading: &str) -> Json {
    let section = &text[text.find(heading).expect(heading)..];
    let document = &section[section.find("\n{").unwrap()..];
    serde_json::Deserializer::from_str(document)
        .into_iter()
        .next()
        .unwrap()
        .unwrap()
}

#[tokio::test]
async fn entries_for_hosts_work_as_printed_and_have_no_password() {
    needs!(mosquitto);
    let authority = Authority::new("home");
    let broker = crate::tls::start_with_login(&authority);
    let ca = broker.path("ca.pem");
    let house = House::behind_tls(broker).await;
    let port = house.broker.port();
    // The person types the password as part of an argument, and the CA file as a relative path.
    let typed = format!("mqtts://{USER}:s3cret-W%C3%B6rd%22%25@localhost:{port}");
    let folder = Path::new(&ca).parent().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_zwave-mcp-server"));
    command
        .args(["doctor", "--broker", &typed, "--ca-file", "ca.pem"])
        .args(["--read-only", "--log-level=trace"])
        .env_clear()
        .current_dir(folder);
    let Ended { code, out, err } = end(command).await;
    assert_eq!(code, Some(0), "{out}");
    assert_no_password(&out, "the report");
    assert!(err.contains("connected to the MQTT broker"), "{err}");
    assert_no_password(&err, "the log");
    assert!(out.contains("✓ TLS: its certificate is trusted, by ca.pem\n"));
    assert!(out.contains("✓ MQTT login: as house\n"), "{out}");

    let desktop = document_after(&out, "Claude Desktop");
    let entry = &desktop["mcpServers"]["zwave"];
    let program = Path::new(entry["command"].as_str().unwrap());
    let binary = Path::new(env!("CARGO_BIN_EXE_zwave-mcp-server"));
    assert_eq!(program, binary.canonicalize().unwrap());
    let mut environment = environment_of(entry);
    let url = format!("mqtts://localhost:{port}");
    let placeholder = "put the MQTT password here";
    let expected = [
        ("MQTT_BROKER_URL", url.as_str()),
        ("MQTT_USERNAME", USER),
        ("MQTT_CA_FILE", &ca),
        ("MQTT_PASSWORD", placeholder),
    ];
    let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
    assert_eq!(environment, expected);
    let arguments = ["--read-only", "--log-level=trace"];
    assert_eq!(entry["args"], json!(arguments));

    // The person fills in the password, and the host starts the server in another folder.
    environment[3].1 = PASSWORD.to_owned();
    let environment: Vec<(&str, &str)> =
        environment.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let mut server = Server::spawn_with(&arguments, &environment);
    server.initialize().await;
    let tools = server.request("tools/list", json!({})).await;
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 1);
    let list = server.list("").await;
    assert!(list.starts_with("23 devices"), "{list}");

    // The command for Claude Code has the same program, arguments and environment.
    let command = out.lines().find(|line| line.starts_with("claude mcp add "));
    let words = shlex::split(command.unwrap()).unwrap();
    let split = words.iter().position(|word| word == "--").unwrap();
    assert_eq!(
        words[..6],
        ["claude", "mcp", "add", "--scope", "user", "zwave"]
    );
    assert_eq!(Path::new(&words[split + 1]), program);
    assert_eq!(words[split + 2..], arguments);
    let options = expected.map(|(name, text)| ["-e".to_owned(), format!("{name}={text}")]);
    assert_eq!(words[6..split], options.concat());

    // VS Code asks the person for the password.
    let vs_code = document_after(&out, "VS Code");
    let vs_code_entry = &vs_code["servers"]["zwave"];
    assert_eq!(vs_code_entry["type"], "stdio");
    assert_eq!(
        vs_code_entry["env"]["MQTT_PASSWORD"],
        "${input:mqtt-password}"
    );
    assert_eq!(vs_code["inputs"][0]["id"], "mqtt-password");
    assert_eq!(vs_code["inputs"][0]["password"], true);
    assert_eq!(vs_code_entry["command"], entry["command"]);
    assert_eq!(vs_code_entry["args"], entry["args"]);
}

#[tokio::test]
async fn after_a_failure_the_report_has_no_entries_for_hosts_and_ends_with_advice() {
    let output = run(&["doctor", "--broker", "mqtt://127.0.0.1:1"]).await;
    output.assert_prints(1, "\n✗ TCP: ");
    output.assert_prints(1, "\n– TLS\n– MQTT login\n");
    let last = "\n\nSomething is wrong: TCP. See the ✗ line for the fix.\n\
               Then run doctor again: when all is well, it prints the entries for hosts.\n";
    assert!(output.out.ends_with(last), "{}", output.out);
    assert!(!output.out.contains("mcpServers"), "{}", output.out);
}

#[tokio::test]
async fn the_entry_for_one_host_needs_no_broker() {
    let nobody = "mqtt://127.0.0.1:1";
    let environment = [("MQTT_USERNAME", USER), ("MQTT_PASSWORD", PASSWORD)];
    let arguments = ["doctor", "--host", "LM Studio", "--broker", nobody];
    let output = run_with(&arguments, &environment).await;
    assert_eq!(output.err, "");
    let first = "LM Studio, in ~/.lmstudio/mcp.json";
    assert!(output.out.starts_with(first), "{}", output.out);
    output.assert_prints(0, "\n\nlmstudio://add_mcp?name=zwave&config=");
    assert_no_password(&output.out, "the entry");

    let arguments = ["doctor", "--host=all", "--json", "--broker", nobody];
    let output = run_with(&arguments, &environment).await;
    let entries = output.json();
    assert_eq!(entries.as_object().unwrap().len(), 18);
    let vs_code = &entries["vs-code"];
    assert_eq!(vs_code["name"], "VS Code");
    assert_eq!(vs_code["file"], "mcp.json");
    assert!(vs_code["link"].as_str().unwrap().starts_with("vscode:mcp/install?"));
    assert_eq!(entries["codex"]["link"], Json::Null);
    assert_no_password(&output.out, "the entries");

    let output = run(&["doctor", "--host", "emacs"]).await;
    assert_eq!((output.code, output.out.as_str()), (Some(2), ""));
    let words = "--host is \"emacs\"; it must be \"all\" or one of these: claude-desktop, ";
    assert!(output.err.contains(words), "{output:?}");
}

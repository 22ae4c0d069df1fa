//! `doctor` names the first thing that is wrong and what to do, and prints entries that work.

use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tokio::process::Command;
use tokio::time::{sleep, timeout};
use zwave_mcp_server::simulator::Setup;

use crate::secrets::assert_secret;
use crate::support::{
    Authority, House, Mosquitto, PASSWORD, Publisher, Server, USER, captured_nodes, node, setup,
};

const STEPS: [&str; 11] = [
    "name", "tcp", "tls", "login", "prefix", "gateway", "driver", "devices", "guarded", "values",
    "settings",
];

pub struct Told {
    pub code: Option<i32>,
    pub out: String,
    err: String,
}

impl Told {
    fn json(&self) -> Json {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }

    fn text_of(&self, step: &str) -> String {
        let json = self.json();
        let steps = json["steps"].as_array().unwrap();
        let found = steps.iter().find(|one| one["step"] == step).unwrap();
        found["text"].as_str().unwrap().to_owned()
    }

    pub fn hints(&self) -> String {
        self.json()["hints"].to_string()
    }
}

async fn run(arguments: &[&str], environment: &[(&str, &str)]) -> Told {
    let output = Command::new(env!("CARGO_BIN_EXE_zwave-mcp-server"))
        .arg("doctor")
        .args(arguments)
        .env_clear()
        .envs(environment.iter().copied())
        .kill_on_drop(true)
        .output();
    let limit = Duration::from_secs(60);
    let output = timeout(limit, output).await.expect("no end").unwrap();
    Told {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// With a broker's address, and as JSON.
pub async fn examined(url: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Told {
    let arguments = [&["--json", "--broker", url], arguments].concat();
    run(&arguments, environment).await
}

/// The same while somebody plays with a switch.
async fn overheard(house: &House, arguments: &[&str]) -> Told {
    let play = async {
        let mut on = false;
        loop {
            on = !on;
            house.by_hand(3, "37-0-currentValue", json!(on));
            sleep(Duration::from_millis(300)).await;
        }
    };
    let address = house.broker.url();
    let arguments = [&["--broker", address.as_str()], arguments].concat();
    tokio::select! {
        told = run(&arguments, &[]) => told,
        () = play => panic!("it plays for ever"),
    }
}

/// The server in a report's entry for Claude Desktop.
pub fn entry_of(report: &Json) -> Json {
    let text = report["entries"]["claude-desktop"]["text"]
        .as_str()
        .unwrap();
    let file: Json = serde_json::from_str(text).unwrap();
    file["mcpServers"]["zwave"].clone()
}

/// This step is the first that failed, with these words; nothing after it was looked at.
#[track_caller]
pub fn assert_wrong(told: &Told, step: &str, words: &str) {
    let json = told.json();
    assert_eq!(told.code, Some(1), "{json:#}");
    assert_eq!(
        (json["ok"].as_bool(), json["failed"].as_str()),
        (Some(false), Some(step)),
        "{json:#}"
    );
    let what_to_do = json["whatToDo"].as_str().unwrap();
    assert!(what_to_do.contains(words), "{what_to_do}");
    let steps = json["steps"].as_array().unwrap();
    let named: Vec<&str> = steps
        .iter()
        .map(|one| one["step"].as_str().unwrap())
        .collect();
    assert_eq!(named, STEPS);
    let wrong = named.iter().position(|one| *one == step).unwrap();
    for (index, one) in steps.iter().enumerate() {
        let status = one["status"].as_str().unwrap();
        // TLS is not asked for by an address with mqtt://.
        let right = match index {
            _ if index == wrong => ["failed", "failed"],
            _ if index > wrong => ["skipped", "skipped"],
            2 => ["ok", "skipped"],
            _ => ["ok", "ok"],
        };
        assert!(right.contains(&status), "{json:#}");
    }
    assert!(entry_of(&json)["command"].is_string(), "{json:#}");
    assert_eq!(told.err, "");
}

#[tokio::test]
async fn all_is_well_in_a_house_that_speaks() {
    needs!(mosquitto);
    let house = House::start().await;
    let told = overheard(&house, &[]).await;
    let port = house.broker.port();
    let expected = [
        "✓ Broker name: 127.0.0.1 is an address already\n".to_owned(),
        format!("✓ TCP: port {port} is open\n"),
        "– TLS: not asked for by an address with mqtt://\n".to_owned(),
        "✓ MQTT login: without a user name\n".to_owned(),
        "✓ Prefix: a zwave-js-ui publishes under zwave\n".to_owned(),
        "✓ Gateway: Mosquitto\n".to_owned(),
        "✓ Driver: ready\n".to_owned(),
        "✓ Devices: 24 devices, 1 of them not responding\n".to_owned(),
        "✓ Guarded: Entrance Front Door (it is a lock) and Garage Garage Door (it is a garage door)\n"
            .to_owned(),
    ];
    let expected = expected.concat();
    assert!(told.out.starts_with(&expected), "{}", told.out);
    assert!(
        told.out
            .contains(" was heard live; what changes is known at once\n"),
        "{}",
        told.out
    );
    let settings = "✓ zwave-js-ui's settings: events are on, retain is on\n\nAll is well.";
    assert!(told.out.contains(settings), "{}", told.out);
    assert_eq!((told.code, told.err.as_str()), (Some(0), ""));
    assert_eq!(house.writes(), []);
}

#[tokio::test]
async fn what_is_guarded_is_listed_with_the_reason() {
    needs!(mosquitto);
    let house = House::start().await;
    house.rename(3, "Side Gate", "Yard");
    house.rename(4, "Relay", "Haustür");
    house.rename(7, "Gate", "Office");
    let options = ["--guarded=Washer Plug", "--unguarded=Gate"];
    let told = overheard(&house, &options).await;
    for reason in [
        "Yard Side Gate (its name says \"gate\")",
        "Haustür Relay (its room says \"haustur\")",
        "Laundry Washer Plug (--guarded)",
    ] {
        assert!(told.out.contains(reason), "{}", told.out);
    }
    assert!(!told.out.contains("Office Gate"), "{}", told.out);
}

#[tokio::test]
async fn a_quiet_house_is_well_and_it_is_said_how_it_is_kept_fresh() {
    needs!(mosquitto);
    let house = House::start().await;
    house.is_heard().await;
    let told = examined(&house.broker.url(), &[], &[]).await;
    assert_eq!(told.code, Some(0), "{}", told.out);
    let values = told.text_of("values");
    let words = "the house was quiet for 5 s; until an event is heard, the nodes are read again before \
                 a command, which takes ";
    assert!(values.starts_with(words), "{values}");
    assert!(values.ends_with(" ms here"), "{values}");
    let hints = told.hints();
    assert!(
        hints.contains("can't see yet whether zwave-js-ui sends events"),
        "{hints}"
    );
    assert!(
        !hints.contains("Recommended in zwave-js-ui: Settings → Gateway"),
        "{hints}"
    );
    assert_eq!(told.json()["ok"], true);
    assert_eq!(told.json()["failed"], Json::Null);
}

#[tokio::test]
async fn a_broker_that_hands_out_what_it_kept_by_whole_names_only_is_told_of() {
    needs!(mosquitto);
    let quiet = Setup {
        retain: false,
        ..setup()
    };
    let house = House::of(quiet, captured_nodes()).await;
    // All that a client of RabbitMQ is handed of what a gateway has retained.
    Publisher::connect(house.broker.port()).retain("zwave/driver/status", b"true");
    let told = examined(&house.broker.url(), &["--gateway=Mosquitto"], &[]).await;
    assert!(told.hints().contains("as RabbitMQ does"), "{}", told.out);
    let told = examined(&house.broker.url(), &[], &[]).await;
    let sentence = told.text_of("gateway");
    assert!(
        sentence.starts_with("No zwave-js-ui gateway was found") && sentence.contains("RabbitMQ"),
        "{sentence}"
    );
}

#[tokio::test]
async fn settings_that_could_be_better_are_hints_and_no_failure() {
    needs!(mosquitto);
    let house = House::of(
        Setup {
            name: "zwave-js-ui".to_owned(),
            retain: false,
            events: false,
            ..setup()
        },
        captured_nodes(),
    )
    .await;
    let told = overheard(&house, &["--json"]).await;
    assert_eq!(told.code, Some(0), "{}", told.out);
    let settings = "events are off, retain is off";
    assert_eq!(told.text_of("settings"), settings);
    let hints = told.hints();
    assert!(hints.contains("Send Z-Wave events") && hints.contains("Settings → MQTT → Retain"));
    // A gateway at log level info prints every reading (docs/GATEWAY.md#settings).
    assert!(hints.contains("log level"), "{hints}");
    assert!(
        told.text_of("values")
            .starts_with("a value was heard live, but no event; until an event is heard"),
        "{}",
        told.out
    );
}

#[tokio::test]
async fn a_gateway_that_left_a_status_behind_and_a_pattern_without_a_device_are_hints() {
    needs!(mosquitto);
    let house = House::start().await;
    let left = json!({ "time": 1_795_294_809_389_u64, "value": true });
    house.publish_raw("_CLIENTS/ZWAVE_GATEWAY-old/status", &left, true);
    house.is_heard().await;
    let arguments = ["--hide=Frunt Door,kind:gate"];
    let told = examined(&house.broker.url(), &arguments, &[]).await;
    assert_eq!(told.code, Some(0), "{}", told.out);
    assert_eq!(told.text_of("gateway"), "Mosquitto");
    let hints = told.hints();
    assert!(
        hints.contains("old: an old status message") && hints.contains("mosquitto_pub -r -n -t"),
        "{hints}"
    );
    let slip = "Nothing in the house is called \\\"Frunt Door\\\"";
    assert!(
        hints.contains(slip) && !hints.contains("gate\\\""),
        "{hints}"
    );
}

#[tokio::test]
async fn a_broker_that_is_not_reached_is_told_by_name_port_tls_and_login() {
    needs!(mosquitto);
    let told = examined("mqtt://broker.invalid", &[], &[]).await;
    let words = "The MQTT broker at broker.invalid:1883 can't be reached (";
    assert_wrong(&told, "name", words);

    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let closed = format!("mqtt://{}", listener.local_addr().unwrap());
    drop(listener);
    let told = examined(&closed, &[], &[]).await;
    assert_wrong(
        &told,
        "tcp",
        "can't be reached (connection refused). Check that it runs",
    );

    let encrypted = crate::tls::guarded(&Authority::new("home"));
    let told = examined(&encrypted.url(), &[], &[]).await;
    assert_wrong(&told, "login", "hangs up before the login. If it expects");

    let plain = Mosquitto::start();
    let address = format!("mqtts://localhost:{}", plain.port());
    let ca = encrypted.path("ca.pem");
    let told = examined(&address, &[], &[("MQTT_CA_FILE", &ca)]).await;
    assert_wrong(&told, "tls", "does not speak TLS on this port. Use its TLS");
}

#[tokio::test]
async fn a_broker_that_lets_nobody_in_is_told_with_and_without_tls() {
    needs!(mosquitto);
    let plain = crate::secrets::guarded();
    let encrypted = crate::tls::guarded(&Authority::new("home"));
    let ca = encrypted.path("ca.pem");
    let address = format!("mqtts://localhost:{}", encrypted.port());
    for (address, mut environment) in [
        (plain.url(), Vec::new()),
        (address, vec![("MQTT_CA_FILE", ca.as_str())]),
    ] {
        let told = examined(&address, &[], &environment).await;
        assert_wrong(&told, "login", "wants a user name and a password. Set");
        environment.extend([("MQTT_USERNAME", USER), ("MQTT_PASSWORD", "another s3cret")]);
        let told = examined(&address, &[], &environment).await;
        assert_wrong(&told, "login", "refused the user name or password. Check");
        assert_secret(&told.out, "the report");
    }
}

#[tokio::test]
async fn a_broker_that_takes_connections_and_stays_silent_is_told_in_time() {
    needs!(mosquitto);
    let broker = Mosquitto::start();
    broker.stall();
    let begun = Instant::now();
    let told = examined(&broker.url(), &[], &[]).await;
    broker.go_on();
    assert_wrong(&told, "login", "can't be reached (no answer within 5 s)");
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[tokio::test]
async fn a_wrong_prefix_is_told_with_the_right_one() {
    needs!(mosquitto);
    let house = House::start().await;
    let told = examined(&house.broker.url(), &["--prefix=home/zw"], &[]).await;
    let words = "No zwave-js-ui gateway was found under the topic prefix \"home/zw\"";
    assert_wrong(&told, "prefix", words);
    assert_wrong(&told, "prefix", " There is one under \"zwave\".");

    let empty = Mosquitto::start();
    let told = examined(&empty.url(), &[], &[]).await;
    assert_wrong(&told, "prefix", "under the topic prefix \"zwave\"");
    assert!(!told.out.contains("There is one"), "{}", told.out);
}

#[tokio::test]
async fn a_gateway_that_is_away_is_told() {
    needs!(mosquitto);
    let house = House::start().await;
    let address = house.broker.url();
    let attic = ["--gateway=attic", "--reply-timeout=1s"];
    let told = examined(&address, &attic, &[]).await;
    let words = "gateway attic does not answer, but there is Mosquitto. Check its name";
    assert_wrong(&told, "gateway", words);

    // One of several that nobody named may be long gone: no failure.
    let left_over = "_CLIENTS/ZWAVE_GATEWAY-Old/status";
    house.publish_raw(left_over, &json!({ "value": false }), true);
    house.is_heard().await;
    let told = examined(&address, &[], &[]).await;
    assert_eq!(told.code, Some(0), "{}", told.out);
    assert_eq!(told.text_of("gateway"), "Mosquitto");
    assert!(told.hints().contains("gateway Old is offline"));
    let named = ["--gateway=Mosquitto", "--gateway=Old"];
    let told = examined(&address, &named, &[]).await;
    assert_wrong(&told, "gateway", "gateway Old is offline. Check that");

    house.kill();
    let told = examined(&address, &["--gateway=Mosquitto"], &[]).await;
    assert_wrong(&told, "gateway", "gateway Mosquitto is offline. Check that");
}

#[tokio::test]
async fn a_driver_that_does_not_run_is_told() {
    needs!(mosquitto);
    let house = House::start().await;
    house.lose_stick();
    let told = examined(&house.broker.url(), &[], &[]).await;
    let words = "driver of the gateway Mosquitto is not ready. Check that zwave-js-ui";
    assert_wrong(&told, "driver", words);
}

#[tokio::test]
async fn a_house_without_devices_or_with_all_of_them_hidden_is_told() {
    needs!(mosquitto);
    let house = House::of(setup(), vec![node(1, |_| {})]).await;
    let told = examined(&house.broker.url(), &[], &[]).await;
    assert_wrong(&told, "devices", "The gateway has no device to list.");

    let house = House::start().await;
    let address = house.broker.url();
    let told = examined(&address, &["--hide=*"], &[]).await;
    assert_wrong(&told, "devices", "Check --expose and --hide");
    let told = examined(&address, &["--expose=kind:lock"], &[]).await;
    let few = "1 device, as --expose and --hide leave them";
    assert_eq!(told.text_of("devices"), few);
    let arguments = entry_of(&told.json())["args"].clone();
    assert_eq!(arguments, json!(["--expose=kind:lock"]));
}

#[tokio::test]
async fn the_demo_house_needs_no_broker_and_is_well() {
    needs!(mosquitto);
    let told = run(&["--demo"], &[]).await;
    assert_eq!(told.code, Some(0), "{}", told.out);
    let first = "– Broker name: the demo house needs no broker\n– TCP: the demo house";
    assert!(told.out.starts_with(first), "{}", told.out);
    assert!(told.out.contains("✓ Gateway: demo\n"), "{}", told.out);
    let devices = "✓ Devices: 14 devices, 1 of them not responding\n";
    assert!(told.out.contains(devices), "{}", told.out);
    assert!(told.out.contains(" -- ") && told.out.contains(" --demo\n"));
}

#[tokio::test]
async fn bad_settings_exit_with_2_and_print_nothing_else() {
    needs!(mosquitto);
    let told = run(&["--broker", "http://me:secret@host"], &[]).await;
    assert_eq!((told.code, told.out.as_str()), (Some(2), ""));
    assert!(
        told.err.contains("--broker is \"***@host\""),
        "{}",
        told.err
    );
}

/// What a host would spawn.
fn environment_of(entry: &Json) -> Vec<(String, String)> {
    let environment = entry["env"].as_object().unwrap().iter();
    let texts = environment.map(|(name, text)| (name.clone(), text.as_str().unwrap().to_owned()));
    texts.collect()
}

/// The first JSON document behind a heading.
fn document_behind(text: &str, heading: &str) -> Json {
    let rest = &text[text.find(heading).expect(heading)..];
    let rest = &rest[rest.find("\n{").unwrap()..];
    let mut documents = serde_json::Deserializer::from_str(rest).into_iter();
    documents.next().unwrap().unwrap()
}

#[tokio::test]
async fn entries_for_hosts_work_as_they_are_and_have_no_password() {
    needs!(mosquitto);
    let authority = Authority::new("home");
    let broker = crate::tls::guarded(&authority);
    let ca = broker.path("ca.pem");
    let house = House::behind_tls(broker).await;
    let port = house.broker.port();
    // Typed where everybody sees it, and with a path from here.
    let typed = format!("mqtts://{USER}:s3cret-W%C3%B6rd%22%25@localhost:{port}");
    let folder = Path::new(&ca).parent().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_zwave-mcp-server"))
        .args(["doctor", "--broker", &typed, "--ca-file", "ca.pem"])
        .args(["--read-only", "--log-level=trace"])
        .env_clear()
        .current_dir(folder)
        .output()
        .await
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{out}");
    assert_secret(&out, "the report");
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(err.contains("connected to the MQTT broker"), "{err}");
    assert_secret(&err, "the log");
    assert!(out.contains("✓ TLS: its certificate is trusted, by ca.pem\n"));
    assert!(out.contains("✓ MQTT login: as house\n"), "{out}");

    let desktop = document_behind(&out, "Claude Desktop");
    let entry = &desktop["mcpServers"]["zwave"];
    let program = Path::new(entry["command"].as_str().unwrap());
    let real = Path::new(env!("CARGO_BIN_EXE_zwave-mcp-server"));
    assert_eq!(program, real.canonicalize().unwrap());
    let mut environment = environment_of(entry);
    let url = format!("mqtts://localhost:{port}");
    let place = "put the MQTT password here";
    let expected = [
        ("MQTT_BROKER_URL", url.as_str()),
        ("MQTT_USERNAME", USER),
        ("MQTT_CA_FILE", &ca),
        ("MQTT_PASSWORD", place),
    ];
    let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
    assert_eq!(environment, expected);
    let arguments = ["--log-level=trace", "--read-only"];
    assert_eq!(entry["args"], json!(arguments));

    // The person puts the password where it says, and the host spawns it in a folder of its own.
    environment[3].1 = PASSWORD.to_owned();
    let environment: Vec<(&str, &str)> = environment
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let mut server = Server::spawn_with(&arguments.map(str::to_owned), &environment);
    server.initialize().await;
    let tools = server.request("tools/list", json!({})).await;
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 1);
    let list = server.list("").await;
    assert!(list.starts_with("23 devices"), "{list}");

    let command = out.lines().find(|line| line.starts_with("claude mcp add "));
    let words = shlex::split(command.unwrap()).unwrap();
    let split = words.iter().position(|word| word == "--").unwrap();
    assert_eq!(words[..4], ["claude", "mcp", "add", "zwave"]);
    assert_eq!(Path::new(&words[split + 1]), program);
    assert_eq!(words[split + 2..], arguments);
    let set = expected.map(|(name, text)| format!("{name}={text}"));
    let set: Vec<&str> = set.iter().flat_map(|one| ["-e", one]).collect();
    assert_eq!(words[4..split], set);

    let code = document_behind(&out, "VS Code");
    let own = &code["servers"]["zwave"];
    assert_eq!(own["type"], "stdio");
    assert_eq!(own["env"]["MQTT_PASSWORD"], "${input:mqtt-password}");
    assert_eq!(code["inputs"][0]["id"], "mqtt-password");
    assert_eq!(code["inputs"][0]["password"], true);
    assert_eq!(
        (&own["command"], &own["args"]),
        (&entry["command"], &entry["args"])
    );
}

#[tokio::test]
async fn after_a_failure_the_report_ends_with_the_fix_and_no_entries() {
    let told = run(&["--broker", "mqtt://127.0.0.1:1"], &[]).await;
    assert_eq!(told.code, Some(1));
    let end = "\n\nSomething is wrong: TCP. See the ✗ line for the fix.\n\
               Then run doctor again: it prints the entries for hosts once all is well.\n";
    assert!(told.out.ends_with(end), "{}", told.out);
    assert!(!told.out.contains("mcpServers"), "{}", told.out);
}

#[tokio::test]
async fn the_entry_for_one_host_needs_no_broker() {
    let nobody = "mqtt://127.0.0.1:1";
    let environment = [("MQTT_USERNAME", USER), ("MQTT_PASSWORD", PASSWORD)];
    let told = run(&["--host", "LM Studio", "--broker", nobody], &environment).await;
    assert_eq!((told.code, told.err.as_str()), (Some(0), ""));
    assert!(
        told.out.starts_with("LM Studio, in ~/.lmstudio/mcp.json"),
        "{}",
        told.out
    );
    assert!(
        told.out
            .contains("\n\nlmstudio://add_mcp?name=zwave&config="),
        "{}",
        told.out
    );
    assert_secret(&told.out, "the entry");

    let told = run(&["--host=all", "--json", "--broker", nobody], &environment).await;
    let entries = told.json();
    assert_eq!(entries.as_object().unwrap().len(), 18);
    let vs_code = &entries["vs-code"];
    assert_eq!(
        (&vs_code["name"], &vs_code["file"]),
        (&json!("VS Code"), &json!(".vscode/mcp.json"))
    );
    assert!(
        vs_code["link"]
            .as_str()
            .unwrap()
            .starts_with("vscode:mcp/install?")
    );
    assert_eq!(entries["codex"]["link"], Json::Null);
    assert_secret(&told.out, "the entries");

    let told = run(&["--host", "emacs"], &[]).await;
    assert_eq!((told.code, told.out.as_str()), (Some(2), ""));
    assert!(
        told.err
            .contains("--host is \"emacs\"; it must be all, or one of claude-desktop, ")
    );
}

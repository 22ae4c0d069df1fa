//! `zwave-assistant ask` and `chat`: the real program and server, with stand-ins for the models.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::fixture::{ClosedAddress, Ended, end};
use crate::house::{
    BINARY, SENTENCE, assistant, assistant_at, check_end, demo_at_broker, run, write_config,
};
use crate::stand_in::{Answer, StandIn};

/// Returns a reply with this text, in the format of OpenAI's chat completions.
fn openai(text: &str) -> Answer {
    let chunk = |delta: Json, finish: Json| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
        format!("data: {}\n\n", json!({ "choices": [choice] }))
    };
    let said = chunk(json!({ "role": "assistant", "content": text }), Json::Null);
    let end = chunk(json!({}), "stop".into());
    let pieces = [said, end, "data: [DONE]\n\n".to_owned()];
    Answer::stream("text/event-stream", pieces)
}

fn switch_on(device: &str) -> Json {
    let arguments = json!({ "deviceName": device, "action": "on" });
    json!([{ "function": { "name": "control_zwave_device", "arguments": arguments } }])
}

/// Runs the program with a stand-in for Ollama.
async fn run_with_model(arguments: &[&str], model: &StandIn) -> Ended {
    run(arguments, &[("OLLAMA_HOST", &model.address)]).await
}

#[tokio::test]
async fn a_plain_command_is_obeyed_and_no_model_is_asked() {
    let model = StandIn::new([]).await;
    let asked = run_with_model(&["ask", "--demo", "turn on the coffee machine"], &model).await;
    check_end(&asked, 0, "The Coffee Machine is on.\n", "");
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn json_output_is_one_object_with_every_call() {
    let arguments = ["ask", "--json", "--demo", "turn on the coffee machine"];
    let asked = run(&arguments, &[]).await;
    let page = include_str!("../../docs/ASSISTANT.md");
    let example = page.split("```json\n").nth(1).unwrap().split("```").next();
    let mut example: Json = serde_json::from_str(example.unwrap()).unwrap();
    let mut json = asked.json();
    // Only the duration of the call may differ.
    for output in [&mut json, &mut example] {
        assert!(output["calls"][0]["ms"].take().is_u64());
    }
    assert_eq!(json, example);
    assert_eq!(asked.out.lines().count(), 1);
}

#[tokio::test]
async fn a_command_that_the_guard_refuses_is_answered_with_the_refusal_and_exit_code_1() {
    let model = StandIn::new([]).await;
    let asked = run_with_model(&["ask", "--demo", "unlock the front door"], &model).await;
    let answer = "I am not allowed to unlock the Front Door.\n";
    check_end(&asked, 1, answer, "ZWAVE_GUARD=allow");
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn a_misheard_name_is_asked_about_and_no_model_is_asked() {
    let model = StandIn::new([]).await;
    let asked = run_with_model(&["ask", "--demo", "turn on the cofee machine"], &model).await;
    check_end(&asked, 1, "Did you mean the Coffee Machine?\n", "");
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn a_sentence_that_is_no_plain_command_goes_to_a_model_that_gets_all_tools_and_results() {
    let called = Answer::ollama("", switch_on("coffee machine"));
    let model = StandIn::new([called, Answer::ollama("It brews.", json!([]))]).await;
    let asked = run_with_model(&["ask", "--demo", "--json", SENTENCE], &model).await;
    let json = asked.json();
    assert_eq!(asked.code, Some(0), "{asked:?}");
    let [text, path, model_name] = ["text", "path", "model"].map(|field| &json[field]);
    assert_eq!(
        [text, path, model_name],
        ["It brews.", "model", "ollama:qwen3:0.6b"]
    );
    assert_eq!(json["calls"][0]["result"], "Coffee Machine is now on.");
    let requests = model.requests();
    let tools = requests[0].body["tools"].as_array().unwrap();
    let tools: Vec<&Json> = tools.iter().map(|tool| &tool["function"]["name"]).collect();
    let position = |name| tools.iter().position(|tool| *tool == name);
    for name in ["list_zwave_devices", "get_date_and_time"] {
        assert!(position(name).is_some(), "{tools:?}");
    }
    assert_eq!(position("search"), None);
    // The server's tools come before the assistant's own.
    let (control, volume) = (position("control_zwave_device"), position("volume"));
    assert!(control.is_some() && control < volume, "{tools:?}");
    let last = requests[1].body["messages"].as_array().unwrap().last().unwrap();
    let result = last["content"].as_str().unwrap();
    assert!(result.contains("Coffee Machine is now on."), "{last}");
}

#[tokio::test]
async fn the_no_local_option_sends_even_a_plain_command_to_the_model() {
    let model = StandIn::new([Answer::ollama("No.", json!([]))]).await;
    let order = "turn on the coffee machine";
    let asked = run_with_model(&["ask", "--demo", "--no-local", order], &model).await;
    check_end(&asked, 0, "No.\n", "");
}

#[tokio::test]
async fn a_fallback_never_repeats_what_was_done() {
    needs!(mosquitto);
    let house = demo_at_broker().await;
    // After the call, the first model's provider replies with status 500.
    let first = StandIn::new([Answer::ollama("", switch_on("coffee machine"))]).await;
    let second = StandIn::new([openai("The coffee machine is on.")]).await;
    let environment = [
        ("MQTT_BROKER_URL", house.broker.url()),
        ("OLLAMA_HOST", first.address.clone()),
        ("OPENAI_BASE_URL", format!("{}/v1", second.address)),
        ("OPENAI_API_KEY", "sk-secret".to_owned()),
    ];
    let environment = environment.each_ref().map(|(name, value)| (*name, value.as_str()));
    let arguments = "ask --no-local --json --model ollama:a --fallback openai:b coffee";
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let asked = run(&arguments, &environment).await;
    let json = asked.json();
    assert_eq!(json["text"], "The coffee machine is on.", "{asked:?}");
    assert_eq!((asked.code, &json["model"]), (Some(0), &json!("openai:b")));
    let writes = house.received_writes();
    assert_eq!(writes.len(), 1, "{writes:?}");
    let messages = second.requests()[0].body["messages"].to_string();
    assert!(messages.contains("Coffee Machine is now on."), "{messages}");
    assert!(!format!("{asked:?}").contains("sk-secret"));
}

#[tokio::test]
async fn a_sentence_that_no_model_can_answer_gets_an_error_of_one_line_that_says_what_to_do() {
    let closed = ClosedAddress::new();
    let url = format!("http://{closed}");
    let asked = run(&["ask", "--demo", SENTENCE], &[("OLLAMA_HOST", &url)]).await;
    let answer = "I did not understand \"could\", \"do\", \"with\" and \"hot\".\n";
    check_end(&asked, 1, answer, "ollama:qwen3:0.6b is not reachable");
    assert_eq!(asked.err.lines().count(), 1, "{asked:?}");
    assert!(asked.err.contains("set OLLAMA_HOST"), "{asked:?}");

    let missing = r#"{"error":"model 'qwen3:0.6b' not found"}"#;
    let model = StandIn::new([Answer::with_status(404, missing)]).await;
    let asked = run_with_model(&["ask", "--demo", SENTENCE], &model).await;
    check_end(&asked, 1, answer, "ollama pull qwen3:0.6b");

    let options = ["ask", "--demo", "--model", "anthropic:x", "--json"];
    let asked = run(&[&options[..], &[SENTENCE]].concat(), &[]).await;
    let error = asked.json()["error"].to_string();
    assert!(error.contains("ANTHROPIC_API_KEY"), "{error}");
    assert_eq!((asked.code, asked.err.as_str()), (Some(1), ""));
}

#[tokio::test]
async fn bad_usage_is_explained_and_has_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let file = write_config(folder.path(), &json!({ "url": "http://x" }));
    let without_command = format!("ask --mcp-config {file} on");
    let with_both = format!("ask --small-model --mcp-config {file} on");
    for (arguments, variable, message) in [
        (
            "ask --demo --model bert:x on",
            "",
            "ollama, anthropic, openai",
        ),
        // The last argument is a tab.
        ("ask --demo \t", "", "the sentence is empty"),
        ("ask --demo", "", "SENTENCE"),
        (
            "ask --mcp-config /none on",
            "",
            "--mcp-config is \"/none\": ",
        ),
        (&without_command, "", "missing field `command`"),
        ("ask on", "MQTT_BROKER_URL=localhost", "must be an address"),
        (
            "ask --demo --model anthropic:x on",
            "ANTHROPIC_API_KEY_FILE=/none",
            "ANTHROPIC_API_KEY_FILE",
        ),
        ("ask --demo on", "SEARXNG_URL=localhost", "SEARXNG_URL"),
        ("listen --topic a/#", "", "without # and +"),
        ("listen --demo --topic a --reply-topic a", "", "must differ"),
        (
            "listen --demo --topic house/ask/answer",
            "ZWAVE_CONFIRM_TOPIC=house/ask",
            "on which people are asked",
        ),
        (
            "listen --demo --topic a --reply-topic house/ask",
            "ZWAVE_CONFIRM_TOPIC=house/ask",
            "on which people are asked",
        ),
        (
            "listen --demo --topic $share/g/voice/a --reply-topic voice/a",
            "",
            "must differ",
        ),
        (&with_both, "", "cannot be used with"),
    ] {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let environment: Vec<_> = variable.split_once('=').into_iter().collect();
        check_end(&run(&arguments, &environment).await, 2, "", message);
    }
}

/// Links the program into a new folder without a server program. A test may put its own server there.
fn isolate_program() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let program = folder.path().join("zwave-assistant");
    std::fs::hard_link(BINARY, &program).unwrap();
    (folder, program)
}

#[tokio::test]
async fn the_error_says_how_to_get_the_server_program_if_it_is_missing() {
    let (_folder, program) = isolate_program();
    let asked = end(assistant_at(&program, &["ask", "--demo", "lights on"], &[])).await;
    check_end(&asked, 1, "", "cargo install --path .");
    assert_eq!(asked.err.lines().count(), 1, "{asked:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_sees_its_own_settings_and_no_key() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, program) = isolate_program();
    let folder = program.parent().unwrap();
    let (seen, server) = (folder.join("seen"), folder.join("zwave-mcp-server"));
    let real = env!("CARGO_BIN_EXE_zwave-mcp-server");
    let script = format!("#!/bin/sh\nenv > {}\nexec {real} \"$@\"\n", seen.display());
    std::fs::write(&server, script).unwrap();
    std::fs::set_permissions(&server, std::fs::Permissions::from_mode(0o755)).unwrap();
    let environment = [
        ("ANTHROPIC_API_KEY", "sk-secret"),
        ("BRAVE_API_KEY", "b-secret"),
        ("ZWAVE_GUARD", "deny"),
        ("USERNAME", "somebody"),
    ];
    let arguments = ["ask", "--demo", "lock the front door"];
    let asked = end(assistant_at(&program, &arguments, &environment)).await;
    let seen = std::fs::read_to_string(seen).unwrap();
    for setting in ["ZWAVE_GUARD=deny", "USERNAME=somebody"] {
        assert!(seen.contains(setting), "{seen}");
    }
    assert!(!seen.contains("secret"), "{seen}");
    assert!(!asked.err.contains("secret"), "{asked:?}");
}

#[tokio::test]
async fn servers_from_a_config_file_replace_the_default_server() {
    let folder = tempfile::tempdir().unwrap();
    let real = env!("CARGO_BIN_EXE_zwave-mcp-server");
    let server = json!({ "command": real, "args": ["--demo"], "env": { "ZWAVE_READ_ONLY": "1" } });
    let file = write_config(folder.path(), &server);
    let model = StandIn::new([Answer::ollama("Hello.", json!([]))]).await;
    let arguments = ["ask", "--mcp-config", &file, "good morning, my house"];
    let asked = run_with_model(&arguments, &model).await;
    check_end(&asked, 0, "Hello.\n", "");
    let tools = model.requests()[0].body["tools"].to_string();
    assert!(tools.contains("list_zwave_devices"), "{tools}");
    assert!(!tools.contains("control_zwave_device"), "{tools}");
}

#[tokio::test]
async fn a_plain_command_does_not_wait_for_a_silent_or_flooding_server_beside_our_own() {
    let real = env!("CARGO_BIN_EXE_zwave-mcp-server");
    for other in ["exec sleep 1000", "exec yes"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("servers.json");
        let config = json!({ "mcpServers": {
            "other": { "command": "sh", "args": ["-c", other] },
            "zwave": { "command": real, "args": ["--demo"] },
        } });
        std::fs::write(&file, config.to_string()).unwrap();
        let model = StandIn::new([]).await;
        let file = file.to_str().unwrap();
        let start = Instant::now();
        let arguments = ["ask", "--mcp-config", file, "turn on the coffee machine"];
        let asked = run_with_model(&arguments, &model).await;
        check_end(&asked, 0, "The Coffee Machine is on.\n", "");
        // One attempt to connect to the other server takes 10 s, and there would be three.
        assert!(start.elapsed() < Duration::from_secs(9), "{other}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_servers_file_that_is_no_small_regular_file_is_refused_before_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let large = folder.path().join("large.json");
    std::fs::File::create(&large).unwrap().set_len(300 << 20).unwrap();
    for (file, why) in [
        ("/dev/zero", "it is not a regular file"),
        (large.to_str().unwrap(), "it is longer than 1 MiB"),
    ] {
        let asked = run(&["ask", "--mcp-config", file, "on"], &[]).await;
        check_end(&asked, 2, "", why);
    }
}

#[tokio::test]
async fn an_event_of_a_model_with_too_many_values_is_refused_before_it_is_parsed() {
    let choices = format!("data: {{\"choices\":[{}{{}}]}}\n\n", "{},".repeat(100_000));
    let model = StandIn::new([Answer::stream("text/event-stream", [choices])]).await;
    let address = format!("{}/v1", model.address);
    let arguments = ["ask", "--demo", "--model", "openai:x", SENTENCE];
    let environment = [("OPENAI_BASE_URL", address.as_str())];
    let asked = run(&arguments, &environment).await;
    assert_eq!(asked.code, Some(1), "{asked:?}");
    assert!(asked.err.contains("it has too many values"), "{asked:?}");
}

#[tokio::test]
async fn an_unreachable_house_is_explained_without_blaming_the_model() {
    let closed = ClosedAddress::new();
    let url = format!("mqtt://{closed}");
    let asked = run(&["ask", "turn on the lamp"], &[("MQTT_BROKER_URL", &url)]).await;
    let answer = "I can't reach the house at the moment.\n";
    check_end(&asked, 1, answer, "The MQTT broker at 127.0.0.1");
    assert!(!asked.err.contains("model"), "{asked:?}");
}

#[tokio::test]
async fn an_option_of_the_server_is_refused_with_the_name_of_its_environment_variable() {
    let asked = run(&["ask", "--guard=allow", "unlock the front door"], &[]).await;
    check_end(&asked, 2, "", "zwave-assistant takes it from ZWAVE_GUARD");
}

#[tokio::test]
async fn a_chat_says_once_that_no_model_answers_and_ends_at_exit() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("typed");
    let typed =
        "tell me a joke\nand another\nturn on the desk light\nexit\nturn off the desk light\n";
    std::fs::write(&input, typed).unwrap();
    let closed = ClosedAddress::new();
    let url = format!("http://{closed}");
    let mut chat = assistant(&["chat", "--demo"], &[("OLLAMA_HOST", url.as_str())]);
    chat.stdin(std::fs::File::open(&input).unwrap());
    let chat = end(chat).await;
    assert_eq!(chat.code, Some(0), "{chat:?}");
    assert_eq!(
        chat.err.matches("no model has answered").count(),
        1,
        "{chat:?}"
    );
    assert!(chat.out.contains("The Desk Light is on."), "{chat:?}");
    assert!(!chat.out.contains("The Desk Light is off."), "{chat:?}");
}

#[tokio::test]
async fn an_option_before_the_command_is_refused_with_its_right_place() {
    let asked = run(&["--demo", "ask", "turn on the lamp"], &[]).await;
    check_end(&asked, 2, "", "zwave-assistant ask --demo");
}

#[tokio::test]
async fn json_output_is_one_object_without_secrets_even_if_no_server_starts() {
    let folder = tempfile::tempdir().unwrap();
    let (shell, option, script) = if cfg!(windows) {
        ("cmd", "/C", "echo its key %MY_KEY% is wrong 1>&2&exit 3")
    } else {
        ("sh", "-c", "echo its key $MY_KEY is wrong >&2; exit 3")
    };
    let key = json!({ "MY_KEY": "k-secret" });
    let server = json!({ "command": shell, "args": [option, script], "env": key });
    let file = write_config(folder.path(), &server);
    let asked = run(&["ask", "--json", "--mcp-config", &file, "on"], &[]).await;
    let mut json = asked.json();
    let error = json["error"].take();
    let error = error.as_str().unwrap();
    assert!(error.contains("its key *** is wrong"), "{error}");
    let empty = json!({ "text": "", "path": "model", "model": null, "calls": [], "error": null });
    assert_eq!((asked.code, asked.err.as_str(), json), (Some(1), "", empty));
}

#[tokio::test]
async fn a_chat_shows_the_tool_result_if_the_model_ends_without_words() {
    let called = Answer::ollama("Let me check.", switch_on("coffee machine"));
    let model = StandIn::new([called, Answer::ollama("", json!([]))]).await;
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("said");
    std::fs::write(&input, format!("{SENTENCE}\n")).unwrap();
    let environment = [("OLLAMA_HOST", model.address.as_str())];
    let mut chat = assistant(&["chat", "--demo"], &environment);
    // `end` reads stdout and stderr, but leaves stdin as it is.
    chat.stdin(std::fs::File::open(&input).unwrap());
    let chat = end(chat).await;
    assert_eq!(chat.code, Some(0), "{chat:?}");
    let answer = "Let me check.\nCoffee Machine is now on.\n";
    assert!(chat.out.contains(answer), "{chat:?}");
}

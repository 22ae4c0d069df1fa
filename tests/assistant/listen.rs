//! `zwave-assistant listen` reads transcripts and prints answers.

use std::process::Stdio;

use tokio::io::AsyncWriteExt;
#[cfg(unix)]
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::time::timeout;
#[cfg(target_os = "linux")]
use zwave_mcp_server::gateway::bus::{End, Incoming, Outgoing};
#[cfg(target_os = "linux")]
use zwave_mcp_server::gateway::mqtt;

use crate::fixture::Ended;
#[cfg(target_os = "linux")]
use crate::fixture::{House, Mosquitto, client_of, eventually, setup_of};
#[cfg(unix)]
use crate::fixture::{free_port, signal};
#[cfg(target_os = "linux")]
use crate::house::demo_at_broker;
use crate::house::{LONG, assistant};

/// Runs the program with these lines on stdin.
async fn listen_to(more: &[&str], lines: String) -> Ended {
    let arguments = [&["listen", "--demo"], more].concat();
    let mut listening = assistant(&arguments, &[]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = listening.stdin.take().unwrap();
    let writing = tokio::spawn(async move { stdin.write_all(lines.as_bytes()).await });
    let output = timeout(LONG, listening.wait_with_output()).await;
    writing.await.unwrap().unwrap();
    output.expect("it does not end").unwrap().into()
}

#[tokio::test]
async fn each_line_is_answered_by_a_line_in_order_and_spoken_until_stdin_ends() {
    let folder = tempfile::tempdir().unwrap();
    let spoken = folder.path().join("spoken");
    let reader = if cfg!(windows) {
        "%SystemRoot%\\System32\\find.exe \"a\""
    } else {
        "cat"
    };
    let speak = format!("{reader} >> {}", spoken.display());
    let lines = "turn on the coffee machine\n\nturn off the coffee machine\n";
    let listened = listen_to(&["--speak", &speak], lines.to_owned()).await;
    let answers = "The Coffee Machine is on.\nThe Coffee Machine is off.\n";
    assert_eq!((listened.out.as_str(), listened.code), (answers, Some(0)));
    let spoken = std::fs::read_to_string(spoken).unwrap();
    assert_eq!(spoken.replace("\r\n", "\n"), answers);
}

#[cfg(target_os = "linux")]
fn publish(end: &End, topic: &str, payload: &str, retain: bool) {
    let message = Outgoing {
        topic: topic.to_owned(),
        payload: payload.as_bytes().to_vec(),
        retain,
        acknowledged: true,
    };
    end.bus.publish(message).unwrap();
}

/// Waits for the next message of a subscribed topic.
#[cfg(target_os = "linux")]
async fn next(end: &mut End) -> String {
    loop {
        let incoming = timeout(LONG, end.incoming.recv()).await.expect("no message");
        if let Incoming::Message(message) = incoming.unwrap() {
            return String::from_utf8(message.payload.to_vec()).unwrap();
        }
    }
}

/// Connects a client to the house's broker, and subscribes it to the answers.
#[cfg(target_os = "linux")]
async fn connect_voice(house: &House<Mosquitto>) -> End {
    let mut voice = mqtt::connect(vec![client_of(&house.broker, &setup_of("voice"))]);
    assert!(matches!(voice.incoming.recv().await, Some(Incoming::Up)));
    voice.bus.subscribe("voice/answered").unwrap();
    voice
}

/// Returns the child processes of a process.
#[cfg(target_os = "linux")]
fn children(process: u32) -> Vec<u32> {
    let path = format!("/proc/{process}/task/{process}/children");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().map(|id| id.parse().unwrap()).collect()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn transcripts_of_a_topic_are_obeyed_and_answered_on_the_reply_topic_until_a_signal() {
    needs!(mosquitto);
    let house = demo_at_broker().await;
    let mut voice = connect_voice(&house).await;
    // A retained message, which must be ignored because it may be old.
    publish(&voice, "voice/said", "turn off the coffee machine", true);
    let url = house.broker.url();
    let arguments = [
        "listen",
        "--topic",
        "voice/said",
        "--reply-topic",
        "voice/answered",
    ];
    let listening = assistant(&arguments, &[("MQTT_BROKER_URL", &url)]).spawn().unwrap();
    let id = listening.id().unwrap();
    eventually("the server runs", async || !children(id).is_empty()).await;
    let server = children(id)[0];
    // Messages published before the program subscribes are lost, so publish until one is answered.
    let answer = loop {
        publish(&voice, "voice/said", "turn on the coffee machine", false);
        let answered =
            tokio::time::timeout(std::time::Duration::from_millis(500), next(&mut voice));
        if let Ok(answer) = answered.await {
            break answer;
        }
    };
    assert_eq!(answer, "The Coffee Machine is on.");
    let written = house.writes();
    assert!(
        written.iter().all(|(_, _, value)| *value == true),
        "{written:?}"
    );
    signal(id, "TERM");
    let output = timeout(LONG, listening.wait_with_output()).await.unwrap().unwrap();
    assert_eq!(
        (output.status.code(), output.stdout.len()),
        (Some(0), 0),
        "{output:?}"
    );
    assert!(!std::path::Path::new(&format!("/proc/{server}")).exists());
}

#[cfg(unix)]
#[tokio::test]
async fn an_unreachable_broker_is_reported_once_with_what_to_do() {
    let url = format!("mqtt://127.0.0.1:{}", free_port());
    let mut listening = assistant(
        &["listen", "--topic", "voice/said"],
        &[("MQTT_BROKER_URL", &url)],
    );
    let mut listening = listening.spawn().unwrap();
    let mut stderr = BufReader::new(listening.stderr.take().unwrap());
    let mut line = String::new();
    timeout(LONG, stderr.read_line(&mut line)).await.unwrap().unwrap();
    assert!(
        line.contains("can't be reached") && line.contains("Check that it runs"),
        "{line}"
    );
    signal(listening.id().unwrap(), "TERM");
    assert_eq!(listening.wait().await.unwrap().code(), Some(0));
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).await.unwrap();
    assert_eq!(rest, "");
}

#[tokio::test]
async fn a_line_that_is_too_long_is_refused_and_the_next_one_is_answered() {
    let lines = format!(
        "turn on the coffee machine {}\nturn off the coffee machine\n",
        " ".repeat(100_000)
    );
    let answers =
        "That is too much at once. Please say it again later.\nThe Coffee Machine is off.\n";
    assert_eq!(listen_to(&[], lines).await.out, answers);
}

#[tokio::test]
async fn a_thousand_lines_at_once_are_answered_one_by_one_in_order() {
    let said = |line: usize| match line % 50 {
        0 => "turn on the coffee machine\n",
        1 => "turn off the coffee machine\n",
        _ => "turn on the helicopter tomorrow\n",
    };
    let listened = listen_to(&[], (0..1000).map(said).collect()).await;
    let answer = |line: usize| match line % 50 {
        0 => "The Coffee Machine is on.",
        1 => "The Coffee Machine is off.",
        _ => "I can only act right now.",
    };
    let answers: Vec<&str> = (0..1000).map(answer).collect();
    assert_eq!(listened.out.lines().collect::<Vec<_>>(), answers);
    assert_eq!(listened.code, Some(0));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn two_listeners_of_a_shared_subscription_answer_each_sentence_once() {
    needs!(mosquitto);
    let house = demo_at_broker().await;
    let mut voice = connect_voice(&house).await;
    let url = house.broker.url();
    let arguments = [
        "listen",
        "--topic",
        "$share/house/voice/said",
        "--reply-topic",
        "voice/answered",
    ];
    let start = || {
        let mut listening = assistant(&arguments, &[("MQTT_BROKER_URL", &url)]);
        listening.kill_on_drop(true).spawn().unwrap()
    };
    let listening = [start(), start()];
    for listener in &listening {
        let id = listener.id().unwrap();
        eventually("the server runs", async || !children(id).is_empty()).await;
    }
    // Messages published before a listener subscribes are lost, so publish until one is answered.
    loop {
        publish(&voice, "voice/said", "turn on the helicopter", false);
        let answered = timeout(std::time::Duration::from_millis(500), next(&mut voice)).await;
        if answered.is_ok() {
            break;
        }
    }
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    for _ in 0..20 {
        publish(&voice, "voice/said", "turn on the coffee machine", false);
    }
    let mut answers = 0;
    while let Ok(answer) = timeout(std::time::Duration::from_secs(2), next(&mut voice)).await {
        answers += usize::from(answer == "The Coffee Machine is on.");
    }
    assert_eq!(answers, 20);
}

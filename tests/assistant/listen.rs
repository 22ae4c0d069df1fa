//! `zwave-assistant listen` reads transcripts and prints answers.

use std::process::Stdio;
#[cfg(target_os = "linux")]
use std::time::Duration;

use tokio::io::AsyncWriteExt;
#[cfg(unix)]
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
#[cfg(target_os = "linux")]
use tokio::process::Child;
use tokio::time::timeout;
#[cfg(target_os = "linux")]
use zwave_mcp_server::gateway::bus::{End, Incoming, Outgoing};
#[cfg(target_os = "linux")]
use zwave_mcp_server::gateway::mqtt;

use crate::fixture::Ended;
#[cfg(target_os = "linux")]
use crate::fixture::{ASK, House, Mosquitto, Phone, client_of, eventually, setup_of};
#[cfg(unix)]
use crate::fixture::{ClosedAddress, signal};
#[cfg(target_os = "linux")]
use crate::house::demo_at_broker;
use crate::house::{LONG, assistant};

/// Runs `listen --demo` with these options, and with these lines on stdin.
async fn listen_to(options: &[&str], lines: String) -> Ended {
    let arguments = [&["listen", "--demo"], options].concat();
    let mut listening = assistant(&arguments, &[]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = listening.stdin.take().unwrap();
    let writing = tokio::spawn(async move { stdin.write_all(lines.as_bytes()).await });
    let output = timeout(LONG, listening.wait_with_output()).await;
    writing.await.unwrap().unwrap();
    output.expect("the program hangs").unwrap().into()
}

#[tokio::test]
async fn answers_are_printed_and_spoken_in_order_until_stdin_ends() {
    let folder = tempfile::tempdir().unwrap();
    let spoken = folder.path().join("spoken");
    // Copies stdin to stdout. `find` copies only lines with an "a", which every answer has.
    let copy = if cfg!(windows) {
        "%SystemRoot%\\System32\\find.exe \"a\""
    } else {
        "cat"
    };
    let speak = format!("{copy} >> {}", spoken.display());
    let lines = "turn on the coffee machine\n\nturn off the coffee machine\n";
    let listened = listen_to(&["--speak", &speak], lines.to_owned()).await;
    let answers = "The Coffee Machine is on.\nThe Coffee Machine is off.\n";
    assert_eq!((listened.out.as_str(), listened.code), (answers, Some(0)));
    let spoken = std::fs::read_to_string(spoken).unwrap();
    assert_eq!(spoken.replace("\r\n", "\n"), answers);
}

#[tokio::test]
async fn a_misheard_name_is_asked_about_and_yes_does_it() {
    let lines = "turn on the cofee machine\nyes\n";
    let listened = listen_to(&[], lines.to_owned()).await;
    let answers = "Did you mean the Coffee Machine?\nThe Coffee Machine is on.\n";
    assert_eq!((listened.out.as_str(), listened.code), (answers, Some(0)));
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

/// Waits for the next message, and returns its payload.
#[cfg(target_os = "linux")]
async fn next(end: &mut End) -> String {
    next_with_topic(end).await.1
}

/// Waits for the next message, and returns its topic and its payload.
#[cfg(target_os = "linux")]
async fn next_with_topic(end: &mut End) -> (String, String) {
    loop {
        let incoming = timeout(LONG, end.incoming.recv()).await.expect("no message");
        if let Incoming::Message(message) = incoming.unwrap() {
            let payload = String::from_utf8(message.payload.to_vec()).unwrap();
            return (message.topic, payload);
        }
    }
}

/// Connects a client to the house's broker, and subscribes to the answers.
#[cfg(target_os = "linux")]
async fn connect_voice(house: &House<Mosquitto>) -> End {
    let mut voice = mqtt::connect(vec![client_of(&house.broker, &setup_of("voice"))]);
    assert!(matches!(voice.incoming.recv().await, Some(Incoming::Up)));
    voice.bus.subscribe("voice/answered").unwrap();
    voice
}

/// Starts `listen` with this topic for transcripts, and waits until the program has started its server.
#[cfg(target_os = "linux")]
async fn start_listener(house: &House<Mosquitto>, topic: &str) -> Child {
    let arguments = [
        "listen",
        "--topic",
        topic,
        "--reply-topic",
        "voice/answered",
    ];
    let url = house.broker.url();
    let listening = assistant(&arguments, &[("MQTT_BROKER_URL", &url)]).spawn().unwrap();
    let id = listening.id().unwrap();
    eventually("the server runs", async || !children(id).is_empty()).await;
    listening
}

/// Sends a signal to the program, and waits until it has ended.
#[cfg(target_os = "linux")]
async fn end_listener(listening: Child) -> Ended {
    signal(listening.id().unwrap(), "TERM");
    timeout(LONG, listening.wait_with_output()).await.unwrap().unwrap().into()
}

/// Publishes a sentence until an answer arrives. A message published before the program subscribes is lost.
#[cfg(target_os = "linux")]
async fn say_until_answered(voice: &mut End, sentence: &str) -> String {
    loop {
        publish(voice, "voice/said", sentence, false);
        if let Ok(answer) = timeout(Duration::from_millis(500), next(voice)).await {
            return answer;
        }
    }
}

/// Returns the ids of the child processes that the main thread of `process` has started.
#[cfg(target_os = "linux")]
fn children(process: u32) -> Vec<u32> {
    let path = format!("/proc/{process}/task/{process}/children");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().map(|id| id.parse().unwrap()).collect()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_door_is_unlocked_after_a_yes_on_the_phone_and_others_are_answered_meanwhile() {
    needs!(mosquitto);
    let house = demo_at_broker().await;
    let mut voice = connect_voice(&house).await;
    let mut phone = Phone::on(mqtt::connect(vec![client_of(
        &house.broker,
        &setup_of("phone"),
    )]))
    .await;
    let url = house.broker.url();
    let arguments = [
        "listen",
        "--topic",
        "voice/said",
        "--reply-topic",
        "voice/answered",
    ];
    let environment = [
        ("MQTT_BROKER_URL", url.as_str()),
        ("ZWAVE_GUARD", "confirm"),
        ("ZWAVE_CONFIRM_TOPIC", ASK),
    ];
    let listening = assistant(&arguments, &environment).spawn().unwrap();
    say_until_answered(&mut voice, "hello").await;
    publish(&voice, "voice/said", "unlock the front door", false);
    let question = phone.question().await;
    let mut answer = next(&mut voice).await;
    while answer.starts_with("Hello") {
        answer = next(&mut voice).await;
    }
    assert_eq!(
        answer,
        "Somebody has to allow that, and I have asked: the Front Door."
    );
    publish(&voice, "voice/said", "turn on the coffee machine", false);
    assert_eq!(next(&mut voice).await, "The Coffee Machine is on.");
    let before = house.writes().len();
    phone.answer(&question, true);
    assert_eq!(next(&mut voice).await, "The Front Door is unlocked.");
    assert_eq!(house.writes().len(), before + 1);
    phone.wait_for_states(&question, &["allowed", "done"]).await;
    let ended = end_listener(listening).await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn transcripts_of_a_topic_are_obeyed_and_answered_on_the_reply_topic_until_a_signal() {
    needs!(mosquitto);
    let house = demo_at_broker().await;
    let mut voice = connect_voice(&house).await;
    // A retained message, which must be ignored because it may be old.
    publish(&voice, "voice/said", "turn off the coffee machine", true);
    let listening = start_listener(&house, "voice/said").await;
    let id = listening.id().unwrap();
    let server = children(id)[0];
    let answer = say_until_answered(&mut voice, "turn on the coffee machine").await;
    assert_eq!(answer, "The Coffee Machine is on.");
    let writes = house.writes();
    let are_on = writes.iter().all(|(_, _, value)| *value == true);
    assert!(are_on, "{writes:?}");
    let ended = end_listener(listening).await;
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), ""), "{ended:?}");
    assert!(!std::path::Path::new(&format!("/proc/{server}")).exists());
}

#[cfg(unix)]
#[tokio::test]
async fn an_unreachable_broker_is_reported_once_with_a_remedy() {
    let closed = ClosedAddress::new();
    let url = format!("mqtt://{closed}");
    let arguments = ["listen", "--topic", "voice/said"];
    let mut listening = assistant(&arguments, &[("MQTT_BROKER_URL", &url)]).spawn().unwrap();
    let mut stderr = BufReader::new(listening.stderr.take().unwrap());
    let mut line = String::new();
    timeout(LONG, stderr.read_line(&mut line)).await.unwrap().unwrap();
    for part in ["can't be reached", "Check that it runs"] {
        assert!(line.contains(part), "{line}");
    }
    signal(listening.id().unwrap(), "TERM");
    assert_eq!(listening.wait().await.unwrap().code(), Some(0));
    let mut further_lines = String::new();
    stderr.read_to_string(&mut further_lines).await.unwrap();
    assert_eq!(further_lines, "");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_answer_that_can_t_be_printed_is_a_failure() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = assistant(&["listen", "--demo"], &[]);
    let mut listening = command.stdin(Stdio::piped()).stdout(full).spawn().unwrap();
    let mut stdin = listening.stdin.take().unwrap();
    stdin.write_all(b"turn on the coffee machine\n").await.unwrap();
    drop(stdin);
    let output = timeout(LONG, listening.wait_with_output()).await;
    let ended: Ended = output.expect("the program goes on").unwrap().into();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.err.contains("can't print"), "{ended:?}");
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
    let talk = (0..1000).map(|line| match line % 50 {
        0 => ("turn on the coffee machine\n", "The Coffee Machine is on."),
        1 => (
            "turn off the coffee machine\n",
            "The Coffee Machine is off.",
        ),
        _ => (
            "don't turn on the coffee machine\n",
            "All right, I'll leave everything as it is.",
        ),
    });
    let (said, answers): (String, Vec<&str>) = talk.unzip();
    let listened = listen_to(&[], said).await;
    assert_eq!(listened.out.lines().collect::<Vec<_>>(), answers);
    assert_eq!(listened.code, Some(0));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn each_sentence_is_answered_by_only_one_of_two_listeners_that_share_a_subscription() {
    needs!(mosquitto);
    let house = demo_at_broker().await;
    let mut voice = connect_voice(&house).await;
    let shared = "$share/house/voice/said";
    let _listening = tokio::join!(
        start_listener(&house, shared),
        start_listener(&house, shared)
    );
    say_until_answered(&mut voice, "turn on the helicopter").await;
    // The listener that has not answered needs time to subscribe, too.
    tokio::time::sleep(Duration::from_secs(1)).await;
    for _ in 0..20 {
        publish(&voice, "voice/said", "turn on the coffee machine", false);
    }
    let mut answers = 0;
    while let Ok(answer) = timeout(Duration::from_secs(2), next(&mut voice)).await {
        answers += usize::from(answer == "The Coffee Machine is on.");
    }
    assert_eq!(answers, 20);
}

/// Publishes a sentence of a room, and returns the next answer with its topic.
#[cfg(target_os = "linux")]
async fn say_in(voice: &mut End, room: &str, sentence: &str) -> (String, String) {
    publish(voice, &format!("voice/{room}/said"), sentence, false);
    next_with_topic(voice).await
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn each_room_of_a_topic_has_its_own_answers_follow_ups_and_stop() {
    needs!(mosquitto);
    let house = demo_at_broker().await;
    for topic in ["voice/{room}/said", "$share/voices/voice/{room}/said"] {
        let mut voice = connect_voice(&house).await;
        voice.bus.subscribe("voice/+/answer").unwrap();
        let url = house.broker.url();
        let arguments = [
            "listen",
            "--topic",
            topic,
            "--reply-topic",
            "voice/{room}/answer",
        ];
        let listening = assistant(&arguments, &[("MQTT_BROKER_URL", &url)]).spawn().unwrap();
        eventually("the program answers", async || {
            publish(&voice, "voice/Bedroom/said", "hello", false);
            timeout(Duration::from_millis(500), next_with_topic(&mut voice)).await.is_ok()
        })
        .await;
        // On a slow machine, several greetings were published. They are answered before this.
        publish(&voice, "voice/Bedroom/said", "thank you", false);
        while next_with_topic(&mut voice).await.1.starts_with("Hello") {}
        // Each case: the room, the sentence, and the answer that is due in that room.
        let cases = [
            (
                "kitchen",
                "turn on the ceiling",
                "The Kitchen Ceiling is on.",
            ),
            (
                "Bedroom",
                "turn off the ceiling",
                "The Bedroom Ceiling is off.",
            ),
            ("kitchen", "turn it off", "The Kitchen Ceiling is off."),
            (
                "attic",
                "turn off the coffee machine",
                "The Coffee Machine is off.",
            ),
            (
                "cellar",
                "turn it on",
                "I don't know which device you mean.",
            ),
        ];
        for (room, sentence, expected) in cases {
            let (topic, answer) = say_in(&mut voice, room, sentence).await;
            assert_eq!(
                (topic, answer.as_str()),
                (format!("voice/{room}/answer"), expected)
            );
        }
        // What is for later is told where it was said.
        let (_, told) = say_in(&mut voice, "kitchen", "turn on the ceiling in 1 second").await;
        assert!(told.starts_with("Noted for "), "{told}");
        let (topic, told) = next_with_topic(&mut voice).await;
        assert_eq!(topic, "voice/kitchen/answer");
        assert_eq!(told, "The Kitchen Ceiling is on.");
        let ended = end_listener(listening).await;
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
}

//! The programs, with the real clock.

use std::process::Stdio;
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::time::timeout;

use crate::house::{LONG, assistant, check_end, demo_at_broker, run};

/// A program that answers each line.
struct Talk {
    child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Talk {
    fn start(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut child = assistant(arguments, environment).stdin(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self {
            child,
            stdin,
            lines,
        }
    }

    async fn hear(&mut self) -> String {
        timeout(LONG, self.lines.next_line())
            .await
            .expect("no answer")
            .unwrap()
            .unwrap()
    }

    async fn say(&mut self, sentence: &str) -> String {
        self.stdin.write_all(format!("{sentence}\n").as_bytes()).await.unwrap();
        self.hear().await
    }

    /// Ends the program, and returns its stderr.
    async fn end(self) -> String {
        drop(self.stdin);
        let ended = timeout(LONG, self.child.wait_with_output()).await.expect("it hangs").unwrap();
        String::from_utf8(ended.stderr).unwrap()
    }
}

#[tokio::test]
async fn chat_and_listen_do_what_is_due_and_tell_it_between_the_sentences() {
    for command in ["chat", "listen"] {
        let mut talk = Talk::start(&[command, "--demo"], &[]);
        let told = talk.say("turn on the coffee machine in 2 seconds").await;
        assert!(
            told.starts_with("Noted for ") && told.ends_with("(the Coffee Machine)."),
            "{told}"
        );
        let asked = Instant::now();
        assert_eq!(
            talk.say("is the coffee machine on?").await,
            "No, the Coffee Machine is off."
        );
        assert_eq!(talk.hear().await, "The Coffee Machine is on.");
        assert!(asked.elapsed() > Duration::from_secs(1));
        assert_eq!(
            talk.say("is the coffee machine on?").await,
            "Yes, the Coffee Machine is on."
        );
        assert_eq!(talk.end().await, "");
    }
}

#[tokio::test]
async fn ask_says_what_to_use_for_later() {
    let asked = run(
        &["ask", "--demo", "turn on the coffee machine in ten minutes"],
        &[],
    )
    .await;
    check_end(
        &asked,
        1,
        "I can only act right now.\n",
        "zwave-assistant chat",
    );
}

#[tokio::test]
async fn timers_outlive_the_program_and_only_one_program_has_them() {
    needs!(mosquitto);
    let house = demo_at_broker().await;
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().to_str().unwrap();
    let address = house.broker.url();
    let environment = [
        ("MQTT_BROKER_URL", address.as_str()),
        ("XDG_STATE_HOME", state),
    ];
    let mut first = Talk::start(&["listen"], &environment);
    first.say("turn on the coffee machine in 10 seconds").await;
    let mut second = Talk::start(&["listen"], &environment);
    assert_eq!(
        second.say("which timers are there?").await,
        "I have no timers here."
    );
    let said = second.end().await;
    assert!(
        said.contains("there are no timers: another zwave-assistant has the timers"),
        "{said}"
    );
    first.end().await;
    let mut third = Talk::start(&["listen"], &environment);
    assert_eq!(third.hear().await, "The Coffee Machine is on.");
    assert_eq!(third.end().await, "");
    let folder = std::fs::metadata(folder.path().join("zwave-assistant")).unwrap();
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&folder.permissions()) & 0o077,
        0
    );
}

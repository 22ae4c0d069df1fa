//! Commands at a terminal: they can ask a person, and lists fit the terminal's width.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::json;

use crate::House;
use crate::fixture::{run, signal};

/// The value that holds the mode of a lock: 0 is unlocked, and 255 is locked.
const LOCK_MODE: &str = "98-0-currentMode";

/// The program, with a terminal of its own as stdin, stdout and stderr.
struct AtTerminal {
    child: Child,
    keyboard: File,
    /// Everything that the program has shown.
    screen: Arc<Mutex<Vec<u8>>>,
    /// Ends once the program has closed the terminal.
    reader: JoinHandle<()>,
}

impl AtTerminal {
    fn run(arguments: &[&str], columns: u16) -> Self {
        let our_end = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&our_end).unwrap();
        unlockpt(&our_end).unwrap();
        let program_end =
            ioctl_tiocgptpeer(&our_end, OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        let size = Winsize {
            ws_row: 24,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&program_end, size).unwrap();
        let share = |end: &OwnedFd| end.try_clone().unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_zwave-mcp-server"))
            .args(arguments)
            .env("NO_COLOR", "1")
            .stdin(share(&program_end))
            .stdout(share(&program_end))
            .stderr(share(&program_end))
            .spawn()
            .unwrap();
        drop(program_end);
        let keyboard = File::from(our_end);
        let mut output = keyboard.try_clone().unwrap();
        let screen = Arc::default();
        let shown: Arc<Mutex<Vec<u8>>> = Arc::clone(&screen);
        let reader = thread::spawn(move || {
            let mut part = [0; 4096];
            // Reading fails once the last writer has closed the terminal.
            while let Ok(length @ 1..) = output.read(&mut part) {
                shown.lock().unwrap().extend(&part[..length]);
            }
        });
        Self {
            child,
            keyboard,
            screen,
            reader,
        }
    }

    async fn wait_until_shown(&self, text: &str) {
        while !text_on(&self.screen).contains(text) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn type_line(&mut self, line: &str) {
        writeln!(self.keyboard, "{line}").unwrap();
    }

    /// Waits until the program exits. Returns everything that it showed, and its exit status.
    async fn wait_for_end(mut self) -> (String, ExitStatus) {
        // Do not block this thread, because it runs the simulated house.
        let ended = tokio::task::spawn_blocking(move || {
            let status = self.child.wait().unwrap();
            self.reader.join().unwrap();
            (text_on(&self.screen), status)
        });
        ended.await.unwrap()
    }
}

fn text_on(screen: &Mutex<Vec<u8>>) -> String {
    String::from_utf8_lossy(&screen.lock().unwrap()).replace('\r', "")
}

/// Starts a house, and locks its front door.
async fn start_locked_house() -> House {
    let house = House::start().await;
    let broker = house.broker.url();
    let lock = ["control", "front door", "lock", "--broker", &broker];
    assert!(AtTerminal::run(&lock, 80).wait_for_end().await.1.success());
    house
}

/// Starts to unlock the front door. A person is asked first.
fn unlock_front_door(house: &House) -> AtTerminal {
    let broker = house.broker.url();
    let ask = "--guard=confirm";
    AtTerminal::run(
        &["control", "front door", "unlock", ask, "--broker", &broker],
        80,
    )
}

#[tokio::test]
async fn a_person_at_the_terminal_is_asked_and_only_a_yes_unlocks_the_door() {
    needs!(mosquitto);
    let house = start_locked_house().await;
    let declined = "was not unlocked: the person who was asked declined.";
    for (typed, code, answer, mode) in [
        ("no", 1, declined, 255),
        ("", 1, declined, 255),
        ("yes", 0, "Front Door is now unlocked.", 0),
    ] {
        let mut program = unlock_front_door(&house);
        program.type_line(typed);
        let (shown, status) = program.wait_for_end().await;
        assert!(shown.contains("[y/N]"), "{shown}");
        assert!(shown.contains(answer), "{typed}: {shown}");
        assert_eq!(status.code(), Some(code), "{typed}: {shown}");
        assert_eq!(house.true_state(12, LOCK_MODE), json!(mode), "{typed}");
    }
}

#[tokio::test]
async fn an_interrupt_at_a_question_is_told_as_nothing_done() {
    needs!(mosquitto);
    let house = start_locked_house().await;
    let program = unlock_front_door(&house);
    program.wait_until_shown("[y/N]").await;
    signal(program.child.id(), "INT");
    let (shown, status) = program.wait_for_end().await;
    assert!(shown.ends_with("\nNothing was done.\n"), "{shown}");
    assert_eq!(status.code(), Some(1), "{shown}");
    assert_eq!(house.true_state(12, LOCK_MODE), json!(255));
}

#[tokio::test]
async fn a_list_is_no_wider_than_the_terminal_and_breaks_no_word() {
    let wide = AtTerminal::run(&["--demo", "list"], 200).wait_for_end().await.0;
    for columns in [30, 40, 44, 60, 80] {
        let (shown, status) = AtTerminal::run(&["--demo", "list"], columns).wait_for_end().await;
        assert!(status.success(), "{shown}");
        for line in shown.lines() {
            assert!(
                line.chars().count() <= usize::from(columns),
                "{columns}: {line}"
            );
        }
        // Skip the headings, because a list on a very narrow terminal has none.
        let words = wide.split_whitespace();
        for word in words.filter(|word| word.to_uppercase() != *word) {
            assert!(
                shown.contains(word),
                "{columns}: \"{word}\" is broken: {shown}"
            );
        }
    }
}

/// Returns the lines that are printed for copying: the entries for hosts, and the links.
async fn lines_to_copy() -> Vec<String> {
    let entries = run(&["--demo", "doctor", "--host=all", "--json"]).await.json();
    let entries = entries.as_object().unwrap().values();
    let texts = entries.flat_map(|entry| [&entry["text"], &entry["link"]]);
    let lines = texts.filter_map(serde_json::Value::as_str).flat_map(str::lines);
    lines.map(str::to_owned).collect()
}

#[tokio::test]
async fn prose_at_a_terminal_is_broken_between_words_only() {
    let to_copy = lines_to_copy().await;
    let commands: [&[&str]; 9] = [
        &["control", "kitchen ceiling", "dim", "40"],
        &["control", "front door", "unlock"],
        &["control", "kitchen ceiling", "dim"],
        &["list", "sauna"],
        &["list", "changed"],
        &["list", "problems", "--follow"],
        &["call", "list_zwave_devices"],
        &["doctor"],
        &["doctor", "--host=all"],
    ];
    for arguments in commands {
        for columns in [40, 60, 80] {
            let arguments = [&["--demo"], arguments].concat();
            let (shown, _) = AtTerminal::run(&arguments, columns).wait_for_end().await;
            // The progress of `doctor` begins at the start of a line that is cleared again.
            let lines = shown.lines().map(|line| line.rsplit("\u{1b}[K").next().unwrap());
            for line in lines.filter(|line| !to_copy.iter().any(|copy| copy == line)) {
                let is_one_word = !line.trim().contains(' ');
                assert!(
                    is_one_word || line.chars().count() <= usize::from(columns),
                    "{arguments:?} at {columns}: {line}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_server_at_a_terminal_says_what_it_is_for() {
    let mut program = AtTerminal::run(&["--demo"], 80);
    // Ctrl-D ends the input.
    program.keyboard.write_all(b"\x04").unwrap();
    let (shown, status) = program.wait_for_end().await;
    assert!(shown.contains("zwave-mcp-server doctor"), "{shown}");
    assert!(status.success(), "{shown}");
}

#[tokio::test]
async fn a_command_in_a_sentence_is_broken_at_no_hyphen() {
    for columns in (40..=80).step_by(5) {
        let mut program = AtTerminal::run(&["--demo"], columns);
        program.keyboard.write_all(b"\x04").unwrap();
        let (shown, _) = program.wait_for_end().await;
        assert_eq!(
            shown.matches("zwave-mcp-server").count(),
            2,
            "{columns}: {shown}"
        );
    }
}

//! The command `chat`: a conversation at a terminal.

use std::io::IsTerminal;
use std::process::ExitCode;

use rustyline::error::ReadlineError;
use tokio::task::spawn_blocking;
use zwave_mcp_server::assistant::{AiRouter, AnswerPath, MAX_SENTENCE_CHARS, SentenceAnswer};
use zwave_mcp_server::cli::exit::{Failure, failed, print};
use zwave_mcp_server::signals::wait_for_ctrl_c;
use zwave_mcp_server::terminal::printable;

use crate::ask::report_error;
use crate::complain;
use crate::history::LineEditor;

/// The words that end a chat, as in other programs at a terminal.
const LAST_WORDS: [&str; 2] = ["exit", "quit"];

/// Answers each line until the input ends, and prints what is due meanwhile.
pub async fn chat(router: &AiRouter, room: Option<String>) -> Result<ExitCode, Failure> {
    let mut editor = LineEditor::open()?;
    let mut print = editor.printer();
    let print_due = |_, answer: SentenceAnswer| {
        print(&answer.text);
        report_error(&answer);
    };
    tokio::select! {
        done = talk(router, room, editor) => done,
        () = router.run_timers(print_due) => Ok(ExitCode::SUCCESS),
    }
}

/// Answers each line until the input ends. Ctrl-C cancels the answer that is in progress.
async fn talk(
    router: &AiRouter,
    room: Option<String>,
    mut editor: LineEditor,
) -> Result<ExitCode, Failure> {
    let mut conversation = AiRouter::conversation_in(room);
    let mut missing_model = None;
    if std::io::stdin().is_terminal() {
        say("Say what to do or what you want to know, or \"help\"; \"exit\" ends.\n");
    }
    #[cfg(unix)]
    let _guard = TerminalGuard(rustix::termios::tcgetattr(rustix::stdio::stdin()).ok());
    loop {
        // A blocking thread reads the line, so that signals and servers are handled in the meantime.
        let reading = spawn_blocking(move || {
            let line = editor.read();
            (editor, line)
        });
        let line;
        (editor, line) = reading.await.map_err(failed)?;
        let line = match line {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(failed(format!("can't read the line: {error}"))),
        };
        let sentence = line.trim();
        if sentence.is_empty() {
            continue;
        }
        if LAST_WORDS.iter().any(|word| sentence.eq_ignore_ascii_case(word)) {
            break;
        }
        if sentence.chars().count() > MAX_SENTENCE_CHARS {
            complain(&format!(
                "the sentence is longer than {MAX_SENTENCE_CHARS} characters; say less at once"
            ));
            continue;
        }
        let mut shown = String::new();
        let mut show = |text: &str| {
            shown.push_str(text);
            say(text);
        };
        let answer = tokio::select! {
            answer = router.answer(&mut conversation, sentence, &mut show) => Some(answer),
            () = wait_for_ctrl_c() => None,
        };
        let Some(answer) = answer else {
            say("\nStopped; what was done before stays done.\n");
            continue;
        };
        if !shown.is_empty() && !shown.ends_with('\n') {
            say("\n");
        }
        // Until now, only text from models was shown. The answer may be another text, as for a plain command.
        if !shown.trim_end().ends_with(&answer.text) {
            say(&format!("{}\n", answer.text));
        }
        // Without a model, each sentence that needs one fails alike.
        let is_told = answer.path == AnswerPath::Model(None) && answer.error == missing_model;
        if !is_told {
            report_error(&answer);
        }
        if answer.path == AnswerPath::Model(None) {
            missing_model = answer.error;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a piece of text on stdout at once, without control characters.
fn say(text: &str) {
    // This fails if the terminal is gone. Then its hang-up signal ends the program.
    let _ = print(printable(text).as_bytes());
}

/// Restores the terminal's settings when dropped. The line editor changes these settings while a line is
/// edited, and a signal may end the program meanwhile.
#[cfg(unix)]
struct TerminalGuard(Option<rustix::termios::Termios>);

#[cfg(unix)]
impl Drop for TerminalGuard {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let now = rustix::termios::OptionalActions::Now;
            // If the terminal is gone, there is nothing to restore.
            let _ = rustix::termios::tcsetattr(rustix::stdio::stdin(), now, before);
        }
    }
}

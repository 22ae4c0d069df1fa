//! A server's question, put to the person at the terminal.

use std::io::{self, Write};
use std::thread;

use tokio::sync::oneshot;

use crate::client::{PersonAnswer, Question};
use crate::terminal::printable;

/// Asks on stderr and reads the answer from stdin. Only a plain yes agrees.
pub async fn ask_at_terminal(question: Question) -> PersonAnswer {
    let (sender, answer) = oneshot::channel();
    // Nothing can end a thread that waits for a line, so no runtime may wait for it either.
    thread::spawn(move || {
        // Nobody waits any more if the server gave up.
        let _ = sender.send(ask(&question));
    });
    answer.await.unwrap_or(PersonAnswer::Dismiss)
}

fn ask(question: &Question) -> PersonAnswer {
    let mut err = io::stderr();
    let words = printable(&question.message);
    let prompt = write!(err, "{words} [y/N] ").and_then(|()| err.flush());
    let mut line = String::new();
    match prompt.and_then(|()| io::stdin().read_line(&mut line)) {
        Ok(0) | Err(_) => PersonAnswer::Dismiss,
        Ok(_) if is_yes(&line) => PersonAnswer::Accept(question.fill_with_yes()),
        Ok(_) => PersonAnswer::Decline,
    }
}

fn is_yes(line: &str) -> bool {
    matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_yes_is_one() {
        for yes in ["y\n", "Yes\r\n", " YES "] {
            assert!(is_yes(yes), "{yes:?}");
        }
        for no in ["\n", "", "n\n", "no", "yeah, later", "yes no", "ye"] {
            assert!(!is_yes(no), "{no:?}");
        }
    }
}

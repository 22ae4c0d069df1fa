//! A command that speaks: each answer goes to the stdin of one run of it.

use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use zwave_mcp_server::terminal::printable;

use crate::complain;
use crate::shell::ShellRun;

/// The maximum number of answers that wait to be spoken.
const MAX_WAITING: usize = 64;

/// The maximum time to speak an answer.
const LIMIT: Duration = Duration::from_secs(60);

/// Speaks one answer after the other. Dropping it ends what is being spoken.
pub struct Speaker {
    answers: mpsc::Sender<String>,
    speaking: JoinSet<()>,
}

impl Speaker {
    /// Starts a speaker that runs this command in a shell.
    pub fn start(command: String) -> Self {
        let (answers, mut waiting) = mpsc::channel::<String>(MAX_WAITING);
        let mut speaking = JoinSet::new();
        speaking.spawn(async move {
            while let Some(answer) = waiting.recv().await {
                if let Err(why) = speak(&command, &answer, LIMIT).await {
                    complain(&format!("--speak {command:?} failed: {why}"));
                }
            }
        });
        Self { answers, speaking }
    }

    /// Speaks an answer after those before it, without control characters. Never waits; returns false if
    /// too many wait.
    pub fn say(&self, answer: &str) -> bool {
        let is_sent = self.answers.try_send(printable(answer)).is_ok();
        if !is_sent {
            complain("too many answers wait to be spoken; one is left out");
        }
        is_sent
    }

    /// Waits until everything is spoken.
    pub async fn finish(mut self) {
        drop(self.answers);
        // The task ends by itself.
        let _ = self.speaking.join_next().await;
    }
}

async fn speak(command: &str, answer: &str, limit: Duration) -> Result<(), String> {
    let mut run = ShellRun::start(command).map_err(|error| error.to_string())?;
    let running = async {
        if let Some(mut stdin) = run.stdin() {
            // A command may do its work without reading its stdin.
            let _ = stdin.write_all(format!("{answer}\n").as_bytes()).await;
        }
        run.wait().await.map_err(|error| error.to_string())
    };
    let status = timeout(limit, running)
        .await
        .map_err(|_| format!("it did not end within {} s", limit.as_secs()))??;
    if status.success() {
        return Ok(());
    }
    Err(status.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "current_thread")]
    async fn a_command_that_hangs_is_ended_at_its_limit() {
        let limit = Duration::from_millis(50);
        let hangs = if cfg!(windows) {
            "ping -n 1000 127.0.0.1"
        } else {
            "sleep 1000"
        };
        let spoken = speak(hangs, "Done.", limit).await;
        assert_eq!(spoken, Err("it did not end within 0 s".to_owned()));
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_command_is_run_as_it_was_typed_and_reads_what_it_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a file");
        // By its whole path: shells of unix have another program of this name.
        let reader = if cfg!(windows) {
            "%SystemRoot%\\System32\\find.exe \"a\""
        } else {
            "cat"
        };
        let command = format!("{reader} > \"{}\"", file.display());
        let spoken = speak(&command, "The lamp is on.", LIMIT).await;
        assert_eq!(spoken, Ok(()));
        let heard = std::fs::read_to_string(file).unwrap();
        assert_eq!(heard.trim_end(), "The lamp is on.");
    }

    #[tokio::test(flavor = "current_thread")]
    async fn how_a_command_ended_is_told() {
        let spoken = speak("exit 3", "Done.", LIMIT).await;
        assert!(spoken.unwrap_err().contains('3'));
    }
}

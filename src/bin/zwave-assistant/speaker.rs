//! A command that speaks: each answer goes to the stdin of one run of it.

use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use zwave_mcp_server::terminal::printable;

use crate::failure::complain;
use crate::shell::ShellRun;

/// The maximum number of answers that wait to be spoken.
const MAX_WAITING: usize = 64;

/// How long it may take to speak an answer.
const LIMIT: Duration = Duration::from_secs(60);

/// Speaks one answer after the other. Dropping it ends what is being spoken.
pub struct Speaker {
    answers: Option<mpsc::Sender<String>>,
    speaking: JoinHandle<()>,
}

impl Speaker {
    /// Starts a speaker that runs this command in a shell.
    pub fn start(command: String) -> Self {
        let (answers, mut waiting) = mpsc::channel::<String>(MAX_WAITING);
        let speaking = tokio::spawn(async move {
            while let Some(answer) = waiting.recv().await {
                if let Err(why) = speak(&command, &answer, LIMIT).await {
                    complain(&format!("--speak {command:?} failed: {why}"));
                }
            }
        });
        Self {
            answers: Some(answers),
            speaking,
        }
    }

    /// Speaks an answer after those before it, without control characters. Never waits; returns false if
    /// too many wait.
    pub fn say(&self, answer: &str) -> bool {
        let sent = self
            .answers
            .as_ref()
            .map(|answers| answers.try_send(printable(answer)));
        let is_sent = matches!(sent, Some(Ok(())));
        if !is_sent {
            complain("too many answers wait to be spoken; one is left out");
        }
        is_sent
    }

    /// Waits until everything is spoken.
    pub async fn finish(mut self) {
        self.answers = None;
        // The task ends by itself.
        let _ = (&mut self.speaking).await;
    }
}

impl Drop for Speaker {
    fn drop(&mut self) {
        self.speaking.abort();
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
}

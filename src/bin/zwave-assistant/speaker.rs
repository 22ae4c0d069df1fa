//! Speaks answers: runs a command for each answer, with the answer on the command's stdin.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use zwave_mcp_server::terminal::printable;

use crate::complain;
use crate::shell;

/// The maximum number of answers waiting to be spoken.
const MAX_WAITING: usize = 64;

/// The maximum time for the command to speak one answer.
const SPEAK_TIMEOUT: Duration = Duration::from_secs(60);

/// Speaks one answer after the other. Dropping the speaker kills the running command.
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
                if let Err(why) = speak(&command, &answer, SPEAK_TIMEOUT).await {
                    complain(&format!("--speak {command:?} failed: {why}"));
                }
            }
        });
        Self { answers, speaking }
    }

    /// Queues an answer, without control characters. Never blocks; returns false if the queue is full.
    pub fn say(&self, answer: &str) -> bool {
        let is_queued = self.answers.try_send(printable(answer)).is_ok();
        if !is_queued {
            complain("too many answers wait to be spoken; one is left out");
        }
        is_queued
    }

    /// Waits until all queued answers are spoken.
    pub async fn finish(mut self) {
        // Once the sender is dropped, the task ends after the last answer.
        drop(self.answers);
        let _ = self.speaking.join_next().await;
    }
}

/// Runs the command for one answer, and kills it if it takes longer than `limit`.
async fn speak(command: &str, answer: &str, limit: Duration) -> Result<(), String> {
    let status = timeout(limit, shell::run(command, &format!("{answer}\n")))
        .await
        .map_err(|_| format!("it did not end within {} s", limit.as_secs()))?
        .map_err(|error| error.to_string())?;
    if status.success() {
        return Ok(());
    }
    Err(status.to_string())
}

#[cfg(test)]
#[path = "../../../tests/unit/bin/zwave-assistant/speaker.rs"]
mod tests;

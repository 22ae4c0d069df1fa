//! A command that speaks: each answer goes to the stdin of one run of it.

use std::process::Stdio;
use std::time::Duration;

#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::failure::complain;

/// How many answers may wait to be spoken.
const WAITING: usize = 64;

/// How long an answer may be spoken.
const LIMIT: Duration = Duration::from_secs(60);

/// Speaks one answer after the other. Dropping it ends what is being spoken.
pub struct Speaker {
    answers: Option<mpsc::Sender<String>>,
    speaking: JoinHandle<()>,
}

impl Speaker {
    /// One that runs this command in a shell.
    pub fn start(command: String) -> Self {
        let (answers, mut waiting) = mpsc::channel::<String>(WAITING);
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

    /// Has an answer spoken after those before it. Never waits.
    pub fn say(&self, answer: &str) {
        let sent = self
            .answers
            .as_ref()
            .map(|answers| answers.try_send(answer.to_owned()));
        if !matches!(sent, Some(Ok(()))) {
            complain("too many answers wait to be spoken; one is left out");
        }
    }

    /// Waits until everything is spoken.
    pub async fn finish(mut self) {
        self.answers = None;
        // It ends by itself.
        let _ = (&mut self.speaking).await;
    }
}

impl Drop for Speaker {
    fn drop(&mut self) {
        self.speaking.abort();
    }
}

async fn speak(command: &str, answer: &str, limit: Duration) -> Result<(), String> {
    let (shell, option) = if cfg!(windows) {
        ("cmd", "/C")
    } else {
        ("sh", "-c")
    };
    let mut program = Command::new(shell);
    program
        .args([option, command])
        .stdin(Stdio::piped())
        // Stdout is for answers.
        .stdout(Stdio::null())
        .kill_on_drop(true);
    #[cfg(unix)]
    program.process_group(0);
    let child = program.spawn().map_err(|error| error.to_string())?;
    let mut run = Run(child);
    let running = async {
        if let Some(mut stdin) = run.0.stdin.take() {
            // A command that does not read its stdin may be right all the same.
            let _ = stdin.write_all(format!("{answer}\n").as_bytes()).await;
        }
        run.0.wait().await.map_err(|error| error.to_string())
    };
    let ended = timeout(limit, running)
        .await
        .map_err(|_| format!("it did not end within {} s", limit.as_secs()))??;
    if ended.success() {
        return Ok(());
    }
    Err(ended.to_string())
}

/// A run of the command, which is ended with all that it started.
struct Run(Child);

impl Drop for Run {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(id) = self.0.id().and_then(|id| i32::try_from(id).ok())
            && let Some(leader) = Pid::from_raw(id)
        {
            // Mostly there is nobody left.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "current_thread")]
    async fn a_command_that_hangs_is_ended_at_its_limit() {
        let limit = Duration::from_millis(50);
        let spoken = speak("sleep 1000", "Done.", limit).await;
        assert_eq!(spoken, Err("it did not end within 0 s".to_owned()));
    }
}

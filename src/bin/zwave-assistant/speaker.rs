//! Speaks answers: runs a command for each answer, with the answer on the command's stdin.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

#[cfg(windows)]
use process_wrap::tokio::{CommandWrap, JobObject, KillOnDrop};
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncWriteExt;
use tokio::process::{ChildStdin, Command};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use zwave_mcp_server::terminal::printable;

use crate::complain;

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
    let status = timeout(limit, run_in_shell(command, &format!("{answer}\n")))
        .await
        .map_err(|_| format!("it did not end within {} s", limit.as_secs()))?
        .map_err(|error| error.to_string())?;
    if status.success() {
        return Ok(());
    }
    Err(status.to_string())
}

/// Runs a command in its own process group, with `input` on the command's stdin. Dropping the future kills the
/// command and the processes that it started.
#[cfg(unix)]
async fn run_in_shell(command: &str, input: &str) -> io::Result<ExitStatus> {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).process_group(0).kill_on_drop(true);
    set_pipes(&mut shell);
    let mut group = Group(shell.spawn()?);
    write_input(group.0.stdin.take(), input).await;
    group.0.wait().await
}

/// A command that leads its own process group. If this is dropped before the command has ended, the group is
/// killed.
#[cfg(unix)]
struct Group(tokio::process::Child);

#[cfg(unix)]
impl Drop for Group {
    fn drop(&mut self) {
        // `id` returns `None` after `wait` has returned. Then nothing is killed.
        if let Some(id) = self.0.id().and_then(|id| i32::try_from(id).ok())
            && let Some(leader) = Pid::from_raw(id)
        {
            // Fails if the group has just ended.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

/// Runs a command in its own job object, with `input` on the command's stdin. Dropping the future kills the
/// command and the processes that it started.
#[cfg(windows)]
async fn run_in_shell(command: &str, input: &str) -> io::Result<ExitStatus> {
    let mut shell = Command::new("cmd");
    // Pass the command unchanged, in quotes that /S removes. `args` would escape the command, but not by
    // the rules of cmd.
    shell.args(["/D", "/S", "/C"]).raw_arg(format!("\"{command}\""));
    set_pipes(&mut shell);
    let mut shell = CommandWrap::from(shell);
    shell.wrap(KillOnDrop).wrap(JobObject);
    let mut job = shell.spawn()?;
    write_input(job.stdin().take(), input).await;
    job.inner_mut().wait().await
}

/// Pipes the command's stdin, and discards the command's stdout, because this program's stdout is for answers.
fn set_pipes(shell: &mut Command) {
    shell.stdin(Stdio::piped()).stdout(Stdio::null());
}

/// Writes the input of a command, and closes the pipe.
async fn write_input(stdin: Option<ChildStdin>, input: &str) {
    if let Some(mut stdin) = stdin {
        // A command may ignore its stdin.
        let _ = stdin.write_all(input.as_bytes()).await;
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/bin/zwave-assistant/speaker.rs"]
mod tests;

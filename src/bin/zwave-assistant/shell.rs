//! Runs a user's command in the system's shell. If the command is cancelled, kills all of its processes.

use std::io;
use std::process::{ExitStatus, Stdio};

#[cfg(windows)]
use process_wrap::tokio::{CommandWrap, JobObject, KillOnDrop};
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncWriteExt;
use tokio::process::{ChildStdin, Command};

/// Runs a command in its own process group, with `input` on the command's stdin. Dropping the future kills the
/// command and the processes that it started.
#[cfg(unix)]
pub async fn run(command: &str, input: &str) -> io::Result<ExitStatus> {
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
pub async fn run(command: &str, input: &str) -> io::Result<ExitStatus> {
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

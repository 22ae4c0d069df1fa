//! Runs a user's command in the system's shell, and kills it along with the processes that it started.

use std::io;
use std::process::{ExitStatus, Stdio};

#[cfg(windows)]
use process_wrap::tokio::{ChildWrapper, CommandWrap, JobObject, KillOnDrop};
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{ChildStdin, Command};

/// A running command. Dropping it before it has ended kills the command and the processes that it started.
#[cfg(unix)]
pub struct ShellRun(tokio::process::Child);

/// A running command. Dropping it before it has ended kills the command and the processes that it started.
#[cfg(windows)]
pub struct ShellRun(Box<dyn ChildWrapper>);

#[cfg(unix)]
impl ShellRun {
    /// Starts a command in its own process group, with a pipe to its stdin.
    pub fn start(command: &str) -> io::Result<Self> {
        let mut shell = Command::new("sh");
        set_pipes(shell.args(["-c", command]));
        shell.process_group(0).kill_on_drop(true).spawn().map(Self)
    }

    /// Takes the command's stdin. Returns `None` from the second call on.
    pub fn stdin(&mut self) -> Option<ChildStdin> {
        self.0.stdin.take()
    }

    /// Waits until the command ends.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.0.wait().await
    }
}

#[cfg(unix)]
impl Drop for ShellRun {
    fn drop(&mut self) {
        // There is no id once `wait` has returned.
        if let Some(id) = self.0.id().and_then(|id| i32::try_from(id).ok())
            && let Some(leader) = Pid::from_raw(id)
        {
            // Fails if the group has just ended.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

#[cfg(windows)]
impl ShellRun {
    /// Starts a command in its own job object, with a pipe to its stdin.
    pub fn start(command: &str) -> io::Result<Self> {
        let mut shell = Command::new("cmd");
        // Pass the command unchanged, in quotes that /S removes. `Command` would escape it by other rules
        // than cmd's.
        shell.args(["/D", "/S", "/C"]);
        set_pipes(shell.raw_arg(format!("\"{command}\"")));
        let mut shell = CommandWrap::from(shell);
        shell.wrap(KillOnDrop).wrap(JobObject);
        shell.spawn().map(Self)
    }

    /// Takes the command's stdin. Returns `None` from the second call on.
    pub fn stdin(&mut self) -> Option<ChildStdin> {
        self.0.stdin().take()
    }

    /// Waits until the command ends.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.0.inner_mut().wait().await
    }
}

/// Pipes the command's stdin, and discards its stdout, because our stdout is for answers.
fn set_pipes(shell: &mut Command) {
    shell.stdin(Stdio::piped()).stdout(Stdio::null());
}

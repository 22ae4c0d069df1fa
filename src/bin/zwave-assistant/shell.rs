//! A command of the user's, run by the system's shell and ended with all that it started.

use std::io;
use std::process::{ExitStatus, Stdio};

#[cfg(windows)]
use process_wrap::tokio::{ChildWrapper, CommandWrap, JobObject, KillOnDrop};
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{ChildStdin, Command};

/// A run of a command. Dropping it ends it, and what it started.
#[cfg(unix)]
pub struct ShellRun(tokio::process::Child);

/// A run of a command. Dropping it ends it, and what it started.
#[cfg(windows)]
pub struct ShellRun(Box<dyn ChildWrapper>);

#[cfg(unix)]
impl ShellRun {
    /// Starts it in a process group of its own, with a pipe to its stdin.
    pub fn start(command: &str) -> io::Result<Self> {
        let mut shell = Command::new("sh");
        set_pipes(shell.args(["-c", command]));
        shell.process_group(0).kill_on_drop(true).spawn().map(Self)
    }

    /// Takes its stdin, once.
    pub fn stdin(&mut self) -> Option<ChildStdin> {
        self.0.stdin.take()
    }

    /// Waits for its end.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.0.wait().await
    }
}

#[cfg(unix)]
impl Drop for ShellRun {
    fn drop(&mut self) {
        if let Some(id) = self.0.id().and_then(|id| i32::try_from(id).ok())
            && let Some(leader) = Pid::from_raw(id)
        {
            // Usually there is no process left.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

#[cfg(windows)]
impl ShellRun {
    /// Starts it in a job object of its own, with a pipe to its stdin.
    pub fn start(command: &str) -> io::Result<Self> {
        let mut shell = Command::new("cmd");
        // The command as it was typed, within quotes that /S takes off again: a program's arguments
        // are quoted by other rules than cmd's.
        shell.args(["/D", "/S", "/C"]);
        set_pipes(shell.raw_arg(format!("\"{command}\"")));
        let mut shell = CommandWrap::from(shell);
        shell.wrap(KillOnDrop).wrap(JobObject);
        shell.spawn().map(Self)
    }

    /// Takes its stdin, once.
    pub fn stdin(&mut self) -> Option<ChildStdin> {
        self.0.stdin().take()
    }

    /// Waits for its end.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.0.inner_mut().wait().await
    }
}

/// Pipes its stdin, and drops its stdout: the program's own stdout is for answers.
fn set_pipes(shell: &mut Command) {
    shell.stdin(Stdio::piped()).stdout(Stdio::null());
}

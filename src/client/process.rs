//! A spawned program: its pipes, and its end.
//!
//! Ending goes by steps: stdin is closed, then SIGTERM, then SIGKILL, each after its time. The
//! program leads a process group of its own and the whole group is ended, so that a server behind a
//! wrapper such as `npx` or `sh -c` is not left behind.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;
use tracing::{debug, warn};

use super::error::ClientError;
use super::limits::Limits;

/// The program to spawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Its path, or its name.
    pub path: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Environment variables to set besides the inherited ones.
    pub environment: Vec<(OsString, OsString)>,
    /// Whether nothing is inherited: a host's environment may hold keys.
    pub only_own_environment: bool,
    /// Where it is to run; where the host runs, if nothing is said.
    pub directory: Option<PathBuf>,
}

impl Program {
    /// A program with arguments, in the host's environment and directory.
    pub fn new<A: Into<OsString>>(
        path: impl Into<OsString>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            path: path.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// Its path or name, to be shown.
    pub(super) fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }
}

/// A running program without its pipes. Dropping it kills it and everything it started.
pub(super) struct Process {
    child: Child,
    group: ProcessGroup,
}

pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

impl Process {
    pub(super) fn spawn(program: &Program) -> Result<(Self, Pipes), ClientError> {
        let failed = |why: String| ClientError::Spawn {
            program: program.name(),
            why,
        };
        let mut command = Command::new(&program.path);
        if program.only_own_environment {
            command.env_clear();
        }
        command
            .args(&program.arguments)
            .envs(
                program
                    .environment
                    .iter()
                    .map(|(name, value)| (name, value)),
            )
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(directory) = &program.directory {
            command.current_dir(directory);
        }
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        let group = ProcessGroup::of(&child);
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let process = Self { child, group };
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(failed("its pipes are missing".to_owned()));
        };
        let pipes = Pipes {
            stdin,
            stdout,
            stderr,
        };
        Ok((process, pipes))
    }

    /// Waits for the end, and returns how it was.
    pub(super) async fn ended(&mut self) -> String {
        match self.child.wait().await {
            Ok(status) => in_words(status),
            Err(error) => format!("it can't be waited for: {error}"),
        }
    }

    /// Ends it. Its stdin must be closed already.
    pub(super) async fn end(&mut self, limits: &Limits) {
        if timeout(limits.closing, self.child.wait()).await.is_ok() {
            debug!("the server ended by itself");
        } else {
            warn!("the server did not end when its stdin was closed; it is terminated");
            self.group.terminate();
            if timeout(limits.terminating, self.child.wait())
                .await
                .is_err()
            {
                warn!("the server did not end after SIGTERM; it is killed");
                // The group may be gone while its leader hangs on; both are asked.
                self.group.kill();
                if let Err(error) = self.child.kill().await {
                    warn!(%error, "the server could not be killed");
                }
            }
        }
        // What it started and left behind.
        self.group.kill();
    }
}

/// How long a killed process may take to be gone, where nobody can wait in any other way.
const REAPING: Duration = Duration::from_secs(1);

impl Drop for Process {
    /// For a runtime that ends before the server has: no time is left to be gentle.
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        self.group.kill();
        if self.child.start_kill().is_err() {
            return;
        }
        let start = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) && start.elapsed() < REAPING {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn in_words(status: ExitStatus) -> String {
    match status.code() {
        Some(0) => "it ended".to_owned(),
        Some(code) => format!("it ended with exit code {code}"),
        None => format!("it ended ({status})"),
    }
}

/// The process group that a program leads. Where there are no groups, there are no gentle signals
/// either.
struct ProcessGroup(#[cfg(unix)] Option<Pid>);

impl ProcessGroup {
    #[cfg(unix)]
    fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self(id.and_then(Pid::from_raw))
    }

    #[cfg(not(unix))]
    fn of(_: &Child) -> Self {
        Self()
    }

    fn terminate(&self) {
        #[cfg(unix)]
        self.signal(Signal::TERM);
    }

    fn kill(&self) {
        #[cfg(unix)]
        self.signal(Signal::KILL);
    }

    #[cfg(unix)]
    fn signal(&self, signal: Signal) {
        if let Some(leader) = self.0
            && let Err(error) = kill_process_group(leader, signal)
        {
            // Mostly because there is nobody left.
            debug!(%error, "no signal was sent");
        }
    }
}

//! A spawned program: its pipes, and its end.
//!
//! It is ended in steps: a closed stdin, then SIGTERM, then SIGKILL, each after its time; on Windows it is
//! killed at once if a closed stdin was not enough. The program leads a process group of its own, or has a
//! job object of its own on Windows, and all of that is ended, so that no server stays behind its wrapper,
//! such as `npx` or `sh -c`. A host that is killed leaves nothing behind either.

use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use tokio::process::Command;
use tokio::time::timeout;
use tracing::warn;

use super::error::{ClientError, CloseError};
#[cfg(unix)]
use super::group::Group;
#[cfg(windows)]
use super::job::Group;
use super::limits::Limits;
use super::program::{Pipes, Program};

/// A running program without its pipes. Dropping it kills it and everything it started.
pub(super) struct Process {
    group: Group,
    /// True once all of it was killed: its id may be another's now.
    over: bool,
}

impl Process {
    pub(super) fn spawn(program: &Program, limits: &Limits) -> Result<(Self, Pipes), ClientError> {
        let failed = |why: String| ClientError::Spawn {
            program: program.name(),
            why,
        };
        #[cfg(windows)]
        let mut command = Command::new(super::job::find_program(program));
        #[cfg(unix)]
        let mut command = Command::new(&program.path);
        if let Some(inherited) = &program.inherited {
            let inherited =
                inherited.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
            command.env_clear().envs(inherited);
        }
        command
            .args(&program.arguments)
            .envs(program.environment.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(directory) = &program.directory {
            command.current_dir(directory);
        }
        let spawned = Group::spawn(command, limits);
        let mut group = spawned.map_err(|error| failed(error.to_string()))?;
        let pipes = group.pipes();
        // Made before the pipes are looked at, so that an error kills the program.
        let process = Self { group, over: false };
        let pipes = pipes.ok_or_else(|| failed("its pipes are missing".to_owned()))?;
        Ok((process, pipes))
    }

    /// Waits for the end, and describes it.
    pub(super) async fn wait_for_end(&mut self) -> String {
        match self.group.wait().await {
            Ok(status) => word_status(status),
            Err(error) => format!("it can't be waited for: {error}"),
        }
    }

    /// Ends it. Its stdin must be closed already.
    pub(super) async fn end(&mut self, limits: &Limits) -> Result<(), CloseError> {
        if self.over {
            return Ok(());
        }
        let group = &mut self.group;
        let mut gone = timeout(limits.closing, group.wait()).await.is_ok();
        if !gone {
            warn!("the server did not end when its stdin was closed; it is terminated");
            group.terminate();
            gone = timeout(limits.terminating, group.wait()).await.is_ok();
        }
        if !gone {
            warn!("the server did not end after SIGTERM; it is killed");
            group.kill();
            gone = timeout(REAPING, group.wait()).await.is_ok();
        }
        // Any children that it left behind.
        group.kill();
        let _ = timeout(REAPING, group.wait_until_gone()).await;
        self.over = true;
        match group.id() {
            Some(id) if !gone => Err(CloseError::Process { id }),
            _ => Ok(()),
        }
    }
}

/// The maximum time that a killed process may take to be gone.
const REAPING: Duration = Duration::from_secs(1);

impl Drop for Process {
    /// Kills what is left, for a runtime that ends before the server: no time is left to be gentle.
    fn drop(&mut self) {
        if self.over {
            return;
        }
        // The program may be gone, but not what it started.
        self.group.kill();
        let start = Instant::now();
        while start.elapsed() < REAPING && !self.group.is_gone() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn word_status(status: ExitStatus) -> String {
    match status.code() {
        Some(0) => "it ended".to_owned(),
        Some(code) => format!("it ended with exit code {code}"),
        None => format!("it ended ({status})"),
    }
}

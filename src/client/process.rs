//! Spawns and ends a program.
//!
//! A program is ended by closing its stdin. If it does not end within a time limit, it gets SIGTERM, and after a
//! second limit SIGKILL. On Windows, it is killed after the first limit. The program leads its own
//! process group or, on Windows, has its own job object. The whole group or job is ended, so that no server
//! outlives its wrapper, such as `npx` or `sh -c`. If the host is killed, the group or job is ended too.

use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use tokio::process::Command;
use tokio::time::timeout;
use tracing::warn;

use super::error::{ClientError, CloseError};
#[cfg(unix)]
use super::group::Group;
#[cfg(windows)]
use super::job::Job as Group;
use super::limits::Limits;
use super::program::{Pipes, Program};

/// A running program without its pipes. Dropping this kills the program and its whole group.
pub(super) struct Process {
    group: Group,
    /// True once `end` has killed the whole group. It must not be killed again, because another group may
    /// have its id by then.
    is_over: bool,
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
        // Made before `pipes` is checked: if the pipes are missing, dropping `process` kills the program.
        let process = Self {
            group,
            is_over: false,
        };
        let pipes = pipes.ok_or_else(|| failed("its pipes are missing".to_owned()))?;
        Ok((process, pipes))
    }

    /// Waits until the program ends, and describes how it ended.
    pub(super) async fn wait_for_end(&mut self) -> String {
        match self.group.wait().await {
            Ok(status) => describe_status(status),
            Err(error) => format!("it can't be waited for: {error}"),
        }
    }

    /// Ends the program and its group. The program's stdin must already be closed.
    pub(super) async fn end(&mut self, limits: &Limits) -> Result<(), CloseError> {
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
            gone = timeout(REAP_TIMEOUT, group.wait()).await.is_ok();
        }
        // The program may have left children behind.
        group.kill();
        let _ = timeout(REAP_TIMEOUT, group.wait_until_gone()).await;
        self.is_over = true;
        match group.id() {
            Some(id) if !gone => Err(CloseError::Process { id }),
            _ => Ok(()),
        }
    }
}

/// The maximum time to wait for the end of a killed process.
const REAP_TIMEOUT: Duration = Duration::from_secs(1);

impl Drop for Process {
    /// Kills the group, and waits briefly. A gentle end would need the runtime, which may have ended.
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        // The program may be gone, but processes that it started may still run.
        self.group.kill();
        let start = Instant::now();
        while start.elapsed() < REAP_TIMEOUT && !self.group.is_gone() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn describe_status(status: ExitStatus) -> String {
    match status.code() {
        Some(0) => "it ended".to_owned(),
        Some(code) => format!("it ended with exit code {code}"),
        None => format!("it ended ({status})"),
    }
}

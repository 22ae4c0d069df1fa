//! A spawned program: its pipes, and its end.
//!
//! Ending goes by steps: stdin is closed, then SIGTERM, then SIGKILL, each after its time; on Windows
//! it is killed at once where a closed stdin was not enough. The program leads a process group of its
//! own, or has a job object of its own on Windows, and all of that is ended, so that a server behind a
//! wrapper such as `npx` or `sh -c` is not left behind. A host that is killed leaves nothing behind
//! either.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;
use tracing::warn;

use super::error::{ClientError, CloseError};
#[cfg(unix)]
use super::group::Group;
#[cfg(windows)]
use super::job::Group;
use super::limits::Limits;

/// The program to spawn.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Program {
    /// Its path, or its name.
    pub path: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Environment variables to set besides the inherited ones.
    pub environment: Vec<(OsString, OsString)>,
    /// Which of the host's environment variables it inherits; all of them, if nothing is said.
    pub inherited: Option<Vec<OsString>>,
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

    /// The same program, inheriting these of the host's environment variables and no others, so that
    /// the host's keys stay with the host.
    ///
    /// Most servers need [`Program::BASIC_ENVIRONMENT`]: `PATH`, without which neither `npx` nor what
    /// it starts is found, `HOME` for settings and caches, and what Windows needs to load libraries.
    /// This crate's server needs none of them, but takes its settings from variables, too.
    ///
    /// ```
    /// use zwave_mcp_server::client::Program;
    ///
    /// let server = Program::new("npx", ["-y", "@modelcontextprotocol/server-everything"])
    ///     .only_env(Program::BASIC_ENVIRONMENT);
    /// ```
    #[must_use]
    pub fn only_env<N: Into<OsString>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.inherited = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// What the SDKs of MCP let a server inherit, with the language, the time zone and the place
    /// of temporary files.
    pub const BASIC_ENVIRONMENT: [&str; 21] = [
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "TERM",
        "LANG",
        "TZ",
        "TMPDIR",
        "APPDATA",
        "HOMEDRIVE",
        "HOMEPATH",
        "LOCALAPPDATA",
        "PATHEXT",
        "PROCESSOR_ARCHITECTURE",
        "PROGRAMFILES",
        "SYSTEMDRIVE",
        "SYSTEMROOT",
        "TEMP",
        "USERNAME",
        "USERPROFILE",
    ];

    /// Its path or name, to be shown.
    pub(super) fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }
}

impl fmt::Debug for Program {
    /// Without the values of environment variables: secrets are among them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.environment.iter().map(|(name, _)| name);
        f.debug_struct("Program")
            .field("path", &self.path)
            .field("arguments", &self.arguments)
            .field("environment", &names.collect::<Vec<_>>())
            .field("inherited", &self.inherited)
            .field("directory", &self.directory)
            .finish()
    }
}

/// A running program without its pipes. Dropping it kills it and everything it started.
pub(super) struct Process {
    group: Group,
    /// All of it was killed: its number may be another's now.
    over: bool,
}

/// The pipes of a program.
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

impl Process {
    pub(super) fn spawn(program: &Program, limits: &Limits) -> Result<(Self, Pipes), ClientError> {
        let failed = |why: String| ClientError::Spawn {
            program: program.name(),
            why,
        };
        #[cfg(windows)]
        let mut command = Command::new(super::job::found(program));
        #[cfg(unix)]
        let mut command = Command::new(&program.path);
        if let Some(inherited) = &program.inherited {
            let inherited = inherited.iter();
            let inherited = inherited.filter_map(|name| Some((name, std::env::var_os(name)?)));
            command.env_clear().envs(inherited);
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
            .stderr(Stdio::piped());
        if let Some(directory) = &program.directory {
            command.current_dir(directory);
        }
        let spawned = Group::spawn(command, limits);
        let mut group = spawned.map_err(|error| failed(error.to_string()))?;
        let pipes = group.pipes();
        let over = false;
        let process = Self { group, over };
        let pipes = pipes.ok_or_else(|| failed("its pipes are missing".to_owned()))?;
        Ok((process, pipes))
    }

    /// Waits for the end, and returns how it was.
    pub(super) async fn ended(&mut self) -> String {
        match self.group.wait().await {
            Ok(status) => in_words(status),
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
        // What it started and left behind.
        group.kill();
        let _ = timeout(REAPING, group.gone()).await;
        self.over = true;
        match group.id() {
            Some(id) if !gone => Err(CloseError::Process { id }),
            _ => Ok(()),
        }
    }
}

/// How long a killed process may take to be gone.
const REAPING: Duration = Duration::from_secs(1);

impl Drop for Process {
    /// For a runtime that ends before the server has: no time is left to be gentle.
    fn drop(&mut self) {
        if self.over {
            return;
        }
        // The program may be gone and what it started not.
        self.group.kill();
        let start = Instant::now();
        while start.elapsed() < REAPING && !self.group.is_gone() {
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

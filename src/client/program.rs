//! A program to spawn, and its pipes once it runs.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

/// The program to spawn.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Program {
    /// Its path, or its name.
    pub path: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Environment variables to set beside the inherited ones.
    pub environment: Vec<(OsString, OsString)>,
    /// The host's environment variables that it inherits; all of them if this is none.
    pub inherited: Option<Vec<OsString>>,
    /// The folder that it runs in; the host's if this is none.
    pub directory: Option<PathBuf>,
}

impl Program {
    /// Makes a program with arguments, in the host's environment and directory.
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

    /// Lets the program inherit these of the host's environment variables and no others, so that the host's
    /// keys stay with the host.
    ///
    /// Most servers need [`Program::BASIC_ENVIRONMENT`]: `PATH`, without which neither `npx` nor what
    /// it starts is found, `HOME` for settings and caches, and what Windows needs to load libraries.
    /// This crate's server needs none of them, but takes its settings from variables, too.
    ///
    /// ```
    /// use zwave_mcp_server::client::Program;
    ///
    /// let server = Program::new("npx", ["-y", "@modelcontextprotocol/server-everything"])
    ///     .inherit_only(Program::BASIC_ENVIRONMENT);
    /// ```
    #[must_use]
    pub fn inherit_only<N: Into<OsString>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.inherited = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// The variables that the SDKs of MCP let a server inherit, and those for the language, the time zone and
    /// temporary files.
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

    /// Returns its path or name, to be shown.
    pub(super) fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }
}

impl fmt::Debug for Program {
    /// Leaves out the values of environment variables: secrets are among them.
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

/// The pipes of a program.
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

//! A program to spawn, and the pipes of the running program.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

/// The program to spawn.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Program {
    /// The path, or a name to look up in `PATH`.
    pub path: OsString,
    /// The arguments.
    pub arguments: Vec<OsString>,
    /// Environment variables to set in addition to the inherited ones.
    pub environment: Vec<(OsString, OsString)>,
    /// The names of the host's environment variables to inherit; `None` for all of them.
    pub inherited: Option<Vec<OsString>>,
    /// The working directory; `None` for the host's.
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

    /// Lets the program inherit only the environment variables with these names. This hides the host's API
    /// keys, for example, from the program.
    ///
    /// Most servers need [`Program::BASIC_ENVIRONMENT`]: `PATH` to find other programs, `HOME` for settings and
    /// caches, and the variables that Windows needs to load libraries. This crate's server needs none of these,
    /// but can read its settings from variables such as `MQTT_BROKER_URL`.
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

    /// The variables that the MCP SDKs let a server inherit, and the variables for the language, the time
    /// zone and temporary files, and those that locate settings and certificates.
    pub const BASIC_ENVIRONMENT: [&str; 28] = [
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "TERM",
        "LANG",
        "LC_ALL",
        "TZ",
        "TMPDIR",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_RUNTIME_DIR",
        "XDG_STATE_HOME",
        "SSL_CERT_DIR",
        "SSL_CERT_FILE",
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

    /// Returns the path or name as text, for messages.
    pub(super) fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }
}

impl fmt::Debug for Program {
    /// Leaves out the values of environment variables, because the values may be secrets.
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

pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

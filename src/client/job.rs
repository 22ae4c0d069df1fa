//! A spawned program and its job object, which Windows ends with the last handle to it: the host's.
//!
//! Windows has no gentle signals. A console sends Ctrl-C to every program that shares it, and what a
//! person says to the host with it is not meant for the server.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use process_wrap::tokio::{ChildWrapper, CommandWrap, CreationFlags, JobObject, KillOnDrop};
use tokio::process::Command;
use tracing::debug;

use super::limits::Limits;
use super::program::{Pipes, Program};

/// `CREATE_NEW_PROCESS_GROUP`: such a program gets no Ctrl-C.
const OWN_GROUP: u32 = 0x200;

/// The extensions that a name without one may have, in the order of the system's own `PATHEXT`. Rust looks
/// for the second only, and `npx` has the last.
const EXTENSIONS: [&str; 4] = ["com", "exe", "bat", "cmd"];

/// Finds a program that is named without its extension. Returns the name as it is if it has one, or if
/// nothing is found.
pub(super) fn find_program(program: &Program) -> OsString {
    let named = PathBuf::from(&program.path);
    if named.extension().is_some() {
        return program.path.clone();
    }
    let is_path = |(name, _): &&(OsString, OsString)| name.eq_ignore_ascii_case("PATH");
    let path = program
        .environment
        .iter()
        .rev()
        .find(is_path)
        .map(|(_, path)| path.clone())
        .or_else(|| std::env::var_os("PATH"));
    let folders: Vec<PathBuf> = if named.components().count() > 1 {
        vec![PathBuf::new()]
    } else {
        std::env::split_paths(path.as_deref().unwrap_or(OsStr::new(""))).collect()
    };
    let files = folders.iter().flat_map(|folder| {
        let file = folder.join(&named);
        EXTENSIONS.map(|extension| file.with_extension(extension))
    });
    files
        .filter(|file| file.is_file())
        .next()
        .map_or_else(|| program.path.clone(), OsString::from)
}

/// A running program in a job object of its own.
pub(super) struct Group {
    /// The job; within it, the program alone.
    job: Box<dyn ChildWrapper>,
}

impl Group {
    /// Spawns a program. It is in the job before it does anything, so that whatever it starts is, too.
    pub(super) fn spawn(command: Command, _: &Limits) -> io::Result<Self> {
        let mut flags = CreationFlags(<_>::default());
        flags.0.0 = OWN_GROUP;
        let mut command = CommandWrap::from(command);
        command.wrap(flags).wrap(KillOnDrop).wrap(JobObject);
        let job = command.spawn()?;
        Ok(Self { job })
    }

    /// Takes its pipes; returns `None` the second time.
    pub(super) fn pipes(&mut self) -> Option<Pipes> {
        Some(Pipes {
            stdin: self.job.stdin().take()?,
            stdout: self.job.stdout().take()?,
            stderr: self.job.stderr().take()?,
        })
    }

    /// Returns the process id, until the program's end was waited for.
    pub(super) fn id(&self) -> Option<u32> {
        self.job.id()
    }

    /// Waits for the program's end. What it started may go on.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.job.inner_mut().wait().await
    }

    /// Kills all of it: Windows has no gentle way.
    pub(super) fn terminate(&mut self) {
        self.kill();
    }

    /// Kills all of it.
    pub(super) fn kill(&mut self) {
        if let Err(error) = self.job.start_kill() {
            debug!(%error, "the server's job could not be ended");
        }
    }

    /// Waits until the program is gone, once all of it was killed.
    pub(super) async fn wait_until_gone(&mut self) {
        // Its children were killed with it, and nobody can hold that up.
        let _ = self.wait().await;
    }

    /// Returns true if the program is gone.
    pub(super) fn is_gone(&mut self) -> bool {
        !matches!(self.job.inner_mut().try_wait(), Ok(None))
    }
}

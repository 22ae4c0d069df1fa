//! A spawned program and its job object (a group of processes), on Windows. Only the host has a handle to the
//! job. When the host dies, Windows closes the handle and kills every process in the job.
//!
//! A console sends Ctrl-C to every program that shares the console, but a person who presses Ctrl-C means the
//! host. So the program is started in a process group that gets no Ctrl-C.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use process_wrap::tokio::{ChildWrapper, CommandWrap, CreationFlags, JobObject, KillOnDrop};
use tokio::process::Command;
use tracing::debug;

use super::limits::Limits;
use super::program::{Pipes, Program};

/// `CREATE_NEW_PROCESS_GROUP`, a flag for programs that should get no Ctrl-C.
const OWN_GROUP: u32 = 0x200;

/// The extensions to try for a name without an extension, in the order of the system's default `PATHEXT`. Rust
/// itself only tries `exe`, but `npx` is a `cmd` file.
const EXTENSIONS: [&str; 4] = ["com", "exe", "bat", "cmd"];

/// Finds the file of a program that is named without an extension: for `npx`, perhaps `C:\nodejs\npx.cmd`.
/// Returns the name unchanged if it has an extension or no file is found.
pub(super) fn find_program(program: &Program) -> OsString {
    let named = PathBuf::from(&program.path);
    if named.extension().is_some() {
        return program.path.clone();
    }
    let is_path_variable = |(name, _): &&(OsString, OsString)| name.eq_ignore_ascii_case("PATH");
    let path = program
        .environment
        .iter()
        .rev()
        .find(is_path_variable)
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

/// A running program in its own job object.
pub(super) struct Job {
    /// The job. Its inner child is the program.
    job: Box<dyn ChildWrapper>,
}

impl Job {
    /// Spawns a program. The program joins the job before it runs, so all processes that it starts are in the
    /// job too.
    pub(super) fn spawn(command: Command, _: &Limits) -> io::Result<Self> {
        let mut flags = CreationFlags(<_>::default());
        flags.0.0 = OWN_GROUP;
        let mut command = CommandWrap::from(command);
        command.wrap(flags).wrap(KillOnDrop).wrap(JobObject);
        let job = command.spawn()?;
        Ok(Self { job })
    }

    /// Takes the program's pipes; returns `None` the second time.
    pub(super) fn pipes(&mut self) -> Option<Pipes> {
        Some(Pipes {
            stdin: self.job.stdin().take()?,
            stdout: self.job.stdout().take()?,
            stderr: self.job.stderr().take()?,
        })
    }

    /// Returns the program's process id; `None` once the program's exit status has been read.
    pub(super) fn id(&self) -> Option<u32> {
        self.job.id()
    }

    /// Waits for the program's end. Processes that it started may still run.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.job.inner_mut().wait().await
    }

    /// Kills the job, because Windows has no SIGTERM.
    pub(super) fn terminate(&mut self) {
        self.kill();
    }

    pub(super) fn kill(&mut self) {
        if let Err(error) = self.job.start_kill() {
            debug!(%error, "the server's job could not be ended");
        }
    }

    /// Waits until the program is gone. Call this only after `kill`.
    pub(super) async fn wait_until_gone(&mut self) {
        // The program's children need no wait: Windows has killed them with the job.
        let _ = self.wait().await;
    }

    pub(super) fn is_gone(&mut self) -> bool {
        !matches!(self.job.inner_mut().try_wait(), Ok(None))
    }
}

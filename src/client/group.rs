//! A spawned program and its process group, which it leads.

use std::io;
use std::process::ExitStatus;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::process::{Child, Command};
use tracing::debug;

use super::limits::Limits;
use super::process::Pipes;
use super::watchdog::Watchdog;

/// A running program that leads a group of its own.
pub(super) struct Group {
    child: Child,
    leader: Option<Pid>,
    watchdog: Option<Watchdog>,
}

impl Group {
    /// Spawns it, with a watchdog in its group.
    pub(super) fn spawn(mut command: Command, limits: &Limits) -> io::Result<Self> {
        let child = command.process_group(0).kill_on_drop(true).spawn()?;
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        let leader = id.and_then(Pid::from_raw);
        let watchdog = leader.and_then(|leader| Watchdog::spawn(leader, limits));
        Ok(Self {
            child,
            leader,
            watchdog,
        })
    }

    /// Its pipes, once.
    pub(super) fn pipes(&mut self) -> Option<Pipes> {
        Some(Pipes {
            stdin: self.child.stdin.take()?,
            stdout: self.child.stdout.take()?,
            stderr: self.child.stderr.take()?,
        })
    }

    /// The program's number, until its end was waited for.
    pub(super) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits for the program's end. What it started may go on.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Asks all of it to end.
    pub(super) fn terminate(&mut self) {
        self.signal(Signal::TERM);
    }

    /// Kills all of it.
    pub(super) fn kill(&mut self) {
        self.signal(Signal::KILL);
        // The group may be gone while its leader hangs on.
        if matches!(self.child.try_wait(), Ok(None))
            && let Err(error) = self.child.start_kill()
        {
            debug!(%error, "the server could not be killed");
        }
    }

    fn signal(&self, signal: Signal) {
        if let Some(leader) = self.leader
            && let Err(error) = kill_process_group(leader, signal)
        {
            // Mostly because there is nobody left.
            debug!(%error, "no signal was sent");
        }
        // It may have moved to another group. Until it was waited for, its number is its own.
        if let (Some(leader), Some(_)) = (self.leader, self.child.id())
            && let Err(error) = kill_process(leader, signal)
        {
            debug!(%error, "the server got no signal of its own");
        }
    }

    /// Waits until the watchdog is gone, once all of it was killed.
    pub(super) async fn gone(&mut self) {
        if let Some(watchdog) = &mut self.watchdog {
            watchdog.gone().await;
        }
    }

    /// Whether the program and the watchdog are gone.
    pub(super) fn is_gone(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
            && self.watchdog.as_mut().is_none_or(Watchdog::is_gone)
    }
}

//! A spawned program and the process group that it leads, with a watchdog that ends the group if the
//! host goes without ending it: killed, or exited half-way.
//!
//! The closed pipe ends a server that reads its stdin. For any other a shell waits in the group, on a
//! pipe from the host, and ends the group as the host would have. Unlike the parent-death signal, it
//! needs no unsafe code, and it works on every unix.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::process::{Child, Command};
use tracing::debug;

use super::limits::Limits;
use super::program::Pipes;

/// A running program that leads a group of its own.
pub(super) struct Group {
    child: Child,
    leader: Option<Pid>,
    /// A shell in the group. It is killed with the group.
    watchdog: Option<Child>,
}

impl Group {
    /// Spawns a program, with a watchdog in its group.
    pub(super) fn spawn(mut command: Command, limits: &Limits) -> io::Result<Self> {
        let child = command.process_group(0).kill_on_drop(true).spawn()?;
        let leader = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let watchdog = leader.and_then(|leader| spawn_watchdog(leader, limits));
        Ok(Self {
            child,
            leader,
            watchdog,
        })
    }

    /// Takes its pipes; returns `None` the second time.
    pub(super) fn pipes(&mut self) -> Option<Pipes> {
        Some(Pipes {
            stdin: self.child.stdin.take()?,
            stdout: self.child.stdout.take()?,
            stderr: self.child.stderr.take()?,
        })
    }

    /// Returns the process id, until the program's end was waited for.
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
            // Usually because there is nobody left.
            debug!(%error, "no signal was sent");
        }
        // It may have moved to another group. Until it was waited for, no other process gets its id.
        if let (Some(leader), Some(_)) = (self.leader, self.child.id())
            && let Err(error) = kill_process(leader, signal)
        {
            debug!(%error, "the server got no signal of its own");
        }
    }

    /// Waits until the watchdog is gone, once all of it was killed.
    pub(super) async fn wait_until_gone(&mut self) {
        if let Some(watchdog) = &mut self.watchdog {
            // Nobody can hold it up: it was killed, and does nothing in the kernel.
            let _ = watchdog.wait().await;
        }
    }

    /// Returns true if the program and the watchdog are gone.
    pub(super) fn is_gone(&mut self) -> bool {
        let is_gone = |child: &mut Child| !matches!(child.try_wait(), Ok(None));
        is_gone(&mut self.child) && self.watchdog.as_mut().is_none_or(is_gone)
    }
}

/// `$1` is the server, `$2` and `$3` the seconds before SIGTERM and SIGKILL. `kill` of 0 is the
/// whole group, the shell included. The server is signalled by itself too, because it may have
/// moved to another group. Its number can't be another's by then: it names the shell's group.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
read -r _
wait_for() { while [ "$2" -gt "${n:=0}" ] && kill -0 "$1"; do sleep 1; n=$((n + 1)); done; n=0; }
wait_for "$1" "$2"
kill -TERM "$1" 0
wait_for "$1" "$3"
kill -KILL "$1"
kill -KILL 0
"#;

/// Starts a shell in the group that this server leads. Without a shell, the closed pipe must do.
fn spawn_watchdog(server: Pid, limits: &Limits) -> Option<Child> {
    let seconds = |time: Duration| time.as_secs_f64().ceil().to_string();
    let server = server.as_raw_nonzero().get();
    let spawned = Command::new("/bin/sh")
        .args(["-c", SCRIPT, "sh", &server.to_string()])
        .args([seconds(limits.closing), seconds(limits.terminating)])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(server)
        .kill_on_drop(true)
        .spawn();
    spawned
        .inspect_err(|error| debug!(%error, "no shell watches over the server"))
        .ok()
}

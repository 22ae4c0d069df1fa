//! On Unix, a spawned program and the process group that it leads. A watchdog ends the group if the host dies.
//!
//! A server that reads its stdin ends by itself when the host's death closes the pipe. Other servers need the
//! watchdog, which is a shell in the group. The shell waits until a pipe from the host is closed. Then it
//! ends the group in the same steps that the host would take. Unlike Linux's parent-death signal, a shell
//! needs no unsafe code and works on every Unix.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::process::{Child, Command};
use tracing::debug;

use super::limits::Limits;
use super::program::Pipes;

/// A running program that leads its own process group.
pub(super) struct Group {
    child: Child,
    /// The program's process id, which is also the group's id.
    leader: Pid,
    /// A shell in the group, which is killed with the group.
    watchdog: Option<Child>,
}

impl Group {
    /// Spawns a program, with a watchdog in its group.
    pub(super) fn spawn(mut command: Command, limits: &Limits) -> io::Result<Self> {
        let child = command.process_group(0).kill_on_drop(true).spawn()?;
        let leader = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let leader = leader.ok_or_else(|| io::Error::other("it has no process id"))?;
        Ok(Self {
            child,
            leader,
            watchdog: spawn_watchdog(leader, limits),
        })
    }

    /// Takes the program's pipes; returns `None` the second time.
    pub(super) fn pipes(&mut self) -> Option<Pipes> {
        Some(Pipes {
            stdin: self.child.stdin.take()?,
            stdout: self.child.stdout.take()?,
            stderr: self.child.stderr.take()?,
        })
    }

    /// Returns the program's process id; `None` once `wait` has returned.
    pub(super) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits for the program's end. Processes that the program started may still run.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    pub(super) fn terminate(&mut self) {
        self.signal(Signal::TERM);
    }

    pub(super) fn kill(&mut self) {
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        if let Err(error) = kill_process_group(self.leader, signal) {
            // Usually, the group has no processes left.
            debug!(%error, "no signal was sent");
        }
        // The program may have moved to another group, so it also gets the signal by its own id. After `wait`,
        // `id` is `None`. Then this second signal is not sent, because another process may have the program's
        // id by now.
        if self.child.id().is_some()
            && let Err(error) = kill_process(self.leader, signal)
        {
            debug!(%error, "the signal could not be sent to the server itself");
        }
    }

    /// Waits until the watchdog is gone. Call this only after `kill`.
    pub(super) async fn wait_until_gone(&mut self) {
        if let Some(watchdog) = &mut self.watchdog {
            // A killed shell ends at once, because it is not blocked in the kernel.
            let _ = watchdog.wait().await;
        }
    }

    /// Returns true if the program and the watchdog are gone.
    pub(super) fn is_gone(&mut self) -> bool {
        let has_exited = |child: &mut Child| !matches!(child.try_wait(), Ok(None));
        has_exited(&mut self.child) && self.watchdog.as_mut().is_none_or(has_exited)
    }
}

/// The watchdog's script. `$1` is the server's process id. `$2` is the maximum number of seconds before
/// SIGTERM, and `$3` is the maximum number of seconds from SIGTERM to SIGKILL. `read` returns when the host's
/// end of the pipe is closed. For `kill`, 0 means the whole group, including the shell. The server is also
/// signaled by its id, because it may have moved to another group. No new process can get the server's id
/// while the shell runs, because the shell's group has the same id.
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

/// Starts a watchdog in the group that this server leads. Returns `None` if no shell can be started.
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

//! What ends a server whose host is gone without a word: killed, or exited in the middle.
//!
//! The closed pipe ends a server that reads its stdin. For any other a shell waits in the server's
//! process group, on a pipe from the host, and ends the group as the host would have. It needs no
//! unsafe code, as the parent-death signal does, and works on every unix.

use std::process::Stdio;
use std::time::Duration;

use rustix::process::Pid;
use tokio::process::{Child, Command};
use tracing::debug;

use super::limits::Limits;

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

/// A shell in a server's process group. It is killed with the group.
pub(super) struct Watchdog(Child);

impl Watchdog {
    /// Sets a shell on the group that this server leads. Where there is none, the closed pipe must do.
    pub(super) fn spawn(server: Pid, limits: &Limits) -> Option<Self> {
        let seconds = |time: Duration| time.as_secs_f64().ceil().to_string();
        let server = server.as_raw_nonzero().get();
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", SCRIPT, "sh", &server.to_string()])
            .args([seconds(limits.closing), seconds(limits.terminating)])
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(server)
            .kill_on_drop(true);
        let spawned = command.spawn();
        spawned
            .inspect_err(|error| debug!(%error, "no shell watches over the server"))
            .ok()
            .map(Self)
    }

    /// Waits until it is gone, once its group was killed.
    pub(super) async fn gone(&mut self) {
        // Nobody can hold it up: it was killed, and does nothing in the kernel.
        let _ = self.0.wait().await;
    }

    /// Whether it is gone.
    pub(super) fn is_gone(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }
}

//! Detects when the process that spawned us dies without closing the pipe.
//!
//! A pidfd, or else a changed parent id, shows the death. The parent-death signal would not do, because it is
//! sent as soon as the thread that spawned us ends, even if its process lives on.

/// Waits until the host is gone. Never returns if there is no host to watch.
#[cfg(unix)]
pub async fn wait_until_gone() {
    use rustix::process::getppid;
    use std::time::Duration;

    // A parent outside of our process namespace has no id, and can't be watched.
    let Some(parent) = getppid() else {
        return std::future::pending().await;
    };
    #[cfg(target_os = "linux")]
    if wait_for_end(parent).await.is_ok() {
        return;
    }
    while getppid() == Some(parent) {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Waits until a process ends, by its pidfd. Fails if the system has no pidfds. Waits in a blocking thread,
/// because tokio's `AsyncFd` needs `unsafe` (its safe constructors are deprecated).
#[cfg(target_os = "linux")]
async fn wait_for_end(process: rustix::process::Pid) -> std::io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::process::{PidfdFlags, pidfd_open};

    let descriptor = pidfd_open(process, PidfdFlags::empty())?;
    let waiting = tokio::task::spawn_blocking(move || -> std::io::Result<()> {
        loop {
            // A pidfd becomes readable when the process ends.
            match poll(&mut [PollFd::new(&descriptor, PollFlags::IN)], None) {
                Err(rustix::io::Errno::INTR) => {}
                ended => return ended.map(drop).map_err(Into::into),
            }
        }
    });
    waiting.await?
}

/// Waits forever. Without parent ids, only the closed pipe shows that the host is gone.
#[cfg(not(unix))]
pub async fn wait_until_gone() {
    std::future::pending::<()>().await;
}

//! Detects the end of the host, the process that spawned us. Our stdin may stay open when the host ends.
//!
//! A pidfd reports the end. On a system without pidfds, we see our parent id change. The parent-death signal is
//! of no use: it is sent as soon as the thread that spawned us ends, even if that thread's process lives on.

/// Waits until the host is gone. Waits forever if the host can't be watched.
#[cfg(unix)]
pub async fn wait_until_gone() {
    use rustix::process::getppid;
    use std::time::Duration;

    // A parent outside of our process namespace has no id for us, so we can't watch it.
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

/// Waits for the end of a process with the help of a pidfd. Fails if there is no pidfd, as on an old system.
/// Waits in a thread, because all constructors of tokio's `AsyncFd` are either `unsafe` or deprecated.
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

/// Waits forever. Without parent ids, only a closed stdin or stdout shows that the host is gone.
#[cfg(not(unix))]
pub async fn wait_until_gone() {
    std::future::pending::<()>().await;
}

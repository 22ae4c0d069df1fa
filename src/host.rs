//! Notices when the process that spawned us dies without closing the pipe.
//!
//! It goes by a descriptor of the process or by a changed parent id, not by the parent-death signal, which
//! fires when the thread that spawned us ends.

/// Waits until the host is gone. Never returns if there is no host to watch.
#[cfg(unix)]
pub async fn wait_until_gone() {
    use rustix::process::getppid;
    use std::time::Duration;

    // A parent outside of our process namespace has no number, and can't be watched.
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

/// Waits for the end of a process through a descriptor of it, if the system has those. It waits in a thread,
/// because tokio takes foreign descriptors only by unsafe calls.
#[cfg(target_os = "linux")]
async fn wait_for_end(process: rustix::process::Pid) -> std::io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::process::{PidfdFlags, pidfd_open};

    let descriptor = pidfd_open(process, PidfdFlags::empty())?;
    let waiting = tokio::task::spawn_blocking(move || -> std::io::Result<()> {
        loop {
            // Readable means ended.
            match poll(&mut [PollFd::new(&descriptor, PollFlags::IN)], None) {
                Err(rustix::io::Errno::INTR) => {}
                ended => return ended.map(drop).map_err(Into::into),
            }
        }
    });
    waiting.await?
}

/// Waits forever: without parent ids, a closed pipe has to do.
#[cfg(not(unix))]
pub async fn wait_until_gone() {
    std::future::pending::<()>().await;
}

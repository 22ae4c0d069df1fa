//! Signals that end the program.

use tokio_util::sync::CancellationToken;

/// Waits for SIGTERM or SIGINT, and says that it is time to end.
#[cfg(unix)]
pub async fn end_on_signal(end: CancellationToken) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut interrupt)) = (
        signal(SignalKind::terminate()),
        signal(SignalKind::interrupt()),
    ) else {
        tracing::warn!("signals can't be received; their default is to end the process");
        return;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    end.cancel();
}

/// Waits for Ctrl-C, and says that it is time to end.
#[cfg(not(unix))]
pub async fn end_on_signal(end: CancellationToken) {
    if tokio::signal::ctrl_c().await.is_ok() {
        end.cancel();
    }
}

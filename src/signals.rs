//! Signals that end the program.

use std::future::pending;

use tokio_util::sync::CancellationToken;

/// Waits for SIGTERM or SIGINT, and then cancels `end`. Waits forever if signals can't be received.
#[cfg(unix)]
pub async fn end_on_signal(end: CancellationToken) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut interrupt)) = (
        signal(SignalKind::terminate()),
        signal(SignalKind::interrupt()),
    ) else {
        tracing::warn!("signals can't be received; their default is to end the process");
        return pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    end.cancel();
}

/// Waits for Ctrl-C, Ctrl-Break, the end of the console or the shutdown of the system, and then cancels `end`.
/// Waits forever if these can't be received.
#[cfg(windows)]
pub async fn end_on_signal(end: CancellationToken) {
    use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_shutdown};
    let (Ok(mut interrupt), Ok(mut stop), Ok(mut close), Ok(mut shut_down)) =
        (ctrl_c(), ctrl_break(), ctrl_close(), ctrl_shutdown())
    else {
        tracing::warn!("Ctrl-C can't be received; its default is to end the process");
        return pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = stop.recv() => {}
        _ = close.recv() => {}
        _ = shut_down.recv() => {}
    }
    end.cancel();
}

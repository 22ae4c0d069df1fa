//! Signals that end a program.

use std::future::pending;

use tokio_util::sync::CancellationToken;

/// Waits for SIGTERM or SIGINT, and then cancels `end`. On Windows, waits as [`wait_for_end`] does. Waits forever if
/// signals can't be received.
pub async fn end_on_signal(end: CancellationToken) {
    wait_for_end(true, false).await;
    end.cancel();
}

/// Waits for SIGTERM, for Ctrl-C if it `interrupts`, and for the end of the terminal (SIGHUP) if the program
/// `has_terminal`. Waits forever if these can't be received.
#[cfg(unix)]
pub async fn wait_for_end(interrupts: bool, has_terminal: bool) {
    use tokio::signal::unix::{SignalKind, signal};
    // A signal that is not waited for keeps what it does by default.
    let receive = |kind: SignalKind, is_wanted: bool| async move {
        if !is_wanted {
            return pending().await;
        }
        let signals = signal(kind).inspect_err(|error| tracing::warn!("{CANT_RECEIVE} ({error})"));
        let Ok(mut signals) = signals else {
            return pending().await;
        };
        signals.recv().await;
    };
    tokio::select! {
        () = receive(SignalKind::terminate(), true) => {}
        () = receive(SignalKind::interrupt(), interrupts) => {}
        () = receive(SignalKind::hangup(), has_terminal) => {}
    }
}

const CANT_RECEIVE: &str = "a signal can't be received; its default is to end the process";

/// Waits for Ctrl-Break, the end of the console or the shutdown of the system, and for Ctrl-C if it `interrupts`.
/// Waits forever if these can't be received.
#[cfg(windows)]
pub async fn wait_for_end(interrupts: bool, _has_terminal: bool) {
    use tokio::signal::windows::{ctrl_break, ctrl_close, ctrl_shutdown};
    let (Ok(mut stop), Ok(mut close), Ok(mut shut_down)) =
        (ctrl_break(), ctrl_close(), ctrl_shutdown())
    else {
        tracing::warn!("{CANT_RECEIVE}");
        return pending().await;
    };
    tokio::select! {
        _ = stop.recv() => {}
        _ = close.recv() => {}
        _ = shut_down.recv() => {}
        () = wait_for_ctrl_c(), if interrupts => {}
    }
}

/// Waits for Ctrl-C, or forever if it can't be received.
pub async fn wait_for_ctrl_c() {
    if tokio::signal::ctrl_c().await.is_err() {
        pending::<()>().await;
    }
}

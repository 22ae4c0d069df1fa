//! Signals that end the program.

/// Waits for a signal that ends the program. In a chat, Ctrl-C only ends an answer.
#[cfg(unix)]
pub async fn end(chats: bool) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut hang_up)) = (
        signal(SignalKind::terminate()),
        signal(SignalKind::hangup()),
    ) else {
        tracing::warn!("signals can't be received; their default is to end the process");
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = hang_up.recv() => {}
        () = interrupted(), if !chats => {}
    }
}

/// Waits for a signal that ends the program. In a chat, Ctrl-C only ends an answer.
#[cfg(windows)]
pub async fn end(chats: bool) {
    use tokio::signal::windows::{ctrl_break, ctrl_close, ctrl_shutdown};
    let (Ok(mut stop), Ok(mut close), Ok(mut shut_down)) =
        (ctrl_break(), ctrl_close(), ctrl_shutdown())
    else {
        tracing::warn!("Ctrl-C can't be received; its default is to end the process");
        return std::future::pending().await;
    };
    tokio::select! {
        _ = stop.recv() => {}
        _ = close.recv() => {}
        _ = shut_down.recv() => {}
        () = interrupted(), if !chats => {}
    }
}

/// Waits for Ctrl-C.
pub async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

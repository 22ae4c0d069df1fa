//! Signals that end the program.

/// Waits for a signal that ends the program. At a chat, Ctrl-C only ends an answer.
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

/// Waits for a signal that ends the program. At a chat, Ctrl-C only ends an answer.
#[cfg(not(unix))]
pub async fn end(chats: bool) {
    if chats {
        return std::future::pending().await;
    }
    interrupted().await;
}

/// Waits for Ctrl-C.
pub async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

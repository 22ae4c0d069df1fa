//! Browsers' connections, each in a task of its own, within bounds.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::sleep;
use tracing::debug;

use super::replies::Site;

/// The maximum number of connections at once; a browser has six.
const MAX_CONNECTIONS: usize = 64;

/// How long the head of a request may take to arrive, and its maximum length, in bytes.
const HEAD_PATIENCE: Duration = Duration::from_secs(30);
const MAX_HEAD: usize = 64 * 1024;

/// The pause before the next attempt if no connection can be taken.
const REST: Duration = Duration::from_millis(100);

/// A browser's connection.
struct OpenConnection {
    task: AbortHandle,
    /// The requests on it that are being answered.
    answering: Arc<AtomicUsize>,
}

/// Serves whoever connects, until this is dropped.
///
/// Any program of this machine may connect and say nothing. So a new connection takes the place of
/// the oldest one on which nothing is being answered.
pub async fn serve(listener: TcpListener, site: Arc<Site>) {
    // Dropping it ends them all.
    let mut tasks = JoinSet::new();
    let mut open: VecDeque<OpenConnection> = VecDeque::new();
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                debug!(%error, "a connection can't be taken");
                sleep(REST).await;
                continue;
            }
        };
        while tasks.try_join_next().is_some() {}
        open.retain(|connection| !connection.task.is_finished());
        if open.len() >= MAX_CONNECTIONS {
            let is_idle =
                |connection: &OpenConnection| connection.answering.load(Ordering::Relaxed) == 0;
            let Some(idle) = open.iter().position(is_idle).and_then(|at| open.remove(at)) else {
                // The browser itself has them all. Dropping the new one closes it.
                continue;
            };
            idle.task.abort();
        }
        let answering = Arc::default();
        let task = tasks.spawn(converse(stream, Arc::clone(&site), Arc::clone(&answering)));
        open.push_back(OpenConnection { task, answering });
    }
}

/// Answers the requests of one connection.
async fn converse(stream: TcpStream, site: Arc<Site>, answering: Arc<AtomicUsize>) {
    let service = service_fn(move |request| {
        let site = Arc::clone(&site);
        let answering = Arc::clone(&answering);
        async move {
            answering.fetch_add(1, Ordering::Relaxed);
            let reply = site.reply(request).await;
            answering.fetch_sub(1, Ordering::Relaxed);
            Ok::<_, Infallible>(reply)
        }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_PATIENCE)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), service);
    if let Err(error) = served.await {
        debug!(%error, "a browser's connection broke");
    }
}

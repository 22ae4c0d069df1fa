//! Browsers' connections, each in a task of its own, within bounds.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tracing::debug;

use super::replies::Site;

/// How many connections there may be at once; a browser has six.
const MOST_CONNECTIONS: usize = 64;

/// How long the beginning of a request may take to come, and how long it may be, in bytes.
const HEAD_PATIENCE: Duration = Duration::from_secs(30);
const LONGEST_HEAD: usize = 64 * 1024;

/// Between two attempts where no connection can be taken.
const REST: Duration = Duration::from_millis(100);

/// Serves whoever connects, until this is dropped.
pub async fn serve(listener: TcpListener, site: Arc<Site>) {
    let slots = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    // Dropping it ends them all.
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let Ok(slot) = Arc::clone(&slots).acquire_owned().await else {
            return;
        };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                debug!(%error, "a connection can't be taken");
                sleep(REST).await;
                continue;
            }
        };
        let site = Arc::clone(&site);
        connections.spawn(async move {
            let _slot = slot;
            let service = service_fn(move |request| {
                let site = Arc::clone(&site);
                async move { Ok::<_, Infallible>(site.reply(request).await) }
            });
            let served = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_PATIENCE)
                .max_buf_size(LONGEST_HEAD)
                .serve_connection(TokioIo::new(stream), service);
            if let Err(error) = served.await {
                debug!(%error, "a browser's connection broke");
            }
        });
    }
}

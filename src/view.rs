//! Shows the house's page in a browser on this machine: a web server that acts as the MCP host.
//!
//! Only the browser that opens the one-time address is let in (`access`). The page is untrusted, as in any
//! host: it runs in a sandboxed frame in which only scripts are allowed. The page's requests go through the
//! `bridge`, which allows only the tools and resources in [`Reach`]. The outer page (`src/view/host.html` and
//! the files next to it) contains the frame, and relays messages between the frame and the bridge. If the
//! server asks for consent, the outer page asks the person.

mod access;
mod bridge;
mod replies;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use thiserror::Error;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::sleep;
use tracing::debug;

use crate::client::Connection;
use crate::crypto::NoRandomness;
use access::Access;
use bridge::Bridge;
use replies::Site;

pub use bridge::{ChangeCount, Reach};

/// The maximum number of simultaneous connections. A browser opens at most six.
const MAX_CONNECTIONS: usize = 64;

/// The timeout for receiving the head of a request, and the head's maximum length.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// The delay after a failure to accept a connection.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

struct OpenConnection {
    task: AbortHandle,
    /// The number of requests on this connection that are being answered.
    answering: Arc<AtomicUsize>,
}

/// The reason why the page can't be shown.
#[derive(Debug, Error)]
pub enum ViewError {
    /// No port can be bound.
    #[error("can't listen on 127.0.0.1: {0}")]
    Listen(#[from] io::Error),
    /// The system provides no random numbers for the secrets.
    #[error(transparent)]
    Random(#[from] NoRandomness),
}

/// A house's page, ready to be served.
#[derive(Debug)]
pub struct PageServer {
    listener: TcpListener,
    site: Site,
}

impl PageServer {
    /// Binds a free local port for the page of a connected server. The caller must keep a clone of `changes`,
    /// and pass each event of the server to the clone's `count_event`.
    ///
    /// # Errors
    /// See [`ViewError`].
    pub async fn bind(
        server: Arc<Connection>,
        reach: Reach,
        changes: ChangeCount,
    ) -> Result<Self, ViewError> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let site = Site {
            access: Access::new(listener.local_addr()?.port())?,
            bridge: Bridge::new(server, reach, changes),
        };
        Ok(Self { listener, site })
    }

    /// Returns the address that lets one browser in, once.
    pub fn address(&self) -> String {
        self.site.access.address.clone()
    }

    /// Serves the page until the future is dropped.
    ///
    /// Any local program can open connections and send nothing. So if there are too many, a new connection
    /// replaces the oldest connection on which no request is being answered.
    pub async fn serve(self) {
        let site = Arc::new(self.site);
        // Dropping the set ends all connections.
        let mut tasks = JoinSet::new();
        let mut open: VecDeque<OpenConnection> = VecDeque::new();
        loop {
            let stream = match self.listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    debug!(%error, "a connection can't be taken");
                    sleep(ACCEPT_RETRY_DELAY).await;
                    continue;
                }
            };
            while tasks.try_join_next().is_some() {}
            open.retain(|connection| !connection.task.is_finished());
            if open.len() >= MAX_CONNECTIONS {
                let is_idle =
                    |connection: &OpenConnection| connection.answering.load(Ordering::Relaxed) == 0;
                let Some(idle) = open.iter().position(is_idle).and_then(|at| open.remove(at))
                else {
                    // All connections are answering requests. Requests of other programs are refused at once,
                    // so all these connections are the browser's. Dropping `stream` closes the new one.
                    continue;
                };
                idle.task.abort();
            }
            let answering = Arc::default();
            let task = tasks.spawn(serve_connection(
                stream,
                Arc::clone(&site),
                Arc::clone(&answering),
            ));
            open.push_back(OpenConnection { task, answering });
        }
    }
}

async fn serve_connection(stream: TcpStream, site: Arc<Site>, answering: Arc<AtomicUsize>) {
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
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    if let Err(error) = served.await {
        debug!(%error, "a browser's connection broke");
    }
}

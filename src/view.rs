//! The house's page in a browser of this machine: a web server that plays the part of the host.
//!
//! Only the browser that was sent the one-time address comes in (`access`). The page is a stranger here,
//! as it is to any host: it sits in a frame that may only run, and its requests go through the `bridge`,
//! which knows two tools and the resources of the house. The page around it (`src/view/host.html` and the
//! files beside it) carries messages between the two, and asks the person if the server wants a yes.

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
use crate::random::NoRandomness;
use access::Access;
use bridge::Bridge;
use replies::Site;

pub use bridge::{Changes, Reach};

/// The maximum number of connections at once; a browser has six.
const MAX_CONNECTIONS: usize = 64;

/// The time limit for the head of a request to arrive, and its maximum length, in bytes.
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

/// The reason why the page can't be shown.
#[derive(Debug, Error)]
pub enum ViewError {
    /// There is no port to listen on.
    #[error("can't listen on 127.0.0.1: {0}")]
    Listen(#[from] io::Error),
    /// The system gives no random numbers for a secret.
    #[error(transparent)]
    Random(#[from] NoRandomness),
}

/// A house's page, ready to be served.
#[derive(Debug)]
pub struct View {
    listener: TcpListener,
    site: Site,
}

impl View {
    /// Takes a free port of this machine, for the page of a server that is connected to. `changes`
    /// has to hear the server's notifications.
    ///
    /// # Errors
    /// See [`ViewError`].
    pub async fn bind(
        server: Arc<Connection>,
        reach: Reach,
        changes: Changes,
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

    /// Serves the page until this is dropped, within bounds.
    ///
    /// Any program of this machine may connect and say nothing. So a new connection takes the place of
    /// the oldest one on which nothing is being answered.
    pub async fn serve(self) {
        let site = Arc::new(self.site);
        // Dropping it ends them all.
        let mut tasks = JoinSet::new();
        let mut open: VecDeque<OpenConnection> = VecDeque::new();
        loop {
            let stream = match self.listener.accept().await {
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
                let Some(idle) = open.iter().position(is_idle).and_then(|at| open.remove(at))
                else {
                    // The browser itself has them all. Dropping the new one closes it.
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

/// Answers the requests of one connection.
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
        .header_read_timeout(HEAD_PATIENCE)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), service);
    if let Err(error) = served.await {
        debug!(%error, "a browser's connection broke");
    }
}

//! The house's page in a browser of this machine: a web server that plays the part of the host.
//!
//! Only the browser that was sent the one-time address comes in (`access`). The page is a stranger here,
//! as it is to any host: it sits in a frame that may only run, and its requests go through the `bridge`,
//! which knows two tools and the resources of the house. The page around it (`src/view/host.html` and the
//! files beside it) carries messages between the two, and asks the person if the server wants a yes.

mod access;
mod bridge;
mod replies;
mod serving;

use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;

use thiserror::Error;
use tokio::net::TcpListener;

use crate::client::Connection;
use crate::random::NoRandomness;
use access::Access;
use bridge::Bridge;
use replies::Site;

pub use bridge::{Changes, Reach};

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
        self.site.access.address()
    }

    /// Serves the page until this is dropped.
    pub async fn serve(self) {
        serving::serve(self.listener, Arc::new(self.site)).await;
    }
}

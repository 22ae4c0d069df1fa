//! The MCP server: the two tools, their arguments, and the wording of every answer.
//!
//! Parses arguments, lets `home` decide and `gateway` execute, and puts the outcome into words. MQTT topics
//! and value ids do not occur here.

pub mod arguments;
mod changes;
mod consent;
mod control;
pub mod entry;
mod handler;
pub mod list;
pub mod page;
mod resources;
mod structured;
pub mod tools;
pub mod transport;
pub mod wording;

use rmcp::service::{QuitReason, ServerInitializeError, serve_server_with_ct};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use tracing::debug;

use crate::gateway::Gateways;
use handler::Handler;
use transport::{IsClosed, LineTransport, Output};

pub use handler::Policy;
pub use resources::address::{ENCODED, HOUSE, filtered_house};

/// A failure of the whole session.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// rmcp failed before a session began.
    #[error("the host did not begin an MCP session: {0}")]
    Initialize(String),
    /// A task of the session panicked.
    #[error("the MCP session broke: {0}")]
    Broken(String),
}

/// Serves a host until it disconnects. Calls in flight then have 5 s to finish (rmcp's drain). A host that
/// disconnects before a session begins is not an error.
pub async fn serve<R, W>(
    reader: R,
    writer: W,
    is_closed: IsClosed,
    gateways: Gateways,
    policy: Policy,
) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let ended = CancellationToken::new();
    // The guard cancels waiting tasks at the end of this function, even if its future is dropped.
    let _end = ended.clone().drop_guard();
    let handler = Handler::new(gateways, policy, ended.clone());
    let (output, written) = Output::start(writer);
    let transport = LineTransport::new(reader, is_closed, output, ended);
    let served = serve_session(handler, transport).await;
    // Wait until the last answers are written. Writing fails if the host has stopped reading.
    match written.await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => debug!(%error, "the host has stopped reading"),
        Err(error) => return Err(ServeError::Broken(error.to_string())),
    }
    served
}

async fn serve_session<R>(handler: Handler, transport: LineTransport<R>) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
{
    let session = serve_server_with_ct(handler, transport, CancellationToken::new()).await;
    let running = match session {
        Ok(running) => running,
        // The host has disconnected. A transport error means that the host no longer reads answers.
        Err(
            ServerInitializeError::ConnectionClosed(_)
            | ServerInitializeError::Cancelled
            | ServerInitializeError::TransportError { .. },
        ) => return Ok(()),
        Err(error) => return Err(ServeError::Initialize(error.to_string())),
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(ServeError::Broken(error.to_string())),
        Ok(_) => Ok(()),
    }
}

//! The line transport between the host and rmcp.
//!
//! rmcp's own transport skips a line that it can't read, and the host never learns of it. This transport answers
//! every request that it can read, exactly once, and a line that it can't read with an error without an id. A
//! line never ends the session, whatever the line contains.

pub mod messages;
mod output;

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, GetExtensions, GetMeta, JsonRpcMessage, ProtocolVersion};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value as Json, json};
use tokio::io::{AsyncRead, BufReader};
use tokio::sync::Semaphore;
use tokio::task::yield_now;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

use super::arguments;
use crate::lines::RawLines;
use messages::{HostInput, MAX_LINE, RefusedRequest, RequestFault};
pub(super) use output::Output;

/// The maximum number of requests that are served at once. Further ones wait in the input.
const MAX_SERVED: usize = 1024;

/// A request with a long answer counts as this many requests. Otherwise a thousand lists that wait for the same
/// fetch would all be built before the first is written, and the allocator would keep the memory.
const LONG_ANSWER_PERMITS: u32 = 32;

/// The interval at which `IsClosed` is called while the host does not read.
const CLOSED_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The time that a host has to read the answers after it has closed the input.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// Returns true once the host has closed the input, even if not all of it was read.
pub type IsClosed = Box<dyn Fn() -> bool + Send + Sync>;

/// The host's messages, read line by line.
pub(super) struct LineTransport<R> {
    lines: RawLines<BufReader<R>>,
    /// The items of the last line that still have to be passed to rmcp or refused.
    ready: VecDeque<HostInput>,
    output: Output,
    is_closed: IsClosed,
    /// Each request that is being served holds one or more permits.
    served: Arc<Semaphore>,
    /// True if the host has begun a session.
    is_in_session: bool,
    /// True if the last request that began a session is of a revision without `initialize`. Each result then says
    /// which server it is from.
    is_stateless: bool,
    /// Cancelled when no further message will be received.
    ended: CancellationToken,
}

impl<R: AsyncRead + Unpin> LineTransport<R> {
    pub fn new(reader: R, is_closed: IsClosed, output: Output, ended: CancellationToken) -> Self {
        Self {
            lines: RawLines::new(BufReader::new(reader), MAX_LINE),
            ready: VecDeque::new(),
            output,
            is_closed,
            served: Arc::new(Semaphore::new(MAX_SERVED)),
            is_in_session: false,
            is_stateless: false,
            ended,
        }
    }

    /// Returns true if rmcp may receive a message, and notes the beginning of a session. Before the session, any
    /// message other than a request would make rmcp end its service.
    fn admit(&mut self, message: &RxJsonRpcMessage<RoleServer>) -> bool {
        if let JsonRpcMessage::Request(request) = message {
            if begins_session(&request.request) {
                self.is_in_session = true;
                self.is_stateless = !matches!(request.request, ClientRequest::InitializeRequest(_));
            }
            return true;
        }
        self.is_in_session
    }

    /// Reads the next line. Returns false at the end of the input.
    async fn read_line(&mut self) -> bool {
        let line = match self.lines.next().await {
            Ok(Some(line)) => line,
            Ok(None) => return false,
            Err(error) => {
                warn!(%error, "stdin can no longer be read");
                return false;
            }
        };
        self.ready = match (line.cut, line.ended) {
            (false, has_newline) => messages::parse_line(&line.bytes, has_newline).into(),
            (true, true) => VecDeque::from([HostInput::unreadable(RequestFault::TooLong)]),
            // The input ended within a line that is too long.
            (true, false) => VecDeque::new(),
        };
        true
    }

    /// Waits until the host has read enough of the answers, and returns true. A host that closes the input has
    /// `DRAIN_TIMEOUT` to read enough. After that, gives up the output and returns false.
    async fn wait_for_reader(&mut self) -> bool {
        let wait_until_gone = async {
            while !(self.is_closed)() {
                sleep(CLOSED_CHECK_INTERVAL).await;
            }
            sleep(DRAIN_TIMEOUT).await;
        };
        tokio::select! {
            biased;
            () = self.output.wait_for_room() => true,
            () = wait_until_gone => {
                self.output.give_up();
                false
            }
        }
    }

    /// Waits for the permits of the next message, if it is a request. A request holds permits until it is served.
    async fn wait_for_permits(&mut self) {
        let Some(HostInput::Message(message)) = self.ready.front_mut() else {
            return;
        };
        let JsonRpcMessage::Request(request) = &mut **message else {
            return;
        };
        let permits = match &request.request {
            ClientRequest::CallToolRequest(call) if call.params.name == arguments::LIST => {
                LONG_ANSWER_PERMITS
            }
            ClientRequest::ReadResourceRequest(_) | ClientRequest::ListResourcesRequest(_) => {
                LONG_ANSWER_PERMITS
            }
            _ => 1,
        };
        // This can't fail, because the semaphore is never closed.
        let served = Arc::clone(&self.served);
        if let Ok(permits) = served.acquire_many_owned(permits).await {
            request.request.extensions_mut().insert(Arc::new(permits));
        }
    }

    fn refuse(&self, refused: &RefusedRequest) {
        warn!(id = %refused.id, fault = %refused.fault, "a request was refused without being read");
        // The line is written although the future is dropped. If writing fails, the session ends anyway.
        drop(self.output.queue(refused.line()));
    }
}

/// Adds this server's name and version to the `_meta` of a result (MCP specification 2026-07-28).
fn with_server_info(mut message: Json) -> Json {
    if let Some(Json::Object(result)) = message.get_mut("result") {
        let info = json!({ "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") });
        let meta = result.entry("_meta").or_insert_with(|| json!({}));
        if let Json::Object(meta) = meta {
            meta.insert("io.modelcontextprotocol/serverInfo".to_owned(), info);
        }
    }
    message
}

/// Returns true if a request begins a session. Up to protocol revision 2025-11-25, `initialize` begins the
/// session. Later revisions have no `initialize`, so a request with all required metadata begins the session.
/// `ping` and `server/discover` may precede the session, so they do not begin it.
fn begins_session(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => {
            let meta = other.get_meta();
            let is_known = meta
                .protocol_version()
                .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version));
            is_known && meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
        }
    }
}

impl<R: AsyncRead + Send + Unpin> Transport<RoleServer> for LineTransport<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let line = if self.is_stateless {
            serde_json::to_value(&message)
                .map(with_server_info)
                .and_then(|json| serde_json::to_vec(&json))
        } else {
            serde_json::to_vec(&message)
        };
        let written = line.map_err(io::Error::from).map(|line| self.output.queue(line));
        async move { written?.await }
    }

    /// Receives the next message. This is cancel safe, because partial lines and waiting items stay in `self`.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        // If rmcp can both send and receive, it chooses at random. Let rmcp send answers first. Otherwise requests in
        // a flood would be received faster than they are answered.
        yield_now().await;
        while self.wait_for_reader().await {
            self.wait_for_permits().await;
            match self.ready.pop_front() {
                Some(HostInput::Message(message)) if self.admit(&message) => {
                    return Some(*message);
                }
                Some(HostInput::Message(_)) => {
                    debug!("a message before the session's beginning is passed over");
                }
                Some(HostInput::Refused(refused)) => self.refuse(&refused),
                Some(HostInput::Unanswerable(why)) => warn!("a line on stdin was ignored: {why}"),
                None if self.read_line().await => {}
                None => break,
            }
        }
        self.ended.cancel();
        None
    }

    /// Accepts no more lines. [`Output`]'s task still writes the lines that were accepted before.
    async fn close(&mut self) -> Result<(), io::Error> {
        self.output.close();
        Ok(())
    }
}

//! The line transport between the host and the protocol library.
//!
//! The library's own passes over a line that it can't read, and whoever waits for the answer hangs.
//! Here every request whose id can be made out is answered, exactly once, and nothing that a host
//! sends ends the session.

pub mod messages;
mod output;
mod skim;

use std::collections::VecDeque;
use std::io;

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, GetMeta, JsonRpcMessage, ProtocolVersion};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, BufReader};
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

use crate::lines::RawLines;
use messages::{HostInput, LONGEST, RefusedRequest, RequestFault};
pub(super) use output::Output;
use skim::Skim;

/// What the host sends, read line by line.
pub(super) struct LineTransport<R> {
    lines: RawLines<BufReader<R>>,
    /// What could be made out so far of a line that is too long.
    skim: Skim,
    /// What was in the last line and is not handed on yet.
    ready: VecDeque<HostInput>,
    output: Output,
    /// Whether the host has begun a session.
    in_session: bool,
    /// Cancelled where the input ends: what waits for more from the host need not any longer.
    ended: CancellationToken,
}

impl<R: AsyncRead + Unpin> LineTransport<R> {
    pub fn new(reader: R, output: Output, ended: CancellationToken) -> Self {
        Self {
            lines: RawLines::new(BufReader::new(reader), LONGEST),
            skim: Skim::default(),
            ready: VecDeque::new(),
            output,
            in_session: false,
            ended,
        }
    }

    /// Whether a message may be handed on. Before a session the library takes anything but a
    /// request for the end.
    fn may_pass(&mut self, message: &RxJsonRpcMessage<RoleServer>) -> bool {
        if let JsonRpcMessage::Request(request) = message {
            self.in_session |= begins(&request.request);
            return true;
        }
        self.in_session
    }

    /// Reads the next line; false at the end of the input.
    async fn read_line(&mut self) -> bool {
        let skim = &mut self.skim;
        let line = match self.lines.next_with(|part| skim.feed(part)).await {
            Ok(Some(line)) => line,
            Ok(None) => return false,
            Err(error) => {
                warn!(%error, "stdin can't be read any more");
                return false;
            }
        };
        let skim = std::mem::take(&mut self.skim);
        self.ready = match (line.cut, line.ended) {
            (false, ended) => messages::read(&line.bytes, ended).into(),
            (true, true) => messages::refuse(skim, RequestFault::TooLong).into(),
            // A line that is too long and has no end is no line.
            (true, false) => VecDeque::new(),
        };
        true
    }

    fn refuse(&self, refused: &RefusedRequest) {
        warn!(id = %refused.id, fault = %refused.fault, "a request was refused unread");
        // Nobody is left to read it where this fails; the session ends by itself then.
        drop(self.output.say(refused.line()));
    }
}

/// Whether a request begins a session: by `initialize`, or by what every request of the revisions
/// without that carries. The questions that may come before don't.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => {
            let meta = other.get_meta();
            let known = meta
                .protocol_version()
                .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version));
            known
                && meta
                    .missing_required_keys(&ProtocolVersion::V_2026_07_28)
                    .is_empty()
        }
    }
}

impl<R: AsyncRead + Send + Unpin> Transport<RoleServer> for LineTransport<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let said = serde_json::to_vec(&message)
            .map_err(io::Error::from)
            .map(|line| self.output.say(line));
        async move { said?.await }
    }

    /// The next message. Loses nothing where it is dropped half-way: it waits for lines only, and
    /// those are kept.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            while let Some(input) = self.ready.pop_front() {
                match input {
                    HostInput::Message(message) if self.may_pass(&message) => {
                        return Some(*message);
                    }
                    HostInput::Message(_) => {
                        debug!("a message before the session's beginning is passed over");
                    }
                    HostInput::Refused(refused) => self.refuse(&refused),
                    HostInput::Nothing(why) => warn!("passed over on stdin: {why}"),
                }
            }
            if !self.read_line().await {
                self.ended.cancel();
                return None;
            }
        }
    }

    /// Takes nothing more to write. What was taken is written by [`Output`]'s task.
    async fn close(&mut self) -> Result<(), io::Error> {
        self.output.close();
        Ok(())
    }
}

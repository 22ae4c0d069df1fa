//! The `getNodes` reply, parsed as it arrives.
//!
//! A network of 4,000 nodes sends 100 MB. Each node is parsed as soon as its document is complete, and
//! reduced to what is used, so that only one document is in memory at a time.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::IgnoredAny;
use tracing::warn;

use super::{NodeDocument, to_timestamp};
use crate::gateway::protocol::payloads::ReplyDocument;
use crate::home::bounds;
use crate::home::model::ids::{NodeId, Timestamp};
use crate::home::model::node::Node;

/// The maximum length in bytes of a node's document, and of the reply without its nodes.
const MAX_PART: usize = 8 * 1024 * 1024;

/// The key of the list of nodes, in its quotes.
const NODES_KEY: &[u8] = b"\"result\"";

/// A complete `getNodes` reply.
#[derive(Debug)]
pub struct NodesReply {
    /// The request's id.
    pub id: Option<String>,
    /// The nodes, or the reason why there are none.
    pub nodes: Result<Nodes, String>,
}

/// The nodes of a `getNodes` reply.
#[derive(Debug, Default)]
pub struct Nodes {
    /// The nodes that could be parsed, by number.
    pub nodes: BTreeMap<NodeId, Arc<Node>>,
    /// The number of nodes that could not be parsed.
    pub unreadable: usize,
    /// The number of nodes that are over the bound. They are left out.
    pub left_out: usize,
    /// The latest time in the reply, which shows what the gateway's clock says.
    pub latest: Timestamp,
    /// True if the controller measures, so that the latest time is hardly older than the reply.
    pub is_measured: bool,
}

/// Parses a `getNodes` reply that arrives in parts. Tracks only strings and brackets; serde does the rest.
#[derive(Debug, Default)]
pub struct NodesReader {
    /// The reply without its nodes.
    frame: Vec<u8>,
    /// The document of the current node, as far as it has arrived.
    document: Vec<u8>,
    nodes: Nodes,
    /// The number of open brackets.
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
    is_in_nodes: bool,
    has_nodes: bool,
    is_too_large: bool,
}

impl NodesReply {
    /// Parses a reply that has arrived as a whole.
    ///
    /// # Errors
    /// Fails if [`NodesReader::finish`] does.
    pub fn read(payload: &[u8]) -> Result<Self, String> {
        let mut reader = NodesReader::default();
        reader.feed(payload);
        reader.finish()
    }
}

impl NodesReader {
    /// Processes the next part of the reply.
    pub fn feed(&mut self, mut part: &[u8]) {
        while !part.is_empty() {
            let plain = part.iter().position(|byte| self.is_significant(*byte));
            let (plain, rest) = part.split_at(plain.unwrap_or(part.len()));
            self.append(plain);
            let Some((byte, rest)) = rest.split_first() else {
                return;
            };
            self.process(*byte);
            part = rest;
        }
    }

    /// Returns the complete reply.
    ///
    /// # Errors
    /// Fails with the reason if the reply, apart from its nodes, is cut off, too large or not JSON.
    pub fn finish(self) -> Result<NodesReply, String> {
        let fault = match self.frame.as_slice() {
            [0xEF, 0xBB, 0xBF, ..] => "it begins with a byte order mark",
            [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] | [_, 0, ..] | [0, ..] => "it is not in UTF-8",
            _ if self.is_too_large => "it is too large",
            _ if self.depth > 0 || self.is_in_string => "it is cut off",
            _ => "",
        };
        if !fault.is_empty() {
            return Err(format!("its getNodes reply can't be read: {fault}"));
        }
        let frame: ReplyDocument<IgnoredAny> = match serde_json::from_slice(&self.frame) {
            Ok(frame) => frame,
            // JSON of another form is the reply to another client, whose request had another form.
            Err(error) if error.is_data() => {
                return Ok(NodesReply {
                    id: None,
                    nodes: Err("its reply can't be read".to_owned()),
                });
            }
            Err(error) => return Err(format!("its getNodes reply can't be read: {error}")),
        };
        let nodes = match (frame.success, &frame.result) {
            (true, Some(_)) if self.has_nodes => Ok(self.nodes),
            (true, Some(_)) => Err("its reply can't be read".to_owned()),
            (true, None) => Err("getNodes returned nothing".to_owned()),
            (false, _) => Err(frame.message.as_deref().unwrap_or_default().to_owned()),
        };
        let id = frame.request_id().map(str::to_owned);
        Ok(NodesReply { id, nodes })
    }

    /// Returns true for a byte that may change the reader's state.
    fn is_significant(&self, byte: u8) -> bool {
        match self.is_in_string {
            _ if self.is_escaped => true,
            true => matches!(byte, b'"' | b'\\'),
            false if byte == b',' => self.is_between_nodes(),
            false => matches!(byte, b'"' | b'{' | b'[' | b'}' | b']'),
        }
    }

    fn process(&mut self, byte: u8) {
        if self.is_in_string {
            self.is_in_string = self.is_escaped || byte != b'"';
            self.is_escaped = !self.is_escaped && byte == b'\\';
            return self.append(&[byte]);
        }
        match byte {
            b'"' => self.is_in_string = true,
            b'[' if self.depth == 1 && self.is_after_key() => {
                // This bracket still belongs to the frame.
                self.append(&[byte]);
                self.is_in_nodes = true;
                self.depth = 2;
                return;
            }
            b'{' | b'[' => self.depth += 1,
            b',' if self.is_between_nodes() => return self.end_document(),
            b'}' | b']' if self.is_between_nodes() => {
                self.end_document();
                self.is_in_nodes = false;
                self.has_nodes = true;
                self.depth = 1;
            }
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.append(&[byte]);
    }

    /// Returns true if the reader is inside the list of nodes, but not inside a node.
    fn is_between_nodes(&self) -> bool {
        self.is_in_nodes && self.depth == 2
    }

    /// Returns true if the reader has just read `NODES_KEY` and a colon.
    fn is_after_key(&self) -> bool {
        let frame = self.frame.trim_ascii_end().strip_suffix(b":");
        let before = frame.and_then(|frame| frame.trim_ascii_end().strip_suffix(NODES_KEY));
        // After a backslash, this is only the end of another key, such as `"x\"result"`.
        before.is_some_and(|before| before.last() != Some(&b'\\'))
    }

    fn append(&mut self, bytes: &[u8]) {
        let buffer = if self.is_in_nodes {
            &mut self.document
        } else {
            &mut self.frame
        };
        if buffer.len() + bytes.len() <= MAX_PART {
            buffer.extend_from_slice(bytes);
        } else {
            // These bytes are left out. A document without them hardly ever parses, and its node is lost. A
            // frame without them is useless, and the whole reply is lost.
            self.is_too_large |= !self.is_in_nodes;
        }
    }

    /// Parses the document that has just ended, if there is one.
    fn end_document(&mut self) {
        let document = self.document.trim_ascii();
        if document.is_empty() {
            return;
        }
        if self.nodes.nodes.len() >= bounds::NODES {
            self.nodes.left_out += 1;
            return self.document.clear();
        }
        match serde_json::from_slice::<NodeDocument>(document) {
            Ok(document) => {
                let measured = to_timestamp(document.statistics.background.timestamp);
                let node = Node::from(document);
                self.nodes.is_measured |= measured.is_some();
                let reports = node.last_reports.iter().map(|(_, at)| *at);
                let times = reports.chain(node.last_active).chain(measured);
                self.nodes.latest = times.fold(self.nodes.latest, Timestamp::max);
                self.nodes.nodes.insert(node.id, Arc::new(node));
            }
            Err(error) => {
                self.nodes.unreadable += 1;
                warn!(%error, "a node can't be read and is left out");
            }
        }
        self.document.clear();
    }
}

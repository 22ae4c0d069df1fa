//! The `getNodes` reply, read as it arrives.
//!
//! A house of 4,000 nodes sends 100 MB. Each node is read as soon as it is whole and cut down to what
//! is used, so that only one document at a time needs its room.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::IgnoredAny;
use tracing::warn;

use super::NodeDocument;
use crate::gateway::protocol::payloads::ReplyDocument;
use crate::home::model::ids::NodeId;
use crate::home::model::node::Node;

/// The maximum length of a node's document, and of the reply around the nodes, in bytes.
const MAX_PART: usize = 8 * 1024 * 1024;

/// The field with the list of nodes.
const NODES: &[u8] = b"\"result\"";

/// A whole `getNodes` reply.
#[derive(Debug)]
pub struct NodesReply {
    /// The id that the request carried.
    pub id: Option<String>,
    /// The nodes, or the gateway's words if it returned none.
    pub nodes: Result<Nodes, String>,
}

/// The nodes of a `getNodes` reply.
#[derive(Debug, Default)]
pub struct Nodes {
    /// Those that could be read, by their number.
    pub nodes: BTreeMap<NodeId, Arc<Node>>,
    /// The number of those that could not.
    pub unreadable: usize,
}

/// Takes in a `getNodes` reply, part by part. It follows the brackets and leaves all else to serde.
#[derive(Debug, Default)]
pub struct NodesReader {
    /// The reply without its nodes.
    frame: Vec<u8>,
    /// The node that is being read.
    document: Vec<u8>,
    nodes: Nodes,
    /// The number of brackets that are open.
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    in_nodes: bool,
    has_nodes: bool,
    is_too_large: bool,
}

impl NodesReply {
    /// Reads a whole reply; returns `None` if it is not JSON.
    pub fn read(payload: &[u8]) -> Option<Self> {
        let mut reader = NodesReader::default();
        reader.feed(payload);
        reader.finish()
    }
}

impl NodesReader {
    /// Takes in the next part.
    pub fn feed(&mut self, mut part: &[u8]) {
        while !part.is_empty() {
            let plain = part.iter().position(|byte| self.matters(*byte));
            let (plain, rest) = part.split_at(plain.unwrap_or(part.len()));
            self.keep(plain);
            let Some((byte, rest)) = rest.split_first() else {
                return;
            };
            self.take(*byte);
            part = rest;
        }
    }

    /// Returns the reply once all of it was taken in; `None` if it is not JSON.
    pub fn finish(self) -> Option<NodesReply> {
        if self.depth > 0 || self.in_string || self.is_too_large {
            return None;
        }
        let frame: ReplyDocument<IgnoredAny> = serde_json::from_slice(&self.frame).ok()?;
        let nodes = match (frame.success, &frame.result) {
            (true, Some(_)) if self.has_nodes => Ok(self.nodes),
            (true, Some(_)) => Err("its reply can't be read".to_owned()),
            (true, None) => Err("getNodes returned nothing".to_owned()),
            (false, _) => Err(frame.message.as_deref().unwrap_or_default().to_owned()),
        };
        let id = frame.request_id().map(str::to_owned);
        Some(NodesReply { id, nodes })
    }

    /// Returns true for a byte that may change the state of the reader.
    fn matters(&self, byte: u8) -> bool {
        match self.in_string {
            _ if self.is_escaped => true,
            true => matches!(byte, b'"' | b'\\'),
            false if byte == b',' => self.is_between_nodes(),
            false => matches!(byte, b'"' | b'{' | b'[' | b'}' | b']'),
        }
    }

    fn take(&mut self, byte: u8) {
        if self.in_string {
            self.in_string = self.is_escaped || byte != b'"';
            self.is_escaped = !self.is_escaped && byte == b'\\';
            return self.keep(&[byte]);
        }
        match byte {
            b'"' => self.in_string = true,
            b'[' if self.depth == 1 && self.is_after_key() => {
                self.keep(&[byte]);
                self.in_nodes = true;
                self.depth = 2;
                return;
            }
            b'{' | b'[' => self.depth += 1,
            b',' if self.is_between_nodes() => return self.end_document(),
            b'}' | b']' if self.is_between_nodes() => {
                self.end_document();
                self.in_nodes = false;
                self.has_nodes = true;
                self.depth = 1;
            }
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.keep(&[byte]);
    }

    fn is_between_nodes(&self) -> bool {
        self.in_nodes && self.depth == 2
    }

    /// Returns true if the key of the nodes and its colon were read last.
    fn is_after_key(&self) -> bool {
        let frame = self.frame.trim_ascii_end().strip_suffix(b":");
        let before = frame.and_then(|frame| frame.trim_ascii_end().strip_suffix(NODES));
        // A backslash before it belongs to another key, such as "x\"result".
        before.is_some_and(|before| before.last() != Some(&b'\\'))
    }

    fn keep(&mut self, bytes: &[u8]) {
        let part = if self.in_nodes {
            &mut self.document
        } else {
            &mut self.frame
        };
        if part.len() + bytes.len() <= MAX_PART {
            part.extend_from_slice(bytes);
        } else {
            // A document that is cut off can't be read, so only its node is lost.
            self.is_too_large |= !self.in_nodes;
        }
    }

    /// Reads the document that is complete now, if there is one.
    fn end_document(&mut self) {
        let document = self.document.trim_ascii();
        if document.is_empty() {
            return;
        }
        match serde_json::from_slice::<NodeDocument>(document) {
            Ok(document) => {
                let node = Node::from(document);
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

//! Calls that wait for news of one node, each woken by that node alone.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::home::model::ids::NodeId;

/// Who listens to which node.
#[derive(Debug, Default)]
pub struct Listeners(Mutex<HashMap<NodeId, watch::Sender<()>>>);

impl Listeners {
    fn nodes(&self) -> MutexGuard<'_, HashMap<NodeId, watch::Sender<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes whenever the node's status may have.
    pub fn listen(&self, node: NodeId) -> watch::Receiver<()> {
        let mut nodes = self.nodes();
        nodes.retain(|_, sender| sender.receiver_count() > 0);
        nodes.entry(node).or_default().subscribe()
    }

    /// Something was reported of a node.
    pub fn tell(&self, node: NodeId) {
        if let Some(sender) = self.nodes().get(&node) {
            sender.send_replace(());
        }
    }

    /// Something was reported that may concern every node.
    pub fn tell_all(&self) {
        for sender in self.nodes().values() {
            sender.send_replace(());
        }
    }
}

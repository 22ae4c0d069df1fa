//! Which write to a value is the latest.

use std::collections::HashMap;

use crate::home::ids::{NodeId, SiteId, ValueId};

/// How many writes to a value were seen, ours and others': a write that is no longer the latest was
/// replaced.
#[derive(Debug, Default)]
pub struct Writes {
    counts: HashMap<(SiteId, NodeId, ValueId), u64>,
}

impl Writes {
    /// Counts a write; its number among the writes to that value.
    pub fn count(&mut self, site: SiteId, node: NodeId, id: &ValueId) -> u64 {
        let count = self.counts.entry((site, node, id.clone())).or_default();
        *count += 1;
        *count
    }

    /// Whether a later write was seen.
    pub fn replaced(&self, site: SiteId, node: NodeId, id: &ValueId, number: u64) -> bool {
        self.counts
            .get(&(site, node, id.clone()))
            .is_some_and(|latest| *latest > number)
    }
}

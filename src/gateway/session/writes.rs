//! Which write to a value is the latest.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::home::model::ids::{NodeId, ValueId};

type Key = (NodeId, ValueId);

/// How many writes were seen, ours and others', to each value that a call of ours still watches.
#[derive(Clone, Debug, Default)]
pub struct Writes(Arc<Mutex<HashMap<Key, Count>>>);

#[derive(Debug, Default)]
struct Count {
    seen: u64,
    watching: usize,
}

/// A write of ours, as long as somebody wants to know whether a later one took its place.
#[derive(Debug)]
pub struct Watched {
    writes: Writes,
    key: Key,
    number: u64,
}

impl Writes {
    fn counts(&self) -> MutexGuard<'_, HashMap<Key, Count>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A write of ours goes out: to be called before it is sent, so that whatever is seen later is
    /// later.
    pub fn watch(&self, node: NodeId, id: &ValueId) -> Watched {
        let key = (node, id.clone());
        let mut counts = self.counts();
        let count = counts.entry(key.clone()).or_default();
        count.seen += 1;
        count.watching += 1;
        Watched {
            writes: self.clone(),
            number: count.seen,
            key,
        }
    }

    /// Another client wrote.
    pub fn seen(&self, node: NodeId, id: &ValueId) {
        if let Some(count) = self.counts().get_mut(&(node, id.clone())) {
            count.seen += 1;
        }
    }
}

impl Watched {
    /// Whether a later write was seen.
    pub fn replaced(&self) -> bool {
        let counts = self.writes.counts();
        let count = counts.get(&self.key);
        count.is_some_and(|count| count.seen > self.number)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let mut counts = self.writes.counts();
        if let Some(count) = counts.get_mut(&self.key) {
            count.watching -= 1;
            if count.watching == 0 {
                counts.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home::model::ids::CommandClass;

    #[test]
    fn a_later_write_replaces_an_earlier_one_and_nothing_is_kept_when_nobody_watches() {
        let writes = Writes::default();
        let id = ValueId::new(CommandClass::BINARY_SWITCH, 0, "targetValue");
        writes.seen(NodeId(3), &id);
        let first = writes.watch(NodeId(3), &id);
        assert!(!first.replaced());
        let second = writes.watch(NodeId(3), &id);
        assert!(first.replaced() && !second.replaced());
        writes.seen(NodeId(3), &id);
        assert!(second.replaced());
        drop((first, second));
        assert!(writes.counts().is_empty());
    }
}

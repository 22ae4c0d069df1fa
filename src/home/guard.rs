//! Unlocking a lock and opening a garage door or gate, on every path there is.
//!
//! A plan can't be performed as it is: it has to be cleared here, and what needs leave is told by
//! the write itself, never by the word that led to it. Locking and closing are never guarded.

use std::collections::BTreeSet;

use super::house::House;
use super::ids::{CommandClass as Cc, NodeId};
use super::kind::{Kind, kind_of};
use super::node::Node;
use super::plan::{Planned, Write};
use super::value::Reading;

/// What is done about guarded writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Guard {
    /// They are refused.
    #[default]
    Deny,
    /// The person at the host is asked.
    Confirm,
    /// They are done.
    Allow,
}

/// A plan that may be performed. Only this module makes one.
#[derive(Clone, Debug, PartialEq)]
pub struct Cleared(Planned);

impl Cleared {
    /// The plan.
    pub fn planned(&self) -> &Planned {
        &self.0
    }
}

/// A plan needs leave, and has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guarded;

impl Guard {
    /// Lets a plan pass if nothing in it is guarded, or if guarded writes are allowed. A write to a
    /// node that the house does not know is guarded like any write that opens: nothing says that
    /// it does not.
    pub fn clear(self, planned: Planned, house: &House) -> Result<Cleared, Guarded> {
        match self {
            Self::Deny | Self::Confirm if guards(&planned, house) => Err(Guarded),
            _ => Ok(Cleared(planned)),
        }
    }
}

/// Whether any write of a plan is guarded.
pub fn guards(planned: &Planned, house: &House) -> bool {
    !opened_by(planned, house).is_empty()
}

/// The nodes that a plan has guarded writes for, each once.
pub fn opened_by(planned: &Planned, house: &House) -> BTreeSet<NodeId> {
    let writes = planned.plan.writes().into_iter();
    let guarded = writes.filter(|(node, write)| match house.node(planned.site, *node) {
        Some(node) => is_guarded(write, node),
        None => matches!(
            write.target.class,
            Cc::DOOR_LOCK | Cc::LOCK | Cc::BARRIER_OPERATOR
        ),
    });
    guarded.map(|(node, _)| node).collect()
}

/// Whether a write would unlock a lock or open a garage door or gate. Everything on such an
/// endpoint that is not plainly shutting it counts.
pub fn is_guarded(write: &Write, node: &Node) -> bool {
    let shuts = match (write.target.class, &write.value) {
        (Cc::DOOR_LOCK, Reading::Number(mode)) => *mode == 255.0,
        (Cc::LOCK, Reading::Bool(locked)) => *locked,
        (_, Reading::Number(position)) => *position == 0.0,
        (_, Reading::Bool(on)) => !*on,
        _ => false,
    };
    let barring =
        |kind: Option<Kind>| matches!(kind, Some(Kind::Lock | Kind::GarageDoor | Kind::Gate));
    // A relay on another endpoint of such a node may be what moves the door.
    let mut kinds = node
        .classes
        .iter()
        .map(|(endpoint, _)| kind_of(node, *endpoint));
    let barred = match write.target.class {
        Cc::DOOR_LOCK | Cc::LOCK | Cc::BARRIER_OPERATOR => true,
        Cc::BASIC | Cc::BINARY_SWITCH | Cc::MULTILEVEL_SWITCH => kinds.any(barring),
        _ => false,
    };
    let lock = kind_of(node, write.target.endpoint) == Some(Kind::Lock);
    let relay_of_a_lock = lock && !matches!(write.target.class, Cc::DOOR_LOCK | Cc::LOCK);
    barred && (!shuts || relay_of_a_lock)
}

//! Unlocking a lock and opening a garage door or gate, on every path there is; also by a relay whose
//! name says that it does.
//!
//! A plan can't be performed as it is: it has to be cleared here, and the write itself decides what
//! needs permission, never the word that led to it. Locking and closing are never guarded.

use std::collections::BTreeSet;

use super::device::Opening;
use super::house::House;
use super::kind::{Kind, kind_of};
use super::model::ids::{CommandClass as Cc, DeviceId, GatewayName, NodeId, Thing};
use super::model::node::Node;
use super::model::value::{Reading, Write};
use super::plan::{Plan, Planned};

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

impl Guard {
    /// Every setting, the strictest first.
    pub const ALL: [Self; 3] = [Self::Deny, Self::Confirm, Self::Allow];

    /// What it is called in the settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Confirm => "confirm",
            Self::Allow => "allow",
        }
    }
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

/// A plan needs permission, and has none.
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

/// The nodes that a plan has guarded writes for, each once; a scene or group that its owner guards
/// counts with all of its nodes.
pub fn opened_by(planned: &Planned, house: &House) -> BTreeSet<NodeId> {
    let owned = owner_guards(planned, house);
    let writes = planned.plan.writes().into_iter();
    let guarded = writes.filter(|(node, write)| {
        let barrier = || match house.node(&planned.gateway, *node) {
            Some(known) => is_guarded(write, known),
            None => is_barrier(write.target.class),
        };
        owned || barrier() || opens_by_name(house, &planned.gateway, *node, write)
    });
    guarded.map(|(node, _)| node).collect()
}

/// Whether a class is that of a lock or a barrier, whatever node it is on.
fn is_barrier(class: Cc) -> bool {
    matches!(class, Cc::DOOR_LOCK | Cc::LOCK | Cc::BARRIER_OPERATOR)
}

/// Whether the plan is for a scene or group that its owner guards.
fn owner_guards(planned: &Planned, house: &House) -> bool {
    let thing = match &planned.plan {
        Plan::Scene { id, .. } => Thing::Scene(*id),
        Plan::Group { node, .. } => Thing::Node {
            node: *node,
            endpoint: 0,
        },
        Plan::Direct(_) | Plan::Toggle { .. } | Plan::Adjust(_) => return false,
    };
    let gateway = planned.gateway.clone();
    let device = house.device(&DeviceId { gateway, thing });
    device.is_some_and(|device| device.opening.is_some())
}

/// Whether a write reaches what opens something by its name, or by its owner's word for it: what is
/// written to a node as a whole reaches all of it.
fn opens_by_name(house: &House, gateway: &GatewayName, node: NodeId, write: &Write) -> bool {
    let mut devices = house.devices().iter();
    devices.any(|device| {
        let reached = device.endpoint == write.target.endpoint
            || write.target.endpoint == 0
            || (device.part_of.is_none() && device.opening == Some(Opening::Owner));
        let here = device.id.gateway == *gateway && device.id.node() == Some(node);
        let by_name = !matches!(device.opening, None | Some(Opening::Barrier));
        here && reached && by_name && !(device.kind.opens() && shuts(write))
    })
}

/// Returns true if a write only closes or stops what opens and closes.
fn shuts(write: &Write) -> bool {
    match &write.value {
        Reading::Number(position) => *position == 0.0,
        Reading::Bool(on) => !*on,
        _ => false,
    }
}

/// Whether a write would unlock a lock or open a garage door or gate. Everything on such an
/// endpoint that is not plainly shutting it counts.
pub fn is_guarded(write: &Write, node: &Node) -> bool {
    let shuts = match (write.target.class, &write.value) {
        (Cc::DOOR_LOCK, Reading::Number(mode)) => *mode == 255.0,
        (Cc::LOCK, Reading::Bool(locked)) => *locked,
        _ => shuts(write),
    };
    let barring = |kind: Option<Kind>| kind.is_some_and(Kind::is_barrier);
    // A relay on another endpoint of such a node may be what moves the door.
    let mut kinds = node
        .classes
        .iter()
        .map(|(endpoint, _)| kind_of(node, *endpoint));
    let barred = match write.target.class {
        class if is_barrier(class) => true,
        Cc::BASIC | Cc::BINARY_SWITCH | Cc::MULTILEVEL_SWITCH => kinds.any(barring),
        _ => false,
    };
    let lock = kind_of(node, write.target.endpoint) == Some(Kind::Lock);
    let relay_of_a_lock = lock && !matches!(write.target.class, Cc::DOOR_LOCK | Cc::LOCK);
    barred && (!shuts || relay_of_a_lock)
}

//! Guards each write that may unlock a lock, open a garage door or gate, or switch a relay that seems to open
//! something.
//!
//! Only a plan that is cleared here can be performed. Whether a plan needs permission depends on its writes,
//! never on the caller's words. Locking and closing are not guarded. Some relays are guarded because of their
//! names, their rooms or the owner's setting. Switching such a relay off is guarded, too, because that
//! may open something.

use serde::{Deserialize, Serialize};

use super::device::GuardReason;
use super::house::House;
use super::kind::{Kind, kind_by_class};
use super::model::ids::{CommandClass as Cc, DeviceId, GatewayName, NodeId, Thing};
use super::model::node::Node;
use super::model::value::{Reading, SECURED, Write};
use super::plan::{Plan, Planned};
use super::product::is_exchanged;

named_enum! {
    /// The setting for guarded writes, the strictest first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Guard {
        /// Refuse them.
        #[default]
        Deny = "deny",
        /// Ask the person at the host.
        Confirm = "confirm",
        /// Allow them.
        Allow = "allow",
    }
}

impl Guard {
    /// Clears the plan if it needs no permission, or if guarded writes are allowed. Otherwise returns `None`.
    pub fn clear(self, planned: Planned, house: &House) -> Option<Cleared> {
        let is_allowed = self == Self::Allow || !needs_permission(&planned, house);
        is_allowed.then_some(Cleared(planned))
    }
}

/// A plan that may be performed. Only this module can make one.
#[derive(Clone, Debug, PartialEq)]
pub struct Cleared(Planned);

impl Cleared {
    /// Returns the plan.
    pub fn planned(&self) -> &Planned {
        &self.0
    }
}

/// Returns true if any write of a plan is guarded. If the plan is for a scene or group that the owner guards, all its
/// writes are.
pub fn needs_permission(planned: &Planned, house: &House) -> bool {
    let is_owner_guarded = is_owner_guarded(planned, house);
    planned.plan.writes().into_iter().any(|(node, write)| {
        let opens_barrier = || match house.node(&planned.gateway, node) {
            Some(node) => is_guarded(write, node),
            // For an unknown node, the command class alone decides.
            None => is_barrier(write.target.class),
        };
        is_owner_guarded
            || opens_barrier()
            || reaches_guarded_device(house, &planned.gateway, node, write)
    })
}

/// Returns true for the command classes of locks, garage doors and gates.
fn is_barrier(class: Cc) -> bool {
    matches!(class, Cc::DOOR_LOCK | Cc::LOCK | Cc::BARRIER_OPERATOR)
}

/// Returns true if a plan is for a scene or group that the owner guards.
fn is_owner_guarded(planned: &Planned, house: &House) -> bool {
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
    device.is_some_and(|device| device.guard_reason.is_some())
}

/// Returns true if a write reaches a device that is guarded because of its name, its room or the owner's
/// setting. A write that clearly shuts the device does not count. A write to endpoint 0 reaches all devices
/// of the node. A write to any endpoint reaches the device of the whole node if the owner guards that device.
fn reaches_guarded_device(
    house: &House,
    gateway: &GatewayName,
    node: NodeId,
    write: &Write,
) -> bool {
    house.devices().iter().any(|device| {
        let is_of_node = device.id.gateway == *gateway && device.id.node() == Some(node);
        let is_reached = device.endpoint == write.target.endpoint
            || write.target.endpoint == 0
            || (device.part_of.is_none() && device.guard_reason == Some(GuardReason::Owner));
        let is_guarded_both_ways =
            !matches!(device.guard_reason, None | Some(GuardReason::Barrier));
        // Nobody knows what switching the relay of a door does, even if the gateway calls it a door opener.
        let is_relay_of_door = device.guard_reason == Some(GuardReason::Product)
            && write.target.class == Cc::BINARY_SWITCH;
        let is_exchanged = house.node(gateway, node).is_some_and(is_exchanged);
        let clearly_shuts =
            device.kind.opens_and_closes() && !is_relay_of_door && shuts(write) != is_exchanged;
        is_of_node && is_reached && is_guarded_both_ways && !clearly_shuts
    })
}

/// Returns true if the written value closes or stops a device, provided that the device opens and closes.
fn shuts(write: &Write) -> bool {
    match &write.value {
        Reading::Number(position) => *position == 0.0,
        Reading::Bool(on) => !*on,
        _ => false,
    }
}

/// Returns true if a write may unlock a lock, or open a garage door or gate. Every write to such a device, or
/// to a relay of its node, counts unless the write clearly locks or shuts. A write to a relay on the endpoint
/// of a lock always counts.
pub fn is_guarded(write: &Write, node: &Node) -> bool {
    let locks_or_shuts = match (write.target.class, &write.value) {
        (Cc::DOOR_LOCK, Reading::Number(mode)) => *mode == SECURED,
        (Cc::LOCK, Reading::Bool(locked)) => *locked,
        _ => shuts(write),
    };
    let may_move_barrier = match write.target.class {
        class if is_barrier(class) => true,
        // The relay may be on another endpoint than the barrier that it moves.
        Cc::BASIC | Cc::BINARY_SWITCH | Cc::MULTILEVEL_SWITCH => node
            .classes
            .iter()
            .any(|(endpoint, _)| kind_by_class(node, *endpoint).is_some_and(Kind::is_barrier)),
        _ => false,
    };
    // Switching such a relay on may unlock the lock, and so may switching it off.
    let is_lock = kind_by_class(node, write.target.endpoint) == Some(Kind::Lock);
    let is_relay_of_lock = is_lock && !matches!(write.target.class, Cc::DOOR_LOCK | Cc::LOCK);
    may_move_barrier && (!locks_or_shuts || is_relay_of_lock)
}

//! Changes: found by comparing a node with its earlier state, kept, and explained by reports.

use zwave_mcp_server::home::changes::{Actor, Change, Changes, MAX_CHANGES, find_changes};
use zwave_mcp_server::home::endpoints::devices_of_node;
use zwave_mcp_server::home::fact::Fact;
use zwave_mcp_server::home::model::ids::{DeviceId, NodeId, Timestamp};
use zwave_mcp_server::home::model::node::{Node, NodeStatus};
use zwave_mcp_server::home::model::quantity::Percent;
use zwave_mcp_server::home::model::snapshot::Snapshot;

use crate::houses::captured_snapshot;

/// Raises every endpoint number of a node by one, so that endpoint 0 has nothing.
fn raise_endpoints(node: &Node) -> Node {
    let mut node = node.clone();
    for value in &mut node.values {
        value.id.endpoint += 1;
    }
    for (endpoint, _) in &mut node.classes {
        *endpoint += 1;
    }
    for endpoint in &mut node.endpoints {
        endpoint.index += 1;
    }
    node
}

#[test]
fn a_node_that_stops_responding_is_reported_if_and_only_if_it_has_devices() {
    let Snapshot { gateway, nodes, .. } = captured_snapshot();
    let nodes = nodes.values().flat_map(|node| [Node::clone(node), raise_endpoints(node)]);
    for node in nodes {
        let [alive, dead] = [NodeStatus::Alive, NodeStatus::Dead].map(|status| Node {
            status,
            ..node.clone()
        });
        let changes = find_changes(&gateway, &alive, &dead, Timestamp(0), None, |_, _| None);
        let is_silence = changes.iter().any(|change| change.after == Fact::Responding(false));
        let has_devices = !devices_of_node(&gateway, &node).is_empty();
        assert_eq!(
            is_silence, has_devices,
            "{} {:?}",
            node.name, node.endpoints
        );
    }
}

fn device() -> DeviceId {
    DeviceId::endpoint("x".into(), NodeId(3), 0)
}

fn change(seconds: u64, before: Fact, after: Fact) -> Change {
    Change {
        number: 0,
        device: device(),
        at: Timestamp(seconds * 1000),
        not_before: None,
        before,
        after,
        by: None,
    }
}

fn level(percent: u8) -> Fact {
    Fact::Level(Percent::new(percent.into()).unwrap())
}

#[test]
fn a_fading_lamp_is_one_change() {
    let mut changes = Changes::default();
    changes.add(change(0, Fact::Switched(false), level(5)));
    for step in 1..10 {
        let seconds = u64::from(step);
        changes.add(change(seconds, level(step * 5), level(step * 5 + 5)));
    }
    let kept: Vec<_> = changes.latest_first().collect();
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].before, Fact::Switched(false));
    assert_eq!(kept[0].after, level(50));
    assert_eq!(kept[0].number, 10);
    changes.add(change(60, level(50), level(40)));
    assert_eq!(changes.latest_first().count(), 2);
}

#[test]
fn opening_and_closing_a_door_are_two_changes() {
    let mut changes = Changes::default();
    changes.add(change(0, Fact::Open(false), Fact::Open(true)));
    changes.add(change(1, Fact::Open(true), Fact::Open(false)));
    assert_eq!(changes.latest_first().count(), 2);
    let closed = changes.change_to(&device(), &Fact::Open(false)).unwrap();
    assert_eq!(closed.at, Timestamp(1000));
    assert!(changes.change_to(&device(), &Fact::Open(true)).is_none());
}

#[test]
fn the_last_five_hundred_changes_are_kept() {
    let mut changes = Changes::default();
    for second in 0..2 * MAX_CHANGES as u64 {
        let on = second % 2 == 0;
        changes.add(change(second, Fact::Switched(!on), Fact::Switched(on)));
    }
    assert_eq!(changes.latest_first().count(), MAX_CHANGES);
    let latest = changes.latest_first().next().unwrap();
    assert_eq!(latest.number, 2 * MAX_CHANGES as u64);
}

#[test]
fn the_actor_that_a_lock_reports_is_recorded_but_radio_does_not_replace_this_server() {
    let mut changes = Changes::default();
    let mut unlocked = change(0, Fact::Locked(true), Fact::Locked(false));
    unlocked.by = Some(Actor::Server);
    changes.add(unlocked);
    let by = |changes: &Changes| changes.latest_first().next().unwrap().by;
    let unlocked = Fact::Locked(false);
    let steps = [
        (Actor::Radio, 1000, Actor::Server),
        (Actor::Keypad(Some(3)), 2000, Actor::Keypad(Some(3))),
        (Actor::Hand, 2500, Actor::Keypad(Some(3))),
    ];
    for (reported, at, expected) in steps {
        changes.set_actor(&device(), &unlocked, reported, Timestamp(at));
        assert_eq!(by(&changes), Some(expected));
    }
}

#[test]
fn a_report_explains_only_the_act_that_it_reports() {
    let mut changes = Changes::default();
    changes.add(change(0, Fact::Locked(true), Fact::Locked(false)));
    changes.add(change(1, Fact::Locked(false), Fact::Locked(true)));
    let (locked, unlocked) = (Fact::Locked(true), Fact::Locked(false));
    let keypad = Actor::Keypad(Some(7));
    assert!(!changes.set_actor(&device(), &unlocked, keypad, Timestamp(1500)));
    assert!(!changes.set_actor(&device(), &locked, keypad, Timestamp(6000)));
    assert!(changes.latest_first().all(|change| change.by.is_none()));
    assert!(changes.set_actor(&device(), &locked, keypad, Timestamp(2000)));
}

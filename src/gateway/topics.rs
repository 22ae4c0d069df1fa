//! zwave-js-ui's topics: what a topic is about, and which value it belongs to.
//!
//! The rules are zwave-js-ui's own (captures, section 4 and `topic_sanitising.json`). A gateway
//! does not say how it is set up, so every way to spell a node is known here at once; what two
//! nodes could both be meant by is never taken for either.

use std::collections::HashMap;

use crate::home::ids::{CommandClass, NodeId, Part, ValueId};
use crate::home::node::Node;

/// What a topic is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route<'a> {
    /// `_CLIENTS/ZWAVE_GATEWAY-<name>/status`.
    GatewayStatus(&'a str),
    /// `_CLIENTS/ZWAVE_GATEWAY-<name>/api/<api>`: a reply, to whomever.
    Reply(&'a str, &'a str),
    /// `_CLIENTS/ZWAVE_GATEWAY-<name>/api/<api>/set`: a request, by whomever.
    Request(&'a str, &'a str),
    /// Anything else of a gateway.
    Gateway(&'a str),
    /// `_EVENTS/ZWAVE_GATEWAY-<name>/<source>/<event>`.
    Event(&'a str, &'a str),
    /// `driver/status`; does not say whose.
    DriverStatus,
    /// A node's topic, or its value's: the path below the prefix.
    House(&'a str),
    /// Nothing that is used.
    Other,
}

/// Reads a topic under a prefix.
pub fn route<'a>(prefix: &str, topic: &'a str) -> Route<'a> {
    let Some(path) = topic
        .strip_prefix(prefix)
        .and_then(|rest| rest.strip_prefix('/'))
    else {
        return Route::Other;
    };
    if path == "driver/status" {
        return Route::DriverStatus;
    }
    if let Some(rest) = path.strip_prefix("_CLIENTS/ZWAVE_GATEWAY-") {
        let (name, rest) = rest.split_once('/').unwrap_or((rest, ""));
        let levels: Vec<&str> = rest.split('/').collect();
        return match levels.as_slice() {
            ["status"] => Route::GatewayStatus(name),
            ["api", api] => Route::Reply(name, api),
            ["api", api, "set"] => Route::Request(name, api),
            // Somebody asks; it says nothing of whether there is such a gateway.
            [.., "set"] => Route::Other,
            _ => Route::Gateway(name),
        };
    }
    // The documentation writes `_EVENTS_`, the program `_EVENTS` (captures, section 6).
    let events = path
        .strip_prefix("_EVENTS/ZWAVE_GATEWAY-")
        .or_else(|| path.strip_prefix("_EVENTS_/ZWAVE_GATEWAY-"));
    if let Some(rest) = events {
        return match rest.split_once('/') {
            Some((name, event)) => Route::Event(name, event),
            None => Route::Other,
        };
    }
    if path.starts_with('_') || path.ends_with("/set") || path.is_empty() {
        return Route::Other;
    }
    Route::House(path)
}

/// The topic of a gateway's API call.
pub fn request(prefix: &str, gateway: &str, api: &str) -> String {
    format!("{prefix}/_CLIENTS/ZWAVE_GATEWAY-{gateway}/api/{api}/set")
}

/// A name or location as it stands in topics: white space becomes `_`, and what is no ASCII letter
/// or digit, `-`, `_`, `/` or Latin-1 letter is dropped.
pub fn sanitised(text: &str) -> String {
    text.chars()
        .filter_map(|letter| match letter {
            letter if letter.is_whitespace() => Some('_'),
            'A'..='Z' | 'a'..='z' | '0'..='9' | '-' | '_' | '/' => Some(letter),
            'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ÿ' => Some(letter),
            _ => None,
        })
        .collect()
}

/// A property or property key in topics: a `/` in it makes no level.
fn sanitised_part(part: &Part) -> String {
    sanitised(&part.to_string().replace('/', "-"))
}

/// Which value of a node the last levels of a topic name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tail<'a> {
    class: CommandClass,
    endpoint: u8,
    property: &'a str,
    key: Option<&'a str>,
}

impl<'a> Tail<'a> {
    /// Reads `<class>/<endpoint>/<property>[/<key>]`, with the class and endpoint by name
    /// (`switch_binary/endpoint_0`) or by number (`37/0`).
    fn read(levels: &[&'a str]) -> Option<Self> {
        let (class, endpoint, property, key) = match *levels {
            [class, endpoint, property] => (class, endpoint, property, None),
            [class, endpoint, property, key] => (class, endpoint, property, Some(key)),
            _ => return None,
        };
        let (class, endpoint) = match endpoint.strip_prefix("endpoint_") {
            Some(endpoint) => (class_named(class)?, endpoint),
            None => (CommandClass(class.parse().ok()?), endpoint),
        };
        Some(Self {
            class,
            endpoint: endpoint.parse().ok()?,
            property,
            key,
        })
    }

    fn names(&self, id: &ValueId) -> bool {
        id.class == self.class
            && id.endpoint == self.endpoint
            && sanitised_part(&id.property) == self.property
            && id.key.as_ref().map(sanitised_part).as_deref() == self.key
    }
}

/// What a topic below the prefix belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A value that is kept.
    Value(NodeId, ValueId),
    /// A node itself: its status, when it was last active.
    Node(NodeId),
    /// Known, and of no interest: bookkeeping values, a node's description.
    Known,
    /// Several nodes could be meant.
    Ambiguous,
    /// Nothing that is known: a new node, a new name, or what is left of an old one.
    Unmatched,
}

/// The ways to spell a node in topics, by zwave-js-ui's settings: by name or by number, with its
/// location or without (`nodeNames`, `ignoreLoc`).
const LAYOUTS: [(bool, bool); 4] = [(true, true), (true, false), (false, true), (false, false)];

/// How the nodes of one gateway are spelled in its topics, in every layout there is. Topics that
/// fit only one layout teach which one the gateway uses.
#[derive(Debug, Default)]
pub struct Spellings {
    layouts: [HashMap<String, Vec<NodeId>>; LAYOUTS.len()],
    seen: [u32; LAYOUTS.len()],
}

impl Spellings {
    /// The spellings of these nodes; what was learnt about the layout stays.
    pub fn respell<'a>(&mut self, nodes: impl Iterator<Item = &'a Node> + Clone) {
        for ((by_name, with_room), layout) in LAYOUTS.iter().zip(&mut self.layouts) {
            layout.clear();
            for node in nodes.clone() {
                let own = match (by_name, node.name.is_empty()) {
                    (true, false) => sanitised(&node.name),
                    (true, true) => format!("nodeID_{}", node.id),
                    (false, _) => node.id.to_string(),
                };
                let spelling = if *with_room && !node.room.is_empty() {
                    format!("{}/{own}", sanitised(&node.room))
                } else {
                    own
                };
                layout.entry(spelling).or_default().push(node.id);
            }
        }
    }

    /// The node that a spelling means; several where it could be any of them, none where it is
    /// unknown.
    fn find(&mut self, spelling: &str) -> Vec<NodeId> {
        let found = self.layouts.each_ref().map(|layout| layout.get(spelling));
        let mut union: Vec<NodeId> = found.iter().flatten().copied().flatten().copied().collect();
        union.sort_unstable();
        union.dedup();
        let fits = found.iter().filter(|nodes| nodes.is_some()).count();
        if fits == 1 {
            for (seen, nodes) in self.seen.iter_mut().zip(&found) {
                *seen = seen.saturating_add(u32::from(nodes.is_some()));
            }
        }
        if union.len() > 1 {
            let used = self.seen.iter().max().filter(|most| **most > 0);
            let learnt = self
                .seen
                .iter()
                .zip(&found)
                .find(|(seen, _)| Some(*seen) == used);
            if let Some((_, Some(nodes))) = learnt {
                return (*nodes).clone();
            }
        }
        union
    }

    /// What a topic's path below the prefix belongs to; `nodes` finds a node by its number.
    pub fn owner<'a>(&mut self, path: &str, nodes: impl Fn(NodeId) -> Option<&'a Node>) -> Owner {
        if let Some((own, last)) = path.rsplit_once('/')
            && matches!(last, "status" | "lastActive" | "nodeinfo")
        {
            match *self.find(own).as_slice() {
                [] => {}
                [node] => return Owner::Node(node),
                _ => return Owner::Ambiguous,
            }
        }
        let levels: Vec<&str> = path.split('/').collect();
        for length in [4, 3] {
            let Some((own, tail)) = levels
                .len()
                .checked_sub(length)
                .and_then(|at| levels.split_at_checked(at))
            else {
                continue;
            };
            let Some(tail) = Tail::read(tail) else {
                continue;
            };
            let node = match *self.find(&own.join("/")).as_slice() {
                [] => continue,
                [node] => node,
                _ => return Owner::Ambiguous,
            };
            if tail.class.is_bookkeeping() {
                return Owner::Known;
            }
            let value =
                nodes(node).and_then(|node| node.values.iter().find(|value| tail.names(&value.id)));
            return match value {
                Some(value) => Owner::Value(node, value.id.clone()),
                None => Owner::Unmatched,
            };
        }
        Owner::Unmatched
    }
}

/// The command class that a named topic's level means.
fn class_named(level: &str) -> Option<CommandClass> {
    if let Some(number) = level.strip_prefix("unknownClass_") {
        return number.parse().ok().map(CommandClass);
    }
    CLASS_NAMES
        .iter()
        .find(|(_, name)| *name == level)
        .map(|(number, _)| CommandClass(*number))
}

/// The level that a command class has in named topics.
pub fn class_level(class: CommandClass) -> String {
    CLASS_NAMES
        .iter()
        .find(|(number, _)| *number == class.0)
        .map_or_else(
            || format!("unknownClass_{}", class.0),
            |(_, name)| (*name).to_owned(),
        )
}

/// zwave-js-ui's names of command classes; it has no others.
const CLASS_NAMES: [(u16, &str); 47] = [
    (32, "basic"),
    (37, "switch_binary"),
    (38, "switch_multilevel"),
    (43, "scene_activation"),
    (44, "scene_actuator_conf"),
    (48, "sensor_binary"),
    (49, "sensor_multilevel"),
    (50, "meter"),
    (51, "color"),
    (64, "thermostat_mode"),
    (66, "thermostat_operating_state"),
    (67, "thermostat_setpoint"),
    (68, "thermostat_fan_mode"),
    (69, "thermostat_fan_state"),
    (70, "climate_control_schedule"),
    (71, "thermostat_setback"),
    (76, "door_lock_logging"),
    (78, "schedule_entry_lock"),
    (80, "basic_window_covering"),
    (91, "central_scene"),
    (94, "zwave_plus_info"),
    (98, "door_lock"),
    (99, "user_code"),
    (102, "barrier_operator"),
    (112, "configuration"),
    (113, "notification"),
    (114, "manufacturer_specific"),
    (115, "powerlevel"),
    (117, "protection"),
    (118, "lock"),
    (119, "node_naming"),
    (121, "sound_switch"),
    (122, "firmware_update_md"),
    (128, "battery"),
    (129, "clock"),
    (130, "hail"),
    (132, "wake_up"),
    (133, "association"),
    (134, "version"),
    (135, "indicator"),
    (138, "time"),
    (139, "time_parameters"),
    (142, "multi_instance_association"),
    (144, "energy_production"),
    (145, "manufacturer_proprietary"),
    (152, "security"),
    (156, "sensor_alarm"),
];

//! Nodes, endpoints and scenes, in the notation of the house files. A call "moves" a node or an endpoint if
//! the gateway is told to write to it. It "moves" a scene if the gateway is told to run the scene.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error};
use serde_json::Value as Json;

use super::model::{House, Kind};

/// A node, an endpoint or a scene that a call can move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Move {
    /// A node as a whole, or a group: `10`.
    Node(u16),
    /// An endpoint of a node: `"11#2"`.
    Part(u16, u8),
    /// A scene that is run: `"scene 1"`.
    Scene(u16),
}

impl Move {
    fn read(json: &Json) -> Option<Self> {
        match json {
            Json::Number(node) => Some(Self::Node(u16::try_from(node.as_u64()?).ok()?)),
            Json::String(text) => match text.split_once('#') {
                Some((node, endpoint)) => {
                    Some(Self::Part(node.parse().ok()?, endpoint.parse().ok()?))
                }
                None => Some(Self::Scene(text.strip_prefix("scene ")?.parse().ok()?)),
            },
            _ => None,
        }
    }

    /// Returns the endpoints of a node, if they are devices of their own, or the expanded members of a group.
    /// Returns anything else as it is.
    pub fn expand(self, house: &House) -> BTreeSet<Self> {
        let Self::Node(id) = self else {
            return BTreeSet::from([self]);
        };
        match house.node(id) {
            Some(group) if group.kind == Kind::Group => expand_all(house, &group.members),
            Some(node) if node.parts() > 0 => {
                let parts = 1..=node.parts();
                parts.map(|endpoint| Self::Part(id, endpoint)).collect()
            }
            _ => BTreeSet::from([self]),
        }
    }
}

/// Expands each item of a list.
pub fn expand_all(house: &House, moves: &[Move]) -> BTreeSet<Move> {
    moves.iter().flat_map(|moved| moved.expand(house)).collect()
}

/// Counts the devices in an expanded list. A node counts as one device if all its endpoints are in the list.
pub fn count_devices(house: &House, expanded: &BTreeSet<Move>) -> usize {
    let whole_nodes = house
        .devices
        .iter()
        .filter(|node| node.parts() > 0)
        .map(|node| Move::Node(node.id).expand(house))
        .filter(|parts| parts.is_subset(expanded));
    expanded.len() - whole_nodes.map(|parts| parts.len() - 1).sum::<usize>()
}

impl<'de> Deserialize<'de> for Move {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(deserializer)?;
        Self::read(&json).ok_or_else(|| {
            D::Error::custom(format!("{json} is no node, endpoint (\"11#2\") or scene"))
        })
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(node) => write!(f, "{node}"),
            Self::Part(node, endpoint) => write!(f, "{node}#{endpoint}"),
            Self::Scene(scene) => write!(f, "scene {scene}"),
        }
    }
}

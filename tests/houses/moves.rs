//! Things that move: a node, an endpoint of it, or a scene, as the houses' files write it.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error};
use serde_json::Value as Json;

use super::model::{House, Kind};

/// Something that moves.
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

    /// Replaces what stands for others: a node whose endpoints are devices is its endpoints, and a group is
    /// its members.
    pub fn leaves(self, house: &House) -> BTreeSet<Self> {
        let Self::Node(id) = self else {
            return BTreeSet::from([self]);
        };
        match house.node(id) {
            Some(group) if group.kind == Kind::Group => all(house, &group.members),
            Some(node) if node.parts() > 0 => {
                let parts = 1..=node.parts();
                parts.map(|endpoint| Self::Part(id, endpoint)).collect()
            }
            _ => BTreeSet::from([self]),
        }
    }
}

/// Everything in a list, with nothing left that stands for others.
pub fn all(house: &House, moves: &[Move]) -> BTreeSet<Move> {
    moves.iter().flat_map(|moved| moved.leaves(house)).collect()
}

/// Counts the devices among these; a node whose endpoints all move is one.
pub fn devices(house: &House, leaves: &BTreeSet<Move>) -> usize {
    let parts = house
        .devices
        .iter()
        .filter(|node| node.parts() > 0)
        .map(|node| Move::Node(node.id).leaves(house));
    let saved = parts.filter(|parts| parts.is_subset(leaves));
    leaves.len() - saved.map(|parts| parts.len() - 1).sum::<usize>()
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

//! Tags, which tell a device from another one of the same name: "node 12", "node 12 endpoint 2",
//! "scene 3".

use super::device::Device;
use super::model::ids::Thing;
use super::word::Word;

/// A tag, as it is written in a name or said in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// A node, or one endpoint of it.
    Node(u16, Option<u16>),
    /// A scene.
    Scene(u16),
}

impl Tag {
    /// Reads the tag that words begin with, and the number of its words.
    pub fn read(words: &[&Word]) -> Option<(Self, usize)> {
        let text = |at: usize| words.get(at).map(|word| word.text());
        let number = |at: usize| text(at)?.parse::<u16>().ok();
        match text(0)? {
            "scene" => Some((Self::Scene(number(1)?), 2)),
            "node" | "nodeid" => {
                let endpoint = number(3).filter(|_| text(2) == Some("endpoint"));
                let length = if endpoint.is_some() { 4 } else { 2 };
                Some((Self::Node(number(1)?, endpoint), length))
            }
            _ => None,
        }
    }

    /// Returns true if the tag is a device's own, or that of the node that the device is a part of.
    pub fn is_of(self, device: &Device) -> bool {
        match (self, device.id.thing) {
            (Self::Node(number, endpoint), Thing::Node { node, .. }) => {
                let is_endpoint = |endpoint: u16| endpoint == u16::from(device.endpoint);
                node.0 == number && endpoint.is_none_or(is_endpoint)
            }
            (Self::Scene(number), Thing::Scene(scene)) => scene.0 == u32::from(number),
            _ => false,
        }
    }

    /// Finds a tag in a device's name that is not the device's own.
    pub fn misleading(device: &Device) -> Option<Self> {
        let words: Vec<&Word> = device.name.words.all().iter().collect();
        let (tag, _) = (0..words.len()).find_map(|at| Self::read(words.get(at..)?))?;
        (!tag.is_of(device)).then_some(tag)
    }
}

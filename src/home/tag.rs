//! Tags, which tell a device from another one of the same name: "node 12", "node 12 endpoint 2",
//! "scene 3".

use std::ops::Range;

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
    /// Finds the first tag among words, and its place.
    pub fn first(words: &[&Word]) -> Option<(Self, Range<usize>)> {
        let number = |at: usize| words.get(at)?.text().parse::<u16>().ok();
        let reads = |at: usize, text: &str| words.get(at).is_some_and(|word| word.text() == text);
        let at = (0..words.len()).find(|at| {
            (reads(*at, "node") || reads(*at, "nodeid") || reads(*at, "scene"))
                && number(at + 1).is_some()
        })?;
        let first = number(at + 1)?;
        if reads(at, "scene") {
            return Some((Self::Scene(first), at..at + 2));
        }
        let endpoint = number(at + 3).filter(|_| reads(at + 2, "endpoint"));
        let end = if endpoint.is_some() { at + 4 } else { at + 2 };
        Some((Self::Node(first, endpoint), at..end))
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
        let (tag, _) = Self::first(&words)?;
        (!tag.is_of(device)).then_some(tag)
    }
}

//! Devices, as a person would count them: a node, an outlet of a strip, a scene or a group.

use super::category::{Categories, Category};
use super::kind::{Ability, Kind};
use super::letters::squash;
use super::model::ids::{DeviceId, Thing};
use super::phrase::Phrase;
use super::text;
use super::word::Word;

/// The headings for devices without a room. The second is used if a room is called "No room".
pub const WITHOUT_ROOM: [&str; 2] = ["No room", "Without a room"];

/// A name in all the forms that are shown or compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// The name as it is shown.
    pub text: String,
    /// The name as its owner wrote it.
    pub raw: String,
    /// The letters and digits in one run: "floorlamp2" for "Floor Lamp 2".
    pub squashed: String,
    /// The words.
    pub words: Phrase,
}

impl Name {
    /// Makes a name from the owner's text.
    pub fn new(text: &str) -> Self {
        Self {
            squashed: squash(text),
            words: Phrase::new(text),
            text: text::name(text),
            raw: text.trim().to_owned(),
        }
    }
}

/// The reason why a device is guarded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuardReason {
    /// The device is a lock, a garage door or a gate.
    Barrier,
    /// The gateway's words for the product say that the device opens something.
    Product,
    /// The name has this word for a door, a garage or something that opens.
    Name(Box<str>),
    /// The name says only "relay", "motor" or the like, and the room has this word for a door or a garage.
    Room(Box<str>),
    /// The owner's settings guard the device.
    Owner,
}

/// A device.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// The id.
    pub id: DeviceId,
    /// The endpoint that is written to.
    pub endpoint: u8,
    /// The endpoints whose values belong to the device.
    pub reads: Vec<u8>,
    /// The property key of the value that the device is, if it is only one of several values of its endpoint: a
    /// setpoint, or a valve of an irrigation system.
    pub key: Option<u32>,
    /// The kind.
    pub kind: Kind,
    /// The categories that people would count the device in, by its name and its kind.
    pub categories: Categories,
    /// True if only the words for the product say that it opens a door, a gate or a lock.
    pub opens_by_words: bool,
    /// The reason why the device is guarded, if it is.
    pub guard_reason: Option<GuardReason>,
    /// The name of the node, if the device is only a part of it: an endpoint other than 0.
    pub part_of: Option<Box<Name>>,
    /// The room as it is shown; may be empty.
    pub room: String,
    /// The words of the room.
    pub room_words: Phrase,
    /// The name.
    pub name: Name,
    /// True if the words for the product mention something that keeps a house going, such as a pump.
    pub is_essential_by_product: bool,
    /// True if the name mentions something that keeps a house going. Computed in advance, because "all
    /// switches" checks it for every switch, and a house may have thousands.
    pub is_essential_by_name: bool,
    /// Other names from zwave-js-ui, such as `nodeID_12`.
    pub aliases: Vec<Name>,
    /// Names from the file for `--names`.
    pub own_names: Vec<Name>,
    /// The tag that distinguishes the device from others with the same name.
    pub tag: Option<Name>,
    /// The name for a sentence. The room is in front if the name alone does not tell which device is meant.
    pub spoken: String,
}

impl Device {
    /// Makes a device without a room, aliases or a tag.
    pub fn new(id: DeviceId, kind: Kind, name: &str) -> Self {
        let name = Name::new(name);
        Self {
            endpoint: match id.thing {
                Thing::Node { endpoint, .. } => endpoint,
                Thing::Scene(_) => 0,
            },
            id,
            reads: Vec::new(),
            key: None,
            kind,
            categories: Categories::default(),
            opens_by_words: false,
            guard_reason: None,
            part_of: None,
            room: String::new(),
            room_words: Phrase::default(),
            is_essential_by_product: false,
            is_essential_by_name: false,
            name,
            aliases: Vec::new(),
            own_names: Vec::new(),
            tag: None,
            spoken: String::new(),
        }
    }

    /// Returns all names that mean the device.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.shown_names().chain(&self.own_names)
    }

    /// Returns the names, and the name of the node if the device is a part of one.
    pub fn names_with_node(&self) -> impl Iterator<Item = &Name> {
        self.names().chain(self.part_of.as_deref())
    }

    /// Returns the names from zwave-js-ui.
    pub fn shown_names(&self) -> impl Iterator<Item = &Name> + Clone {
        std::iter::once(&self.name).chain(&self.aliases)
    }

    /// Returns true if the device is in a category, by its name or by its kind.
    pub fn is_a(&self, category: Category) -> bool {
        self.categories.has(category) || self.kind.categories().has(category)
    }

    /// Returns the words of the names, of the node's name and of the room.
    pub(super) fn phrases(&self) -> impl Iterator<Item = &Phrase> {
        self.names_with_node().map(|name| &name.words).chain([&self.room_words])
    }

    /// Does the same as [`Self::phrases`], for changes.
    pub(super) fn phrases_mut(&mut self) -> impl Iterator<Item = &mut Phrase> {
        let names = std::iter::once(&mut self.name).chain(&mut self.aliases);
        names
            .chain(&mut self.own_names)
            .chain(self.part_of.as_deref_mut())
            .map(|name| &mut name.words)
            .chain([&mut self.room_words])
    }

    /// Returns true if the devices are in the same room, or if neither has a room.
    pub fn is_in_same_room(&self, other: &Self) -> bool {
        // The texts are compared first, which is quicker.
        self.room == other.room || self.room_words == other.room_words
    }

    /// Returns true for a device that stays on when everything is switched off: heating, a valve, or a
    /// device whose name or product has a word such as "fridge", "server" or "pump".
    pub fn keeps_house_going(&self) -> bool {
        self.kind.heats()
            || self.kind == Kind::Heater
            || self.is_essential_by_product
            || self.kind.has(Ability::Valve)
            || self.categories.has(Category::Valves)
            || self.is_essential_by_name
    }

    /// Returns the name for a list that is grouped by room, with the tag.
    pub fn listed_name(&self) -> String {
        match &self.tag {
            Some(tag) => format!("{} ({})", self.name.text, tag.text),
            None => self.name.text.clone(),
        }
    }

    /// Returns the name with the room in front, and with the tag.
    pub fn with_room(&self) -> String {
        if self.room.is_empty() {
            return self.listed_name();
        }
        format!("{} {}", self.room, self.listed_name())
    }
}

/// A tag that tells devices of the same name apart: "node 12", "node 12 endpoint 2", "scene 3".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// The number of a node and, if the tag has one, of an endpoint.
    Node(u16, Option<u16>),
    /// The number of a scene.
    Scene(u16),
}

impl Tag {
    /// Reads a tag at the start of these words. Returns the tag and its length in words.
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

    /// Returns true if the tag is that of this device, or of the node that the device is a part of.
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

    /// Returns the first tag in a device's name, unless it is the device's own tag. A device that is called
    /// "Node 7" but is node 12 would be mistaken for node 7.
    pub fn find_misleading(device: &Device) -> Option<Self> {
        let words: Vec<&Word> = device.name.words.all().iter().collect();
        let (tag, _) = (0..words.len()).find_map(|at| Self::read(words.get(at..)?))?;
        (!tag.is_of(device)).then_some(tag)
    }
}

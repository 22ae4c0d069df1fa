//! What a person would call a device.

use super::category::{Categories, Category};
use super::kind::{Ability, Kind};
use super::language::says_essential;
use super::letters::squashed;
use super::model::ids::{DeviceId, Thing};
use super::phrase::Phrase;
use super::text;
use super::word::Marks;

/// What a list calls the devices without a room, the second where an owner calls a room the first.
pub const WITHOUT_ROOM: [&str; 2] = ["No room", "Without a room"];

/// A name in the forms it is compared in.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// As it is shown.
    pub text: String,
    /// As its owner wrote it.
    pub raw: String,
    /// Its letters and digits in one run.
    pub squashed: String,
    /// Its words.
    pub words: Phrase,
}

impl Name {
    /// A name as its owner wrote it.
    pub fn new(text: &str) -> Self {
        Self {
            squashed: squashed(text),
            words: Phrase::new(text),
            text: text::name(text),
            raw: text.trim().to_owned(),
        }
    }
}

/// Why a device is guarded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opening {
    /// It is a lock, a garage door or a gate.
    Barrier,
    /// Its name says so, with this word.
    Name(Box<str>),
    /// It is only called a relay or a motor, and its room says so, with this word.
    Room(Box<str>),
    /// The owner says so.
    Owner,
}

/// What a person would call a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// What it is at its gateway.
    pub id: DeviceId,
    /// The endpoint that is written to.
    pub endpoint: u8,
    /// The endpoints whose values are its own.
    pub reads: Vec<u8>,
    /// What it is.
    pub kind: Kind,
    /// What people mean it by.
    pub categories: Categories,
    /// Why it is guarded, if it is.
    pub opening: Option<Opening>,
    /// The node's name, where the node has other devices besides.
    pub part_of: Option<Box<Name>>,
    /// The room, as its owner wrote it; empty where there is none.
    pub room: String,
    /// The words of the room.
    pub room_words: Phrase,
    /// Its name.
    pub name: Name,
    /// Other names it is understood by.
    pub aliases: Vec<Name>,
    /// Names that its owner gives it besides.
    pub own_names: Vec<Name>,
    /// What tells it from a device that reads the same: its node or its gateway.
    pub tag: Option<Name>,
    /// The marks of all words of its names, its node's name and its room: what shares none of them is
    /// not said of it.
    pub marks: Marks,
    /// How a sentence calls it: with its room where the name alone would not do.
    pub spoken: String,
}

impl Device {
    /// A device on its own: in no room, with nothing that tells it from others.
    pub(super) fn new(id: DeviceId, kind: Kind, name: &str) -> Self {
        Self {
            endpoint: match id.thing {
                Thing::Node { endpoint, .. } => endpoint,
                Thing::Scene(_) => 0,
            },
            id,
            reads: Vec::new(),
            kind,
            categories: Categories::default(),
            opening: None,
            part_of: None,
            room: String::new(),
            room_words: Phrase::default(),
            name: Name::new(name),
            aliases: Vec::new(),
            own_names: Vec::new(),
            tag: None,
            marks: 0,
            spoken: String::new(),
        }
    }

    /// The names it is understood by.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.shown_names().chain(&self.own_names)
    }

    /// The same without those that its owner gives it.
    pub fn shown_names(&self) -> impl Iterator<Item = &Name> {
        std::iter::once(&self.name).chain(&self.aliases)
    }

    /// Whether it is of a category: by what its name says it is, or by what it is to the gateway.
    pub fn is_a(&self, category: Category) -> bool {
        self.categories.has(category) || self.kind.categories().has(category)
    }

    /// Whether it keeps a house going, and stays on when everything is switched off: heating, valves,
    /// and what is called a fridge, a freezer, a server, a pump and the like.
    pub fn keeps_house_going(&self) -> bool {
        self.kind.heats()
            || self.kind.has(Ability::Valve)
            || self.categories.has(Category::Valves)
            || says_essential(&self.name.words.slice())
    }

    /// The name in a list that is grouped by room: with what tells it from its double.
    pub fn listed(&self) -> String {
        match &self.tag {
            Some(tag) => format!("{} ({})", self.name.text, tag.text),
            None => self.name.text.clone(),
        }
    }

    /// The name with the room in front, for telling two of the same name apart.
    pub fn with_room(&self) -> String {
        if self.room.is_empty() {
            return self.listed();
        }
        format!("{} {}", self.room, self.listed())
    }
}

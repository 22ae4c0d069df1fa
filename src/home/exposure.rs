//! Which devices the owner of the house lets be seen. What is hidden does not exist for anything
//! above: it is not listed, controlled, counted, suggested or named.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::category::Category;
use super::device::{Called, Device};
use super::doors::Doors;
use super::house::Snapshot;
use super::ids::{DeviceId, GatewayName, NodeId, Thing};
use super::kind::Kind;
use super::node::Role;
use super::words::{Word, squashed, squashed_long, words};

/// What may be seen: everything that one of `expose` matches, or everything where there is none,
/// less what one of `hide` matches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exposure {
    /// Only these, where there are any.
    pub expose: Vec<Pattern>,
    /// These never.
    pub hide: Vec<Pattern>,
    /// What opens something, and what only sounds so.
    pub doors: Doors,
}

/// What a pattern matches: a kind, or a text with `*` for any run of letters, compared without
/// regard to case, accents, spaces and punctuation with a room, a name, or `room/name`.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// `kind:lock`.
    Kind(Category),
    /// Anything else.
    Text(Glob, Vec<(Glob, Glob)>),
}

/// What a pattern must be; completes "must be …".
pub const RIGHT_PATTERN: &str = "a room, a name or room/name, where * stands for anything, or \
     kind: with one of light, switch, outlet, dimmer, blind, curtain, lock, door, garage door, gate, \
     thermostat, radiator valve, fan, valve, siren, sensor, meter, remote, keypad, group, scene";

impl Pattern {
    /// Reads a pattern; none where it is empty or names no kind there is.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some((_, kind)) = text
            .split_once(':')
            .filter(|(word, _)| word.trim().eq_ignore_ascii_case("kind"))
        {
            let phrase = words(kind);
            let phrase: Vec<&Word> = phrase.iter().collect();
            return Category::named(&phrase).map(Self::Kind);
        }
        if text.is_empty() {
            return None;
        }
        // A name may have a slash of its own, so that each could be the one after the room.
        let splits = text.match_indices('/').filter_map(|(at, _)| {
            let (room, name) = (text.get(..at)?, text.get(at + 1..)?);
            Some((Glob::new(room), Glob::new(name)))
        });
        Some(Self::Text(Glob::new(text), splits.collect()))
    }

    /// Whether it matches a device by its room, its name or that of the node it is a part of, both, or
    /// its kind: what its name says it is, or what it is to the gateway.
    pub fn matches(&self, device: &Device) -> bool {
        let in_room = |whole: &Glob| !device.room.is_empty() && inside(whole, device);
        match self {
            Self::Text(whole, _) if in_room(whole) => true,
            _ => self.fits(device, device.part_of.as_deref()),
        }
    }

    /// The same, but that a room alone matches nothing in it, and a node's name no part of it.
    pub fn names(&self, device: &Device) -> bool {
        self.fits(device, None)
    }

    fn fits(&self, device: &Device, more: Option<&Called>) -> bool {
        let named = |glob: &Glob| {
            let names = std::iter::once(&device.name).chain(&device.aliases);
            let mut names = names.chain(more);
            let node = device.part_of.as_deref();
            // An outlet is also called by its label alone.
            let label = node.and_then(|node| device.name.raw.strip_prefix(node.raw.as_str()));
            names.any(|name| glob.matches(&name.text) || glob.matches(&name.raw))
                || label.is_some_and(|label| !is_number(label) && glob.matches(label.trim()))
        };
        match self {
            Self::Kind(category) => device.is_a(*category),
            Self::Text(whole, splits) => {
                let both = |(room, name): &(Glob, Glob)| inside(room, device) && named(name);
                named(whole) || splits.iter().any(both)
            }
        }
    }

    /// The same for hiding: of what kind a device is whose values were never read nobody knows.
    fn may_match(&self, device: &Device) -> bool {
        self.matches(device) || (matches!(self, Self::Kind(_)) && device.kind == Kind::Unread)
    }
}

/// Whether a part is only called by its number.
fn is_number(label: &str) -> bool {
    label.trim().chars().all(|digit| digit.is_ascii_digit())
}

/// A room is told with at most 60 characters, but has all of its words.
fn inside(glob: &Glob, device: &Device) -> bool {
    let words = device.room_words.all().iter().map(Word::text);
    glob.matches(&device.room) || glob.matches(&words.collect::<String>())
}

/// A text with `*` for any run of letters.
#[derive(Clone, Debug, PartialEq)]
pub struct Glob {
    text: String,
    /// What stands between the stars; again with ä as ae where that is another text.
    spellings: Vec<Vec<String>>,
}

impl Glob {
    fn new(text: &str) -> Self {
        let long = |part: &str| squashed_long(part).unwrap_or_else(|| squashed(part));
        let plain: Vec<String> = text.split('*').map(squashed).collect();
        let long: Vec<String> = text.split('*').map(long).collect();
        Self {
            text: text.trim().to_owned(),
            spellings: if plain == long {
                vec![plain]
            } else {
                vec![plain, long]
            },
        }
    }

    fn matches(&self, text: &str) -> bool {
        // A name of symbols has no letters to compare.
        if self.text == text {
            return true;
        }
        let own = std::iter::once(squashed(text)).chain(squashed_long(text));
        let own: Vec<String> = own.collect();
        let spelled = |parts: &Vec<String>| own.iter().any(|own| fits(parts, own));
        self.spellings.iter().any(spelled)
    }
}

/// Whether a text has these parts in their order, and nothing before the first and after the last.
fn fits(parts: &[String], text: &str) -> bool {
    let (first, rest) = match parts {
        [] => return false,
        [only] => return !only.is_empty() && only == text,
        [first, rest @ ..] => (first, rest),
    };
    let Some(mut left) = text.strip_prefix(first.as_str()) else {
        return false;
    };
    let (last, middle) = rest
        .split_last()
        .map_or(("", rest), |(last, middle)| (last.as_str(), middle));
    for part in middle {
        let Some((_, after)) = left.split_once(part.as_str()) else {
            return false;
        };
        left = after;
    }
    left.ends_with(last)
}

impl Exposure {
    /// Whether everything may be seen.
    pub fn is_everything(&self) -> bool {
        self.expose.is_empty() && self.hide.is_empty()
    }

    /// The patterns of names and rooms that none of these devices has: slips, most likely. A kind may
    /// well be hidden before there is one.
    pub fn unmatched<'a>(&'a self, devices: &[Device]) -> Vec<&'a str> {
        let doors = self.doors.guarded.iter().chain(&self.doors.unguarded);
        let all = self.expose.iter().chain(&self.hide).chain(doors);
        all.filter_map(|pattern| match pattern {
            Pattern::Text(whole, _) if !devices.iter().any(|device| pattern.matches(device)) => {
                Some(whole.text.as_str())
            }
            _ => None,
        })
        .collect()
    }

    /// Keeps the devices that may be seen, and returns the others. One that would move a hidden one is hidden with it: a
    /// strip with a hidden outlet, a group or a scene that touches a hidden device, or one that
    /// nobody knows.
    pub fn keep_visible(
        &self,
        devices: &mut Vec<Device>,
        snapshots: &[Arc<Snapshot>],
    ) -> Vec<Device> {
        if self.is_everything() {
            return Vec::new();
        }
        let visible = self.visible(devices, snapshots);
        let all = std::mem::take(devices).into_iter();
        let (seen, hidden) = all.partition(|device| visible.contains(&device.id));
        *devices = seen;
        hidden
    }

    fn visible(&self, devices: &[Device], snapshots: &[Arc<Snapshot>]) -> BTreeSet<DeviceId> {
        let place = |device: &Device| Some((device.id.gateway.clone(), device.id.node()?));
        let is_whole =
            |device: &&Device| matches!(device.id.thing, Thing::Node { endpoint: 0, .. });
        let wholes: BTreeMap<Place, &Device> = devices
            .iter()
            .filter(is_whole)
            .filter_map(|device| Some((place(device)?, device)))
            .collect();
        let shown = |device: &&Device| {
            let whole = place(device).and_then(|place| wholes.get(&place));
            self.shows(device, whole.copied())
        };
        let unseen = devices.iter().filter(|device| !shown(device));
        let hidden = hidden_nodes(unseen.filter_map(place).collect(), snapshots);
        let reaches_hidden = |device: &Device, snapshot: &Snapshot| {
            let nodes = touched(device, snapshot)?;
            let gateway = &device.id.gateway;
            let mut unseen = nodes.into_iter().filter(|node| {
                !snapshot.nodes.contains_key(node) || hidden.contains(&(gateway.clone(), *node))
            });
            Some(unseen.next().is_some())
        };
        let clean = |device: &&Device| {
            let mut snapshots = snapshots.iter();
            let own = snapshots.find(|snapshot| snapshot.gateway == device.id.gateway);
            own.and_then(|own| reaches_hidden(device, own)) == Some(false)
        };
        let visible = devices.iter().filter(shown).filter(clean);
        visible.map(|device| device.id.clone()).collect()
    }

    /// Whether a device may be seen for its own sake; `whole` is the device it is a part of.
    fn shows(&self, device: &Device, whole: Option<&Device>) -> bool {
        let both = || std::iter::once(device).chain(whole);
        let exposed = |pattern: &Pattern| both().any(|device| pattern.matches(device));
        let hidden = |pattern: &Pattern| both().any(|device| pattern.may_match(device));
        (self.expose.is_empty() || self.expose.iter().any(exposed)) && !self.hide.iter().any(hidden)
    }
}

/// A node of a gateway.
type Place = (GatewayName, NodeId);

/// The nodes that a device's writes reach besides its own endpoint; none where nobody knows them.
fn touched(device: &Device, snapshot: &Snapshot) -> Option<Vec<NodeId>> {
    match device.id.thing {
        Thing::Scene(scene) => {
            let writes = &snapshot.scenes.get(&scene)?.writes;
            Some(writes.iter().map(|(node, _)| *node).collect())
        }
        Thing::Node { node, .. } if device.kind == Kind::Group => {
            snapshot.groups.get(&node).cloned()
        }
        Thing::Node { node, endpoint: 0 } => Some(vec![node]),
        Thing::Node { .. } => Some(Vec::new()),
    }
}

/// The nodes of which any part is hidden; with them the groups that have such a member, and the
/// node that everything listens to.
fn hidden_nodes(unseen: BTreeSet<Place>, snapshots: &[Arc<Snapshot>]) -> BTreeSet<Place> {
    let mut hidden = unseen.clone();
    for snapshot in snapshots {
        let here = |node: &NodeId| (snapshot.gateway.clone(), *node);
        let groups = snapshot.groups.iter();
        let groups =
            groups.filter(|(_, members)| members.iter().any(|node| unseen.contains(&here(node))));
        hidden.extend(groups.map(|(group, _)| here(group)));
        let nodes = snapshot.nodes.values();
        let all = nodes.filter(|node| node.role == Role::Broadcast);
        hidden.extend(all.map(|node| here(&node.id)));
    }
    hidden
}

//! What opens a door or a gate: locks, garage doors and gates, and the relays and motors whose names
//! say so.

use super::category::Category;
use super::device::{Device, Opening};
use super::kind::Kind;
use super::language::{self, HEAD_FIRST, LanguageSet, NamedKind, Opens, kinds_in_name};
use super::pattern::Pattern;
use super::word::Word;

/// What the owner of the house says of doors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Doors {
    /// These are guarded.
    pub guarded: Vec<Pattern>,
    /// The names of these say a door, and they open none. A lock is guarded all the same.
    pub unguarded: Vec<Pattern>,
}

impl Doors {
    /// Why a device is guarded, if it is. The owner's word for it wins over that against it.
    pub fn opening(&self, device: &Device) -> Option<Opening> {
        if device.kind.is_barrier() {
            return Some(Opening::Barrier);
        }
        if self.guarded.iter().any(|pattern| pattern.matches(device)) {
            return Some(Opening::Owner);
        }
        if self.unguarded.iter().any(|pattern| pattern.names(device)) {
            return None;
        }
        by_name(device)
    }
}

/// What the name of a switch, outlet, dimmer or motor says that it opens.
fn by_name(device: &Device) -> Option<Opening> {
    let relay = matches!(
        device.kind,
        Kind::Switch | Kind::Outlet | Kind::Dimmer | Kind::Cover
    );
    if !relay {
        return None;
    }
    let name = device.name.words.slice();
    if let Some(word) = door_in(&name) {
        return Some(Opening::Name(word.text().into()));
    }
    let room: Vec<&Word> = device.room_words.all().iter().collect();
    let opens_garage = |word: &&&Word| language::is_garage(word);
    let garage_in = |words: &[&Word]| {
        let word = words.iter().find(opens_garage);
        word.map(|word| word.text().into())
    };
    match bare(&name) {
        Bare::Garage => garage_in(&name).map(Opening::Name),
        Bare::Relay => {
            let door = door_in(&room).map(|word| word.text().into());
            door.or_else(|| garage_in(&room)).map(Opening::Room)
        }
        Bare::No => None,
    }
}

/// The word that says a door, unless the words say that it is something at one.
fn door_in<'a>(words: &[&'a Word]) -> Option<&'a Word> {
    let things = things(words);
    let opening = words.iter().enumerate().filter_map(|(at, word)| {
        let (opens, languages) = language::opens(word)?;
        let excused =
            opens == Opens::Door && things.iter().any(|thing| is_at(thing, at, languages));
        (!excused).then_some((opens, *word))
    });
    let first = opening.min_by_key(|(opens, _)| *opens != Opens::Always)?;
    Some(first.1)
}

/// What a name says that there is beside a door. A "Boiler Room Door" says no boiler, and the shutter of
/// a garage is its door.
fn things(words: &[&Word]) -> Vec<NamedKind> {
    let place = |at: Option<usize>| {
        let word = at.and_then(|at| words.get(at));
        word.map_or(0, |word| language::place(word))
    };
    let garage = words.iter().any(|word| language::is_garage(word));
    let mut things = kinds_in_name(words);
    things.retain(|thing| {
        let named_after = place(Some(thing.at + 1)) & !HEAD_FIRST != 0
            || place(thing.at.checked_sub(1)) & HEAD_FIRST != 0;
        let shutter = matches!(
            thing.category,
            Category::Blinds | Category::Curtains | Category::Awnings
        );
        !(named_after || (shutter && garage))
    });
    things
}

/// Whether a thing is at the door that this word says, in one of its languages. A lamp is wherever it
/// stands; of anything else the name has to be about it: "Iron Gate" is a gate.
fn is_at(thing: &NamedKind, door: usize, languages: LanguageSet) -> bool {
    let common = thing.languages & languages;
    let about = (common & HEAD_FIRST != 0 && thing.at < door)
        || (common & !HEAD_FIRST != 0 && thing.at > door);
    let anywhere = matches!(
        thing.category,
        Category::Lights
            | Category::ColorLights
            | Category::Bells
            | Category::Sirens
            | Category::Cameras
            | Category::Sensors
            | Category::Heaters
    );
    let other = matches!(
        thing.category,
        Category::Fixtures
            | Category::RadiatorValves
            | Category::Thermostats
            | Category::Fans
            | Category::Valves
            | Category::Pumps
            | Category::Appliances
            | Category::Blinds
            | Category::Curtains
            | Category::Awnings
    );
    common != 0 && ((anywhere && !thing.by_end) || ((anywhere || other) && about))
}

/// What a name says that tells nothing but a switch's kind, and perhaps a number or a side.
enum Bare {
    /// Garage, perhaps with switch, relay or motor.
    Garage,
    /// Switch, outlet, relay or motor, or only the number of a node without a name.
    Relay,
    /// More than that, or nothing that has letters.
    No,
}

fn bare(name: &[&Word]) -> Bare {
    let (mut garage, mut opens, mut relay) = (false, true, false);
    for word in name {
        match language::kind(&[word]).map(|kind| kind.category) {
            _ if word.is_number() || language::is_side(word) => {}
            _ if language::is_garage(word) => garage = true,
            Some(Category::Motors | Category::Relays | Category::Switches) => relay = true,
            Some(Category::Outlets | Category::Dimmers) => (relay, opens) = (true, false),
            // What a node without a name is called.
            _ if word.text() == "node" => relay = true,
            _ => return Bare::No,
        }
    }
    match (garage, relay) {
        (true, _) if opens => Bare::Garage,
        (false, true) => Bare::Relay,
        _ => Bare::No,
    }
}

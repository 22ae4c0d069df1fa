//! The owner's own words: aliases for devices, and names for floors (`docs/NAMES.md#your-own-words`).

use std::collections::BTreeMap;

use serde::Deserialize;

use super::bounds;
use super::device::{Device, Name};
use super::language::LanguageSet;
use super::only;
use super::pattern::Pattern;
use super::phrase::Phrase;
use super::text;

/// The content of the file for `--names`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnWords {
    /// Each alias with its device, as the file names the device.
    #[serde(default)]
    aliases: BTreeMap<String, String>,
    /// Each floor with its rooms.
    #[serde(default)]
    floors: BTreeMap<String, Vec<String>>,
}

/// The maximum number of aliases and floors together.
const MAX_ENTRIES: usize = 1000;

/// A floor: a name for several rooms.
#[derive(Clone, Debug, PartialEq)]
pub struct Floor {
    /// The name as it is shown.
    pub text: String,
    /// The words of the name.
    pub words: Phrase,
    /// The words of each room.
    pub rooms: Vec<Phrase>,
}

impl Floor {
    /// Groups rooms by floor. Each pair is a floor and a room on it.
    pub fn of_rooms<'r>(rooms: impl Iterator<Item = (&'r str, &'r str)>) -> Vec<Self> {
        let mut floors: Vec<Self> = Vec::new();
        for (floor, room) in rooms {
            let room = Phrase::new(room);
            match floors.iter_mut().find(|existing| existing.text == floor) {
                Some(existing) if existing.rooms.contains(&room) => {}
                Some(existing) => existing.rooms.push(room),
                None => floors.push(Self {
                    text: floor.to_owned(),
                    words: Phrase::new(floor),
                    rooms: vec![room],
                }),
            }
        }
        floors
    }

    /// Returns the words of the name and of the rooms.
    pub(super) fn phrases_mut(&mut self) -> impl Iterator<Item = &mut Phrase> {
        self.rooms.iter_mut().chain([&mut self.words])
    }

    /// Returns true if a device's room is on this floor.
    pub fn has(&self, device: &Device) -> bool {
        let device_room = device.room_words.key();
        self.rooms.iter().any(|room| room.key() == device_room)
    }
}

impl OwnWords {
    /// Parses the content of a file.
    ///
    /// # Errors
    /// Names the line that is wrong and its fault. An alias may be what hides or guards a device, so nothing of
    /// the file may be ignored.
    pub fn read(file: &str) -> Result<Self, String> {
        let own_words: Self = toml::from_str(file).map_err(|error| {
            let before = error.span().and_then(|span| file.get(..span.start));
            let line = before.unwrap_or_default().matches('\n').count() + 1;
            format!("line {line}: {}", error.message())
        })?;
        if own_words.aliases.len() + own_words.floors.len() > MAX_ENTRIES {
            return Err(format!("it has more than {MAX_ENTRIES} aliases and floors"));
        }
        let keys = own_words.aliases.keys().chain(own_words.floors.keys());
        let devices = own_words.aliases.values();
        let mut words = keys.chain(devices).chain(own_words.floors.values().flatten());
        match words.find(|word| bounds::is_too_long(word)) {
            Some(word) => Err(format!(
                "\"{}\" is longer than {} characters",
                text::name(word),
                bounds::INPUT
            )),
            None => Ok(own_words),
        }
    }

    /// Gives the devices their aliases. Skips an alias if no device or several devices match it.
    pub(super) fn add_aliases(&self, devices: &mut [Device]) {
        for (alias, device) in &self.aliases {
            let Some(pattern) = Pattern::read(device) else {
                continue;
            };
            let matching = devices.iter_mut().filter(|device| pattern.matches_shown_name(device));
            if let Some(device) = only(matching) {
                device.own_names.push(Name::new(alias));
            }
        }
    }

    pub(super) fn floors(&self) -> Vec<Floor> {
        self.floors
            .iter()
            .map(|(floor, rooms)| Floor {
                text: text::name(floor),
                words: Phrase::new(floor),
                rooms: rooms.iter().map(|room| Phrase::new(room)).collect(),
            })
            .collect()
    }

    /// Describes the aliases and floors that don't fit the house's devices. `languages` are those of the house.
    pub(super) fn problems(&self, devices: &[Device], languages: LanguageSet) -> Vec<String> {
        let mut problems = Vec::new();
        for (alias, device) in &self.aliases {
            let count = Pattern::read(device).map_or(0, |pattern| {
                devices.iter().filter(|device| pattern.matches_shown_name(device)).count()
            });
            match count {
                0 => problems.push(format!(
                    "--names: there is no device \"{device}\" for \"{alias}\"; write the device's room, a \
                     slash and its name"
                )),
                1 => {}
                count => problems.push(format!(
                    "--names: \"{alias}\" is for {count} devices called \"{device}\"; write the room and a \
                     slash before the name"
                )),
            }
        }
        for (floor, rooms) in &self.floors {
            for room in rooms {
                let words = Phrase::in_languages(room, languages);
                let mut rooms = devices.iter().map(|device| device.room_words.key());
                if !rooms.any(|key| key == words.key()) {
                    problems.push(format!(
                        "--names: there is no room \"{room}\" for the floor \"{floor}\""
                    ));
                }
            }
        }
        problems
    }
}

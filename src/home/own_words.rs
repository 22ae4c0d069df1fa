//! The owner's own words: aliases for devices, and floors of rooms (`docs/NAMES.md#your-own-words`).

use toml::{Table, Value};

use super::device::{Device, Name};
use super::pattern::Pattern;
use super::phrase::Phrase;
use super::text;

/// The file of `--names`, as it was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnWords {
    /// Each alias with the device that it is for, as they are written.
    aliases: Vec<(String, String)>,
    floors: Vec<(String, Vec<String>)>,
    problems: Vec<OwnWordProblem>,
}

/// A line of the file that counts for nothing, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OwnWordProblem {
    /// A line is no TOML.
    #[error("--names, line {line}: it is not TOML ({why}); the other lines count")]
    NotToml {
        /// The line, from 1.
        line: usize,
        /// The first line of what is wrong with it.
        why: String,
    },
    /// An entry has another form.
    #[error(
        "--names: \"{0}\" must be \"alias\" = \"room/name\" in [aliases], or \"floor\" = [\"room\", …] in [floors]"
    )]
    WrongForm(String),
    /// An alias is for a device that is not there.
    #[error(
        "--names: there is no device \"{device}\" for \"{alias}\"; write its room, a slash and its name"
    )]
    NoDevice {
        /// The alias.
        alias: String,
        /// The device as it is written.
        device: String,
    },
    /// An alias is for several devices.
    #[error(
        "--names: \"{alias}\" is for {count} devices called \"{device}\"; write the room and a slash before the name"
    )]
    SeveralDevices {
        /// The alias.
        alias: String,
        /// The device as it is written.
        device: String,
        /// How many it fits.
        count: usize,
    },
    /// A floor has a room that is not there.
    #[error("--names: there is no room \"{room}\" for the floor \"{floor}\"")]
    NoRoom {
        /// The floor.
        floor: String,
        /// The room as it is written.
        room: String,
    },
}

/// Rooms that are named together.
#[derive(Clone, Debug, PartialEq)]
pub struct Floor {
    /// As it is shown.
    pub text: String,
    /// Its words.
    pub words: Phrase,
    /// The words of each of its rooms.
    pub rooms: Vec<Phrase>,
}

impl Floor {
    /// The floors of rooms, each pair a floor and a room on it.
    pub fn of_rooms(rooms: impl Iterator<Item = (String, String)>) -> Vec<Self> {
        let mut floors: Vec<Self> = Vec::new();
        for (floor, room) in rooms {
            let at = floors.iter().position(|known| known.text == floor);
            let at = at.unwrap_or_else(|| {
                floors.push(Self {
                    words: Phrase::new(&floor),
                    text: floor,
                    rooms: Vec::new(),
                });
                floors.len() - 1
            });
            let room = Phrase::new(&room);
            if let Some(known) = floors.get_mut(at)
                && !known.rooms.contains(&room)
            {
                known.rooms.push(room);
            }
        }
        floors
    }

    /// Returns true if a device's room is on it.
    pub fn has(&self, device: &Device) -> bool {
        let room = device.room_words.key();
        self.rooms.iter().any(|own| own.key() == room)
    }
}

impl OwnWords {
    /// Reads a file. A line that is no TOML, or has another form, is left out and told.
    pub fn read(file: &str) -> Self {
        let mut own = Self::default();
        let mut lines: Vec<&str> = file.lines().collect();
        let table = loop {
            let text = lines.join("\n");
            match text.parse::<Table>() {
                Ok(table) => break table,
                Err(error) => {
                    let before = error.span().and_then(|span| text.get(..span.start));
                    let line = before.unwrap_or_default().matches('\n').count();
                    own.problems.push(OwnWordProblem::NotToml {
                        line: line + 1,
                        why: error.message().lines().collect(),
                    });
                    match lines.get_mut(line) {
                        Some(wrong) if !wrong.is_empty() => *wrong = "",
                        _ => break Table::new(),
                    }
                }
            }
        };
        for (section, entries) in &table {
            let Some(entries) = entries.as_table() else {
                own.problems
                    .push(OwnWordProblem::WrongForm(section.clone()));
                continue;
            };
            for (key, value) in entries {
                own.add(section, key, value);
            }
        }
        own
    }

    fn add(&mut self, section: &str, key: &str, value: &Value) {
        let texts = |value: &Value| {
            let all = value.as_array()?.iter();
            all.map(|text| text.as_str().map(str::to_owned)).collect()
        };
        match (section, value.as_str(), texts(value)) {
            ("aliases", Some(device), _) => self.aliases.push((key.to_owned(), device.to_owned())),
            ("floors", _, Some(rooms)) => self.floors.push((key.to_owned(), rooms)),
            _ => self
                .problems
                .push(OwnWordProblem::WrongForm(key.to_owned())),
        }
    }

    /// Gives each device its aliases.
    pub(super) fn name(&self, devices: &mut [Device]) {
        for (alias, device) in &self.aliases {
            let Some(pattern) = Pattern::read(device) else {
                continue;
            };
            let mut meant = devices.iter_mut().filter(|own| pattern.names_as_shown(own));
            if let (Some(one), None) = (meant.next(), meant.next()) {
                one.own_names.push(Name::new(alias));
            }
        }
    }

    /// The floors, with their rooms.
    pub(super) fn floors(&self) -> Vec<Floor> {
        let floors = self.floors.iter().map(|(floor, rooms)| Floor {
            text: text::name(floor),
            words: Phrase::new(floor),
            rooms: rooms.iter().map(|room| Phrase::new(room)).collect(),
        });
        floors.collect()
    }

    /// Everything in the file that counts for nothing in this house.
    pub(super) fn problems(&self, devices: &[Device]) -> Vec<OwnWordProblem> {
        let mut problems = self.problems.clone();
        for (alias, device) in &self.aliases {
            let pattern = Pattern::read(device);
            let fits = |own: &&Device| pattern.as_ref().is_some_and(|one| one.names_as_shown(own));
            let (alias, device) = (alias.clone(), device.clone());
            match devices.iter().filter(fits).count() {
                0 => problems.push(OwnWordProblem::NoDevice { alias, device }),
                1 => {}
                count => problems.push(OwnWordProblem::SeveralDevices {
                    alias,
                    device,
                    count,
                }),
            }
        }
        for (floor, rooms) in &self.floors {
            let is_there = |room: &String| {
                let words = Phrase::new(room);
                devices
                    .iter()
                    .any(|device| device.room_words.key() == words.key())
            };
            let missing = rooms.iter().filter(|room| !is_there(room));
            problems.extend(missing.map(|room| OwnWordProblem::NoRoom {
                floor: floor.clone(),
                room: room.clone(),
            }));
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_toml_stops_nothing_but_itself() {
        let own = OwnWords::read(
            "[aliases]\n\"reading light\" = \"Living Room/Floor Lamp\"\nnonsense here\n[floors]\nupstairs = [\"Bedroom\", \"Bath\"]\n",
        );
        assert_eq!(own.aliases.len(), 1);
        assert_eq!(own.floors.len(), 1);
        assert!(matches!(
            own.problems[..],
            [OwnWordProblem::NotToml { line: 3, .. }]
        ));
    }

    #[test]
    fn an_entry_of_another_form_is_told() {
        let own =
            OwnWords::read("[aliases]\nlamp = 3\n[floors]\nup = \"Bath\"\n[rooms]\na = \"b\"\n");
        let wrong = ["lamp", "up", "a"].map(|key| OwnWordProblem::WrongForm(key.to_owned()));
        assert_eq!(own.problems.len(), 3);
        assert!(wrong.iter().all(|problem| own.problems.contains(problem)));
    }

    proptest::proptest! {
        #[test]
        fn any_file_is_read(file in "(\\PC{0,30}\n){0,8}") {
            OwnWords::read(&file);
        }
    }
}

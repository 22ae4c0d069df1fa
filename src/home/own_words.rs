//! The owner's own words: aliases for devices, and names for floors (`docs/NAMES.md#your-own-words`).

use toml::{Table, Value};

use super::device::{Device, Name};
use super::only;
use super::pattern::Pattern;
use super::phrase::Phrase;
use super::text;

/// The content of the file for `--names`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnWords {
    /// Each alias with its device, as the file names the device.
    aliases: Vec<(String, String)>,
    /// Each floor with its rooms.
    floors: Vec<(String, Vec<String>)>,
    /// A sentence for each line or entry that is ignored.
    problems: Vec<String>,
}

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

    /// Returns true if a device's room is on this floor.
    pub fn has(&self, device: &Device) -> bool {
        let device_room = device.room_words.key();
        self.rooms.iter().any(|room| room.key() == device_room)
    }
}

impl OwnWords {
    /// Reads the content of a file. Invalid lines and entries are skipped and become problems.
    pub fn read(file: &str) -> Self {
        let mut own_words = Self::default();
        let table = read_table(file, &mut own_words.problems);
        for (section, entries) in &table {
            let Some(entries) = entries.as_table() else {
                own_words.problems.push(wrong_form(section));
                continue;
            };
            for (key, value) in entries {
                own_words.add(section, key, value);
            }
        }
        own_words
    }

    fn add(&mut self, section: &str, key: &str, value: &Value) {
        match (section, value.as_str(), value.clone().try_into()) {
            ("aliases", Some(device), _) => self.aliases.push((key.to_owned(), device.to_owned())),
            ("floors", _, Ok(rooms)) => self.floors.push((key.to_owned(), rooms)),
            _ => self.problems.push(wrong_form(key)),
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

    /// Describes the problems in the file, and the aliases and floors that don't fit the house's devices.
    pub(super) fn problems(&self, devices: &[Device]) -> Vec<String> {
        let mut problems = self.problems.clone();
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
                let words = Phrase::new(room);
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

/// Parses a file. Each invalid line is skipped and becomes a problem.
fn read_table(file: &str, problems: &mut Vec<String>) -> Table {
    let mut lines: Vec<&str> = file.lines().collect();
    loop {
        let text = lines.join("\n");
        let error = match text.parse() {
            Ok(table) => return table,
            Err(error) => error,
        };
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.unwrap_or_default().matches('\n').count();
        let why: String = error.message().lines().collect();
        problems.push(format!(
            "--names, line {}: it is not valid TOML ({why}); the other lines count",
            line + 1
        ));
        // Parse again without the line. If the line is already empty, the error is elsewhere: ignore the file.
        match lines.get_mut(line) {
            Some(invalid) if !invalid.is_empty() => *invalid = "",
            _ => return Table::new(),
        }
    }
}

fn wrong_form(entry: &str) -> String {
    format!(
        "--names: \"{entry}\" must be \"alias\" = \"room/name\" in [aliases], or \"floor\" = [\"room\", …] in \
         [floors]"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_not_toml_is_skipped_and_reported() {
        let own_words = OwnWords::read(
            "[aliases]\n\"reading light\" = \"Living Room/Floor Lamp\"\nnonsense here\n[floors]\nupstairs = [\"Bedroom\", \"Bath\"]\n",
        );
        assert_eq!(own_words.aliases.len(), 1);
        assert_eq!(own_words.floors.len(), 1);
        assert_eq!(own_words.problems.len(), 1);
        assert!(own_words.problems[0].starts_with("--names, line 3: it is not valid TOML ("));
    }

    #[test]
    fn an_entry_of_the_wrong_form_is_reported() {
        let own_words =
            OwnWords::read("[aliases]\nlamp = 3\n[floors]\nup = \"Bath\"\n[rooms]\na = \"b\"\n");
        let expected = ["lamp", "up", "a"].map(wrong_form);
        assert_eq!(own_words.problems.len(), 3);
        assert!(expected.iter().all(|problem| own_words.problems.contains(problem)));
    }

    proptest::proptest! {
        #[test]
        fn any_file_is_read(file in "(\\PC{0,30}\n){0,8}") {
            OwnWords::read(&file);
        }
    }
}

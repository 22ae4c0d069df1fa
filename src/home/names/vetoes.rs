//! Vetoes: rules against readings that account for every word and still must not be acted on.

use super::account::{Grade, NameReading, find_readings};
use super::index::{Names, reads_alike};
use super::said::{RoomPart, Said};
use crate::category::Category;
use crate::device::Device;
use crate::language;
use crate::phrase::Phrase;
use crate::word::Word;

/// The facts that the vetoes need besides a reading.
struct Case<'c, 'a> {
    names: &'c Names<'a>,
    /// True if a room was said by its whole name.
    has_room: bool,
}

/// Finds the readings of what was said, and applies the vetoes to them.
pub(super) fn judge_readings<'a>(names: &Names<'a>, forms: &[Said]) -> Vec<NameReading<'a>> {
    let mut readings = find_readings(names, forms);
    let case = Case {
        names,
        has_room: forms.iter().any(|said| !said.whole_rooms(names).is_empty()),
    };
    readings.retain(|reading| !Case::STRIKING.iter().any(|strikes| strikes(&case, reading)));
    for reading in &mut readings {
        // "Small lamp" is not plainly the lamp in the Small Bedroom.
        if case.is_by_part_of_room(reading) {
            reading.grade = Grade::Doubtful;
        }
        // "Kitchen 2" or "light 2" is not plainly Ceiling 2, and "kitchen" is not plainly a lamp called Kitchen.
        reading.weak = case.says_only_number(reading) || case.is_called_like_room(reading);
    }
    lower_names_with_kind(names, &mut readings);
    readings
}

/// Lowers the grade of each whole name that was said with a word for its kind, if another target has a
/// reading without such a word. "Path light" may be a light called Path, or a part of the name Path Light 2.
/// The light called Path gets the grade of Path Light 2, `Grade::Part`, or of another target if that is better, so that
/// the answer asks which is meant. For control, a device that only reports does not win over the lowered ones, unless
/// nothing but its name was said.
fn lower_names_with_kind(names: &Names, readings: &mut [NameReading]) {
    let is_name_with_kind = |reading: &NameReading| {
        reading.grade == Grade::Name
            && !reading.hidden
            && reading.qualifiers.kind.is_some()
            && reading.qualifiers.tag.is_none()
    };
    let may_win = |reading: &NameReading| {
        !is_name_with_kind(reading) && !reading.weak && !reading.hidden && reading.controls()
    };
    let best_rival = |reading: &NameReading| {
        let is_rival = |other: &&NameReading| may_win(other) && other.target != reading.target;
        let rivals = || readings.iter().filter(is_rival);
        let is_plain = rivals().any(|rival| rival.qualifiers.kind.is_none());
        rivals().map(|rival| rival.grade).min().filter(|_| is_plain)
    };
    let lower = |reading| is_name_with_kind(reading).then(|| best_rival(reading)).flatten();
    let lowered: Vec<Option<Grade>> = readings.iter().map(lower).collect();
    for (reading, lowered) in readings.iter_mut().zip(&lowered) {
        reading.grade = lowered.unwrap_or(reading.grade);
    }
    let has_lowered = lowered.into_iter().flatten().any(|grade| grade > Grade::Name);
    if has_lowered && names.is_to_control() {
        let only_reports = |reading: &&mut NameReading| {
            !reading.hidden && !reading.controls() && !reading.is_bare()
        };
        for reading in readings.iter_mut().filter(only_reports) {
            reading.weak = true;
        }
    }
}

impl Case<'_, '_> {
    /// The tests that drop the readings for which they return true.
    const STRIKING: [fn(&Self, &NameReading) -> bool; 4] = [
        // To be controlled, a device that only reports must be said by its whole name.
        Self::only_reports,
        // "2" alone is not Ceiling 2.
        Self::is_bare_number,
        // "Switch" is never the Freezer.
        Self::is_essential_by_kind,
        // "Kitchen lamp" is no lamp in another room.
        Self::is_elsewhere,
    ];

    /// Returns true if the device can't be meant, because it is not in the room that was said. A device
    /// elsewhere may be meant if its name has all the words, and at least one word is neither a number nor a
    /// word for a room or kind. In a house with a kitchen, "kitchen cabinet" may mean the Kitchen Cabinet
    /// Lamp in the hall, but "kitchen lamp" does not.
    fn is_elsewhere(&self, reading: &NameReading) -> bool {
        // In the better grades, the device is in the said room, or was said by its whole name or a tag.
        if reading.grade != Grade::Part || !self.has_room {
            return false;
        }
        let is_distinctive =
            |word: &Word| self.is_distinctive(word) && !self.names.is_room_word(word);
        reading.qualifiers.kind.is_some() || !reading.name_words.iter().any(is_distinctive)
    }

    /// Returns true if the whole name that was said is also the name of a room with other devices, and no room,
    /// tag or gateway was said with it: "kitchen" for a lamp called Kitchen. If a kind was said too ("kitchen
    /// light"), only devices of that kind count among the others in the room.
    fn is_called_like_room(&self, reading: &NameReading) -> bool {
        let kind = reading.qualifiers.kind;
        let Some(device) = reading.device() else {
            return false;
        };
        let is_hidden_with_kind = reading.hidden && kind.is_some();
        if reading.grade != Grade::Name || is_hidden_with_kind || reading.qualifiers.tells_apart() {
            return false;
        }
        let mut names = device.names_with_node();
        let Some(name) = names.find(|name| is_whole_name(&reading.name_words, &name.words)) else {
            return false;
        };
        if language::kind(&name.words.collect_main_words(), self.names.languages).is_some() {
            return false;
        }
        let is_other = |other: &&Device| {
            other.id.node() != device.id.node()
                && kind.is_none_or(|kind| other.categories.has(kind))
        };
        let mut rooms = self.names.rooms.iter();
        rooms.any(|room| {
            reads_alike(room.words, &name.words) && self.names.devices_in(room).iter().any(is_other)
        })
    }

    fn only_reports(&self, reading: &NameReading) -> bool {
        self.names.is_to_control() && reading.grade != Grade::Name && !reading.controls()
    }

    fn is_bare_number(&self, reading: &NameReading) -> bool {
        self.says_only_number(reading) && reading.is_bare()
    }

    /// Returns true if a word is neither a number nor a word for a kind.
    fn is_distinctive(&self, word: &Word) -> bool {
        language::kind(&[word], self.names.languages).is_none() && !word.is_number()
    }

    /// Returns true if nothing but the number of a longer name was said, perhaps with a room, or with a kind that
    /// is not in the name: "2", "kitchen 2" or "light 2" for a Ceiling 2.
    fn says_only_number(&self, reading: &NameReading) -> bool {
        let is_number =
            |word: &Word| word.is_number() || matches!(word.text(), "node" | "nodeid" | "endpoint");
        let has_kind_of_name = || {
            let said = reading.device().zip(reading.qualifiers.kind);
            said.is_some_and(|(device, kind)| says_kind(self.names, device, kind))
        };
        !reading.name_words.is_empty()
            && reading.name_words.iter().all(is_number)
            && !reading.complete
            && reading.qualifiers.tag.is_none()
            && !has_kind_of_name()
    }

    /// Returns true if a device that keeps the house going, such as a freezer's outlet, was said only by a word
    /// for a kind that is not in its name, perhaps with a room.
    fn is_essential_by_kind(&self, reading: &NameReading) -> bool {
        let (Some(device), Some(kind)) = (reading.device(), reading.qualifiers.kind) else {
            return false;
        };
        reading.name_words.is_empty()
            && reading.qualifiers.tag.is_none()
            && device.is_essential_by_name
            && !says_kind(self.names, device, kind)
    }

    /// Returns true if a single word of one room's name was said, and perhaps does not mean the room: some device's
    /// name has that word too, or only numbers and kinds were said with it ("small lamp" in the Small Bedroom).
    fn is_by_part_of_room(&self, reading: &NameReading) -> bool {
        match reading.qualifiers.room {
            RoomPart::Word {
                shared: false,
                named,
            } => named || !reading.name_words.iter().any(|word| self.is_distinctive(word)),
            _ => false,
        }
    }
}

/// Returns true if the said words are all the words of a name, and no others.
fn is_whole_name(said: &[Word], name: &Phrase) -> bool {
    let is_said = |own: &Word| said.iter().any(|word| word.is(own));
    name.main_words().count() == said.len() && name.main_words().all(is_said)
}

/// Returns true if a device's own name has a word for this kind.
pub(super) fn says_kind(names: &Names, device: &Device, kind: Category) -> bool {
    let name = device.name.words.collect_main_words();
    let kinds = language::kinds_in_name(&name, names.languages);
    kinds.iter().any(|named| named.category == kind)
}

/// Returns the devices that may be meant by a name that is a bare plural, such as "Lights": the device with
/// this name, and all devices of that kind on other nodes. Returns `None` if the name is not a plural, if a
/// room, tag or gateway was said, or if no other node has such a device.
pub(super) fn devices_of_plural<'a>(
    names: &Names<'a>,
    reading: &NameReading<'a>,
) -> Option<Vec<&'a Device>> {
    if reading.qualifiers.tells_apart() {
        return None;
    }
    let words: Vec<&Word> =
        reading.name_words.iter().filter(|word| !language::is_all(word)).collect();
    let kind = language::kind(&words, names.languages).filter(|kind| kind.plural)?;
    let targets = reading.target.devices();
    let is_of_same_node = |device: &Device| {
        let node = (device.id.node(), &device.id.gateway);
        targets.iter().any(|target| (target.id.node(), &target.id.gateway) == node)
    };
    let others = names
        .devices
        .iter()
        .copied()
        .filter(|device| device.categories.has(kind.category) && !is_of_same_node(device));
    let all: Vec<&Device> = targets.iter().copied().chain(others).collect();
    (all.len() > targets.len()).then_some(all)
}

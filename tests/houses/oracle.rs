//! The oracle: a second, simple statement of the rules for names, independent of the resolver. It resolves no
//! phrases, but checks the meaning that the server gave them.
//!
//! A server that always asks would break no rule. Therefore, the cases of the house files check that the
//! right device moves.

use std::collections::BTreeSet;

use super::meant::Meant;
use super::model::House;
use super::moves::{Move, count_devices};
use super::thing::{Thing, list_things};
use super::words::{
    CERTAIN_KINDS, Family, QUANTIFIERS, ROOMS, UNINFLECTED, fold, is_number, is_same, plural_kind,
    singular_kind, split_words,
};

/// A rule in words, and a function that returns true if moving this thing breaks the rule.
type Rule<T> = (&'static str, fn(&T, &Thing) -> bool);

/// A phrase in a house.
struct SaidPhrase<'a> {
    things: &'a [Thing],
    /// The words of the phrase, as [`split_words`] returns them.
    said: Vec<String>,
    /// The phrase as it was said.
    text: &'a str,
}

/// Returns the rule that this meaning of a phrase breaks, if any. A phrase with a repeated word is not
/// checked, because that word may belong both to a room and to a name.
pub fn find_broken_rule(house: &House, said: &str, meant: &Meant) -> Option<String> {
    if repeats_a_word(said) {
        return None;
    }
    let things = list_things(house);
    let mut phrase = SaidPhrase {
        things: &things,
        said: split_words(said),
        text: said,
    };
    if let Some(count) = phrase.take_count() {
        let members: BTreeSet<Move> = match meant {
            Meant::Nothing => return None,
            // The number may be part of the device's name, as in "2 Lamps".
            Meant::One(moved) if moved.expand(house).len() == 1 => {
                phrase.said = split_words(said);
                BTreeSet::new()
            }
            Meant::One(moved) => moved.expand(house),
            Meant::Set(moves) => moves.clone(),
        };
        // A strip may count as one device, or as several: its outlets.
        let counts = [members.len(), count_devices(house, &members)];
        if !members.is_empty() && !counts.contains(&count) {
            return Some("a count is the number of devices that move".to_owned());
        }
    }
    match meant {
        Meant::Nothing => None,
        Meant::One(moved) => {
            let chosen = things.iter().find(|thing| thing.moved == *moved);
            phrase.find_rule_broken_by_one(chosen?)
        }
        Meant::Set(moves) => {
            let members = things.iter().filter(|thing| moves.contains(&thing.moved));
            phrase.find_rule_broken_by_set(&members.collect::<Vec<_>>())
        }
    }
}

fn repeats_a_word(text: &str) -> bool {
    let words: Vec<String> = text.split_whitespace().map(fold).collect();
    let distinct: BTreeSet<&String> = words.iter().collect();
    distinct.len() < words.len()
}

/// Returns true if a phrase names several devices, by a plural or a quantifier.
pub fn names_several(said: &str) -> bool {
    split_words(said).iter().any(|word| is_for_several(word))
}

fn is_for_several(word: &str) -> bool {
    plural_kind(word).is_some() || QUANTIFIERS.contains(&word)
}

impl SaidPhrase<'_> {
    /// Removes and returns a whole number, except 1, that is directly before a plural.
    fn take_count(&mut self) -> Option<usize> {
        let is_quantified = self.said.iter().any(|word| QUANTIFIERS.contains(&word.as_str()));
        let is_plural = |word: &str| {
            plural_kind(word).is_some() || is_quantified && UNINFLECTED.contains(&word)
        };
        let index = self.said.windows(2).position(|pair| {
            let is_count = is_number(&pair[0]) && !pair[0].contains('.') && pair[0] != "1";
            is_count && is_plural(&pair[1])
        })?;
        self.said.remove(index).parse().ok()
    }

    fn visible(&self) -> impl Iterator<Item = &Thing> {
        self.things.iter().filter(|thing| !thing.is_hidden)
    }

    /// Returns the things that are not hidden and can be controlled.
    fn controllable(&self) -> impl Iterator<Item = &Thing> {
        self.visible().filter(|thing| thing.is_controllable)
    }

    fn names_several(&self) -> bool {
        self.said.iter().any(|word| is_for_several(word))
    }

    fn find_rule_broken_by_one(&self, chosen: &Thing) -> Option<String> {
        let rules: [Rule<Self>; 9] = [
            ("a hidden device never moves", |_, chosen| chosen.is_hidden),
            ("every word refers to what moves", Self::has_unknown_words),
            ("a number alone names nothing", Self::is_just_a_number),
            (
                "the name of a hidden device selects no other device",
                Self::is_name_of_hidden,
            ),
            (
                "no other device has the name that is said",
                Self::is_name_of_another,
            ),
            ("a room alone names nothing", Self::is_just_a_room),
            (
                "in the room of the phrase, no other device fits",
                Self::another_in_room_fits,
            ),
            (
                "a device in another room moves only if its name has all words of the phrase",
                Self::is_in_another_room,
            ),
            ("no other device fits by name or kind", Self::another_fits),
        ];
        let broken = rules.iter().find(|(_, breaks)| breaks(self, chosen));
        broken.map(|(rule, _)| (*rule).to_owned())
    }

    fn has_unknown_words(&self, chosen: &Thing) -> bool {
        let is_known = |word: &String| {
            chosen.may_explain(word, &self.said) || QUANTIFIERS.contains(&word.as_str())
        };
        !self.said.iter().all(is_known)
    }

    fn is_just_a_number(&self, chosen: &Thing) -> bool {
        let is_of_number = |word: &String| is_number(word) || word == "node";
        let tag = ["node".to_owned(), chosen.node().to_string()];
        self.said.iter().all(is_of_number) && !chosen.is_called(&self.said) && self.said != tag
    }

    fn is_name_of_hidden(&self, _: &Thing) -> bool {
        self.things
            .iter()
            .filter(|thing| thing.is_hidden)
            .any(|thing| thing.is_called(&self.said))
            && !self.visible().any(|thing| thing.may_be_called(&self.said))
    }

    fn is_name_of_another(&self, chosen: &Thing) -> bool {
        // Answers offer a device by its room and name. Exactly this text selects the device, unless
        // the whole text is the name of another device.
        let has_this_name = |thing: &Thing| thing.shown.1 == self.text;
        let (room, name) = &chosen.shown;
        if format!("{room} {name}") == self.text && !self.controllable().any(has_this_name) {
            return false;
        }
        // A phrase such as "node 12" selects a node by its number.
        let says_node = self.said.iter().any(|word| word == "node");
        // A name fits best if it has exactly the words of the phrase in the same order. It fits less well if
        // the order differs, and even less if the phrase adds a word for the kind.
        let is_as_good = |thing: &Thing| {
            let is_reordered =
                thing.is_exactly_called(&self.said) && !thing.is_called_to_the_letter(&self.said);
            let needs_kind = !thing.is_called_without_kind(&self.said);
            let is_worse = chosen.is_exactly_called(&self.said) && needs_kind
                || chosen.is_called_to_the_letter(&self.said) && is_reordered;
            !is_worse
        };
        let mut called = self.controllable().filter(|thing| thing.is_called(&self.said));
        !says_node && called.any(|thing| !thing.overlaps(chosen) && is_as_good(thing))
    }

    fn is_just_a_room(&self, chosen: &Thing) -> bool {
        let is_common_room = ROOMS
            .iter()
            .any(|room| split_words(room) == self.said && *room != "Guest Bedroom");
        if !is_common_room && !self.visible().any(|thing| thing.room == self.said) {
            return false;
        }
        if !chosen.may_be_called(&self.said) {
            return true;
        }
        // A device outside the room may have the room's name. The phrase may select this device only if no
        // other device is in the room.
        let mut others = self.controllable().filter(|thing| !thing.overlaps(chosen));
        chosen.room != self.said && others.any(|thing| thing.room == self.said)
    }

    /// Returns the room whose words are all in the phrase. If there are several, returns the one with the
    /// most words. Returns `None` if another of them has a word that this one lacks.
    fn room(&self) -> Option<&[String]> {
        let is_said = |room: &&[String]| {
            let is_word_said =
                |room_word: &String| self.said.iter().any(|word| is_same(word, room_word));
            !room.is_empty() && room.iter().all(is_word_said)
        };
        let mut rooms: Vec<&[String]> =
            self.visible().map(|thing| thing.room.as_slice()).filter(is_said).collect();
        rooms.sort_by_key(|room| std::cmp::Reverse(room.len()));
        let longest = *rooms.first()?;
        let is_within = |room: &&[String]| room.iter().all(|word| longest.contains(word));
        rooms.iter().all(is_within).then_some(longest)
    }

    /// Returns the words of the phrase that are not in the name of the room.
    fn words_without(&self, room: &[String]) -> Vec<&str> {
        self.said
            .iter()
            .map(String::as_str)
            .filter(|word| !room.iter().any(|room_word| is_same(word, room_word)))
            .collect()
    }

    /// Returns true if the phrase possibly contains the device's whole name, or contains the word "node".
    fn is_by_whole_name(&self, chosen: &Thing) -> bool {
        chosen.may_be_called(&self.said) || self.said.iter().any(|word| word == "node")
    }

    fn fitting_in_room(&self, room: &[String]) -> Vec<&Thing> {
        let words = self.words_without(room);
        self.controllable()
            .filter(|thing| thing.room == room)
            .filter(|thing| thing.fits(&words))
            .collect()
    }

    fn another_in_room_fits(&self, chosen: &Thing) -> bool {
        let Some(room) = self.room() else {
            return false;
        };
        if chosen.is_called(&self.said) || self.is_by_name_in_room(chosen, room) {
            return false;
        }
        let fitting = self.fitting_in_room(room);
        // A device in another room may be chosen by its whole name, unless `room` has a device of the kind
        // that is said.
        let is_by_name_elsewhere = self.is_by_whole_name(chosen) && chosen.room != room;
        let kind = self.said.iter().find_map(|word| singular_kind(word));
        let has_kind = kind.is_some_and(|kind| {
            CERTAIN_KINDS.contains(&kind) && fitting.iter().any(|thing| thing.is_certainly(kind))
        });
        (!is_by_name_elsewhere || has_kind) && fitting.iter().any(|thing| !thing.overlaps(chosen))
    }

    /// Returns true if the chosen device is in this room, and the phrase may be its name but not the name of
    /// another device there. A phrase with a word for a kind does not count as a name.
    fn is_by_name_in_room(&self, chosen: &Thing, room: &[String]) -> bool {
        chosen.room == room
            && chosen.may_be_called(&self.said)
            && !self
                .fitting_in_room(room)
                .iter()
                .any(|thing| !thing.overlaps(chosen) && thing.may_be_called(&self.said))
            && !self.words_without(room).iter().any(|word| singular_kind(word).is_some())
    }

    fn is_in_another_room(&self, chosen: &Thing) -> bool {
        let Some(room) = self.room() else {
            return false;
        };
        if chosen.room == room || self.is_by_whole_name(chosen) {
            return false;
        }
        // The phrase does not have the whole name. So all words of the phrase, even those for the room, must
        // be in the name.
        !chosen.may_have_in_name(&self.said) && !chosen.room.is_empty()
    }

    fn another_fits(&self, chosen: &Thing) -> bool {
        if self.room().is_some() || self.is_by_whole_name(chosen) || self.names_several() {
            return false;
        }
        let words: Vec<&str> = self.said.iter().map(String::as_str).collect();
        if !chosen.fits(&words) {
            // The device was chosen by a word of its room or by a synonym, which this rule does not cover.
            return false;
        }
        // If the phrase names a room and the chosen device is in no room, the room's name is part of the
        // device's name. Devices in a room then do not compete with the chosen device.
        let names_room = ROOMS.iter().any(|room| words.contains(&fold(room).as_str()));
        let is_place_in_name = names_room && chosen.room.is_empty();
        self.controllable().any(|thing| {
            let competes = !is_place_in_name || thing.room.is_empty();
            thing.fits(&words) && !thing.overlaps(chosen) && competes
        })
    }

    fn find_rule_broken_by_set(&self, members: &[&Thing]) -> Option<String> {
        if !self.names_several() {
            return Some("a singular never names a set".to_owned());
        }
        if members.iter().any(|thing| thing.is_hidden) {
            return Some("a set has no hidden member".to_owned());
        }
        let kinds: Vec<Family> = self.said.iter().filter_map(|word| plural_kind(word)).collect();
        let is_of_another_kind = |thing: &Thing| {
            let is_heater = thing.kinds.contains(&Family::Heater);
            let heats = |kind| {
                thing.technical_kind == Family::Thermostat
                    && (kind == Family::Heater || kind == Family::Thermostat && is_heater)
            };
            let is_of = |kind: &Family| {
                thing.kinds.contains(kind) || *kind == Family::Switch || heats(*kind)
            };
            !kinds.iter().any(is_of)
        };
        if !kinds.is_empty() && members.iter().any(|thing| is_of_another_kind(thing)) {
            return Some("every member of a set is of the kind that is said".to_owned());
        }
        if let Some(room) = self.room()
            && members.iter().any(|thing| thing.room != room && !thing.room.is_empty())
        {
            return Some("every member of a set is in the room that is said".to_owned());
        }
        let is_unknown = |word: &&String| {
            !is_for_several(word)
                && !members.iter().all(|thing| thing.may_explain(word, &self.said))
        };
        let unknown = self.said.iter().find(is_unknown);
        unknown.map(|word| format!("\"{word}\" does not refer to every member of the set"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial;

    /// The rule that the cases of the houses may break, because the oracle knows only some of their words.
    const UNKNOWN_WORD: &str = "every word refers to what moves";

    #[test]
    fn the_cases_of_the_house_files_break_no_rule() {
        for file in crate::HOUSES {
            let mut house = trial::read_house(file);
            // The oracle drops repeated words, so it can't tell "Test Test" from "Test".
            house.devices.retain(|entry| !repeats_a_word(&entry.name));
            for case in &house.cases {
                // For "garage" and `close`, the action decides which device is meant. The oracle does not
                // know actions.
                let is_decided_by_action = case.say == "garage" && case.action == "close";
                if let Some([moved]) = case.moves.as_deref()
                    && !is_decided_by_action
                {
                    let broken = find_broken_rule(&house, &case.say, &Meant::One(*moved))
                        .filter(|rule| rule != UNKNOWN_WORD);
                    assert_eq!(broken, None, "{file}: {case} moves {moved}");
                }
            }
        }
    }

    #[test]
    fn a_wrong_meaning_of_a_phrase_breaks_a_rule() {
        let house = trial::read_house("loft.json");
        for (said, node, rule) in [
            ("studio", 6, "a room alone names nothing"),
            ("dining nook", 12, "a room alone names nothing"),
            (
                "studio light",
                5,
                "in the room of the phrase, no other device fits",
            ),
            ("studio fan", 13, "every word refers to what moves"),
            ("bathroom fan", 13, "every word refers to what moves"),
            ("lamp", 8, "no other device has the name that is said"),
            ("fridge", 28, "no other device has the name that is said"),
            ("front", 15, "no other device fits by name or kind"),
            ("25", 10, "a number alone names nothing"),
            ("node", 31, "a number alone names nothing"),
            ("tv lamp", 22, "every word refers to what moves"),
        ] {
            let broken = find_broken_rule(&house, said, &Meant::One(Move::Node(node)));
            assert_eq!(broken.as_deref(), Some(rule), "\"{said}\" moves {node}");
        }
        let lights = Meant::Set([Move::Node(4), Move::Node(8)].into());
        assert_eq!(find_broken_rule(&house, "gallery lights", &lights), None);
        let broken = find_broken_rule(&house, "gallery light", &lights);
        assert_eq!(broken.as_deref(), Some("a singular never names a set"));
        let with_curtain = Meant::Set([Move::Node(3), Move::Node(32)].into());
        let broken = find_broken_rule(&house, "all lights", &with_curtain);
        assert_eq!(
            broken.as_deref(),
            Some("every member of a set is of the kind that is said")
        );
        let farm = trial::read_house("farm.json");
        let hidden = Meant::One(Move::Node(21));
        assert!(find_broken_rule(&farm, "office lamp", &hidden).is_some());
    }
}

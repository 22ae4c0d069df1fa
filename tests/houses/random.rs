//! Random houses, and random phrases of the words in these houses. The tests check that no device is selected
//! if another fits the phrase as well or better.

use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};
use serde_json::json;

use super::meant::{Meant, build_home, resolve_offers, resolve_phrase};
use super::model::House;
use super::oracle::find_broken_rule;
use super::trial;
use super::words::{ADJECTIVES, ARTICLES, KINDS, QUANTIFIERS, ROOMS};

/// The words of a house: few, so that the names of its devices resemble each other.
#[derive(Clone, Debug)]
pub struct Pool {
    names: Vec<String>,
    rooms: Vec<&'static str>,
}

fn any_pool(extra_words: &[&'static str]) -> impl Strategy<Value = Pool> + use<> {
    let kinds: Vec<&str> = KINDS.iter().map(|(_, singular, _)| *singular).collect();
    (
        subsequence(ADJECTIVES.to_vec(), 1..4),
        subsequence(kinds, 1..4),
        subsequence(ROOMS.to_vec(), 1..4),
        select([&ROOMS[..], extra_words].concat()),
    )
        .prop_map(|(adjectives, kinds, rooms, extra_word)| {
            let words = adjectives.into_iter().chain(kinds).chain([extra_word]);
            Pool {
                names: words.map(str::to_owned).collect(),
                rooms,
            }
        })
}

/// A device: its kind, the words of its name, its room, if any, and whether an option may hide it.
type DeviceChoices = (&'static str, Vec<Index>, Option<Index>, bool);

fn any_device() -> impl Strategy<Value = DeviceChoices> {
    // The more often a kind is named here, the more often it is drawn.
    let kinds = "switch switch switch dimmer dimmer dimmer cover cover fan lock thermostat sensor contact \
                 strip two_channel";
    (
        select(kinds.split_whitespace().collect::<Vec<_>>()),
        prop::collection::vec(any::<Index>(), 1..4),
        prop::option::weighted(0.85, any::<Index>()),
        prop::bool::weighted(0.1),
    )
}

/// Draws a pool of words, and a house with this `--guard`. The names of its devices consist of the pool's
/// words. The pool may have one of `extra_words`.
pub fn any_house(
    guard: &'static str,
    extra_words: &[&'static str],
) -> impl Strategy<Value = (Pool, House)> + use<> {
    (
        any_pool(extra_words),
        prop::collection::vec(any_device(), 2..9),
    )
        .prop_map(move |(pool, devices)| {
            let house = build_house(&pool, &devices, guard);
            (pool, house)
        })
}

fn build_house(pool: &Pool, choices: &[DeviceChoices], guard: &str) -> House {
    let mut options = vec![json!("--guard"), json!(guard)];
    let mut devices = Vec::new();
    for (index, (kind, words, room, is_hidden)) in choices.iter().enumerate() {
        let mut name: Vec<&str> = Vec::new();
        for word in words {
            let word = word.get(&pool.names);
            if !name.contains(&word.as_str()) {
                name.push(word);
            }
        }
        let name = name.join(" ");
        let room = room.as_ref().map(|room| *room.get(&pool.rooms));
        let mut device = json!({ "id": index + 30, "kind": kind, "name": name });
        if let Some(room) = room {
            device["room"] = json!(room);
            if *is_hidden && !matches!(*kind, "strip" | "two_channel") {
                options.extend([json!("--hide"), json!(format!("{room}/{name}"))]);
            }
        }
        match *kind {
            "strip" => device["endpoints"] = json!(["Upper", "Lower"]),
            "two_channel" => device["of"] = json!("switch"),
            _ => {}
        }
        devices.push(device);
    }
    let house = json!({
        "about": "made up", "options": options, "devices": devices, "cases": [],
    });
    House::read(&house.to_string()).unwrap()
}

/// The choices by which `build_phrase` makes a phrase about a house.
#[derive(Clone, Debug)]
pub struct Phrase {
    device: Index,
    /// For each word of the device's name: true if the phrase has it.
    kept_words: [bool; 3],
    room: Option<Index>,
    /// A word for a kind, and whether the phrase has its plural.
    kind: Option<(Index, bool)>,
    /// A word from the pool's names.
    other: Option<Index>,
    /// A word at the beginning, such as an article or a quantifier.
    extra: Option<Index>,
    order: Index,
    /// If true, the phrase is in lower case, with the room before the words for the device. If false, the
    /// letters keep their case, and the room comes last.
    is_plain: bool,
}

prop_compose! {
    pub fn any_phrase()(
        device in any::<Index>(),
        kept_words in any::<[bool; 3]>(),
        room in prop::option::weighted(0.4, any::<Index>()),
        kind in prop::option::weighted(0.4, (any::<Index>(), prop::bool::weighted(0.2))),
        other in prop::option::weighted(0.2, any::<Index>()),
        extra in prop::option::weighted(0.3, any::<Index>()),
        order in any::<Index>(),
        is_plain in any::<bool>(),
    ) -> Phrase {
        Phrase { device, kept_words, room, kind, other, extra, order, is_plain }
    }
}

/// Makes a phrase about a house by these choices.
pub fn build_phrase(pool: &Pool, house: &House, phrase: &Phrase) -> String {
    let extras: Vec<&str> = [
        &ARTICLES[..],
        &QUANTIFIERS[..],
        &["upper", "node", "30", "zebra", "and"][..],
    ]
    .concat();
    let device = phrase.device.get(&house.devices);
    let mut said: Vec<&str> = device
        .name
        .split_whitespace()
        .zip(phrase.kept_words)
        .filter(|(_, is_kept)| *is_kept)
        .map(|(word, _)| word)
        .collect();
    said.extend(phrase.other.iter().map(|other| other.get(&pool.names).as_str()));
    if let Some((kind, is_plural)) = &phrase.kind {
        let (_, singular, plural) = kind.get(KINDS);
        said.push(if *is_plural && !plural.is_empty() {
            plural
        } else {
            singular
        });
    }
    if !said.is_empty() {
        let places = phrase.order.index(said.len());
        said.rotate_left(places);
    }
    let room: Vec<&str> = phrase
        .room
        .iter()
        .flat_map(|room| room.get(&pool.rooms).split_whitespace())
        .collect();
    if phrase.is_plain {
        said.splice(0..0, room);
    } else {
        said.extend(room);
    }
    if let Some(extra) = &phrase.extra {
        let extra: &&str = extra.get(&extras);
        said.insert(0, *extra);
    }
    let said = said.join(" ");
    if phrase.is_plain {
        said.to_lowercase()
    } else {
        said
    }
}

/// Describes a house for the message of a failed test.
pub fn describe_house(house: &House) -> String {
    let devices: Vec<String> = house
        .devices
        .iter()
        .map(|device| format!("  {device} in \"{}\"\n", device.room))
        .collect();
    format!("{}  {}", devices.concat(), house.options.join(" "))
}

proptest! {
    #![proptest_config(trial::configure_random_houses())]

    #[test]
    fn repeating_the_text_by_which_an_answer_offers_a_device_selects_this_device(
        (_, house) in any_house("allow", &["Guest Bedroom", "Lights"]),
    ) {
        let home = build_home(&house);
        for (text, moved, meant) in resolve_offers(&house, &home) {
            prop_assert_eq!(meant, Meant::One(moved), "\"{}\"\n{}", text, describe_house(&house));
        }
    }

    #[test]
    fn no_device_is_selected_if_another_fits_the_phrase_as_well_or_better(
        (pool, house) in any_house("allow", &[]),
        phrases in prop::collection::vec(any_phrase(), 12),
    ) {
        let home = build_home(&house);
        for phrase in &phrases {
            let said = build_phrase(&pool, &house, phrase);
            let meant = resolve_phrase(&house, &home, &said, "on");
            let broken = find_broken_rule(&house, &said, &meant);
            prop_assert!(
                broken.is_none(),
                "\"{said}\" means {meant:?}; broken rule: {broken:?}\n{}", describe_house(&house)
            );
        }
    }
}

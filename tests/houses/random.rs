//! Random houses, and random phrases out of their words: whenever something moves, no other device
//! fits what was said as well or better.

use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};
use serde_json::{Map, Value as Json, json};

use super::meant::{Meant, home, meant, offered};
use super::model::House;
use super::oracle::wrong;
use super::trial;
use super::words::{ADJECTIVES, ALL, ARTICLES, KINDS, ROOMS};

/// The words of a house: few, so that its names get in each other's way.
#[derive(Clone, Debug)]
pub struct Pool {
    names: Vec<String>,
    rooms: Vec<&'static str>,
}

fn pool(more: &[&'static str]) -> impl Strategy<Value = Pool> + use<> {
    let kinds: Vec<&str> = KINDS.iter().map(|(_, one, _)| *one).collect();
    (
        subsequence(ADJECTIVES.to_vec(), 1..4),
        subsequence(kinds, 1..4),
        subsequence(ROOMS.to_vec(), 1..4),
        select([&ROOMS[..], more].concat()),
    )
        .prop_map(|(adjectives, kinds, rooms, also)| {
            let words = adjectives.into_iter().chain(kinds).chain([also]);
            Pool {
                names: words.map(str::to_owned).collect(),
                rooms,
            }
        })
}

/// A device of a house: its kind, the words of its name, and its room, if any.
type Drawn = (&'static str, Vec<Index>, Option<Index>, bool);

fn drawn() -> impl Strategy<Value = Drawn> {
    let kinds = [
        "switch",
        "switch",
        "switch",
        "dimmer",
        "dimmer",
        "dimmer",
        "cover",
        "cover",
        "fan",
        "lock",
        "thermostat",
        "sensor",
        "contact",
        "strip",
        "two_channel",
    ];
    (
        select(kinds.to_vec()),
        prop::collection::vec(any::<Index>(), 1..4),
        prop::option::weighted(0.85, any::<Index>()),
        prop::bool::weighted(0.1),
    )
}

/// A house, guarded or not, of the words of a pool and some more.
pub fn house(
    guard: &'static str,
    more: &[&'static str],
) -> impl Strategy<Value = (Pool, House)> + use<> {
    (pool(more), prop::collection::vec(drawn(), 2..9)).prop_map(move |(pool, drawn)| {
        let mut options = vec![json!("--guard"), json!(guard)];
        let mut devices = Vec::new();
        for (at, (kind, words, room, hide)) in drawn.iter().enumerate() {
            let mut name: Vec<&str> = Vec::new();
            for word in words {
                let word = word.get(&pool.names);
                if !name.contains(&word.as_str()) {
                    name.push(word);
                }
            }
            let name = name.join(" ");
            let room = room.as_ref().map(|room| *room.get(&pool.rooms));
            let mut device = Map::new();
            device.insert("id".to_owned(), json!(at + 30));
            device.insert("kind".to_owned(), json!(kind));
            device.insert("name".to_owned(), json!(name));
            if let Some(room) = room {
                device.insert("room".to_owned(), json!(room));
                if *hide && !matches!(*kind, "strip" | "two_channel") {
                    options.extend([json!("--hide"), json!(format!("{room}/{name}"))]);
                }
            }
            match *kind {
                "strip" => device.insert("endpoints".to_owned(), json!(["Upper", "Lower"])),
                "two_channel" => device.insert("of".to_owned(), json!("switch")),
                _ => None,
            };
            devices.push(Json::Object(device));
        }
        let house = json!({
            "about": "made up", "options": options, "devices": devices, "cases": [],
        });
        let house = House::read(&house.to_string()).unwrap();
        (pool, house)
    })
}

/// The choices that make a phrase out of a house's words.
#[derive(Clone, Debug)]
pub struct Saying {
    device: Index,
    /// Which words of its name are said.
    said: [bool; 3],
    room: Option<Index>,
    kind: Option<(Index, bool)>,
    other: Option<Index>,
    extra: Option<Index>,
    order: Index,
    plain: bool,
}

pub fn saying() -> impl Strategy<Value = Saying> {
    (
        any::<Index>(),
        any::<[bool; 3]>(),
        prop::option::weighted(0.4, any::<Index>()),
        prop::option::weighted(0.4, (any::<Index>(), prop::bool::weighted(0.2))),
        prop::option::weighted(0.2, any::<Index>()),
        prop::option::weighted(0.3, any::<Index>()),
        any::<Index>(),
        any::<bool>(),
    )
        .prop_map(
            |(device, said, room, kind, other, extra, order, plain)| Saying {
                device,
                said,
                room,
                kind,
                other,
                extra,
                order,
                plain,
            },
        )
}

/// A phrase out of the words of a house.
pub fn phrase(pool: &Pool, house: &House, saying: &Saying) -> String {
    let extras: Vec<&str> = [
        &ARTICLES[..],
        &ALL[..],
        &["upper", "node", "30", "zebra", "and"][..],
    ]
    .concat();
    let device = saying.device.get(&house.devices);
    let mut said: Vec<&str> = device
        .name
        .split_whitespace()
        .zip(saying.said)
        .filter(|(_, said)| *said)
        .map(|(word, _)| word)
        .collect();
    said.extend(saying.other.iter().map(|other| other.get(&pool.names).as_str()));
    if let Some((kind, several)) = &saying.kind {
        let (_, one, many) = kind.get(KINDS);
        said.push(if *several && !many.is_empty() {
            many
        } else {
            one
        });
    }
    if !said.is_empty() {
        let around = saying.order.index(said.len());
        said.rotate_left(around);
    }
    let room: Vec<&str> = saying
        .room
        .iter()
        .flat_map(|room| room.get(&pool.rooms).split_whitespace())
        .collect();
    if saying.plain {
        said.splice(0..0, room);
    } else {
        said.extend(room);
    }
    if let Some(extra) = &saying.extra {
        let extra: &&str = extra.get(&extras);
        said.insert(0, *extra);
    }
    let said = said.join(" ");
    if saying.plain {
        said.to_lowercase()
    } else {
        said
    }
}

/// A house as a failure tells it.
pub fn told(house: &House) -> String {
    let devices: Vec<String> = house
        .devices
        .iter()
        .map(|device| format!("  {device} in \"{}\"\n", device.room))
        .collect();
    format!("{}  {}", devices.concat(), house.options.join(" "))
}

proptest! {
    #![proptest_config(trial::at_random())]

    #[test]
    fn whatever_an_answer_offers_names_just_that_device(
        (_, house) in house("allow", &["Guest Bedroom", "Lights"]),
    ) {
        let home = home(&house);
        for (text, moved, meant) in offered(&house, &home) {
            prop_assert_eq!(meant, Meant::One(moved), "\"{}\"\n{}", text, told(&house));
        }
    }

    #[test]
    fn whenever_something_moves_no_other_device_fits_as_well_or_better(
        (pool, house) in house("allow", &[]),
        sayings in prop::collection::vec(saying(), 12),
    ) {
        let home = home(&house);
        for saying in &sayings {
            let said = phrase(&pool, &house, saying);
            let meant = meant(&house, &home, &said, "on");
            if let Some(wrong) = wrong(&house, &said, &meant) {
                prop_assert!(false, "\"{said}\" means {meant:?}: {wrong}\n{}", told(&house));
            }
        }
    }
}

//! Calls in random houses: no wrong or hidden device moves, and with `--guard deny` no guarded one opens.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Json, json};

use super::fixture::served::run_on_paused_clock;
use super::meant::Meant;
use super::model::{Entry, House, Kind};
use super::moves::{self, Move};
use super::oracle::{find_broken_rule, names_several};
use super::random::{Phrase, Pool, any_house, any_phrase, build_phrase, describe_house};
use super::served::{Outcome, Served};
use super::thing::{Thing, list_things};
use super::trial;
use super::words::{Family, ROOMS, fold, singular_kind};

/// Words for doors and gates. `is_guarded` says when a device with such a name is guarded.
const DOORS: [&str; 8] = [
    "Door",
    "Gate",
    "Haustür",
    "Gartentor",
    "Portail",
    "Puerta",
    "Cancello",
    "Voordeur",
];

/// A call: the device name, the action, and the other arguments.
type Call = (String, &'static str, Json);

fn any_action() -> impl Strategy<Value = (&'static str, Json)> {
    select(vec![
        ("on", json!({})),
        ("on", json!({})),
        ("off", json!({})),
        ("toggle", json!({})),
        ("dim", json!({ "level": 30 })),
        ("open", json!({})),
        ("open", json!({ "level": 10 })),
        ("close", json!({})),
        ("lock", json!({})),
        ("unlock", json!({})),
    ])
}

/// Makes the calls in order, and returns their outcomes.
fn make_calls(house: &House, calls: &[Call]) -> Vec<Outcome> {
    run_on_paused_clock(async {
        let mut served = Served::start(house).await;
        let mut outcomes = Vec::new();
        for (name, action, arguments) in calls {
            let mut arguments = arguments.clone();
            arguments["deviceName"] = json!(name);
            arguments["action"] = json!(action);
            outcomes.push(served.control(arguments).await);
        }
        outcomes
    })
}

/// Phrases for everything, or for all switches, outlets or plugs.
const BROAD_PHRASES: [&str; 8] = [
    "everything",
    "all",
    "all switches",
    "switches",
    "every outlet",
    "everything in",
    "all switches in",
    "outlets in",
];

/// Returns a phrase from [`BROAD_PHRASES`]. If it ends with "in", adds a room.
fn any_broad_phrase() -> impl Strategy<Value = String> {
    (select(&BROAD_PHRASES[..]), select(&ROOMS[..])).prop_map(|(phrase, room)| {
        if phrase.ends_with(" in") {
            format!("{phrase} {room}")
        } else {
            phrase.to_owned()
        }
    })
}

/// Returns true if a thing certainly keeps the house going: it heats or is a valve, or its name says nothing but a
/// pump, a freezer or a valve.
fn keeps_house_going(thing: &Thing) -> bool {
    let is_essential =
        |kind: &Family| matches!(kind, Family::Pump | Family::Freezer | Family::Valve);
    thing.technical_kind == Family::Thermostat || thing.kinds.iter().all(is_essential)
}

fn build_calls(pool: &Pool, house: &House, drawn: &[(Phrase, (&'static str, Json))]) -> Vec<Call> {
    let call = |(phrase, (action, arguments)): &(Phrase, (&'static str, Json))| {
        (
            build_phrase(pool, house, phrase),
            *action,
            arguments.clone(),
        )
    };
    drawn.iter().map(call).collect()
}

/// Infers the meaning of a phrase from the devices that moved. If exactly the endpoints of one node moved,
/// the phrase meant that node, unless it names several devices.
fn infer_meant(house: &House, said: &str, moved: &BTreeSet<Move>) -> Meant {
    let mut nodes = house.devices.iter().map(|entry| Move::Node(entry.id));
    let single = match moved.first() {
        Some(target) if moved.len() == 1 => Some(*target),
        _ => nodes.find(|node| node.expand(house) == *moved),
    };
    match single {
        _ if moved.is_empty() => Meant::Nothing,
        Some(target) if !names_several(said) => Meant::One(target),
        _ => Meant::Set(moved.clone()),
    }
}

/// Returns true if a device is certainly guarded: a device of its kind may open a door, and its name has a
/// word for a door, but no word for a kind of device, such as "Lamp".
fn is_guarded(entry: &Entry) -> bool {
    let words: Vec<String> = entry.name.split_whitespace().map(fold).collect();
    let is_door = |word: &String| DOORS.iter().any(|door| fold(door) == *word);
    let may_open_doors = matches!(
        entry.kind,
        Kind::Switch | Kind::Dimmer | Kind::Cover | Kind::Strip | Kind::TwoChannel
    );
    let names_kind = words.iter().any(|word| singular_kind(word).is_some());
    may_open_doors && words.iter().any(is_door) && !names_kind
}

proptest! {
    #![proptest_config(trial::configure_random_houses())]

    #[test]
    fn no_device_moves_if_another_fits_the_phrase_as_well_or_better(
        (pool, house) in any_house("allow", &[]),
        drawn in prop::collection::vec((any_phrase(), any_action()), 6),
    ) {
        let calls = build_calls(&pool, &house, &drawn);
        for ((said, action, _), outcome) in calls.iter().zip(make_calls(&house, &calls)) {
            let meant = infer_meant(&house, said, &outcome.moved);
            let broken = find_broken_rule(&house, said, &meant);
            prop_assert!(
                broken.is_none(),
                "{action} \"{said}\" moves {:?}; broken rule: {broken:?}\n{}\n  answered: {}",
                outcome.moved, describe_house(&house), outcome.answer.text
            );
            prop_assert!(
                !outcome.moved.is_empty() || outcome.answer.is_error,
                "{action} \"{said}\" moves nothing, but the answer is no error"
            );
        }
    }

    #[test]
    fn guarded_devices_only_close_or_lock_and_hidden_devices_never_move(
        (pool, house) in any_house("deny", &DOORS),
        drawn in prop::collection::vec((any_phrase(), any_action()), 6),
    ) {
        let calls = build_calls(&pool, &house, &drawn);
        for ((said, action, _), outcome) in calls.iter().zip(make_calls(&house, &calls)) {
            for entry in &house.devices {
                let targets = moves::expand_all(&house, &[Move::Node(entry.id)]);
                let has_moved = outcome.moved.iter().any(|moved| targets.contains(moved));
                let is_closing = *action == "close" && entry.kind == Kind::Cover;
                let must_not_move = super::thing::is_hidden(&house, entry)
                    || is_guarded(entry) && !is_closing
                    || entry.kind == Kind::Lock && *action != "lock";
                prop_assert!(
                    !(has_moved && must_not_move),
                    "{action} \"{said}\" moves {entry}\n{}\n  answered: {}",
                    describe_house(&house), outcome.answer.text
                );
            }
        }
    }

    #[test]
    fn everything_and_all_switches_leave_alone_what_keeps_the_house_going(
        (_, house) in any_house("allow", &["Pump", "Freezer", "Valve"]),
        drawn in prop::collection::vec((any_broad_phrase(), select(&["off", "close"][..])), 6),
    ) {
        let calls: Vec<Call> =
            drawn.iter().map(|(said, action)| (said.clone(), *action, json!({}))).collect();
        for ((said, action, _), outcome) in calls.iter().zip(make_calls(&house, &calls)) {
            for thing in list_things(&house).iter().filter(|thing| keeps_house_going(thing)) {
                let targets = thing.moved.expand(&house);
                prop_assert!(
                    outcome.moved.is_disjoint(&targets),
                    "{action} \"{said}\" moves {:?}\n{}\n  answered: {}",
                    thing.names, describe_house(&house), outcome.answer.text
                );
            }
        }
    }
}

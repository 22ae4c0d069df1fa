//! Random houses from the outside: whatever is said, and whatever is to be done, the gateway is told
//! nothing that must not move.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Json, json};

use super::fixture::served::in_paused_time;
use super::meant::Meant;
use super::model::{Entry, House, Kind};
use super::moves::{self, Move};
use super::oracle::{says_several, wrong};
use super::random::{Pool, Saying, house, phrase, saying, told};
use super::served::{Outcome, Served};
use super::trial;
use super::words::{folded, singular};

/// Words of which each says that something opens.
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

/// A call: what is said, what is to be done, and the arguments.
type Call = (String, &'static str, Json);

fn action() -> impl Strategy<Value = (&'static str, Json)> {
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

/// Makes the calls one after the other in a house, and says of each what it came to.
fn outcomes(house: &House, calls: &[Call]) -> Vec<Outcome> {
    in_paused_time(async {
        let mut served = Served::start(house).await;
        let mut outcomes = Vec::new();
        for (said, action, arguments) in calls {
            let mut arguments = arguments.clone();
            arguments["deviceName"] = json!(said);
            arguments["action"] = json!(action);
            outcomes.push(served.control(arguments).await);
        }
        outcomes
    })
}

fn calls(pool: &Pool, house: &House, said: &[(Saying, (&'static str, Json))]) -> Vec<Call> {
    let call = |(saying, (action, arguments)): &(Saying, (&'static str, Json))| {
        (phrase(pool, house, saying), *action, arguments.clone())
    };
    said.iter().map(call).collect()
}

/// Reads what moved as what was meant: the endpoints of one node are that node.
fn meant(house: &House, said: &str, moved: &BTreeSet<Move>) -> Meant {
    let whole = |node: u16| Move::Node(node);
    let mut nodes = house.devices.iter().map(|entry| whole(entry.id));
    let one = moved
        .iter()
        .next()
        .copied()
        .filter(|_| moved.len() == 1)
        .or_else(|| nodes.find(|node| node.leaves(house) == *moved));
    match one {
        _ if moved.is_empty() => Meant::Nothing,
        Some(one) if !says_several(said) => Meant::One(one),
        _ => Meant::Set(moved.clone()),
    }
}

/// Returns true for a device that is surely guarded: it says a door's word, and no kind that might excuse it.
fn is_guarded(entry: &Entry) -> bool {
    let words: Vec<String> = entry.name.split_whitespace().map(folded).collect();
    let door = |word: &String| DOORS.iter().any(|door| folded(door) == *word);
    let relay = matches!(
        entry.kind,
        Kind::Switch | Kind::Dimmer | Kind::Cover | Kind::Strip | Kind::TwoChannel
    );
    relay && words.iter().any(door) && !words.iter().any(|word| singular(word).is_some())
}

proptest! {
    #![proptest_config(trial::at_random())]

    #[test]
    fn nothing_moves_that_another_device_fits_as_well_or_better(
        (pool, house) in house("allow", &[]),
        said in prop::collection::vec((saying(), action()), 6),
    ) {
        let calls = calls(&pool, &house, &said);
        for ((said, action, _), outcome) in calls.iter().zip(outcomes(&house, &calls)) {
            let meant = meant(&house, said, &outcome.moved);
            let wrong = wrong(&house, said, &meant);
            prop_assert!(
                wrong.is_none(),
                "{action} \"{said}\" moves {:?}: {wrong:?}\n{}\n  answered: {}",
                outcome.moved, told(&house), outcome.answer.text
            );
            prop_assert!(!outcome.moved.is_empty() || outcome.answer.is_error, "{action} {said}");
        }
    }

    #[test]
    fn nothing_guarded_opens_and_nothing_hidden_moves(
        (pool, house) in house("deny", &DOORS),
        said in prop::collection::vec((saying(), action()), 6),
    ) {
        let calls = calls(&pool, &house, &said);
        for ((said, action, _), outcome) in calls.iter().zip(outcomes(&house, &calls)) {
            for entry in &house.devices {
                let own = moves::all(&house, &[Move::Node(entry.id)]);
                let moves = outcome.moved.iter().any(|moved| own.contains(moved));
                let closes = *action == "close" && entry.kind == Kind::Cover;
                let may_not = super::thing::is_hidden(&house, entry)
                    || is_guarded(entry) && !closes
                    || entry.kind == Kind::Lock && *action != "lock";
                prop_assert!(
                    !(moves && may_not),
                    "{action} \"{said}\" moves {entry}\n{}\n  answered: {}",
                    told(&house), outcome.answer.text
                );
            }
        }
    }
}

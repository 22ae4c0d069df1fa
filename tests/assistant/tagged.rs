//! A device that only a tag tells apart is a device like any other.

use serde_json::json;

use super::sentences::{Case, Entry, SentenceHouse};

/// The word for a door, an order to lock it, and a question about it, in each language.
const DOORS: [[&str; 3]; 6] = [
    ["Door", "lock the door", "is the door locked?"],
    ["Tür", "schließ die Tür ab", "ist die Tür abgeschlossen?"],
    [
        "Porte",
        "verrouille la porte",
        "la porte est-elle verrouillée ?",
    ],
    ["Puerta", "bloquea la puerta", "¿está bloqueada la puerta?"],
    ["Porta", "blocca la porta", "la porta è bloccata?"],
    ["Deur", "doe de deur op slot", "is de deur op slot?"],
];

/// Two locks called as said. A contact with the same name and room as the first lock makes tags necessary.
fn doors(name: &str) -> Vec<Entry> {
    let entry = |id: u16, kind: &str, room: &str, state: &str| {
        let entry = json!({ "id": id, "kind": kind, "room": room, "name": name, "state": state });
        serde_json::from_value(entry).unwrap()
    };
    vec![
        entry(35, "lock", "Studio", "unlocked"),
        entry(10, "contact", "Studio", "closed"),
        entry(36, "lock", "Cellar", "unlocked"),
    ]
}

#[tokio::test(start_paused = true)]
async fn an_order_for_one_of_two_namesakes_asks_even_if_one_of_them_has_a_tag() {
    for [name, order, _] in DOORS {
        let mut house = SentenceHouse::start(&doors(name), &Case::default()).await;
        let outcome = house.say(order).await;
        assert!(outcome.writes.is_empty(), "{order}: {}", outcome.line());
        for room in ["Studio", "Cellar"] {
            assert!(
                outcome.answer.text.contains(room),
                "{order}: {}",
                outcome.line()
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_about_namesakes_is_not_answered_about_the_one_without_a_tag_alone() {
    for [name, _, question] in DOORS {
        let mut devices = doors(name);
        devices[2].state = json!("locked");
        let mut house = SentenceHouse::start(&devices, &Case::default()).await;
        let outcome = house.say(question).await;
        let text = &outcome.answer.text;
        // The door in the cellar is locked, and the one in the studio is not.
        assert!(
            !outcome.answer.is_success() || text.contains("Studio"),
            "{question}: {text}"
        );
    }
}

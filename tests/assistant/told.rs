//! What the server knows of an outcome is what the assistant says.

use serde_json::json;
use zwave_mcp_server::assistant::AiRouter;

use super::sentences::{Case, Entry, SentenceHouse};

/// The name of a lamp, and orders for it: full, brighter, least, darker, off and up. Then the words for the ends.
const LAMPS: [([&str; 7], [&str; 2]); 6] = [
    (
        [
            "Desk Lamp",
            "desk lamp to 100 percent",
            "make the desk lamp brighter",
            "desk lamp to 1 percent",
            "make the desk lamp darker",
            "turn off the desk lamp",
            "turn up the desk lamp",
        ],
        ["maximum", "minimum"],
    ),
    (
        [
            "Stehlampe",
            "Stehlampe auf 100 Prozent",
            "mach die Stehlampe heller",
            "Stehlampe auf 1 Prozent",
            "mach die Stehlampe dunkler",
            "mach die Stehlampe aus",
            "mach die Stehlampe heller",
        ],
        ["Maximum", "Minimum"],
    ),
    (
        [
            "Lampe",
            "lampe à 100 pour cent",
            "mets la lampe plus fort",
            "lampe à 1 pour cent",
            "mets la lampe moins fort",
            "éteins la lampe",
            "mets la lampe plus fort",
        ],
        ["maximum", "minimum"],
    ),
    (
        [
            "Lámpara",
            "lámpara al 100 por ciento",
            "pon la lámpara más fuerte",
            "lámpara al 1 por ciento",
            "pon la lámpara más suave",
            "apaga la lámpara",
            "pon la lámpara más fuerte",
        ],
        ["máximo", "mínimo"],
    ),
    (
        [
            "Lampada",
            "lampada al 100 per cento",
            "metti la lampada più forte",
            "lampada all'1 per cento",
            "rendi la lampada più scura",
            "spegni la lampada",
            "metti la lampada più forte",
        ],
        ["massimo", "minimo"],
    ),
    (
        [
            "Lamp",
            "lamp op 100 procent",
            "zet de lamp feller",
            "lamp op 1 procent",
            "zet de lamp donkerder",
            "doe de lamp uit",
            "zet de lamp feller",
        ],
        ["maximum", "minimum"],
    ),
];

/// The name of two windows, a question which are open, whether all are closed, and the answers.
const WINDOWS: [[&str; 5]; 6] = [
    [
        "Window",
        "which windows are open?",
        "are all windows closed?",
        "None of them is open.",
        "Yes, all are closed.",
    ],
    [
        "Fenster",
        "welche Fenster sind offen?",
        "sind alle Fenster zu?",
        "Davon ist nichts offen.",
        "Ja, alle sind zu.",
    ],
    [
        "Fenêtre",
        "quelles fenêtres sont ouvertes ?",
        "est-ce que toutes les fenêtres sont fermées ?",
        "Rien de cela n'est ouvert.",
        "Oui, tout cela est fermé.",
    ],
    [
        "Ventana",
        "¿qué ventanas están abiertas?",
        "¿están cerradas todas las ventanas?",
        "Nada de eso está abierto.",
        "Sí, todo eso está cerrado.",
    ],
    [
        "Finestra",
        "quali finestre sono aperte?",
        "sono chiuse tutte le finestre?",
        "Niente di tutto ciò è aperto.",
        "Sì, tutto ciò è chiuso.",
    ],
    [
        "Raam",
        "welke ramen zijn open?",
        "zijn alle ramen dicht?",
        "Daarvan is niets open.",
        "Ja, allemaal dicht.",
    ],
];

#[tokio::test(start_paused = true)]
async fn what_is_said_of_everything_or_nothing_agrees_in_each_language() {
    for [name, which, whether_all, none_open, all_closed] in WINDOWS {
        let window = |id: u16, room: &str| {
            entry(
                json!({ "id": id, "kind": "contact", "room": room, "name": name, "state": "closed" }),
            )
        };
        let windows = [window(3, "Studio"), window(4, "Atelier")];
        let mut house = SentenceHouse::start(&windows, &Case::default()).await;
        for (question, answer) in [(which, none_open), (whether_all, all_closed)] {
            assert_eq!(house.say(question).await.answer.text, answer, "{question}");
        }
    }
}

fn entry(device: serde_json::Value) -> Entry {
    serde_json::from_value(device).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_lamp_at_the_end_of_its_range_is_said_to_be_there_and_one_that_is_off_says_what_to_say() {
    for ([name, full, brighter, least, darker, off, up], [maximum, minimum]) in LAMPS {
        let lamp = json!({ "id": 3, "kind": "dimmer", "room": "Studio", "name": name });
        let mut house = SentenceHouse::start(&[entry(lamp)], &Case::default()).await;
        let mut talk = AiRouter::conversation_in(None);
        for (set, step, end) in [(full, brighter, maximum), (least, darker, minimum)] {
            let outcome = house.say_in(&mut talk, set).await;
            assert_eq!(outcome.writes.len(), 1, "{set}: {}", outcome.line());
            let outcome = house.say_in(&mut talk, step).await;
            assert!(outcome.writes.is_empty(), "{step}: {}", outcome.line());
            assert!(
                outcome.answer.text.contains(end),
                "{step}: {}",
                outcome.line()
            );
        }
        let outcome = house.say_in(&mut talk, off).await;
        assert_eq!(outcome.writes.len(), 1, "{off}: {}", outcome.line());
        let outcome = house.say_in(&mut talk, up).await;
        assert!(outcome.writes.is_empty(), "{up}: {}", outcome.line());
        assert!(
            outcome.answer.text.contains("40"),
            "{up}: {}",
            outcome.line()
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_thermostat_at_the_end_of_its_range_is_said_to_be_there() {
    let thermostat = json!({
        "id": 10, "kind": "thermostat", "room": "Studio", "unit": "°C", "min": 5, "max": 30,
        "temperature": 30, "state": "heat", "name": "Thermostat",
    });
    for (set, say, maximum) in [
        (
            "thermostat to 30 degrees",
            "make it warmer in the studio",
            "maximum",
        ),
        (
            "Thermostat auf 30 Grad",
            "mach das Thermostat wärmer",
            "Maximum",
        ),
    ] {
        let devices = [entry(thermostat.clone())];
        let mut house = SentenceHouse::start(&devices, &Case::default()).await;
        let outcome = house.say(set).await;
        assert_eq!(outcome.writes.len(), 1, "{set}: {}", outcome.line());
        let outcome = house.say(say).await;
        assert!(outcome.writes.is_empty(), "{say}: {}", outcome.line());
        assert!(
            outcome.answer.text.contains(maximum),
            "{say}: {}",
            outcome.line()
        );
    }
}

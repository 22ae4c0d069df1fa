//! The assistant does not know the hidden devices. What leads to one is refused by the server.

use serde_json::{Value as Json, json};
use zwave_mcp_server::assistant::{AiClient, AiRouter};

use super::house_files::{House, ServedHouse};
use super::recorder::Record;
use super::routed::RoutedHouse;
use super::small::{Choice, eager_model};
use std::sync::Arc;

/// A phrase in each language. With the second device hidden, the assistant takes it for the first device.
const PHRASES: [[&str; 4]; 6] = [
    [
        "Reading Lamp",
        "Lamp",
        "turn on the lamp",
        "turn on the reading lamp",
    ],
    [
        "Leselampe",
        "Lampe",
        "schalte die Lampe ein",
        "schalte die Leselampe ein",
    ],
    [
        "Lampe chevet",
        "Lampe",
        "allume la lampe",
        "allume la lampe chevet",
    ],
    [
        "Lámpara rincón",
        "Lámpara",
        "enciende la lámpara",
        "enciende la lámpara rincón",
    ],
    [
        "Lampada angolo",
        "Lampada",
        "accendi la lampada",
        "accendi la lampada angolo",
    ],
    ["Leeslamp", "Lamp", "doe de lamp aan", "doe de leeslamp aan"],
];

struct HouseWithHidden {
    assistant: RoutedHouse,
    record: Record,
}

impl HouseWithHidden {
    async fn start(visible: &str, hidden: &str, models: Vec<Arc<dyn AiClient>>) -> Self {
        let device = |id: u16, name: &str, room: &str| json!({ "id": id, "kind": "switch", "name": name, "room": room });
        let house = json!({
            "about": "one lamp is hidden",
            "options": ["--hide", format!("Studio/{hidden}")],
            "devices": [device(5, visible, "Atelier"), device(6, hidden, "Studio")],
            "cases": [],
        });
        let ServedHouse {
            gateways,
            simulation,
            record,
            policy,
        } = ServedHouse::start(&House::read(&house.to_string()).unwrap()).await;
        let assistant = RoutedHouse::of(gateways, simulation, policy, models).await;
        Self { assistant, record }
    }

    /// Says a sentence, and returns the nodes that were written to and the answer.
    async fn say(&self, sentence: &str) -> (Vec<Json>, String) {
        let (_, answer) =
            self.assistant.say_in(&mut AiRouter::conversation_in(None), sentence).await;
        let written = self.record.take().into_iter().map(|call| call.args[0]["nodeId"].clone());
        (written.collect(), answer.text)
    }
}

#[tokio::test(start_paused = true)]
async fn an_order_for_a_hidden_device_moves_no_other_device() {
    for [visible, hidden, order, order_for_visible] in PHRASES {
        let house = HouseWithHidden::start(visible, hidden, Vec::new()).await;
        let (written, answer) = house.say(order).await;
        assert!(written.is_empty(), "{order}: {written:?} {answer}");
        assert!(!answer.contains(visible), "{order}: {answer}");
        let (written, answer) = house.say(order_for_visible).await;
        assert_eq!(written, [5], "{order_for_visible}: {answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_small_model_that_was_offered_another_device_moves_nothing() {
    for [visible, hidden, order, order_for_visible] in PHRASES {
        let model = eager_model(Choice::First, Arc::default());
        let mut house = HouseWithHidden::start(visible, hidden, vec![model]).await;
        house.assistant = house.assistant.with(|parts| {
            parts.skips_plain = true;
            parts.has_small_models = true;
        });
        let (written, answer) = house.say(order).await;
        assert!(written.is_empty(), "{order}: {written:?} {answer}");
        let (written, answer) = house.say(order_for_visible).await;
        assert_eq!(written, [5], "{order_for_visible}: {answer}");
    }
}

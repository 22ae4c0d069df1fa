//! Unit tests of `src/gateway/network/task.rs`.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::timeout;

use super::*;
use crate::gateway::memory;
use crate::home::model::ids::Timestamp;

#[tokio::test]
async fn deadlines_are_no_longer_suspended_after_an_unreadable_large_message() {
    let now = Moment {
        at: Instant::now(),
        time: Timestamp(0),
    };
    let (_, parts) = mpsc::channel(1);
    let message = LargeMessage {
        topic: "zwave/_CLIENTS/ZWAVE_GATEWAY-House/api/getNodes".to_owned(),
        retained: false,
        length: 1 << 20,
        parts,
    };
    let content = Content::Nodes("House".to_owned(), Box::default());
    let mut large = Some(PartialMessage { message, content });
    let mut network = Network::default();
    network.begin_large(now);
    let (_sender, mut incoming) = mpsc::channel(1);
    let input = timeout(Duration::from_secs(5), receive(&mut incoming, &mut large)).await;
    let (gateway, _broker) = memory::pair();
    let mut dispatcher = Dispatcher {
        bus: gateway.bus,
        answer_topic: None,
        waiting_calls: HashMap::new(),
    };
    dispatcher.process(&mut network, input.unwrap().unwrap(), now);
    assert_eq!(network.large_message_since, None);
}

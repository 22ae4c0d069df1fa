//! Unit tests of `src/gateway/mqtt.rs`.

use super::*;

#[tokio::test(start_paused = true)]
async fn only_a_silent_broker_is_given_up() {
    let (queue, mut queued) = mpsc::channel(MAX_QUEUED);
    let was_heard = AtomicBool::new(true);
    let start = Instant::now();
    let talk = async {
        for _ in 0..10 {
            assert_eq!(queued.recv().await, Some(Packet::PingReq));
            // Any packet counts, even if it comes just before the next tick.
            sleep(KEEP_ALIVE.mul_f64(0.99)).await;
            was_heard.store(true, Relaxed);
        }
        std::future::pending::<()>().await;
    };
    let Err(error) = tokio::select! {
        ended = keep_alive(&queue, &was_heard) => ended,
        () = talk => unreachable!(),
    };
    assert!(error.to_string().contains("does not answer"), "{error}");
    // The last packet arrives just before tick 11. Nothing arrives between ticks 11 and 12.
    assert_eq!(start.elapsed(), KEEP_ALIVE * 12 + UNREAD_GRACE);
}

#[test]
fn messages_with_a_higher_qos_than_subscribed_are_acknowledged() {
    let mut publish = Publish::new("a/b", QoS::AtLeastOnce, "1");
    publish.pkid = 7;
    let answered = acknowledgement_of(&Packet::Publish(publish.clone()));
    assert_eq!(answered, Some(Packet::PubAck(PubAck::new(7))));
    publish.qos = QoS::ExactlyOnce;
    let answered = acknowledgement_of(&Packet::Publish(publish.clone()));
    assert_eq!(answered, Some(Packet::PubRec(PubRec::new(7))));
    let released = acknowledgement_of(&Packet::PubRel(rumqttc::PubRel::new(7)));
    assert_eq!(released, Some(Packet::PubComp(PubComp::new(7))));
    publish.qos = QoS::AtMostOnce;
    assert_eq!(acknowledgement_of(&Packet::Publish(publish)), None);
}

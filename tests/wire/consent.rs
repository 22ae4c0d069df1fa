//! Questions on a topic of a real broker. Each is judged by what the house did.

use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;
use zwave_mcp_server::gateway::mqtt;

use crate::House;
use crate::fixture::{
    ASK_OPTIONS, Mosquitto, Phone, Proxy, Server, assert_stays, client_of, eventually, setup_of,
};

pub async fn connect_phone(broker: &Mosquitto) -> Phone {
    Phone::on(mqtt::connect(vec![client_of(broker, &setup_of("phone"))])).await
}

async fn start(options: &[&str]) -> (House, Server, Phone) {
    let house = House::start().await;
    let server = Server::start(&house.broker, &[&ASK_OPTIONS, options].concat()).await;
    let phone = connect_phone(&house.broker).await;
    (house, server, phone)
}

#[tokio::test]
async fn a_yes_unlocks_once_a_no_never_and_no_log_has_an_id() {
    needs!(mosquitto);
    let (house, mut server, mut phone) = start(&["--log-level=trace"]).await;
    let call = server.begin_control("front door", "unlock").await;
    let question = phone.question().await;
    phone.answer(&question, true);
    phone.answer(&question, true);
    call.answer().await.assert_certainty("confirmed");
    phone.wait_for_states(&question, &["allowed", "done"]).await;
    phone.answer(&question, true);
    let call = server.begin_control("garage door", "open").await;
    let refused = phone.question().await;
    phone.answer(&refused, false);
    phone.answer(&refused, true);
    call.answer().await.assert_says("failed", "declined");
    assert_eq!(house.written_to(), [12]);
    let log = server.stderr();
    assert!(log.contains("front door"), "{log}");
    for question in [question, refused] {
        assert!(!log.contains(question["id"].as_str().unwrap()), "{log}");
    }
    assert!(!phone.has_retained());
}

#[tokio::test]
async fn a_yes_after_the_call_allows_the_same_order_once_and_does_nothing_by_itself() {
    needs!(mosquitto);
    let (house, mut server, mut phone) = start(&[]).await;
    let call = server.begin_control("front door", "unlock").await;
    let question = phone.question().await;
    call.answer().await.assert_says("failed", "has not answered within 25 s");
    phone.answer(&question, true);
    phone.wait_for_states(&question, &["allowed"]).await;
    assert_stays("the door is locked", Duration::from_secs(2), async || {
        house.writes().is_empty()
    })
    .await;
    server.control("front door", "unlock").await.assert_certainty("confirmed");
    assert_eq!((house.written_to(), phone.questions().len()), (vec![12], 1));
}

#[tokio::test]
async fn a_yes_after_cancelling_and_yeses_without_a_question_are_nothing() {
    needs!(mosquitto);
    let (house, mut server, mut phone) = start(&[]).await;
    let _call = server.begin_control("front door", "unlock").await;
    let question = phone.question().await;
    server.cancel_last().await;
    phone.wait_for_states(&question, &["expired"]).await;
    phone.answer(&question, true);
    // Answers that came before the question, one of them retained, and guessed ids.
    let guess = json!({ "id": "0".repeat(32), "allow": true });
    phone.publish("house/ask/answer", &guess, true);
    for nonsense in [
        guess,
        json!({ "allow": true }),
        json!("yes"),
        json!({ "id": "", "allow": true }),
    ] {
        phone.say(&nonsense);
    }
    let again = server.begin_control("front door", "unlock").await;
    let next = phone.question().await;
    phone.answer(&question, true);
    phone.answer(&next, false);
    again.answer().await.assert_says("failed", "declined");
    assert_eq!(house.writes(), []);
}

#[tokio::test]
async fn of_two_orders_at_once_each_needs_its_own_yes_also_of_two_servers() {
    needs!(mosquitto);
    let (house, mut server, mut phone) = start(&[]).await;
    let mut other = Server::start(&house.broker, &ASK_OPTIONS).await;
    let door = server.begin_control("front door", "unlock").await;
    let door_question = phone.question().await;
    let garage = other.begin_control("garage door", "open").await;
    let garage_question = phone.question().await;
    let mine = server.begin_control("garage door", "open").await;
    let my_question = phone.question().await;
    phone.answer(&door_question, true);
    door.answer().await.assert_certainty("confirmed");
    phone.answer(&garage_question, false);
    garage.answer().await.assert_says("failed", "declined");
    assert_eq!(house.written_to(), [12]);
    phone.answer(&my_question, true);
    assert!(!mine.answer().await.is_error);
    assert_eq!(house.writes().len(), 2);
}

/// The connection breaks while the question is open. What is retained meanwhile is no answer; a tap afterwards is.
#[tokio::test]
async fn after_an_outage_a_retained_yes_is_nothing_and_a_new_one_counts() {
    needs!(mosquitto);
    let house = House::start().await;
    let proxy = Proxy::before(house.broker.port()).await;
    let mut server = Server::at(&proxy.url(), &ASK_OPTIONS).await;
    let mut phone = connect_phone(&house.broker).await;
    server.wait_until_listed("", "23 devices").await;
    let call = server.begin_control("front door", "unlock").await;
    let question = phone.question().await;
    proxy.cut();
    sleep(Duration::from_millis(50)).await;
    let yes = json!({ "id": question["id"], "allow": true });
    phone.publish("house/ask/answer", &yes, true);
    assert_stays("the door is locked", Duration::from_secs(2), async || {
        house.writes().is_empty()
    })
    .await;
    phone.answer(&question, true);
    call.answer().await.assert_certainty("confirmed");
    assert_eq!(house.written_to(), [12]);
}

#[tokio::test]
async fn ten_questions_are_asked_in_an_hour_and_no_more() {
    needs!(mosquitto);
    let (house, mut server, mut phone) = start(&[]).await;
    for _ in 0..10 {
        let call = server.begin_control("front door", "unlock").await;
        let question = phone.question().await;
        phone.answer(&question, true);
        call.answer().await.assert_certainty("confirmed");
    }
    server
        .control("front door", "unlock")
        .await
        .assert_says("failed", "ten are asked in an hour");
    server
        .control("garage door", "open")
        .await
        .assert_says("failed", "ten are asked in an hour");
    assert_eq!(
        (house.written_to(), phone.questions().len()),
        (vec![12; 10], 10)
    );
}

#[tokio::test]
async fn a_question_that_can_not_be_published_is_a_refusal() {
    needs!(mosquitto);
    let (mut house, mut server, phone) = start(&[]).await;
    server.wait_until_listed("", "23 devices").await;
    house.broker.stop();
    server.wait_until_listed("", "MQTT broker").await;
    server
        .control("front door", "unlock")
        .await
        .assert_says("failed", "Nothing was sent");
    house.broker.start_again();
    eventually("the house is back", async || {
        server.list("").await.starts_with("23 devices")
    })
    .await;
    assert_eq!((phone.questions(), house.writes()), (vec![], vec![]));
}

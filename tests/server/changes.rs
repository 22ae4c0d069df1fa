//! The list of changes: what has changed, when, from which state to which, and who changed it.

use std::time::Duration;

use chrono::NaiveTime;
use serde_json::{Value as Json, json};
use tokio::time::sleep;

use crate::fixture::{captured_nodes, eventually, setup, without_events};
use crate::resources::{CHANGES, ERAS};
use crate::{House, Server};

/// The mode of a lock: 0 is unlocked, and 255 is locked.
const LOCK_MODE: &str = "98-0-currentMode";

/// Lists changes. Returns the lines after the first and before the last reports, without times, because times differ
/// between runs.
async fn list_changes(server: &mut Server, filter: &str) -> Vec<String> {
    let text = server.list(filter).await;
    let is_change = |line: &&str| !line.starts_with("Of these, only the last report");
    text.lines().skip(1).take_while(is_change).map(without_times).collect()
}

/// Replaces each time of day by "AT", and leaves out "yesterday".
fn without_times(line: &str) -> String {
    let line = line.replace("yesterday ", "");
    let words = line.split(' ').map(|word| match word.split_at_checked(5) {
        Some((time, rest)) if NaiveTime::parse_from_str(time, "%H:%M").is_ok() => {
            format!("AT{rest}")
        }
        _ => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

#[tokio::test(start_paused = true)]
async fn changes_are_listed_latest_first_with_the_state_before_and_who_made_them() {
    let house = House::start().await;
    let mut server = Server::start(&house, &["--guard=allow"]).await;
    let text = server.list("changed").await;
    assert!(text.starts_with("Nothing has changed since "), "{text}");
    let lock_report = "\n- Entrance Front Door: unlocked, last report ";
    let (watched, reports) = text.split_once(", when this server began to watch.").unwrap();
    assert!(
        !watched.contains('\n') && reports.contains(lock_report),
        "{text}"
    );

    server.control("lamp", "on").await.assert_certainty("confirmed");
    sleep(Duration::from_secs(20)).await;
    house.by_hand(3, "37-0-currentValue", json!(false));
    sleep(Duration::from_secs(20)).await;
    house.report_access(12, 5, json!({ "userId": 3 }));
    house.by_hand(12, LOCK_MODE, json!(255));
    server.wait_until_listed("changed", "Front Door").await;
    assert_eq!(
        list_changes(&mut server, "changed").await,
        [
            "- Entrance Front Door: locked by keypad, user 3, AT; before: unlocked",
            "- Living Room Lamp: off, AT; before: on",
            "- Living Room Lamp: on by this server, AT; before: off",
        ]
    );
    let text = server.list("changed").await;
    assert!(!text.contains("Front Door: locked, last report"), "{text}");
    assert!(text.contains("Door Sensor: closed, last report"), "{text}");
    assert_eq!(
        list_changes(&mut server, "what changed lamp").await.len(),
        2
    );
    let line = server.list("front door").await;
    assert!(
        without_times(&line).contains("locked since AT (by keypad, user 3)"),
        "{line}"
    );
}

#[tokio::test(start_paused = true)]
async fn who_operated_a_lock_is_taken_from_its_report_unless_this_server_sent_the_command() {
    let house = House::start().await;
    let mut server = Server::start(&house, &["--guard=allow"]).await;
    server.control("front door", "lock").await.assert_certainty("confirmed");
    house.report_access(12, 3, json!({}));
    sleep(Duration::from_secs(20)).await;
    for (mode, event, parameters, expected) in [
        (0, 6, json!({}), "unlocked by keypad, AT; before: locked"),
        (255, 9, json!({}), "locked by itself, AT; before: unlocked"),
        (0, 4, json!({}), "unlocked by radio, AT; before: locked"),
        (255, 1, json!({}), "locked by hand, AT; before: unlocked"),
    ] {
        house.by_hand(12, LOCK_MODE, json!(mode));
        house.report_access(12, event, parameters);
        eventually(expected, async || {
            let changes = list_changes(&mut server, "changed front door").await;
            changes[0].ends_with(expected)
        })
        .await;
        sleep(Duration::from_secs(20)).await;
    }
    let changes = list_changes(&mut server, "changed front door").await;
    assert!(
        changes[4].contains(": locked by this server"),
        "{changes:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn nobody_is_named_for_what_came_after_a_report_or_after_our_own_command() {
    let house = House::start().await;
    let mut server = Server::start(&house, &["--guard=allow"]).await;
    server.list("").await;
    // Somebody at the keypad unlocks, and five seconds later somebody else locks.
    house.by_hand(12, LOCK_MODE, json!(255));
    sleep(Duration::from_secs(20)).await;
    house.report_access(12, 6, json!({ "userId": 7 }));
    house.by_hand(12, LOCK_MODE, json!(0));
    sleep(Duration::from_secs(5)).await;
    house.by_hand(12, LOCK_MODE, json!(255));
    // A report that is about nothing new explains nothing that follows.
    sleep(Duration::from_secs(20)).await;
    house.report_access(12, 5, json!({ "userId": 7 }));
    house.by_hand(12, LOCK_MODE, json!(0));
    sleep(Duration::from_secs(1)).await;
    house.by_hand(12, LOCK_MODE, json!(255));
    sleep(Duration::from_secs(20)).await;
    // A hand, or zwave-js-ui's page, right after our own command.
    server.control("front door", "unlock").await.assert_certainty("confirmed");
    sleep(Duration::from_secs(2)).await;
    house.by_hand(12, LOCK_MODE, json!(255));
    sleep(Duration::from_secs(2)).await;
    house.by_hand(12, LOCK_MODE, json!(0));
    server.control("lamp", "off").await.assert_certainty("confirmed");
    house.by_hand(3, "37-0-currentValue", json!(true));
    sleep(Duration::from_secs(2)).await;
    house.by_hand(3, "37-0-currentValue", json!(false));
    sleep(Duration::from_secs(1)).await;
    let changes = list_changes(&mut server, "changed front door").await;
    let makers: Vec<&str> = changes
        .iter()
        .map(|line| line.split_once("locked").unwrap().1.split_once(" AT").unwrap().0)
        .collect();
    assert_eq!(
        makers,
        [
            ",",
            ",",
            " by this server,",
            ",",
            ",",
            ",",
            " by keypad, user 7,",
            ","
        ],
        "{changes:#?}"
    );
    let changes = list_changes(&mut server, "changed lamp").await;
    assert!(
        changes.iter().all(|line| !line.contains("by this")),
        "{changes:#?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_command_that_the_device_does_not_obey_is_no_change() {
    let house = House::start().await;
    house.change(3, |habits| habits.obeys = false);
    let mut server = Server::start(&house, &[]).await;
    server.control("lamp", "on").await.assert_certainty("failed");
    let text = server.list("changed").await;
    assert!(text.starts_with("Nothing has changed"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn without_events_a_change_is_dated_between_two_fetches_of_the_nodes() {
    let house = House::of(without_events(), captured_nodes()).await;
    let mut server = Server::start(&house, &[]).await;
    server.list("").await;
    sleep(Duration::from_secs(600)).await;
    house.by_hand(3, "37-0-currentValue", json!(true));
    let changes = list_changes(&mut server, "changed").await;
    assert_eq!(
        changes,
        ["- Living Room Lamp: on, between AT and AT; before: off"]
    );
}

#[tokio::test(start_paused = true)]
async fn the_list_of_changes_says_when_the_gateway_was_away() {
    let house = House::of(setup(), captured_nodes()).await;
    let mut server = Server::start(&house, &[]).await;
    server.list("").await;
    house.kill();
    sleep(Duration::from_secs(300)).await;
    house.put_secretly(5, "38-0-currentValue", json!(0));
    house.restart(Duration::from_secs(1));
    server.wait_until_listed("changed", "The gateway was away from ").await;
}

#[tokio::test(start_paused = true)]
async fn a_hidden_device_is_in_no_list_of_changes() {
    let house = House::start().await;
    let mut server = Server::start(&house, &["--hide=Lamp"]).await;
    server.list("").await;
    house.by_hand(3, "37-0-currentValue", json!(true));
    house.by_hand(12, LOCK_MODE, json!(255));
    server.wait_until_listed("changed", "Front Door").await;
    let text = server.list("changed").await;
    assert!(!text.contains("Lamp"), "{text}");
    assert!(!server.read(CHANGES).await.to_string().contains("Lamp"));
}

#[tokio::test(start_paused = true)]
async fn the_resource_of_changes_has_the_facts_and_the_time_of_each_change() {
    for era in ERAS {
        let house = House::start().await;
        let mut server = era.start(&house, &[]).await;
        assert!(era.list_uris(&mut server).await.iter().any(|uri| uri == CHANGES));
        let before = era.read(&mut server, CHANGES).await;
        assert_eq!(
            (&before["topic"], &before["count"]),
            (&json!("changed"), &json!(0))
        );
        house.report_access(12, 5, json!({ "userId": 3 }));
        house.by_hand(12, LOCK_MODE, json!(255));
        let mut change = Json::Null;
        eventually("the change is listed", async || {
            let read = era.read(&mut server, CHANGES).await;
            change = read["changes"].get(0).cloned().unwrap_or_default();
            change.is_object()
        })
        .await;
        let expected = json!({
            "name": "Front Door", "controlName": "Entrance Front Door", "after": "locked",
            "before": "unlocked", "by": "keypad", "user": 3,
        });
        for (field, expected) in expected.as_object().unwrap() {
            assert_eq!(&change[field], expected, "{change}");
        }
        assert_eq!(change.get("notBefore"), None, "{change}");
        let at = change["at"].as_str().unwrap();
        assert!(at.ends_with('Z') && at.contains('T'), "{at}");
    }
}

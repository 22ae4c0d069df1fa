//! The file: what it survives, and what it is not used for.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use chrono::TimeDelta;
use serde_json::json;
use tempfile::TempDir;
use zwave_mcp_server::assistant::Timers;

use super::{Clocks, ENGLISH, TimedHouse, devices, minutes};

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("timers.json");
    (folder, file)
}

async fn start(file: &Path) -> TimedHouse {
    let house = json!({ "devices": devices(ENGLISH) });
    TimedHouse::of(&house, &Clocks::at("2026-03-18 10:00"), Some(file)).await
}

#[tokio::test(start_paused = true)]
async fn a_timer_outlives_a_restart() {
    let (_folder, file) = folder();
    let mut house = start(&file).await;
    for order in [
        "turn on the lamp in ten minutes",
        "turn on the fan at 10:20",
    ] {
        house.say(order).await;
    }
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    house.nothing_for(minutes(5)).await;
    let mut house = house.restart(Some(&file));
    house.nothing_for(minutes(4)).await;
    assert_eq!(house.pass(minutes(2)).await.0, [2]);
    // What was done is not done again.
    let mut house = house.restart(Some(&file));
    house.nothing_for(minutes(8)).await;
    assert_eq!(house.pass(minutes(2)).await.0, [3]);
}

#[tokio::test(start_paused = true)]
async fn what_was_due_while_nothing_ran_is_told_after_the_restart_and_not_done() {
    let (_folder, file) = folder();
    let mut house = start(&file).await;
    house.say_in(Some("Hall"), "schalte die Lampe in zehn Minuten ein").await;
    house.clocks.sleep(TimeDelta::minutes(12));
    let (moved, answers) = house.restart(Some(&file)).pass(minutes(1)).await;
    let told = "Das war um 10:10 fällig, und ich konnte es nicht rechtzeitig tun: \"schalte die Lampe ein\" (Lamp).";
    assert_eq!(
        (moved, answers),
        (vec![], vec![(Some("Hall".to_owned()), told.to_owned())])
    );
}

#[tokio::test(start_paused = true)]
async fn a_second_program_on_the_same_file_has_no_timers() {
    let (_folder, file) = folder();
    let mut first = start(&file).await;
    let mut second = start(&file).await;
    assert_eq!(
        second.say("turn on the lamp in ten minutes").await,
        "I have no timers here."
    );
    assert_eq!(
        second.say("which timers are there?").await,
        "I have no timers here."
    );
    first.say("turn on the lamp in ten minutes").await;
    assert_eq!(first.pass(minutes(11)).await.0, [2]);
}

#[tokio::test(start_paused = true)]
async fn a_file_that_can_not_be_trusted_is_left_alone_and_told() {
    let (_folder, file) = folder();
    let mut house = start(&file).await;
    house.say("turn on the lamp in ten minutes").await;
    drop(house);
    let good = fs::read_to_string(&file).unwrap();
    for (content, mode, problem) in [
        (&good[..good.len() / 2], 0o600, "can't be read"),
        (r#"{"version":2,"timers":{"a":1}}"#, 0o600, "newer version"),
        (good.as_str(), 0o622, "others may write"),
    ] {
        fs::write(&file, content).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let clocks = Clocks::at("2026-03-18 10:00");
        let timers = Timers::open(clocks.timer_clock(), Some(&file));
        assert!(
            timers.problem().unwrap().contains(problem),
            "{:?}",
            timers.problem()
        );
        drop(timers);
        let mut house = start(&file).await;
        assert_eq!(
            house.say("turn on the fan in five minutes").await,
            "I have no timers here."
        );
        house.nothing_for(minutes(20)).await;
        assert_eq!(fs::read_to_string(&file).unwrap(), content);
    }
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_can_not_be_stored_is_not_taken() {
    let (_folder, file) = folder();
    let mut house = start(&file).await;
    house.say("turn on the lamp in ten minutes").await;
    // Nothing can be written where a folder is, as on a full disk.
    fs::create_dir(file.with_extension("new")).unwrap();
    let told = house.say("turn on the fan in five minutes").await;
    assert_eq!(told, "I can't store the timer, so I am not taking it.");
    assert_eq!(house.pass(minutes(11)).await.0, [2]);
    // Its entry could not be removed, so the file is gone: nothing is done twice.
    assert!(!file.exists());
}

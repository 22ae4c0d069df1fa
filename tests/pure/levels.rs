//! What is no level proves nothing and is told as nothing: 254 is the device's own word for unknown,
//! 255 says only that it is on.

use std::time::Duration;

use serde_json::{Value as Json, json};
use zwave_mcp_server::gateway::View;
use zwave_mcp_server::home::goal::{Goal, Remaining, StateReport};
use zwave_mcp_server::home::house::House;
use zwave_mcp_server::home::intent::Intent;
use zwave_mcp_server::home::model::ids::Timestamp;
use zwave_mcp_server::home::model::quantity::Temperature;
use zwave_mcp_server::home::model::value::Reading;
use zwave_mcp_server::home::plan::{DeviceRefusal, Plan};
use zwave_mcp_server::home::planner::plan;
use zwave_mcp_server::home::proof::{Manner, Next, Promise, Proof, Verdict};
use zwave_mcp_server::mcp::entry::Entry;
use zwave_mcp_server::mcp::wording::{entry_state, exceptions};

use crate::nodes::Document;
use crate::reading::house;

/// Numbers that are no level.
const NO_LEVELS: [i64; 5] = [-1, 101, 200, 254, 256];

/// What a list tells of the first device.
fn told(document: Document) -> String {
    let house = house([document]);
    let view = View {
        house: &house,
        gateways: Vec::new(),
        trouble: None,
        now: Timestamp(0),
    };
    let entry = Entry::of(&view, &house.devices()[0]);
    let mut told = vec![entry_state(&entry).unwrap()];
    told.extend(exceptions(&entry));
    told.join(", ")
}

fn garage(level: i64) -> Document {
    let states = || json!([[0, "Closed"], [255, "Open"]]);
    Document::new("Garage Door", 64, 7)
        .states("102-0-currentState", false, states(), level)
        .states("102-0-targetState", true, states(), level)
}

fn tone(tone: i64) -> Document {
    let tone = json!({ "type": "number", "min": 0, "max": 255, "writeable": true, "value": tone });
    Document::new("Siren", 16, 5).value("121-0-toneId", tone)
}

#[test]
fn what_is_no_level_is_told_as_an_unknown_state() {
    for level in NO_LEVELS {
        for (kind, document) in [
            ("dimmer", Document::new("It", 17, 1).level(0, level)),
            ("fan", Document::new("It", 17, 8).level(0, level)),
            ("switch", Document::new("It", 16, 1).switch(0, level)),
        ] {
            assert_eq!(told(document), "state unknown", "{kind} {level}");
        }
        let cover = Document::new("Blind", 17, 6).level(0, level);
        assert_eq!(told(cover), "position unknown", "{level}");
    }
    for state in [-1, 101, 200, 251, 256] {
        assert_eq!(told(garage(state)), "position unknown", "{state}");
    }
    for number in [-1, 256] {
        assert_eq!(told(tone(number)), "state unknown", "{number}");
    }
    assert_eq!(told(tone(120)), "on", "a tone is no level");
    let blind = Document::new("Blind", 17, 6).level(0, 255);
    assert_eq!(told(blind), "position unknown", "it is somewhere");
    let dimmer = Document::new("It", 17, 1).level(0, 255);
    assert_eq!(told(dimmer), "on", "nobody knows how bright");
}

#[test]
fn a_switch_that_reports_a_number_is_on_or_off() {
    for (level, state) in [(0, "off"), (1, "on"), (50, "on"), (99, "on"), (255, "on")] {
        let switch = Document::new("It", 16, 1).switch(0, level);
        assert_eq!(told(switch), state, "{level}");
    }
}

#[test]
fn a_battery_without_a_charge_has_none() {
    let lamp = |charge: i64| {
        Document::new("It", 16, 1)
            .switch(0, true)
            .number("128-0-level", charge, "%")
    };
    for charge in [-5, 101, 255] {
        assert_eq!(told(lamp(charge)), "on", "{charge}");
    }
    assert_eq!(told(lamp(0)), "on, battery 0 %");
}

fn report(current: f64, target: Option<f64>, left: Option<u64>) -> StateReport {
    StateReport {
        current: Some(current.into()),
        target: target.map(Reading::from),
        remaining: left.map(|left| Remaining::Known(Duration::from_secs(left))),
    }
}

/// The verdict on a device that always gives the same answer.
fn verdict(expected: Goal, answer: &StateReport) -> Verdict {
    let limit = Duration::from_secs(3);
    let mut proof = Proof::new(expected, Manner::Prompt, Promise::Delivered, limit);
    loop {
        match proof.next() {
            Next::Done(verdict) => return verdict,
            Next::Ask(at) => proof.answered(at, Some(answer.clone())),
        }
    }
}

#[test]
fn what_is_no_level_proves_and_disproves_nothing() {
    for level in NO_LEVELS {
        let level = level as f64;
        for expected in [Goal::On, Goal::Off, Goal::Level(99), Goal::Level(0)] {
            assert!(!expected.is_met_by(&level.into()), "{expected:?} {level}");
            for left in [None, Some(0)] {
                let answer = report(level, None, left);
                assert_eq!(
                    verdict(expected, &answer),
                    Verdict::Silent,
                    "{expected:?} {level}"
                );
            }
        }
        let nowhere = report(level, Some(level), None);
        assert_ne!(
            verdict(Goal::Standstill, &nowhere),
            Verdict::Reached(Some(level.into())),
            "{level}"
        );
    }
    // An unknown target is none.
    let on = report(50.0, Some(254.0), Some(0));
    assert_eq!(verdict(Goal::On, &on), Verdict::Reached(Some(50.0.into())));
    assert_eq!(
        verdict(Goal::On, &report(255.0, None, Some(0))),
        Verdict::Reached(Some(255.0.into()))
    );
}

#[test]
fn what_says_no_level_is_not_toggled() {
    let house = house([Document::new("It", 17, 1).level(0, 0)]);
    let planned = plan(&house, &house.devices()[0], &Intent::Toggle).unwrap();
    let Plan::Toggle { when_on, .. } = planned.plan else {
        panic!("{planned:?}")
    };
    for level in NO_LEVELS {
        let unknown = report(level as f64, None, None);
        assert_eq!(Plan::is_on(&when_on, &unknown), None, "{level}");
    }
    let on = |level: f64| Plan::is_on(&when_on, &report(level, None, None));
    assert_eq!(
        (on(255.0), on(1.0), on(0.0)),
        (Some(true), Some(true), Some(false))
    );
}

fn limits(house: &House, degrees: f64) -> Option<(f64, f64)> {
    let intent = Intent::SetTemperature(Temperature {
        degrees,
        unit: None,
    });
    match plan(house, &house.devices()[0], &intent) {
        Ok(_) => None,
        Err(DeviceRefusal::OutOfLimits(range)) => Some((range.min, range.max)),
        Err(refusal) => panic!("{refusal:?}"),
    }
}

#[test]
fn limits_of_which_the_lower_is_above_the_higher_are_none() {
    let valve = |min: Json, max: Json| {
        let setpoint = json!({
            "type": "number", "writeable": true, "unit": "°C", "value": 20, "min": min, "max": max,
        });
        house([Document::new("Radiator Valve", 8, 4).value("67-0-setpoint-1", setpoint)])
    };
    let contradictory = valve(json!(35), json!(5));
    assert_eq!(limits(&contradictory, 21.0), None);
    assert_eq!(limits(&contradictory, 90.0), Some((4.0, 40.0)));
    let freezer = valve(Json::Null, json!(-10));
    assert_eq!(limits(&freezer, -18.0), Some((-10.0, -10.0)));
    assert_eq!(
        limits(&valve(json!(50), Json::Null), 55.0),
        Some((50.0, 50.0))
    );
}

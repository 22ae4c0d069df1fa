//! What a write must lead to is a predicate of the device's own reading, and what is written is one
//! of what the device itself has.

use std::time::Duration;

use serde_json::{Value as Json, json};
use zwave_mcp_server::home::goal::{Goal, Remaining, StateReport};
use zwave_mcp_server::home::guard::Guard;
use zwave_mcp_server::home::house::House;
use zwave_mcp_server::home::intent::Intent;
use zwave_mcp_server::home::model::quantity::{Percent, Temperature};
use zwave_mcp_server::home::model::value::Reading;
use zwave_mcp_server::home::plan::{DeviceRefusal, Plan, Step};
use zwave_mcp_server::home::planner::plan;
use zwave_mcp_server::mcp::wording;

use crate::nodes::Document;
use crate::reading::house;

fn planned(house: &House, intent: &Intent) -> Result<Plan, DeviceRefusal> {
    plan(house, &house.devices()[0], intent).map(|planned| planned.plan)
}

fn step(document: Document, intent: &Intent) -> Step {
    match planned(&house([document]), intent).unwrap() {
        Plan::Direct(step) => *step,
        other => panic!("{other:?}"),
    }
}

/// The key of what is written, and the value.
fn written(document: Document, intent: &Intent) -> (String, Reading) {
    let write = step(document, intent).write;
    let id = write.target;
    let key = id.key.map_or_else(String::new, |key| format!("-{key}"));
    let place = format!("{}-{}-{}{key}", id.class.0, id.endpoint, id.property);
    (place, write.value)
}

fn refused(document: Document, intent: &Intent) -> DeviceRefusal {
    planned(&house([document]), intent).unwrap_err()
}

/// The sentence for a refusal.
fn said(document: Document, intent: &Intent) -> String {
    let house = house([document]);
    let refusal = planned(&house, intent).unwrap_err();
    wording::device_refusal(&house.devices()[0], intent, &refusal)
}

fn lock(modes: &[u8]) -> Document {
    let states = || modes.iter().map(|mode| json!([mode, "a mode"])).collect();
    Document::new("Front Door", 64, 3)
        .states("98-0-currentMode", false, states(), 255)
        .states("98-0-targetMode", true, states(), 255)
}

#[test]
fn unlocked_is_every_mode_that_is_not_secured() {
    for mode in [0.0, 1.0, 16.0, 17.0, 32.0, 33.0] {
        assert!(Goal::Unlocked.is_met_by(&mode.into()), "{mode}");
        assert!(!Goal::Locked.is_met_by(&mode.into()), "{mode}");
    }
    for expected in [Goal::Locked, Goal::Unlocked] {
        assert!(!expected.is_met_by(&254.0.into()), "254 is unknown");
        let report = StateReport {
            current: Some(254.0.into()),
            ..StateReport::default()
        };
        assert!(!report.moves_to(expected), "and not under way");
    }
    assert!(Goal::Locked.is_met_by(&255.0.into()));
}

#[test]
fn a_lock_is_unlocked_by_a_mode_that_it_lists() {
    let target = "98-0-targetMode".to_owned();
    for (modes, mode) in [
        (&[0, 1, 16, 255][..], 0.0),
        (&[1, 255], 1.0),
        (&[16, 32, 255], 32.0),
    ] {
        let write = written(lock(modes), &Intent::Unlock);
        assert_eq!(write, (target.clone(), mode.into()), "{modes:?}");
        let write = written(lock(modes), &Intent::Lock);
        assert_eq!(write, (target.clone(), 255.0.into()), "{modes:?}");
    }
}

#[test]
fn stop_ends_whatever_movement_the_device_has() {
    for names in [
        ["Up", "Down"],
        ["Open", "Close"],
        ["On", "Off"],
        ["Left", "Right"],
        ["Clockwise", "Counter-Clockwise"],
        ["Forward", "Reverse"],
        ["Pull", "Push"],
    ] {
        for (generic, specific) in [(17, 7), (17, 3), (64, 7)] {
            let motor = Document::new("Motor", generic, specific).level(0, 50);
            let motor = motor.level_change(0, names);
            let (key, value) = written(motor, &Intent::Stop);
            let expected = names.map(|name| format!("38-0-{name}"));
            assert!(expected.contains(&key), "{key}");
            assert_eq!(value, false.into());
        }
    }
    let without = Document::new("Motor", 17, 7).level(0, 50);
    assert!(matches!(
        refused(without, &Intent::Stop),
        DeviceRefusal::Cannot(_)
    ));
    let states = || {
        json!([
            [0, "Closed"],
            [252, "Closing"],
            [254, "Opening"],
            [255, "Open"]
        ])
    };
    let barrier = Document::new("Garage Door", 64, 7)
        .states("102-0-currentState", false, states(), 0)
        .states("102-0-targetState", true, states(), 0);
    assert_eq!(
        said(barrier, &Intent::Stop),
        "Home Garage Door can't do \"stop\"; it can do open and close.".replace("Home ", "")
    );
}

fn thermostat(fan: Json) -> Document {
    let modes = json!([[0, "Off"], [1, "Heat"], [2, "Cool"], [3, "Auto"]]);
    Document::new("Stairs", 8, 6)
        .states("64-0-mode", true, modes, 3)
        .states("68-0-mode", true, fan, 0)
        .setpoint("67-0-setpoint-1", 66.0, "°F")
        .setpoint("67-0-setpoint-2", 68.0, "°F")
        .number("49-0-Air temperature", 70, "°F")
}

fn mode(said: &str) -> Intent {
    Intent::SetMode(said.to_owned())
}

#[test]
fn a_fan_mode_is_one_of_the_fans_own() {
    let fan = || json!([[0, "Auto low"], [1, "Low"], [3, "High"], [6, "Circulation"]]);
    let target = "68-0-mode".to_owned();
    for (said, number) in [
        ("fan auto", 0.0),
        ("fan automatic", 0.0),
        ("auto fan", 0.0),
        ("Fan Auto Low", 0.0),
        ("fan low", 1.0),
        ("fan mode high", 3.0),
        ("fan circulation", 6.0),
    ] {
        let write = written(thermostat(fan()), &mode(said));
        assert_eq!(write, (target.clone(), number.into()), "{said}");
    }
    let every = [
        "off",
        "heat",
        "cool",
        "auto",
        "fan auto low",
        "fan low",
        "fan high",
        "fan circulation",
    ];
    for unknown in ["fan warm", "fan heating", "fan cool", "fan", "fan eco"] {
        let known = DeviceRefusal::UnknownMode(every.map(str::to_owned).to_vec());
        assert_eq!(
            refused(thermostat(fan()), &mode(unknown)),
            known,
            "{unknown}"
        );
    }
}

#[test]
fn of_several_autos_none_is_taken() {
    let fan = json!([[0, "Auto low"], [1, "Low"], [2, "Auto high"]]);
    assert_eq!(
        refused(thermostat(fan), &mode("fan auto")),
        DeviceRefusal::UnknownMode(vec!["fan auto low".to_owned(), "fan auto high".to_owned()])
    );
}

fn degrees(degrees: f64) -> Intent {
    Intent::SetTemperature(Temperature {
        degrees,
        unit: None,
    })
}

#[test]
fn in_auto_heating_stays_below_cooling() {
    let fan = || json!([[0, "Auto low"]]);
    assert_eq!(
        said(thermostat(fan()), &degrees(80.0)),
        "Stairs is in auto and cools to 68 °F, so it can't heat to 80 °F. Use a temperature below \
         68 °F, or action \"set_mode\" with heat first."
    );
    assert_eq!(
        said(thermostat(fan()), &degrees(66.0)),
        "Stairs is in auto and heats to 66 °F, so it can't cool to 66 °F. Use a temperature above \
         66 °F, or action \"set_mode\" with cool first."
    );
    let cool = written(thermostat(fan()), &degrees(67.0));
    assert_eq!(cool, ("67-0-setpoint-2".to_owned(), 67.0.into()));
}

#[test]
fn a_thermostat_that_does_not_say_its_mode_is_not_called_off() {
    let modes = json!([[0, "Off"], [1, "Heat"], [2, "Cool"]]);
    let silent = Document::new("Stairs", 8, 6)
        .states("64-0-mode", true, modes, Json::Null)
        .setpoint("67-0-setpoint-1", 66.0, "°F")
        .setpoint("67-0-setpoint-2", 76.0, "°F");
    assert_eq!(refused(silent, &degrees(70.0)), DeviceRefusal::ModeUnknown);
}

#[test]
fn a_setpoint_is_reached_within_the_devices_own_precision() {
    let with_step = |step: Json| {
        let spec = json!({
            "type": "number", "writeable": true, "value": 20, "step": step, "min": 0, "max": 99,
        });
        Document::new("Bath", 8, 4).value("67-0-setpoint-1", spec)
    };
    let reached = |step: Json, wanted: f64, read: f64| {
        let expected = self::step(with_step(step), &degrees(wanted)).goal;
        expected.is_met_by(&read.into())
    };
    assert!(reached(json!(1), 21.4, 21.0));
    assert!(!reached(json!(0.1), 21.4, 21.0));
    assert!(reached(Json::Null, 21.5, 22.0), "rounded to whole degrees");
    assert!(!reached(Json::Null, 21.0, 21.5), "another value");
    assert!(!reached(Json::Null, 21.0, 22.0));
    assert!(
        reached(Json::Null, 71.0, 70.7),
        "as the device counts in °C"
    );
}

#[test]
fn a_level_beside_on_is_left_out_for_what_has_no_levels() {
    let on = Intent::On(Percent::new(19.0));
    let siren = || {
        Document::new("Hall", 16, 5).value(
            "121-0-toneId",
            json!({ "type": "number", "min": 0, "max": 255, "writeable": true, "value": 0 }),
        )
    };
    assert_eq!(
        written(siren(), &on),
        ("121-0-toneId".to_owned(), 255.0.into())
    );
    let plug = || Document::new("Lamp", 16, 1).switch(0, false);
    assert_eq!(
        written(plug(), &on),
        ("37-0-targetValue".to_owned(), true.into())
    );
    let valve = || Document::new("Garden", 16, 6).switch(0, false);
    assert_eq!(
        written(valve(), &on),
        ("37-0-targetValue".to_owned(), true.into())
    );
    let dim = Intent::Dim(Percent::HALF);
    assert_eq!(
        said(plug(), &dim),
        "Lamp can't do \"dim\"; it can do on, off and toggle."
    );
    let partly = Intent::Open(Percent::new(40.0));
    assert_eq!(refused(valve(), &partly), DeviceRefusal::OnlyFull);
}

#[test]
fn a_toggle_goes_by_where_the_device_is_going() {
    let lamp = house([Document::new("Lamp", 17, 1).level(0, 60)]);
    let Plan::Toggle { when_on, .. } = planned(&lamp, &Intent::Toggle).unwrap() else {
        panic!();
    };
    let report = |current: f64, target: f64, left: u64| StateReport {
        current: Some(current.into()),
        target: Some(target.into()),
        remaining: Some(Remaining::Known(Duration::from_secs(left))),
    };
    let on = |report| Plan::is_on(&when_on, &report);
    assert_eq!(on(report(40.0, 0.0, 2)), Some(false), "it fades out");
    assert_eq!(on(report(0.0, 60.0, 2)), Some(true), "it fades in");
    assert_eq!(on(report(40.0, 0.0, 0)), Some(true), "it stands still");
    assert_eq!(on(StateReport::default()), None);
}

#[test]
fn slats_are_opened_half_way() {
    let slats = || {
        let slats = Document::new("South", 17, 1).level(0, 0);
        slats.product(0x0287, 0x0003, 0x000D)
    };
    for (intent, level) in [
        (Intent::Open(None), 50.0),
        (Intent::Open(Percent::new(100.0)), 50.0),
        (Intent::Open(Percent::new(40.0)), 20.0),
        (Intent::Open(Percent::new(1.0)), 1.0),
        (Intent::Close, 0.0),
    ] {
        let write = written(slats(), &intent);
        assert_eq!(
            write,
            ("38-0-targetValue".to_owned(), level.into()),
            "{intent:?}"
        );
    }
    let house = house([slats()]);
    let Plan::Toggle { when_on, .. } = planned(&house, &Intent::Toggle).unwrap() else {
        panic!();
    };
    let report = StateReport {
        current: Some(99.0.into()),
        ..StateReport::default()
    };
    assert_eq!(
        Plan::is_on(&when_on, &report),
        Some(false),
        "closed upwards"
    );
}

#[test]
fn a_gate_that_looks_like_a_dimmer_is_guarded_and_may_always_be_closed_and_stopped() {
    let gate = Document::new("Drive", 17, 1)
        .level(0, 0)
        .level_change(0, ["Open", "Close"]);
    let house = house([gate.product(0x0441, 0x2400, 0x1000)]);
    let cleared = |intent: &Intent| {
        let planned = plan(&house, &house.devices()[0], intent).unwrap();
        Guard::Deny.clear(planned, &house).is_ok()
    };
    assert!(!cleared(&Intent::Open(None)));
    assert!(cleared(&Intent::Close) && cleared(&Intent::Stop));
}

//! No plan writes outside a value's range, type or states, and the guard stops every plan that opens a door.

use std::time::Duration;

use proptest::prelude::*;
use zwave_mcp_server::home::color::Color;
use zwave_mcp_server::home::goal::{Remaining, StateReport};
use zwave_mcp_server::home::guard::{Guard, is_guarded};
use zwave_mcp_server::home::intent::{Adjustment, Intent};
use zwave_mcp_server::home::kind::Kind;
use zwave_mcp_server::home::model::ids::{CommandClass as Cc, ValueId};
use zwave_mcp_server::home::model::quantity::{Degrees, Percent, Temperature};
use zwave_mcp_server::home::model::value::{Reading, Write};
use zwave_mcp_server::home::plan::Plan;
use zwave_mcp_server::home::planner::{actions_of, plan};

use crate::houses::{
    build_house, captured, captured_with_groups_and_scenes, find_device, house_of,
};
use crate::nodes::Document;
use crate::proof::INVALID_LEVELS;

fn percent(percent: u8) -> Percent {
    Percent::new(f64::from(percent)).unwrap()
}

fn any_percent() -> impl Strategy<Value = Percent> {
    (0_u8..=100).prop_map(percent)
}

pub fn any_intent() -> impl Strategy<Value = Intent> {
    let temperature = (
        prop_oneof![any::<f64>(), -20.0..120.0],
        prop::option::of(prop_oneof![
            Just(Degrees::Celsius),
            Just(Degrees::Fahrenheit)
        ]),
    );
    prop_oneof![
        prop::option::of(any_percent()).prop_map(Intent::On),
        Just(Intent::Off),
        any_percent().prop_map(Intent::Dim),
        Just(Intent::Toggle),
        prop::option::of(any_percent()).prop_map(Intent::Open),
        Just(Intent::Close),
        Just(Intent::Stop),
        Just(Intent::Lock),
        Just(Intent::Unlock),
        temperature
            .prop_map(|(degrees, unit)| Intent::SetTemperature(Temperature { degrees, unit })),
        "(heat|cool|auto|off|fan low|fan auto low|[a-z]{0,6})".prop_map(Intent::SetMode),
        any::<(u8, u8, u8)>().prop_map(|(r, g, b)| Intent::SetColor(Color::Rgb(r, g, b))),
        (1000_u16..8000).prop_map(|kelvin| Intent::SetColor(Color::White(kelvin))),
        (any::<bool>(), prop::option::of(0.1..60.0), any::<bool>()).prop_map(|(up, by, opens)| {
            Intent::Adjust(Adjustment {
                up,
                by,
                opens,
                unit: None,
            })
        }),
    ]
}

proptest! {
    #[test]
    fn every_planned_write_targets_a_value_of_the_device_and_respects_the_limits_of_that_value(
        intent in any_intent(),
    ) {
        let house = house_of(vec![captured_with_groups_and_scenes()]);
        for device in house.devices() {
            let Ok(planned) = plan(&house, device, &intent) else { continue };
            let can = actions_of(&house, device);
            // The action "on" with the level 0 % means "off".
            let meant = [intent.action(), intent.without_level().action()];
            prop_assert!(
                meant.iter().any(|action| can.contains(action)),
                "{} {intent:?} {can:?}", device.spoken
            );
            if matches!(planned.plan, Plan::Group { .. } | Plan::Scene { .. }) {
                continue;
            }
            for (node, write) in planned.plan.writes() {
                prop_assert_eq!(Some(node), device.id.node());
                prop_assert!(device.reads.contains(&write.target.endpoint));
                let written = house.node(&"Mosquitto".into(), node).unwrap();
                let meta = &written.value(&write.target).unwrap().meta;
                prop_assert!(meta.writeable);
                if let Reading::Number(number) = write.value {
                    // A level may also be 255, which means on.
                    let is_level = meta.max == Some(99.0);
                    let is_on = is_level && number == 255.0;
                    prop_assert!(is_on || meta.max.is_none_or(|max| number <= max));
                    prop_assert!(meta.min.is_none_or(|min| number >= min));
                    let is_known =
                        is_level || meta.states.is_empty() || meta.state(number).is_some();
                    prop_assert!(is_known, "{} {intent:?} {number}", device.spoken);
                    prop_assert!(number.is_finite());
                }
            }
        }
    }

    #[test]
    fn without_permission_the_guard_stops_every_plan_that_may_unlock_or_open_a_door_and_no_other(
        intent in any_intent(),
    ) {
        let house = house_of(vec![captured_with_groups_and_scenes()]);
        for device in house.devices() {
            let Ok(planned) = plan(&house, device, &intent) else { continue };
            let name = device.name.text.as_str();
            let is_door = matches!(device.kind, Kind::Lock | Kind::GarageDoor | Kind::Gate);
            let opens = (is_door && matches!(intent, Intent::Unlock | Intent::Open(_)))
                || name == "Coming home"
                // Any write to this group reaches a lock and may unlock it.
                || name == "Doors";
            let cleared = Guard::Deny.clear(planned.clone(), &house);
            prop_assert_eq!(cleared.is_none(), opens, "{} {:?}", name, intent);
            prop_assert!(Guard::Allow.clear(planned, &house).is_some());
        }
    }
}

#[test]
fn every_write_to_a_door_is_guarded_except_closing_and_locking() {
    let house = captured();
    let node = |name| house.node_of(&find_device(&house, name).id).unwrap();
    let (lock, garage) = (node("Entrance Front Door"), node("Garage Garage Door"));
    let write = |class, property, value: Reading| Write {
        target: ValueId::new(class, 0, property),
        value,
    };
    let mode = |mode: f64| write(Cc::DOOR_LOCK, "targetMode", mode.into());
    let state = |state: f64| write(Cc::BARRIER_OPERATOR, "targetState", state.into());
    let basic = write(Cc::BASIC, "targetValue", 255.0.into());
    let switch = |on: bool| write(Cc::BINARY_SWITCH, "targetValue", on.into());
    for (write, node, guarded) in [
        (mode(255.0), lock, false),
        (mode(0.0), lock, true),
        (mode(1.0), lock, true),
        (mode(16.0), lock, true),
        (mode(254.0), lock, true),
        (state(0.0), garage, false),
        (state(255.0), garage, true),
        // A write to the command class Basic, or to a relay of the same node, may open the door, too.
        (basic, garage, true),
        (switch(true), garage, true),
        (switch(false), lock, true),
        (switch(true), node("Living Room Lamp"), false),
    ] {
        assert_eq!(is_guarded(&write, node), guarded, "{write:?}");
    }
}

#[test]
fn a_gate_that_looks_like_a_dimmer_is_guarded_but_may_always_be_closed_and_stopped() {
    let dimmer = Document::new("Drive", 17, 1).level(0, 0).level_change(0, ["Open", "Close"]);
    // The product is Nice IBT4ZWAVE, a gate's motor.
    let house = build_house([dimmer.product(0x0441, 0x2400, 0x1000)]);
    let is_cleared = |intent: &Intent| {
        let planned = plan(&house, &house.devices()[0], intent).unwrap();
        Guard::Deny.clear(planned, &house).is_some()
    };
    assert!(!is_cleared(&Intent::Open(None)));
    assert!(is_cleared(&Intent::Close) && is_cleared(&Intent::Stop));
}

/// Returns true if a toggle would treat the device as on, or `None` if the report does not tell. The report
/// has the level `current`. `moving_to` adds a target and the remaining seconds.
fn is_reported_on(document: Document, current: f64, moving_to: Option<(f64, u64)>) -> Option<bool> {
    let house = build_house([document]);
    let planned = plan(&house, &house.devices()[0], &Intent::Toggle).unwrap();
    let Plan::Toggle { when_on, .. } = planned.plan else {
        panic!("{planned:?}")
    };
    let report = StateReport {
        current: Some(current.into()),
        target: moving_to.map(|(target, _)| target.into()),
        remaining: moving_to.map(|(_, left)| Remaining::Known(Duration::from_secs(left))),
    };
    when_on.is_on(&report)
}

#[test]
fn a_toggle_uses_the_target_of_a_moving_device_and_ignores_invalid_levels() {
    let lamp = || Document::new("Lamp", 17, 1).level(0, 60);
    for (current, moving_to, is_on, why) in [
        (40.0, Some((0.0, 2)), false, "it fades out"),
        (0.0, Some((60.0, 2)), true, "it fades in"),
        (40.0, Some((0.0, 0)), true, "it stands still"),
        (255.0, None, true, "it is on"),
        (1.0, None, true, "it is on"),
        (0.0, None, false, "it is off"),
    ] {
        assert_eq!(
            is_reported_on(lamp(), current, moving_to),
            Some(is_on),
            "{why}"
        );
    }
    for level in INVALID_LEVELS {
        assert_eq!(is_reported_on(lamp(), level, None), None, "{level}");
    }
    // This product's slats are closed at 0 and at 99.
    let slats = lamp().product(0x0287, 0x0003, 0x000D);
    assert_eq!(
        is_reported_on(slats, 99.0, None),
        Some(false),
        "closed upwards"
    );
}

//! No plan ever writes outside a value's range, type or states, and none passes the guard unseen.

use proptest::prelude::*;
use zwave_mcp_server::home::color::Color;
use zwave_mcp_server::home::guard::{Guard, is_guarded};
use zwave_mcp_server::home::ids::{CommandClass, ValueId};
use zwave_mcp_server::home::kind::Kind;
use zwave_mcp_server::home::plan::{Refusal, Write, actions, plan};
use zwave_mcp_server::home::value::Reading;
use zwave_mcp_server::home::wish::{Action, Percent, Wish};

use crate::houses::{captured, device};

fn percent() -> impl Strategy<Value = Percent> {
    (0_u8..=100).prop_map(|percent| Percent::new(f64::from(percent)).unwrap())
}

fn wish() -> impl Strategy<Value = Wish> {
    prop_oneof![
        prop::option::of(percent()).prop_map(Wish::On),
        Just(Wish::Off),
        percent().prop_map(Wish::Dim),
        Just(Wish::Toggle),
        prop::option::of(percent()).prop_map(Wish::Open),
        Just(Wish::Close),
        Just(Wish::Stop),
        Just(Wish::Lock),
        Just(Wish::Unlock),
        any::<f64>().prop_map(Wish::SetTemperature),
        "[a-z]{0,10}".prop_map(Wish::SetMode),
        any::<(u8, u8, u8)>().prop_map(|(r, g, b)| Wish::SetColor(Color::Rgb(r, g, b))),
    ]
}

proptest! {
    #[test]
    fn every_write_of_every_plan_is_one_that_the_device_has_and_allows(wish in wish()) {
        let house = captured();
        for device in house.devices() {
            let node = house.node_of(device.id).unwrap();
            let Ok(planned) = plan(device, node, &wish) else { continue };
            prop_assert!(actions(device, node).contains(&wish.action()), "{device:?} {wish:?}");
            for step in planned.plan.steps() {
                prop_assert_eq!(planned.device, device.id);
                prop_assert_eq!(step.write.target.endpoint, device.id.endpoint);
                let meta = &node.value(&step.write.target).unwrap().meta;
                prop_assert!(meta.writeable);
                if let Reading::Number(number) = step.write.value {
                    let as_before = number == 255.0
                        && step.write.target.class == CommandClass::MULTILEVEL_SWITCH;
                    prop_assert!(as_before || meta.max.is_none_or(|max| number <= max));
                    prop_assert!(meta.min.is_none_or(|min| number >= min));
                    prop_assert!(meta.states.is_empty() || meta.state(number).is_some());
                }
            }
        }
    }

    #[test]
    fn without_leave_nothing_that_unlocks_or_opens_is_cleared(wish in wish()) {
        let house = captured();
        for device in house.devices() {
            let node = house.node_of(device.id).unwrap();
            let Ok(planned) = plan(device, node, &wish) else { continue };
            let opens = matches!(device.kind, Kind::Lock | Kind::GarageDoor | Kind::Gate)
                && matches!(wish, Wish::Unlock | Wish::Open(_));
            prop_assert_eq!(Guard::Deny.clear(planned.clone(), node).is_err(), opens);
            prop_assert!(Guard::Allow.clear(planned, node).is_ok());
        }
    }
}

#[test]
fn what_is_not_plainly_shutting_a_door_is_guarded() {
    let house = captured();
    let lock = house
        .node_of(device(&house, "Entrance Front Door").id)
        .unwrap();
    let garage = house
        .node_of(device(&house, "Garage Garage Door").id)
        .unwrap();
    let write = |class, property, value: Reading| Write {
        target: ValueId::new(class, 0, property),
        value,
    };
    let mode = |mode: f64| write(CommandClass::DOOR_LOCK, "targetMode", mode.into());
    assert!(!is_guarded(&mode(255.0), lock));
    for open in [0.0, 1.0, 16.0, 254.0] {
        assert!(is_guarded(&mode(open), lock), "{open}");
    }
    let state = |state: f64| write(CommandClass::BARRIER_OPERATOR, "targetState", state.into());
    assert!(!is_guarded(&state(0.0), garage));
    assert!(is_guarded(&state(255.0), garage));
    // A relay on such a node, or Basic, opens as well as the class that says so.
    assert!(is_guarded(
        &write(CommandClass::BASIC, "targetValue", 255.0.into()),
        garage
    ));
    assert!(is_guarded(
        &write(CommandClass::BINARY_SWITCH, "targetValue", true.into()),
        garage
    ));
    assert!(is_guarded(
        &write(CommandClass::BINARY_SWITCH, "targetValue", false.into()),
        lock
    ));
    let lamp = house
        .node_of(device(&house, "Living Room Lamp").id)
        .unwrap();
    let on = write(CommandClass::BINARY_SWITCH, "targetValue", true.into());
    assert!(!is_guarded(&on, lamp));
}

#[test]
fn a_device_that_cant_says_what_it_can() {
    let house = captured();
    let can = |name: &str| {
        let device = device(&house, name);
        let node = house.node_of(device.id).unwrap();
        match plan(device, node, &Wish::Stop) {
            Err(Refusal::Cannot(can)) => can,
            other => panic!("{name}: {other:?}"),
        }
    };
    use Action::{Close, Dim, Lock, Off, On, Open, Toggle, Unlock};
    assert_eq!(can("Living Room Lamp"), [On, Off, Toggle]);
    assert_eq!(can("Office Power Strip USB"), [On, Off, Toggle]);
    assert_eq!(can("Kitchen Dimmer"), [On, Off, Dim, Toggle]);
    assert_eq!(can("Entrance Front Door"), [Lock, Unlock]);
    assert_eq!(can("Garage Garage Door"), [Open, Close]);
    assert_eq!(can("Bathroom Multisensor"), []);
}

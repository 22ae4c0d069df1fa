//! No plan ever writes outside a value's range, type or states, and none passes the guard unseen.

use proptest::prelude::*;
use zwave_mcp_server::home::color::Color;
use zwave_mcp_server::home::device::Device;
use zwave_mcp_server::home::goal::Goal;
use zwave_mcp_server::home::guard::{Guard, is_guarded};
use zwave_mcp_server::home::house::House;
use zwave_mcp_server::home::intent::{Action, Adjustment, Intent};
use zwave_mcp_server::home::kind::Kind;
use zwave_mcp_server::home::model::ids::{CommandClass as Cc, NodeId, SceneId, ValueId};
use zwave_mcp_server::home::model::node::Node;
use zwave_mcp_server::home::model::quantity::{Degrees, Percent, Temperature};
use zwave_mcp_server::home::model::snapshot::Scene;
use zwave_mcp_server::home::model::value::{Components, Reading, Write};
use zwave_mcp_server::home::plan::TemperatureRange;
use zwave_mcp_server::home::plan::{DeviceRefusal, Plan, Step};
use zwave_mcp_server::home::planner::{actions_of, plan};

use crate::houses::{captured, captured_snapshot, device};

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

/// The captured house with a group of the two lamps and one of both doors, and scenes that do and
/// do not open something.
fn with_many() -> House {
    let mut site = captured_snapshot();
    let group = Node::clone(&site.nodes[&NodeId(255)]);
    for (id, name, members) in [
        (4096, "Downstairs", vec![NodeId(3), NodeId(4), NodeId(5)]),
        (4097, "Doors", vec![NodeId(12), NodeId(13)]),
        (4098, "Lamps", vec![NodeId(3), NodeId(4)]),
        (4099, "Spots", vec![NodeId(5), NodeId(6)]),
        (4100, "Stairwell", vec![NodeId(5), NodeId(11)]),
    ] {
        let mut node = group.clone();
        node.id = NodeId(id);
        node.name = name.into();
        let level = ValueId::new(Cc::MULTILEVEL_SWITCH, 0, "targetValue");
        let mut basic = node.value(&level).unwrap().clone();
        basic.id.class = Cc::BASIC;
        basic.meta.max = Some(255.0);
        node.values.insert(0, basic);
        node.role = zwave_mcp_server::home::model::node::Role::Group;
        site.nodes.insert(NodeId(id), std::sync::Arc::new(node));
        site.groups.insert(NodeId(id), members);
    }
    let write = |class, property, value: Reading| Write {
        target: ValueId::new(class, 0, property),
        value,
    };
    let dim = (
        NodeId(5),
        write(Cc::MULTILEVEL_SWITCH, "targetValue", 20.0.into()),
    );
    let unlock = (NodeId(12), write(Cc::DOOR_LOCK, "targetMode", 0.0.into()));
    let lock = (NodeId(12), write(Cc::DOOR_LOCK, "targetMode", 255.0.into()));
    for (id, label, writes) in [
        (1, "Movie night", vec![dim.clone()]),
        (2, "Coming home", vec![dim.clone(), unlock]),
        (3, "Leaving", vec![dim, lock]),
    ] {
        let label = label.to_owned();
        site.scenes.insert(SceneId(id), Scene { label, writes });
    }
    House::new(vec![site])
}

fn step(house: &House, name: &str, intent: &Intent) -> Step {
    let planned = plan(house, device(house, name), intent).unwrap();
    match planned.plan {
        Plan::Direct(step) => *step,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn writes(house: &House, name: &str, intent: Intent, key: &str, value: impl Into<Reading>) -> Goal {
    let step = step(house, name, &intent);
    let ValueId {
        class,
        endpoint,
        property,
        key: own,
    } = &step.write.target;
    let own = own
        .as_ref()
        .map_or_else(String::new, |own| format!("-{own}"));
    assert_eq!(
        format!("{}-{endpoint}-{property}{own}", class.0),
        key,
        "{name} {intent:?}"
    );
    assert_eq!(step.write.value, value.into(), "{name} {intent:?}");
    step.goal
}

fn degrees(degrees: f64) -> Intent {
    Intent::SetTemperature(Temperature {
        degrees,
        unit: None,
    })
}

fn refused(house: &House, name: &str, intent: &Intent) -> DeviceRefusal {
    plan(house, device(house, name), intent).unwrap_err()
}

proptest! {
    #[test]
    fn every_write_of_every_plan_is_one_that_the_device_has_and_allows(intent in any_intent()) {
        let house = with_many();
        for device in house.devices() {
            let Ok(planned) = plan(&house, device, &intent) else { continue };
            let can = actions_of(&house, device);
            // On at 0 % is off.
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
                let meta = &house.node(&"Mosquitto".into(), node).unwrap().value(&write.target).unwrap().meta;
                prop_assert!(meta.writeable);
                if let Reading::Number(number) = write.value {
                    let level = meta.max == Some(99.0);
                    prop_assert!((level && number == 255.0) || meta.max.is_none_or(|max| number <= max));
                    prop_assert!(meta.min.is_none_or(|min| number >= min));
                    let named = level || meta.states.is_empty() || meta.state(number).is_some();
                    prop_assert!(named, "{} {intent:?} {number}", device.spoken);
                    prop_assert!(number.is_finite());
                }
            }
        }
    }

    #[test]
    fn without_leave_nothing_that_unlocks_or_opens_is_cleared(intent in any_intent()) {
        let house = with_many();
        for device in house.devices() {
            let Ok(planned) = plan(&house, device, &intent) else { continue };
            let name = device.name.text.as_str();
            let door = matches!(device.kind, Kind::Lock | Kind::GarageDoor | Kind::Gate);
            let opens = (door && matches!(intent, Intent::Unlock | Intent::Open(_)))
                || name == "Coming home"
                // A switch of a lock's node can do anything.
                || name == "Doors";
            let cleared = Guard::Deny.clear(planned.clone(), &house);
            prop_assert_eq!(cleared.is_err(), opens, "{} {:?}", name, intent);
            prop_assert!(Guard::Allow.clear(planned, &house).is_ok());
        }
    }
}

#[test]
fn what_is_not_plainly_shutting_a_door_is_guarded() {
    let house = captured();
    let node = |name| house.node_of(&device(&house, name).id).unwrap();
    let (lock, garage) = (node("Entrance Front Door"), node("Garage Garage Door"));
    let write = |class, property, value: Reading| Write {
        target: ValueId::new(class, 0, property),
        value,
    };
    let mode = |mode: f64| write(Cc::DOOR_LOCK, "targetMode", mode.into());
    assert!(!is_guarded(&mode(255.0), lock));
    for open in [0.0, 1.0, 16.0, 254.0] {
        assert!(is_guarded(&mode(open), lock), "{open}");
    }
    let state = |state: f64| write(Cc::BARRIER_OPERATOR, "targetState", state.into());
    assert!(!is_guarded(&state(0.0), garage));
    assert!(is_guarded(&state(255.0), garage));
    // A relay on such a node, or Basic, opens as well as the class that says so.
    assert!(is_guarded(
        &write(Cc::BASIC, "targetValue", 255.0.into()),
        garage
    ));
    assert!(is_guarded(
        &write(Cc::BINARY_SWITCH, "targetValue", true.into()),
        garage
    ));
    assert!(is_guarded(
        &write(Cc::BINARY_SWITCH, "targetValue", false.into()),
        lock
    ));
    let on = write(Cc::BINARY_SWITCH, "targetValue", true.into());
    assert!(!is_guarded(&on, node("Living Room Lamp")));
}

#[test]
fn every_kind_says_what_it_can() {
    use Action::{
        Close, Decrease, Dim, Increase, Lock, Off, On, Open, SetColor, SetMode, SetTemperature,
        Stop, Toggle, Unlock,
    };
    let house = with_many();
    let can = |name: &str| actions_of(&house, device(&house, name));
    assert_eq!(can("Living Room Lamp"), [On, Off, Toggle]);
    assert_eq!(can("Office Power Strip USB"), [On, Off, Toggle]);
    assert_eq!(
        can("Kitchen Dimmer"),
        [On, Off, Dim, Toggle, Increase, Decrease]
    );
    assert_eq!(
        can("Kid's Room Björn's Lämp 🌈"),
        [On, Off, Dim, Toggle, SetColor, Increase, Decrease]
    );
    let moved = [Toggle, Open, Close, Stop, Increase, Decrease];
    assert_eq!(can("Bedroom Shade"), moved);
    assert_eq!(can("Living Room Blind/East"), moved);
    assert_eq!(can("Entrance Front Door"), [Lock, Unlock]);
    assert_eq!(can("Garage Garage Door"), [Open, Close]);
    assert_eq!(
        can("Hall Thermostat"),
        [Off, SetTemperature, SetMode, Increase, Decrease]
    );
    assert_eq!(
        can("Bathroom Radiator Valve"),
        [SetTemperature, Increase, Decrease]
    );
    assert_eq!(can("Hall Siren"), [On, Off, Stop]);
    assert_eq!(can("Fan"), [On, Off, Dim, Toggle, Increase, Decrease]);
    assert_eq!(can("Bathroom Multisensor"), []);
    assert_eq!(can("Spots"), [On, Off, Dim]);
    assert_eq!(can("Downstairs"), [On, Off]);
    assert_eq!(can("Movie night"), [On]);
}

#[test]
fn covers_open_close_stop_and_go_to_a_percentage() {
    let house = captured();
    let (shade, blind) = ("Bedroom Shade", "Living Room Blind/East");
    writes(&house, shade, Intent::Open(None), "38-0-targetValue", 99.0);
    writes(&house, shade, Intent::Close, "38-0-targetValue", 0.0);
    writes(
        &house,
        shade,
        Intent::Open(Some(percent(40))),
        "38-0-targetValue",
        40.0,
    );
    let stop = writes(&house, shade, Intent::Stop, "38-0-Up", false);
    assert_eq!(stop, Goal::Standstill);
    writes(
        &house,
        blind,
        Intent::Open(None),
        "106-0-targetValue-13",
        99.0,
    );
    writes(
        &house,
        blind,
        Intent::Open(Some(percent(40))),
        "106-0-targetValue-13",
        40.0,
    );
    writes(&house, blind, Intent::Stop, "106-0-levelChangeUp-13", false);
}

#[test]
fn set_temperature_changes_the_active_modes_setpoint() {
    let mut site = captured_snapshot();
    let mode = ValueId::new(Cc::THERMOSTAT_MODE, 0, "mode");
    let mut in_mode = |number: f64| {
        let thermostat = site.node_mut(NodeId(11)).unwrap();
        thermostat.value_mut(&mode).unwrap().reading = Some(number.into());
        House::new(vec![site.clone()])
    };
    let name = "Hall Thermostat";
    assert_eq!(
        refused(&in_mode(0.0), name, &degrees(22.0)),
        DeviceRefusal::NoSetpoint
    );
    let heat = in_mode(1.0);
    let expected = writes(&heat, name, degrees(22.5), "67-0-setpoint-1", 22.5);
    assert!(expected.is_met_by(&22.5.into()) && !expected.is_met_by(&23.1.into()));
    writes(&in_mode(2.0), name, degrees(22.5), "67-0-setpoint-2", 22.5);
    // The room has 21.3 °C: above it is heating's business, below it cooling's.
    let auto = in_mode(3.0);
    writes(&auto, name, degrees(22.0), "67-0-setpoint-1", 22.0);
    writes(&auto, name, degrees(21.0), "67-0-setpoint-2", 21.0);
    let limits = |min: f64, max: f64| {
        DeviceRefusal::OutOfLimits(TemperatureRange {
            min,
            max,
            unit: Degrees::Celsius,
            spelling: "°C".to_owned(),
        })
    };
    assert_eq!(refused(&heat, name, &degrees(99.0)), limits(7.0, 35.0));
    assert_eq!(refused(&heat, name, &degrees(f64::NAN)), limits(7.0, 35.0));
    let fahrenheit = Intent::SetTemperature(Temperature {
        degrees: 72.0,
        unit: Some(Degrees::Fahrenheit),
    });
    writes(&heat, name, fahrenheit, "67-0-setpoint-1", 22.2);
    writes(
        &heat,
        "Bathroom Radiator Valve",
        degrees(18.0),
        "67-0-setpoint-1",
        18.0,
    );
}

#[test]
fn modes_are_those_the_device_has() {
    let house = captured();
    let name = "Hall Thermostat";
    let mode = |mode: &str| Intent::SetMode(mode.to_owned());
    writes(&house, name, mode("Heat"), "64-0-mode", 1.0);
    writes(&house, name, mode("cooling"), "64-0-mode", 2.0);
    writes(&house, name, mode("fan low"), "68-0-mode", 1.0);
    writes(&house, name, Intent::Off, "64-0-mode", 0.0);
    let modes = ["off", "heat", "cool", "auto", "fan auto low", "fan low"].map(str::to_owned);
    assert_eq!(
        refused(&house, name, &mode("manufacturer specific")),
        DeviceRefusal::UnknownMode(modes.to_vec())
    );
}

#[test]
fn a_color_lights_its_lamps_and_puts_the_others_out() {
    let house = captured();
    let name = "Kid's Room Björn's Lämp 🌈";
    let lamps = |lamps: [u8; 5]| Reading::Components(Components(lamps.map(Some)));
    let color = |color| Intent::SetColor(color);
    let orange = color(Color::Rgb(255, 136, 0));
    writes(
        &house,
        name,
        orange,
        "51-0-targetColor",
        lamps([0, 0, 255, 136, 0]),
    );
    writes(
        &house,
        name,
        color(Color::WARM_WHITE),
        "51-0-targetColor",
        lamps([255, 0, 0, 0, 0]),
    );
}

#[test]
fn sirens_play_their_default_tone_and_stop() {
    let house = captured();
    writes(
        &house,
        "Hall Siren",
        Intent::On(None),
        "121-0-toneId",
        255.0,
    );
    writes(&house, "Hall Siren", Intent::Off, "121-0-toneId", 0.0);
    writes(&house, "Hall Siren", Intent::Stop, "121-0-toneId", 0.0);
}

/// What a group is written with, and the class that proves each of its members.
fn group_plan(house: &House, name: &str, intent: &Intent) -> (u16, Reading, Vec<Option<u16>>) {
    let planned = plan(house, device(house, name), intent).unwrap();
    let Plan::Group { write, members, .. } = planned.plan else {
        panic!("{planned:?}");
    };
    let proofs = members
        .iter()
        .map(|member| Some(member.step.as_ref()?.state.class.0));
    (write.target.class.0, write.value, proofs.collect())
}

/// One multicast of a class moves only the members that have it.
#[test]
fn a_group_is_written_with_what_all_its_members_have_and_a_mixed_one_with_basic() {
    let house = with_many();
    let dim = Intent::Dim(percent(40));
    assert_eq!(
        group_plan(&house, "Lamps", &Intent::On(None)),
        (37, true.into(), vec![Some(37), Some(37)])
    );
    assert_eq!(
        group_plan(&house, "Spots", &dim),
        (38, 40.0.into(), vec![Some(38), Some(38)])
    );
    for (group, intent, cannot) in [
        ("Downstairs", dim, vec!["Lamp", "Lamp Corner"]),
        // Dimming to nothing is no less dimming.
        (
            "Downstairs",
            Intent::Dim(percent(0)),
            vec!["Lamp", "Lamp Corner"],
        ),
        ("Stairwell", Intent::On(None), vec!["Hall Thermostat"]),
    ] {
        let refused = plan(&house, device(&house, group), &intent);
        let cannot = cannot.into_iter().map(str::to_owned).collect();
        assert_eq!(refused, Err(DeviceRefusal::MembersCannot(cannot)));
    }
    assert_eq!(
        group_plan(&house, "Downstairs", &Intent::On(None)),
        (32, 255.0.into(), vec![Some(37), Some(37), Some(38)])
    );
}

/// A thermostat like the CT100: everything on endpoint 1, nothing but the battery on the root.
#[test]
fn a_thermostat_that_lives_on_an_endpoint_is_the_node() {
    let mut site = captured_snapshot();
    let node = site.node_mut(NodeId(11)).unwrap();
    for value in &mut node.values {
        value.id.endpoint = 1;
    }
    node.classes = node
        .values
        .iter()
        .map(|value| (1, value.id.class))
        .collect();
    let house = House::new(vec![site]);
    let own: Vec<&Device> = house
        .devices()
        .iter()
        .filter(|device| device.id.node() == Some(NodeId(11)))
        .collect();
    assert_eq!(own.len(), 1);
    assert_eq!(
        (own[0].with_room().as_str(), own[0].kind),
        ("Hall Thermostat", Kind::Thermostat)
    );
    writes(
        &house,
        "Hall Thermostat",
        Intent::SetMode("heat".to_owned()),
        "64-1-mode",
        1.0,
    );
}

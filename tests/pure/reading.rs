//! What devices are and what they say: products whose class says something else, and nodes that
//! repeat themselves, leave things out or tell what nobody asked for.

use serde_json::{Value as Json, json};
use zwave_mcp_server::gateway::protocol::nodes::Nodes;
use zwave_mcp_server::home::house::House;
use zwave_mcp_server::home::intent::Action;
use zwave_mcp_server::home::kind::Kind;
use zwave_mcp_server::home::model::snapshot::Snapshot;
use zwave_mcp_server::home::planner::actions_of;
use zwave_mcp_server::home::state::state_of;
use zwave_mcp_server::mcp::entry::Entry;
use zwave_mcp_server::mcp::wording::{entry_state, kind_word};

use crate::nodes::Document;

pub fn house(documents: impl IntoIterator<Item = Document>) -> House {
    let documents = documents.into_iter().map(Document::json);
    let text = documents.collect::<Json>().to_string();
    let nodes: Nodes = serde_json::from_str(&text).unwrap();
    House::new(vec![Snapshot {
        gateway: "x".into(),
        nodes: nodes.0,
        ..Snapshot::default()
    }])
}

/// What a list tells of a node's devices: name, kind, state.
fn told(document: Document) -> Vec<String> {
    let house = house([document]);
    let devices = house.devices().iter();
    let lines = devices.map(|device| {
        let entry = Entry {
            floor: None,
            device,
            state: state_of(device, house.node_of(&device.id).unwrap()),
            dead: false,
            asleep: false,
            battery: None,
            silence: None,
            age: None,
        };
        let state = entry_state(&entry).unwrap();
        format!("{}: {}, {state}", device.name.text, kind_word(device))
    });
    lines.collect()
}

fn can(document: Document) -> Vec<Action> {
    let house = house([document]);
    actions_of(&house, &house.devices()[0])
}

fn dimmer(name: &str) -> Document {
    Document::new(name, 17, 1)
}

#[test]
fn a_fan_control_is_a_fan_though_its_class_is_a_dimmers() {
    for (maker, family, id) in [
        (0x0039, 0x4944, 0x3131),
        (0x0063, 0x4944, 0x3034),
        (0x0063, 0x4944, 0x3131),
        (0x0063, 0x4944, 0x3138),
        (0x001D, 0x0038, 0x0002),
        (0x000C, 0x0203, 0x0001),
    ] {
        let fan = dimmer("Den").level(0, 33).product(maker, family, id);
        assert_eq!(
            told(fan),
            ["Den: fan, on 33 %"],
            "{maker:x}/{family:x}/{id:x}"
        );
    }
    let other = dimmer("Den").level(0, 33).product(0x0063, 0x4944, 0x9999);
    assert_eq!(told(other), ["Den: dimmer, on 33 %"]);
}

#[test]
fn a_fan_with_a_light_is_both() {
    let both = dimmer("Den").level(0, 0).level(1, 20).level(2, 66);
    let both = both.product(0x031E, 0x000E, 0x0001);
    let house = house([both]);
    let kinds: Vec<Kind> = house.devices().iter().map(|device| device.kind).collect();
    assert_eq!(kinds, [Kind::Dimmer, Kind::Dimmer, Kind::Fan]);
}

#[test]
fn a_shutter_module_is_a_blind_though_its_class_is_a_dimmers() {
    for (maker, family, id) in [
        (0x010F, 0x0301, 0x1000),
        (0x010F, 0x0302, 0x1000),
        (0x0159, 0x0003, 0x0052),
        (0x007A, 0x8003, 0x0001),
        (0x026E, 0x4353, 0x5A31),
        (0x045A, 0x0904, 0x0507),
    ] {
        let cover = dimmer("South").level(0, 40).product(maker, family, id);
        assert_eq!(
            told(cover),
            ["South: blind, 40 % open"],
            "{maker:x}/{family:x}/{id:x}"
        );
    }
}

#[test]
fn slats_are_a_second_position_of_the_same_blind() {
    let shelly = || {
        let shutter = Document::new("Terrace Shutter", 17, 7);
        let shutter = shutter
            .endpoint(1, "Endpoint 1", None)
            .endpoint(2, "Endpoint 2", None);
        shutter
            .product(0x0460, 0x0003, 0x0082)
            .level(1, 0)
            .level(2, 30)
    };
    assert_eq!(
        told(shelly()),
        ["Terrace Shutter: shutter, closed, slats 30 % open"]
    );
    let fibaro = dimmer("Bay").level(0, 50).level(1, 50).level(2, 99);
    let fibaro = fibaro.product(0x010F, 0x0303, 0x1000);
    assert_eq!(told(fibaro), ["Bay: blind, 50 % open, slats open"]);
    let house = house([shelly()]);
    assert_eq!(house.devices()[0].endpoint, 1, "the cover is on endpoint 1");
}

#[test]
fn slats_alone_are_open_half_way_and_closed_at_both_ends() {
    let slats = |level: u8| {
        dimmer("South")
            .level(0, level)
            .product(0x0287, 0x0003, 0x000D)
    };
    for (level, state) in [
        (0, "closed"),
        (25, "50 % open"),
        (50, "open"),
        (99, "closed"),
    ] {
        assert_eq!(
            told(slats(level)),
            [format!("South: blind, {state}")],
            "{level}"
        );
    }
}

#[test]
fn a_gate_motor_is_a_gate_and_a_two_relay_switch_is_no_dimmer() {
    let gate = dimmer("Drive").level(0, 0).product(0x0441, 0x2400, 0x1000);
    assert_eq!(told(gate), ["Drive: gate, closed"]);
    let relay = dimmer("Desk").level(0, 50).switch(0, true);
    let relay = relay.product(0x0109, 0x2017, 0x1711);
    assert_eq!(told(relay), ["Desk: switch, on"]);
}

#[test]
fn a_light_ring_is_not_a_lamp() {
    let plug = || Document::new("Washer", 16, 1).switch(0, true);
    let ring = plug().level(1, 50).color(1);
    assert_eq!(told(ring), ["Washer: switch, on"]);
    let ring = plug().level(0, 50).color(0);
    assert_eq!(told(ring), ["Washer: switch, on"]);
    let ring = dimmer("Stairs").level(0, 10).level(1, 50).color(1);
    assert_eq!(told(ring), ["Stairs: dimmer, on 10 %"]);
    // Several channels of which one is coloured are lights.
    let channels = dimmer("Bar").level(0, 10).level(1, 50).level(2, 0).color(2);
    assert_eq!(told(channels).len(), 3);
}

#[test]
fn a_valve_position_is_told_beside_the_thermostat() {
    let modes = json!([[0, "Off"], [1, "Heat"]]);
    let valve = Document::new("Radiator", 8, 6)
        .states("64-0-mode", true, modes, 1)
        .setpoint("67-0-setpoint-1", 21.0, "°C");
    let told_so = ["Radiator: thermostat, heat, set to 21 °C, valve 30 %"];
    assert_eq!(told(valve.level(0, 30)), told_so);
    let modes = json!([[0, "Off"], [1, "Heat"]]);
    let valve = Document::new("Radiator", 8, 6)
        .states("64-0-mode", true, modes, 1)
        .setpoint("67-0-setpoint-1", 21.0, "°C");
    assert_eq!(told(valve.level(1, 30)), told_so);
}

/// The CT100 of 2020: setpoints on the root, the mode on endpoints 1 and 2, where it was never
/// heard, and a battery for when the power fails.
fn spread_out() -> Document {
    let modes = || json!([[0, "Off"], [1, "Heat"], [2, "Cool"], [3, "Auto"]]);
    Document::new("Landing", 8, 6)
        .endpoint(1, "Endpoint 1", None)
        .endpoint(2, "Endpoint 2", Some((33, 0)))
        .states("66-0-state", false, json!([[0, "Idle"], [1, "Heating"]]), 0)
        .setpoint("67-0-setpoint-1", 68.0, "°F")
        .setpoint("67-0-setpoint-2", 76.0, "°F")
        .states("68-0-mode", true, json!([[0, "Auto low"], [1, "Low"]]), 0)
        .number("128-0-level", 100, "%")
        .states("64-1-mode", true, modes(), Json::Null)
        .number("49-1-Air temperature", 70, "°F")
        .states("64-2-mode", true, modes(), Json::Null)
        .number("49-2-Humidity", 60, "%")
}

#[test]
fn a_thermostat_that_is_spread_over_endpoints_is_one_thermostat() {
    assert_eq!(
        told(spread_out()),
        ["Landing: thermostat, set to 68 to 76 °F, idle, 70 °F, humidity 60 %"]
    );
    use Action::{Decrease, Increase, Off, SetMode, SetTemperature};
    assert_eq!(
        can(spread_out()),
        [Off, SetTemperature, SetMode, Increase, Decrease]
    );
}

#[test]
fn a_thermostat_that_its_endpoints_repeat_is_told_once() {
    let modes = || json!([[0, "Off"], [1, "Heat"]]);
    let repeating = Document::new("Landing", 8, 6)
        .endpoint(1, "Endpoint 1", None)
        .endpoint(2, "Endpoint 2", Some((33, 1)))
        .states("64-0-mode", true, modes(), 1)
        .setpoint("67-0-setpoint-1", 68.0, "°F")
        .states("64-1-mode", true, modes(), 1)
        .setpoint("67-1-setpoint-1", 68.0, "°F")
        .states("64-2-mode", true, modes(), Json::Null);
    assert_eq!(told(repeating), ["Landing: thermostat, heat, set to 68 °F"]);
}

#[test]
fn zones_with_a_temperature_each_are_thermostats_each() {
    let zones = Document::new("Floor", 8, 6)
        .setpoint("67-0-setpoint-1", 20.0, "°C")
        .setpoint("67-1-setpoint-1", 20.0, "°C")
        .setpoint("67-2-setpoint-1", 23.0, "°C");
    let lines = told(zones);
    assert_eq!(lines.len(), 3);
    assert!(
        lines.contains(&"Floor 2: thermostat, set to 23 °C".to_owned()),
        "{lines:?}"
    );
}

#[test]
fn what_sleeps_on_a_battery_and_only_heats_is_a_radiator_valve() {
    let valve = Document::new("Bath", 8, 0)
        .field("isListening", json!(false))
        .setpoint("67-0-setpoint-1", 21.0, "°C")
        .number("128-0-level", 80, "%");
    assert_eq!(told(valve), ["Bath: radiator valve, set to 21 °C"]);
}

/// A floor thermostat with three temperature sensors and one that the gateway has no name for.
#[test]
fn what_has_no_name_is_not_told_and_several_sensors_are_told_apart() {
    let floor = || {
        Document::new("Bath", 8, 6)
            .states("64-1-mode", true, json!([[0, "Off"], [1, "Heat"]]), 1)
            .setpoint("67-1-setpoint-1", 22.5, "°C")
            .states("66-1-state", false, json!([[0, "unknown (0x00)"]]), 0)
            .number("49-0-UNKNOWN (0x00)", 23, "")
            .number("50-1-value-66049", 0.09, "W")
            .number("49-2-Air temperature", 22.9, "°C")
            .number("49-4-Air temperature", 25.5, "°C")
            .states(
                "113-0-Power Management-Power status",
                false,
                json!([[0, "idle"], [23, "unknown (0x17)"]]),
                23,
            )
    };
    assert_eq!(
        told(floor()),
        ["Bath: thermostat, heat, set to 22.5 °C, 0.09 W, sensor 2: 22.9 °C, sensor 4: 25.5 °C"]
    );
    let labelled = floor()
        .endpoint(2, "Room sensor", None)
        .endpoint(4, "Floor sensor", None);
    let told_so = told(labelled);
    assert!(
        told_so[0].ends_with("room sensor 22.9 °C, floor sensor 25.5 °C"),
        "{told_so:?}"
    );
    let own = floor().number("49-1-Air temperature", 21.3, "°C");
    assert_eq!(
        told(own),
        ["Bath: thermostat, heat, set to 22.5 °C, 21.3 °C, 0.09 W"]
    );
}

#[test]
fn alarms_that_are_not_there_are_told_of_sensors_only() {
    let states = || json!([[0, "idle"], [2, "Overheat detected"]]);
    let key = "113-0-Heat Alarm-Heat sensor status";
    let shutter = |state: u8| {
        let shutter = Document::new("South", 17, 7).level(0, 0);
        shutter.states(key, false, states(), state)
    };
    assert_eq!(told(shutter(0)), ["South: blind, closed"]);
    assert_eq!(told(shutter(2)), ["South: blind, closed, heat detected"]);
    let sensor = Document::new("Attic", 33, 1).states(key, false, states(), 0);
    assert_eq!(told(sensor), ["Attic: sensor, no heat"]);
}

#[test]
fn a_position_that_is_unknown_is_said_to_be() {
    for unknown in [json!("unknown"), Json::Null] {
        let shutter = Document::new("South", 17, 7)
            .level(0, unknown.clone())
            .switch(0, unknown)
            .number("50-0-value-66049", 3, "W");
        assert_eq!(told(shutter), ["South: blind, position unknown, 3 W"]);
    }
    let lock = |mode: u8| {
        let modes = json!([[0, "Unsecured"], [254, "Unknown"], [255, "Secured"]]);
        Document::new("Front Door", 64, 3).states("98-0-currentMode", false, modes, mode)
    };
    assert_eq!(told(lock(254)), ["Front Door: lock, state unknown"]);
    for unsecured in [0, 1, 16, 17, 32, 33] {
        assert_eq!(
            told(lock(unsecured)),
            ["Front Door: lock, unlocked"],
            "{unsecured}"
        );
    }
}

#[test]
fn a_switch_beside_a_covers_level_is_no_switch() {
    let shutter = Document::new("South", 17, 7)
        .level(0, 0)
        .level_change(0, ["Down", "Up"])
        .switch(0, false);
    use Action::{Close, Decrease, Increase, Open, Stop, Toggle};
    assert_eq!(
        can(shutter),
        [Toggle, Open, Close, Stop, Increase, Decrease]
    );
}

#[test]
fn a_siren_may_be_an_indicator() {
    let indicator = json!({
        "type": "number", "min": 0, "max": 255, "writeable": true, "value": 0,
    });
    let siren = || Document::new("Hall", 16, 5).value("135-0-value", indicator.clone());
    assert_eq!(told(siren()), ["Hall: siren, off"]);
    assert_eq!(can(siren()), [Action::On, Action::Off, Action::Stop]);
    // Of anything else nobody knows what its indicator means.
    let plug = Document::new("Hall", 16, 1).switch(0, true);
    assert_eq!(
        told(plug.value("135-0-value", indicator.clone())),
        ["Hall: switch, on"]
    );
}

#[test]
fn an_old_lock_locks_and_unlocks() {
    let lock = Document::new("Shed", 64, 1).value(
        "118-0-locked",
        json!({ "type": "boolean", "writeable": true, "value": true }),
    );
    assert_eq!(told(lock), ["Shed: lock, locked"]);
}

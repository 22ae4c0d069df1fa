//! A refusal offers exactly the actions that the device has. Each of these works, and the refused action is not
//! one of them.

use proptest::prelude::*;
use serde_json::{Value as Json, json};
use zwave_mcp_server::home::color::Color;
use zwave_mcp_server::home::intent::{Action, Intent};
use zwave_mcp_server::home::model::quantity::Temperature;
use zwave_mcp_server::home::plan::DeviceRefusal;
use zwave_mcp_server::home::planner::{actions_of, plan};

use crate::houses::build_house;
use crate::nodes::Document;
use crate::plan::any_intent;

/// A function of a device, or a value that the device reports.
#[derive(Clone, Copy, Debug)]
enum Feature {
    BinarySwitch,
    MultilevelSwitch,
    LevelChange,
    DoorLock,
    Barrier,
    ThermostatMode,
    HeatingSetpoint,
    CoolingSetpoint,
    FanMode,
    SoundSwitch,
    Color,
    WindowCovering,
    Lock,
    AirTemperature,
    Indicator,
    /// A thermostat's mode value without named states.
    UnnamedMode,
}

const FEATURES: [Feature; 16] = [
    Feature::BinarySwitch,
    Feature::MultilevelSwitch,
    Feature::LevelChange,
    Feature::DoorLock,
    Feature::Barrier,
    Feature::ThermostatMode,
    Feature::HeatingSetpoint,
    Feature::CoolingSetpoint,
    Feature::FanMode,
    Feature::SoundSwitch,
    Feature::Color,
    Feature::WindowCovering,
    Feature::Lock,
    Feature::AirTemperature,
    Feature::Indicator,
    Feature::UnnamedMode,
];

/// Adds the values of a feature to an endpoint. `level` determines their readings; `None` is an unknown level.
/// Level changes, setpoints, colors and the air temperature ignore `level`.
fn add_feature(document: Document, feature: Feature, endpoint: u8, level: Option<u8>) -> Document {
    let number = level.map_or(Json::Null, Json::from);
    let flag = level.map_or(Json::Null, |level| json!(level > 50));
    // In a key, `@` stands for the endpoint.
    let key = |key: &str| key.replace('@', &endpoint.to_string());
    let lock = json!([
        [1, "UnsecuredWithTimeout"],
        [254, "Unknown"],
        [255, "Secured"]
    ]);
    let barrier = json!([[0, "Closed"], [252, "Closing"], [255, "Open"]]);
    let with_target = |document: Document, current: &str, target: &str, states: &Json| {
        document.states(&key(current), false, states.clone(), number.clone()).states(
            &key(target),
            true,
            states.clone(),
            number.clone(),
        )
    };
    let number_up_to = |max: u8| json!({ "type": "number", "min": 0, "max": max, "writeable": true, "value": number });
    match feature {
        Feature::BinarySwitch => document.switch(endpoint, flag),
        Feature::MultilevelSwitch => document.level(endpoint, number),
        Feature::LevelChange => document.level_change(endpoint, ["Open", "Close"]),
        Feature::DoorLock => with_target(document, "98-@-currentMode", "98-@-targetMode", &lock),
        Feature::Barrier => with_target(
            document,
            "102-@-currentState",
            "102-@-targetState",
            &barrier,
        ),
        Feature::ThermostatMode => document.states(
            &key("64-@-mode"),
            true,
            json!([[0, "Off"], [1, "Heat"], [3, "Auto"]]),
            level.map_or(Json::Null, |level| json!(level % 4)),
        ),
        Feature::HeatingSetpoint => document.setpoint(&key("67-@-setpoint-1"), 20.0, "°C"),
        Feature::CoolingSetpoint => document.setpoint(&key("67-@-setpoint-2"), 24.0, "°C"),
        Feature::FanMode => {
            document.states(&key("68-@-mode"), true, json!([[0, "Auto low"]]), number)
        }
        Feature::SoundSwitch => document.value(&key("121-@-toneId"), number_up_to(255)),
        Feature::Color => document.color(endpoint),
        Feature::WindowCovering => document
            .value(&key("106-@-currentValue-13"), number_up_to(99))
            .value(&key("106-@-targetValue-13"), number_up_to(99)),
        Feature::Lock => document.value(
            &key("118-@-locked"),
            json!({ "type": "boolean", "writeable": true, "value": flag }),
        ),
        Feature::AirTemperature => document.number(&key("49-@-Air temperature"), 22, "°C"),
        Feature::Indicator => document.value(&key("135-@-value"), number_up_to(255)),
        Feature::UnnamedMode => document.states(&key("64-@-mode"), true, json!([]), number),
    }
}

fn any_document() -> impl Strategy<Value = Document> {
    // Pairs of a generic and a specific device class.
    let class = prop_oneof![
        Just((16, 1)),
        Just((16, 5)),
        Just((16, 6)),
        Just((17, 1)),
        Just((17, 7)),
        Just((17, 8)),
        Just((8, 4)),
        Just((8, 6)),
        Just((64, 3)),
        Just((64, 7)),
        Just((9, 1)),
        Just((33, 1)),
    ];
    // Indices into `FEATURES`, each with an endpoint and a level.
    let features = prop::collection::vec((0_u8..16, 0_u8..3, prop::option::of(0_u8..100)), 1..7);
    // Products with a misleading device class. The server knows these products.
    let product = prop::option::of(prop_oneof![
        Just((0x0063, 0x4944, 0x3034)),
        Just((0x0460, 0x0003, 0x0082)),
        Just((0x0287, 0x0003, 0x000D)),
        Just((0x0441, 0x2400, 0x1000)),
        Just((0x0109, 0x2017, 0x1711)),
    ]);
    (class, features, product).prop_map(|((generic, specific), features, product)| {
        let mut document = Document::new("It", generic, specific);
        for (feature, endpoint, level) in features {
            document = add_feature(document, FEATURES[usize::from(feature)], endpoint, level);
        }
        match product {
            Some((maker, family, id)) => document.product(maker, family, id),
            None => document,
        }
    })
}

/// Returns an intent that a device with this action refuses only for the reasons in `depends_on_state`.
fn make_sensible_intent(action: Action) -> Intent {
    match action {
        Action::SetTemperature => Intent::SetTemperature(Temperature {
            degrees: 23.0,
            unit: None,
        }),
        Action::SetMode => Intent::SetMode("heat".to_owned()),
        Action::SetColor => Intent::SetColor(Color::Rgb(255, 0, 0)),
        other => other.example(),
    }
}

/// Returns true if a refusal is due to a thermostat's present state, or to a mode that the thermostat lacks.
fn depends_on_state(refusal: &DeviceRefusal) -> bool {
    matches!(
        refusal,
        DeviceRefusal::NoSetpoint
            | DeviceRefusal::ModeUnknown
            | DeviceRefusal::RoomTemperatureUnknown
            | DeviceRefusal::Crosses { .. }
            | DeviceRefusal::UnknownMode(_)
    )
}

proptest! {
    #[test]
    fn a_refusal_offers_only_actions_that_work_and_never_the_refused_one(
        document in any_document(),
        intent in any_intent(),
    ) {
        let house = build_house([document]);
        for device in house.devices() {
            let can = actions_of(&house, device);
            if let Err(DeviceRefusal::Cannot(listed)) = plan(&house, device, &intent) {
                prop_assert!(!listed.contains(&intent.action()), "{intent:?} {listed:?}");
                prop_assert_eq!(&listed, &can, "{:?}", intent);
            } else {
                // `without_level` turns "on at 0 %" into "off".
                let meant = [intent.action(), intent.without_level().action()];
                let is_possible = meant.iter().any(|action| can.contains(action));
                prop_assert!(is_possible, "{intent:?} {can:?}");
            }
            for action in can {
                let planned = plan(&house, device, &make_sensible_intent(action));
                let refused = planned.err().filter(|refusal| !depends_on_state(refusal));
                prop_assert_eq!(refused, None, "{:?} {:?}", device.kind, action);
            }
        }
    }
}

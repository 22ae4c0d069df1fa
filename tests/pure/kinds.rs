//! The rows of `src/home/kind.rs`.

use zwave_mcp_server::home::device::Device;
use zwave_mcp_server::home::doors::Doors;
use zwave_mcp_server::home::kind::{KINDS, Kind};
use zwave_mcp_server::home::language::ALL_LANGUAGES;
use zwave_mcp_server::home::model::ids::{DeviceId, GatewayName, NodeId};

#[test]
fn each_kind_has_one_row_in_the_order_of_the_enum() {
    let kinds = KINDS.iter().map(|(kind, ..)| *kind as usize);
    assert!(kinds.eq(0..KINDS.len()));
    assert_eq!(KINDS.len(), Kind::Unread as usize + 1);
}

/// The kinds whose devices open nothing, whatever they are called. A name may say "Gate" of what is at a gate.
const NEVER_GUARDED: [Kind; 4] = [
    Kind::ColorLight,
    Kind::Thermostat,
    Kind::RadiatorValve,
    Kind::Setpoint,
];

#[test]
fn a_device_of_any_kind_that_can_be_switched_or_moved_is_guarded_if_its_name_says_that_it_opens() {
    let doors = Doors::default();
    let gate = DeviceId::endpoint(GatewayName::from("house"), NodeId(2), 0);
    let able = KINDS.iter().filter(|(.., abilities)| !abilities.is_empty());
    for (kind, word, ..) in able {
        for name in ["Front Gate", "Hoftor"] {
            let device = Device::new(gate.clone(), *kind, name);
            let reason = doors.guard_reason(&device, ALL_LANGUAGES);
            let is_exempt = NEVER_GUARDED.contains(kind);
            assert_eq!(
                reason.is_none(),
                is_exempt,
                "a {word} called {name}: {reason:?}"
            );
        }
    }
}

//! Words refusals: why nothing was done, and what would be right.

use super::facts::kind_word;
use super::guarding::{guarded, only_guarded};
use super::phrases::{action_names, decimal, nearest_names, quoted, some_names, spoken_list};
use super::sets::{called, left_alone};
use crate::home::decide::{LeftAlone, Refusal, SetOf};
use crate::home::device::Device;
use crate::home::fact::Side;
use crate::home::intent::{Action, Intent};
use crate::home::model::value::Components;
use crate::home::plan::DeviceRefusal;
use crate::home::{bounds, text};

/// Says how a model finds a device's name.
pub const FIND_NAMES: &str = "Call list_zwave_devices for the names there are.";

/// Words the refusal of a call. `said` is the name that was said, and `room` the room beside it.
pub fn refusal(said: &str, room: Option<&str>, refusal: &Refusal) -> String {
    let name = quoted(said);
    match refusal {
        Refusal::Ambiguous(devices) if devices.len() == 1 => {
            format!("Did you mean {}? Nothing was done.", some_of(devices))
        }
        Refusal::Ambiguous(devices) => {
            format!("Which one: {}? Nothing was done.", some_of(devices))
        }
        Refusal::Room(devices) if devices.is_empty() => {
            format!("There is no device in a room called {name}.")
        }
        Refusal::Room(devices) if devices.len() == 1 => format!(
            "{name} is a room. Did you mean {}? Nothing was done.",
            some_of(devices)
        ),
        Refusal::Room(devices) => {
            format!(
                "{name} is a room. Say which of its devices: {}.",
                some_of(devices)
            )
        }
        Refusal::NoRoom(rooms) => no_room(room.unwrap_or_default(), rooms),
        Refusal::Unknown(near) if near.is_empty() => {
            format!("There is no device {name}. {FIND_NAMES}")
        }
        Refusal::Unknown(near) => {
            let nearest = nearest_names(near.len());
            format!("There is no device {name}. {nearest}: {}.", some_of(near))
        }
        Refusal::UnknownNearSet(likely, members) => format!(
            "There is no device {name}. Did you mean {}, which are {}? Nothing was done.",
            quoted(likely),
            spoken_list(&some_names(members.iter(), 5), "and")
        ),
        Refusal::Empty(set) => format!("There are no {}.", called(set)),
        Refusal::Device(device, intent, refusal) => device_refusal(device, intent, refusal),
        Refusal::ToggleSet => {
            "Only one device at a time can be toggled. Use action \"on\" or \"off\".".to_owned()
        }
        Refusal::Everything(action) => format!(
            "Everything at once can be switched off, closed or locked, and can't do \"{}\". Say one \
             device, or a kind such as \"all lights\".",
            action.name()
        ),
        Refusal::NoMember {
            set,
            action,
            can,
            left_alone,
        } => no_member(set, *action, can, left_alone),
    }
}

/// Words at most five devices, with their rooms.
fn some_of(devices: &[Device]) -> String {
    spoken_list(&some_names(devices.iter(), 5), "or")
}

fn no_room(name: &str, rooms: &[String]) -> String {
    let name = quoted(name);
    if rooms.is_empty() {
        return format!("There is no room {name}; the devices have no rooms.");
    }
    format!("There is no room {name}. Rooms: {}.", rooms.join(", "))
}

/// Says why no member of a set did anything.
fn no_member(
    set: &SetOf,
    action: Action,
    can: &[Action],
    spared: &[(Device, LeftAlone)],
) -> String {
    let called = called(set);
    if spared.iter().any(|(_, why)| *why != LeftAlone::Cannot) {
        let left_alone = left_alone(spared, action);
        return format!("Nothing was done to the {called}.{left_alone}");
    }
    let instead = match spoken_list(&action_names(can), "and") {
        none if none.is_empty() => none,
        can => format!("; they can do {can}"),
    };
    format!(
        "None of the {called} can do \"{}\"{instead}.",
        action.name()
    )
}

/// Says why a device does nothing.
pub fn device_refusal(device: &Device, intent: &Intent, refusal: &DeviceRefusal) -> String {
    let name = &device.spoken;
    let action = intent.action();
    match refusal {
        DeviceRefusal::Guarded(_) => guarded(device, intent),
        DeviceRefusal::OnlyGuarded => only_guarded(device, intent),
        DeviceRefusal::Cannot(can) if can.is_empty() => format!(
            "{name} can't be controlled; it is a {} and only reports.",
            kind_word(device)
        ),
        DeviceRefusal::Cannot(can) if can.contains(&action) => format!(
            "{name} can do \"{}\", but not with what was said besides. Send only deviceName and \
             action.",
            action.name()
        ),
        DeviceRefusal::Cannot(_) if opens_by_relay(device, action) => format!(
            "{name} is a relay and can't do \"{}\": only its owner knows which of on and off that \
             would be.",
            action.name()
        ),
        DeviceRefusal::Cannot(can) => format!(
            "{name} can't do \"{}\"; it can do {}.",
            action.name(),
            spoken_list(&action_names(can), "and")
        ),
        DeviceRefusal::MembersCannot(members) => format!(
            "{name} can't do \"{}\" as a whole, because {} can't.",
            action.name(),
            spoken_list(&bounds::shorten_list(members.clone(), 4), "and")
        ),
        DeviceRefusal::OnlyFull => {
            format!("{name} can't be opened part of the way. Leave level out to open it.")
        }
        DeviceRefusal::ModeUnknown => format!(
            "{name} does not say which mode it is in, so it is unknown which temperature to set. \
             Use action \"set_mode\" first."
        ),
        DeviceRefusal::Crosses {
            side,
            wanted,
            other,
            unit,
        } => crosses(name, *side, [*wanted, *other], unit),
        DeviceRefusal::NoSetpoint => format!(
            "{name} is off or in a mode without a temperature, so none can be set. Use action \
             \"set_mode\" first."
        ),
        DeviceRefusal::RoomTemperatureUnknown => format!(
            "{name} does not say how warm it is, so it is unknown whether to heat or to cool. Use \
             action \"set_mode\" with heat or cool first."
        ),
        DeviceRefusal::OutOfLimits(range) => format!(
            "{name} can be set to {} to {} {}.",
            decimal(range.min),
            decimal(range.max),
            text::word(&range.spelling)
        ),
        DeviceRefusal::UnknownMode(modes) if modes.is_empty() => format!("{name} has no modes."),
        DeviceRefusal::UnknownMode(modes) => {
            format!(
                "{name} has the modes {}.",
                spoken_list(&words(modes), "and")
            )
        }
        DeviceRefusal::StepTooLarge(max, unit) => {
            let (unit, instead) = match unit {
                Some(unit) => (text::word(unit), Action::SetTemperature),
                None if device.kind.opens() => ("%".to_owned(), Action::Open),
                None => ("%".to_owned(), Action::Dim),
            };
            format!(
                "{name} takes steps of at most {} {unit}. Use action \"{}\" with the level that it \
                 should have.",
                decimal(*max),
                instead.name()
            )
        }
        DeviceRefusal::NoSuchLamp(available) => {
            format!(
                "{name} has no lamp for that color; it has {}.",
                lamps(*available)
            )
        }
        DeviceRefusal::Dead => {
            format!("{name} does not respond, and the gateway does not know yet what it can do.")
        }
        DeviceRefusal::Unread => {
            format!("{name} is still being read by the gateway. Try again in a minute.")
        }
    }
}

/// Words the lamps that a light has.
fn lamps(available: Components) -> String {
    let [warm, cold, ..] = available.0;
    let names: Vec<String> = [
        available.rgb().and(Some("colors")),
        warm.and(Some("warm white")),
        cold.and(Some("cold white")),
    ]
    .into_iter()
    .flatten()
    .map(str::to_owned)
    .collect();
    if names.is_empty() {
        return "none that can be set".to_owned();
    }
    spoken_list(&names, "and")
}

/// Says that the heating and cooling temperatures of "auto" would cross.
fn crosses(name: &str, side: Side, degrees: [f64; 2], unit: &str) -> String {
    let [wanted, other] = degrees.map(decimal);
    let (does, wants, below) = match side {
        Side::Heating => ("cools", "heat", "below"),
        Side::Cooling => ("heats", "cool", "above"),
    };
    format!(
        "{name} is in auto and {does} to {other} {unit}, so it can't {wants} to {wanted} {unit}. Use a \
         temperature {below} {other} {unit}, or action \"set_mode\" with {wants} first."
    )
}

/// Cleans modes from the wire, keeps the first twenty, and counts the others.
fn words(modes: &[String]) -> Vec<String> {
    let words = modes.iter().map(|mode| text::word(mode));
    bounds::shorten_list(
        words.filter(|word| !word.is_empty()).collect(),
        bounds::CHOICES,
    )
}

/// Returns true if a relay is to open or close something. Only the owner knows whether on or off opens
/// it.
pub(super) fn opens_by_relay(device: &Device, action: Action) -> bool {
    let is_door = device.kind.is_relay() && device.opening.is_some();
    is_door && matches!(action, Action::Open | Action::Close)
}

//! What was wrong with a call, and what would be right: one sentence or two.

use super::{decimal, kind_word, quoted, some_names, spoken_list};
use crate::home::color::Color;
use crate::home::device::Device;
use crate::home::plan::Refusal;
use crate::home::resolve::Resolved;
use crate::home::wish::Action;
use crate::mcp::arguments::ArgumentError;
use crate::mcp::tools;

/// What is wrong with the arguments.
pub fn argument(error: &ArgumentError) -> String {
    match error {
        ArgumentError::UnknownName {
            name,
            nearest,
            known,
        } => {
            let known: Vec<String> = known.iter().map(|name| (*name).to_owned()).collect();
            let takes = format!("This tool takes {}.", spoken_list(&known, "and"));
            match nearest {
                Some(nearest) => {
                    let name = quoted(name);
                    format!("Unknown argument {name}; did you mean \"{nearest}\"? {takes}")
                }
                None => format!("Unknown argument {}. {takes}", quoted(name)),
            }
        }
        ArgumentError::SaidTwice { field, name } => {
            let name = quoted(name);
            format!("\"{field}\" and {name} say different things; send only \"{field}\".")
        }
        ArgumentError::WrongForm { field, right, sent } => {
            format!("\"{field}\" must be {right}, not {sent}.")
        }
        ArgumentError::NoDevice => "Say which device, for example \
             {\"deviceName\": \"Kitchen Dimmer\", \"action\": \"on\"}."
            .to_owned(),
        ArgumentError::NoAction => format!(
            "Say what to do, for example {{\"deviceName\": \"Kitchen Dimmer\", \"action\": \
             \"on\"}}. Actions: {}.",
            every_action()
        ),
        ArgumentError::UnknownAction(said) => {
            format!("Unknown action \"{said}\". Use one of: {}.", every_action())
        }
        ArgumentError::Needs(action, field) => needs(*action, field),
        ArgumentError::TakesNo(action, field) => takes_no(*action, field),
        ArgumentError::OutOfRange(level) => {
            format!("\"level\" is a percentage from 0 to 100, not {level}.")
        }
        ArgumentError::Contradiction(action) => {
            let opposite = match action {
                Action::Open => "close",
                _ => "off",
            };
            format!(
                "Action \"{}\" with level 0 contradicts itself; leave level out, or use action \
                 \"{opposite}\".",
                action.name()
            )
        }
        ArgumentError::UnknownColor(said) => {
            format!("Unknown color {}. Use {}.", quoted(said), Color::examples())
        }
    }
}

fn needs(action: Action, field: &str) -> String {
    let example = match action {
        Action::SetTemperature => "\"level\": 21",
        Action::SetMode => "\"mode\": \"heat\"",
        Action::SetColor => "\"color\": \"red\"",
        _ => "\"level\": 50",
    };
    let name = action.name();
    format!(
        "Action \"{name}\" needs \"{field}\", for example {{\"deviceName\": \"…\", \"action\": \
         \"{name}\", {example}}}."
    )
}

fn takes_no(action: Action, field: &str) -> String {
    let right = match (field, action) {
        ("mode", _) => Some(Action::SetMode),
        ("color", _) => Some(Action::SetColor),
        ("temperature", _) => Some(Action::SetTemperature),
        (_, Action::Close | Action::Stop) => Some(Action::Open),
        (_, Action::Lock | Action::Unlock) => None,
        _ => Some(Action::Dim),
    };
    let instead = right.map_or_else(String::new, |right| {
        format!(", or use action \"{}\"", right.name())
    });
    format!(
        "Action \"{}\" takes no {field}; leave it out{instead}.",
        action.name()
    )
}

fn every_action() -> String {
    let names: Vec<&str> = Action::ALL.iter().map(|action| action.name()).collect();
    names.join(", ")
}

/// Why a name names no one device.
pub fn unresolved(said: &str, resolved: &Resolved) -> String {
    let said = quoted(said);
    match resolved {
        Resolved::Tie(devices) => {
            format!("Which one: {}? Nothing was done.", several(devices))
        }
        Resolved::Room(room) => {
            format!("{said} is a room. Say one of its devices, or \"everything in the {room}\".")
        }
        Resolved::NoRoom => format!("There is no room beside {said}."),
        Resolved::Miss(near) if near.is_empty() => {
            format!("There is no device {said}. Call list_zwave_devices for the names there are.")
        }
        Resolved::Miss(near) => {
            format!(
                "There is no device {said}. The nearest names: {}.",
                several(near)
            )
        }
        Resolved::Set(set) => {
            let place = set
                .room
                .map_or_else(String::new, |room| format!(" in the {room}"));
            format!("There are no {}{place}.", set.called)
        }
        Resolved::One(device) => format!("{said} is {}.", device.spoken),
    }
}

/// At most five devices, with their rooms.
fn several(devices: &[&Device]) -> String {
    spoken_list(&some_names(devices.iter().copied(), 5), "or")
}

/// There is no such room.
pub fn no_room(said: &str, rooms: &[&str]) -> String {
    if rooms.is_empty() {
        return format!(
            "There is no room {}; the devices have no rooms.",
            quoted(said)
        );
    }
    format!(
        "There is no room {}. Rooms: {}.",
        quoted(said),
        rooms.join(", ")
    )
}

/// Why a device does not do what is wanted.
pub fn refusal(device: &Device, action: Action, refusal: &Refusal) -> String {
    let name = &device.spoken;
    match refusal {
        Refusal::Cannot(can) if can.is_empty() => format!(
            "{name} can't be controlled; it is a {} and only reports.",
            kind_word(device)
        ),
        Refusal::Cannot(can) => {
            let can: Vec<String> = can.iter().map(|action| action.name().to_owned()).collect();
            format!(
                "{name} can't do \"{}\"; it can do {}.",
                action.name(),
                spoken_list(&can, "and")
            )
        }
        Refusal::OnlyFull if action == Action::Open => {
            format!("{name} can't be opened part of the way. Leave level out to open it.")
        }
        Refusal::OnlyFull => format!(
            "{name} can't be dimmed; it can only be on or off. Leave level out to switch it on."
        ),
        Refusal::NoSetpoint => format!(
            "{name} is off or in a mode without a temperature, so none can be set. Use action \
             \"set_mode\" first."
        ),
        Refusal::RoomTemperatureUnknown => format!(
            "{name} does not say how warm it is, so it is unknown whether to heat or to cool. Use \
             action \"set_mode\" with heat or cool first."
        ),
        Refusal::OutOfLimits { min, max, unit } => format!(
            "{name} can be set to {} to {} {unit}.",
            decimal(*min),
            decimal(*max)
        ),
        Refusal::UnknownMode(modes) if modes.is_empty() => format!("{name} has no modes."),
        Refusal::UnknownMode(modes) => {
            format!("{name} has the modes {}.", spoken_list(modes, "and"))
        }
        Refusal::NoSuchLamp => format!("{name} has no lamp for that color."),
        Refusal::Dead => {
            format!("{name} does not respond, and the gateway does not know yet what it can do.")
        }
        Refusal::Unread => {
            format!("{name} is still being read by the gateway. Try again in a minute.")
        }
    }
}

/// Why nothing was done to a set: none of its devices can do it.
pub fn no_member(called: &str, room: Option<&str>, action: Action) -> String {
    let place = room.map_or_else(String::new, |room| format!(" in the {room}"));
    format!("None of the {called}{place} can do \"{}\".", action.name())
}

/// Why a set is not toggled.
pub fn set_toggle() -> String {
    "Only one device at a time can be toggled. Use action \"on\" or \"off\".".to_owned()
}

/// There is no such tool.
pub fn unknown_tool(name: &str, read_only: bool) -> String {
    let tools = if read_only {
        format!("{} alone, because it is read-only", tools::LIST)
    } else {
        format!("{} and {}", tools::LIST, tools::CONTROL)
    };
    format!("Unknown tool {}. This server has {tools}.", quoted(name))
}

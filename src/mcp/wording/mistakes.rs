//! What was wrong with a call, and what would be right: one sentence or two.

use super::facts::kind_word;
use super::phrases::{decimal, quoted, some_names, spoken_list};
use super::sets::{LeftAlone, left_alone};
use crate::home::bounds;
use crate::home::color::Color;
use crate::home::device::Device;
use crate::home::intent::Action;
use crate::home::kind::Kind;
use crate::home::names::{Members, Resolved, Set};
use crate::home::plan::Refusal;
use crate::home::text;
use crate::mcp::arguments::{ArgumentError, CONTROL, LIST};

/// What is wrong with the arguments.
pub fn argument(error: &ArgumentError) -> String {
    argument_for(error, &Action::ALL)
}

/// The same to a device that can do only these actions: no other is offered instead.
pub fn argument_for(error: &ArgumentError, can: &[Action]) -> String {
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
        ArgumentError::SaidTwice { field, names } => format!(
            "{} and {} say different things; send only \"{field}\".",
            quoted(&names.0),
            quoted(&names.1)
        ),
        ArgumentError::WrongForm { field, right, sent } => {
            format!("\"{field}\" must be {right}, not {sent}.")
        }
        ArgumentError::TooLong(field) => too_long(field),
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
        ArgumentError::TakesNo(action, field) => takes_no(*action, field, can),
        ArgumentError::OutOfRange(level) => {
            let level = text::word(&level.to_string());
            format!("\"level\" is a percentage from 0 to 100, not {level}.")
        }
        ArgumentError::Contradiction(action) => {
            let opposite = match action {
                Action::Open => Action::Close,
                _ => Action::Off,
            };
            format!(
                "Action \"{}\" with level 0 contradicts itself; leave level out{}.",
                action.name(),
                or_use(Some(opposite), can)
            )
        }
        ArgumentError::UnknownColor(said) => {
            format!("Unknown color {}. Use {}.", quoted(said), Color::examples())
        }
    }
}

/// More was said than is read.
pub fn too_long(field: &str) -> String {
    format!("\"{field}\" can have at most {} characters.", bounds::READ)
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

fn takes_no(action: Action, field: &str, can: &[Action]) -> String {
    let right = match (field, action) {
        ("mode", _) => Some(Action::SetMode),
        ("color", _) => Some(Action::SetColor),
        ("temperature", _) => Some(Action::SetTemperature),
        (_, Action::Close | Action::Stop) => Some(Action::Open),
        (_, Action::Lock | Action::Unlock) => None,
        _ => Some(Action::Dim),
    };
    format!(
        "Action \"{}\" takes no {field}; leave it out{}.",
        action.name(),
        or_use(right, can)
    )
}

/// The action that may have been meant, if it can be done.
fn or_use(right: Option<Action>, can: &[Action]) -> String {
    let right = right.filter(|right| can.contains(right));
    right.map_or_else(String::new, |right| {
        format!(", or use action \"{}\"", right.name())
    })
}

fn every_action() -> String {
    names(&Action::ALL).join(", ")
}

/// Why a name names no one device.
pub fn unresolved(said: &str, resolved: &Resolved) -> String {
    let said = quoted(said);
    match resolved {
        Resolved::Tie(devices) if devices.len() == 1 => {
            format!("Did you mean {}? Nothing was done.", several_of(devices))
        }
        Resolved::Tie(devices) => {
            format!("Which one: {}? Nothing was done.", several_of(devices))
        }
        Resolved::Room(_, devices) if devices.is_empty() => {
            format!("There is no device in a room called {said}.")
        }
        Resolved::Room(_, devices) => {
            format!(
                "{said} is a room. Say which of its devices: {}.",
                several_of(devices)
            )
        }
        Resolved::NoRoom => format!("There is no room beside {said}."),
        Resolved::Miss(near) if near.is_empty() => {
            format!("There is no device {said}. Call list_zwave_devices for the names there are.")
        }
        Resolved::Miss(near) => {
            format!(
                "There is no device {said}. The nearest names: {}.",
                several_of(near)
            )
        }
        Resolved::Set(set) => {
            let place = set
                .room
                .as_ref()
                .map_or_else(String::new, |room| format!(" in the {room}"));
            format!("There are no {}{place}.", several(set))
        }
        Resolved::One(device) => format!("{said} is {}.", device.spoken),
    }
}

/// Why a name names nothing, where a set may have been meant.
pub fn likely_set(said: &str, likely: &str, set: &Set) -> String {
    format!(
        "There is no device {}. Did you mean {}, which are {}? Nothing was done.",
        quoted(said),
        quoted(likely),
        spoken_list(&some_names(set.members.iter().copied(), 5), "and")
    )
}

/// The word for several of what a set is of.
pub fn several(set: &Set) -> String {
    match set.of {
        Members::Kind(kind) => kind.several.to_owned(),
        Members::Everything => "devices".to_owned(),
        Members::Channels(device) => {
            let whole = match &device.part_of {
                Some(whole) => whole.text.as_str(),
                None => device.spoken.as_str(),
            };
            format!("parts of {whole}")
        }
    }
}

/// At most five devices, with their rooms.
fn several_of(devices: &[&Device]) -> String {
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
        Refusal::Cannot(can) if can.contains(&action) => format!(
            "{name} can do \"{}\", but not with what was said besides. Send only deviceName and \
             action.",
            action.name()
        ),
        Refusal::Cannot(_) if opens_by_relay(device, action) => format!(
            "{name} is a relay and can't do \"{}\": only its owner knows which of on and off that \
             would be.",
            action.name()
        ),
        Refusal::Cannot(can) => format!(
            "{name} can't do \"{}\"; it can do {}.",
            action.name(),
            spoken_list(&names(can), "and")
        ),
        Refusal::MembersCannot(members) => format!(
            "{name} can't do \"{}\" as a whole, because {} can't.",
            action.name(),
            spoken_list(&bounds::some(members.clone(), 4), "and")
        ),
        Refusal::OnlyFull => {
            format!("{name} can't be opened part of the way. Leave level out to open it.")
        }
        Refusal::ModeUnknown => format!(
            "{name} does not say which mode it is in, so it is unknown which temperature to set. \
             Use action \"set_mode\" first."
        ),
        Refusal::Crosses {
            heats,
            wanted,
            other,
            unit,
        } => crosses(name, *heats, [*wanted, *other], unit),
        Refusal::NoSetpoint => format!(
            "{name} is off or in a mode without a temperature, so none can be set. Use action \
             \"set_mode\" first."
        ),
        Refusal::RoomTemperatureUnknown => format!(
            "{name} does not say how warm it is, so it is unknown whether to heat or to cool. Use \
             action \"set_mode\" with heat or cool first."
        ),
        Refusal::OutOfLimits { min, max, unit } => format!(
            "{name} can be set to {} to {} {}.",
            decimal(*min),
            decimal(*max),
            text::word(unit)
        ),
        Refusal::UnknownMode(modes) if modes.is_empty() => format!("{name} has no modes."),
        Refusal::UnknownMode(modes) => {
            format!(
                "{name} has the modes {}.",
                spoken_list(&words(modes), "and")
            )
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

/// A temperature that would have one side of "auto" cross the other.
fn crosses(name: &str, heats: bool, degrees: [f64; 2], unit: &str) -> String {
    let [wanted, other] = degrees.map(decimal);
    let (does, wants, side, mode) = if heats {
        ("cools", "heat", "below", "heat")
    } else {
        ("heats", "cool", "above", "cool")
    };
    format!(
        "{name} is in auto and {does} to {other} {unit}, so it can't {wants} to {wanted} {unit}. Use a \
         temperature {side} {other} {unit}, or action \"set_mode\" with {mode} first."
    )
}

fn names(actions: &[Action]) -> Vec<String> {
    let names = actions.iter().map(|action| action.name().to_owned());
    names.collect()
}

/// States or modes from the wire, at most twenty, and how many more.
fn words(said: &[String]) -> Vec<String> {
    let words = said.iter().map(|word| text::word(word));
    bounds::some(
        words.filter(|word| !word.is_empty()).collect(),
        bounds::CHOICES,
    )
}

/// Whether it is asked of a relay that it opens or closes something: it can be switched, and nothing
/// says which way is which.
pub fn opens_by_relay(device: &Device, action: Action) -> bool {
    let relay = matches!(device.kind, Kind::Switch | Kind::Outlet | Kind::Dimmer);
    relay && device.opening.is_some() && matches!(action, Action::Open | Action::Close)
}

/// Why nothing was done to a set: none of its devices can do it, and what they can do, or it is left
/// alone.
pub fn no_member(
    called: &str,
    room: Option<&str>,
    action: Action,
    can: &[Action],
    spared: &[(Device, LeftAlone)],
) -> String {
    let place = room.map_or_else(String::new, |room| format!(" in the {room}"));
    let cannot = spared.iter().all(|(_, why)| *why == LeftAlone::Cannot);
    let name = action.name();
    if cannot {
        let can = spoken_list(&names(can), "and");
        let instead = Some(can).filter(|can| !can.is_empty());
        let instead = instead.map_or_else(String::new, |can| format!("; they can do {can}"));
        return format!("None of the {called}{place} can do \"{name}\"{instead}.");
    }
    let left_alone = left_alone(spared, action);
    format!("Nothing was done to the {called}{place}.{left_alone}")
}

/// What can be done to everything at once.
pub fn everything(action: Action) -> String {
    format!(
        "Everything at once can be switched off, closed or locked, and can't do \"{}\". Say one \
         device, or a kind such as \"all lights\".",
        action.name()
    )
}

/// Why a set is not toggled.
pub fn set_toggle() -> String {
    "Only one device at a time can be toggled. Use action \"on\" or \"off\".".to_owned()
}

/// There is no such method.
pub fn unknown_method(method: &str) -> String {
    format!("Unknown method {}.", quoted(method))
}

/// There is no such tool.
pub fn unknown_tool(name: &str, read_only: bool) -> String {
    let tools = if read_only {
        format!("{LIST} alone, because it is read-only")
    } else {
        format!("{LIST} and {CONTROL}")
    };
    format!("Unknown tool {}. This server has {tools}.", quoted(name))
}

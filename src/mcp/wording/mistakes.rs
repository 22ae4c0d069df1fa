//! Describes mistakes in requests, and what would be right.

use super::phrases::{action_names, join_names, quote};
use crate::home::bounds;
use crate::home::color::Color;
use crate::home::intent::Action;
use crate::home::text;
use crate::mcp::arguments::{ArgumentError, CONTROL, LIST};
use crate::mcp::resources::address::HOUSE;

/// Describes a mistake in a call's arguments. Suggests only actions in `can`, which the device can do.
pub fn describe_mistake(error: &ArgumentError, can: &[Action]) -> String {
    match error {
        ArgumentError::UnknownName {
            name,
            nearest,
            known,
        } => {
            let suggestion = match nearest {
                Some(nearest) => format!("; did you mean \"{nearest}\"?"),
                None => ".".to_owned(),
            };
            format!(
                "Unknown argument {}{suggestion} This tool takes {}.",
                quote(name),
                join_names(known, "and")
            )
        }
        ArgumentError::Conflict { field, names } => format!(
            "{} and {} say different things; send only \"{field}\".",
            quote(&names.0),
            quote(&names.1)
        ),
        ArgumentError::WrongForm {
            field,
            expected,
            sent,
        } => format!("\"{field}\" must be {expected}, not {sent}."),
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
        ArgumentError::Needs(action, field) => describe_needed(*action, field),
        ArgumentError::TakesNo(action, field) => describe_needless(*action, field, can),
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
            format!("Unknown color {}. Use {}.", quote(said), Color::examples())
        }
    }
}

/// Says that an argument is too long.
pub fn too_long(field: &str) -> String {
    format!("\"{field}\" can have at most {} characters.", bounds::INPUT)
}

fn describe_needed(action: Action, field: &str) -> String {
    let name = action.name();
    let value = match field {
        "level" => example(action).to_owned(),
        _ => quote(example(action)),
    };
    format!(
        "Action \"{name}\" needs \"{field}\", for example {{\"deviceName\": \"…\", \"action\": \
         \"{name}\", \"{field}\": {value}}}."
    )
}

/// Returns an example of the value that an action needs.
pub fn example(action: Action) -> &'static str {
    match action {
        Action::SetTemperature => "21",
        Action::SetMode => "heat",
        Action::SetColor => "red",
        _ => "50",
    }
}

fn describe_needless(action: Action, field: &str, can: &[Action]) -> String {
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

/// Suggests the action that may have been meant (`right`), if the device can do this action.
fn or_use(right: Option<Action>, can: &[Action]) -> String {
    let right = right.filter(|right| can.contains(right));
    right.map_or_else(String::new, |right| {
        format!(", or use action \"{}\"", right.name())
    })
}

fn every_action() -> String {
    action_names(&Action::ALL).join(", ")
}

/// Says that a method is unknown.
pub fn unknown_method(method: &str) -> String {
    format!("Unknown method {}.", quote(method))
}

/// Says that no resource has this URI.
pub fn no_resource(uri: &str) -> String {
    format!(
        "There is no resource {}. resources/list has the URIs of all devices, and {HOUSE} is the \
         whole house.",
        quote(uri)
    )
}

/// Says that a cursor is invalid.
pub fn unknown_cursor(cursor: &str) -> String {
    format!("Unknown cursor {}. Begin again without one.", quote(cursor))
}

/// Says that a session has too many subscriptions.
pub fn too_many_subscriptions(max: usize) -> String {
    format!(
        "A session can have at most {max} subscriptions. Subscribe to {HOUSE}, which tells of \
         every device."
    )
}

/// Says that a session has too many streams.
pub fn too_many_streams(max: usize) -> String {
    format!(
        "A session can have at most {max} streams of notifications. Cancel one that is not needed \
         any more."
    )
}

/// Says that a tool is unknown.
pub fn unknown_tool(name: &str, read_only: bool) -> String {
    let tools = if read_only {
        format!("only {LIST}, because the server is read-only")
    } else {
        format!("{LIST} and {CONTROL}")
    };
    format!("Unknown tool {}. This server has {tools}.", quote(name))
}

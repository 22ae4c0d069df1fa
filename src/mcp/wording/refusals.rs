//! Describes refusals (why nothing was done, and what to do instead), and asks the questions before guarded
//! commands.

use super::facts::kind_word;
use super::outcomes::{describe_left_alone, name_set, verb_forms};
use super::phrases::{action_names, decimal, join_names, nearest_names, quote, some_names};
use crate::home::decide::{ASK_THE_PERSON, ConsentQuestion, LeftAlone, Refusal};
use crate::home::device::{Device, GuardReason};
use crate::home::fact::Side;
use crate::home::intent::{Action, Intent};
use crate::home::kind::Kind;
use crate::home::language::small_word_at_end;
use crate::home::letters::squash;
use crate::home::model::value::ColorComponents;
use crate::home::plan::DeviceRefusal;
use crate::home::word::words;
use crate::home::{bounds, text};

/// Tells a model how to find a device's name.
pub const FIND_NAMES: &str = "Call list_zwave_devices for the names there are.";

/// Describes the refusal of a call. `said` is the device name in the call. `room` is the room in the call,
/// if any.
pub fn describe_refusal(said: &str, room: Option<&str>, refusal: &Refusal) -> String {
    let name = quote(said);
    match refusal {
        Refusal::Ambiguous(devices) => {
            let question = if devices.len() == 1 {
                "Did you mean"
            } else {
                "Which one:"
            };
            format!("{question} {}? Nothing was done.", some_of(devices))
        }
        Refusal::Room(devices) => describe_room(said, devices),
        Refusal::NoRoom(rooms) => {
            let name = quote(room.unwrap_or_default());
            match rooms.join(", ").as_str() {
                "" => format!("There is no room {name}; the devices have no rooms."),
                rooms => format!("There is no room {name}. Rooms: {rooms}."),
            }
        }
        Refusal::Unknown(near) => {
            let hint = match (small_word_at_end(&words(said)), near.as_slice()) {
                (Some(end), _) => {
                    let end = end.text();
                    format!("What follows \"{end}\" is missing{ASK_THE_PERSON}.")
                }
                (None, []) => FIND_NAMES.to_owned(),
                (None, near) => format!("{}: {}.", nearest_names(near.len()), some_of(near)),
            };
            format!("There is no device {name}. {hint}")
        }
        Refusal::UnknownNear(devices) => format!(
            "There is no device {name}. Did you mean {}? Nothing was done{ASK_THE_PERSON}.",
            some_of(devices)
        ),
        Refusal::UnknownNearSet(likely, members) => format!(
            "There is no device {name}. Did you mean {}, which are {}? Nothing was done{ASK_THE_PERSON}.",
            quote(likely),
            join_names(&some_names(members.iter(), 5), "and")
        ),
        Refusal::Empty(set) => format!("There are no {}.", name_set(set)),
        Refusal::Device(device, intent, refusal) => {
            describe_device_refusal(device, intent, refusal)
        }
        Refusal::ToggleSet => {
            "Only one device at a time can be toggled. Use action \"on\" or \"off\".".to_owned()
        }
        Refusal::Everything(action) => format!(
            "All devices at once can only be switched off, closed, locked or stopped, so \"{}\" was \
             not done. Name one device, or a kind such as \"all lights\".",
            action.name()
        ),
        Refusal::NoMember {
            set,
            action,
            can,
            left_alone,
        } => describe_no_member(&name_set(set), *action, can, left_alone),
    }
}

/// Says that a name is a room, and asks which of the room's devices is meant.
fn describe_room(said: &str, devices: &[Device]) -> String {
    let name = quote(said);
    let choice = some_of(devices);
    match devices {
        [] => format!("There is no device in a room called {name}."),
        [_] => format!("{name} is a room. Did you mean {choice}? Nothing was done."),
        devices if is_part_of_several_rooms(said, devices) => {
            format!("{name} is several rooms. Say which of their devices: {choice}.")
        }
        _ => format!("{name} is a room. Say which of its devices: {choice}."),
    }
}

/// Returns true if the devices are in several rooms whose names all have what was said.
fn is_part_of_several_rooms(said: &str, devices: &[Device]) -> bool {
    let said = squash(said);
    let is_alone = devices
        .windows(2)
        .all(|pair| matches!(pair, [one, other] if one.is_in_same_room(other)));
    !is_alone && devices.iter().all(|device| squash(&device.room).contains(&said))
}

/// Names at most five devices, with their rooms.
fn some_of(devices: &[Device]) -> String {
    join_names(&some_names(devices.iter(), 5), "or")
}

fn describe_no_member(
    set: &str,
    action: Action,
    can: &[Action],
    left_alone: &[(Device, LeftAlone)],
) -> String {
    if left_alone.iter().any(|(_, why)| *why != LeftAlone::Cannot) {
        let left_alone = describe_left_alone(left_alone, action);
        return format!("Nothing was done to the {set}.{left_alone}");
    }
    let name = action.name();
    match name_actions(can).as_str() {
        "" => format!("None of the {set} can do \"{name}\"."),
        can => format!("None of the {set} can do \"{name}\"; they can do {can}."),
    }
}

fn name_actions(actions: &[Action]) -> String {
    join_names(&action_names(actions), "and")
}

/// Says why nothing was done to a device. The refusal becomes the predicate of "Kitchen Lamp …".
pub fn describe_device_refusal(
    device: &Device,
    intent: &Intent,
    refusal: &DeviceRefusal,
) -> String {
    let action = intent.action().name();
    let predicate = match refusal {
        DeviceRefusal::Guarded(_) => describe_guarded(device, intent),
        DeviceRefusal::OnlyGuarded => describe_only_guarded(device, intent.action()),
        DeviceRefusal::Cannot(can) => describe_inability(device, intent.action(), can),
        DeviceRefusal::MembersCannot(members) => {
            let members = join_names(&bounds::shorten_list(members.clone(), 4), "and");
            format!("can't do \"{action}\" as a whole, because {members} can't")
        }
        DeviceRefusal::OnlyFull => {
            "can't be opened part of the way. Leave the level out to open it".to_owned()
        }
        DeviceRefusal::ModeUnknown => "does not say which mode it is in, so it is unknown which \
             temperature to set. Use action \"set_mode\" first"
            .to_owned(),
        DeviceRefusal::NoSetpoint => {
            "is off or in a mode without a temperature, so none can be set. \
             Use action \"set_mode\" first"
                .to_owned()
        }
        DeviceRefusal::RoomTemperatureUnknown => "does not say how warm the room is, so it is \
             unknown whether to heat or to cool. Use action \"set_mode\" with heat or cool first"
            .to_owned(),
        DeviceRefusal::Crosses {
            side,
            wanted,
            other,
            unit,
        } => describe_crossing(*side, [*wanted, *other], unit),
        DeviceRefusal::OutOfLimits(range) => format!(
            "takes temperatures from {} to {} {}",
            decimal(range.min),
            decimal(range.max),
            text::word(&range.spelling)
        ),
        DeviceRefusal::UnknownMode(modes) if modes.is_empty() => "has no modes".to_owned(),
        DeviceRefusal::UnknownMode(modes) => {
            format!("has the modes {}", join_names(&mode_names(modes), "and"))
        }
        DeviceRefusal::StepTooLarge(max, unit) => {
            describe_step_limit(device, *max, unit.as_deref())
        }
        DeviceRefusal::NoSuchLamp(available) => {
            let lamps = describe_lamps(*available);
            format!("has no lamp for that color; it has {lamps}")
        }
        DeviceRefusal::Dead => {
            "does not respond, and the gateway does not know yet what it can do".to_owned()
        }
        DeviceRefusal::Unread => {
            "is still being read by the gateway. Try again in a minute".to_owned()
        }
    };
    format!("{} {predicate}.", device.spoken)
}

/// Says why a device can't carry out an action, and which actions it can carry out.
fn describe_inability(device: &Device, action: Action, can: &[Action]) -> String {
    let name = action.name();
    if can.is_empty() {
        let kind = kind_word(device);
        return format!("can't be controlled; it is a {kind} and only reports");
    }
    if can.contains(&action) {
        return format!(
            "can do \"{name}\", but not with the other arguments. Send only deviceName and action"
        );
    }
    if opens_by_relay(device, action) {
        return format!(
            "is a relay and can't do \"{name}\": only its owner knows whether \"on\" or \"off\" opens it"
        );
    }
    format!("can't do \"{name}\"; it can do {}", name_actions(can))
}

/// Names the largest step that a device takes, and the action to use instead. `unit` is `None` for percent.
fn describe_step_limit(device: &Device, max: f64, unit: Option<&str>) -> String {
    let (unit, instead) = match unit {
        Some(unit) => (text::word(unit), Action::SetTemperature),
        None if device.kind.opens_and_closes() => ("%".to_owned(), Action::Open),
        None => ("%".to_owned(), Action::Dim),
    };
    format!(
        "takes steps of at most {} {unit}. Use action \"{}\" with the level that it should have",
        decimal(max),
        instead.name()
    )
}

fn describe_lamps(available: ColorComponents) -> String {
    let [warm, cold, ..] = available.0;
    let lamps = [
        available.rgb().and(Some("colors")),
        warm.and(Some("warm white")),
        cold.and(Some("cold white")),
    ];
    let names: Vec<&str> = lamps.into_iter().flatten().collect();
    if names.is_empty() {
        return "none that can be set".to_owned();
    }
    join_names(&names, "and")
}

/// Says that the heating and cooling temperatures of a thermostat in "auto" would cross.
fn describe_crossing(side: Side, degrees: [f64; 2], unit: &str) -> String {
    let [wanted, other] = degrees.map(decimal);
    let (does, wants, below) = match side {
        Side::Heating => ("cools", "heat", "below"),
        Side::Cooling => ("heats", "cool", "above"),
    };
    format!(
        "is in auto and {does} to {other} {unit}, so it can't {wants} to {wanted} {unit}. Use a \
         temperature {below} {other} {unit}, or action \"set_mode\" with {wants} first"
    )
}

/// Cleans the names of modes from the wire, keeps the first ones, and counts the others.
fn mode_names(modes: &[String]) -> Vec<String> {
    let names = modes.iter().map(|mode| text::word(mode));
    let names = names.filter(|name| !name.is_empty()).collect();
    bounds::shorten_list(names, bounds::CHOICES)
}

/// Returns true if the action is to open or close something through a relay. Only the owner knows whether
/// switching the relay on or switching it off opens the thing.
fn opens_by_relay(device: &Device, action: Action) -> bool {
    let is_door = device.kind.is_relay() && device.guard_reason.is_some();
    is_door && matches!(action, Action::Open | Action::Close)
}

fn describe_guarded(device: &Device, intent: &Intent) -> String {
    // "On" with a level would read "was not dimmed", which is odd for a door.
    let [_, done, _] = verb_forms(&intent.without_level());
    let because = match &device.guard_reason {
        Some(GuardReason::Name(_)) => "its name says that it opens something, and ",
        Some(GuardReason::Room(_)) => "its room says that it opens something, and ",
        Some(GuardReason::Product) => "its product is called something that opens doors, and ",
        _ => "",
    };
    let ways_to_allow = ways_to_allow(device, ALLOW_DENIED);
    format!("was not {done}: {because}that is not allowed here. {ways_to_allow}")
}

/// Says that a device can't carry out an action, and that every action that it can carry out is guarded.
fn describe_only_guarded(device: &Device, action: Action) -> String {
    let explanation = if opens_by_relay(device, action) {
        " Only its owner knows whether \"on\" or \"off\" opens it."
    } else {
        ""
    };
    format!(
        "can't do \"{}\".{explanation} All its actions unlock or open something, and that is not \
         allowed here. {}",
        action.name(),
        ways_to_allow(device, ALLOW_DENIED)
    )
}

/// Says how the owner can allow a guarded command that is denied.
const ALLOW_DENIED: &str = "Its owner can allow it with --guard confirm (a person is asked) or --guard allow (ZWAVE_GUARD)";

/// Says how the owner can allow a guarded command if the host can't ask anybody.
const ALLOW_WITHOUT_ASKING: &str = "Its owner can have a person asked on a phone with --confirm-topic \
     (ZWAVE_CONFIRM_TOPIC), or allow it with --guard allow (ZWAVE_GUARD=allow)";

/// Says how the owner can allow a scene or group that unlocks or opens something.
const ALLOW_SCENE: &str = "Nobody is asked about a scene or group. Its owner can allow it with --guard allow (ZWAVE_GUARD)";

/// Says how the owner can allow a guarded command: with `setting`. If the device is guarded only because of its
/// name, its room or what its product is called, the owner can also declare that the device is no door, gate or lock.
/// A scene or group is only allowed by [`ALLOW_SCENE`].
fn ways_to_allow(device: &Device, setting: &str) -> String {
    match &device.guard_reason {
        _ if matches!(device.kind, Kind::Scene | Kind::Group) => ALLOW_SCENE.to_owned(),
        Some(GuardReason::Product | GuardReason::Name(_) | GuardReason::Room(_)) => format!(
            "{setting}, or say with --unguarded (ZWAVE_UNGUARDED) that it is not a door, gate or lock"
        ),
        _ => setting.to_owned(),
    }
}

/// The title of the yes-or-no field in the form that asks a person.
pub const ALLOW: &str = "Allow it this once";

/// The explanation below [`ALLOW`].
pub const ALLOW_MEANS: &str = "Yes does it now. No leaves everything as it is.";

/// Makes the question before a guarded command: "Unlock Front Door?". The question does not say who requested
/// the command. It may have been an assistant, or the person's own click.
pub fn consent_question(question: &ConsentQuestion) -> String {
    let ConsentQuestion { device, intent, .. } = question;
    let level = match intent {
        Intent::Open(Some(percent)) | Intent::On(Some(percent)) | Intent::Dim(percent) => {
            format!(" to {} %", percent.get())
        }
        _ => String::new(),
    };
    let [_, _, verb] = verb_forms(intent);
    format!("{verb} {}{level}?", device.spoken)
}

/// The reason why a command has no consent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoConsent {
    /// The host can't ask a person.
    CantAsk,
    /// The person declined.
    Declined,
    /// The question was dismissed, its answer can't be read, or the call was canceled.
    Dismissed,
    /// The host accepted the question, but its answer has neither a yes nor a no.
    NobodyAsked,
    /// Nobody answered in time.
    NoAnswer,
    /// The command would no longer do what the person allowed.
    Changed,
    /// The question was published on a topic, and nobody has answered it yet.
    NotYet,
    /// The question could not be published on its topic.
    NotPublished,
    /// A question about the device, for another command or another caller, is still open.
    BeingAsked,
    /// Somebody said no, or nobody answered, to a question about the device within the last ten minutes.
    AskedLately,
    /// Too many questions are open, or were asked within the last hour.
    TooMany,
    /// The person's yes was for one command, and another call has used it.
    Used,
}

/// Says why a command that needs consent was not sent.
pub fn describe_missing_consent(device: &Device, intent: &Intent, why: NoConsent) -> String {
    let name = &device.spoken;
    let [_, done, _] = verb_forms(intent);
    let why = match why {
        NoConsent::CantAsk => &format!(
            "a person has to allow it, and this host can't ask. {}",
            ways_to_allow(device, ALLOW_WITHOUT_ASKING)
        ),
        NoConsent::Declined => "the person who was asked declined",
        NoConsent::Dismissed => "the question was dismissed",
        NoConsent::NobodyAsked => {
            "the host accepted without asking anybody: its answer has neither a yes nor a no"
        }
        NoConsent::NoAnswer => "nobody answered the question within 25 s",
        NoConsent::Changed => "the command would no longer do what the person allowed",
        NoConsent::NotYet => {
            "a person was asked, and has not answered within 25 s. A yes within this minute counts if \
             the same command is sent again after it"
        }
        NoConsent::NotPublished => {
            "a person has to allow it, and the MQTT broker did not take the question"
        }
        NoConsent::BeingAsked => {
            "a person is already being asked about it, for another command or another room"
        }
        NoConsent::AskedLately => {
            "a person was asked about it within the last ten minutes, and did not allow it"
        }
        NoConsent::TooMany => {
            "too many questions were asked; at most four are open at a time, and ten are asked in an hour"
        }
        NoConsent::Used => "the person allowed it once, and another call has used that",
    };
    format!("{name} was not {done}: {why}.")
}

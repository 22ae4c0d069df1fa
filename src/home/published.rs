//! The house as resources, structured content and the commands' JSON publish it. The server writes these types,
//! and the commands and the assistant read them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_with_macros::skip_serializing_none;

use super::category::Category;
use super::color::Color;
use super::fact::{Barrier, Fact};
use super::guard::Guard;
use super::intent::Action;
use super::model::value::Evidence;
use super::text;

/// The name of the tool that lists devices.
pub const LIST: &str = "list_zwave_devices";

/// The name of the tool that controls devices.
pub const CONTROL: &str = "control_zwave_device";

/// The URI of the whole house.
pub const HOUSE: &str = "zwave://devices";

/// The URI of the changes that were seen in the house.
pub const CHANGES: &str = "zwave://changes";

/// A list of devices or changes.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublishedHouse<D = PublishedDevice> {
    /// Devices that match.
    pub count: usize,
    /// Dead devices that match; listed only with includeInactive.
    pub not_responding: usize,
    /// The troubles of gateways and brokers.
    pub problems: Vec<String>,
    /// At most 100. For the others, use filter with a room, kind or name.
    pub devices: Vec<D>,
    /// The age of the values, if they are not kept fresh.
    pub values_age: Option<String>,
    /// The nearest names, where nothing matches.
    pub nearest: Option<Vec<String>>,
    /// The rooms there are, where nothing matches.
    pub rooms: Option<Vec<String>>,
    /// The number of devices that did not fit into a resource.
    #[schemars(skip)]
    pub left_out: Option<usize>,
    /// The topic that the filter asks for: "changed" or "problems".
    #[schemars(skip)]
    pub topic: Option<String>,
    /// The setting for guarded actions. Only resources have it.
    #[schemars(skip)]
    pub guard: Option<Guard>,
    /// The time since which changes are recorded, in RFC 3339.
    #[schemars(skip)]
    pub since: Option<String>,
    /// The changes, the latest first.
    #[schemars(skip)]
    pub changes: Option<Vec<PublishedChange>>,
    /// The last reports of states that were not seen to change, the latest first.
    #[schemars(skip)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<PublishedReport>,
}

/// The facts that the line of a list tells about a device.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedDevice {
    /// The name, with its tag.
    pub name: String,
    /// The room; may be empty.
    pub room: String,
    /// The word for the kind.
    pub kind: String,
    /// False if the node is dead.
    pub responding: bool,
    /// True if the node is asleep.
    pub asleep: bool,
    /// The state in words.
    pub state: Option<String>,
    /// Percent.
    pub low_battery: Option<u8>,
    /// The time since the last report, if it is suspiciously long.
    pub silent_for: Option<String>,
}

/// A device with everything that is needed to choose it, to control it and to draw its controls.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PublishedDevice {
    /// The facts of its line in a list.
    #[serde(flatten)]
    pub listed: ListedDevice,
    /// The worst problem, and what to do about it.
    pub problem: Option<String>,
    /// The parts of the state in words, without the measurements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    /// The measurements in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<String>,
    /// The battery's charge in percent.
    pub battery: Option<u8>,
    /// The state of the controls, as far as known.
    #[serde(default, skip_serializing_if = "ControlState::is_empty")]
    pub current: ControlState,
    /// The measurements and detections as data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measured: Vec<Measurement>,
    /// The name by which the control tool finds the device.
    pub control_name: String,
    /// The URI of the device's resource. It also is a name by which the control tool finds the device.
    pub address: String,
    /// The gateway, if there are several.
    pub gateway: Option<String>,
    /// The number of the node. Scenes have none.
    pub node: Option<u16>,
    /// The endpoint, if it is not 0.
    pub endpoint: Option<u8>,
    /// The number of the scene.
    pub scene: Option<u32>,
    /// The tag in the name, which distinguishes the device from others with the same name.
    pub tag: Option<String>,
    /// The name of the node that the device shares with others, such as the power strip of an outlet.
    pub part_of: Option<String>,
    /// The owner's names for the device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// The gateway's other names for the device, such as `nodeID_12`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_names: Vec<String>,
    /// The floors that the owner has put the room on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub floors: Vec<String>,
    /// The categories that people would count the device in, other than `everything`.
    pub categories: Vec<Category>,
    /// The actions that the device can do, in the order of the tool's schema.
    pub actions: Vec<Action>,
    /// The levels or positions that the device takes.
    pub level: Option<ValueRange>,
    /// The temperatures that the device can be set to now.
    pub temperature: Option<ValueRange>,
    /// The modes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modes: Vec<String>,
    /// The whites that the light has a lamp for, by their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub whites: Vec<String>,
    /// The number of modes that are left out.
    pub more_modes: Option<usize>,
    /// The time since the device was last heard from.
    pub age: Option<String>,
    /// The evidence for the state, if the state is known.
    pub certainty: Option<Evidence>,
    /// True if any action is guarded.
    pub guarded: bool,
    /// True if the device keeps the house going, so that it stays on when everything is switched off.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub essential: bool,
}

impl PublishedDevice {
    /// Returns true if the device can do an action.
    pub fn can(&self, action: Action) -> bool {
        self.actions.contains(&action)
    }

    /// Returns the name without the tag.
    pub(super) fn bare_name(&self) -> &str {
        let name = self.listed.name.as_str();
        let without_tag = self.tag.as_ref().and_then(|tag| {
            let tag = name.strip_suffix(')')?.strip_suffix(tag.as_str())?;
            tag.strip_suffix(" (")
        });
        without_tag.unwrap_or(name)
    }
}

/// The last report of the state of a door, window, lock or motion sensor. It may be no change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PublishedReport {
    /// The device's name, with its tag.
    pub name: String,
    /// The room; may be empty.
    pub room: String,
    /// The name by which the control tool finds the device.
    pub control_name: String,
    /// The state in words.
    pub state: String,
    /// The report in words, without the device's name.
    pub text: String,
    /// The time in RFC 3339.
    pub at: String,
    /// The local time of day: "14:05".
    pub clock: String,
    /// The number of days since the day of the report.
    pub days_ago: u64,
}

/// A range of values, with its unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueRange {
    /// The smallest value.
    #[serde(serialize_with = "serialize_number")]
    pub min: f64,
    /// The largest value.
    #[serde(serialize_with = "serialize_number")]
    pub max: f64,
    /// The unit.
    pub unit: String,
}

impl ValueRange {
    /// Makes the range of a level or a position.
    pub fn percent() -> Self {
        Self {
            min: 0.0,
            max: 100.0,
            unit: "%".to_owned(),
        }
    }
}

/// Writes a whole number without decimals.
#[allow(clippy::trivially_copy_pass_by_ref)] // serde passes a reference.
fn serialize_number<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if number.fract() == 0.0 {
        serializer.serialize_i64(*number as i64)
    } else {
        serializer.serialize_f64(*number)
    }
}

/// Something that a device measures or senses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Measurement {
    /// A number.
    Measured {
        /// The quantity.
        what: String,
        /// The number.
        value: f64,
        /// The unit.
        unit: String,
    },
    /// An event.
    Sensed {
        /// The event.
        what: String,
        /// True if the event is detected now.
        there: bool,
    },
}

impl Measurement {
    /// Makes a measurement from a fact, if the fact is a measurement or a detection.
    pub fn of(fact: &Fact) -> Option<Self> {
        match fact {
            Fact::Measured { what, value, unit } => Some(Self::Measured {
                what: what.to_string(),
                value: *value,
                unit: unit.to_string(),
            }),
            Fact::Sensed { what, detected } => Some(Self::Sensed {
                what: (*what).to_owned(),
                there: *detected,
            }),
            _ => None,
        }
    }
}

/// The states of a device's controls, as far as known.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[allow(missing_docs)] // docs/PROGRAMS.md explains the names.
pub struct ControlState {
    pub on: Option<bool>,
    pub level: Option<u8>,
    pub position: Option<u8>,
    pub slats: Option<u8>,
    pub moving: Option<String>,
    pub open: Option<bool>,
    pub locked: Option<bool>,
    pub door_open: Option<bool>,
    pub mode: Option<String>,
    pub target: Option<f64>,
    pub target_low: Option<f64>,
    pub target_high: Option<f64>,
    pub unit: Option<String>,
    pub color: Option<String>,
}

impl ControlState {
    /// Collects the states from a device's facts. If several facts give the same state, the first fact counts.
    pub fn of(facts: &[Fact]) -> Self {
        let mut states = Self::default();
        for fact in facts.iter().rev() {
            states.set(fact);
        }
        states
    }

    fn set(&mut self, fact: &Fact) {
        match fact {
            Fact::Switched(on) => self.on = Some(*on),
            Fact::Level(level) => {
                self.on = Some(true);
                self.level = Some(level.get());
            }
            Fact::Position(position) => self.position = Some(position.get()),
            Fact::Slats(position) => self.slats = Some(position.get()),
            Fact::Barrier(Barrier::Opening) => self.moving = Some("opening".to_owned()),
            Fact::Barrier(Barrier::Closing) => self.moving = Some("closing".to_owned()),
            Fact::Open(open) => self.open = Some(*open),
            Fact::Tilted => self.open = Some(true),
            Fact::Locked(locked) => self.locked = Some(*locked),
            Fact::DoorOpen(open) => self.door_open = Some(*open),
            Fact::Mode(name) => self.mode = Some(text::word(name)),
            Fact::SetTo { degrees, unit, .. } => {
                self.target = Some(*degrees);
                self.unit = Some(text::word(unit));
            }
            Fact::SetBetween(low, high, unit) => {
                self.target_low = Some(*low);
                self.target_high = Some(*high);
                self.unit = Some(text::word(unit));
            }
            // `Color::White` is left out, because it has a color temperature instead of a color.
            Fact::Color(Color::Rgb(red, green, blue)) => {
                self.color = Some(format!("#{red:02x}{green:02x}{blue:02x}"));
            }
            _ => {}
        }
    }

    /// Returns true if no state is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The state of a device before or after a command.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PublishedState {
    /// The name by which the control tool finds the device.
    pub device: String,
    /// The main fact in words.
    pub state: String,
    /// The states of the controls.
    #[serde(default, skip_serializing_if = "ControlState::is_empty")]
    pub current: ControlState,
}

/// A change that was seen in the house.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PublishedChange {
    /// The number of the change in the history of its gateway.
    pub number: u64,
    /// The device's name, with its tag.
    pub name: String,
    /// The device's room; may be empty.
    pub room: String,
    /// The word for the device's kind.
    pub kind: String,
    /// The name by which the control tool finds the device.
    pub control_name: String,
    /// The fact after the change, in words.
    pub after: String,
    /// The fact before the change, in words.
    pub before: String,
    /// The change in words, without the device's name.
    pub text: String,
    /// The time at which the change was seen, in RFC 3339.
    pub at: String,
    /// The time of day: "14:05".
    pub clock: String,
    /// The time after which the change happened, if the change was not reported as it happened.
    pub not_before: Option<String>,
    /// The cause of the change, if known.
    pub by: Option<String>,
    /// The number of the user's code.
    pub user: Option<u16>,
}

//! The contents of a house file: devices, and the calls to try. Unknown fields are errors.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value as Json, json};

use super::moves::Move;
use super::values::Product;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct House {
    /// The purpose of the house.
    pub about: String,
    /// The gateway's name, if the cases depend on it.
    pub gateway: Option<String>,
    /// The lines of the owner's file for `--names`.
    #[serde(default)]
    pub names: Vec<String>,
    /// The server's options, apart from the broker.
    #[serde(default)]
    pub options: Vec<String>,
    pub devices: Vec<Entry>,
    /// The calls, in order.
    pub cases: Vec<Case>,
}

/// A device, a scene or a group.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The number of the node, scene or group.
    pub id: u16,
    pub kind: Kind,
    /// The name; may be empty.
    pub name: String,
    /// The room; may be empty.
    #[serde(default)]
    pub room: String,
    /// The endpoints of a strip, or of a device with two channels.
    pub endpoints: Option<Endpoints>,
    /// The kind of both channels of a two-channel device. If absent, the channels are switches.
    pub of: Option<Channel>,
    /// The specific device class, if it is not the kind's usual one.
    pub specific: Option<u8>,
    /// A shade's name for the level change upwards.
    pub up: Option<String>,
    /// A shade's name for the level change downwards.
    pub down: Option<String>,
    /// The targets of a scene, or the members of a group.
    #[serde(default)]
    pub members: Vec<Move>,
    /// What the gateway says of the product.
    #[serde(default)]
    pub product: Product,
}

/// The kinds in the table of `fixtures/houses/README.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Switch,
    Dimmer,
    Fan,
    ColorLight,
    Cover,
    Shade,
    WindowCovering,
    Lock,
    Garage,
    Gate,
    Thermostat,
    RadiatorValve,
    Valve,
    Siren,
    Sensor,
    Contact,
    Strip,
    TwoChannel,
    Scene,
    Group,
}

/// The number of endpoints, or their labels.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Endpoints {
    /// This many endpoints, without labels.
    Count(u8),
    /// One endpoint for each label.
    Labels(Vec<String>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    Switch,
    Dimmer,
    Cover,
}

/// A call of `control_zwave_device`, and what it may move.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The `deviceName`.
    pub say: String,
    /// The `action`.
    pub action: String,
    #[serde(default, deserialize_with = "read_argument")]
    level: Option<Json>,
    #[serde(default, deserialize_with = "read_argument")]
    mode: Option<Json>,
    #[serde(default, deserialize_with = "read_argument")]
    color: Option<Json>,
    /// Exactly these must move.
    pub moves: Option<Vec<Move>>,
    /// Exactly the members of one of these lists must move.
    pub either: Option<Vec<Vec<Move>>>,
    /// Only these may move.
    pub within: Option<Vec<Move>>,
    /// The rule that the case tests.
    pub why: String,
}

/// Reads an argument. If its value is `null`, `null` is sent. An absent argument is not sent.
fn read_argument<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

impl House {
    /// Reads a house and checks it, or returns what is wrong with its file.
    pub fn read(text: &str) -> Result<Self, String> {
        let house: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        house.check()?;
        Ok(house)
    }

    /// Returns the node or the group with this number. Scenes are numbered separately.
    pub fn node(&self, id: u16) -> Option<&Entry> {
        self.devices.iter().find(|entry| entry.id == id && entry.kind != Kind::Scene)
    }

    pub fn scene(&self, id: u16) -> Option<&Entry> {
        self.devices.iter().find(|entry| entry.id == id && entry.kind == Kind::Scene)
    }

    fn check(&self) -> Result<(), String> {
        let mut numbers = BTreeSet::new();
        for entry in &self.devices {
            let is_scene = entry.kind == Kind::Scene;
            if !numbers.insert((is_scene, entry.id)) {
                return Err(format!("{entry}: another entry has this id"));
            }
            if !is_scene && entry.id < 2 {
                return Err(format!(
                    "{entry}: node 1 is the controller, and there is no node 0"
                ));
            }
            entry.check()?;
            self.check_moves(&entry.members).map_err(|why| format!("{entry}: {why}"))?;
        }
        for case in &self.cases {
            case.check(self).map_err(|why| format!("{case}: {why}"))?;
        }
        Ok(())
    }

    fn check_moves(&self, moves: &[Move]) -> Result<(), String> {
        let missing = moves.iter().find(|moved| !self.has(**moved));
        missing.map_or(Ok(()), |moved| Err(format!("{moved} is not in the house")))
    }

    fn has(&self, moved: Move) -> bool {
        match moved {
            Move::Node(id) => self.node(id).is_some(),
            Move::Part(id, endpoint) => {
                self.node(id).is_some_and(|entry| (1..=entry.parts()).contains(&endpoint))
            }
            Move::Scene(id) => self.scene(id).is_some(),
        }
    }
}

impl Entry {
    /// Returns the number of endpoints that are devices of their own.
    pub fn parts(&self) -> u8 {
        match (&self.endpoints, self.kind) {
            (Some(Endpoints::Count(count)), _) => *count,
            (Some(Endpoints::Labels(labels)), _) => labels.len() as u8,
            (None, Kind::TwoChannel) => 2,
            (None, _) => 0,
        }
    }

    /// Returns the label of an endpoint, if it has one.
    pub fn label(&self, endpoint: u8) -> Option<&str> {
        match &self.endpoints {
            Some(Endpoints::Labels(labels)) => {
                let label = labels.get(usize::from(endpoint).checked_sub(1)?)?;
                Some(label)
            }
            _ => None,
        }
    }

    /// Checks that the fields fit the kind.
    fn check(&self) -> Result<(), String> {
        let kind = self.kind;
        let has_parts = matches!(kind, Kind::Strip | Kind::TwoChannel);
        let has_members = matches!(kind, Kind::Scene | Kind::Group);
        let is_wrong = [
            ("`endpoints`", self.endpoints.is_some() && !has_parts),
            ("`endpoints`", kind == Kind::Strip && self.parts() == 0),
            ("`endpoints`", kind == Kind::TwoChannel && self.parts() != 2),
            ("`of`", self.of.is_some() && kind != Kind::TwoChannel),
            (
                "`specific`",
                self.specific.is_some() && !matches!(kind, Kind::Cover | Kind::Valve),
            ),
            (
                "`up` or `down`",
                self.up.as_ref().or(self.down.as_ref()).is_some() && kind != Kind::Shade,
            ),
            ("`members`", self.members.is_empty() == has_members),
            ("`room`", !self.room.is_empty() && has_members),
        ];
        match is_wrong.iter().find(|(_, is_wrong)| *is_wrong) {
            Some((field, _)) => Err(format!("{self}: {field} does not fit a {kind:?}")),
            None => Ok(()),
        }
    }
}

impl Case {
    /// Returns the arguments of the call.
    pub fn call(&self) -> Json {
        let required = [
            ("deviceName", json!(self.say)),
            ("action", json!(self.action)),
        ];
        let optional = self.arguments().map(|(name, argument)| (name, argument.clone()));
        required
            .into_iter()
            .chain(optional)
            .map(|(name, argument)| (name.to_owned(), argument))
            .collect()
    }

    /// Returns the arguments that are sent besides the name and the action.
    pub fn arguments(&self) -> impl Iterator<Item = (&'static str, &Json)> {
        let arguments = [
            ("level", &self.level),
            ("mode", &self.mode),
            ("color", &self.color),
        ];
        arguments
            .into_iter()
            .filter_map(|(name, argument)| Some((name, argument.as_ref()?)))
    }

    fn check(&self, house: &House) -> Result<(), String> {
        if self.why.trim().is_empty() {
            return Err("it does not say why".to_owned());
        }
        let lists = match (&self.moves, &self.either, &self.within) {
            (Some(moves), None, None) | (None, None, Some(moves)) => vec![moves],
            (None, Some(either), None) if either.len() > 1 => either.iter().collect(),
            _ => {
                return Err(
                    "it needs exactly one of `moves`, `either` (two lists or more) and `within`"
                        .to_owned(),
                );
            }
        };
        let mut lists = lists.into_iter();
        lists.try_for_each(|moves| house.check_moves(moves))
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {} \"{}\"", self.kind, self.id, self.name)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} \"{}\"", self.action, self.say)?;
        self.arguments()
            .try_for_each(|(name, argument)| write!(f, " {name} {argument}"))
    }
}

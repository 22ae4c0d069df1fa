//! How zwave-js-ui names topics (`docs/GATEWAY.md#topics`).

use serde_json::Value as Json;

use super::settings::{GatewayKind, Layout, ValueOption};
use super::{Sim, SimNode};

impl Sim {
    /// How it publishes values now.
    pub(super) fn layout(&self) -> Layout {
        self.state().layout.clone()
    }

    /// What its settings say of a value.
    pub(super) fn option_of(&self, node: &SimNode, key: &str) -> Option<ValueOption> {
        let state = self.state();
        let product = node.text("deviceId");
        let fits = |option: &&ValueOption| {
            let same = option.node == node.id() || !product.is_empty() && option.product == product;
            same && option.key == key
        };
        state.options.iter().find(fits).cloned()
    }

    /// A node's topic below the prefix.
    pub(super) fn node_path(&self, node: &SimNode) -> String {
        let layout = self.layout();
        node_path(&layout, node)
    }

    /// A value's topic below the prefix; none where the gateway does not publish it.
    pub(super) fn value_path(&self, node: &SimNode, key: &str) -> Option<String> {
        let fields = node.values.get(key)?;
        let layout = self.layout();
        if let Some(topic) = self.option_of(node, key).and_then(|option| option.topic) {
            // Such a topic stands below the node's name, even where topics have its number.
            let named = Layout {
                names: true,
                ..layout
            };
            let path = format!("{}/{topic}", node_path(&named, node));
            return Some(sanitised(&path));
        }
        let class = u16::try_from(fields.get("commandClass")?.as_u64()?).ok()?;
        let part = |name: &str| -> Option<String> {
            let text = match fields.get(name)? {
                Json::String(text) => text.clone(),
                other => other.to_string(),
            };
            Some(sanitised(&text.replace('/', "-")))
        };
        let endpoint = part("endpoint")?;
        let tail = match &layout.kind {
            GatewayKind::Manual(configured) => {
                let product = node.text("deviceId");
                let mut configured = configured.iter();
                let own = configured.find(|own| own.key == key && own.product == product)?;
                return Some(format!("{}/{}", self.node_path(node), own.topic));
            }
            GatewayKind::ValueId => format!("{class}/{endpoint}/{}", part("property")?),
            GatewayKind::Named => format!(
                "{}/endpoint_{endpoint}/{}",
                class_level(class),
                part("propertyName").or_else(|| part("property"))?,
            ),
        };
        let mut path = format!("{}/{tail}", self.node_path(node));
        if let Some(key) = part("propertyKey") {
            path.push('/');
            path.push_str(&key);
        }
        Some(path)
    }
}

fn node_path(layout: &Layout, node: &SimNode) -> String {
    let name = match node.text("name") {
        _ if !layout.names => node.id().to_string(),
        "" => format!("nodeID_{}", node.id()),
        name => sanitised(name),
    };
    match node.text("loc") {
        room if !room.is_empty() && !layout.ignore_location => {
            format!("{}/{name}", sanitised(room))
        }
        _ => name,
    }
}

/// A name or location as it stands in topics: white space becomes `_`, and what is no ASCII letter
/// or digit, `-`, `_`, `/` or Latin-1 letter is dropped.
pub fn sanitised(text: &str) -> String {
    text.chars()
        .filter_map(|letter| match letter {
            letter if letter.is_whitespace() => Some('_'),
            'A'..='Z' | 'a'..='z' | '0'..='9' | '-' | '_' | '/' => Some(letter),
            'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ÿ' => Some(letter),
            _ => None,
        })
        .collect()
}

/// The level that a command class has in named topics.
pub fn class_level(class: u16) -> String {
    let mut names = CLASS_NAMES.iter();
    match names.find(|(number, _)| *number == class) {
        Some((_, name)) => (*name).to_owned(),
        None => format!("unknownClass_{class}"),
    }
}

/// zwave-js-ui's names of command classes; it has no others.
const CLASS_NAMES: [(u16, &str); 47] = [
    (32, "basic"),
    (37, "switch_binary"),
    (38, "switch_multilevel"),
    (43, "scene_activation"),
    (44, "scene_actuator_conf"),
    (48, "sensor_binary"),
    (49, "sensor_multilevel"),
    (50, "meter"),
    (51, "color"),
    (64, "thermostat_mode"),
    (66, "thermostat_operating_state"),
    (67, "thermostat_setpoint"),
    (68, "thermostat_fan_mode"),
    (69, "thermostat_fan_state"),
    (70, "climate_control_schedule"),
    (71, "thermostat_setback"),
    (76, "door_lock_logging"),
    (78, "schedule_entry_lock"),
    (80, "basic_window_covering"),
    (91, "central_scene"),
    (94, "zwave_plus_info"),
    (98, "door_lock"),
    (99, "user_code"),
    (102, "barrier_operator"),
    (112, "configuration"),
    (113, "notification"),
    (114, "manufacturer_specific"),
    (115, "powerlevel"),
    (117, "protection"),
    (118, "lock"),
    (119, "node_naming"),
    (121, "sound_switch"),
    (122, "firmware_update_md"),
    (128, "battery"),
    (129, "clock"),
    (130, "hail"),
    (132, "wake_up"),
    (133, "association"),
    (134, "version"),
    (135, "indicator"),
    (138, "time"),
    (139, "time_parameters"),
    (142, "multi_instance_association"),
    (144, "energy_production"),
    (145, "manufacturer_proprietary"),
    (152, "security"),
    (156, "sensor_alarm"),
];

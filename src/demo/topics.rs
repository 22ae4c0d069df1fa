//! How zwave-js-ui spells names and command classes in topics (captures, section 4 and
//! `topic_sanitising.json`).

use crate::home::ids::CommandClass;

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
pub fn class_level(class: CommandClass) -> String {
    CLASS_NAMES
        .iter()
        .find(|(number, _)| *number == class.0)
        .map_or_else(
            || format!("unknownClass_{}", class.0),
            |(_, name)| (*name).to_owned(),
        )
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

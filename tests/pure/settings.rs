//! Settings that were written down wrongly: quoted, misspelt, or with control characters.

use std::time::Duration;

use zwave_mcp_server::cli::Options;
use zwave_mcp_server::cli::settings::{Settings, Sources, warn_of_misspelt};
use zwave_mcp_server::home::pattern::Pattern;

/// Resolves the settings with this environment, and without files.
fn resolve(env: &[(&str, &str)]) -> Result<Settings, String> {
    let env = |name: &str| {
        let found = env.iter().find(|(variable, _)| *variable == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let sources = Sources {
        env: &env,
        file: &|_| Err("there is none".to_owned()),
    };
    Settings::resolve(&Options::default(), &sources).map_err(|error| error.to_string())
}

#[test]
fn a_quoted_pattern_hides_and_guards_and_a_tilde_is_the_home_folder() {
    let env = [
        ("ZWAVE_HIDE", "\"kind:lock\", 'Attic'"),
        ("ZWAVE_GUARDED", " 'Barn/Auger, Attic' "),
        ("ZWAVE_LOG_FILE", "~/logs"),
        ("HOME", "/home/me"),
        ("ZWAVE_READ_ONLY", "\"1\""),
        ("ZWAVE_GATEWAY", "\"\""),
    ];
    let settings = resolve(&env).unwrap();
    let pattern = |text| Pattern::read(text).unwrap();
    assert_eq!(
        settings.house.exposure.hide,
        ["kind:lock", "Attic"].map(pattern)
    );
    let guarded = ["Barn/Auger", "Attic"].map(pattern);
    assert_eq!(settings.house.exposure.doors.guarded, guarded);
    let folder = settings.logs.files.map(|(folder, _)| folder);
    assert_eq!(folder, Some("/home/me/logs".into()));
    assert!(settings.policy.read_only && settings.house.rules.named.is_empty());
}

#[test]
fn quotes_that_are_no_pair_around_a_value_are_part_of_it() {
    for prefix in ["5\"", "\"", "it's", "\"a\" \"b\""] {
        assert_eq!(
            resolve(&[("MQTT_TOPIC_PREFIX", prefix)]).unwrap().house.rules.prefix,
            prefix
        );
    }
}

#[test]
fn the_error_for_a_wrong_setting_is_one_line_without_control_characters() {
    for (name, value) in [
        ("MQTT_TOPIC_PREFIX", "a\n\u{1b}[31m\u{202e}b/+"),
        ("ZWAVE_GATEWAY", "\u{1b}\u{202e}+"),
        ("ZWAVE_NAMES", "a\n\u{1b}[31m\u{202e}b/+"),
    ] {
        let text = resolve(&[(name, value)]).err().unwrap();
        let is_unsafe = |letter: char| letter.is_control() || letter == '\u{202e}';
        assert!(!text.contains(is_unsafe), "{text}");
    }
}

#[test]
fn the_warning_for_a_misspelt_setting_names_the_likely_one() {
    for (name, likely) in [
        ("ZWAVE_READONLY", Some("ZWAVE_READ_ONLY")),
        ("ZWAVE_HIDDEN", Some("ZWAVE_HIDE")),
        ("ZWAVE_GAURD", Some("ZWAVE_GUARD")),
        ("zwave_guard", Some("ZWAVE_GUARD")),
        ("MQTT_USER", Some("MQTT_USERNAME")),
        ("MQTT_PASSWROD", Some("MQTT_PASSWORD")),
        ("MQTT_BROKER", Some("MQTT_BROKER_URL")),
        ("ZWAVE_SOMETHING_ELSE", None),
    ] {
        let expected = match likely {
            Some(likely) => format!("{name} is not a setting; did you mean {likely}?"),
            None => format!("{name} is not a setting"),
        };
        assert_eq!(warn_of_misspelt([name.to_owned()]), [expected]);
    }
}

#[test]
fn settings_and_the_variables_of_other_programs_are_no_misspelt_settings() {
    let fine = "ZWAVE_READ_ONLY ZWAVE_MQTT_TOPIC MQTT_PASSWORD RUST_LOG RUST_LOGS MQTT_EXPORTER_INTERVAL HOME \
                ZWAVE_TEST_ALL MQTTX ä";
    assert!(warn_of_misspelt(fine.split(' ').map(str::to_owned)).is_empty());
}

#[test]
fn times_are_read_with_their_units() {
    let time = |text| {
        resolve(&[("ZWAVE_REPLY_TIMEOUT", text)]).map(|settings| settings.house.rules.reply_timeout)
    };
    for (text, milliseconds) in [("3s", 3000), ("500ms", 500), ("2.5", 2500)] {
        assert_eq!(time(text), Ok(Duration::from_millis(milliseconds)));
    }
    for wrong in ["-1s", "1e9", "NaN", "3 parsecs", "61s"] {
        assert!(time(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_variable_without_a_value_is_not_set() {
    let prefix = |text| resolve(&[("MQTT_TOPIC_PREFIX", text)]).unwrap().house.rules.prefix;
    assert_eq!(prefix(" "), "zwave");
    assert_eq!(prefix("${user_config.username}"), "zwave");
    assert_eq!(prefix("${HOME}"), "${HOME}");
    assert_eq!(prefix("0"), "0");
}

#[test]
fn levels_of_the_log_are_one_level_or_levels_by_module() {
    for (text, is_valid) in [
        ("debug", true),
        (" INFO ", true),
        ("info,rmcp=debug", true),
        ("loud", false),
        ("a=loud", false),
    ] {
        assert_eq!(resolve(&[("RUST_LOG", text)]).is_ok(), is_valid, "{text}");
    }
}

//! The settings, as they are resolved from options and variables, and as a host gets them.

use std::path::Path;

use zwave_mcp_server::cli::settings::for_hosts::HostSettings;
use zwave_mcp_server::cli::settings::{SettingError, Settings, Sources};
use zwave_mcp_server::cli::{Options, settings};
use zwave_mcp_server::gateway::mqtt::Broker;
use zwave_mcp_server::gateway::tls::Tls;

/// Resolves the settings with this environment. The only file is "pw".
fn resolve(options: &Options, env: &[(&str, &str)]) -> Result<Settings, SettingError> {
    let env = |name: &str| {
        let found = env.iter().find(|(variable, _)| *variable == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let file = |path: &str| match path {
        "pw" => Ok("from file\n".to_owned()),
        _ => Err("no such file".to_owned()),
    };
    Settings::resolve(
        options,
        &Sources {
            env: &env,
            file: &file,
        },
    )
}

/// Returns the error for a wrong setting in the environment.
fn error_of(env: &[(&str, &str)]) -> String {
    let error = resolve(&Options::default(), env).err().unwrap();
    error.to_string()
}

#[test]
fn the_topic_variable_of_the_older_node_server_is_read_too() {
    let settings = resolve(&Options::default(), &[("ZWAVE_MQTT_TOPIC", "home/zwave/")]);
    assert_eq!(settings.ok().unwrap().house.rules.prefix, "home/zwave");
}

#[test]
fn the_error_for_a_wrong_setting_names_the_setting_and_describes_valid_values() {
    for (name, value) in [
        ("MQTT_BROKER_URL", "localhost:1883"),
        ("MQTT_BROKER_URL", "http://me:secret@host"),
        ("MQTT_BROKER_URL", "me:secret@broker:1883"),
        ("MQTT_BROKER_URL", "mqtt//me:secret@broker"),
        ("MQTT_BROKER_URL", "mqtt://me:sec/secret@broker"),
        ("MQTT_BROKER_URL", "mqtt://me:sec secret@broker/x"),
        ("MQTT_BROKER_URL", "mqtt://me:secret@a,http://me:secret@b"),
        ("MQTT_BROKER_URL", "mqtt://a,mqtt://me:secret,ws://me:x@b"),
        ("MQTT_BROKER_URL", "mqtt://a,b"),
        ("MQTT_BROKER_URL", "mqtt://a:1883,b:1883"),
        ("MQTT_BROKER_URL", " , "),
        ("MQTT_BROKER_URL", "mqtt://host/?password=secret"),
        ("MQTT_BROKER_URL", "mqtt://me:x@host?password=secret"),
        ("MQTT_BROKER_URL", "mqtt://host/#secret"),
        ("MQTT_TOPIC_PREFIX", "zwave/#"),
        ("ZWAVE_GATEWAY", "home,#"),
        ("ZWAVE_GATEWAY", "+"),
        ("ZWAVE_GUARD", "maybe"),
        ("ZWAVE_CONFIRM_TOPIC", "house/+/ask"),
        ("ZWAVE_CONFIRM_TOPIC", "house/#"),
        ("ZWAVE_CONFIRM_TOPIC", "/"),
        ("ZWAVE_CONFIRM_TOPIC", "$SYS/ask"),
        ("ZWAVE_CONFIRM_TOPIC", "zwave"),
        ("ZWAVE_CONFIRM_TOPIC", "/zwave/ask"),
        ("ZWAVE_CONFIRM_BY", "phone"),
        ("ZWAVE_CONFIRM_BY", "topic"),
        ("ZWAVE_EXPOSE", "Kitchen,kind:spaceship"),
        ("ZWAVE_HIDE", "kind:"),
        ("ZWAVE_GUARDED", "kind:spaceship"),
        ("ZWAVE_UNGUARDED", "kind:"),
        ("ZWAVE_CONFIRM_TIMEOUT", "soon"),
        ("ZWAVE_REPLY_TIMEOUT", "2h"),
        ("ZWAVE_READ_ONLY", "perhaps"),
        ("RUST_LOG", "loud"),
        ("ZWAVE_LOG_DAYS", "0"),
        ("ZWAVE_LOG_DAYS", "a week"),
        ("MQTT_PASSWORD_FILE", "missing"),
    ] {
        let text = error_of(&[(name, value)]);
        assert!(text.starts_with(name), "{text}");
        assert!(text.contains("must be"), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
}

proptest::proptest! {
    #[test]
    fn reading_a_setting_never_panics_whatever_its_text(text in "\\PC{0,30}") {
        for name in ["MQTT_BROKER_URL", "MQTT_TOPIC_PREFIX", "ZWAVE_GATEWAY", "RUST_LOG",
            "ZWAVE_LOG_DAYS", "ZWAVE_GUARD", "ZWAVE_EXPOSE", "ZWAVE_HIDE", "ZWAVE_GUARDED", "ZWAVE_CONFIRM_TIMEOUT", "ZWAVE_DEMO"] {
            let _ = resolve(&Options::default(), &[(name, &text)]);
        }
    }
}

fn brokers_of(typed: &[&str], env: &[(&str, &str)]) -> Vec<Broker> {
    let none = Options::default();
    let options = typed.iter().fold(none, |options, text| options.with("--broker", *text));
    resolve(&options, env).ok().unwrap().brokers
}

fn broker_of(env: &[(&str, &str)]) -> Broker {
    let [broker] = <[_; 1]>::try_from(brokers_of(&[], env)).ok().unwrap();
    broker
}

fn urls(brokers: &[Broker]) -> Vec<String> {
    brokers.iter().map(|broker| broker.url(None)).collect()
}

#[test]
fn several_brokers_are_typed_one_by_one_or_with_commas() {
    let expected = ["mqtt://a:1883", "mqtts://b:8883", "mqtt://[::1]:1884"];
    let list = " mqtt://a,,mqtts://b , mqtt://a:1883,mqtt://[::1]:1884,";
    for brokers in [
        brokers_of(&["mqtt://a", "mqtts://b", "mqtt://[::1]:1884"], &[]),
        brokers_of(&["mqtt://a,mqtts://b", "mqtt://[::1]:1884"], &[]),
        brokers_of(&[], &[("MQTT_BROKER_URL", list)]),
        // The option replaces the variable's whole list.
        brokers_of(&[list], &[("MQTT_BROKER_URL", "mqtt://c")]),
    ] {
        assert_eq!(urls(&brokers), expected);
    }
}

#[test]
fn without_any_setting_the_broker_is_local() {
    let broker = broker_of(&[]);
    assert_eq!(broker.address(), "localhost:1883");
    assert!(broker.login.is_none());
}

#[test]
fn a_password_with_an_unencoded_hash_or_question_mark_is_rejected_and_hidden() {
    for address in ["mqtt://house:1234#x@broker", "mqtt://house:5678?x@broker"] {
        let error = error_of(&[("MQTT_BROKER_URL", address)]);
        assert!(error.contains("%23"), "{error}");
        let is_shown = error.contains("1234") || error.contains("5678");
        assert!(!is_shown, "{error}");
    }
}

#[test]
fn mqtts_means_port_8883_and_tls_with_the_given_files() {
    let broker = broker_of(&[("MQTT_BROKER_URL", "mqtts://broker")]);
    assert_eq!(broker.port, 8883);
    assert_eq!(broker.tls, Some(Tls::default()));
    let env = [
        ("MQTT_BROKER_URL", "mqtts://a:1234,mqtts://b:1234"),
        ("MQTT_CA_FILE", "/etc/ca.pem"),
        ("MQTT_CLIENT_CERT", "/etc/me.pem"),
        ("MQTT_CLIENT_KEY", "/etc/me.key"),
    ];
    let brokers = brokers_of(&[], &env);
    assert_eq!(urls(&brokers), ["mqtts://a:1234", "mqtts://b:1234"]);
    for broker in brokers {
        let tls = broker.tls.unwrap();
        assert_eq!(tls.ca_file, Some("/etc/ca.pem".into()));
        let key = Path::new("/etc/me.key");
        assert_eq!(tls.identity.unwrap().key, key);
    }
}

#[test]
fn contradictory_settings_are_rejected_without_showing_secrets() {
    let encrypted = ("MQTT_BROKER_URL", "mqtts://broker");
    for (env, right) in [
        (&[("MQTT_CA_FILE", "ca.pem")][..], "begins with mqtts://"),
        (
            &[
                ("MQTT_BROKER_URL", "mqtts://a,mqtt://b"),
                ("MQTT_CA_FILE", "ca.pem"),
            ],
            "begins with mqtts://",
        ),
        (&[encrypted, ("MQTT_CLIENT_CERT", "me.pem")], "--client-key"),
        (&[encrypted, ("MQTT_CLIENT_KEY", "me.key")], "--client-cert"),
        (&[("MQTT_BROKER_URL", "mqtts://[::1]")], "a host name"),
        (&[("MQTT_PASSWORD", "s3cret")], "MQTT_USERNAME"),
        (
            &[
                ("MQTT_BROKER_URL", "mqtt://a,mqtt://b"),
                ("MQTT_PASSWORD", "s3cret"),
            ],
            "MQTT_USERNAME",
        ),
        (
            &[("MQTT_BROKER_URL", "mqtt://:s3cret@broker")],
            "MQTT_USERNAME",
        ),
    ] {
        let error = error_of(env);
        assert!(error.contains(right), "{error}");
        assert!(!error.contains("s3cret"), "{error}");
    }
}

fn logins(env: &[(&str, &str)]) -> Vec<String> {
    let settings = resolve(&Options::default(), env).ok().unwrap();
    let logins = settings.brokers.into_iter().map(|broker| broker.login);
    let text = |(user, password)| format!("{user} {password}");
    logins.map(|login| login.map_or("nobody".to_owned(), text)).collect()
}

#[test]
fn user_and_password_come_from_the_url_the_environment_or_a_file() {
    let url = ("MQTT_BROKER_URL", "mqtt://me:p%40ss@broker");
    assert_eq!(logins(&[url]), ["me p@ss"]);
    let env = [url, ("MQTT_USERNAME", "you"), ("MQTT_PASSWORD", "other")];
    assert_eq!(logins(&env), ["you other"]);
    for path in ["pw", " pw\n"] {
        assert_eq!(
            logins(&[url, ("MQTT_PASSWORD_FILE", path)]),
            ["me from file"]
        );
    }
}

#[test]
fn with_several_brokers_the_login_in_an_address_overrides_the_shared_login() {
    let url = (
        "MQTT_BROKER_URL",
        "mqtt://a,mqtt://me:p,w@b,mqtt://you@c,mqtt://:x@d",
    );
    let (user, password) = (("MQTT_USERNAME", "house"), ("MQTT_PASSWORD", "shared"));
    let expected = ["house shared", "me p,w", "you shared", "house x"];
    assert_eq!(logins(&[url, user, password]), expected);
}

#[test]
fn shared_password_applies_only_to_brokers_with_a_user() {
    let url = ("MQTT_BROKER_URL", "mqtt://a,mqtt://you@b");
    let expected = ["nobody", "you shared"];
    assert_eq!(logins(&[url, ("MQTT_PASSWORD", "shared")]), expected);
}

fn host_settings(options: &Options, env: &[(&str, &str)]) -> HostSettings {
    let settings = resolve(options, env).ok().unwrap();
    let sources = Sources {
        env: &|name| {
            let found = env.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| (*value).to_owned())
        },
        file: &|_| Ok(String::new()),
    };
    HostSettings::new(&settings, options, &sources, Path::new("/home/me"))
}

fn variables(settings: &HostSettings) -> Vec<(&str, &str)> {
    let variables = settings.variables.iter();
    variables.map(|(name, text)| (name.as_str(), text.as_str())).collect()
}

#[test]
fn brokers_and_users_become_variables_without_the_password() {
    let brokers = |urls| ("MQTT_BROKER_URL", urls);
    let me = ("MQTT_USERNAME", "me");
    for (env, expected, needs_password) in [
        (vec![], vec![brokers("mqtt://localhost:1883")], false),
        (vec![me], vec![brokers("mqtt://localhost:1883"), me], true),
        (
            vec![brokers("mqtts://me:s3cret@broker")],
            vec![brokers("mqtts://broker:8883"), me],
            true,
        ),
        (
            vec![brokers("mqtt://a,mqtts://b"), me],
            vec![brokers("mqtt://a:1883,mqtts://b:8883"), me],
            true,
        ),
        // If the brokers have different users, the addresses contain the users.
        (
            vec![brokers("mqtt://a,mqtt://y%2Fou:s3cret@b")],
            vec![brokers("mqtt://a:1883,mqtt://y%2Fou@b:1883")],
            true,
        ),
    ] {
        let settings = host_settings(&Options::default(), &env);
        assert_eq!(variables(&settings), expected);
        assert_eq!(settings.needs_password, needs_password, "{settings:?}");
        assert!(settings.arguments.is_empty(), "{settings:?}");
        assert!(!format!("{settings:?}").contains("s3cret"));
        // With the password added, the settings are valid.
        let added = needs_password.then_some(("MQTT_PASSWORD", "s3cret"));
        let complete: Vec<_> = expected.into_iter().chain(added).collect();
        assert!(resolve(&Options::default(), &complete).is_ok());
    }
}

#[test]
fn files_have_absolute_paths() {
    let env = [
        ("MQTT_BROKER_URL", "mqtts://me@broker"),
        ("MQTT_PASSWORD_FILE", "pw"),
        ("MQTT_CA_FILE", "/etc/ca.pem"),
        ("MQTT_CLIENT_CERT", "me.pem"),
        ("MQTT_CLIENT_KEY", "me.key"),
        ("ZWAVE_LOG_FILE", "logs"),
    ];
    let settings = host_settings(&Options::default(), &env);
    let here = |file: &str| Path::new("/home/me").join(file).display().to_string();
    let [password, certificate, key, logs] = ["pw", "me.pem", "me.key", "logs"].map(here);
    let expected = [
        ("MQTT_PASSWORD_FILE", password.as_str()),
        ("MQTT_CA_FILE", "/etc/ca.pem"),
        ("MQTT_CLIENT_CERT", certificate.as_str()),
        ("MQTT_CLIENT_KEY", key.as_str()),
    ];
    assert_eq!(variables(&settings)[2..], expected);
    assert!(!settings.needs_password);
    assert_eq!(settings.arguments, [format!("--log-file={logs}")]);
}

#[test]
fn all_settings_that_are_not_for_brokers_become_arguments() {
    let options = Options::default().with("--hide", "kind:lock").with("--read-only", "1");
    let env = [
        ("ZWAVE_DEMO", "1"),
        ("ZWAVE_MQTT_TOPIC", "home/zwave/"),
        ("ZWAVE_GATEWAY", "Up, Down"),
        ("ZWAVE_HIDE", "Attic"),
        ("ZWAVE_EXPOSE", "Kitchen/*, Hall"),
        ("ZWAVE_REPLY_TIMEOUT", "2s"),
    ];
    let settings = host_settings(&options, &env);
    assert_eq!(variables(&settings), []);
    let expected = [
        "--prefix=home/zwave",
        "--gateway=Up",
        "--gateway=Down",
        "--read-only",
        "--expose=Kitchen/*",
        "--expose=Hall",
        "--hide=kind:lock",
        "--reply-timeout=2s",
        "--demo",
    ];
    assert_eq!(settings.arguments, expected);
}

/// Every setting, with two values. A flag has none: it is given or not.
const VALUES: [(&str, [&str; 2]); 25] = [
    ("--broker", ["mqtts://one", "mqtts://other"]),
    ("--username", ["me", "you"]),
    ("--password-file", ["pw", "pw2"]),
    ("--ca-file", ["a.pem", "b.pem"]),
    ("--client-cert", ["c.pem", "d.pem"]),
    ("--client-key", ["e.pem", "f.pem"]),
    ("--prefix", ["zwave", "home"]),
    ("--gateway", ["attic", "cellar"]),
    ("--read-only", ["", ""]),
    ("--expose", ["Kitchen/*", "Hall/*"]),
    ("--hide", ["kind:lock", "kind:fan"]),
    ("--guard", ["deny", "confirm"]),
    ("--confirm-topic", ["house/ask", "panel/ask"]),
    ("--confirm-by", ["topic", "host"]),
    ("--guarded", ["Barn/Auger", "Barn/Hoist"]),
    ("--unguarded", ["Gate", "Fence"]),
    ("--names", ["names", "names2"]),
    ("--room", ["Kitchen", "Hall"]),
    ("--structured", ["", ""]),
    ("--confirm-timeout", ["3s", "4s"]),
    ("--reply-timeout", ["3s", "4s"]),
    ("--log-level", ["info", "debug"]),
    ("--log-file", ["logs", "logs2"]),
    ("--log-days", ["7", "8"]),
    ("--demo", ["", ""]),
];

/// Resolves the first value of every setting, and describes the result. Of the setting `changed`, resolves the second
/// value, or gives the flag.
fn describe_with(changed: &str) -> String {
    let mut options = Options::default();
    for (option, [one, other]) in VALUES {
        let value = if option == changed { other } else { one };
        if !value.is_empty() {
            options = options.with(option, value);
        } else if option == changed {
            options = options.with(option, "1");
        }
    }
    let file = |path: &str| match path {
        "names" => Ok("[aliases]\n\"brewer\" = \"Coffee Machine\"\n".to_owned()),
        "names2" => Ok("[aliases]\n\"heater\" = \"Radiator\"\n".to_owned()),
        path => Ok(format!("password in {path}")),
    };
    let sources = Sources {
        env: &|_| None,
        file: &file,
    };
    let settings = Settings::resolve(&options, &sources);
    let settings = settings.unwrap_or_else(|error| panic!("{changed}: {error}"));
    let brokers = settings.brokers.iter();
    let brokers: Vec<_> =
        brokers.map(|broker| (broker.address(), &broker.login, &broker.tls)).collect();
    let (house, logs) = (&settings.house, &settings.logs);
    let rules = (
        &house.rules.prefix,
        &house.rules.named,
        house.rules.reply_timeout,
    );
    let logs = (logs.filter.to_string(), &logs.files);
    let house = (
        rules,
        &house.exposure,
        house.confirm_timeout,
        &house.question_topic,
    );
    format!(
        "{:?}",
        (
            brokers,
            house,
            settings.policy,
            logs,
            &settings.password_file
        )
    )
}

#[test]
fn every_setting_changes_what_is_resolved() {
    let rows: Vec<_> = VALUES.iter().map(|(option, _)| *option).collect();
    let options: Vec<_> = settings().iter().map(|setting| setting.option.as_str()).collect();
    assert_eq!(rows, options);
    let before = describe_with("");
    for option in rows {
        assert_ne!(describe_with(option), before, "nothing reads {option}");
    }
}

#[test]
fn people_are_asked_on_a_topic_outside_the_prefix() {
    let topic = |text| {
        let env = [
            ("ZWAVE_CONFIRM_TOPIC", text),
            ("MQTT_TOPIC_PREFIX", "home/zwave"),
        ];
        resolve(&Options::default(), &env).ok()?.house.question_topic
    };
    assert_eq!(topic("house/ask/").as_deref(), Some("house/ask"));
    assert_eq!(topic("home/zwave2").as_deref(), Some("home/zwave2"));
    for wrong in ["home/zwave/ask", "home/zwave/", "home/zwave"] {
        assert_eq!(topic(wrong), None, "{wrong}");
    }
}

#[test]
fn a_topic_on_which_nobody_is_ever_asked_is_a_warning() {
    let warnings = |env: &[(&str, &str)]| {
        let env = [&[("ZWAVE_CONFIRM_TOPIC", "house/ask")], env].concat();
        resolve(&Options::default(), &env).ok().unwrap().warnings()
    };
    assert_eq!(warnings(&[("ZWAVE_GUARD", "confirm")]), [""; 0]);
    assert!(warnings(&[])[0].contains("--confirm-topic does nothing"));
}

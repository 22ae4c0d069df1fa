//! The options and the environment, resolved once into typed settings.

use std::fmt;
use std::time::Duration;

use tracing_subscriber::filter::Targets;
use url::Url;

use super::Options;
use crate::home::guard::Guard;
use crate::logging;
use crate::mcp::Policy;

/// Everything the program needs to know.
pub struct Settings {
    /// Where the broker is; none with the demo house.
    pub broker: Option<BrokerSettings>,
    /// The prefix of every topic.
    pub prefix: String,
    /// The gateways to serve; empty for every one that is found.
    pub gateways: Vec<String>,
    /// What the owner of the house decided.
    pub policy: Policy,
    /// How long to look for proof.
    pub confirm_timeout: Duration,
    /// How long a gateway has to answer.
    pub reply_timeout: Duration,
    /// What to log.
    pub log: Targets,
}

/// Where the broker is, and who asks.
#[derive(Clone, PartialEq, Eq)]
pub struct BrokerSettings {
    /// Host name or address.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// User name and password.
    pub login: Option<(String, String)>,
}

impl BrokerSettings {
    /// Host and port, for people.
    pub fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// What must never be shown.
    pub fn secrets(&self) -> Vec<String> {
        let login = self.login.iter();
        login.map(|(_, password)| password.clone()).collect()
    }
}

/// A setting that is wrong.
#[derive(Debug, PartialEq, Eq)]
pub struct SettingError {
    /// What it is called where it was set.
    name: String,
    /// What it was set to, without user info.
    value: String,
    /// What would be right.
    right: String,
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, right } = self;
        write!(f, "{name} is \"{value}\"; it must be {right}")
    }
}

impl std::error::Error for SettingError {}

/// Where settings come from besides the options.
pub struct Sources<'a> {
    /// Reads an environment variable.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// Reads a file.
    pub file: &'a dyn Fn(&str) -> Result<String, String>,
}

/// A setting as it was found: what it is called there, and its text.
struct Found {
    name: String,
    text: String,
}

impl Found {
    fn wrong(&self, right: &str) -> SettingError {
        SettingError {
            name: self.name.clone(),
            value: shown(&self.text),
            right: right.to_owned(),
        }
    }
}

/// A setting as it may be shown: an address may have lost the form by which user info is known,
/// so everything before the last `@` goes.
fn shown(text: &str) -> String {
    match text.rsplit_once('@') {
        Some((_, rest)) => format!("***@{rest}"),
        None => text.to_owned(),
    }
}

impl Sources<'_> {
    /// An option, else the first of its environment variables that is set to something.
    fn find(&self, option: Option<&String>, flag: &str, variables: &[&str]) -> Option<Found> {
        if let Some(text) = option {
            return Some(Found {
                name: flag.to_owned(),
                text: text.clone(),
            });
        }
        variables.iter().find_map(|variable| {
            let text = (self.env)(variable)?;
            (!text.trim().is_empty()).then(|| Found {
                name: (*variable).to_owned(),
                text,
            })
        })
    }

    fn flag(&self, option: bool, variable: &str) -> Result<bool, SettingError> {
        if option {
            return Ok(true);
        }
        let Some(found) = self.find(None, "", &[variable]) else {
            return Ok(false);
        };
        match found.text.trim().to_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Ok(true),
            "0" | "false" | "no" | "off" => Ok(false),
            _ => Err(found.wrong("1 or 0")),
        }
    }

    fn time(
        &self,
        option: Option<&String>,
        flag: &str,
        variable: &str,
        default: Duration,
    ) -> Result<Duration, SettingError> {
        let Some(found) = self.find(option, flag, &[variable]) else {
            return Ok(default);
        };
        time(&found.text).ok_or_else(|| found.wrong("a time such as 3s or 500ms, at most 60s"))
    }
}

impl Settings {
    /// Puts the settings together, or names the first that is wrong.
    pub fn resolve(options: &Options, sources: &Sources) -> Result<Self, SettingError> {
        let demo = sources.flag(options.demo, "ZWAVE_DEMO")?;
        let prefix = match sources.find(
            options.prefix.as_ref(),
            "--prefix",
            &["MQTT_TOPIC_PREFIX", "ZWAVE_MQTT_TOPIC"],
        ) {
            Some(found) => prefix(&found)?,
            None => "zwave".to_owned(),
        };
        let log = match sources.find(options.log_level.as_ref(), "--log-level", &["RUST_LOG"]) {
            Some(found) => logging::filter(&found.text).ok_or_else(|| {
                found.wrong("error, warn, info, debug, trace, or levels such as info,rumqttc=debug")
            })?,
            None => logging::filter("info").unwrap_or_default(),
        };
        Ok(Self {
            broker: if demo {
                None
            } else {
                Some(broker(options, sources)?)
            },
            prefix,
            gateways: gateways(options, sources)?,
            policy: Policy {
                read_only: sources.flag(options.read_only, "ZWAVE_READ_ONLY")?,
                guard: guard(options, sources)?,
                structured: sources.flag(options.structured, "ZWAVE_STRUCTURED")?,
            },
            confirm_timeout: sources.time(
                options.confirm_timeout.as_ref(),
                "--confirm-timeout",
                "ZWAVE_CONFIRM_TIMEOUT",
                Duration::from_secs(3),
            )?,
            reply_timeout: sources.time(
                options.reply_timeout.as_ref(),
                "--reply-timeout",
                "ZWAVE_REPLY_TIMEOUT",
                Duration::from_secs(10),
            )?,
            log,
        })
    }
}

/// The gateways' names as they stand in topics, also where they were given with what stands before
/// them there.
fn gateways(options: &Options, sources: &Sources) -> Result<Vec<String>, SettingError> {
    let named = |name: &str, text: &str| Found {
        name: name.to_owned(),
        text: text.to_owned(),
    };
    let mut found: Vec<Found> = options
        .gateway
        .iter()
        .map(|one| named("--gateway", one))
        .collect();
    if found.is_empty()
        && let Some(list) = sources.find(None, "", &["ZWAVE_GATEWAY"])
    {
        let each = list.text.split(',').filter(|name| !name.trim().is_empty());
        found = each.map(|name| named(&list.name, name)).collect();
    }
    let all = found.iter().map(|found| {
        let name = found.text.trim();
        let name = name.strip_prefix("ZWAVE_GATEWAY-").unwrap_or(name);
        let plain = !name.is_empty() && !name.contains(['/', '+', '#', '\0']);
        plain
            .then(|| name.to_owned())
            .ok_or_else(|| found.wrong("the name of a gateway as in zwave-js-ui's MQTT settings"))
    });
    all.collect()
}

fn guard(options: &Options, sources: &Sources) -> Result<Guard, SettingError> {
    let Some(found) = sources.find(options.guard.as_ref(), "--guard", &["ZWAVE_GUARD"]) else {
        return Ok(Guard::default());
    };
    match found.text.trim().to_lowercase().as_str() {
        "deny" => Ok(Guard::Deny),
        "allow" => Ok(Guard::Allow),
        _ => Err(found.wrong("deny or allow")),
    }
}

fn prefix(found: &Found) -> Result<String, SettingError> {
    let prefix = found.text.trim().trim_end_matches('/');
    let plain = !prefix.is_empty() && !prefix.contains(['+', '#', '\0']);
    plain
        .then(|| prefix.to_owned())
        .ok_or_else(|| found.wrong("a topic such as zwave, without + and #"))
}

fn broker(options: &Options, sources: &Sources) -> Result<BrokerSettings, SettingError> {
    let found = sources
        .find(options.broker.as_ref(), "--broker", &["MQTT_BROKER_URL"])
        .unwrap_or(Found {
            name: "--broker".to_owned(),
            text: "mqtt://localhost:1883".to_owned(),
        });
    let wrong = || found.wrong("an address such as mqtt://localhost:1883");
    let url = Url::parse(found.text.trim()).map_err(|_| wrong())?;
    if !matches!(url.scheme(), "mqtt" | "tcp") {
        return Err(wrong());
    }
    let host = url.host_str().filter(|host| !host.is_empty());
    let host = host.ok_or_else(wrong)?;
    if !matches!(url.path(), "" | "/") {
        return Err(wrong());
    }
    let user = sources
        .find(options.username.as_ref(), "--username", &["MQTT_USERNAME"])
        .map(|found| found.text)
        .or_else(|| Some(decoded(url.username())).filter(|user| !user.is_empty()));
    let password = match password(options, sources)? {
        Some(password) => Some(password),
        None => url.password().map(decoded),
    };
    Ok(BrokerSettings {
        host: host.to_owned(),
        port: url.port().unwrap_or(1883),
        login: user.map(|user| (user, password.unwrap_or_default())),
    })
}

fn password(options: &Options, sources: &Sources) -> Result<Option<String>, SettingError> {
    let file = options.password_file.as_ref();
    if let Some(found) = sources.find(file, "--password-file", &["MQTT_PASSWORD_FILE"]) {
        let text = (sources.file)(&found.text)
            .map_err(|why| found.wrong(&format!("a file that can be read ({why})")))?;
        return Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()));
    }
    Ok(sources
        .find(None, "", &["MQTT_PASSWORD"])
        .map(|found| found.text))
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text)
        .decode_utf8_lossy()
        .into_owned()
}

/// A time: "3s", "500ms", "2.5s", "1m", or seconds without a unit. At most a minute.
fn time(text: &str) -> Option<Duration> {
    let text = text.trim();
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let number: f64 = digits.trim().parse().ok()?;
    let seconds = match text.get(digits.len()..)? {
        "ms" => number / 1000.0,
        "" | "s" => number,
        "m" | "min" => number * 60.0,
        _ => return None,
    };
    let time = Duration::try_from_secs_f64(seconds).ok()?;
    (time <= Duration::from_secs(60)).then_some(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(options: &Options, env: &[(&str, &str)]) -> Result<Settings, SettingError> {
        let env = |name: &str| {
            let found = env.iter().find(|(own, _)| *own == name);
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

    fn broker_of(env: &[(&str, &str)]) -> BrokerSettings {
        resolve(&Options::default(), env)
            .ok()
            .unwrap()
            .broker
            .unwrap()
    }

    #[test]
    fn without_any_setting_the_broker_is_local() {
        let broker = broker_of(&[]);
        assert_eq!(broker.address(), "localhost:1883");
        assert!(broker.login.is_none());
    }

    #[test]
    fn user_and_password_come_from_the_url_the_environment_or_a_file() {
        let url = ("MQTT_BROKER_URL", "mqtt://me:p%40ss@broker");
        assert_eq!(broker_of(&[url]).login, Some(("me".into(), "p@ss".into())));
        let env = [url, ("MQTT_USERNAME", "you"), ("MQTT_PASSWORD", "other")];
        assert_eq!(broker_of(&env).login, Some(("you".into(), "other".into())));
        let file = [url, ("MQTT_PASSWORD_FILE", "pw")];
        assert_eq!(
            broker_of(&file).login,
            Some(("me".into(), "from file".into()))
        );
    }

    #[test]
    fn the_variables_of_older_servers_are_read_too() {
        let settings = resolve(&Options::default(), &[("ZWAVE_MQTT_TOPIC", "home/zwave/")]);
        assert_eq!(settings.ok().unwrap().prefix, "home/zwave");
    }

    #[test]
    fn a_wrong_setting_is_named_with_its_value_and_what_would_be_right() {
        for (name, value) in [
            ("MQTT_BROKER_URL", "localhost:1883"),
            ("MQTT_BROKER_URL", "http://me:secret@host"),
            ("MQTT_BROKER_URL", "me:secret@broker:1883"),
            ("MQTT_BROKER_URL", "mqtt//me:secret@broker"),
            ("MQTT_BROKER_URL", "mqtt://me:sec/secret@broker"),
            ("MQTT_BROKER_URL", "mqtt://me:sec secret@broker/x"),
            ("MQTT_TOPIC_PREFIX", "zwave/#"),
            ("ZWAVE_GATEWAY", "home,#"),
            ("ZWAVE_GATEWAY", "a/b"),
            ("ZWAVE_GUARD", "maybe"),
            ("ZWAVE_CONFIRM_TIMEOUT", "soon"),
            ("ZWAVE_REPLY_TIMEOUT", "2h"),
            ("ZWAVE_READ_ONLY", "perhaps"),
            ("RUST_LOG", "loud"),
            ("MQTT_PASSWORD_FILE", "missing"),
        ] {
            let error = resolve(&Options::default(), &[(name, value)])
                .err()
                .unwrap();
            let text = error.to_string();
            assert!(text.starts_with(name), "{text}");
            assert!(text.contains("must be"), "{text}");
            assert!(!text.contains("secret"), "{text}");
        }
    }

    #[test]
    fn times_are_read_with_their_units() {
        assert_eq!(time("3s"), Some(Duration::from_secs(3)));
        assert_eq!(time("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(time("2.5"), Some(Duration::from_millis(2500)));
        for wrong in ["", "-1s", "1e9", "NaN", "3 parsecs", "61s"] {
            assert_eq!(time(wrong), None, "{wrong}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_breaks_any_setting(text in "\\PC{0,30}") {
            for name in ["MQTT_BROKER_URL", "MQTT_TOPIC_PREFIX", "ZWAVE_GATEWAY", "RUST_LOG",
                "ZWAVE_GUARD", "ZWAVE_CONFIRM_TIMEOUT", "ZWAVE_DEMO"] {
                let _ = resolve(&Options::default(), &[(name, &text)]);
            }
        }
    }
}

//! The options, each with its names on the command line and in the environment.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Args, Command, Error, ValueHint};

use crate::home::guard::Guard;

/// A setting's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The option, with its dashes.
    pub flag: &'static str,
    /// The environment variables; the first that is set counts.
    pub variables: &'static [&'static str],
}

const fn setting(flag: &'static str, variables: &'static [&'static str]) -> Setting {
    Setting { flag, variables }
}

pub const BROKER: Setting = setting("--broker", &["MQTT_BROKER_URL"]);
pub const USERNAME: Setting = setting("--username", &["MQTT_USERNAME"]);
pub const PASSWORD_FILE: Setting = setting("--password-file", &["MQTT_PASSWORD_FILE"]);
pub const CA_FILE: Setting = setting("--ca-file", &["MQTT_CA_FILE"]);
pub const CLIENT_CERT: Setting = setting("--client-cert", &["MQTT_CLIENT_CERT"]);
pub const CLIENT_KEY: Setting = setting("--client-key", &["MQTT_CLIENT_KEY"]);
/// The second variable is that of the older Node server (docs/HOSTS.md).
pub const PREFIX: Setting = setting("--prefix", &["MQTT_TOPIC_PREFIX", "ZWAVE_MQTT_TOPIC"]);
pub const GATEWAY: Setting = setting("--gateway", &["ZWAVE_GATEWAY"]);
pub const READ_ONLY: Setting = setting("--read-only", &["ZWAVE_READ_ONLY"]);
pub const EXPOSE: Setting = setting("--expose", &["ZWAVE_EXPOSE"]);
pub const HIDE: Setting = setting("--hide", &["ZWAVE_HIDE"]);
pub const GUARD: Setting = setting("--guard", &["ZWAVE_GUARD"]);
pub const GUARDED: Setting = setting("--guarded", &["ZWAVE_GUARDED"]);
pub const UNGUARDED: Setting = setting("--unguarded", &["ZWAVE_UNGUARDED"]);
pub const NAMES: Setting = setting("--names", &["ZWAVE_NAMES"]);
pub const STRUCTURED: Setting = setting("--structured", &["ZWAVE_STRUCTURED"]);
pub const CONFIRM_TIMEOUT: Setting = setting("--confirm-timeout", &["ZWAVE_CONFIRM_TIMEOUT"]);
pub const REPLY_TIMEOUT: Setting = setting("--reply-timeout", &["ZWAVE_REPLY_TIMEOUT"]);
pub const LOG_LEVEL: Setting = setting("--log-level", &["RUST_LOG"]);
pub const LOG_FILE: Setting = setting("--log-file", &["ZWAVE_LOG_FILE"]);
pub const LOG_DAYS: Setting = setting("--log-days", &["ZWAVE_LOG_DAYS"]);
pub const DEMO: Setting = setting("--demo", &["ZWAVE_DEMO"]);

/// The levels of `--log-level`.
const LEVELS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];

/// Everything that can be set. Each option overrides its environment variable.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Settings")]
pub struct Options {
    /// The MQTT broker's address, mqtt:// or mqtts://; may be repeated, for the brokers of a cluster [env: MQTT_BROKER_URL] [default: mqtt://localhost:1883]
    #[arg(long, global = true, value_name = "URL", value_hint = ValueHint::Url)]
    pub broker: Vec<String>,
    /// The MQTT user name [env: MQTT_USERNAME]; the password comes from MQTT_PASSWORD or a file
    #[arg(long, global = true, value_name = "NAME", value_hint = ValueHint::Other)]
    pub username: Option<String>,
    /// A file with the MQTT password [env: MQTT_PASSWORD_FILE]
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub password_file: Option<String>,
    /// The CA certificates (PEM) to trust, with mqtts:// [env: MQTT_CA_FILE] [default: the system's]
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub ca_file: Option<String>,
    /// A client certificate (PEM), with mqtts:// [env: MQTT_CLIENT_CERT]
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub client_cert: Option<String>,
    /// The client certificate's private key (PEM) [env: MQTT_CLIENT_KEY]
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub client_key: Option<String>,
    /// The topic prefix of zwave-js-ui [env: MQTT_TOPIC_PREFIX] [default: zwave]
    #[arg(long, global = true, value_name = "TOPIC", value_hint = ValueHint::Other, hide_short_help = true)]
    pub prefix: Option<String>,
    /// Serve only this gateway; may be repeated [env: ZWAVE_GATEWAY] [default: every one found]
    #[arg(long, global = true, value_name = "NAME", value_hint = ValueHint::Other, hide_short_help = true)]
    pub gateway: Vec<String>,
    /// Do not offer control_zwave_device at all [env: ZWAVE_READ_ONLY]
    #[arg(long, global = true)]
    pub read_only: bool,
    /// Offer only devices that match this pattern: ROOM, NAME, ROOM/NAME or kind:KIND, where * matches anything; may be repeated [env: ZWAVE_EXPOSE]
    #[arg(long, global = true, value_name = "PATTERN", value_hint = ValueHint::Other)]
    pub expose: Vec<String>,
    /// Never offer devices that match this pattern, even if they match --expose [env: ZWAVE_HIDE]
    #[arg(long, global = true, value_name = "PATTERN", value_hint = ValueHint::Other)]
    pub hide: Vec<String>,
    /// Commands that unlock locks, or open garage doors or gates: deny, confirm (ask a person) or allow [env: ZWAVE_GUARD] [default: deny]
    #[arg(long, global = true, value_name = "WHAT", value_parser = Suggested(Guard::ALL.map(Guard::name)), hide_possible_values = true)]
    pub guard: Option<String>,
    /// Also guard devices that match this pattern, such as relays that open something; may be repeated [env: ZWAVE_GUARDED]
    #[arg(long, global = true, value_name = "PATTERN", value_hint = ValueHint::Other, hide_short_help = true)]
    pub guarded: Vec<String>,
    /// Do not guard devices that match this pattern, if only their names sound like a door or gate [env: ZWAVE_UNGUARDED]
    #[arg(long, global = true, value_name = "PATTERN", value_hint = ValueHint::Other, hide_short_help = true)]
    pub unguarded: Vec<String>,
    /// A file that defines floors, and your own names for devices [env: ZWAVE_NAMES]
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub names: Option<String>,
    /// Add structured content to results [env: ZWAVE_STRUCTURED]
    #[arg(long, global = true, hide_short_help = true)]
    pub structured: bool,
    /// How long to wait for proof that a command took effect [env: ZWAVE_CONFIRM_TIMEOUT] [default: 3s]
    #[arg(long, global = true, value_name = "TIME", value_hint = ValueHint::Other, hide_short_help = true)]
    pub confirm_timeout: Option<String>,
    /// How long to wait for a gateway's answer [env: ZWAVE_REPLY_TIMEOUT] [default: 10s]
    #[arg(long, global = true, value_name = "TIME", value_hint = ValueHint::Other, hide_short_help = true)]
    pub reply_timeout: Option<String>,
    /// error, warn, info, debug or trace, or levels by module [env: RUST_LOG] [default: info]
    #[arg(long, global = true, value_name = "LEVEL", value_parser = Suggested(LEVELS), hide_possible_values = true, hide_short_help = true)]
    pub log_level: Option<String>,
    /// Also log into this folder, a file a day [env: ZWAVE_LOG_FILE]
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath, hide_short_help = true)]
    pub log_file: Option<String>,
    /// How many days of log files are kept [env: ZWAVE_LOG_DAYS] [default: 7]
    #[arg(long, global = true, value_name = "DAYS", value_hint = ValueHint::Other, hide_short_help = true)]
    pub log_days: Option<String>,
    /// Serve a simulated house; no broker is needed [env: ZWAVE_DEMO]
    #[arg(long, global = true)]
    pub demo: bool,
}

/// Lists the environment variables that the server reads.
#[cfg(feature = "assistant")]
pub fn variables() -> Vec<&'static str> {
    let options = Options::default();
    options
        .all()
        .into_iter()
        .map(|(setting, _)| setting)
        .flat_map(|setting| setting.variables)
        .copied()
        .chain(["MQTT_PASSWORD"])
        .collect()
}

/// Returns the environment variable for an option of the server, such as `--guard`.
#[cfg(feature = "assistant")]
pub fn variable_for(flag: &str) -> Option<&'static str> {
    let options = Options::default();
    let (setting, _) = options.all().into_iter().find(|(setting, _)| setting.flag == flag)?;
    setting.variables.first().copied()
}

/// The value of an option, as it was typed.
pub(super) enum Typed<'a> {
    Text(&'a Option<String>),
    /// The values of an option that may be repeated. Commas separate values too.
    List(&'a [String]),
    /// The values of an option that may be repeated. A comma may be part of a value.
    Addresses(&'a [String]),
    Flag(bool),
}

impl Options {
    /// Lists all options, in the order of [`arguments`](Self::arguments).
    pub(super) fn all(&self) -> [(Setting, Typed<'_>); 22] {
        use Typed::{Addresses, Flag, List, Text};
        [
            (USERNAME, Text(&self.username)),
            (PASSWORD_FILE, Text(&self.password_file)),
            (CA_FILE, Text(&self.ca_file)),
            (CLIENT_CERT, Text(&self.client_cert)),
            (CLIENT_KEY, Text(&self.client_key)),
            (PREFIX, Text(&self.prefix)),
            (GUARD, Text(&self.guard)),
            (NAMES, Text(&self.names)),
            (CONFIRM_TIMEOUT, Text(&self.confirm_timeout)),
            (REPLY_TIMEOUT, Text(&self.reply_timeout)),
            (LOG_LEVEL, Text(&self.log_level)),
            (LOG_FILE, Text(&self.log_file)),
            (LOG_DAYS, Text(&self.log_days)),
            (BROKER, Addresses(&self.broker)),
            (GATEWAY, List(&self.gateway)),
            (EXPOSE, List(&self.expose)),
            (HIDE, List(&self.hide)),
            (GUARDED, List(&self.guarded)),
            (UNGUARDED, List(&self.unguarded)),
            (READ_ONLY, Flag(self.read_only)),
            (STRUCTURED, Flag(self.structured)),
            (DEMO, Flag(self.demo)),
        ]
    }

    /// Returns the options as arguments, for the server that a command such as `list` spawns.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        for (Setting { flag, .. }, typed) in self.all() {
            let valued = |value: &String| format!("{flag}={value}");
            match typed {
                Typed::Text(text) => arguments.extend(text.iter().map(valued)),
                Typed::List(values) | Typed::Addresses(values) => {
                    arguments.extend(values.iter().map(valued));
                }
                Typed::Flag(set) => arguments.extend(set.then(|| flag.to_owned())),
            }
        }
        arguments
    }
}

/// Accepts any text, but offers only the given values in completions. The text is checked later, so that a
/// wrong value from the command line and one from the environment give the same error.
#[derive(Clone, Copy, Debug)]
pub struct Suggested<const N: usize>(pub [&'static str; N]);

impl<const N: usize> TypedValueParser for Suggested<N> {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        _: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        value
            .to_str()
            .map(str::to_owned)
            .ok_or_else(|| Error::new(ErrorKind::InvalidUtf8).with_cmd(command))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(
            self.0.iter().map(|value| PossibleValue::new(*value)),
        ))
    }
}

//! What each setting is called on the command line and in the environment.

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
/// The second variable is that of older servers.
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

//! Which house is served, and what its owner allows.

use super::super::Options;
use super::sources::{Found, SettingError, Sources};
use crate::home::doors::Doors;
use crate::home::exposure::Exposure;
use crate::home::guard::Guard;
use crate::home::pattern::{Pattern, RIGHT_PATTERN};
use crate::mcp::Policy;

/// zwave-js-ui's own prefix where nobody changed it.
pub(super) const DEFAULT_PREFIX: &str = "zwave";

/// The prefix of every topic, without a slash at its end.
pub(super) fn prefix(options: &Options, sources: &Sources) -> Result<String, SettingError> {
    let Some(found) = sources.find(
        options.prefix.as_ref(),
        "--prefix",
        &["MQTT_TOPIC_PREFIX", "ZWAVE_MQTT_TOPIC"],
    ) else {
        return Ok(DEFAULT_PREFIX.to_owned());
    };
    let prefix = found.text.trim().trim_end_matches('/');
    let plain = !prefix.is_empty() && !prefix.contains(['+', '#', '\0']);
    plain
        .then(|| prefix.to_owned())
        .ok_or_else(|| found.wrong("a topic such as zwave, without + and #"))
}

/// The gateways' names as they stand in topics, also where they were given with what stands before
/// them there.
pub(super) fn gateways(options: &Options, sources: &Sources) -> Result<Vec<String>, SettingError> {
    let found = sources.list(&options.gateway, "--gateway", "ZWAVE_GATEWAY");
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

/// What of the house may be seen, and what of it opens something.
pub(super) fn exposure(options: &Options, sources: &Sources) -> Result<Exposure, SettingError> {
    let patterns = |given: &[String], flag, variable| {
        let found = sources.list(given, flag, variable);
        let read =
            |found: &Found| Pattern::read(&found.text).ok_or_else(|| found.wrong(RIGHT_PATTERN));
        found.iter().map(read).collect::<Result<Vec<_>, _>>()
    };
    Ok(Exposure {
        expose: patterns(&options.expose, "--expose", "ZWAVE_EXPOSE")?,
        hide: patterns(&options.hide, "--hide", "ZWAVE_HIDE")?,
        doors: Doors {
            guarded: patterns(&options.guarded, "--guarded", "ZWAVE_GUARDED")?,
            unguarded: patterns(&options.unguarded, "--unguarded", "ZWAVE_UNGUARDED")?,
        },
    })
}

/// What the owner of the house decided about the tools.
pub(super) fn policy(options: &Options, sources: &Sources) -> Result<Policy, SettingError> {
    Ok(Policy {
        read_only: sources.flag(options.read_only, "ZWAVE_READ_ONLY")?,
        guard: guard(options, sources)?,
        structured: sources.flag(options.structured, "ZWAVE_STRUCTURED")?,
    })
}

fn guard(options: &Options, sources: &Sources) -> Result<Guard, SettingError> {
    let Some(found) = sources.find(options.guard.as_ref(), "--guard", &["ZWAVE_GUARD"]) else {
        return Ok(Guard::default());
    };
    match found.text.trim().to_lowercase().as_str() {
        "deny" => Ok(Guard::Deny),
        "confirm" => Ok(Guard::Confirm),
        "allow" => Ok(Guard::Allow),
        _ => Err(found.wrong("deny, confirm or allow")),
    }
}

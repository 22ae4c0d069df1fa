//! The settings of the house: which gateways are served, and what the owner allows.

use super::sources::{FoundSetting, GivenSettings, SettingError, Sources};
use crate::cli::options::{
    EXPOSE, GATEWAY, GUARD, GUARDED, HIDE, NAMES, PREFIX, READ_ONLY, STRUCTURED, Setting, UNGUARDED,
};
use crate::gateway::protocol::topics::sanitize;
use crate::home::doors::Doors;
use crate::home::exposure::Exposure;
use crate::home::guard::Guard;
use crate::home::own_words::OwnWords;
use crate::home::pattern::{PATTERN_FORMS, Pattern};
use crate::home::text;
use crate::mcp::Policy;

/// zwave-js-ui's default prefix.
pub(super) const DEFAULT_PREFIX: &str = "zwave";

/// Reads the topic prefix, without trailing slashes.
pub(super) fn read_prefix(given: &GivenSettings) -> Result<String, SettingError> {
    let Some(found) = given.first(PREFIX) else {
        return Ok(DEFAULT_PREFIX.to_owned());
    };
    let prefix = found.text.trim().trim_end_matches('/');
    let is_valid = !prefix.is_empty() && !prefix.contains(['+', '#', '\0']);
    is_valid
        .then(|| prefix.to_owned())
        .ok_or_else(|| found.setting_error("a topic such as zwave, without + and #"))
}

/// Reads the gateways' names, as in topics or as in zwave-js-ui's page.
pub(super) fn read_gateways(given: &GivenSettings) -> Result<Vec<String>, SettingError> {
    let names = given.list(GATEWAY).iter().map(|found| {
        let name = found.text.trim();
        let name = name.strip_prefix("ZWAVE_GATEWAY-").unwrap_or(name);
        let name = Some(sanitize(name)).filter(|name| !name.is_empty());
        name.ok_or_else(|| {
            found.setting_error(
                "the name of a gateway as in zwave-js-ui's MQTT settings, with a letter of A to Z or a digit",
            )
        })
    });
    names.collect()
}

/// Reads the file of names, and the patterns of exposed, hidden, guarded and unguarded devices.
pub(super) fn read_exposure(
    given: &GivenSettings,
    sources: &Sources,
) -> Result<Exposure, SettingError> {
    let patterns = |setting: Setting| {
        let read = |found: &FoundSetting| {
            Pattern::read(&found.text).ok_or_else(|| found.setting_error(PATTERN_FORMS))
        };
        given.list(setting).iter().map(read).collect::<Result<Vec<_>, _>>()
    };
    let own_words = given.first(NAMES).map(|found| {
        let file = (sources.file)(&found.text);
        file.and_then(|file| OwnWords::read(&file)).map_err(|why| {
            let why = text::reason(&why);
            found.setting_error(&format!("a file of aliases and floors ({why})"))
        })
    });
    Ok(Exposure {
        own_words: own_words.transpose()?.unwrap_or_default(),
        expose: patterns(EXPOSE)?,
        hide: patterns(HIDE)?,
        doors: Doors {
            guarded: patterns(GUARDED)?,
            unguarded: patterns(UNGUARDED)?,
        },
    })
}

pub(super) fn read_policy(given: &GivenSettings) -> Result<Policy, SettingError> {
    Ok(Policy {
        read_only: given.flag(READ_ONLY)?,
        guard: read_guard(given)?,
        structured: given.flag(STRUCTURED)?,
    })
}

fn read_guard(given: &GivenSettings) -> Result<Guard, SettingError> {
    let Some(found) = given.first(GUARD) else {
        return Ok(Guard::default());
    };
    let name = found.text.trim().to_lowercase();
    Guard::ALL
        .into_iter()
        .find(|guard| guard.name() == name)
        .ok_or_else(|| found.setting_error("deny, confirm or allow"))
}

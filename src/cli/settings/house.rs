//! The settings of the house: which gateways are served, and what the owner allows.

use super::sources::{FoundSetting, GivenSettings, SettingError, Sources};
use crate::gateway::protocol::topics::sanitize;
use crate::home::bounds;
use crate::home::doors::Doors;
use crate::home::exposure::Exposure;
use crate::home::guard::Guard;
use crate::home::own_words::OwnWords;
use crate::home::pattern::{PATTERN_FORMS, Pattern};
use crate::home::text;
use crate::mcp::{ConfirmBy, Policy};

/// Reads the topic prefix, without trailing slashes.
pub(super) fn read_prefix(given: &GivenSettings) -> Result<String, SettingError> {
    given.parse(
        "--prefix",
        "a topic such as zwave, without + and #",
        |text| {
            let prefix = text.trim_end_matches('/');
            let is_valid = !prefix.is_empty() && !prefix.contains(['+', '#', '\0']);
            is_valid.then(|| prefix.to_owned())
        },
    )
}

/// Reads the gateways' names, as in topics or as in zwave-js-ui's page.
pub(super) fn read_gateways(given: &GivenSettings) -> Result<Vec<String>, SettingError> {
    let names = given.list("--gateway").iter().map(|found| {
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
    let patterns = |option: &str| {
        let read = |found: &FoundSetting| {
            Pattern::read(&found.text).ok_or_else(|| found.setting_error(PATTERN_FORMS))
        };
        given.list(option).iter().map(read).collect::<Result<Vec<_>, _>>()
    };
    let own_words = given.first("--names").map(|found| {
        let file = (sources.file)(&found.text);
        file.and_then(|file| OwnWords::read(&file)).map_err(|why| {
            let why = text::reason(&why);
            found.setting_error(&format!("a file of aliases and floors ({why})"))
        })
    });
    Ok(Exposure {
        own_words: own_words.transpose()?.unwrap_or_default(),
        host_room: given.first("--room").map(|found| found.text.trim().to_owned()),
        expose: patterns("--expose")?,
        hide: patterns("--hide")?,
        doors: Doors {
            guarded: patterns("--guarded")?,
            unguarded: patterns("--unguarded")?,
        },
    })
}

pub(super) fn read_policy(given: &GivenSettings) -> Result<Policy, SettingError> {
    Ok(Policy {
        read_only: given.flag("--read-only")?,
        guard: given.parse("--guard", "deny, confirm or allow", |text| {
            let name = text.to_lowercase();
            Guard::ALL.into_iter().find(|guard| guard.name() == name)
        })?,
        confirm_by: read_confirm_by(given)?,
        structured: given.flag("--structured")?,
    })
}

/// Reads where people are asked. They can be asked on the topic only if there is one.
fn read_confirm_by(given: &GivenSettings) -> Result<Option<ConfirmBy>, SettingError> {
    let Some(found) = given.first("--confirm-by") else {
        return Ok(None);
    };
    let has_topic = given.first("--confirm-topic").is_some();
    match found.text.trim().to_lowercase().as_str() {
        "host" => Ok(Some(ConfirmBy::Host)),
        "topic" if has_topic => Ok(Some(ConfirmBy::Topic)),
        _ => Err(found.setting_error("host, or topic along with --confirm-topic")),
    }
}

/// Reads the topic of questions to people, without trailing slashes. Neither the topic nor that of the answers may be
/// under the prefix, because whoever may write there is no person.
pub(super) fn read_question_topic(
    given: &GivenSettings,
    prefix: &str,
) -> Result<Option<String>, SettingError> {
    let Some(found) = given.first("--confirm-topic") else {
        return Ok(None);
    };
    let topic = found.text.trim().trim_end_matches('/');
    let prefix = prefix.trim_start_matches('/');
    let is_outside = [topic, &format!("{topic}/answer")].into_iter().all(|topic| {
        let rest = topic.trim_start_matches('/').strip_prefix(prefix);
        rest.is_none_or(|rest| !rest.is_empty() && !rest.starts_with('/'))
    });
    let is_valid = !topic.trim_start_matches('/').is_empty()
        && !topic.starts_with('$')
        && !topic.contains(['+', '#', '\0'])
        && !bounds::is_too_long(topic);
    let right = format!("a topic such as house/ask, outside {prefix}, without + and #");
    let topic = (is_outside && is_valid).then(|| topic.to_owned());
    topic.map(Some).ok_or_else(|| found.setting_error(&right))
}

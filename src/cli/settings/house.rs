//! The settings of the house: which gateways are served, and what the owner allows.

use super::sources::{FoundSetting, GivenSettings, SettingError, Sources};
use crate::gateway::protocol::topics::{is_under, sanitize};
use crate::home::bounds;
use crate::home::doors::Doors;
use crate::home::exposure::Exposure;
use crate::home::guard::Guard;
use crate::home::own_words::OwnWords;
use crate::home::pattern::{PATTERN_FORMS, Pattern};
use crate::home::text;
use crate::mcp::Policy;

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
        structured: given.flag("--structured")?,
        ..Policy::default()
    })
}

/// Reads the topic of questions to people, without trailing slashes, and whether they are asked there even if the host
/// can ask. There is no topic if they are asked only at the host. Neither the topic nor that of the answers may be under
/// the prefix, because whoever may write there is no person.
pub(super) fn read_questions(
    given: &GivenSettings,
    prefix: &str,
) -> Result<(Option<String>, bool), SettingError> {
    let topic = given.first("--confirm-topic").map(|found| {
        let topic = found.text.trim().trim_end_matches('/');
        let is_valid = !topic.trim_start_matches('/').is_empty()
            && !topic.starts_with('$')
            && !topic.contains(['+', '#', '\0'])
            && !bounds::is_too_long(topic);
        let mut topics = [topic.to_owned(), format!("{topic}/answer")].into_iter();
        let is_valid = is_valid && !topics.any(|topic| is_under(prefix, &topic));
        let right = format!("a topic such as house/ask, outside {prefix}, without + and #");
        is_valid.then(|| topic.to_owned()).ok_or_else(|| found.setting_error(&right))
    });
    let topic = topic.transpose()?;
    let by = given.value("--confirm-by");
    match by.text.trim().to_lowercase().as_str() {
        "" => Ok((topic, false)),
        "host" => Ok((None, false)),
        "topic" if topic.is_some() => Ok((topic, true)),
        _ => Err(by.setting_error("host, or topic along with --confirm-topic")),
    }
}

//! Names that every interface accepts, and the way back to the original ones.
//!
//! OpenAI and Anthropic want names of tools to match `^[a-zA-Z0-9_-]{1,64}$`, and Anthropic wants keys
//! of properties to match `^[a-zA-Z0-9_.-]{1,64}$`; for a single other name they refuse the whole
//! request. The offered name depends on the original name alone, so it is the same for every interface,
//! whatever else is offered.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value as Json};

use crate::client::tool::Tool;

/// The longest name that is accepted, in characters.
const MAX_LENGTH: usize = 64;

/// The number of digits that tell names apart that differ only in refused characters.
const DIGITS: usize = 8;

/// Returns the name under which a tool is offered: its own if that is accepted, or else one with only
/// accepted letters and a checksum: `files/read` is `files_read_` and eight digits. The
/// [manager](crate::client::ToolManager) finds a tool by either.
pub fn offered_name(name: &str) -> Cow<'_, str> {
    to_accepted(name, |_| false)
}

/// Returns the key under which a property is offered. It may have dots.
pub(super) fn offered_key(key: &str) -> Cow<'_, str> {
    to_accepted(key, |letter| letter == '.')
}

/// Renames a model's arguments to the tool's own names, at any depth, if properties are offered under
/// others.
pub fn own_arguments(tool: &Tool, arguments: Map<String, Json>) -> Map<String, Json> {
    let mut own_keys = HashMap::new();
    tool.input_schema
        .iter()
        .for_each(|(keyword, value)| collect_keys(keyword, value, &mut own_keys));
    if own_keys.is_empty() {
        return arguments;
    }
    rename_keys(arguments, &own_keys)
}

/// Collects the keys that are offered under another name, by that name.
fn collect_keys<'a>(keyword: &str, value: &'a Json, own_keys: &mut HashMap<String, &'a str>) {
    match value {
        Json::Object(fields) => {
            for (name, value) in fields {
                if keyword == "properties"
                    && let Cow::Owned(offered) = offered_key(name)
                {
                    own_keys.insert(offered, name);
                }
                collect_keys(name, value, own_keys);
            }
        }
        Json::Array(items) => items.iter().for_each(|item| collect_keys("", item, own_keys)),
        _ => {}
    }
}

fn rename_keys(
    arguments: Map<String, Json>,
    own_keys: &HashMap<String, &str>,
) -> Map<String, Json> {
    let sent: Vec<String> = arguments.keys().cloned().collect();
    let renamed = arguments.into_iter().map(|(name, value)| {
        let own_name = own_keys
            .get(&name)
            .filter(|key| !sent.iter().any(|sent| sent == *key))
            .map_or(name, |key| (*key).to_owned());
        (own_name, rename_inside(value, own_keys))
    });
    renamed.collect()
}

fn rename_inside(value: Json, own_keys: &HashMap<String, &str>) -> Json {
    match value {
        Json::Object(fields) => rename_keys(fields, own_keys).into(),
        Json::Array(items) => items.into_iter().map(|item| rename_inside(item, own_keys)).collect(),
        value => value,
    }
}

fn to_accepted(name: &str, also: fn(char) -> bool) -> Cow<'_, str> {
    let fits = |letter: char| {
        letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-') || also(letter)
    };
    let accepted = (1..=MAX_LENGTH).contains(&name.len()) && name.chars().all(fits);
    // A name that looks like one made here gets a checksum, too: it could be that of another tool.
    if accepted && !ends_like_checksum(name) {
        return Cow::Borrowed(name);
    }
    let start: String = name
        .chars()
        .take(MAX_LENGTH - DIGITS - 1)
        .map(|letter| if fits(letter) { letter } else { '_' })
        .collect();
    Cow::Owned(format!("{start}_{:08x}", checksum(name)))
}

fn ends_like_checksum(name: &str) -> bool {
    let digits = name.rsplit_once('_').map_or("", |(_, digits)| digits);
    let is_digit = |digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
    digits.len() == DIGITS && digits.bytes().all(is_digit)
}

/// FNV-1a, in 32 bits.
fn checksum(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |sum: u32, byte| {
        (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

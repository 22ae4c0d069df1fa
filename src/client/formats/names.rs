//! Names of tools and properties that every API accepts, and the mapping back to the original names.
//!
//! OpenAI and Anthropic require tool names to match `^[a-zA-Z0-9_-]{1,64}$`, and Anthropic requires property
//! keys to match `^[a-zA-Z0-9_.-]{1,64}$`. If a single name does not match, the API rejects the whole request.
//! The offered name depends only on the original name, and not on the API or the other tools.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value as Json};

use crate::client::tool::Tool;

/// The maximum length of an accepted name, in characters.
const MAX_LENGTH: usize = 64;

/// The number of checksum digits. The checksum distinguishes names that differ only in rejected characters.
const CHECKSUM_DIGITS: usize = 8;

/// Returns the name under which a tool is offered: usually the tool's own name. If an API would reject this
/// name, `_` replaces each rejected character, and a checksum follows. So `files/read` becomes `files_read_`
/// followed by eight digits. The [manager](crate::client::ToolManager) finds a tool by either name.
pub fn offered_name(name: &str) -> Cow<'_, str> {
    to_accepted(name, |_| false)
}

/// Returns the key under which a property is offered. Unlike a tool's name, a key may contain dots.
pub(super) fn offered_key(key: &str) -> Cow<'_, str> {
    to_accepted(key, |character| character == '.')
}

/// Turns the offered keys in a model's arguments back into the tool's own keys, at any depth.
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

/// Adds to `own_keys` each offered key that differs from the property's own key. `value` is the part of a
/// schema under the key `keyword`. The keys of `value` are property keys only if `keyword` is `properties`.
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
    let sent_keys: Vec<String> = arguments.keys().cloned().collect();
    let renamed = arguments.into_iter().map(|(name, value)| {
        // If the model sent both the offered and the own key of a property, neither is renamed, because one
        // argument would overwrite the other.
        let own_name = own_keys
            .get(&name)
            .filter(|key| !sent_keys.iter().any(|sent| sent == *key))
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

/// Returns an accepted name unchanged, unless it ends like a checksum. In all other cases, replaces rejected
/// characters and appends a checksum. `is_also_allowed` accepts characters other than letters, digits, `_`
/// and `-`.
fn to_accepted(name: &str, is_also_allowed: fn(char) -> bool) -> Cow<'_, str> {
    let fits = |character: char| {
        character.is_ascii_alphanumeric()
            || matches!(character, '_' | '-')
            || is_also_allowed(character)
    };
    let is_accepted = (1..=MAX_LENGTH).contains(&name.len()) && name.chars().all(fits);
    // If a name ends like a checksum, it could equal another tool's offered name, so a checksum is appended.
    if is_accepted && !ends_like_checksum(name) {
        return Cow::Borrowed(name);
    }
    let start: String = name
        .chars()
        .take(MAX_LENGTH - CHECKSUM_DIGITS - 1)
        .map(|character| if fits(character) { character } else { '_' })
        .collect();
    Cow::Owned(format!("{start}_{:08x}", checksum(name)))
}

fn ends_like_checksum(name: &str) -> bool {
    let digits = name.rsplit_once('_').map_or("", |(_, digits)| digits);
    let is_digit = |digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
    digits.len() == CHECKSUM_DIGITS && digits.bytes().all(is_digit)
}

/// Computes the 32-bit FNV-1a hash.
fn checksum(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |sum: u32, byte| {
        (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

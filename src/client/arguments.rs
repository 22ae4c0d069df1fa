//! Argument names that models get wrong, corrected if there is no doubt.
//!
//! Frameworks are not the cause: with `langchain-mcp-adapters` 0.3 and `@langchain/mcp-adapters` 1.1 a
//! tool is called with the very names of its schema. Small models are: they write `device_name` where the
//! schema says `deviceName`. Only the arguments of servers' tools are corrected; a host's own tools get
//! what was sent.

use serde_json::{Map, Value as Json};
use tracing::info;

use super::tool::Tool;

/// Names that models write, and those that they mean.
const MEANT: [(&str, &str); 3] = [
    ("device_name", "deviceName"),
    ("command", "action"),
    ("brightness", "level"),
];

/// Renames arguments to the names of the tool's schema.
///
/// A name is changed only if the schema does not know it, knows the other, and the other was not sent. The
/// table comes first, then `snake_case` is tried as `camelCase`. Every change is logged as
/// `{before} → {after}`.
pub fn normalized(tool: &Tool, arguments: Map<String, Json>) -> Map<String, Json> {
    let is_known = |name: &str| tool.parameters().any(|known| known == name);
    let mut taken: Vec<String> = arguments.keys().cloned().collect();
    let renamed = arguments.into_iter().map(|(before, value)| {
        if is_known(&before) {
            return (before, value);
        }
        let meant = MEANT.iter().find(|(name, _)| *name == before);
        let meant = meant.map(|(_, meant)| (*meant).to_owned());
        let after = [meant, camel_case(&before)]
            .into_iter()
            .flatten()
            .find(|after| is_known(after) && !taken.contains(after));
        let Some(after) = after else {
            return (before, value);
        };
        info!(tool = tool.name, "{before} → {after}");
        taken.push(after.clone());
        (after, value)
    });
    renamed.collect()
}

/// Writes `snake_case` as `camelCase`; returns none if it is the same.
fn camel_case(name: &str) -> Option<String> {
    let mut words = name.split('_').filter(|word| !word.is_empty());
    let mut camel = words.next()?.to_owned();
    for word in words {
        let mut letters = word.chars();
        camel.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        camel.push_str(letters.as_str());
    }
    Some(camel).filter(|camel| camel != name)
}

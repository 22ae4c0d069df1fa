//! Writes the values of an entry in the entry's language. Strings are quoted as in JSON, which is valid in all.

use serde_json::Value as Json;

use super::hosts::EntryFormat;

/// Replaces each `{name}` in a template by the value with this name. Values are not searched for names.
pub(super) fn fill(template: &str, values: &[(&str, Json)], format: EntryFormat) -> String {
    let (mut text, mut rest) = (String::new(), template);
    while let Some((before, after)) = rest.split_once('{') {
        text += before;
        let value = values.iter().find_map(|(name, value)| {
            let after = after.strip_prefix(name)?.strip_prefix('}')?;
            Some((value, after))
        });
        if let Some((value, after)) = value {
            let line = text.rsplit('\n').next().unwrap_or_default();
            let indent = " ".repeat(line.len() - line.trim_start().len());
            text += &write(value, format, &indent);
            rest = after;
        } else {
            text.push('{');
            rest = after;
        }
    }
    text + rest
}

/// Writes a string, a list of strings, or an object of strings, in a line that begins with `indent`.
fn write(value: &Json, format: EntryFormat, indent: &str) -> String {
    match (format, value) {
        (EntryFormat::Json | EntryFormat::Shell, _) => {
            format!("{value:#}").replace('\n', &format!("\n{indent}"))
        }
        // In YAML, fields stand on lines of their own.
        (EntryFormat::Yaml, Json::Object(fields)) if fields.is_empty() => " {}".to_owned(),
        (EntryFormat::Yaml, Json::Object(fields)) => {
            let lines = fields.iter().map(|(key, value)| format!("\n{indent}  {key}: {value}"));
            lines.collect::<Vec<_>>().concat()
        }
        (EntryFormat::Toml, Json::Object(fields)) if !fields.is_empty() => {
            let fields = fields.iter().map(|(key, value)| format!("{key} = {value}"));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        (_, Json::Array(items)) => {
            let items: Vec<String> = items.iter().map(Json::to_string).collect();
            format!("[{}]", items.join(", "))
        }
        (_, value) => value.to_string(),
    }
}

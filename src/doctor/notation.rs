//! Writes a document as YAML or TOML, for hosts that don't read JSON.
//!
//! Strings are quoted as in JSON, which is valid in both. Supports only what entries for hosts contain:
//! strings, booleans, tables, lists of strings, and lists of tables.

use serde_json::{Map, Value as Json};

/// Writes a document as block-style YAML.
pub(super) fn to_yaml(document: &Json) -> String {
    let mut lines = Vec::new();
    add_yaml(document, "", &mut lines);
    lines.join("\n")
}

fn add_yaml(value: &Json, indent: &str, lines: &mut Vec<String>) {
    let deeper = format!("{indent}  ");
    match value {
        Json::Object(fields) => {
            for (key, value) in fields {
                if is_block(value) {
                    lines.push(format!("{indent}{key}:"));
                    add_yaml(value, &deeper, lines);
                } else {
                    lines.push(format!("{indent}{key}: {}", inline(value, ": ")));
                }
            }
        }
        Json::Array(items) => {
            for item in items {
                let start = lines.len();
                add_yaml(item, &deeper, lines);
                // In an item's first line, a dash and a space replace the last two spaces of indentation.
                if let Some(first) = lines.get_mut(start) {
                    *first = format!("{indent}- {}", first.trim_start());
                }
            }
        }
        scalar => lines.push(format!("{indent}{scalar}")),
    }
}

/// Returns true if a value is written on lines of its own: in YAML below its key, in TOML below its header.
fn is_block(value: &Json) -> bool {
    match value {
        Json::Object(fields) => !fields.is_empty(),
        Json::Array(items) => items.iter().any(Json::is_object),
        _ => false,
    }
}

/// Writes a document as TOML. Tables that contain only tables or lists of tables get no header.
pub(super) fn to_toml(document: &Json) -> String {
    let mut lines = Vec::new();
    add_toml(document, "", &mut lines);
    lines.join("\n")
}

fn add_toml(value: &Json, path: &str, lines: &mut Vec<String>) {
    match value {
        Json::Object(fields) if fields.values().all(is_block) => {
            for (key, value) in fields {
                let dot = if path.is_empty() { "" } else { "." };
                add_toml(value, &format!("{path}{dot}{key}"), lines);
            }
        }
        Json::Object(fields) => {
            lines.push(format!("[{path}]"));
            add_toml_fields(fields, lines);
        }
        Json::Array(items) => {
            for fields in items.iter().filter_map(Json::as_object) {
                lines.push(format!("[[{path}]]"));
                add_toml_fields(fields, lines);
            }
        }
        _ => {}
    }
}

fn add_toml_fields(fields: &Map<String, Json>, lines: &mut Vec<String>) {
    lines.extend(fields.iter().map(|(key, value)| format!("{key} = {}", inline(value, " = "))));
}

/// Writes a value on one line, with `separator` between each key and its value.
fn inline(value: &Json, separator: &str) -> String {
    match value {
        Json::Object(fields) if !fields.is_empty() => {
            let fields = fields
                .iter()
                .map(|(key, value)| format!("{key}{separator}{}", inline(value, separator)));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        Json::Object(_) => "{}".to_owned(),
        Json::Array(items) => {
            let items = items.iter().map(|item| inline(item, separator));
            format!("[{}]", items.collect::<Vec<_>>().join(", "))
        }
        scalar => scalar.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document() -> Json {
        json!({ "servers": { "zwave": {
            "command": "C:\\my tools\\server.exe",
            "args": ["--hide=Attic/*", "--names=\"my\" file: #1"],
            "env": { "MQTT_BROKER_URL": "mqtt://pi", "EMPTY": "" },
            "enabled": true,
            "nothing": {},
        }}})
    }

    #[test]
    fn yaml_has_a_line_for_each_field() {
        let expected = r#"servers:
  zwave:
    command: "C:\\my tools\\server.exe"
    args: ["--hide=Attic/*", "--names=\"my\" file: #1"]
    env:
      MQTT_BROKER_URL: "mqtt://pi"
      EMPTY: ""
    enabled: true
    nothing: {}"#;
        assert_eq!(to_yaml(&document()), expected);
        let listed = json!({ "servers": [{ "name": "a", "args": [] }, { "name": "b", "env": { "X": "1" } }] });
        let expected = r#"servers:
  - name: "a"
    args: []
  - name: "b"
    env:
      X: "1""#;
        assert_eq!(to_yaml(&listed), expected);
    }

    #[test]
    fn toml_is_read_back_unchanged() {
        let text = to_toml(&document());
        assert!(text.starts_with("[servers.zwave]\ncommand = "), "{text}");
        assert_eq!(toml::from_str::<Json>(&text).unwrap(), document());
        let listed = json!({ "servers": [document(), { "name": "b", "args": [] }] });
        let text = to_toml(&listed);
        assert_eq!(toml::from_str::<Json>(&text).unwrap(), listed, "{text}");
    }
}

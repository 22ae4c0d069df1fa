//! Notes in a description: sentences for the keywords that a reduced schema can't have, such as `minimum`.

use serde_json::{Map, Value as Json, json};

use crate::client::cut::shorten;

/// Sentences to append to a description.
#[derive(Default)]
pub(crate) struct Notes(Vec<String>);

/// The maximum length of quoted JSON, in characters.
const MAX_QUOTED_CHARS: usize = 200;

/// The maximum length of a sentence, or of a text in a schema, in bytes.
pub(crate) const MAX_TEXT: usize = 2 * 1024;

/// The maximum number of sentences that [`Notes::add`] accepts.
const MAX_SENTENCES: usize = 100;

/// Keywords whose values are noted as they are, each with the words to put before the value.
const NOTED_KEYWORDS: [(&str, &str); 10] = [
    ("default", "Default"),
    ("examples", "Examples"),
    ("example", "Example"),
    ("format", "Format"),
    ("pattern", "Pattern"),
    ("multipleOf", "A multiple of"),
    ("minLength", "Characters at least"),
    ("maxLength", "Characters at most"),
    ("minItems", "Items at least"),
    ("maxItems", "Items at most"),
];

/// Keywords whose values are quoted as JSON, because they are too complex for a few words.
const QUOTED_KEYWORDS: [&str; 8] = [
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "contains",
];

impl Notes {
    /// Adds a sentence, which must not end with a full stop. Ignores duplicates. Once there are
    /// [`MAX_SENTENCES`], ignores every further sentence.
    pub(crate) fn add(&mut self, sentence: impl Into<String>) {
        let sentence = shorten(sentence.into(), MAX_TEXT);
        if !sentence.is_empty() && self.0.len() < MAX_SENTENCES && !self.0.contains(&sentence) {
            self.0.push(sentence);
        }
    }

    /// Puts a sentence before all others, even if there are already [`MAX_SENTENCES`].
    pub(crate) fn add_first(&mut self, sentence: String) {
        self.0.insert(0, shorten(sentence, MAX_TEXT));
    }

    /// Returns the description, followed by every sentence.
    pub(crate) fn append_to(&self, description: &str) -> String {
        let mut text = description.trim().to_owned();
        for sentence in &self.0 {
            if !text.is_empty() {
                text.push_str(if text.ends_with(['.', '!', '?', ':']) {
                    " "
                } else {
                    ". "
                });
            }
            text.push_str(sentence);
        }
        if !self.0.is_empty() {
            text.push('.');
        }
        text
    }

    /// Adds a sentence, such as "From 0 to 99", for each keyword that a reduced schema can't have.
    pub(crate) fn add_keywords(&mut self, schema: &Map<String, Json>) {
        self.add_range(schema);
        for (keyword, words) in NOTED_KEYWORDS {
            match schema.get(keyword) {
                None | Some(Json::Null) => {}
                Some(value) => self.add(format!("{words} {}", plain_text(value))),
            }
        }
        for (keyword, words) in [
            ("uniqueItems", "No item twice"),
            ("nullable", "May be null"),
        ] {
            if schema.get(keyword) == Some(&true.into()) {
                self.add(words);
            }
        }
        let value_schema = schema.get("additionalProperties").filter(|value| value.is_object());
        if let Some(value_schema) = value_schema.filter(|value| **value != json!({})) {
            let quoted = quote(value_schema);
            self.add(format!(
                "Other names are allowed, each with a value of {quoted}"
            ));
        }
        for keyword in QUOTED_KEYWORDS {
            if let Some(value) = schema.get(keyword) {
                self.add(format!("Rule \"{keyword}\": {}", quote(value)));
            }
        }
    }

    fn add_range(&mut self, schema: &Map<String, Json>) {
        let bound = |name: &str| schema.get(name).filter(|bound| bound.is_number());
        match (bound("minimum"), bound("maximum")) {
            (Some(least), Some(most)) => self.add(format!("From {least} to {most}")),
            (Some(least), None) => self.add(format!("At least {least}")),
            (None, Some(most)) => self.add(format!("At most {most}")),
            (None, None) => {}
        }
        if let Some(least) = bound("exclusiveMinimum") {
            self.add(format!("More than {least}"));
        }
        if let Some(most) = bound("exclusiveMaximum") {
            self.add(format!("Less than {most}"));
        }
    }
}

/// Formats a value for people: a text without quotes, a list with commas.
pub(crate) fn plain_text(value: &Json) -> String {
    match value {
        Json::String(text) if text.is_empty() => "\"\"".to_owned(),
        Json::String(text) => text.clone(),
        Json::Array(items) if !items.is_empty() => {
            items.iter().map(plain_text).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

fn quote(value: &Json) -> String {
    value.to_string().chars().take(MAX_QUOTED_CHARS).collect()
}

//! References inside a schema, replaced by what they point to.

use serde_json::{Map, Value as Json};

/// How deep references are followed; a schema that holds itself ends here.
const DEEPEST: usize = 6;

/// Where references lead, and how many were followed.
#[derive(Clone, Copy)]
pub(super) struct Refs<'a> {
    root: &'a Map<String, Json>,
    depth: usize,
}

impl<'a> Refs<'a> {
    pub(super) fn new(root: &'a Map<String, Json>) -> Self {
        Self { root, depth: 0 }
    }

    /// The schema with what its reference points to merged in; what stands beside the reference
    /// wins. Tells where references inside it lead on from.
    pub(super) fn resolved(self, schema: &Map<String, Json>) -> (Self, Map<String, Json>) {
        let mut refs = self;
        let mut schema = schema.clone();
        while let Some(reference) = schema
            .remove("$ref")
            .or_else(|| schema.remove("$dynamicRef"))
        {
            refs.depth += 1;
            let target = reference.as_str().and_then(|path| refs.target(path));
            match target {
                Some(Json::Object(target)) if refs.depth <= DEEPEST => {
                    for (keyword, value) in target {
                        schema
                            .entry(keyword.clone())
                            .or_insert_with(|| value.clone());
                    }
                }
                _ => {
                    let name = reference.as_str().and_then(|path| path.rsplit('/').next());
                    let name = name.unwrap_or("value").to_owned();
                    schema.entry("type").or_insert_with(|| "object".into());
                    schema.entry("description").or_insert_with(|| name.into());
                }
            }
        }
        (refs, schema)
    }

    /// What a reference inside the schema points to.
    pub(super) fn target(self, path: &str) -> Option<&'a Json> {
        let pointer = path.strip_prefix('#')?;
        let steps = pointer.strip_prefix('/')?;
        let (first, rest) = steps.split_once('/').unwrap_or((steps, ""));
        let start = self.root.get(first)?;
        if rest.is_empty() {
            return Some(start);
        }
        start.pointer(&format!("/{rest}"))
    }
}

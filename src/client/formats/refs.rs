//! Replaces the references (`$ref`) inside a schema by their targets, and limits how much of a schema is read
//! and written.

use std::cell::Cell;

use serde_json::{Map, Value as Json};

use crate::json::length;

/// The maximum number of nested references. A schema that contains itself is cut off at this number.
const MAX_DEPTH: usize = 6;

/// The maximum length of a schema that is written out, in bytes.
pub(super) const MAX_WRITTEN: usize = 32 * 1024;

/// The maximum number of bytes of a schema that are read. A part that is read twice counts twice.
const MAX_READ: usize = 4 * 1024 * 1024;

/// The number of bytes that count as read for each part, in addition to its length.
const READ_OVERHEAD: usize = 64;

/// The number of bytes written and read so far for a whole schema.
#[derive(Default)]
pub(super) struct Spent {
    written: Cell<usize>,
    read: Cell<usize>,
}

/// Resolves references in the schema `root`. Each part of the schema has its own `Refs`, which counts the
/// references that led to the part and limits the bytes that the part may take.
#[derive(Clone, Copy)]
pub(super) struct Refs<'a> {
    root: &'a Map<String, Json>,
    /// The number of nested references that led to this part.
    depth: usize,
    spent: &'a Spent,
    /// Nothing more is written for this part once `spent.written` reaches this limit.
    limit: usize,
}

impl<'a> Refs<'a> {
    pub(super) fn new(root: &'a Map<String, Json>, spent: &'a Spent) -> Self {
        Self {
            root,
            depth: 0,
            spent,
            limit: MAX_WRITTEN,
        }
    }

    /// Returns the `Refs` for the next part. `parts_left` is the number of parts that are not written yet,
    /// including this one. Divides the remaining bytes evenly among them, so that no part uses all bytes.
    pub(super) fn share(mut self, parts_left: usize) -> Self {
        let share = self.remaining() / parts_left.max(1);
        // A share of zero bytes would leave the part out. So the share is at least one byte if any is left.
        self.limit = self.spent.written.get() + share.max(self.remaining().min(1));
        self
    }

    /// Returns true if nothing more may be written or read for this part.
    pub(super) fn is_exhausted(self) -> bool {
        self.remaining() == 0 || self.spent.read.get() >= MAX_READ
    }

    /// Returns how many more bytes may be written for this part.
    pub(super) fn remaining(self) -> usize {
        self.limit.saturating_sub(self.spent.written.get())
    }

    /// Counts the reading of a part.
    pub(super) fn count_read(self, schema: &Map<String, Json>) {
        let read = &self.spent.read;
        let bytes = READ_OVERHEAD.saturating_add(length(schema));
        read.set(read.get().saturating_add(bytes));
    }

    pub(super) fn count_written(self, bytes: usize) {
        let written = &self.spent.written;
        written.set(written.get().saturating_add(bytes));
    }

    /// Merges the target of a schema's reference into the schema. Keywords next to the reference take
    /// precedence over the target's keywords. Also returns the `Refs` to use for the parts of the merged
    /// schema.
    pub(super) fn resolve(self, schema: &Map<String, Json>) -> (Self, Map<String, Json>) {
        let mut refs = self;
        let mut schema = schema.clone();
        while let Some(reference) = schema.remove("$ref").or_else(|| schema.remove("$dynamicRef")) {
            refs.depth += 1;
            let path = reference.as_str().unwrap_or_default();
            let target = find_target(refs.root, path);
            match target {
                Some(Json::Object(target)) if refs.depth <= MAX_DEPTH => {
                    refs.count_read(target);
                    for (keyword, value) in target {
                        schema.entry(keyword.clone()).or_insert_with(|| value.clone());
                    }
                }
                // There is no such target, or the references are nested too deep.
                _ => {
                    let name = path.rsplit('/').next().filter(|_| reference.is_string());
                    schema.entry("type").or_insert_with(|| "object".into());
                    schema.entry("description").or_insert_with(|| name.unwrap_or("value").into());
                }
            }
        }
        (refs, schema)
    }
}

/// Returns the target of a reference inside a schema, such as `#/$defs/lamp`.
pub(super) fn find_target<'a>(root: &'a Map<String, Json>, path: &str) -> Option<&'a Json> {
    let steps = path.strip_prefix("#/")?;
    match steps.split_once('/') {
        Some((first, rest)) if !rest.is_empty() => root.get(first)?.pointer(&format!("/{rest}")),
        Some((first, _)) => root.get(first),
        None => root.get(steps),
    }
}

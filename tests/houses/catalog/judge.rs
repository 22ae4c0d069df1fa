//! Compares what a house lists and writes with what is true.

use std::path::Path;

use regex::RegexBuilder;
use serde_json::Value as Json;

use super::entry::{Entry, Order};
use super::house::{Effect, House, nodes_of};
use super::products::{Product, Written};

/// How bad it is that something is not true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flaw {
    /// Something was not listed, not told or not done.
    Missing,
    /// Something was told that is not so.
    ToldFalsely,
    /// Something was written that was not ordered.
    MovedFalsely,
}

/// Something that is not true.
#[derive(Debug)]
pub struct Fault {
    pub flaw: Flaw,
    pub text: String,
}

/// What is not true of a device.
#[derive(Default)]
struct Faults(Vec<Fault>);

impl Faults {
    fn add(&mut self, flaw: Flaw, text: String) {
        self.0.push(Fault { flaw, text });
    }

    fn require(&mut self, patterns: &[String], text: &str) {
        for pattern in patterns.iter().filter(|pattern| !matches(pattern, text)) {
            self.add(Flaw::Missing, format!("does not say {pattern}: {text}"));
        }
    }

    fn forbid(&mut self, patterns: &[String], text: &str) {
        for pattern in patterns.iter().filter(|pattern| matches(pattern, text)) {
            self.add(Flaw::ToldFalsely, format!("says {pattern}: {text}"));
        }
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    let mut builder = RegexBuilder::new(pattern);
    builder.case_insensitive(true).build().unwrap().is_match(text)
}

impl Entry {
    /// Returns all that is not true of the device.
    pub async fn try_in(&self, folder: &Path) -> Vec<Fault> {
        let document = super::read_json(&folder.join("nodes").join(&self.file));
        let nodes = nodes_of(&document, &self.name, &self.room, self.quiet_hours);
        let mut faults = Faults::default();
        let mut house = House::start(&nodes).await;
        let lines = house.lines().await;
        let name_of = |line: &str| line.split_once(": ").map_or(line, |(name, _)| name).to_owned();
        let listed = self.device.iter().find_map(|name| {
            let line = lines.iter().find(|line| name_of(line) == *name)?;
            Some((name.clone(), line.clone()))
        });
        let Some((name, line)) = listed else {
            faults.add(
                Flaw::Missing,
                format!("{:?} is not in {lines:?}", self.device),
            );
            return faults.0;
        };
        if !self.kind.is_empty() && !self.kind.iter().any(|kind| is_kind(&line, &name, kind)) {
            faults.add(
                Flaw::ToldFalsely,
                format!("is no {}: {line}", self.kind.join(" or ")),
            );
        }
        faults.require(&self.says, &line);
        faults.forbid(&self.says_not, &line);
        if self.lines.is_some_and(|lines_at_most| lines.len() > lines_at_most) {
            faults.add(Flaw::ToldFalsely, format!("too many devices: {lines:?}"));
        }
        for line in &lines {
            faults.forbid(&self.absent, line);
        }
        if !self.problems.is_empty() || !self.problems_not.is_empty() {
            let problems = house.problems().await;
            faults.require(&self.problems, &problems);
            faults.forbid(&self.problems_not, &problems);
        }
        if !self.measured_not.is_empty() {
            let measured = house.measured(&name, &self.room).await;
            let false_ones = measured.iter().filter(|measured| {
                self.measured_not.iter().any(|pattern| has_all(measured, pattern))
            });
            for measured in false_ones {
                faults.add(Flaw::ToldFalsely, format!("measures {measured}"));
            }
        }
        for order in &self.calls {
            let said = order.name.clone().unwrap_or_else(|| format!("{} {name}", self.room));
            let effect = House::start(&nodes).await.control(order.arguments(&said)).await;
            order.judge(&said, &effect, &mut faults);
        }
        for order in &self.set_calls {
            let said = order.name.clone().unwrap_or_default();
            let effect = House::start(&nodes).await.control(order.arguments(&said)).await;
            order.judge(&said, &effect, &mut faults);
        }
        faults.0
    }
}

/// Returns true if a line of the list shows this kind.
fn is_kind(line: &str, name: &str, kind: &str) -> bool {
    let told = line.strip_prefix(name).and_then(|rest| rest.strip_prefix(": "));
    told.and_then(|told| told.split(", ").next()) == Some(kind)
}

/// Returns true if an object has all fields of a pattern.
fn has_all(object: &Json, pattern: &Json) -> bool {
    let fields = pattern.as_object();
    fields.is_some_and(|fields| fields.iter().all(|(name, value)| object.get(name) == Some(value)))
}

impl Order {
    fn judge(&self, said: &str, effect: &Effect, faults: &mut Faults) {
        let describe = |what: &str| {
            let arguments = self.arguments(said);
            let (writes, answer) = (show(&effect.writes), &effect.answer.text);
            format!("{what}: {arguments} wrote {writes}; {answer}")
        };
        if let Some(expected) = &self.writes {
            let (missing, unexpected) = compare(expected, &effect.writes);
            if unexpected {
                faults.add(Flaw::MovedFalsely, describe("moves what it must not"));
            } else if missing {
                faults.add(Flaw::Missing, describe("does not do it"));
            }
        }
        if let Some(patterns) = &self.within {
            let is_within = |(key, _): &(String, Json)| {
                patterns.iter().any(|pattern| matches(&format!("^(?:{pattern})$"), key))
            };
            if !effect.writes.iter().all(is_within) {
                faults.add(Flaw::MovedFalsely, describe("moves what it must not"));
            } else if effect.writes.is_empty() {
                faults.add(Flaw::Missing, describe("does not do it"));
            }
        }
        if self.error.is_some_and(|error| error != effect.answer.is_error) {
            let what = if effect.answer.is_error {
                "must be no error"
            } else {
                "must be an error"
            };
            faults.add(Flaw::Missing, describe(what));
        }
        if self.lamp && !effect.moves_lamp {
            faults.add(Flaw::Missing, describe("does not move the lamp"));
        }
    }
}

/// Returns whether an expected write is missing, and whether there is one that is not expected.
fn compare(expected: &[(String, Json)], writes: &[(String, Json)]) -> (bool, bool) {
    let mut rest: Vec<&(String, Json)> = writes.iter().collect();
    let mut is_missing = false;
    for (key, value) in expected {
        let at = rest
            .iter()
            .position(|(written, content)| written == key && fits(value, content));
        match at {
            Some(at) => drop(rest.remove(at)),
            None => is_missing = true,
        }
    }
    (is_missing, !rest.is_empty())
}

/// Returns true if a written value is one of those expected.
fn fits(expected: &Json, written: &Json) -> bool {
    if let Some(any) = expected["any"].as_array() {
        return any.iter().any(|expected| fits(expected, written));
    }
    match (
        expected["from"].as_f64(),
        expected["to"].as_f64(),
        written.as_f64(),
    ) {
        (Some(from), Some(to), Some(written)) => (from..=to).contains(&written),
        _ => match (expected.as_f64(), written.as_f64()) {
            (Some(expected), Some(written)) => expected == written,
            _ => expected == written,
        },
    }
}

fn show(writes: &[(String, Json)]) -> String {
    let writes: Vec<String> =
        writes.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    if writes.is_empty() {
        "nothing".to_owned()
    } else {
        writes.join(", ")
    }
}

impl Product {
    /// Returns all that is not true of the product.
    pub async fn try_it(&self) -> Vec<Fault> {
        let row = self.row();
        let nodes = self.nodes();
        let mut faults = Faults::default();
        let lines = House::start(&nodes).await.lines().await;
        let is_right = match lines.first() {
            None => row.may_be_missing,
            Some(line) => row.kinds.iter().any(|kind| is_kind(line, "Thing", kind)),
        };
        if !is_right {
            faults.add(
                Flaw::ToldFalsely,
                format!("is no {}: {lines:?}", row.kinds.join(" or ")),
            );
        }
        let orders = [
            ("all lights", "on"),
            ("all switches", "on"),
            ("everything", "off"),
        ];
        for ((name, action), written) in orders.into_iter().zip(row.written) {
            let order = serde_json::json!({ "deviceName": name, "action": action });
            let effect = House::start(&nodes).await.control(order).await;
            let is_written = !effect.writes.is_empty();
            if is_written && written == Written::No {
                let writes = show(&effect.writes);
                faults.add(
                    Flaw::MovedFalsely,
                    format!("{name} {action} wrote {writes}"),
                );
            }
            if !is_written && written == Written::Yes {
                let answer = &effect.answer.text;
                faults.add(
                    Flaw::Missing,
                    format!("{name} {action} wrote nothing; {answer}"),
                );
            }
        }
        faults.0
    }
}

//! Rows of `fixtures/devices.json`: a device, its line in a list, its actions, and the write for each call.
//!
//! Every row that fails is reported. Goals and refusals are compared with a reviewed snapshot.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use zwave_mcp_server::gateway::protocol::nodes::parse_reading;
use zwave_mcp_server::home::device::Device;
use zwave_mcp_server::home::house::House;
use zwave_mcp_server::home::intent::Action;
use zwave_mcp_server::home::model::ids::ValueId;
use zwave_mcp_server::home::model::value::Write;
use zwave_mcp_server::home::outcome::RefusalReason;
use zwave_mcp_server::home::plan::{Member, Plan};
use zwave_mcp_server::home::planner::{actions_of, plan};
use zwave_mcp_server::mcp::arguments;
use zwave_mcp_server::mcp::entry::Entry;
use zwave_mcp_server::mcp::wording::{
    describe_device_refusal, describe_listed, kind_word, listed_device,
};

use crate::fixture::read_rounds;
use crate::fixture::rows::Texts;
use crate::houses::{
    build_house, build_view, captured_with_groups_and_scenes, find_device, house_of,
};
use crate::nodes::DeviceRow;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(rename = "row")]
    promise: String,
    /// A made-up device.
    device: Option<DeviceRow>,
    /// A device of the captured house, by its room and name.
    captured: Option<String>,
    /// Readings that replace those of the captured device.
    #[serde(default)]
    readings: BTreeMap<String, Json>,
    /// Each device's line in a list; not checked if missing.
    #[serde(default)]
    told: Texts,
    /// The actions of the tested device; not checked if missing.
    can: Option<Vec<String>>,
    #[serde(default)]
    calls: Vec<Call>,
}

/// A call and its expected result.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    action: String,
    #[serde(default)]
    level: Json,
    #[serde(default)]
    mode: Json,
    #[serde(default)]
    color: Json,
    /// The key of the value to write, and the new value.
    writes: Option<(String, Json)>,
    /// For each member of a group, the command class that proves the write, if any does.
    #[serde(default)]
    members: Vec<Option<u16>>,
    /// Readings that meet the goal.
    #[serde(default)]
    met: Vec<Json>,
    /// Readings that do not meet the goal.
    #[serde(default)]
    unmet: Vec<Json>,
    /// The name of the reason for a refusal.
    refusal: Option<String>,
    /// Parts of the refusal's sentence.
    #[serde(default)]
    says: Texts,
}

#[test]
fn devices_are_listed_and_controlled_as_reviewed() {
    insta::assert_snapshot!(check_rows("devices.json"));
}

#[test]
fn a_fact_is_told_only_if_something_shows_that_it_is_one() {
    insta::assert_snapshot!(check_rows("facts.json"));
}

/// Fails if any row of a file is not met. Returns the results of all calls.
fn check_rows(file: &str) -> String {
    let (mut wrong, mut reviewed) = (Vec::new(), String::new());
    let mut last = String::new();
    for row in read_rounds::<Row>(file) {
        if last != row.promise && !row.calls.is_empty() {
            reviewed.push_str(&format!("{}\n", row.promise));
        }
        let faults = row.find_faults(&mut reviewed).into_iter();
        wrong.extend(faults.map(|fault| format!("- {}: {fault}", row.promise)));
        last = row.promise;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    reviewed
}

impl Row {
    fn build_house(&self) -> House {
        let Some(captured) = &self.captured else {
            return build_house(self.device.iter().map(DeviceRow::document));
        };
        let mut snapshot = captured_with_groups_and_scenes();
        let house = house_of(vec![snapshot.clone()]);
        for (key, value) in &self.readings {
            let node = find_device(&house, captured).id.node().unwrap();
            let replaced = snapshot
                .node_mut(node)
                .unwrap()
                .values
                .iter_mut()
                .find(|value| key_of(&value.id) == *key)
                .unwrap();
            replaced.reading = parse_reading(value);
        }
        house_of(vec![snapshot])
    }

    /// Returns how the house differs from the row, and adds the results of the row's calls to `reviewed`.
    fn find_faults(&self, reviewed: &mut String) -> Vec<String> {
        let house = self.build_house();
        let called = || match &self.captured {
            Some(name) => find_device(&house, name),
            None => &house.devices()[0],
        };
        let mut faults = Vec::new();
        let lines: Vec<String> =
            house.devices().iter().map(|device| word_line(&house, device)).collect();
        if !matches!(self.told, Texts::None) && lines != self.told.all() {
            faults.push(format!("the devices are listed as {lines:?}"));
        }
        if let Some(expected) = &self.can {
            let can: Vec<&str> =
                actions_of(&house, called()).into_iter().map(Action::name).collect();
            if can != *expected {
                faults.push(format!("{} can {can:?}", called().spoken));
            }
        }
        for call in &self.calls {
            if let Err(fault) = call.check(&house, called(), reviewed) {
                faults.push(fault);
            }
        }
        faults
    }
}

/// Returns a device's line in a list, without the time of its last activity.
fn word_line(house: &House, device: &Device) -> String {
    let view = build_view(house);
    let entry = Entry::of(&view, device);
    let facts = describe_listed(&listed_device(&entry));
    format!("{}: {}, {}", device.name.text, kind_word(device), facts)
}

/// Returns the key that replies use for a value, such as `37-0-currentValue`.
fn key_of(id: &ValueId) -> String {
    let key = id.key.as_ref().map(|key| format!("-{key}")).unwrap_or_default();
    format!("{}-{}-{}{key}", id.class.0, id.endpoint, id.property)
}

impl Call {
    /// Makes the call and adds its result to `reviewed`. An unexpected result is also returned, as an error.
    fn check(&self, house: &House, device: &Device, reviewed: &mut String) -> Result<(), String> {
        let values = [&json!(self.action), &self.level, &self.mode, &self.color];
        let mut arguments: Map<_, _> = ["action", "level", "mode", "color"]
            .map(str::to_owned)
            .into_iter()
            .zip(values.map(Json::clone))
            .collect();
        arguments.insert("deviceName".to_owned(), "It".into());
        let intent = arguments::read_control(Some(arguments)).1.unwrap().intent;
        let result = plan(house, device, &intent);
        let described = match &result {
            Ok(planned) => describe_plan(&planned.plan),
            Err(refusal) => describe_device_refusal(device, &intent, refusal),
        };
        let sent: Vec<String> = values
            .into_iter()
            .filter(|value| !value.is_null())
            .map(Json::to_string)
            .collect();
        let described = format!("{} {}: {described}", device.spoken, sent.join(" "));
        reviewed.push_str(&format!("  {described}\n"));
        let is_expected = match (&result, &self.refusal) {
            (Ok(planned), None) => self.expects_plan(&planned.plan),
            (Err(refusal), Some(reason)) => {
                let has_all_parts = self.says.find(|part| !described.contains(part)).is_none();
                RefusalReason::from(refusal).name() == reason && has_all_parts
            }
            _ => false,
        };
        if is_expected { Ok(()) } else { Err(described) }
    }

    fn expects_plan(&self, plan: &Plan) -> bool {
        let (key, value) = self.writes.as_ref().unwrap();
        let (write, goal, members) = match plan {
            Plan::Direct(step) => (&step.write, Some(step.goal), Vec::new()),
            Plan::Group { write, members, .. } => (write, None, proving_classes(members)),
            _ => return false,
        };
        let is_met =
            |value: &Json| goal.is_some_and(|goal| goal.is_met_by(&parse_reading(value).unwrap()));
        key_of(&write.target) == *key
            && Some(&write.value) == parse_reading(value).as_ref()
            && members == self.members
            && self.met.iter().all(is_met)
            && !self.unmet.iter().any(is_met)
    }
}

fn describe_plan(plan: &Plan) -> String {
    let describe = |write: &Write| format!("{} = {:?}", key_of(&write.target), write.value);
    match plan {
        Plan::Direct(step) => format!("{}, {:?}", describe(&step.write), step.goal),
        Plan::Group { write, members, .. } => {
            format!(
                "{}, proved by {:?}",
                describe(write),
                proving_classes(members)
            )
        }
        other => format!("{other:?}"),
    }
}

/// Returns for each member the command class that proves the write, if any does.
fn proving_classes(members: &[Member]) -> Vec<Option<u16>> {
    members
        .iter()
        .map(|member| member.step.as_ref())
        .map(|step| Some(step?.state.class.0))
        .collect()
}

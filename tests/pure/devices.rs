//! Rows of `fixtures/devices.json`: a device, the line that a list has of it, what it can do, and the
//! write for a call.
//!
//! Every row that fails is named. Goals, and the sentences of refusals, are a reviewed snapshot.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use zwave_mcp_server::gateway::protocol::nodes::parse_reading;
use zwave_mcp_server::home::decide::RefusalReason;
use zwave_mcp_server::home::device::Device;
use zwave_mcp_server::home::house::House;
use zwave_mcp_server::home::intent::Action;
use zwave_mcp_server::home::model::ids::ValueId;
use zwave_mcp_server::home::model::value::Write;
use zwave_mcp_server::home::plan::{Member, Plan};
use zwave_mcp_server::home::planner::{actions_of, plan};
use zwave_mcp_server::mcp::arguments;
use zwave_mcp_server::mcp::entry::Entry;
use zwave_mcp_server::mcp::wording::{kind_word, word_device_refusal, word_exceptions, word_state};

use crate::fixture::read_rounds;
use crate::fixture::rows::Texts;
use crate::houses::{device, house, view, with_many};
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
    /// Other readings of the captured device.
    #[serde(default)]
    readings: BTreeMap<String, Json>,
    /// The line of a list for each device.
    #[serde(default)]
    told: Texts,
    can: Option<Vec<String>>,
    #[serde(default)]
    calls: Vec<Call>,
}

/// A call, and what it leads to.
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
    /// The key of the value that is written, and what is written.
    writes: Option<(String, Json)>,
    /// The class that proves it of each member of a group.
    #[serde(default)]
    members: Vec<Option<u16>>,
    /// Readings that are its goal, and ones that are not.
    #[serde(default)]
    met: Vec<Json>,
    #[serde(default)]
    unmet: Vec<Json>,
    /// The reason of a refusal in a word.
    refusal: Option<String>,
    #[serde(default)]
    says: Texts,
}

#[test]
fn devices_are_read_and_reached_as_reviewed() {
    let (mut wrong, mut told) = (Vec::new(), String::new());
    let mut last = String::new();
    for row in read_rounds::<Row>("devices.json") {
        if last != row.promise && !row.calls.is_empty() {
            told.push_str(&format!("{}\n", row.promise));
        }
        let faults = row.faults(&mut told).into_iter();
        wrong.extend(faults.map(|fault| format!("- {}: {fault}", row.promise)));
        last = row.promise;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    insta::assert_snapshot!(told);
}

impl Row {
    fn house(&self) -> House {
        let Some(captured) = &self.captured else {
            return house(self.device.iter().map(DeviceRow::document));
        };
        let mut site = with_many();
        let found = House::new(vec![site.clone()]);
        for (key, value) in &self.readings {
            let node = device(&found, captured).id.node().unwrap();
            let own = site
                .node_mut(node)
                .unwrap()
                .values
                .iter_mut()
                .find(|value| key_of(&value.id) == *key)
                .unwrap();
            own.reading = parse_reading(value);
        }
        House::new(vec![site])
    }

    /// The faults of the house; adds what is to be reviewed.
    fn faults(&self, reviewed: &mut String) -> Vec<String> {
        let house = self.house();
        let first = match &self.captured {
            Some(name) => device(&house, name),
            None => &house.devices()[0],
        };
        let mut faults = Vec::new();
        let told: Vec<String> = house.devices().iter().map(|own| line(&house, own)).collect();
        if !self.told.all().is_empty() && told != self.told.all() {
            faults.push(format!("is told as {told:?}"));
        }
        let can = actions_of(&house, first).into_iter().map(Action::name);
        if self.can.as_ref().is_some_and(|own| !can.clone().eq(own)) {
            faults.push(format!(
                "{} can {:?}",
                first.spoken,
                can.collect::<Vec<_>>()
            ));
        }
        for call in &self.calls {
            if let Err(fault) = call.check(&house, first, reviewed) {
                faults.push(fault);
            }
        }
        faults
    }
}

/// The line of a list, without what it has for activity.
fn line(house: &House, device: &Device) -> String {
    let view = view(house);
    let entry = Entry::of(&view, device);
    let facts: Vec<String> =
        word_state(&entry).into_iter().chain(word_exceptions(&entry)).collect();
    format!(
        "{}: {}, {}",
        device.name.text,
        kind_word(device),
        facts.join(", ")
    )
}

/// A value's key as a reply has it.
fn key_of(id: &ValueId) -> String {
    let key = id.key.as_ref().map(|key| format!("-{key}")).unwrap_or_default();
    format!("{}-{}-{}{key}", id.class.0, id.endpoint, id.property)
}

impl Call {
    /// Adds what becomes of it to what is to be reviewed; fails if that is otherwise than the row says.
    fn check(&self, house: &House, device: &Device, reviewed: &mut String) -> Result<(), String> {
        let sent = [&json!(self.action), &self.level, &self.mode, &self.color];
        let mut arguments: Map<_, _> = ["action", "level", "mode", "color"]
            .map(str::to_owned)
            .into_iter()
            .zip(sent.map(Json::clone))
            .collect();
        arguments.insert("deviceName".to_owned(), "It".into());
        let intent = arguments::read_control(Some(arguments)).1.unwrap().intent;
        let became = plan(house, device, &intent);
        let told = match &became {
            Ok(planned) => told_plan(&planned.plan),
            Err(refusal) => word_device_refusal(device, &intent, refusal),
        };
        let sent: Vec<String> =
            sent.into_iter().filter(|sent| !sent.is_null()).map(Json::to_string).collect();
        let told = format!("{} {}: {told}", device.spoken, sent.join(" "));
        reviewed.push_str(&format!("  {told}\n"));
        let fits = match (&became, &self.refusal) {
            (Ok(planned), None) => self.fits(&planned.plan),
            (Err(refusal), Some(reason)) => {
                let says = self.says.find(|part| !told.contains(part)).is_none();
                RefusalReason::from(refusal).name() == reason && says
            }
            _ => false,
        };
        if fits { Ok(()) } else { Err(told) }
    }

    fn fits(&self, plan: &Plan) -> bool {
        let (key, value) = self.writes.as_ref().unwrap();
        let (write, goal, members) = match plan {
            Plan::Direct(step) => (&step.write, Some(step.goal), Vec::new()),
            Plan::Group { write, members, .. } => (write, None, proofs(members)),
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

fn told_plan(plan: &Plan) -> String {
    let told = |write: &Write| format!("{} = {:?}", key_of(&write.target), write.value);
    match plan {
        Plan::Direct(step) => format!("{}, {:?}", told(&step.write), step.goal),
        Plan::Group { write, members, .. } => {
            format!("{}, proved by {:?}", told(write), proofs(members))
        }
        other => format!("{other:?}"),
    }
}

/// The class that proves each member.
fn proofs(members: &[Member]) -> Vec<Option<u16>> {
    members
        .iter()
        .map(|member| member.step.as_ref())
        .map(|step| Some(step?.state.class.0))
        .collect()
}

//! The house of a row, described by its differences from the captured house.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value as Json};
use simulator_testing::{Layout, Setup};
use zwave_mcp_server::simulator::{Habits, SimNode};

use crate::House;
use crate::fixture::{captured_nodes, lamp, layout, node, setup};
use crate::nodes::DeviceRow;

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HouseRow {
    /// The name of the gateway.
    name: String,
    /// The gateway publishes events.
    events: bool,
    /// The broker retains the values and statuses.
    retain: bool,
    /// The gateway publishes the statuses of nodes.
    status: bool,
    /// A recorded layout, by its name in the fixture.
    layout: Option<String>,
    /// The milliseconds that a command takes on the radio.
    radio: u64,
    /// If set, only these nodes are in the house.
    only: Option<Vec<u16>>,
    /// Nodes that are not in the house.
    without: Vec<u16>,
    /// Lamps instead of the captured nodes: the name and the room of each lamp, by its node.
    lamps: BTreeMap<u16, (String, String)>,
    /// Made-up devices instead of the captured nodes.
    devices: Vec<DeviceRow>,
    /// New contents of fields in captured documents, by node and JSON pointer. Null removes a field.
    documents: BTreeMap<u16, BTreeMap<String, Json>>,
    habits: BTreeMap<u16, HabitsRow>,
}

impl Default for HouseRow {
    fn default() -> Self {
        Self {
            name: setup().name,
            events: true,
            retain: true,
            status: true,
            layout: None,
            radio: setup().radio.as_millis() as u64,
            only: None,
            without: Vec::new(),
            lamps: BTreeMap::new(),
            devices: Vec::new(),
            documents: BTreeMap::new(),
            habits: BTreeMap::new(),
        }
    }
}

/// Changed habits of a device. Times are in milliseconds.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HabitsRow {
    supervised: Option<bool>,
    travel: Option<u64>,
    hesitates: Option<u64>,
    obeys: Option<bool>,
    answers: Option<bool>,
    ends_in: Option<Json>,
    refuses: Option<(u64, String)>,
}

impl HouseRow {
    pub async fn start(&self) -> House {
        let setup = Setup {
            name: self.name.clone(),
            events: self.events,
            retain: self.retain,
            radio: Duration::from_millis(self.radio),
            layout: Layout {
                status: self.status,
                ..self.layout.as_deref().map(layout).unwrap_or_default()
            },
            ..setup()
        };
        let house = House::of(setup, self.nodes()).await;
        change_habits(&house, &self.habits);
        house
    }

    fn nodes(&self) -> Vec<SimNode> {
        let lamps = self.lamps.iter().map(|(id, (name, room))| lamp(*id, name, room));
        let devices = self
            .devices
            .iter()
            .map(DeviceRow::document)
            .map(|document| SimNode::from_document(document.json()).unwrap());
        let mut nodes: Vec<SimNode> = lamps.chain(devices).collect();
        if nodes.is_empty() {
            nodes = captured_nodes();
        }
        let only = self.only.as_deref();
        nodes.retain(|node| only.is_none_or(|only| only.contains(&node.id())));
        nodes.retain(|node| !self.without.contains(&node.id()));
        for sim_node in &mut nodes {
            if let Some(changes) = self.documents.get(&sim_node.id()) {
                let habits = sim_node.habits.clone();
                *sim_node = node(sim_node.id(), |document| change_document(document, changes));
                sim_node.habits = habits;
            }
        }
        nodes
    }
}

fn change_document(document: &mut Map<String, Json>, changes: &BTreeMap<String, Json>) {
    let mut root = Json::Object(std::mem::take(document));
    for (pointer, value) in changes {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let parent = root
            .pointer_mut(parent)
            .and_then(Json::as_object_mut)
            .unwrap_or_else(|| panic!("no {pointer}"));
        match value {
            Json::Null => drop(parent.remove(name).expect("there is nothing to remove")),
            value => drop(parent.insert(name.to_owned(), value.clone())),
        }
    }
    *document = root.as_object().cloned().unwrap();
}

pub fn change_habits(house: &House, rows: &BTreeMap<u16, HabitsRow>) {
    for (node, row) in rows {
        house.change(*node, |habits| row.change(habits));
    }
}

impl HabitsRow {
    fn change(&self, habits: &mut Habits) {
        let refuses = self.refuses.clone();
        *habits = Habits {
            supervised: self.supervised.unwrap_or(habits.supervised),
            travel: self.travel.map_or(habits.travel, Duration::from_millis),
            hesitates: self.hesitates.map_or(habits.hesitates, Duration::from_millis),
            obeys: self.obeys.unwrap_or(habits.obeys),
            answers: self.answers.unwrap_or(habits.answers),
            ends_in: self.ends_in.clone().or(habits.ends_in.take()),
            refuses: refuses.map(|(status, text)| (status, &*text.leak())).or(habits.refuses),
            ..habits.clone()
        };
    }
}

//! Actions of the house, its gateway and its people. A `u16` is a node, and times are in milliseconds.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value as Json;
use simulator_testing::{Fault, Faults, Setup};
use tokio::time::sleep;
use zwave_mcp_server::gateway::bus::Outgoing;

use super::house::{HabitsRow, change_habits};
use crate::House;
use crate::fixture::{captured_nodes, layout, node, setup_of};

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HouseAction {
    Wait(u64),
    /// Waits until the nodes have not been read for this long.
    Unread(u64),
    /// Somebody operates the device by hand, and the device reports its new state.
    Hand(u16, String, Json),
    /// The device changes its state without a report.
    Secretly(u16, String, Json),
    /// The gateway reports a new status of a node.
    Status(u16, String),
    Habits(BTreeMap<u16, HabitsRow>),
    /// A node gets this name and room, and an event reports them.
    Rename(u16, String, String),
    /// A node gets this name and room without an event.
    RenameSilently(u16, String, String),
    /// Two nodes swap their names and rooms without an event.
    SwapSilently(u16, u16),
    Include(u16),
    Exclude(u16),
    /// A changed node becomes the captured node again. The gateway publishes nothing.
    Replace(u16),
    Scenes(Vec<Json>),
    Groups(Vec<Json>),
    Faults(Vec<(String, FaultRow)>),
    /// The owner sets the topic of a value, for this node and all others of the same product.
    Topic(u16, String, String),
    /// The owner sets an operation, such as `/10`, on the published value, for the same nodes as `Topic`.
    PostOperation(u16, String, String),
    /// The maximum bytes per second from the gateway to the broker; 0 for no limit.
    Link(u64),
    Gateway(GatewayAction),
    /// A second gateway starts under this name, with the captured nodes and a Z-Wave network of its own.
    Twin(String),
    /// The next `getNodes` reply lacks these nodes.
    Late(Vec<u16>),
    /// The next `getNodes` reply has these nodes without values.
    LateValues(Vec<u16>),
    /// Somebody operates a lock, and the lock reports that with this Access Control event and these parameters.
    Access(u16, u64, Json),
    /// The gateway starts again, and its driver is ready after this time.
    Restart(u64),
    /// The gateway saves the settings of a recorded layout, and starts again.
    Layout(String),
    /// Another program publishes below the prefix.
    Published(String, Json),
    /// Another program publishes a retained message below the prefix.
    Retained(String, Json),
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultRow {
    Drop,
    Delay(u64),
    Double,
    Garble,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GatewayAction {
    Kill,
    Stop,
    LoseStick,
    FindStick,
    Freeze,
    Thaw,
    CutOff,
    Reconnect,
    WriteCache,
}

impl HouseAction {
    pub async fn perform(&self, house: &House) {
        match self {
            Self::Wait(millis) => sleep(Duration::from_millis(*millis)).await,
            Self::Unread(millis) => {
                house.wait_until_unread_for(Duration::from_millis(*millis)).await;
            }
            Self::Hand(node, key, value) => house.by_hand(*node, key, value.clone()),
            Self::Secretly(node, key, value) => house.put_secretly(*node, key, value.clone()),
            Self::Status(node, status) => house.set_status(*node, status),
            Self::Habits(changes) => change_habits(house, changes),
            Self::Rename(node, name, room) => house.rename(*node, name, room),
            Self::RenameSilently(node, name, room) => house.rename_silently(*node, name, room),
            Self::SwapSilently(first, second) => house.swap_names_silently(*first, *second),
            Self::Include(id) => house.include(node(*id, |_| {})),
            Self::Exclude(node) => house.exclude(*node),
            Self::Replace(id) => house.replace(node(*id, |_| {})),
            Self::Scenes(scenes) => house.set_scenes(scenes.clone()),
            Self::Groups(groups) => house.set_groups(groups.clone()),
            Self::Faults(faults) => house.set_faults(faults_of(faults)),
            Self::Topic(node, key, topic) => house.set_topic(*node, key, topic),
            Self::PostOperation(node, key, operation) => {
                house.set_post_operation(*node, key, operation);
            }
            Self::Link(rate) => house.set_link((*rate > 0).then_some(*rate)),
            Self::Gateway(GatewayAction::Kill) => house.kill(),
            Self::Gateway(GatewayAction::Stop) => house.stop(),
            Self::Gateway(GatewayAction::LoseStick) => house.lose_stick(),
            Self::Gateway(GatewayAction::FindStick) => house.find_stick(),
            Self::Gateway(GatewayAction::Freeze) => house.freeze(),
            Self::Gateway(GatewayAction::Thaw) => house.thaw(),
            Self::Gateway(GatewayAction::CutOff) => house.cut_off(),
            Self::Gateway(GatewayAction::Reconnect) => house.reconnect(),
            Self::Gateway(GatewayAction::WriteCache) => house.write_cache(),
            Self::Twin(name) => {
                let setup = Setup {
                    home: 2,
                    ..setup_of(name)
                };
                // It runs for as long as it exists, which is until the test ends.
                Box::leak(Box::new(
                    House::at(&house.broker, setup, captured_nodes()).await,
                ));
            }
            Self::Late(nodes) => house.load_late(nodes, false),
            Self::LateValues(nodes) => house.load_late(nodes, true),
            Self::Access(node, event, parameters) => {
                house.report_access(*node, *event, parameters.clone());
            }
            Self::Restart(millis) => house.restart(Duration::from_millis(*millis)),
            Self::Layout(name) => house.set_layout(layout(name), Duration::from_millis(100)),
            Self::Published(path, payload) => publish(house, path, payload, false),
            Self::Retained(path, payload) => publish(house, path, payload, true),
        }
    }
}

fn publish(house: &House, path: &str, payload: &Json, retain: bool) {
    let message = Outgoing {
        topic: format!("zwave/{path}"),
        payload: payload.to_string().into_bytes(),
        retain,
        acknowledged: false,
    };
    house.broker.connect().bus.publish(message).unwrap();
}

fn faults_of(rows: &[(String, FaultRow)]) -> Faults {
    let faults = rows.iter().map(|(api, fault)| {
        let fault = match fault {
            FaultRow::Drop => Fault::Drop,
            FaultRow::Delay(millis) => Fault::Delay(Duration::from_millis(*millis)),
            FaultRow::Double => Fault::Double,
            FaultRow::Garble => Fault::Garble,
        };
        // `Faults` takes only `'static` names, so the name is never freed.
        (&*api.clone().leak(), fault)
    });
    Faults(faults.collect())
}

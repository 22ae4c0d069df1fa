//! Things that the house and its people do; times are in milliseconds.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value as Json;
use tokio::time::sleep;
use zwave_mcp_server::gateway::bus::Outgoing;
use zwave_mcp_server::simulator::{Fault, Faults};

use super::house::{HabitsRow, change_habits};
use crate::House;
use crate::fixture::{layout, node};

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deed {
    Wait(u64),
    /// Waits until the nodes were not read for so long.
    Unread(u64),
    /// Somebody operates the device itself, which reports it.
    Hand(u16, String, Json),
    /// The device changes without a word.
    Secretly(u16, String, Json),
    Status(u16, String),
    Habits(BTreeMap<u16, HabitsRow>),
    Rename(u16, String, String),
    RenameSilently(u16, String, String),
    SwapSilently(u16, u16),
    Include(u16),
    Exclude(u16),
    /// A node that was not complete is as it was captured.
    Replace(u16),
    Scenes(Vec<Json>),
    Groups(Vec<Json>),
    Faults(Vec<(String, FaultRow)>),
    /// A topic of the owner's own.
    Topic(u16, String, String),
    PostOperation(u16, String, String),
    /// The bytes a second that the gateway's link carries.
    Link(u64),
    Gateway(GatewayDeed),
    /// The gateway starts again, and its driver after so long.
    Restart(u64),
    /// The gateway saves other settings and starts again.
    Layout(String),
    /// Published below the prefix by some other program, retained or not.
    Published(String, Json),
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
pub enum GatewayDeed {
    Kill,
    Stop,
    LoseStick,
    FindStick,
    Freeze,
    Thaw,
    WriteCache,
}

impl Deed {
    pub async fn happen(&self, house: &House) {
        match self {
            Self::Wait(millis) => sleep(Duration::from_millis(*millis)).await,
            Self::Unread(millis) => house.unread_for(Duration::from_millis(*millis)).await,
            Self::Hand(node, key, value) => house.by_hand(*node, key, value.clone()),
            Self::Secretly(node, key, value) => house.put_secretly(*node, key, value.clone()),
            Self::Status(node, status) => house.set_status(*node, status),
            Self::Habits(all) => change_habits(house, all),
            Self::Rename(node, name, room) => house.rename(*node, name, room),
            Self::RenameSilently(node, name, room) => house.rename_silently(*node, name, room),
            Self::SwapSilently(one, other) => house.swap_names_silently(*one, *other),
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
            Self::Gateway(GatewayDeed::Kill) => house.kill(),
            Self::Gateway(GatewayDeed::Stop) => house.stop(),
            Self::Gateway(GatewayDeed::LoseStick) => house.lose_stick(),
            Self::Gateway(GatewayDeed::FindStick) => house.find_stick(),
            Self::Gateway(GatewayDeed::Freeze) => house.freeze(),
            Self::Gateway(GatewayDeed::Thaw) => house.thaw(),
            Self::Gateway(GatewayDeed::WriteCache) => house.write_cache(),
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
        (&*api.clone().leak(), fault)
    });
    Faults(faults.collect())
}

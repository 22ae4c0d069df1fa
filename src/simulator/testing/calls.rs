//! The calls of zwave-js-ui's API that the server never makes.

use serde_json::{Value as Json, json};

use super::many::numbers;
use crate::simulator::Sim;
use crate::simulator::answers::{CallResult, undefined};
use crate::simulator::id::Id;

/// The virtual node of all nodes.
const BROADCAST: u16 = 255;

impl Sim {
    /// What such a call comes to; none where it is another one.
    pub(in crate::simulator) async fn call_of_others(
        &self,
        api: &str,
        args: &[Json],
    ) -> Option<CallResult> {
        Some(match (api, args) {
            ("writeValue", [id, rest @ ..]) if id.get("nodeId") == Some(&json!(BROADCAST)) => {
                match Id::without_node(id) {
                    Some(id) => {
                        let value = rest.first().unwrap_or(&Json::Null);
                        self.spread(None, &id, value).await;
                        CallResult::Ran(Some(json!({ "status": 254 })))
                    }
                    None => undefined("commandClass"),
                }
            }
            ("writeMulticast", _) => match (args.get(1).and_then(Id::without_node), args.get(2)) {
                (Some(id), Some(value)) => {
                    let nodes = numbers(args.first());
                    self.spread(Some(nodes), &id, value).await
                }
                _ => undefined("commandClass"),
            },
            ("writeBroadcast", _) => match (args.first().and_then(Id::without_node), args.get(1)) {
                (Some(id), Some(value)) => self.spread(None, &id, value).await,
                _ => undefined("commandClass"),
            },
            ("refreshValues", _) => self.refresh_values(args.first()).await,
            ("setNodeName" | "setNodeLocation", _) => {
                match (self.known(args.first()), args.get(1)) {
                    (Some(node), Some(Json::String(text))) => {
                        self.name_by_call(node, api == "setNodeName", text);
                        CallResult::Ran(Some(json!(true)))
                    }
                    _ => CallResult::NotRun("Invalid Node ID".to_owned()),
                }
            }
            _ if api.starts_with('_') => self.scene_call(api, args),
            _ => return None,
        })
    }

    /// `refreshValues`: every class that can be asked is; no result.
    async fn refresh_values(&self, node: Option<&Json>) -> CallResult {
        let node = node.and_then(Json::as_u64);
        let Some(node) = node.and_then(|node| u16::try_from(node).ok()) else {
            return CallResult::NotRun("Node was not found!".to_owned());
        };
        let states: Vec<Id> = {
            let state = self.state();
            let values = state.nodes.get(&node).map(|node| node.values.values());
            let ids = values.into_iter().flatten();
            ids.filter_map(|fields| {
                let id = Id::read(&Json::Object(fields.clone()))?;
                let is_state = matches!(&*id.property, "currentValue" | "currentMode" | "mode");
                is_state.then_some(id)
            })
            .collect()
        };
        for id in states {
            if let Err(called) = self.ask(node).await {
                return called;
            }
            self.report_whole(&id, &id.key());
        }
        CallResult::Ran(None)
    }
}

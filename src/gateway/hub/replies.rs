//! Replies to our calls, and what other clients ask for.

use tokio::time::Instant;
use tracing::{debug, info};

use super::Hub;
use crate::gateway::bus::Message;
use crate::gateway::documents::Nodes;
use crate::gateway::messages::{self, ReplyDocument};
use crate::gateway::refetch::Unmatched;
use crate::gateway::requests::{Reply, Requests};
use crate::gateway::site::Status;
use crate::gateway::topics::Owner;
use crate::home::ids::{SiteId, Timestamp};

impl Hub {
    pub(super) fn reply(
        &mut self,
        name: &str,
        api: &str,
        message: &Message,
        requests: &Requests,
        now: Timestamp,
        at: Instant,
    ) {
        let ours = requests.may_be_ours(&message.payload);
        // The reply to our probe is how a gateway without retained topics is found.
        let Some(site) = self.seen(name, at, message.retained) else {
            return;
        };
        if !ours {
            return;
        }
        let handed = if api == "getNodes" {
            self.nodes_reply(site, &message.payload, requests, now)
        } else {
            any_reply(&message.payload, requests)
        };
        if let Some(Reply::NotRun(words)) = handed
            && words.contains("not connected")
            && let Some(link) = self.links.get_mut(site.0)
        {
            // Nobody saw when that began, and nobody may tell when it ends: it is asked again.
            link.set_status(Status::Driver, false, now, true);
            link.refetch.changed(at);
        }
    }

    /// A `getNodes` reply of ours: the nodes are replaced here and now, in the order of messages.
    fn nodes_reply(
        &mut self,
        site: SiteId,
        payload: &[u8],
        requests: &Requests,
        now: Timestamp,
    ) -> Option<Reply> {
        let document: ReplyDocument<Nodes> = match serde_json::from_slice(payload) {
            Ok(document) => document,
            Err(error) => {
                debug!(%error, "a getNodes reply can't be read");
                return None;
            }
        };
        let id = document.request_id()?.to_owned();
        if !requests.awaits(&id) {
            return None;
        }
        let reply = match (document.success, document.result) {
            (true, Some(nodes)) => {
                self.replace(site, nodes, now);
                Reply::Ran(None)
            }
            (true, None) => Reply::NotRun("getNodes returned nothing".to_owned()),
            (false, _) => Reply::NotRun(document.message.unwrap_or_default().into_owned()),
        };
        requests.hand_over(&id, reply.clone());
        Some(reply)
    }

    fn replace(&mut self, site: SiteId, Nodes(mut nodes, unreadable): Nodes, now: Timestamp) {
        // A guess is still a guess after a fetch: the gateway's cache holds it too.
        for (id, node) in &mut nodes {
            let Some(before) = self.house.node(site, *id) else {
                continue;
            };
            for value in &mut node.values {
                value.guessed = before
                    .value(&value.id)
                    .is_some_and(|old| old.guessed && old.reading == value.reading);
            }
        }
        self.house.replace_nodes(site, nodes);
        let Some(link) = self.links.get_mut(site.0) else {
            return;
        };
        let Some(nodes) = self.house.sites().get(site.0).map(|site| &site.nodes) else {
            return;
        };
        link.spellings.respell(nodes.values());
        link.fetched = Some(now);
        link.unreadable = unreadable;
        link.heard = Some(now);
        link.commanded = false;
        link.unanswered = false;
        // It answered from its driver's nodes: whatever was heard before, the driver runs.
        link.driver = link.driver.and(Some(true));
        let spellings = &mut link.spellings;
        link.refetch.finished(|unmatched| match unmatched {
            Unmatched::Topic(topic) => {
                spellings.owner(topic, |id| nodes.get(&id)) == Owner::Unmatched
            }
            Unmatched::Value(node, id) => {
                nodes.get(node).is_none_or(|node| node.value(id).is_none())
            }
            Unmatched::Named(node, topic) => {
                spellings.owner(topic, |id| nodes.get(&id)) != Owner::Node(*node)
            }
        });
        info!(gateway = link.name, nodes = nodes.len(), "house read");
    }

    /// Somebody's request: a write that is not ours may take the place of one that is. It says
    /// nothing of whether there is such a gateway.
    pub(super) fn request(&mut self, name: &str, api: &str, payload: &[u8], requests: &Requests) {
        let known = self.links.iter().position(|link| link.name == name);
        if let Some(index) = known
            && api == "writeValue"
            && !requests.may_be_ours(payload)
            && let Some((node, id)) = messages::written(payload)
        {
            self.writes.count(SiteId(index), node, &id);
        }
    }
}

/// Reads a reply to any call but `getNodes` and hands it over.
fn any_reply(payload: &[u8], requests: &Requests) -> Option<Reply> {
    let document: ReplyDocument<serde_json::Value> = match serde_json::from_slice(payload) {
        Ok(document) => document,
        Err(error) => {
            debug!(%error, "a reply can't be read");
            return None;
        }
    };
    let id = document.request_id()?.to_owned();
    let reply = if document.success {
        Reply::Ran(document.result)
    } else {
        Reply::NotRun(document.message.unwrap_or_default().into_owned())
    };
    requests.hand_over(&id, reply.clone()).then_some(reply)
}

//! The one task that takes in what arrives, and fetches nodes when they are due.

use std::sync::{Arc, Weak};
use std::time::Duration;

use serde_json::json;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, sleep_until};
use tracing::{debug, warn};

use super::bus::Incoming;
use super::requests::Reply;
use super::site::Link;
use super::{Shared, scenes};
use crate::home::ids::SiteId;

/// What zwave-js-ui calls itself where nobody changed it (captures, "Gateway settings").
const DEFAULT_NAME: &str = "zwave-js-ui";

/// When a new connection has shown no gateway, the default one is asked; and again this often.
const FIRST_PROBE: Duration = Duration::from_millis(500);
const NEXT_PROBE: Duration = Duration::from_secs(5);

/// Runs until the bus ends or nobody uses the gateway any more.
pub async fn run(shared: Arc<Shared>, mut incoming: UnboundedReceiver<Incoming>) {
    let weak = Arc::downgrade(&shared);
    let fetch = Arc::clone(&shared.fetch);
    drop(shared);
    let mut probe_at = None;
    loop {
        let Some(due) = weak
            .upgrade()
            .map(|shared| next_due(&shared, &mut probe_at))
        else {
            return;
        };
        let arrived = tokio::select! {
            arrived = incoming.recv() => match arrived {
                Some(arrived) => Some(arrived),
                None => return,
            },
            () = sleep_until(due) => None,
            () = fetch.notified() => None,
        };
        let Some(shared) = weak.upgrade() else {
            return;
        };
        if let Some(arrived) = arrived {
            take(&shared, arrived);
        }
        fetch_due(&shared);
    }
}

fn take(shared: &Shared, arrived: Incoming) {
    let now = shared.now();
    let up = matches!(arrived, Incoming::Up);
    let filters = {
        let mut hub = shared.hub();
        hub.take(arrived, &shared.requests, now, Instant::now());
        hub.filters()
    };
    if up {
        let subscribed = filters
            .iter()
            .try_for_each(|filter| shared.bus.subscribe(filter));
        if subscribed.is_err() {
            // A shut bus is followed by its own message, and all of this starts again.
            debug!("the bus shut before everything was subscribed");
        }
    }
    shared.changed.send_replace(());
}

/// Asks a gateway whether it is there; its reply, whoever gets it, makes it known.
fn probe(shared: &Shared, name: &str) -> Result<(), super::bus::Shut> {
    shared.send(name, "getInfo", json!([])).map(drop)
}

/// The moment at which something has to be done though nothing arrives. Probes for the default
/// name are sent from here, while no gateway is known.
fn next_due(shared: &Shared, probe_at: &mut Option<Instant>) -> Instant {
    let now = Instant::now();
    let (up_since, unknown, due) = {
        let hub = shared.hub();
        let due = hub.links().iter().filter(|link| fetchable(link));
        let due = due.filter_map(|link| link.refetch.due()).min();
        (hub.up_since(), hub.links().is_empty(), due)
    };
    let Some(up) = up_since else {
        *probe_at = None;
        return now + NEXT_PROBE;
    };
    let mut next = due.unwrap_or(now + NEXT_PROBE);
    if unknown {
        let at = *probe_at.get_or_insert(up + FIRST_PROBE);
        if at <= now {
            if probe(shared, DEFAULT_NAME).is_err() {
                debug!("the bus shut before a gateway was found");
            }
            *probe_at = Some(now + NEXT_PROBE);
        }
        next = next.min(probe_at.unwrap_or(next));
    }
    next
}

/// A gateway that is known to be gone is not asked.
fn fetchable(link: &Link) -> bool {
    link.fetching.is_none() && link.connected != Some(false)
}

fn fetch_due(shared: &Arc<Shared>) {
    let now = Instant::now();
    let mut due = Vec::new();
    {
        let mut hub = shared.hub();
        if hub.connection_trouble().is_some() {
            return;
        }
        for index in 0..hub.links().len() {
            let Some(link) = hub.link_mut(SiteId(index)) else {
                continue;
            };
            if fetchable(link) && link.refetch.due().is_some_and(|due| due <= now) {
                link.refetch.started(now);
                link.fetches += 1;
                link.fetching = Some(link.fetches);
                due.push((SiteId(index), link.fetches, link.changes));
            }
        }
    }
    for (site, number, changes) in due {
        tokio::spawn(fetch(Arc::downgrade(shared), site, number, changes));
    }
}

/// How long the scenes and groups may take once the nodes are in.
const SCENES: Duration = Duration::from_secs(1);

/// Fetches a gateway's nodes, scenes and groups. The hub applies the nodes when they arrive, and
/// they show this many of its changes.
async fn fetch(weak: Weak<Shared>, site: SiteId, number: u64, changes: u64) {
    let Some(shared) = weak.upgrade() else {
        return;
    };
    let limit = shared.settings.reply_timeout;
    let (alive, nodes, scenes, groups) = tokio::join!(
        // A large house takes a while to tell; that there is one is told at once.
        shared.call(site, "getInfo", json!([]), limit),
        shared.call(site, "getNodes", json!([]), limit),
        shared.call(site, "_getScenes", json!([]), limit.min(SCENES)),
        shared.call(site, "_getGroups", json!([]), limit.min(SCENES)),
    );
    {
        let mut hub = shared.hub();
        // A fetch that was overtaken by a newer one says nothing any more.
        let own = |link: &&mut Link| link.fetching == Some(number);
        let Some(link) = hub.link_mut(site).filter(own) else {
            return;
        };
        link.fetching = None;
        if let Some(Reply::Ran(_)) = nodes {
            link.stale = false;
            link.shown = changes;
        } else {
            link.unanswered = nodes.is_none();
            let first = link.refetch.failed(Instant::now());
            let why = match &nodes {
                Some(Reply::NotRun(words)) => words.as_str(),
                _ if alive.is_some() => "it answers, but not within its time",
                _ => "it does not answer",
            };
            if first {
                warn!(gateway = link.name, why, "the nodes can't be fetched");
            } else {
                debug!(gateway = link.name, why, "the nodes can't be fetched");
            }
        }
        if let (Some(Reply::Ran(Some(told))), Some(Reply::Ran(Some(members)))) = (scenes, groups) {
            hub.set_scenes_and_groups(site, scenes::scenes(&told), scenes::groups(&members));
        }
    }
    shared.changed.send_replace(());
}

//! zwave-js-ui over MQTT: which gateways there are, what their houses read, and writes with proof.
//!
//! One connection serves every gateway under the prefix. What arrives is applied by one task, in
//! order (`hub`); calls send, wait for their replies, and read the house as it stands. Nothing
//! here knows the tools' words, and nothing in the house is decided here.

pub mod bus;
pub mod documents;
mod hub;
mod lanes;
pub mod memory;
pub mod messages;
pub mod mqtt;
mod perform;
mod refetch;
mod requests;
mod run;
mod scenes;
mod site;
pub mod tls;
pub mod topics;
mod trouble;
mod writes;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value as Json;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout, timeout_at};

use crate::home::exposure::Exposure;
use crate::home::house::House;
use crate::home::ids::{NodeId, SiteId, Timestamp};
use crate::home::node::Node;
use bus::{Bus, End, Outgoing, Shut};
use hub::{Hub, Progress};
use lanes::Lanes;
use requests::{Reply, Requests};
use site::Link;

pub use perform::Performance;
pub use trouble::Trouble;

/// How long after its time is up it takes to notice that a gateway did not answer, at the most.
const NOTICED: Duration = Duration::from_millis(500);

/// Where neither a topic nor an event tells of changes, values older than this are read again.
pub const OLD_VALUES: Duration = Duration::from_secs(10);

/// Where no event tells of a new name, names older than this are read again before they are listed,
/// and before something is done to what they mean.
const OLD_NAMES: Duration = Duration::from_secs(60);

/// The same, before it is said that a name does not exist.
const OLD_FOR_A_MISS: Duration = Duration::from_secs(2);

/// What the clock on the wall says; handed in, because only `main` reads it.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// How to find the gateways and how long to wait for them.
#[derive(Clone)]
pub struct Settings {
    /// The prefix of every topic; no slash at either end.
    pub prefix: String,
    /// The broker's host and port as people are told it; without user info.
    pub address: String,
    /// The gateways to serve; empty for every one that is found.
    pub gateways: Vec<String>,
    /// What of the house may be seen.
    pub exposure: Exposure,
    /// How long a gateway has to answer.
    pub reply_timeout: Duration,
    /// How long to look for proof after the gateway's reply.
    pub confirm_timeout: Duration,
    /// The clock.
    pub clock: Clock,
    /// A random number that no other process has.
    pub process: u64,
}

/// The way to the houses. Cheap to clone.
#[derive(Clone)]
pub struct Gateway {
    shared: Arc<Shared>,
}

struct Shared {
    settings: Settings,
    bus: Arc<dyn Bus>,
    requests: Requests,
    lanes: Lanes,
    hub: Mutex<Hub>,
    /// Sent on after every message, and whenever a call learnt something.
    changed: watch::Sender<()>,
    /// Wakes the task that fetches.
    fetch: Arc<Notify>,
    /// Held by the call whose turn it is.
    turn: tokio::sync::Mutex<()>,
}

/// A call's turn: as long as it is kept, no later call gets its own.
pub struct Turn<'a> {
    /// None where the wait for it was too long.
    _held: Option<tokio::sync::MutexGuard<'a, ()>>,
}

/// What a call sees of a gateway besides its nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteView {
    /// Its name.
    pub name: String,
    /// What is wrong with it, if anything.
    pub trouble: Option<Trouble>,
    /// How old its values are; none where they are kept fresh.
    pub age: Option<Duration>,
    /// Whether its nodes were ever read.
    pub known: bool,
    /// Whether it was heard to tell when a value changes, whichever value that is.
    pub tells: bool,
    /// How many of its nodes could not be read.
    pub unreadable: usize,
}

/// What a call sees: the house as it was last told, and what is wrong.
pub struct View<'a> {
    /// The house.
    pub house: &'a House,
    /// Its gateways, by site.
    pub sites: Vec<SiteView>,
    /// What stands in the way of every gateway, if anything.
    pub trouble: Option<Trouble>,
    /// Now.
    pub now: Timestamp,
}

impl Gateway {
    /// Starts to serve what is at the other end of a bus. Must be called in a tokio runtime.
    pub fn start(end: End, settings: Settings) -> Self {
        let hub = Hub::new(&settings);
        let shared = Arc::new(Shared {
            requests: Requests::new(settings.process),
            bus: end.bus,
            lanes: Lanes::default(),
            hub: Mutex::new(hub),
            changed: watch::Sender::new(()),
            fetch: Arc::default(),
            turn: tokio::sync::Mutex::default(),
            settings,
        });
        tokio::spawn(run::run(Arc::clone(&shared), end.incoming));
        Self { shared }
    }

    /// When a call that comes now has waited long enough for the house to be known.
    pub fn patience(&self) -> Instant {
        // A little more, so that a gateway that does not answer is known for that.
        Instant::now() + self.shared.settings.reply_timeout + NOTICED
    }

    /// What stands in the way to a gateway, if anything.
    pub fn trouble(&self, site: SiteId) -> Option<Trouble> {
        self.shared.reachable(site).err()
    }

    /// Waits for the turn of a call that must not overtake those before it.
    pub async fn turn(&self, until: Instant) -> Turn<'_> {
        Turn {
            _held: timeout_at(until, self.shared.turn.lock()).await.ok(),
        }
    }

    /// Has gateways that do not tell when a value changes read again where their values are old,
    /// before they are listed; and those that do not tell of names and statuses where these are.
    pub fn freshen_values(&self) {
        self.shared.freshen(|link, age| {
            let values_old = age > OLD_VALUES || link.commanded;
            (!link.tells_changes() && values_old) || (!link.events && age > OLD_NAMES)
        });
    }

    /// Has gateways that do not tell when a name changes read again where their names are old, before
    /// something is done to what they mean.
    pub fn freshen_names(&self) {
        self.shared
            .freshen(|link, age| !link.events && age > OLD_NAMES);
    }

    /// The same where nothing has the name that was said; whether any gateway is read again.
    pub fn freshen_for_a_miss(&self) -> bool {
        self.shared
            .freshen(|link, age| !link.events && age > OLD_FOR_A_MISS)
    }

    /// Waits until the house is known, or what stands in the way is; at most until then.
    pub async fn settle(&self, limit: Instant) {
        let mut changed = self.shared.changed.subscribe();
        self.shared.nudge();
        loop {
            let progress = {
                let now = self.shared.now();
                self.shared.hub().progress(now, Instant::now())
            };
            let until = match progress {
                Progress::Settled => return,
                Progress::Waiting(until) => until.map_or(limit, |until| until.min(limit)),
            };
            let woken = timeout_at(until, changed.changed()).await;
            if woken.is_err() && until >= limit {
                return;
            }
        }
    }

    /// Changes whenever anything that a look shows may have changed.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.shared.changed.subscribe()
    }

    /// Lets a call look at the house. Nothing is received meanwhile: it must be short.
    pub fn look<R>(&self, call: impl FnOnce(&View) -> R) -> R {
        let now = self.shared.now();
        let hub = self.shared.hub();
        let links = hub.links().iter().enumerate();
        let sites = links.map(|(index, link)| SiteView {
            unreadable: link.unreadable,
            name: link.name.clone(),
            trouble: hub.trouble(SiteId(index), now),
            age: age(link, now, hub.connection_trouble().is_some()),
            known: link.fetched.is_some(),
            tells: link.tells_changes(),
        });
        let sites: Vec<SiteView> = sites.collect();
        let trouble = hub.connection_trouble().or_else(|| {
            sites.is_empty().then(|| Trouble::NoGateway {
                prefix: hub.prefix().to_owned(),
            })
        });
        call(&View {
            house: hub.house(),
            sites,
            trouble,
            now,
        })
    }
}

/// How old a gateway's values may be; none where they are kept fresh.
fn age(link: &Link, now: Timestamp, cut_off: bool) -> Option<Duration> {
    let since = |then| Duration::from_secs(now.seconds_since(then));
    let fetched = link.fetched?;
    if cut_off || link.stale || link.trouble(now).is_some() {
        return link.heard.max(Some(fetched)).map(since);
    }
    let age = since(fetched);
    (!link.tells_changes() && !age.is_zero()).then_some(age)
}

impl Shared {
    fn hub(&self) -> MutexGuard<'_, Hub> {
        self.hub.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Timestamp {
        (self.settings.clock)()
    }

    /// Has those gateways read again of whose nodes this says, by their age, that they are too old.
    fn freshen(&self, old: impl Fn(&Link, Duration) -> bool) -> bool {
        let now = self.now();
        let mut hub = self.hub();
        let mut asked = false;
        for site in 0..hub.links().len() {
            let Some(link) = hub.link_mut(SiteId(site)) else {
                continue;
            };
            let age = link.fetched.map(|then| now.millis_since(then));
            let age = age.filter(|_| !link.stale);
            if age.is_some_and(|age| old(link, age)) {
                link.stale = true;
                link.refetch.changed(Instant::now());
                asked = true;
            }
        }
        drop(hub);
        if asked {
            self.fetch.notify_one();
        }
        asked
    }

    /// Somebody asks: a gateway that did not answer may do so now.
    fn nudge(&self) {
        let mut hub = self.hub();
        for site in 0..hub.links().len() {
            let unsure = |link: &&mut Link| link.unanswered || link.driver == Some(false);
            if let Some(link) = hub.link_mut(SiteId(site)).filter(unsure) {
                link.refetch.changed(Instant::now());
            }
        }
        drop(hub);
        self.fetch.notify_one();
    }

    /// What stands in the way to a gateway, if anything.
    fn reachable(&self, site: SiteId) -> Result<(), Trouble> {
        let now = self.now();
        self.hub().trouble(site, now).map_or(Ok(()), Err)
    }

    /// What a bus that is shut means: the hub may not have heard of it yet.
    fn cut_off(&self) -> Trouble {
        let hub = self.hub();
        hub.connection_trouble()
            .unwrap_or_else(|| Trouble::Connecting {
                address: self.settings.address.clone(),
            })
    }

    fn node<R>(&self, site: SiteId, node: NodeId, look: impl FnOnce(&Node) -> R) -> Option<R> {
        self.hub().house().node(site, node).map(look)
    }

    /// Takes down what a call learnt.
    fn learn(&self, call: impl FnOnce(&mut Hub)) {
        call(&mut self.hub());
        self.changed.send_replace(());
    }

    fn gateway_name(&self, site: SiteId) -> String {
        let hub = self.hub();
        let link = hub.links().get(site.0);
        link.map(|link| link.name.clone()).unwrap_or_default()
    }

    /// Has a gateway's nodes, scenes and groups fetched again soon.
    fn ask_again(&self, site: SiteId) {
        if let Some(link) = self.hub().link_mut(site) {
            link.refetch.changed(Instant::now());
        }
        self.fetch.notify_one();
    }

    /// Sends a request to a gateway by its name. The reply may come at any time, or never.
    fn send(
        &self,
        gateway: &str,
        api: &str,
        args: Json,
    ) -> Result<tokio::sync::oneshot::Receiver<Reply>, Shut> {
        let prepared = self.requests.prepare(args);
        self.bus.publish(Outgoing {
            topic: topics::request(&self.settings.prefix, gateway, api),
            payload: prepared.payload,
            retain: false,
            acknowledged: false,
        })?;
        Ok(prepared.reply)
    }

    /// Calls a gateway and waits for its reply; none where it does not come in time.
    async fn call(&self, site: SiteId, api: &str, args: Json, limit: Duration) -> Option<Reply> {
        let gateway = self.hub().links().get(site.0)?.name.clone();
        let reply = self.send(&gateway, api, args).ok()?;
        timeout(limit, reply).await.ok()?.ok()
    }
}

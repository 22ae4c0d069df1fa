//! Unconfirmed gateways, which may no longer exist. Most are known only from a retained message, which a broker
//! keeps forever. Each unconfirmed gateway is probed, and gets a session once it replies.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

/// The minimum and the maximum time between two probes of a gateway.
const MIN_BACKOFF: Duration = Duration::from_secs(5);
const MAX_BACKOFF: Duration = Duration::from_secs(300);

/// The maximum number of gateways to probe at once. Thousands of requests would fill the queue to the broker.
const MAX_BATCH: usize = 64;

/// The minimum time between two batches.
const BATCH_DELAY: Duration = Duration::from_millis(20);

/// The maximum number of gateways to remember.
const MAX_UNCONFIRMED: usize = 16_384;

/// The unconfirmed gateways.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnconfirmedGateways {
    by_name: BTreeMap<String, Unconfirmed>,
    /// When the next batch of probes is due.
    pub due: Option<Instant>,
}

#[derive(Clone, Debug, PartialEq)]
struct Unconfirmed {
    /// The gateway's last known status, if any.
    online: Option<bool>,
    /// When the gateway was first probed on this connection.
    first_probed: Option<Instant>,
    /// When the next probe is due.
    due: Instant,
    /// The time from the next probe to the one after it.
    backoff: Duration,
}

impl Unconfirmed {
    fn new(online: Option<bool>, now: Instant) -> Self {
        Self {
            online,
            first_probed: None,
            due: now,
            backoff: MIN_BACKOFF,
        }
    }

    fn may_be_online(&self) -> bool {
        self.online != Some(false)
    }
}

impl UnconfirmedGateways {
    /// Adds a gateway if it is new, and sets its status if `online` is not `None`.
    pub fn add(&mut self, name: &str, online: Option<bool>, now: Instant) {
        let is_full = self.by_name.len() >= MAX_UNCONFIRMED && !self.by_name.contains_key(name);
        if is_full {
            return;
        }
        let gateway = self
            .by_name
            .entry(name.to_owned())
            .or_insert_with(|| Unconfirmed::new(None, now));
        gateway.online = online.or(gateway.online);
        if gateway.first_probed.is_none() {
            self.due = Some(now);
        }
    }

    /// Forgets a gateway, because it was heard from. Returns its last known status.
    pub fn remove(&mut self, name: &str) -> Option<bool> {
        self.by_name.remove(name)?.online
    }

    /// Schedules an immediate probe of each gateway, because the connection is new.
    pub fn probe_again(&mut self, now: Instant) {
        for gateway in self.by_name.values_mut() {
            *gateway = Unconfirmed::new(gateway.online, now);
        }
        self.due = (!self.is_empty()).then_some(now);
    }

    /// Returns true if there are no unconfirmed gateways.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// Returns the names to probe now, at most `MAX_BATCH`.
    pub fn next_batch(&mut self, now: Instant) -> Vec<String> {
        if self.due.is_none_or(|due| due > now) {
            return Vec::new();
        }
        let due = self.by_name.iter_mut().filter(|(_, gateway)| gateway.due <= now);
        let batch = due.take(MAX_BATCH).map(|(name, gateway)| {
            gateway.first_probed.get_or_insert(now);
            gateway.due = now + gateway.backoff;
            gateway.backoff = (gateway.backoff * 2).min(MAX_BACKOFF);
            name.clone()
        });
        let batch = batch.collect();
        let next_due = self.by_name.values().map(|gateway| gateway.due).min();
        self.due = next_due.map(|next_due| next_due.max(now + BATCH_DELAY));
        batch
    }

    /// Returns the time by which every gateway that may be online must have answered its first probe. Returns
    /// `None` if that time has passed, or if all gateways are known to be offline.
    pub fn answer_deadline(&self, now: Instant, timeout: Duration) -> Option<Instant> {
        let gateways = self.by_name.values().filter(|gateway| gateway.may_be_online());
        let deadline = gateways.map(|gateway| gateway.first_probed.unwrap_or(now) + timeout).max();
        deadline.filter(|deadline| *deadline > now)
    }

    /// Returns the name of each gateway, and whether it may be online.
    pub fn names(&self) -> Vec<(String, bool)> {
        let named = self.by_name.iter();
        named.map(|(name, gateway)| (name.clone(), gateway.may_be_online())).collect()
    }
}

//! Rumours: gateways that are known only from a retained message. A broker keeps such a message forever, so
//! it does not show that the gateway still exists. Each rumour is probed, and gets a session once it replies.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

/// The minimum and the maximum time between two probes of a rumour.
const MIN_BACKOFF: Duration = Duration::from_secs(5);
const MAX_BACKOFF: Duration = Duration::from_secs(300);

/// The maximum number of rumours to probe at once. Thousands of requests would fill the queue to the broker.
const MAX_BATCH: usize = 64;

/// The minimum time between two batches.
const BATCH_DELAY: Duration = Duration::from_millis(20);

/// The maximum number of rumours to remember, and the maximum length of a name.
const MAX_RUMOURS: usize = 16_384;
const MAX_NAME_BYTES: usize = 200;

/// The rumours by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rumours {
    names: BTreeMap<String, Rumour>,
    /// When the next one is due.
    due: Option<Instant>,
}

#[derive(Clone, Debug, PartialEq)]
struct Rumour {
    /// Its retained status, if it has one.
    online: Option<bool>,
    /// When it was first probed on this connection.
    probed: Option<Instant>,
    due: Instant,
    backoff: Duration,
}

impl Rumours {
    /// Adds a rumour, or its status to a known one, because of a retained message.
    pub fn add(&mut self, name: &str, online: Option<bool>, now: Instant) {
        let is_full = self.names.len() >= MAX_RUMOURS && !self.names.contains_key(name);
        if name.len() > MAX_NAME_BYTES || is_full {
            return;
        }
        let rumour = self.names.entry(name.to_owned()).or_insert(Rumour {
            online: None,
            probed: None,
            due: now,
            backoff: MIN_BACKOFF,
        });
        rumour.online = online.or(rumour.online);
        if rumour.probed.is_none() {
            self.due = Some(now);
        }
    }

    /// Forgets a rumour, because the gateway was heard from. Returns its retained status.
    pub fn remove(&mut self, name: &str) -> Option<bool> {
        self.names.remove(name)?.online
    }

    /// Has all rumours probed again at once, because the connection is new.
    pub fn probe_again(&mut self, now: Instant) {
        for rumour in self.names.values_mut() {
            *rumour = Rumour {
                online: rumour.online,
                probed: None,
                due: now,
                backoff: MIN_BACKOFF,
            };
        }
        self.due = (!self.names.is_empty()).then_some(now);
    }

    /// Returns true if there are no rumours.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns when the next batch is due.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Returns the names to probe now, at most `MAX_BATCH`.
    pub fn next_batch(&mut self, now: Instant) -> Vec<String> {
        if self.due.is_none_or(|due| due > now) {
            return Vec::new();
        }
        let due = self.names.iter_mut().filter(|(_, rumour)| rumour.due <= now);
        let batch: Vec<String> = due
            .take(MAX_BATCH)
            .map(|(name, rumour)| {
                rumour.probed.get_or_insert(now);
                rumour.due = now + rumour.backoff;
                rumour.backoff = (rumour.backoff * 2).min(MAX_BACKOFF);
                name.clone()
            })
            .collect();
        let next = self.names.values().map(|rumour| rumour.due).min();
        self.due = next.map(|next| next.max(now + BATCH_DELAY));
        batch
    }

    /// Returns when every rumour that may be online has had `timeout` to answer its first probe; `None` if
    /// that time has passed.
    pub fn answer_deadline(&self, now: Instant, timeout: Duration) -> Option<Instant> {
        let until = self
            .names
            .values()
            .filter(|rumour| rumour.online != Some(false))
            .map(|rumour| rumour.probed.unwrap_or(now) + timeout)
            .max();
        until.filter(|until| *until > now)
    }

    /// Returns the name of each rumour, and whether it may be online.
    pub fn names(&self) -> Vec<(String, bool)> {
        let names = self.names.iter();
        names
            .map(|(name, rumour)| (name.clone(), rumour.online != Some(false)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rumours_are_probed_soon_in_batches_and_then_with_backoff() {
        let start = Instant::now();
        let mut rumours = Rumours::default();
        for number in 0..1000 {
            rumours.add(&format!("old-{number}"), Some(true), start);
        }
        let mut asked = 0;
        let second = start + Duration::from_secs(1);
        let mut now = start;
        while now < second {
            asked += rumours.next_batch(now).len();
            now += BATCH_DELAY;
        }
        assert_eq!(asked, 1000);
        let mut later = 0;
        for second in 1..3600 {
            later += rumours.next_batch(start + Duration::from_secs(second)).len();
        }
        assert!(later < 1000 * 20, "{later} probes in an hour");
        assert_eq!(rumours.remove("old-3"), Some(true));
        assert_eq!(rumours.names().len(), 999);
    }

    #[test]
    fn a_known_rumour_gets_its_status_even_if_no_other_has_room() {
        let start = Instant::now();
        let mut rumours = Rumours::default();
        for number in 0..=MAX_RUMOURS {
            rumours.add(&format!("old-{number}"), None, start);
        }
        assert_eq!(rumours.names().len(), MAX_RUMOURS);
        rumours.add("old-3", Some(false), start);
        assert_eq!(rumours.remove("old-3"), Some(false));
    }
}

//! Gateways that are known only from a retained message. A broker keeps such a message for ever, so it
//! says nothing about whether the gateway still exists: each is asked, and counts once it says
//! something itself.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

/// The minimum and the maximum time before a rumour is asked again.
const MIN_BACKOFF: Duration = Duration::from_secs(5);
const MAX_BACKOFF: Duration = Duration::from_secs(300);

/// The maximum number of rumours that are asked at once: thousands of requests would fill the queue to
/// the broker.
const BATCH: usize = 64;

/// Time between two batches.
const BETWEEN_BATCHES: Duration = Duration::from_millis(20);

/// The maximum number of rumours that are remembered, and the maximum length of a name.
const MAX_RUMOURS: usize = 16_384;
const MAX_NAME: usize = 200;

/// The rumours by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rumours {
    names: BTreeMap<String, Rumour>,
    /// When the next one has to be asked.
    due: Option<Instant>,
}

#[derive(Clone, Debug, PartialEq)]
struct Rumour {
    /// Its status.
    online: Option<bool>,
    /// When it was first asked over this connection.
    asked: Option<Instant>,
    due: Instant,
    backoff: Duration,
}

impl Rumours {
    /// Remembers a retained message in a gateway's name.
    pub fn add(&mut self, name: &str, online: Option<bool>, now: Instant) {
        if name.len() > MAX_NAME || self.names.len() >= MAX_RUMOURS {
            return;
        }
        let rumour = self.names.entry(name.to_owned()).or_insert(Rumour {
            online: None,
            asked: None,
            due: now,
            backoff: MIN_BACKOFF,
        });
        rumour.online = online.or(rumour.online);
        if rumour.asked.is_none() {
            self.due = Some(now);
        }
    }

    /// Forgets a rumour, because the gateway said something. Returns its status.
    pub fn remove(&mut self, name: &str) -> Option<bool> {
        self.names.remove(name)?.online
    }

    /// Has all of them asked anew, because the connection is new.
    pub fn ask_anew(&mut self, now: Instant) {
        for rumour in self.names.values_mut() {
            *rumour = Rumour {
                online: rumour.online,
                asked: None,
                due: now,
                backoff: MIN_BACKOFF,
            };
        }
        self.due = (!self.names.is_empty()).then_some(now);
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns when the next one has to be asked.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Returns those to ask now, at most a batch of them.
    pub fn next_batch(&mut self, now: Instant) -> Vec<String> {
        if self.due.is_none_or(|due| due > now) {
            return Vec::new();
        }
        let due = self.names.iter_mut().filter(|(_, rumour)| rumour.due <= now);
        let batch: Vec<String> = due
            .take(BATCH)
            .map(|(name, rumour)| {
                rumour.asked.get_or_insert(now);
                rumour.due = now + rumour.backoff;
                rumour.backoff = (rumour.backoff * 2).min(MAX_BACKOFF);
                name.clone()
            })
            .collect();
        let next = self.names.values().map(|rumour| rumour.due).min();
        self.due = next.map(|next| next.max(now + BETWEEN_BATCHES));
        batch
    }

    /// Returns when each rumour that may be online has had this time to answer its first question; none
    /// if that is over.
    pub fn answers_until(&self, now: Instant, reply: Duration) -> Option<Instant> {
        let until = self
            .names
            .values()
            .filter(|rumour| rumour.online != Some(false))
            .map(|rumour| rumour.asked.unwrap_or(now) + reply)
            .max();
        until.filter(|until| *until > now)
    }

    /// Returns their names, and whether each may be online.
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
    fn thousands_are_asked_at_once_in_batches_and_then_ever_more_seldom() {
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
            now += BETWEEN_BATCHES;
        }
        assert_eq!(asked, 1000);
        let mut later = 0;
        for second in 1..3600 {
            later += rumours.next_batch(start + Duration::from_secs(second)).len();
        }
        assert!(later < 1000 * 20, "{later} questions in an hour");
        assert_eq!(rumours.remove("old-3"), Some(true));
        assert_eq!(rumours.names().len(), 999);
    }
}

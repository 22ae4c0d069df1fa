//! Waiting until the house is as current as a call needs it.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout_at};

use super::session::currency::Need;
use super::session::{Readiness, Session};
use super::{Gateways, Registry, Trouble};
use crate::home::model::ids::{GatewayName, NodeId};

/// How long after its time is up it takes to notice that a gateway did not answer, at the most.
const NOTICED: Duration = Duration::from_millis(500);

/// How long gateways have to show themselves after a connection is made: retained statuses come
/// within 30 ms, a probe's reply within 50 (`docs/GATEWAY.md#retained-messages`,
/// `docs/GATEWAY.md#timing`).
const DISCOVERY: Duration = Duration::from_millis(1500);

/// How long a call waits for a gateway while another one is ready.
const FOR_ANOTHER: Duration = Duration::from_secs(1);

/// How long a list waits where it has something to tell.
const LIST: Duration = Duration::from_secs(3);

impl Gateways {
    /// When a call that comes now has waited long enough: a reading may be under way that began before
    /// it, and the next one takes as long.
    pub fn patience(&self) -> Instant {
        let sessions = self.registry.sessions();
        let reading = sessions.iter().map(|session| session.reading_time()).max();
        let reply = self.registry.connection.settings.reply_timeout;
        // A little more, so that the answer can say that a gateway does not answer.
        Instant::now() + reading.unwrap_or(reply).max(reply) + NOTICED
    }

    /// Waits until the house is as current as a call that came at `asked` needs it, or what stands in
    /// the way is known; at most until then.
    pub async fn settle(&self, need: Need, asked: Instant, limit: Instant) {
        let mut progress = self.registry.connection.progress();
        let mut first = true;
        loop {
            for session in self.registry.sessions() {
                if first || session.readiness(need, asked) == Readiness::Waiting {
                    session.prepare(need, asked);
                }
            }
            first = false;
            let Some(until) = self.registry.awaits(need, asked, limit) else {
                return;
            };
            let over = timeout_at(until, progress.changed()).await.is_err();
            if over && until >= limit {
                return;
            }
        }
    }

    /// Waits until a gateway is as current as a command to it needs, its scenes and groups too where
    /// the command is for one, and the node too that was written to lately. True where it had to
    /// wait: then the command has to be understood once more.
    ///
    /// # Errors
    /// The gateway's nodes did not come in time.
    pub async fn settle_for(
        &self,
        gateway: &GatewayName,
        part: Part,
        asked: Instant,
        limit: Instant,
    ) -> Result<bool, Trouble> {
        let Some(session) = self.registry.session(gateway.as_str()) else {
            return Ok(false);
        };
        match part {
            Part::Scenes => session.settle_with_scenes(asked, limit).await,
            Part::Node(node) => session.settle(node, asked, limit).await,
        }
    }

    /// Has every gateway read again as far as a name could be in it that was missed; false where
    /// nothing new was learnt.
    pub async fn settle_for_a_miss(&self, asked: Instant, limit: Instant) -> bool {
        let made = self.look(|view| view.house.device_version());
        let sessions = self.registry.sessions();
        let limit = match sessions.len() {
            0 | 1 => limit,
            _ => limit.min(Instant::now() + FOR_ANOTHER),
        };
        for session in sessions {
            // The answer names one that does not come.
            let _ = session.settle_for_a_miss(asked, limit).await;
        }
        self.look(|view| view.house.device_version()) != made
    }

    /// Waits until each rumour has had a second to answer, at most until then.
    pub async fn settle_rumours(&self, limit: Instant) {
        loop {
            let now = Instant::now();
            let until = self
                .registry
                .known()
                .rumours
                .answers_until(now, FOR_ANOTHER);
            let Some(until) = until.filter(|_| now < limit) else {
                return;
            };
            sleep_until(until.min(limit)).await;
        }
    }

    /// Waits until the house is as current as a list needs it, but not long where there is something
    /// to tell: then the list tells what it has, and how old that is.
    pub async fn settle_for_list(&self) {
        let asked = Instant::now();
        let known = self.look(|view| view.gateways.iter().any(|gateway| gateway.known));
        let limit = if known {
            self.patience().min(asked + LIST)
        } else {
            self.patience()
        };
        self.settle(Need::List, asked, limit).await;
    }
}

/// What of a gateway a command needs to be current.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Its nodes, this one with what was written to it last.
    Node(Option<NodeId>),
    /// Its scenes and groups.
    Scenes,
}

impl Registry {
    /// Until when it is worth waiting for more to become known, at most until `limit`; none where it
    /// is not.
    fn awaits(&self, need: Need, asked: Instant, limit: Instant) -> Option<Instant> {
        if self.connection.is_connecting() {
            return Some(limit);
        }
        let up = self.connection.up_since()?;
        let later = |until: Instant| (Instant::now() < until).then_some(until.min(limit));
        let now = Instant::now();
        let sessions = self.sessions();
        if sessions.is_empty() {
            let known = self.known();
            let reply = self.connection.settings.reply_timeout;
            if known.rumours.is_empty() {
                return later(up + DISCOVERY);
            }
            return known.rumours.answers_until(now, reply).and_then(later);
        }
        if let Some(until) = self.known().rumours.settled_at(now) {
            return later(until);
        }
        let ready = |session: &Arc<Session>| session.readiness(need, asked);
        let (waiting, rest): (Vec<_>, Vec<_>) = sessions
            .iter()
            .map(|session| (session, ready(session)))
            .partition(|(_, ready)| *ready == Readiness::Waiting);
        if waiting.is_empty() {
            return None;
        }
        if rest.iter().any(|(_, ready)| *ready == Readiness::Ready) {
            return later(asked + FOR_ANOTHER);
        }
        // Of several names that the owner gives, one that was never heard may be mistyped.
        if sessions.len() == 1 || waiting.iter().any(|(session, _)| session.was_heard()) {
            return Some(limit);
        }
        later(up + DISCOVERY)
    }
}

//! Reads the house from the Z-Wave server, and caches it.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::task::JoinSet;
use tracing::debug;

use super::sentence::{KnownHouse, RequiredFreshness};
use crate::client::{ServerEvent, ToolManager, ToolServer};
use crate::home::published::{CHANGES, HOUSE, LIST};
use crate::lock::lock;

/// The notification that a resource has changed.
const UPDATED: &str = "notifications/resources/updated";

/// Reads the house, and caches it until the server reports a change. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct HouseReader(Arc<Mutex<ReaderState>>);

#[derive(Debug, Default)]
struct ReaderState {
    cached: Option<Arc<KnownHouse>>,
    /// True if a change was reported, or a server ended, since we began to read `cached`.
    is_stale: bool,
    /// The subscription to the server's changes, which lasts as long as the task runs.
    subscription: JoinSet<()>,
}

impl ReaderState {
    fn is_subscribed(&mut self) -> bool {
        // A task that has ended is removed.
        self.subscription.try_join_next();
        !self.subscription.is_empty()
    }
}

impl HouseReader {
    /// Returns a listener for servers' notifications, to be passed to
    /// [`Host::with_listener`](crate::client::Host::with_listener). Without a listener, the house is read
    /// before each sentence.
    pub fn listener(&self) -> impl Fn(&ServerEvent) + Send + Sync + 'static {
        let state = Arc::downgrade(&self.0);
        move |event| {
            let is_change = match event {
                ServerEvent::Notification { method, params } => {
                    method == UPDATED && params.get("uri").is_some_and(|uri| uri == HOUSE)
                }
                ServerEvent::Ended { .. } => true,
                _ => false,
            };
            if let Some(state) = state.upgrade().filter(|_| is_change) {
                Self(state).state().is_stale = true;
            }
        }
    }

    /// Returns the house. If only names are needed, returns the cached house while it is current. The error says
    /// why the house can't be read.
    pub(super) async fn house(
        &self,
        manager: &ToolManager,
        freshness: RequiredFreshness,
        limit: Duration,
    ) -> Result<Arc<KnownHouse>, String> {
        if let Some(cached) = self.current().filter(|_| freshness == RequiredFreshness::Names) {
            return Ok(cached);
        }
        let server = manager.server_of(LIST).ok_or("no connected server lists devices")?;
        self.follow(&server);
        // Reset before the house is read, because the content may lack a change that is reported during the read.
        self.state().is_stale = false;
        let content = server.read(HOUSE, limit).await.map_err(|error| error.to_string())?;
        let mut house = KnownHouse::read(&content).ok_or("the house can't be read")?;
        // Only our own server is sure to have this resource. Another server with the tool may lack it.
        if freshness == RequiredFreshness::Changes
            && let Ok(changes) = server.read(CHANGES, limit).await
        {
            house = house.with_changes(&changes);
        }
        let house = Arc::new(house);
        self.state().cached = Some(Arc::clone(&house));
        Ok(house)
    }

    /// Returns the house as it was last read, however old, or else reads it.
    pub(super) async fn last_known(
        &self,
        manager: &ToolManager,
        limit: Duration,
    ) -> Result<Arc<KnownHouse>, String> {
        let cached = self.state().cached.clone();
        match cached {
            Some(cached) => Ok(cached),
            None => self.house(manager, RequiredFreshness::Names, limit).await,
        }
    }

    /// Returns true if a person is asked before guarded actions, as far as is known.
    pub(super) fn confirms_guarded(&self) -> bool {
        self.state().cached.as_ref().is_some_and(|house| house.confirms_guarded)
    }

    /// Returns the cached house, if it is still current.
    fn current(&self) -> Option<Arc<KnownHouse>> {
        let mut state = self.state();
        // Without a listener, which holds a weak reference, nothing sets `is_stale`.
        let is_followed = state.is_subscribed() && Arc::weak_count(&self.0) > 0;
        let cached = state.cached.clone().filter(|house| !house.is_aging);
        cached.filter(|_| is_followed && !state.is_stale)
    }

    /// Subscribes to the server's changes, unless already subscribed.
    fn follow(&self, server: &Arc<dyn ToolServer>) {
        let mut state = self.state();
        if state.is_subscribed() {
            return;
        }
        let server = Arc::clone(server);
        state.subscription.spawn(async move {
            if let Err(error) = server.follow(HOUSE).await {
                debug!(%error, "the house is not followed; it is read before each order");
            }
        });
    }

    fn state(&self) -> MutexGuard<'_, ReaderState> {
        lock(&self.0)
    }
}

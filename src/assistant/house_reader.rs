//! The house, read from its server and kept current.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::JoinHandle;
use tracing::debug;

use super::sentence::{KnownHouse, RequiredFreshness};
use crate::client::{ServerEvent, ToolManager, ToolServer};

/// The tool that lists devices. The server that has it is the house's server.
pub(super) const LIST: &str = "list_zwave_devices";

/// The tool that controls a device.
pub(super) const CONTROL: &str = "control_zwave_device";

/// The resource that describes the house.
const HOUSE: &str = "zwave://devices";

/// The resource that lists what changed in the house.
const CHANGES: &str = "zwave://changes";

/// The notification of a change.
const UPDATED: &str = "notifications/resources/updated";

/// Reads the house, and reads it again after the server has reported a change. Cheap to clone.
#[derive(Clone, Default)]
pub struct HouseReader(Arc<Mutex<ReaderState>>);

#[derive(Default)]
struct ReaderState {
    known: Option<Arc<KnownHouse>>,
    /// Something has changed since.
    is_stale: bool,
    /// Somebody passes the server's notifications on to the listener.
    has_listener: bool,
    /// The task that subscribes to the server's changes.
    subscription: Option<JoinHandle<()>>,
}

impl ReaderState {
    fn is_subscribed(&self) -> bool {
        let task = self.subscription.as_ref();
        task.is_some_and(|task| !task.is_finished())
    }
}

impl fmt::Debug for HouseReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HouseReader").finish_non_exhaustive()
    }
}

impl HouseReader {
    /// Returns a listener for servers' notifications, to be passed to
    /// [`Host::with_listener`](crate::client::Host::with_listener). Without it, the house is read before each sentence.
    pub fn listener(&self) -> impl Fn(&ServerEvent) + Send + Sync + 'static {
        self.state().has_listener = true;
        let state = Arc::downgrade(&self.0);
        move |event| {
            let is_of_house = match event {
                ServerEvent::Notification { method, params } => {
                    method == UPDATED && params.get("uri").is_some_and(|uri| uri == HOUSE)
                }
                ServerEvent::Ended { .. } => true,
                _ => false,
            };
            if let Some(state) = state.upgrade().filter(|_| is_of_house) {
                Self(state).state().is_stale = true;
            }
        }
    }

    /// Returns the house, or why it can't be read.
    pub(super) async fn house(
        &self,
        manager: &ToolManager,
        freshness: RequiredFreshness,
        limit: Duration,
    ) -> Result<Arc<KnownHouse>, String> {
        if let Some(known) = self.current().filter(|_| freshness == RequiredFreshness::Names) {
            return Ok(known);
        }
        let server = manager.server_of(LIST).ok_or("no connected server lists devices")?;
        self.follow(&server);
        // Reset before the reading, which may miss a change that comes from here on.
        self.state().is_stale = false;
        let content = server.read(HOUSE, limit).await.map_err(|error| error.to_string())?;
        let mut house = KnownHouse::read(&content).ok_or("the house can't be read")?;
        // Another server may have no such resource.
        if freshness == RequiredFreshness::Changes
            && let Ok(changes) = server.read(CHANGES, limit).await
        {
            house = house.with_changes(&changes);
        }
        let house = Arc::new(house);
        self.state().known = Some(Arc::clone(&house));
        Ok(house)
    }

    /// Returns the house as last read, if that is still current.
    fn current(&self) -> Option<Arc<KnownHouse>> {
        let state = self.state();
        state
            .known
            .clone()
            .filter(|known| !known.is_aging)
            .filter(|_| state.is_subscribed() && state.has_listener && !state.is_stale)
    }

    /// Subscribes to the server's changes, unless that is already done.
    fn follow(&self, server: &Arc<dyn ToolServer>) {
        let mut state = self.state();
        if state.is_subscribed() {
            return;
        }
        let server = Arc::clone(server);
        state.subscription = Some(tokio::spawn(async move {
            if let Err(error) = server.follow(HOUSE).await {
                debug!(%error, "the house is not followed; it is read before each order");
            }
        }));
    }

    fn state(&self) -> MutexGuard<'_, ReaderState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ReaderState {
    fn drop(&mut self) {
        if let Some(task) = &self.subscription {
            task.abort();
        }
    }
}

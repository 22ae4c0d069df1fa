//! The house, read from its server and kept current.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::JoinHandle;
use tracing::debug;

use super::sentence::KnownHouse;
use crate::client::{ServerEvent, ToolManager, ToolServer};

/// The server's tool that lists devices: whoever has it has the house.
pub(super) const LIST: &str = "list_zwave_devices";

/// The server's tool that controls a device.
pub(super) const CONTROL: &str = "control_zwave_device";

/// The resource that tells the house.
const HOUSE: &str = "zwave://devices";

/// The resource that tells what changed in the house.
const CHANGES: &str = "zwave://changes";

/// The notification of a change.
const UPDATED: &str = "notifications/resources/updated";

/// How current the house must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Currency {
    /// Its names and what they can do: as it was last told.
    Names,
    /// The states of all devices: as they are now.
    States,
    /// The states as they are now, and what changed.
    Changes,
}

/// Reads the house, and reads it again when the server notifies of a change. Cheap to clone.
#[derive(Clone, Default)]
pub struct HouseReader(Arc<Mutex<ReaderState>>);

#[derive(Default)]
struct ReaderState {
    known: Option<Arc<KnownHouse>>,
    /// Something has changed since.
    is_stale: bool,
    /// Somebody hands on what the server notifies of.
    hears: bool,
    /// Has the server notify of changes.
    following: Option<JoinHandle<()>>,
}

impl fmt::Debug for HouseReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HouseReader").finish_non_exhaustive()
    }
}

impl HouseReader {
    /// Hears what servers notify of: for [`Host::listening`](crate::client::Host::listening). Without
    /// it, the house is read before each sentence.
    pub fn listener(&self) -> impl Fn(&ServerEvent) + Send + Sync + 'static {
        self.state().hears = true;
        let state = Arc::downgrade(&self.0);
        move |event| {
            if let Some(state) = state.upgrade() {
                Self(state).hear(event);
            }
        }
    }

    fn hear(&self, event: &ServerEvent) {
        let is_of_house = match event {
            ServerEvent::Notification { method, params } => {
                method == UPDATED && params.get("uri").is_some_and(|uri| uri == HOUSE)
            }
            ServerEvent::Ended { .. } => true,
            _ => false,
        };
        if is_of_house {
            self.state().is_stale = true;
        }
    }

    /// The house, or why it can't be read.
    pub(super) async fn house(
        &self,
        manager: &ToolManager,
        currency: Currency,
        limit: Duration,
    ) -> Result<Arc<KnownHouse>, String> {
        if let Some(known) = self.current().filter(|_| currency == Currency::Names) {
            return Ok(known);
        }
        let server = manager.server_of(LIST).ok_or("there is no house")?;
        self.follow(&server);
        // A change from here on is not in this reading.
        self.state().is_stale = false;
        let content = server
            .read(HOUSE, limit)
            .await
            .map_err(|error| error.to_string())?;
        let mut house = KnownHouse::read(&content).ok_or("the house can't be read")?;
        // A server of another kind has no such resource.
        if currency == Currency::Changes
            && let Ok(changes) = server.read(CHANGES, limit).await
        {
            house = house.with_changes(&changes);
        }
        let house = Arc::new(house);
        self.state().known = Some(Arc::clone(&house));
        Ok(house)
    }

    /// The house as it was last read, if it is still so.
    fn current(&self) -> Option<Arc<KnownHouse>> {
        let state = self.state();
        let follows = state
            .following
            .as_ref()
            .is_some_and(|task| !task.is_finished());
        let known = state.known.clone().filter(|known| !known.is_aging);
        known.filter(|_| follows && state.hears && !state.is_stale)
    }

    /// Has the server notify of changes. Does nothing while it does.
    fn follow(&self, server: &Arc<dyn ToolServer>) {
        let mut state = self.state();
        if state
            .following
            .as_ref()
            .is_some_and(|task| !task.is_finished())
        {
            return;
        }
        let server = Arc::clone(server);
        state.following = Some(tokio::spawn(async move {
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
        if let Some(task) = &self.following {
            task.abort();
        }
    }
}

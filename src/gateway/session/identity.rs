//! Checks that one gateway stands behind a name. If two gateways use one name, each of them executes every request,
//! so a command would move two houses. Only the id of their Z-Wave networks tells them apart.

use std::time::Duration;

use tokio::time::Instant;
use tracing::{info, warn};

use super::{Moment, Session};

/// The time between two checks.
const CHECK_INTERVAL: Duration = Duration::from_secs(600);

/// The time between two checks while two gateways are known to use the name.
const SHARED_CHECK_INTERVAL: Duration = Duration::from_secs(30);

/// The time in which all gateways of a name answer a check.
const CHECK_TIME: Duration = Duration::from_secs(5);

/// What is known of the gateways behind a name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Identity {
    /// The id of the Z-Wave network that was reported last.
    pub home_id: Option<u32>,
    /// True if two gateways use the name.
    pub is_shared: bool,
    /// The first home id that was reported since the last check began, and whether another one followed.
    reported: Option<(u32, bool)>,
    /// When the next check is due.
    pub due: Option<Instant>,
    /// When the last check began, until it ends.
    began: Option<Instant>,
}

impl Identity {
    /// Schedules a check, unless one is under way.
    pub fn request_check(&mut self, now: Instant) {
        if self.began.is_none() {
            self.due = Some(now);
        }
    }

    /// Schedules a check, because a new life begins, possibly with another Z-Wave stick.
    pub fn restart(&mut self, now: Instant) {
        self.reported = None;
        self.began = None;
        self.due = Some(now);
    }

    /// Notes that a check begins now.
    pub fn begin_check(&mut self, now: Instant) {
        self.reported = None;
        self.began = Some(now);
        self.due = Some(now + CHECK_TIME);
    }
}

impl Session {
    /// Notes a home id that a gateway of this name has reported. Returns true if it is new.
    pub fn note_home_id(&mut self, home_id: u32) -> bool {
        let identity = &mut self.identity;
        let (first, differs) = identity.reported.unwrap_or((home_id, false));
        let differs = differs || first != home_id;
        identity.reported = Some((first, differs));
        if differs && !identity.is_shared {
            identity.is_shared = true;
            warn!(gateway = %self.name, "two gateways use this name, so nothing is sent to it");
        }
        self.identity.home_id.replace(home_id) != Some(home_id)
    }

    /// Requests the home id if a check is due. If a check has ended, schedules the next one.
    pub(super) fn check_identity(&mut self, now: Moment) {
        if self.identity.due.is_none_or(|due| due > now.at) {
            return;
        }
        if self.identity.began.take().is_none() {
            self.add_request("getInfo");
            return self.identity.begin_check(now.at);
        }
        let identity = &mut self.identity;
        if identity.is_shared && matches!(identity.reported, Some((_, false))) {
            identity.is_shared = false;
            self.executes_twice = false;
            info!(gateway = %self.name, "one gateway uses this name again");
        }
        let interval = if identity.is_shared {
            SHARED_CHECK_INTERVAL
        } else {
            CHECK_INTERVAL
        };
        identity.due = Some(now.at + interval);
    }
}

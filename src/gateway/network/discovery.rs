//! Adds gateways when messages show them, and decides which gateways are served.

use std::sync::Arc;

use tracing::info;

use super::Network;
use crate::gateway::session::liveness::Status;
use crate::gateway::session::{Moment, Session};
use crate::gateway::trouble::Trouble;

/// The maximum number of gateways to serve if the settings name none. No house has more.
const MAX_GATEWAYS: usize = 64;

/// The maximum number of unserved gateways whose names are remembered.
const MAX_UNSERVED: usize = 8;

impl Network {
    /// Returns the session of the gateway that a message is about, if the gateway is served. An unknown gateway
    /// gets a session only if the message is a sign of life. Otherwise, the gateway becomes unconfirmed.
    pub fn find_or_add(
        &mut self,
        name: &str,
        is_sign_of_life: bool,
        now: Moment,
    ) -> Option<&mut Session> {
        if is_sign_of_life {
            return self.note_sign_of_life(name, now);
        }
        if self.session(name).is_none() {
            self.add_unconfirmed(name, None, now);
        }
        self.session_mut(name)
    }

    /// Notes a sign of life from a gateway, and adds the gateway if it is unknown. Returns the session, if any.
    pub fn note_sign_of_life(&mut self, name: &str, now: Moment) -> Option<&mut Session> {
        if self.session(name).is_none() {
            self.add_heard(name, now);
        }
        let session = self.session_mut(name)?;
        session.note_sign_of_life(now);
        Some(session)
    }

    /// Uses the prefix with a slash at its end, under which a gateway was found. Does nothing if there is any sign of a
    /// gateway under the prefix without the slash.
    pub(super) fn add_slash_to_prefix(&mut self, now: Moment) {
        let is_unseen = |session: &Session| {
            session.liveness.heard.is_none() && session.liveness.is_connected.is_none()
        };
        if self.unconfirmed.is_empty() && self.sessions.iter().all(is_unseen) {
            Arc::make_mut(&mut self.rules).prefix.push('/');
            for session in &mut self.sessions {
                session.schedule_first_fetch(now);
            }
        }
    }

    /// Adds an unconfirmed gateway if it is new, and sets its status if `online` is not `None`. If no further
    /// gateway may be served, notes the gateway as unserved instead.
    pub(super) fn add_unconfirmed(&mut self, name: &str, online: Option<bool>, now: Moment) {
        if !self.may_serve_more() {
            return self.note_unserved(name);
        }
        self.unconfirmed.add(name, online, now.at);
        self.touch();
    }

    /// Returns true if a new gateway may be served: the settings name no gateways, and the limit is not reached.
    fn may_serve_more(&self) -> bool {
        self.rules.named.is_empty() && self.sessions.len() < MAX_GATEWAYS
    }

    fn note_unserved(&mut self, name: &str) {
        if self.unserved.len() < MAX_UNSERVED {
            self.unserved.insert(name.to_owned());
        }
    }

    /// Adds a gateway that was heard from for the first time, if it may be served.
    fn add_heard(&mut self, name: &str, now: Moment) {
        if !self.may_serve_more() {
            return self.note_unserved(name);
        }
        info!(gateway = name, "found a gateway");
        let online = self.unconfirmed.remove(name);
        // The home id in the reply to this probe may show that this is a known gateway with a new name.
        self.probes.push(name.to_owned());
        // `driver/status` names no gateway, so it is used only if this is the only known gateway.
        let is_only_gateway =
            self.sessions.is_empty() && self.unconfirmed.is_empty() && self.unserved.is_empty();
        let driver = self.last_driver_status.filter(|_| is_only_gateway);
        self.add_session(name, now);
        // Both statuses arrived before the gateway was found. Like retained statuses, they are no news.
        let retained = true;
        for (which, alive) in [(Status::Connected, online), (Status::Driver, driver)] {
            if let (Some(alive), Some(session)) = (alive, self.sessions.last_mut()) {
                session.set_status(which, alive, retained, now);
            }
        }
    }

    /// Adds a session for a gateway, and schedules its first fetch.
    pub(super) fn add_session(&mut self, name: &str, now: Moment) {
        self.touch();
        let mut session = Session::new(
            name.into(),
            self.rules.reply_timeout,
            self.last_dropped_request,
        );
        session.is_linked = self.up_since().is_some();
        session.is_followed = self.is_followed;
        session.schedule_first_fetch(now);
        self.sessions.push(session);
    }

    /// Returns the trouble with a gateway, if any. The trouble with a silent gateway also names the unserved
    /// gateways, because the user may mean one of them.
    pub fn trouble_of(&self, session: &Session, now: Moment) -> Option<Trouble> {
        let mut trouble = session.trouble(now)?;
        if let Trouble::GatewaySilent { others, .. } = &mut trouble {
            others.extend(self.unserved.iter().cloned());
        }
        Some(trouble)
    }

    /// Explains why there is no gateway.
    pub fn explain_no_gateway(&self) -> Trouble {
        let names = self.unconfirmed.names();
        match names.as_slice() {
            [] => Trouble::NoGateway {
                prefix: self.rules.prefix.clone(),
            },
            [(gateway, true)] => Trouble::silent(gateway.clone()),
            [(gateway, false)] => Trouble::GatewayOffline {
                gateway: gateway.clone(),
                since: None,
            },
            _ => Trouble::OnlyUnconfirmed {
                gateways: names.into_iter().map(|(name, _)| name).collect(),
            },
        }
    }
}

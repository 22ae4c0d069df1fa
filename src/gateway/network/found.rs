//! Finds gateways: those that the settings name, and those that are heard from.

use tracing::info;

use super::Network;
use crate::gateway::session::liveness::Status;
use crate::gateway::session::{Moment, Session};
use crate::gateway::trouble::Trouble;

/// The maximum number of gateways to serve if the settings name none. No house has more.
const MAX_GATEWAYS: usize = 64;

/// The maximum number of unserved gateways whose names are remembered.
const MAX_STRANGERS: usize = 8;

impl Network {
    /// Returns the index of the session of a gateway that sent a message, if it is served. Adds an unknown
    /// gateway as a session, or as a rumour if the message is retained.
    pub fn find_or_add(&mut self, name: &str, retained: bool, now: Moment) -> Option<usize> {
        let index = match self.index_of(name) {
            Some(index) => index,
            None if retained => {
                self.add_rumour(name, None, now);
                return None;
            }
            None => self.add_heard(name, now)?,
        };
        if !retained {
            self.sessions.get_mut(index)?.note_sign_of_life(now);
        }
        Some(index)
    }

    pub(super) fn add_rumour(&mut self, name: &str, online: Option<bool>, now: Moment) {
        if !name.is_empty() && !self.note_stranger(name) {
            self.rumours.add(name, online, now.at);
            self.touch();
        }
    }

    /// Returns true if an unknown gateway is not served, and remembers its name.
    fn note_stranger(&mut self, name: &str) -> bool {
        if self.rules.named.is_empty() && self.sessions.len() < MAX_GATEWAYS {
            return false;
        }
        if self.strangers.len() < MAX_STRANGERS {
            self.strangers.insert(name.to_owned());
        }
        true
    }

    /// Adds a gateway that was heard from for the first time; returns `None` if it is not served.
    fn add_heard(&mut self, name: &str, now: Moment) -> Option<usize> {
        if name.is_empty() || self.note_stranger(name) {
            return None;
        }
        info!(gateway = name, "found a gateway");
        let online = self.rumours.remove(name);
        let index = self.add(name, now);
        // The home id in its reply shows whether a known gateway was given this name.
        self.probes.push(name.to_owned());
        // `driver/status` names no gateway, so it counts only if there can be no other.
        let is_alone = self.sessions.len() == 1 && self.rumours.is_empty();
        let driver = self.driver.filter(|_| is_alone && self.strangers.is_empty());
        let session = self.sessions.get_mut(index)?;
        for (which, alive) in [(Status::Connected, online), (Status::Driver, driver)] {
            if let Some(alive) = alive {
                session.set_status(which, alive, true, now);
            }
        }
        Some(index)
    }

    pub(super) fn add(&mut self, name: &str, now: Moment) -> usize {
        let mut session = Session::new(name.into(), self.rules.reply_timeout);
        session.is_linked = self.up_since().is_some();
        session.is_followed = self.is_followed;
        session.schedule_first_fetch(now);
        self.sessions.push(session);
        self.touch();
        self.sessions.len() - 1
    }

    /// Returns the trouble with a gateway, if any. For a silent gateway, it names the unserved ones, because
    /// one of them could be meant.
    pub fn trouble_of(&self, session: &Session, now: Moment) -> Option<Trouble> {
        let mut trouble = session.trouble(now)?;
        if let Trouble::GatewaySilent { others, .. } = &mut trouble {
            others.extend(self.strangers.iter().cloned());
        }
        Some(trouble)
    }

    /// Explains why there is no gateway.
    pub fn explain_no_gateway(&self) -> Trouble {
        let names = self.rumours.names();
        match names.as_slice() {
            [] => Trouble::NoGateway {
                prefix: self.rules.prefix.clone(),
            },
            [(gateway, true)] => Trouble::GatewaySilent {
                gateway: gateway.clone(),
                others: Vec::new(),
            },
            [(gateway, false)] => Trouble::GatewayOffline {
                gateway: gateway.clone(),
                since: None,
            },
            _ => Trouble::OnlyRumours {
                gateways: names.into_iter().map(|(name, _)| name).collect(),
            },
        }
    }
}

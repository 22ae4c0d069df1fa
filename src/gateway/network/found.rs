//! Finds the gateways: those that are named, and those that said something themselves.

use tracing::info;

use super::Network;
use crate::gateway::session::liveness::Status;
use crate::gateway::session::{Moment, Session};
use crate::gateway::trouble::Trouble;

/// The maximum number of gateways that are served if none is named; further ones under the prefix are
/// not of this house.
const MAX_GATEWAYS: usize = 64;

/// The maximum number of gateways that are not served but remembered by name.
const MAX_STRANGERS: usize = 8;

impl Network {
    /// Finds the session of a gateway that said something, if it is served. A retained message makes an
    /// unknown gateway a rumour.
    pub fn find_session(&mut self, name: &str, retained: bool, now: Moment) -> Option<usize> {
        let at = match self.find(name) {
            Some(at) => at,
            None if retained => {
                self.add_rumour(name, None, now);
                return None;
            }
            None => self.find_new(name, now)?,
        };
        if !retained {
            self.sessions.get_mut(at)?.note_sign_of_life(now);
        }
        Some(at)
    }

    pub(super) fn add_rumour(&mut self, name: &str, online: Option<bool>, now: Moment) {
        if !name.is_empty() && !self.is_stranger(name) {
            self.rumours.add(name, online, now.at);
            self.touch();
        }
    }

    /// Returns true if a gateway is not served, and remembers its name.
    fn is_stranger(&mut self, name: &str) -> bool {
        if self.rules.named.is_empty() && self.sessions.len() < MAX_GATEWAYS {
            return false;
        }
        if self.strangers.len() < MAX_STRANGERS {
            self.strangers.insert(name.to_owned());
        }
        true
    }

    /// Adds a gateway that said something for the first time; returns `None` if it is not served.
    fn find_new(&mut self, name: &str, now: Moment) -> Option<usize> {
        if name.is_empty() || self.is_stranger(name) {
            return None;
        }
        info!(gateway = name, "found a gateway");
        let online = self.rumours.remove(name);
        let at = self.add(name, now);
        // Its network tells whether a known gateway was given this name.
        self.probes.push(name.to_owned());
        let is_alone = self.sessions.len() == 1 && self.rumours.is_empty();
        let driver = self.driver.filter(|_| is_alone && self.strangers.is_empty());
        let session = self.sessions.get_mut(at)?;
        for (which, alive) in [(Status::Connected, online), (Status::Driver, driver)] {
            if let Some(alive) = alive {
                session.set_status(which, alive, true, now);
            }
        }
        Some(at)
    }

    pub(super) fn add(&mut self, name: &str, now: Moment) -> usize {
        let mut session = Session::new(name.into(), self.rules.reply_timeout);
        session.is_linked = self.up_since().is_some();
        session.is_followed = self.is_followed;
        session.appear(now);
        self.sessions.push(session);
        self.touch();
        self.sessions.len() - 1
    }

    /// Returns the trouble with a gateway, if any, with the others that could be meant.
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

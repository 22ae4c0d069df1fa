//! Questions: what is asked for, and of which devices.

use super::RequiredFreshness;
use super::clause::Parsed;
use super::element::{Ask, Property, Sensed, State};
use super::house::{DeviceFacts, KnownHouse};
use super::target::{Named, Rest};
use crate::home::device::Device;
use crate::home::intent::Action;
use crate::home::language::{self, Topic};

/// A question about devices.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Question<'h> {
    pub ask: Ask,
    pub about: About,
    /// The devices that are asked about, in the order of the house.
    pub devices: Vec<&'h Device>,
    /// The room, if nothing else was named.
    pub room: Option<String>,
    /// One device was named.
    pub named: bool,
    /// All words of its name were said.
    whole: bool,
    /// At least one of the devices reports it.
    is_reported: bool,
    /// Only a property is said, and nothing that asks.
    pub is_bare: bool,
}

impl<'h> Question<'h> {
    /// Returns how fresh the house must be for the answer.
    pub fn freshness(&self) -> RequiredFreshness {
        match self.about {
            About::Topic(Topic::Changed) => RequiredFreshness::Changes,
            _ => RequiredFreshness::States,
        }
    }

    /// The devices that an answer speaks of, for "them".
    pub fn mentioned_devices(&self, house: &KnownHouse) -> Vec<&'h Device> {
        let is_so = |device: &&&Device| self.about.holds(house.facts(device)) == Some(true);
        let (so, others): (Vec<&Device>, Vec<&Device>) =
            self.devices.iter().partition(|device| is_so(device));
        match self.ask {
            Ask::There | Ask::Which | Ask::HowMany => so,
            Ask::YesNo if others.is_empty() => so,
            Ask::YesNo => others,
            Ask::What if self.named => self.devices.clone(),
            Ask::What | Ask::List => Vec::new(),
        }
    }

    /// Ranks this way to read a question; the lowest rank wins. A full name beats a kind, and a property
    /// that is asked for beats the state in general.
    pub fn rank(&self) -> u8 {
        let rank = match (self.whole, self.about) {
            _ if !self.is_reported => 5,
            (true, About::Property(Property::State)) => 1,
            (true, _) => 0,
            (false, About::Sensed(..)) => 2,
            (false, About::Property(Property::State)) => 4,
            (false, _) => 3,
        };
        // "One of the lamps" is no lamp.
        2 * rank + u8::from(self.ask == Ask::YesNo)
    }
}

/// The subject of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    State(State),
    Sensed(Sensed, bool),
    Property(Property),
    Topic(Topic),
}

impl About {
    /// Returns true if a device is so, or none if its facts do not tell.
    pub fn holds(self, facts: &DeviceFacts) -> Option<bool> {
        match self {
            Self::State(state) => state.is_true_of(facts),
            Self::Sensed(sensed, there) => {
                sensed.is_sensed_by(facts).map(|is_sensed| is_sensed == there)
            }
            Self::Topic(_) => Some(true),
            Self::Property(property) => (!property.readings(facts).is_empty()).then_some(true),
        }
    }
}

impl Parsed {
    /// Reads the question of a clause. Returns `None` if it is no question, or not about this house.
    pub(super) fn question<'h>(
        &self,
        rest: &Rest<'h, '_>,
        referred: Option<Vec<&'h Device>>,
    ) -> Option<Question<'h>> {
        if self.is_order() {
            return None;
        }
        let (ask, about) = self.property_in_question()?;
        let several = matches!(ask, Ask::There | Ask::Which | Ask::HowMany);
        let kind = matches!(about, About::Sensed(..)).then_some("everything");
        let is_known = |about: About, device: &Device| {
            let facts = rest.house.facts(device);
            about.holds(facts).is_some()
        };
        let quantified = rest.places.iter().any(|at| {
            let word = rest.tokens.get(*at).and_then(|token| token.word());
            word.is_some_and(language::is_all)
        });
        // "Does the motion sensor sense anything?" may be about a device with that name.
        let by_name = kind.map(|_| rest.find_asked(false, None));
        let named = match by_name {
            _ if referred.is_some() => Named::Devices(referred.unwrap_or_default()),
            Some(Named::Devices(devices))
                if devices.iter().all(|device| is_known(about, device)) =>
            {
                Named::Devices(devices)
            }
            _ => rest.find_asked(several && kind.is_none(), kind),
        };
        let (mut devices, room, is_one) = match named {
            Named::Devices(devices) => {
                let one = devices.len() == 1;
                (devices, None, one && !quantified)
            }
            Named::Set(set) => (set.members, set.room, false),
            Named::Room(room, devices) => (devices, Some(room), false),
            Named::OneOf(devices) if several => (devices, None, false),
            Named::OneOf(devices) => {
                // Of several with that name, the one that reports it is meant.
                let reporting: Vec<&Device> =
                    devices.into_iter().filter(|device| is_known(about, device)).collect();
                if reporting.len() != 1 {
                    return None;
                }
                (reporting, None, true)
            }
            Named::Nothing => return None,
        };
        // "On", said of a sensor, means that it detects something.
        let switches = |device: &&Device| {
            let facts = rest.house.facts(device);
            facts.can(Action::On) || facts.can(Action::Off)
        };
        let about = match about {
            about if devices.iter().any(switches) => about,
            About::State(State::On) => About::State(State::Detected),
            About::State(State::Off) => About::State(State::Clear),
            about => about,
        };
        // "Open" may be said of a door or of a lock.
        let is_reported = devices.iter().any(|device| is_known(about, device));
        let is_always_answered = matches!(
            about,
            About::Property(_) | About::Topic(_) | About::State(State::Detected | State::Clear)
        );
        let (ask, about) = match (about, devices.as_slice()) {
            _ if is_reported || is_always_answered => (ask, about),
            (About::State(state), [device]) if is_one => {
                if state.applies(rest.house.facts(device)) {
                    (ask, about)
                } else {
                    // "Is the front door closed?", of a lock that only knows whether it is locked.
                    (Ask::What, About::Property(Property::State))
                }
            }
            _ => return None,
        };
        if let About::Sensed(..) = about {
            devices.retain(|device| is_known(about, device));
        }
        let whole = match devices.as_slice() {
            [device] if is_one => rest.has_full_name_of(device),
            _ => false,
        };
        Some(Question {
            ask,
            about,
            devices,
            room,
            named: is_one,
            whole,
            is_reported,
            is_bare: self.ask.is_none()
                && !self.asks_property
                && matches!(about, About::Property(_)),
        })
    }

    /// Returns how something is asked, and what. Returns `None` if nothing is, or if the two do not fit.
    pub(super) fn property_in_question(&self) -> Option<(Ask, About)> {
        if let Some(topic) = self.topic {
            let is_alone = (self.state, self.sensed, self.property) == (None, None, None);
            return is_alone.then_some((Ask::What, About::Topic(topic)));
        }
        let about = match (self.state, self.sensed, self.property) {
            (Some(State::Detected | State::On) | None, Some(sensed), None) => {
                About::Sensed(sensed, true)
            }
            (Some(State::Clear | State::Off), Some(sensed), None) => About::Sensed(sensed, false),
            (Some(state), None, None | Some(Property::State)) => About::State(state),
            (None, None, Some(property)) => About::Property(property),
            (None, None, None) if matches!(self.ask, Some(Ask::List | Ask::What)) => {
                About::Property(Property::State)
            }
            _ => return None,
        };
        let is_value = matches!(about, About::Property(_));
        let ask = match self.ask {
            Some(Ask::YesNo) if self.any => Ask::There,
            Some(Ask::What) if !is_value => Ask::Which,
            Some(ask) => ask,
            None if is_value => Ask::What,
            None if self.any => Ask::There,
            None => return None,
        };
        let asks_for_value = matches!(ask, Ask::What | Ask::List);
        (is_value == asks_for_value).then_some((ask, about))
    }
}

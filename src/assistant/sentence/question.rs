//! Questions: what they ask, and about which devices.

use super::RequiredFreshness;
use super::clause::Parsed;
use super::element::{Property, QuestionForm, Sensed, State};
use super::house::{DeviceFacts, KnownHouse};
use super::target::{Named, Rest};
use crate::home::device::Device;
use crate::home::intent::Action;
use crate::home::language::{self, Topic};

/// A question about devices.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Question<'h> {
    pub form: QuestionForm,
    pub about: About,
    /// The devices that the question is about.
    pub devices: Vec<&'h Device>,
    /// The room that limits the question, if any.
    pub room: Option<String>,
    /// True if a single device was named.
    pub names_one: bool,
    /// True if a single device was named by all words of its name.
    has_full_name: bool,
    /// True if at least one of the devices reports what is asked.
    is_reported: bool,
    /// True if the user only names a property, without a question phrase.
    pub is_bare: bool,
}

impl<'h> Question<'h> {
    /// Returns how fresh the data must be for the answer.
    pub fn freshness(&self) -> RequiredFreshness {
        match self.about {
            About::Topic(Topic::Changed) => RequiredFreshness::Changes,
            _ => RequiredFreshness::States,
        }
    }

    /// Returns the devices that the answer mentions. A later "them" refers to these.
    pub fn mentioned_devices(&self, house: &KnownHouse) -> Vec<&'h Device> {
        let is_matching =
            |device: &&&Device| self.about.is_true_of(house.facts(device)) == Some(true);
        let (matching, others): (Vec<&Device>, Vec<&Device>) =
            self.devices.iter().partition(|device| is_matching(device));
        match self.form {
            QuestionForm::There | QuestionForm::Which | QuestionForm::HowMany => matching,
            QuestionForm::YesNo if others.is_empty() => matching,
            QuestionForm::YesNo => others,
            QuestionForm::What if self.names_one => self.devices.clone(),
            QuestionForm::What | QuestionForm::List => Vec::new(),
        }
    }

    /// Ranks this reading of a question. The lowest rank wins: a full name beats a kind, and a particular
    /// property beats the state in general.
    pub fn rank(&self) -> u8 {
        let rank = match (self.has_full_name, self.about) {
            _ if !self.is_reported => 5,
            (true, About::Property(Property::State)) => 1,
            (true, _) => 0,
            (false, About::Sensed(..)) => 2,
            (false, About::Property(Property::State)) => 4,
            (false, _) => 3,
        };
        // "Is one of the lamps on?" is not about a single lamp, so other forms beat yes-no on a tie.
        2 * rank + u8::from(self.form == QuestionForm::YesNo)
    }
}

/// What a question asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    State(State),
    /// The event is detected, or not if `false`.
    Sensed(Sensed, bool),
    Property(Property),
    Topic(Topic),
}

impl About {
    /// Returns whether this is true of a device, or `None` if its facts do not tell. A property is true of a
    /// device that reports it.
    pub fn is_true_of(self, facts: &DeviceFacts) -> Option<bool> {
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
    /// Reads a clause as a question. `referred` are the devices that a pronoun refers to. Returns `None` if
    /// the clause is not a question, or not about this house.
    pub(super) fn question<'h>(
        &self,
        rest: &Rest<'h, '_>,
        referred: Option<Vec<&'h Device>>,
    ) -> Option<Question<'h>> {
        if self.is_order() {
            return None;
        }
        let (form, about) = self.form_and_subject()?;
        let asks_several = matches!(
            form,
            QuestionForm::There | QuestionForm::Which | QuestionForm::HowMany
        );
        let kind = matches!(about, About::Sensed(..)).then_some("everything");
        let is_known =
            |about: About, device: &Device| about.is_true_of(rest.house.facts(device)).is_some();
        let says_all = rest.indices.iter().any(|at| {
            let word = rest.tokens.get(*at).and_then(|token| token.word());
            word.is_some_and(language::is_all)
        });
        // "Does the motion sensor sense anything?" may be about a device with that name.
        let by_name = kind.map(|_| rest.find_asked(false, None));
        let named = match (referred, by_name) {
            (Some(devices), _) => Named::Devices(devices),
            (None, Some(Named::Devices(devices)))
                if devices.iter().all(|device| is_known(about, device)) =>
            {
                Named::Devices(devices)
            }
            _ => rest.find_asked(asks_several && kind.is_none(), kind),
        };
        let (mut devices, room, names_one) = match named {
            Named::Devices(devices) => {
                let names_one = devices.len() == 1 && !says_all;
                (devices, None, names_one)
            }
            Named::Set(set) => (set.members, set.room, false),
            Named::Room(room, devices) => (devices, Some(room), false),
            Named::OneOf(devices) if asks_several => (devices, None, false),
            Named::OneOf(devices) => {
                // Several devices have the name. If only one of them can answer, the question is about it.
                let reporting: Vec<&Device> =
                    devices.into_iter().filter(|device| is_known(about, device)).collect();
                if reporting.len() != 1 {
                    return None;
                }
                (reporting, None, true)
            }
            Named::Nothing => return None,
        };
        // A sensor that is "on" detects something.
        let can_be_switched = |device: &&Device| {
            let facts = rest.house.facts(device);
            facts.can(Action::On) || facts.can(Action::Off)
        };
        let about = match about {
            about if devices.iter().any(can_be_switched) => about,
            About::State(State::On) => About::State(State::Detected),
            About::State(State::Off) => About::State(State::Clear),
            about => about,
        };
        let is_reported = devices.iter().any(|device| is_known(about, device));
        let is_always_answered = matches!(
            about,
            About::Property(_) | About::Topic(_) | About::State(State::Detected | State::Clear)
        );
        let (form, about) = match (about, devices.as_slice()) {
            _ if is_reported || is_always_answered => (form, about),
            (About::State(state), [device]) if names_one => {
                if state.applies(rest.house.facts(device)) {
                    (form, about)
                } else {
                    // "Is the front door closed?" may be about a lock, which only knows whether it is locked.
                    // Tell its state instead.
                    (QuestionForm::What, About::Property(Property::State))
                }
            }
            _ => return None,
        };
        if let About::Sensed(..) = about {
            devices.retain(|device| is_known(about, device));
        }
        let has_full_name = match devices.as_slice() {
            [device] if names_one => rest.has_full_name_of(device),
            _ => false,
        };
        Some(Question {
            form,
            about,
            devices,
            room,
            names_one,
            has_full_name,
            is_reported,
            is_bare: self.question_form.is_none()
                && !self.asks_property
                && matches!(about, About::Property(_)),
        })
    }

    /// Returns the form and the subject of the question. Returns `None` if one of them is missing, or if they
    /// do not fit together.
    pub(super) fn form_and_subject(&self) -> Option<(QuestionForm, About)> {
        if let Some(topic) = self.topic {
            let is_only_topic = (self.state, self.sensed, self.property) == (None, None, None);
            return is_only_topic.then_some((QuestionForm::What, About::Topic(topic)));
        }
        let about = match (self.state, self.sensed, self.property) {
            (Some(State::Detected | State::On) | None, Some(sensed), None) => {
                About::Sensed(sensed, true)
            }
            (Some(State::Clear | State::Off), Some(sensed), None) => About::Sensed(sensed, false),
            (Some(state), None, None | Some(Property::State)) => About::State(state),
            (None, None, Some(property)) => About::Property(property),
            (None, None, None)
                if matches!(
                    self.question_form,
                    Some(QuestionForm::List | QuestionForm::What)
                ) =>
            {
                About::Property(Property::State)
            }
            _ => return None,
        };
        let is_value = matches!(about, About::Property(_));
        let form = match self.question_form {
            Some(QuestionForm::YesNo) if self.asks_any => QuestionForm::There,
            Some(QuestionForm::What) if !is_value => QuestionForm::Which,
            Some(form) => form,
            None if is_value => QuestionForm::What,
            None if self.asks_any => QuestionForm::There,
            None => return None,
        };
        let asks_for_value = matches!(form, QuestionForm::What | QuestionForm::List);
        (is_value == asks_for_value).then_some((form, about))
    }
}

//! Questions: their subjects, and the devices that they are about.

use super::RequiredFreshness;
use super::clause::Clause;
use super::element::QuestionForm::{HowMany, Left, There, Which, YesNo};
use super::element::{Property, QuestionForm, Sensed, State};
use super::house::KnownHouse;
use super::target::Rest;
use crate::home::category::Category;
use crate::home::device::Device;
use crate::home::language::{self, Topic};
use crate::home::names::{Purpose, Resolved};
use crate::home::only;
use crate::home::published::PublishedDevice;
use crate::home::word::Word;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct HouseQuestion<'h> {
    pub form: QuestionForm,
    pub about: About,
    /// The devices that the question is about.
    pub devices: Vec<&'h Device>,
    /// The room that limits the question, if any.
    pub room: Option<String>,
    /// True if exactly one device was named.
    pub names_one: bool,
    /// How many of several devices have to be in a state.
    pub quantity: Quantity,
    /// True if the user only names a property, without a question phrase.
    pub only_names_property: bool,
    /// The rank among the ways to read the question. The lowest wins.
    pub rank: u8,
}

impl<'h> HouseQuestion<'h> {
    /// Returns the freshness that the answer requires of the data.
    pub fn freshness(&self) -> RequiredFreshness {
        match self.about {
            About::Topic(Topic::Changed) => RequiredFreshness::Changes,
            _ if self.form == QuestionForm::When => RequiredFreshness::Changes,
            _ => RequiredFreshness::States,
        }
    }

    /// Returns the devices for which `about` has the truth value `is_true`. `None` means unknown.
    pub fn devices_where(
        &self,
        house: &KnownHouse,
        about: About,
        is_true: Option<bool>,
    ) -> Vec<&'h Device> {
        let mut devices = self.devices.clone();
        devices.retain(|device| about.is_true_of(house.facts(device)) == is_true);
        devices
    }

    /// Returns the devices that "it" or "them" in the next sentence refers to: those that the answer singles
    /// out. A list of devices or of their values singles out no device.
    pub fn mentioned_devices(&self, house: &KnownHouse) -> Vec<&'h Device> {
        let matching = self.devices_where(house, self.about, Some(true));
        let mut others = self.devices.clone();
        others.retain(|device| !matching.contains(device));
        match self.form {
            There | Which | HowMany => matching,
            YesNo | Left if others.is_empty() => matching,
            YesNo | Left => others,
            _ if self.names_one => self.devices.clone(),
            _ => Vec::new(),
        }
    }
}

/// How many of several devices have to be in a state for a yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    /// One: "any", "did I leave", or a plural without an article.
    Any,
    /// Each: "all" or "everything".
    Each,
    /// One device was named, and each of these may be meant. The answer tells the state of each.
    One,
    /// Unclear: "are the windows open?" The answer has a yes or no only if both readings agree.
    Unsaid,
}

/// The subject of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    State(State),
    /// An event is detected (`true`), or is not detected (`false`).
    Sensed(Sensed, bool),
    Property(Property),
    Topic(Topic),
}

impl About {
    /// Returns whether the subject is true of a device, or `None` if the facts do not tell. A property is true
    /// of a device that reports the property.
    pub fn is_true_of(self, facts: &PublishedDevice) -> Option<bool> {
        match self {
            Self::State(state) => state.is_true_of(facts),
            Self::Sensed(sensed, expected) => {
                sensed.is_sensed_by(facts).map(|is_sensed| is_sensed == expected)
            }
            Self::Topic(_) => Some(true),
            Self::Property(property) => (!property.readings(facts).is_empty()).then_some(true),
        }
    }

    /// Returns true if the facts tell whether the subject is true of a device.
    fn is_known_of(self, device: &Device, house: &KnownHouse) -> bool {
        self.is_true_of(house.facts(device)).is_some()
    }

    /// Returns true if the subject may be true of a device, whether or not the facts tell. Doors may be open, also those
    /// that can only be locked.
    pub fn may_be_true_of(self, device: &Device, house: &KnownHouse) -> bool {
        match self {
            Self::State(state) => {
                let is_of_door = matches!(state, State::Open | State::Closed);
                state.applies(house.facts(device)) || is_of_door && device.is_a(Category::Doors)
            }
            _ => false,
        }
    }

    /// Returns the subject of a question about these devices. If none of the devices can be switched, they are
    /// sensors, and "on" means that a sensor detects something.
    fn for_devices(self, devices: &[&Device], house: &KnownHouse) -> Self {
        let can_be_switched = |device: &&Device| State::On.applies(house.facts(device));
        match self {
            about if devices.iter().any(can_be_switched) => about,
            Self::State(State::On) => Self::State(State::Detected),
            Self::State(State::Off) => Self::State(State::Clear),
            about => about,
        }
    }
}

/// Ranks a way to read a question; the lowest rank wins. A full name beats a kind, and a particular property
/// beats the state in general.
fn rank(form: QuestionForm, about: About, has_full_name: bool) -> u8 {
    let rank = match (has_full_name, about) {
        (true, About::Property(Property::State)) => 1,
        (true, _) => 0,
        (false, About::Sensed(..)) => 2,
        (false, About::Property(Property::State)) => 4,
        (false, _) => 3,
    };
    // On a tie, open or closed beats locked or unlocked, because some languages have one word for both. Other forms
    // beat yes-no, because "is one of the lamps on?" asks about several lamps, not one.
    let is_of_lock = matches!(about, About::State(State::Locked | State::Unlocked));
    4 * rank + 2 * u8::from(is_of_lock) + u8::from(form == YesNo)
}

/// The rank of a question if none of its devices reports the subject. It loses to any result of [`rank`].
const UNREPORTED: u8 = 20;

/// The rank of a question that leaves out its subject. It loses to any order: "Leuchten an".
pub(super) const SUBJECTLESS: u8 = 31;

/// The devices that a question names.
#[derive(Default)]
struct Asked<'h> {
    devices: Vec<&'h Device>,
    room: Option<String>,
    names_one: bool,
    /// True if one device was named, and each of these may be meant.
    is_tie: bool,
}

impl<'h> Asked<'h> {
    /// Takes the devices in `referred` if a pronoun refers to devices. Otherwise, finds the devices that the
    /// rest of the question names. Returns `None` if the rest names nothing, or if it is unclear which device
    /// is meant.
    fn find(
        rest: &Rest<'h, '_>,
        referred: Option<Vec<&'h Device>>,
        form: QuestionForm,
        about: About,
    ) -> Option<Self> {
        let asks_several = [There, Which, HowMany].contains(&form);
        let is_known = |device: &&Device| about.is_known_of(device, rest.house);
        let named = match (referred, about) {
            (Some(devices), _) => Resolved::of_devices(devices),
            // "Does the motion sensor sense anything?" may be about a device that is called "motion sensor".
            (None, About::Sensed(..)) => match rest.find_asked() {
                Resolved::One(device) if is_known(&device) => Resolved::One(device),
                _ => rest.find(Purpose::Question, Some("everything")),
            },
            // "Which lamp is on?" is about all lamps.
            (None, _) if asks_several && !rest.words().is_empty() => {
                rest.find(Purpose::Question, Some("all")).or_else(|| rest.find_asked())
            }
            (None, _) => rest.find_asked(),
        };
        let mut asked = Self::default();
        match named {
            Resolved::One(device) => {
                asked.names_one = !rest.has_word(language::is_all);
                asked.devices = vec![device];
            }
            Resolved::Joined(_) => asked.devices = named.devices(),
            Resolved::Set(set) => (asked.devices, asked.room) = (set.members, set.room),
            Resolved::Room(room, devices) => (asked.devices, asked.room) = (devices, Some(room)),
            Resolved::Tie(devices) if asks_several => asked.devices = devices,
            Resolved::Tie(mut devices) => {
                // If several devices have the name and only one of them reports the subject, that one is meant.
                // The state of several is told of each, also that one of "the doors" does not tell it.
                let have_name = devices.iter().any(|device| rest.has_full_name_of(device));
                devices.retain(|device| {
                    is_known(device) || !have_name && about.may_be_true_of(device, rest.house)
                });
                asked.names_one = devices.len() == 1;
                asked.is_tie = !asked.names_one;
                let is_clear = asked.names_one || matches!(about, About::State(_));
                asked.devices = devices;
                return (is_clear && !asked.devices.is_empty()).then_some(asked);
            }
            Resolved::NoRoom | Resolved::Miss(_) => return None,
        }
        Some(asked)
    }
}

impl Clause {
    /// Reads a clause as a question. `referred` are the devices that a pronoun refers to. Returns `None` if the
    /// clause is not a question, or if the house has nothing that the question can be about.
    pub(super) fn question<'h>(
        &self,
        rest: &Rest<'h, '_>,
        referred: Option<Vec<&'h Device>>,
    ) -> Option<HouseQuestion<'h>> {
        let (form, about) = self.form_and_subject()?;
        // "Did I leave the window open?" asks for any, but "did I lock the doors?" does not.
        let is_left = self.question_form == Some(Left)
            && matches!(
                about,
                About::State(State::On | State::Open | State::Unlocked)
            );
        let asked = Asked::find(rest, referred, if is_left { There } else { form }, about)?;
        let (mut devices, names_one) = (asked.devices, asked.names_one);
        let says_each =
            |word: &Word| language::is_all_or_everything(word) || language::is_both(word);
        let quantity = if asked.is_tie {
            Quantity::One
        } else if form != YesNo {
            Quantity::Unsaid
        } else if rest.has_word(says_each) {
            Quantity::Each
        } else if self.asks_any || is_left || rest.is_bare_plural() {
            Quantity::Any
        } else {
            Quantity::Unsaid
        };
        let about = about.for_devices(&devices, rest.house);
        let is_known = |device: &&Device| about.is_known_of(device, rest.house);
        let is_reported = devices.iter().any(is_known);
        let one = only(devices.iter().copied()).filter(|_| names_one);
        let may_be_unknown = match about {
            About::State(State::Detected | State::Clear) => true,
            About::State(state) => one.is_some_and(|one| state.applies(rest.house.facts(one))),
            About::Property(_) | About::Topic(_) => true,
            About::Sensed(..) => false,
        };
        let (form, about) = match about {
            about if is_reported || may_be_unknown => (form, about),
            // "Is the front door closed?" may be about a lock, which only knows whether it is locked.
            // The answer tells the lock's state instead.
            About::State(_) if one.is_some() => {
                (QuestionForm::What, About::Property(Property::State))
            }
            _ => return None,
        };
        if let About::Sensed(..) = about {
            devices.retain(is_known);
        }
        let has_full_name = one.is_some_and(|one| rest.has_full_name_of(one));
        let rank = if is_reported {
            rank(form, about, has_full_name)
        } else {
            UNREPORTED + u8::from(form == YesNo)
        };
        let only_names_property = self.question_form.is_none()
            && !self.asks_property
            && matches!(about, About::Property(_));
        Some(HouseQuestion {
            form,
            about,
            devices,
            room: asked.room,
            names_one,
            quantity,
            only_names_property,
            rank,
        })
    }

    /// Returns the form and the subject of the question. Returns `None` if one of them is missing, or if they
    /// do not fit together, or if the clause is an order, or asks whether one is possible.
    pub(super) fn form_and_subject(&self) -> Option<(QuestionForm, About)> {
        if self.is_order() || self.asks_ability {
            return None;
        }
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
            (None, None, None) => match self.question_form {
                Some(QuestionForm::List | QuestionForm::What | HowMany) => {
                    About::Property(Property::State)
                }
                _ => return None,
            },
            _ => return None,
        };
        let is_value = matches!(about, About::Property(_));
        let form = match self.question_form {
            Some(YesNo | Left) if self.asks_any => There,
            Some(Left) => YesNo,
            Some(QuestionForm::What) if !is_value => Which,
            Some(form) => form,
            None if is_value => QuestionForm::What,
            // "Any lamps on?"
            None if self.asks_any && !self.any_after_state => There,
            None => return None,
        };
        let may_ask_when = matches!(about, About::State(_)) || form != QuestionForm::When;
        // "How many lamps are there?"
        let counts = form == HowMany && self.property.is_none();
        let asks_for_value = matches!(form, QuestionForm::What | QuestionForm::List);
        let fits = counts || is_value == asks_for_value;
        (may_ask_when && fits).then_some((form, about))
    }
}

//! Describes, in the user's language, what was done, or why nothing was done. The sentences are meant to be
//! spoken.

use super::call::{CallRefusal, DeviceCall, Target};
use super::element::{Excuse, State};
use super::house::DeviceFacts;
use super::lexicon::Lexicon;
use super::meaning::{Meaning, Step};
use super::speech::Subject;
use crate::client::ToolResult;
use crate::home::category::Category;
use crate::home::device::Device;
use crate::home::intent::Action;
use crate::home::language;

/// The outcome of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CallOutcome {
    Done,
    Moving,
    /// The server has no confirmation yet.
    Accepted,
    /// The device is asleep.
    Queued,
    /// It is unknown whether the device did it.
    Unsure,
    Failed,
    /// The device does not respond.
    Dead,
    Guarded,
    Cannot,
}

impl CallOutcome {
    /// Reads the outcome from the result of a call for a device.
    pub fn read(result: &ToolResult, device: &DeviceFacts) -> Self {
        let meta_text = |name: &str| result.meta.as_ref()?.get(name)?.as_str();
        let certainty = meta_text("zwave-mcp-server/certainty");
        match (certainty, meta_text("zwave-mcp-server/refusal")) {
            (Some("confirmed"), _) => Self::Done,
            (Some("moving"), _) => Self::Moving,
            (Some("accepted"), _) => Self::Accepted,
            (Some("queued"), _) => Self::Queued,
            (Some("unknown"), _) => Self::Unsure,
            (_, Some("guarded")) => Self::Guarded,
            (_, Some("cannot" | "out-of-range" | "arguments")) => Self::Cannot,
            (_, Some("unavailable")) => Self::Dead,
            (_, None) if !result.is_error => Self::Accepted,
            _ if !device.responding => Self::Dead,
            _ => Self::Failed,
        }
    }

    /// Returns true if devices with this outcome share a sentence even if their calls differ.
    fn is_told_without_action(self) -> bool {
        matches!(
            self,
            Self::Unsure | Self::Failed | Self::Dead | Self::Guarded | Self::Cannot
        )
    }

    fn phrase(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Moving => "moving",
            Self::Accepted => "accepted",
            Self::Queued => "queued",
            Self::Unsure => "unsure",
            Self::Failed => "failed",
            Self::Dead => "dead",
            Self::Guarded => "guarded",
            Self::Cannot => "cannot",
        }
    }
}

/// The maximum number of devices to list by name. More are counted instead.
const MAX_NAMED: usize = 3;

/// The maximum number of devices that "Which one?" offers.
const MAX_OFFERED: usize = 5;

/// The maximum number of unknown or absent words to quote.
const MAX_QUOTED: usize = 4;

impl Lexicon {
    /// Describes what was done, and names the devices that were left alone. Devices with the same call and
    /// outcome share a sentence.
    pub(super) fn tell(&self, steps: &[(&Step, CallOutcome)], left_alone: &[&Device]) -> String {
        let mut groups: Vec<(&DeviceCall, CallOutcome, Vec<&Device>)> = Vec::new();
        for (step, outcome) in steps {
            let group = groups.iter_mut().find(|(call, other, _)| {
                other == outcome && (**call == step.call || outcome.is_told_without_action())
            });
            match group {
                Some((.., devices)) => devices.push(step.device),
                None => groups.push((&step.call, *outcome, vec![step.device])),
            }
        }
        let mut texts: Vec<String> = groups
            .iter()
            .map(|(call, outcome, devices)| {
                let subject = self.joint_subject(devices);
                match outcome {
                    CallOutcome::Done => self.tell_done(call, &subject, devices),
                    CallOutcome::Moving if all_are(Category::Lights, devices) => {
                        self.say_of("dimming", &subject, &[])
                    }
                    CallOutcome::Guarded => self.tell_guarded(call.action, &subject),
                    CallOutcome::Accepted if all_are(Category::Scenes, devices) => {
                        self.say_of("scene", &subject, &[])
                    }
                    outcome => self.say_of(outcome.phrase(), &subject, &[]),
                }
            })
            .collect();
        if !left_alone.is_empty() {
            let subject = self.joint_subject(left_alone);
            let phrase = if subject.several {
                "left_several"
            } else {
                "left"
            };
            texts.push(self.say(phrase, &[("names", &subject.text)]));
        }
        texts.join(" ")
    }

    /// Combines devices into one subject: their names, or their number and kind.
    pub(super) fn joint_subject(&self, devices: &[&Device]) -> Subject {
        if devices.len() <= MAX_NAMED {
            return self.named_subject(devices);
        }
        let kinds = [
            Category::Lights,
            Category::Blinds,
            Category::Curtains,
            Category::Fans,
            Category::Locks,
            Category::Thermostats,
            Category::Outlets,
            Category::Switches,
        ];
        let kind = kinds
            .into_iter()
            .find(|kind| all_are(*kind, devices))
            .unwrap_or(Category::Everything);
        match language::words_for(kind, self.language) {
            Some((one, several)) => self.count_phrase(devices.len(), one, several),
            None => self.named_subject(devices),
        }
    }

    /// Describes a call that is confirmed.
    fn tell_done(&self, call: &DeviceCall, subject: &Subject, devices: &[&Device]) -> String {
        let say_state = |state: State| self.say_state("done", state, subject);
        let say_value =
            |phrase: &str, value: &str| self.say_of(phrase, subject, &[("value", value)]);
        match (&call.action, &call.with) {
            (Action::On, _) if all_are(Category::Scenes, devices) => {
                self.say_of("scene", subject, &[])
            }
            (Action::Open, Target::Percent(percent)) => {
                say_value("position", &self.decimal(*percent))
            }
            (Action::Increase, _) if all_are(Category::Lights, devices) => {
                self.say_of("brighter", subject, &[])
            }
            (Action::Decrease, _) if all_are(Category::Lights, devices) => {
                self.say_of("darker", subject, &[])
            }
            (Action::Increase, _) => self.say_of("raised", subject, &[]),
            (Action::Decrease, _) => self.say_of("lowered", subject, &[]),
            (_, Target::Percent(0.0)) => say_state(State::Off),
            (_, Target::Percent(percent)) => say_value("level", &self.decimal(*percent)),
            (_, Target::Degrees(degrees, _)) => say_value("heat", &self.decimal(*degrees)),
            (_, Target::Color(color)) => say_value("color", word_for(&self.color_words, color)),
            (_, Target::Kelvin(kelvin)) => say_value("white", &self.decimal(*kelvin)),
            (_, Target::Mode(mode)) => say_value("mode", word_for(&self.mode_words, mode)),
            (Action::On, _) => say_state(State::On),
            (Action::Off, _) => say_state(State::Off),
            (Action::Open, _) => say_state(State::Open),
            (Action::Close, _) => say_state(State::Closed),
            (Action::Lock, _) => say_state(State::Locked),
            (Action::Unlock, _) => say_state(State::Unlocked),
            (Action::Stop, _) => self.say_of("stopped", subject, &[]),
            _ => self.say_of("switched", subject, &[]),
        }
    }

    /// Says that the guard does not allow an action.
    fn tell_guarded(&self, action: Action, subject: &Subject) -> String {
        let phrase = match action {
            Action::Unlock => "guarded_unlock",
            _ => "guarded",
        };
        self.say_of(phrase, subject, &[])
    }

    /// Says why nothing is done. For other meanings, returns an empty string.
    pub(super) fn tell_refusal(&self, meaning: &Meaning) -> String {
        match meaning {
            Meaning::WhichOne(_, devices) => {
                let shown: Vec<&Device> = devices.iter().take(MAX_OFFERED).copied().collect();
                let names = self.list(&self.with_articles(&shown), "or");
                self.say("which", &[("names", &names)])
            }
            Meaning::Cannot(CallRefusal::OutOfRange(limits), devices) => {
                // Any unit of one letter, or none, is taken for degrees.
                let is_short = limits.unit.len() < 2 && limits.unit != "%";
                let is_degrees = limits.unit.contains('°') || is_short;
                let unit = if is_degrees {
                    self.phrase("degrees")
                } else {
                    limits.unit.as_str()
                };
                let (min, max) = (self.decimal(limits.min), self.decimal(limits.max));
                let fillings = [("min", min.as_str()), ("max", max.as_str()), ("unit", unit)];
                self.say_of("out_of_range", &self.joint_subject(devices), &fillings)
            }
            Meaning::Cannot(CallRefusal::Guarded(action), devices) => {
                self.tell_guarded(*action, &self.joint_subject(devices))
            }
            Meaning::Cannot(CallRefusal::Cannot, devices) => {
                self.say_of("cannot", &self.joint_subject(devices), &[])
            }
            Meaning::UnresolvedPronoun => self.say("no_reference", &[]),
            Meaning::Unclear => self.say("ambiguous", &[]),
            Meaning::Do(..)
            | Meaning::Question(_)
            | Meaning::Silent
            | Meaning::Unknown(..)
            | Meaning::Absent(_) => String::new(),
        }
    }

    /// Says which words were not understood, or why the sentence is not an order to carry out at once.
    pub(super) fn tell_unknown(&self, words: &[String], excuse: Option<Excuse>) -> String {
        let phrase = match excuse {
            Some(Excuse::Later) => "later",
            Some(Excuse::Condition) => "condition",
            Some(Excuse::Denial) => "denial",
            Some(Excuse::Quotation) => "quotation",
            None if words.is_empty() => "nothing_understood",
            None => "not_understood",
        };
        self.say(phrase, &[("words", &self.quote(words))])
    }

    /// Says that the house has none of the things that these words mean.
    pub(super) fn tell_absent(&self, words: &[String]) -> String {
        self.say("nothing_found", &[("words", &self.quote(words))])
    }

    /// Lists words in quotation marks.
    fn quote(&self, words: &[String]) -> String {
        let quoted: Vec<String> =
            words.iter().take(MAX_QUOTED).map(|word| format!("\"{word}\"")).collect();
        self.list(&quoted, "and")
    }
}

/// Returns the language's word for a name in the control tool, or the name if there is none.
fn word_for<'l>(words: &'l [(String, String)], name: &'l str) -> &'l str {
    let lower = name.to_lowercase();
    let found = words.iter().find(|(key, _)| *key == lower);
    found.map_or(name, |(_, word)| word)
}

fn all_are(category: Category, devices: &[&Device]) -> bool {
    devices.iter().all(|device| device.categories.has(category))
}

//! Puts outcomes into sentences to be spoken, in the asker's language: what was done, or why nothing was.

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
    Accepted,
    Queued,
    Unsure,
    Failed,
    /// The device does not respond.
    Dead,
    Guarded,
    Cannot,
}

impl CallOutcome {
    /// Reads the outcome of a call for a device from its result.
    pub fn read(result: &ToolResult, device: &DeviceFacts) -> Self {
        let fact = |name: &str| result.meta.as_ref()?.get(name)?.as_str();
        let certainty = fact("zwave-mcp-server/certainty");
        match (certainty, fact("zwave-mcp-server/refusal")) {
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

    /// Returns true if devices with this outcome share a sentence, whatever each was to do.
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

/// The maximum number of devices that are named; more are counted.
const MAX_NAMED: usize = 3;

/// The maximum number of names that a question offers.
const MAX_OFFERED: usize = 5;

/// The maximum number of words that are quoted as not understood.
const MAX_QUOTED: usize = 4;

impl Lexicon {
    /// Words what was done, in one sentence for each outcome, and names the devices that were left alone.
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

    /// Words devices as one subject: their names, or their number and kind.
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
            Category::Everything,
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

    fn tell_done(&self, call: &DeviceCall, subject: &Subject, devices: &[&Device]) -> String {
        let state = |state: State| self.say_state("done", state, subject);
        let valued = |phrase: &str, value: &str| self.say_of(phrase, subject, &[("value", value)]);
        match (&call.action, &call.with) {
            (Action::On, _) if all_are(Category::Scenes, devices) => {
                self.say_of("scene", subject, &[])
            }
            (_, Target::Percent(percent)) if call.action == Action::Open => {
                valued("position", &self.decimal(*percent))
            }
            (Action::Increase, _) if all_are(Category::Lights, devices) => {
                self.say_of("brighter", subject, &[])
            }
            (Action::Decrease, _) if all_are(Category::Lights, devices) => {
                self.say_of("darker", subject, &[])
            }
            (Action::Increase, _) => self.say_of("raised", subject, &[]),
            (Action::Decrease, _) => self.say_of("lowered", subject, &[]),
            (_, Target::Percent(0.0)) => state(State::Off),
            (_, Target::Percent(percent)) => valued("level", &self.decimal(*percent)),
            (_, Target::Degrees(degrees, _)) => valued("heat", &self.decimal(*degrees)),
            (_, Target::Color(color)) => valued("color", word_for(&self.color_words, color)),
            (_, Target::Kelvin(kelvin)) => valued("white", &self.decimal(*kelvin)),
            (_, Target::Mode(mode)) => valued("mode", word_for(&self.mode_words, mode)),
            (Action::On, _) => state(State::On),
            (Action::Off, _) => state(State::Off),
            (Action::Open, _) => state(State::Open),
            (Action::Close, _) => state(State::Closed),
            (Action::Lock, _) => state(State::Locked),
            (Action::Unlock, _) => state(State::Unlocked),
            (Action::Stop, _) => self.say_of("stopped", subject, &[]),
            _ => self.say_of("switched", subject, &[]),
        }
    }

    /// Says that an action is not allowed.
    fn tell_guarded(&self, action: Action, subject: &Subject) -> String {
        let phrase = match action {
            Action::Unlock => "guarded_unlock",
            _ => "guarded",
        };
        self.say_of(phrase, subject, &[])
    }

    /// Words why nothing is done.
    pub(super) fn tell_refusal(&self, meaning: &Meaning) -> String {
        match meaning {
            Meaning::WhichOne(_, devices) => {
                let shown: Vec<&Device> = devices.iter().take(MAX_OFFERED).copied().collect();
                let names = self.list(&self.with_articles(&shown), "or");
                self.say("which", &[("names", &names)])
            }
            Meaning::Cannot(CallRefusal::OutOfRange(limits), devices) => {
                // Degrees have the unit "°C" or "C", or none.
                let has_letter_or_none = limits.unit.len() < 2 && limits.unit != "%";
                let is_degrees = limits.unit.contains('°') || has_letter_or_none;
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
            _ => String::new(),
        }
    }

    /// Tells which words were not understood, or why the sentence is no order for now.
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

    /// Tells which words stand for things that the house does not have.
    pub(super) fn tell_absent(&self, words: &[String]) -> String {
        self.say("nothing_found", &[("words", &self.quote(words))])
    }

    fn quote(&self, words: &[String]) -> String {
        let quoted: Vec<String> =
            words.iter().take(MAX_QUOTED).map(|word| format!("\"{word}\"")).collect();
        self.list(&quoted, "and")
    }
}

fn word_for<'l>(words: &'l [(String, String)], name: &'l str) -> &'l str {
    let lower = name.to_lowercase();
    let found = words.iter().find(|(key, _)| *key == lower);
    found.map_or(name, |(_, word)| word)
}

fn all_are(category: Category, devices: &[&Device]) -> bool {
    devices.iter().all(|device| device.categories.has(category))
}

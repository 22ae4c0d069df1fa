//! Describes what was done, or why nothing was done, in the user's language. The texts are meant to be
//! spoken.

use std::collections::BTreeMap;

use super::call::{CallRefusal, DeviceCall};
use super::element::State;
use super::lexicon::{Lexicon, first_word};
use super::meaning::{OrderStep, SentenceMeaning, SentencePlan};
use super::speech::Subject;
use super::value::OrderValue;
use crate::assistant::conversation::Turn;
use crate::client::ToolResult;
use crate::home::category::Category;
use crate::home::device::Device;
use crate::home::intent::Action;
use crate::home::language;
use crate::home::outcome::{Certainty, RangeEnd, RefusalReason, ResultFacts};
use crate::home::published::PublishedState;

/// Returns the name of the phrase that tells the outcome of a call.
pub(super) fn outcome_phrase(result: &ToolResult) -> &'static str {
    let facts = ResultFacts::read(result.meta.as_ref());
    match (facts.certainty, facts.limit, facts.reason) {
        (Some(Certainty::Confirmed), Some(RangeEnd::Max), _) => "at_max",
        (Some(Certainty::Confirmed), Some(RangeEnd::Min), _) => "at_min",
        (Some(Certainty::Confirmed), ..) if may_be_off(&facts) => "done_while_off",
        (Some(Certainty::Confirmed), ..) => "done",
        (Some(Certainty::Moving), ..) => "moving",
        (Some(Certainty::Accepted), ..) => "accepted",
        (Some(Certainty::Queued), ..) => "queued",
        (Some(Certainty::Unknown), ..) => "unsure",
        (_, _, Some(reason)) => match reason {
            RefusalReason::Guarded => "guarded",
            RefusalReason::Declined => "declined",
            RefusalReason::Unanswered => "unanswered",
            RefusalReason::Cannot | RefusalReason::OutOfRange | RefusalReason::Arguments => {
                "cannot"
            }
            RefusalReason::Unavailable | RefusalReason::NotResponding => "dead",
            RefusalReason::Off => "is_off",
            RefusalReason::StateUnknown | RefusalReason::Asleep => "state_unknown",
            RefusalReason::Replaced => "replaced",
            RefusalReason::UnknownName => "nothing_found",
            _ => "failed",
        },
        // Another server's result may have no facts.
        (_, _, None) if result.is_error => "failed",
        (_, _, None) => "accepted",
    }
}

/// Returns true if a device was off, and its answer does not tell whether it is on now. A color, for one, does not switch
/// a lamp on.
fn may_be_off(facts: &ResultFacts) -> bool {
    let is_told = |state: &PublishedState| state.current.on.is_some();
    facts.before.iter().any(|before| before.current.on == Some(false))
        && !facts.now.iter().any(is_told)
}

/// Returns true if a call in `turns` was to put a device into a state, or was seen to do so.
pub(super) fn has_put(turns: &[Turn], device: &str, state: State) -> bool {
    let is_in = |reported: &PublishedState| state.is_reported_by(&reported.current) == Some(true);
    turns.iter().any(|turn| {
        let Turn::Called { call, result } = turn else {
            return false;
        };
        let facts = ResultFacts::read(result.meta.as_ref());
        let [before, now] = [&facts.before, &facts.now]
            .map(|states| states.iter().find(|reported| reported.device == device));
        let action = call.arguments.get("action").cloned();
        let action = action.and_then(|action| serde_json::from_value(action).ok());
        let is_ordered = action.and_then(State::after) == Some(state);
        !result.is_error
            && before.is_some_and(|before| is_ordered || !is_in(before) && now.is_some_and(is_in))
    })
}

/// The maximum number of devices to list by name. More devices are counted: "four lights".
const MAX_NAMED: usize = 3;

/// The maximum number of devices that "Which one?" offers.
const MAX_OFFERED: usize = 5;

/// The maximum number of unknown or absent words to quote.
const MAX_QUOTED: usize = 4;

impl Lexicon {
    /// Describes what was done, and names the devices that were left alone. `steps` has the phrase for each
    /// step's outcome. Devices with the same call and outcome share a sentence.
    pub(super) fn tell(&self, steps: &[(&OrderStep, &str)], left_alone: &[&Device]) -> String {
        let mut groups: Vec<(&DeviceCall, &str, Vec<&Device>)> = Vec::new();
        for (step, outcome) in steps {
            // Devices with different calls may share all phrases but these. The phrase "guarded" mentions the
            // action of the first device. The other phrases mention no action.
            let fits_any_call =
                !["done", "done_while_off", "moving", "accepted", "queued"].contains(outcome);
            let group = groups.iter_mut().find(|(call, group_outcome, _)| {
                group_outcome == outcome && (**call == step.call || fits_any_call)
            });
            match group {
                Some((.., devices)) => devices.push(step.device),
                None => groups.push((&step.call, outcome, vec![step.device])),
            }
        }
        let mut texts: Vec<String> = groups
            .iter()
            .map(|(call, outcome, devices)| {
                let subject = self.joint_subject(devices);
                let phrase = match *outcome {
                    "done" => return self.tell_done(call, &subject, devices),
                    "done_while_off" => {
                        let done = self.tell_done(call, &subject, devices);
                        return format!("{done} {}", self.say("was_off", &[]));
                    }
                    "guarded" => guarded_phrase(call.action),
                    "is_off" => return self.say_state("is_off", State::Off, &subject),
                    "nothing_found" => return self.tell_absent(&phrases_not_found(steps)),
                    "moving" if all_are(Category::Lights, devices) => "dimming",
                    "accepted" if all_are(Category::Scenes, devices) => "scene",
                    outcome => outcome,
                };
                self.say_of(phrase, &subject, &[])
            })
            .collect();
        if !left_alone.is_empty() {
            texts.push(self.tell_left(left_alone));
        }
        texts.join(" ")
    }

    /// Says that devices were left as they were.
    fn tell_left(&self, devices: &[&Device]) -> String {
        let subject = self.joint_subject(devices);
        let phrase = if subject.is_plural {
            "left_several"
        } else {
            "left"
        };
        self.say(phrase, &[("names", &subject.text)])
    }

    /// Combines devices into one subject: their names, or their number and kind.
    pub(super) fn joint_subject(&self, devices: &[&Device]) -> Subject {
        if devices.len() <= MAX_NAMED {
            return self.named_subject(devices);
        }
        // Later categories are narrower. But lights that are dimmers, too, are called lights.
        let kinds = [Category::Lights].into_iter().chain(Category::ALL.into_iter().rev());
        let mut kinds =
            kinds.filter(|kind| *kind == Category::Everything || all_are(*kind, devices));
        match kinds.find_map(|kind| language::words_for(kind, self.language)) {
            Some((singular, plural)) => self.count_phrase(devices.len(), singular, plural),
            None => self.named_subject(devices),
        }
    }

    /// Says what a confirmed call has done.
    fn tell_done(&self, call: &DeviceCall, subject: &Subject, devices: &[&Device]) -> String {
        let is_light = all_are(Category::Lights, devices);
        let value = match &call.value {
            Some(OrderValue::Percent(number) | OrderValue::Kelvin(number)) => self.decimal(*number),
            Some(OrderValue::Temperature(temperature)) => self.decimal(temperature.degrees),
            Some(OrderValue::Color(color)) => word_for(&self.table.colors, color),
            Some(OrderValue::Mode(mode)) => word_for(&self.table.modes, mode),
            Some(OrderValue::Number(_)) | None => String::new(),
        };
        let phrase = match (call.action, &call.value) {
            (Action::On, _) if all_are(Category::Scenes, devices) => "scene",
            (Action::Open, Some(OrderValue::Percent(_))) => "position",
            (Action::Increase, _) if is_light => "brighter",
            (Action::Decrease, _) if is_light => "darker",
            (Action::Increase, _) => "raised",
            (Action::Decrease, _) => "lowered",
            (_, Some(OrderValue::Percent(percent))) if *percent > 0.0 => "level",
            (_, Some(OrderValue::Temperature(_))) => "heat",
            (_, Some(OrderValue::Color(_))) => "color",
            (_, Some(OrderValue::Kelvin(_))) => "white",
            (_, Some(OrderValue::Mode(_))) => "mode",
            (Action::Stop, _) => "stopped",
            // The only value that is left is 0 %.
            (action, value) => match value.as_ref().map(|_| State::Off).or(State::after(action)) {
                Some(state) => return self.say_state("done", state, subject),
                None => "switched",
            },
        };
        self.say_of(phrase, subject, &[("value", &value)])
    }

    /// Says why nothing is done. For meanings that are not refusals, returns an empty string.
    pub(super) fn tell_refusal(&self, meaning: &SentenceMeaning) -> String {
        use SentenceMeaning::{Able, Cannot, WhichOne};
        let of = |phrase, devices| self.say_of(phrase, &self.joint_subject(devices), &[]);
        match meaning {
            WhichOne(_, devices) => {
                let shown: Vec<&Device> = devices.iter().take(MAX_OFFERED).copied().collect();
                let names = self.list(&self.with_articles(&shown), "or");
                let phrase = if devices.len() == 1 { "mean" } else { "which" };
                self.say(phrase, &[("names", &names)])
            }
            Cannot(CallRefusal::OutOfRange(limits), devices) => {
                // A unit of one letter ("C"), or no unit, is taken for degrees.
                let is_short = limits.unit.len() < 2 && limits.unit != "%";
                let is_degrees = limits.unit.contains('°') || is_short;
                let unit = if is_degrees {
                    self.phrase("degrees")
                } else {
                    &limits.unit
                };
                let (min, max) = (self.decimal(limits.min), self.decimal(limits.max));
                let fillings = [("min", min.as_str()), ("max", max.as_str()), ("unit", unit)];
                self.say_of("out_of_range", &self.joint_subject(devices), &fillings)
            }
            Cannot(CallRefusal::Guarded(action), devices) => of(guarded_phrase(*action), devices),
            Cannot(CallRefusal::NotAlone, devices) => of("say_alone", devices),
            Cannot(CallRefusal::Spared, devices) => self.tell_left(devices),
            Cannot(CallRefusal::Cannot, devices) => of("cannot", devices),
            Cannot(CallRefusal::TooMany, _) => self.say("too_many", &[]),
            Able(devices) => of("able", devices),
            SentenceMeaning::UnresolvedPronoun => self.say("no_reference", &[]),
            SentenceMeaning::Unclear => self.say("ambiguous", &[]),
            _ => String::new(),
        }
    }

    /// Says which words were not understood or, if there is an `excuse`, why the sentence is not carried out
    /// at once. An excuse is the name of a phrase, such as "later".
    pub(super) fn tell_unknown(&self, words: &[String], excuse: Option<&str>) -> String {
        let phrase = if words.is_empty() {
            "nothing_understood"
        } else {
            "not_understood"
        };
        self.say(excuse.unwrap_or(phrase), &[("words", &self.quote(words))])
    }

    /// Asks if a sentence was meant that only a slip keeps from being understood. Names what is to act, or else quotes
    /// the sentence.
    pub(super) fn tell_near(&self, sentence: &str, plan: &SentencePlan) -> String {
        let parts = plan.steps.chunk_by(|step, next| step.said == next.said);
        let name = |steps: &[OrderStep]| {
            // A set is named as it was said.
            let said = steps.first().and_then(|step| step.said.clone());
            let said = said.filter(|said| steps.len() > 1 && sentence.contains(said));
            let devices: Vec<&Device> = steps.iter().map(|step| step.device).collect();
            said.unwrap_or_else(|| self.joint_subject(&devices).text)
        };
        let names: Vec<String> = parts.map(name).collect();
        let names = if names.is_empty() {
            self.quote(&[sentence.to_owned()])
        } else {
            self.list(&names, "and")
        };
        self.say("near", &[("names", &names)])
    }

    /// Tells what is to be done later: the words that were said, and the devices that they are for.
    pub(super) fn tell_timed(
        &self,
        said: &str,
        devices: &[&Device],
        left_alone: &[&Device],
    ) -> String {
        let mut text = self.quote(&[said.to_owned()]);
        if !devices.is_empty() {
            text += &format!(" ({})", self.joint_subject(devices).text);
        }
        format!("{text}. {}", self.tell(&[], left_alone)).trim_end().to_owned()
    }

    /// Says that the house has none of the things that these words mean.
    pub(super) fn tell_absent(&self, words: &[String]) -> String {
        self.say("nothing_found", &[("words", &self.quote(words))])
    }

    /// Lists words, each in quotation marks. Leaves out the words after the first [`MAX_QUOTED`].
    fn quote(&self, words: &[String]) -> String {
        let quoted = words.iter().take(MAX_QUOTED).map(|word| format!("\"{word}\""));
        self.list(&quoted.collect::<Vec<_>>(), "and")
    }
}

/// Returns the name of the phrase that says that the guard does not allow an action.
fn guarded_phrase(action: Action) -> &'static str {
    match action {
        Action::Unlock => "guarded_unlock",
        _ => "guarded",
    }
}

/// Returns the phrases, each once, for which the server found nothing.
fn phrases_not_found(steps: &[(&OrderStep, &str)]) -> Vec<String> {
    let not_found = steps.iter().filter(|(_, outcome)| *outcome == "nothing_found");
    let mut phrases: Vec<String> = not_found.filter_map(|(step, _)| step.said.clone()).collect();
    phrases.dedup();
    phrases
}

/// Returns the language's word for a color or mode. If there is none, returns the control tool's name for it.
pub(super) fn word_for(table: &BTreeMap<String, Vec<String>>, name: &str) -> String {
    let pattern = table.get(&name.to_lowercase()).and_then(|patterns| patterns.first());
    pattern.map_or_else(|| name.to_owned(), |pattern| first_word(pattern))
}

fn all_are(category: Category, devices: &[&Device]) -> bool {
    devices.iter().all(|device| device.categories.has(category))
}

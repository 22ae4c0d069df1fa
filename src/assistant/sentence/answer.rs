//! Answers for the ear, in the asker's language, from facts.

use super::fact::Reading;
use super::house::KnownHouse;
use super::lexicon::{Excuse, Lexicon, Property, State};
use super::order::{CallRefusal, DeviceCall, Target};
use super::question::{About, Asked, Question};
use super::speech::{Subject, capitalized};
use super::understand::Meaning;
use crate::client::ToolResult;
use crate::home::category::Category;
use crate::home::device::Device;
use crate::home::intent::Action;
use crate::home::language;

/// What became of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fate {
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

impl Fate {
    /// Reads the facts of a result.
    pub fn of(result: &ToolResult) -> Self {
        let fact = |name: &str| {
            let meta = result.meta.as_ref()?.get(name)?;
            meta.as_str().map(str::to_owned)
        };
        let certainty = fact("zwave-mcp-server/certainty");
        match certainty.as_deref() {
            Some("confirmed") => return Self::Done,
            Some("moving") => return Self::Moving,
            Some("accepted") => return Self::Accepted,
            Some("queued") => return Self::Queued,
            Some("unknown") => return Self::Unsure,
            _ => {}
        }
        match fact("zwave-mcp-server/refusal").as_deref() {
            Some("guarded") => Self::Guarded,
            Some("cannot" | "out-of-range" | "arguments") => Self::Cannot,
            Some("unavailable") => Self::Dead,
            None if !result.is_error => Self::Accepted,
            _ => Self::Failed,
        }
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

/// Something that was done to a device, and what became of it.
pub(super) struct Done<'h> {
    pub device: &'h Device,
    pub call: DeviceCall,
    pub fate: Fate,
}

/// The most devices that are named one by one where they are all alike.
const MOST_NAMED: usize = 3;

impl Lexicon {
    /// What was done, in a sentence for each thing that became of it.
    pub(super) fn tell(&self, done: &[Done], left: &[&Device]) -> String {
        let mut groups: Vec<(&DeviceCall, Fate, Vec<&Device>)> = Vec::new();
        for one in done {
            let alike = |(call, fate, _): &&mut (&DeviceCall, Fate, Vec<&Device>)| {
                *fate == one.fate && (*call == &one.call || *fate > Fate::Queued)
            };
            match groups.iter_mut().find(alike) {
                Some((.., devices)) => devices.push(one.device),
                None => groups.push((&one.call, one.fate, vec![one.device])),
            }
        }
        let mut texts: Vec<String> = groups
            .iter()
            .map(|(call, fate, devices)| {
                let subject = self.row(devices);
                match fate {
                    Fate::Done => self.tell_done(call, &subject, devices),
                    Fate::Accepted if is_scene(devices) => self.say_of("scene", &subject, &[]),
                    fate => self.say_of(fate.phrase(), &subject, &[]),
                }
            })
            .collect();
        if !left.is_empty() {
            let names = self.row(left).text;
            texts.push(self.say("left", &[("names", &names)]));
        }
        texts.join(" ")
    }

    /// Devices as one subject: by their names, or how many of a kind they are.
    fn row(&self, devices: &[&Device]) -> Subject {
        if devices.len() <= MOST_NAMED {
            return self.subjects(devices);
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
        let is_all = |kind: &Category| devices.iter().all(|device| device.categories.has(*kind));
        let kind = kinds
            .into_iter()
            .find(is_all)
            .unwrap_or(Category::Everything);
        match language::words_for(kind, self.language) {
            Some((one, several)) => self.counted(devices.len(), one, several),
            None => self.subjects(devices),
        }
    }

    fn tell_done(&self, call: &DeviceCall, subject: &Subject, devices: &[&Device]) -> String {
        let state =
            |state: State| self.say_of("done", subject, &[("state", &self.state(state, subject))]);
        let valued = |phrase: &str, value: &str| self.say_of(phrase, subject, &[("value", value)]);
        match (&call.action, &call.with) {
            (Action::On, _) if is_scene(devices) => self.say_of("scene", subject, &[]),
            (_, Target::Percent(percent)) if call.action == Action::Open => {
                valued("position", &self.decimal(*percent))
            }
            (_, Target::Percent(0.0)) => state(State::Off),
            (_, Target::Percent(percent)) => valued("level", &self.decimal(*percent)),
            (_, Target::Degrees(degrees, _)) => valued("heat", &self.decimal(*degrees)),
            (_, Target::Color(color)) => valued("color", self.word_for(&self.color_words, color)),
            (_, Target::Mode(mode)) => valued("mode", self.word_for(&self.mode_words, mode)),
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

    fn word_for<'l>(&'l self, words: &'l [(String, String)], name: &'l str) -> &'l str {
        let lower = name.to_lowercase();
        let mut words = words.iter();
        let found = words.find(|(own, _)| *own == lower);
        found.map_or(name, |(_, word)| word)
    }

    /// Why nothing is done.
    pub(super) fn tell_refusal(&self, meaning: &Meaning) -> String {
        match meaning {
            Meaning::WhichOne(_, devices) => {
                let shown: Vec<String> = devices
                    .iter()
                    .take(MOST_OFFERED)
                    .map(|own| self.subject(own).text)
                    .collect();
                let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
                self.say("which", &[("names", &self.list(&shown, "or"))])
            }
            Meaning::Cannot(CallRefusal::OutOfRange(limits), devices) => {
                let is_degrees =
                    limits.unit.contains('°') || limits.unit.len() < 2 && limits.unit != "%";
                let degrees = self
                    .phrases
                    .get("degrees")
                    .map(String::as_str)
                    .unwrap_or_default();
                let unit = if is_degrees {
                    degrees
                } else {
                    limits.unit.as_str()
                };
                let (min, max) = (self.decimal(limits.min), self.decimal(limits.max));
                let fillings = [("min", min.as_str()), ("max", max.as_str()), ("unit", unit)];
                self.say_of("out_of_range", &self.row(devices), &fillings)
            }
            Meaning::Cannot(CallRefusal::Guarded, devices) => {
                self.say_of("guarded", &self.row(devices), &[])
            }
            Meaning::Cannot(CallRefusal::Cannot, devices) => {
                self.say_of("cannot", &self.row(devices), &[])
            }
            Meaning::WhatIsIt => self.say("no_reference", &[]),
            Meaning::Unclear => self.say("ambiguous", &[]),
            _ => String::new(),
        }
    }

    /// What was not understood, or what the sentence is instead of an order.
    pub(super) fn tell_unknown(&self, words: &[String], excuse: Option<Excuse>) -> String {
        let phrase = match excuse {
            Some(Excuse::Later) => "later",
            Some(Excuse::Condition) => "condition",
            Some(Excuse::Denial) => "denial",
            Some(Excuse::Quotation) => "quotation",
            None if words.is_empty() => "nothing_understood",
            None => "not_understood",
        };
        let quoted: Vec<String> = words
            .iter()
            .take(MOST_QUOTED)
            .map(|word| format!("\"{word}\""))
            .collect();
        let quoted: Vec<&str> = quoted.iter().map(String::as_str).collect();
        self.say(phrase, &[("words", &self.list(&quoted, "and"))])
    }

    /// The answer to a question; an error that says so where nothing is known that would answer it.
    pub(super) fn answer(&self, house: &KnownHouse, question: &Question) -> Result<String, String> {
        let answer = match question.about {
            About::Property(property) => self.answer_value(house, question, property),
            about => self.answer_state(house, question, about),
        };
        answer.ok_or_else(|| match (question.about, question.devices.as_slice()) {
            (About::State(_), [device]) => self.say_of("no_value", &self.subject(device), &[]),
            _ => self.say("unknown", &[]),
        })
    }

    fn answer_state(
        &self,
        house: &KnownHouse,
        question: &Question,
        about: About,
    ) -> Option<String> {
        let about = match (about, &question.room) {
            // "Is the kitchen empty" asks for people.
            (About::State(State::Clear), _) if !question.named => {
                About::Sensed(super::lexicon::Sensed::Motion, false)
            }
            (About::State(State::Detected), Some(_)) => {
                About::Sensed(super::lexicon::Sensed::Motion, true)
            }
            (about, _) => about,
        };
        let is_so = |device: &Device| about.holds(house.facts(device)?);
        let told: Vec<(&Device, bool)> = question
            .devices
            .iter()
            .filter_map(|device| Some((*device, is_so(device)?)))
            .collect();
        if told.is_empty() {
            return None;
        }
        let of = |wanted: bool| -> Vec<&Device> {
            told.iter()
                .filter(|(_, is)| *is == wanted)
                .map(|(device, _)| *device)
                .collect()
        };
        let (so, others) = (of(true), of(false));
        let names = |devices: &[&Device]| {
            let texts: Vec<String> = devices
                .iter()
                .map(|device| self.subject(device).text)
                .collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            self.list(&texts, "and")
        };
        let phrase = |phrase: &str, devices: &[&Device], state: &str| {
            let names = names(devices);
            let number = capitalized(&self.number(devices.len()));
            let fillings = [
                ("names", names.as_str()),
                ("state", state),
                ("N", &number),
                ("what", state),
            ];
            self.say(phrase, &fillings)
        };
        if let About::Sensed(sensed, there) = about {
            let what = self.senses.get(&sensed).cloned().unwrap_or_default();
            let sensing = if there { &so } else { &others };
            return Some(match question.ask {
                Asked::All | Asked::Any
                    if question.ask == Asked::Any || question.devices.len() == 1 || !there =>
                {
                    let is_there = !sensing.is_empty();
                    match (is_there, there) {
                        (true, true) => phrase("there", sensing, &what),
                        (false, true) if question.named => {
                            phrase("there_not_at", &question.devices, &what)
                        }
                        (false, true) => phrase("there_not", sensing, &what),
                        (true, false) => format!(
                            "{}: {}.",
                            self.say("no", &[]),
                            self.say("sensed", &[("what", &what)])
                        ),
                        (false, false) => format!(
                            "{}, {}.",
                            self.say("yes", &[]),
                            self.say("not_sensed", &[("what", &what)])
                        ),
                    }
                }
                Asked::All if others.is_empty() => phrase("there", &so, &what),
                Asked::All => phrase("not_all_sense", &others, &what),
                Asked::HowMany if so.is_empty() => self.say("count_none", &[]),
                Asked::HowMany => phrase("count_some", &so, &what),
                _ if so.is_empty() => phrase("there_not", &so, &what),
                _ => phrase("which_some", &so, &what),
            });
        }
        let About::State(state) = about else {
            return None;
        };
        let one = |device: &Device| {
            let subject = self.subject(device);
            let is = is_so(device) == Some(true);
            let now = if is { state } else { state.opposite() };
            let now = self.state(now, &subject);
            let phrase = if is { "yes_state" } else { "no_state" };
            self.say_of(phrase, &subject, &[("state", &now)])
        };
        // What might be so as well, and is not heard, must not be told as so.
        let is_unknown = |device: &&&Device| {
            let facts = house.facts(device);
            facts.is_some_and(|facts| state.applies(facts) && state.of(facts).is_none())
        };
        let all_known = question.devices.iter().find(is_unknown).is_none();
        let group = self.row(&question.devices);
        let plain = Subject::several(&group);
        let words = self.state(state, &plain);
        let opposite = self.state(state.opposite(), &plain);
        Some(match (question.ask, question.devices.as_slice()) {
            (Asked::All, [device]) => one(device),
            (Asked::All, _) if others.is_empty() && all_known => phrase("all_state", &so, &words),
            (Asked::All, _) if !others.is_empty() => phrase("not_all", &others, &opposite),
            (Asked::All, _) => return None,
            (Asked::Any, _) if so.is_empty() => phrase("none_state", &so, &words),
            (Asked::Any, _) => phrase("some_state", &so, &words),
            (Asked::HowMany, _) if so.is_empty() => phrase("count_none", &so, &words),
            (Asked::HowMany, _) => phrase("count_some", &so, &words),
            (Asked::Which, _) if so.is_empty() => phrase("which_none", &so, &words),
            (Asked::Which, _) => {
                let told: Vec<String> = so
                    .iter()
                    .map(|device| self.with_level(house, device, state))
                    .collect();
                let told: Vec<&str> = told.iter().map(String::as_str).collect();
                self.say("which_some", &[("names", &self.list(&told, "and"))])
            }
            _ => return None,
        })
    }

    /// A device with how far it is on, where it is not fully so.
    fn with_level(&self, house: &KnownHouse, device: &Device, state: State) -> String {
        let name = self.subject(device).text;
        let facts = house.facts(device);
        let level = facts.and_then(|facts| facts.current.level.filter(|level| *level < 100.0));
        match level.filter(|_| state == State::On) {
            Some(level) => format!("{name} ({} %)", self.decimal(level)),
            None => name,
        }
    }

    fn answer_value(
        &self,
        house: &KnownHouse,
        question: &Question,
        property: Property,
    ) -> Option<String> {
        if question.ask == Asked::List {
            let names: Vec<String> = question
                .devices
                .iter()
                .map(|device| device.listed())
                .collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            return Some(self.say("list", &[("names", &self.list(&names, "and"))]));
        }
        let mut told: Vec<(&Device, Vec<Reading>)> = Vec::new();
        for device in &question.devices {
            let readings = property.of(house.facts(device)?);
            if !readings.is_empty() {
                told.push((device, readings));
            }
        }
        if let ([device], Property::State) = (question.devices.as_slice(), property) {
            return self.tell_state(house, device);
        }
        if told.is_empty() {
            return Some(match (&question.room, question.devices.as_slice()) {
                (Some(room), _) => self.say("no_place_value", &[("room", room)]),
                (None, [device]) => self.say_of("no_value", &self.subject(device), &[]),
                _ => return None,
            });
        }
        let is_temperature = property == Property::Temperature;
        if is_temperature && !question.named {
            return Some(self.tell_temperatures(&told, question.room.is_some()));
        }
        let told = told.iter().take(MOST_TOLD).flat_map(|(device, readings)| {
            let subject = self.subject(device);
            readings
                .iter()
                .map(move |reading| self.tell_reading(&subject, reading))
        });
        Some(told.collect::<Vec<_>>().join(" "))
    }

    fn tell_reading(&self, subject: &Subject, reading: &Reading) -> String {
        let unit = match reading.unit.as_str() {
            "°C" | "°F" => self
                .phrases
                .get("degrees")
                .map(String::as_str)
                .unwrap_or_default(),
            unit => unit,
        };
        let value = self.decimal(reading.value);
        self.say_of("measured", subject, &[("value", &value), ("unit", unit)])
    }

    /// How warm it is, by room: what is called after nothing but its room speaks for it.
    fn tell_temperatures(&self, told: &[(&Device, Vec<Reading>)], in_one_room: bool) -> String {
        let mut texts: Vec<String> = Vec::new();
        let mut rooms: Vec<&str> = Vec::new();
        let plain = |device: &Device| {
            let mut words = device.name.words.telling();
            !device.room.is_empty()
                && words.all(|word| {
                    device.room_words.has(word)
                        || word.is_number()
                        || language::is_said_around_names(word)
                        || device
                            .room_words
                            .telling()
                            .any(|room| word.written().starts_with(room.written()))
                })
        };
        let in_order = told.iter().filter(|(device, _)| plain(device));
        let in_order = in_order.chain(told.iter().filter(|(device, _)| !plain(device)));
        for (device, readings) in in_order {
            let Some(reading) = readings.first() else {
                continue;
            };
            // Two that differ are told by their names.
            let alone = told.iter().all(|(other, of_other)| {
                other.room != device.room || !plain(other) || of_other.first() == Some(reading)
            });
            if plain(device) && alone {
                if !rooms.contains(&device.room.as_str()) {
                    rooms.push(&device.room);
                    let value = self.decimal(reading.value);
                    let fillings = [("value", value.as_str()), ("room", device.room.as_str())];
                    texts.push(self.say("warm", &fillings));
                }
            } else if plain(device) || !in_one_room || texts.is_empty() {
                texts.push(self.tell_reading(&self.subject(device), reading));
            }
        }
        texts.truncate(MOST_TOLD);
        texts.join(" ")
    }

    /// What a device is doing, or measures.
    fn tell_state(&self, house: &KnownHouse, device: &Device) -> Option<String> {
        let facts = house.facts(device)?;
        let subject = self.subject(device);
        if !facts.responding {
            return Some(self.say_of("dead", &subject, &[]));
        }
        let states = [State::On, State::Locked, State::Open];
        let known = states
            .into_iter()
            .find_map(|state| Some((state, state.of(facts)?)));
        let mut texts = Vec::new();
        if let Some((state, is)) = known {
            let now = if is { state } else { state.opposite() };
            texts.push(
                match facts.current.level.filter(|level| is && *level < 100.0) {
                    Some(level) => {
                        self.say_of("level", &subject, &[("value", &self.decimal(level))])
                    }
                    None => self.say_of(
                        "state_is",
                        &subject,
                        &[("state", &self.state(now, &subject))],
                    ),
                },
            );
        }
        let readings = Property::State.of(facts);
        texts.extend(
            readings
                .iter()
                .map(|reading| self.tell_reading(&subject, reading)),
        );
        if texts.is_empty() {
            texts.push(self.say_of("no_value", &subject, &[]));
        }
        Some(texts.join(" "))
    }
}

/// The most names of a question.
const MOST_OFFERED: usize = 5;

/// The most words that are said not to be understood.
const MOST_QUOTED: usize = 4;

/// The most measurements of an answer.
const MOST_TOLD: usize = 6;

fn is_scene(devices: &[&Device]) -> bool {
    devices
        .iter()
        .all(|device| device.categories.has(Category::Scenes))
}

/// A result's text for the owner of the house, where it failed.
pub(super) fn failure(result: &ToolResult) -> Option<String> {
    result.is_error.then(|| result.as_text())
}

//! Answers questions from known facts, in the asker's language, in words to be spoken.

use super::element::{Ask, Property, Sensed, State};
use super::fact::Reading;
use super::house::{DeviceFacts, KnownHouse};
use super::lexicon::Lexicon;
use super::question::{About, Question};
use super::speech::{Subject, capitalized};
use crate::home::device::Device;
use crate::home::language::{self, Topic};
use crate::home::letters::squash;
use crate::home::word::Word;

/// The maximum number of readings or devices in an answer.
const MAX_ENTRIES: usize = 6;

/// The devices that a question is about, sorted by whether it is true of them.
#[derive(Default)]
struct Known<'h> {
    matching: Vec<&'h Device>,
    others: Vec<&'h Device>,
    /// It may be true of these as well, but their state is unknown.
    unknown: Vec<&'h Device>,
}

impl<'h> Known<'h> {
    fn of(question: &Question<'h>, about: About, house: &KnownHouse) -> Self {
        let mut known = Self::default();
        for device in &question.devices {
            let facts = house.facts(device);
            match (about.holds(facts), about) {
                (Some(true), _) => known.matching.push(device),
                (Some(false), _) => known.others.push(device),
                (None, About::State(state)) if state.applies(facts) => known.unknown.push(device),
                (None, _) => {}
            }
        }
        known
    }
}

impl Lexicon {
    /// Answers a question. The error is a sentence that says that nothing is known about it.
    pub(super) fn answer(&self, house: &KnownHouse, question: &Question) -> Result<String, String> {
        let in_room = question.room.is_some();
        let answer = match question.about {
            About::Property(property) => self.answer_value(house, question, property),
            About::Topic(Topic::Changed) => self.answer_changed(house, question),
            About::Topic(topic) => Some(self.answer_topic(house, question, topic)),
            // "Is the kitchen empty?" asks for people.
            About::State(State::Clear) if !question.named => {
                self.answer_sensed(house, question, Sensed::Motion, false)
            }
            About::State(State::Detected) if in_room => {
                self.answer_sensed(house, question, Sensed::Motion, true)
            }
            About::State(state) => self.answer_state(house, question, state),
            About::Sensed(sensed, there) => self.answer_sensed(house, question, sensed, there),
        };
        answer.ok_or_else(|| match (question.about, question.devices.as_slice()) {
            (About::State(_), [device]) => self.tell_ignorance(house, device),
            _ => self.say("unknown", &[]),
        })
    }

    /// Fills a phrase with the names of devices.
    fn say_names(&self, phrase: &str, devices: &[&Device], state: &str) -> String {
        self.say_texts(phrase, &self.with_articles(devices), state)
    }

    fn say_texts(&self, phrase: &str, texts: &[String], state: &str) -> String {
        let number = capitalized(&self.number(texts.len()));
        let names = self.list(texts, "and");
        let fillings = [
            ("names", names.as_str()),
            ("state", state),
            ("what", state),
            ("N", &number),
        ];
        self.say(phrase, &fillings)
    }

    fn answer_sensed(
        &self,
        house: &KnownHouse,
        question: &Question,
        sensed: Sensed,
        is_sensed: bool,
    ) -> Option<String> {
        let known = Known::of(question, About::Sensed(sensed, true), house);
        let (sensing, not_sensing) = (&known.matching, &known.others);
        if sensing.is_empty() && not_sensing.is_empty() {
            return None;
        }
        let what = self.table.senses.get(&sensed).cloned().unwrap_or_default();
        let matching = if is_sensed { sensing } else { not_sensing };
        let one = question.devices.len() == 1;
        Some(match question.ask {
            Ask::YesNo | Ask::There if !is_sensed => {
                let (answer, phrase) = if sensing.is_empty() {
                    ("yes", "not_sensed")
                } else {
                    ("no", "sensed")
                };
                let text = self.say_plain(phrase, &[("what", &what)]);
                format!("{}, {text}.", self.say(answer, &[]))
            }
            Ask::HowMany if matching.is_empty() => self.say("count_none", &[]),
            Ask::HowMany => self.say_names("count_some", matching, &what),
            Ask::YesNo if !one && !not_sensing.is_empty() => {
                self.say_names("not_all_sense", not_sensing, &what)
            }
            Ask::YesNo | Ask::There if !sensing.is_empty() => {
                self.say_names("there", sensing, &what)
            }
            Ask::YesNo | Ask::There if question.named => {
                self.say_names("there_not_at", &question.devices, &what)
            }
            _ if sensing.is_empty() && is_sensed => self.say("there_not", &[("what", &what)]),
            _ if matching.is_empty() => self.say("count_none", &[]),
            _ => self.say_names("which_some", matching, &what),
        })
    }

    fn answer_state(
        &self,
        house: &KnownHouse,
        question: &Question,
        state: State,
    ) -> Option<String> {
        let known = Known::of(question, About::State(state), house);
        let (matching, others) = (&known.matching, &known.others);
        if matching.is_empty() && others.is_empty() {
            return None;
        }
        let of_one = |device: &Device| {
            let subject = self.subject(device);
            let (phrase, now) = if matching.is_empty() {
                ("no_state", state.opposite())
            } else {
                ("yes_state", state)
            };
            self.say_state(phrase, now, &subject)
        };
        let several = Subject::in_plural(&self.joint_subject(&question.devices));
        let words = self.state(state, &several);
        let opposite = self.state(state.opposite(), &several);
        let complete = known.unknown.is_empty();
        let answer = match (question.ask, question.devices.as_slice()) {
            (Ask::YesNo, [device]) => return Some(of_one(device)),
            (Ask::YesNo, _) if !others.is_empty() => {
                return Some(self.say_names("not_all", others, &opposite));
            }
            (Ask::YesNo, _) if complete => self.say("all_state", &[("state", &words)]),
            (Ask::YesNo, _) => return None,
            (Ask::There, _) if matching.is_empty() => self.say("none_state", &[("state", &words)]),
            (Ask::There, _) => self.say_names("some_state", matching, &words),
            (Ask::HowMany, _) if matching.is_empty() => self.say("count_none", &[]),
            (Ask::HowMany, _) => self.say_names("count_some", matching, &words),
            (Ask::Which, _) if matching.is_empty() => self.say("which_none", &[("state", &words)]),
            (Ask::Which, _) => {
                let names = matching.iter().map(|device| self.with_level(house, device, state));
                self.say_texts("which_some", &names.collect::<Vec<_>>(), &words)
            }
            (Ask::What | Ask::List, _) => return None,
        };
        if complete {
            return Some(answer);
        }
        let unknown = self.say_of("no_value", &self.joint_subject(&known.unknown), &[]);
        Some(format!("{answer} {unknown}"))
    }

    /// Names a device, with its level if it is on but not fully.
    fn with_level(&self, house: &KnownHouse, device: &Device, state: State) -> String {
        let name = self.subject(device).text;
        let level = house.facts(device).current.level;
        match level.filter(|level| state == State::On && *level < 100.0) {
            Some(level) => format!("{name} ({} %)", self.decimal(level)),
            None => name,
        }
    }

    /// Tells the state of each device that changed, latest first, with the time of the change. Returns
    /// none if the house does not report changes.
    fn answer_changed(&self, house: &KnownHouse, question: &Question) -> Option<String> {
        let mut texts: Vec<String> = Vec::new();
        for (device, clock) in house.changed()? {
            if texts.len() < MAX_ENTRIES && question.devices.contains(&device) {
                texts.push(format!("{clock}: {}", self.tell_state(house, device)));
            }
        }
        if texts.is_empty() {
            texts.push(self.say("nothing_changed", &[]));
        }
        Some(texts.join(" "))
    }

    /// Tells what is wrong with devices.
    fn answer_topic(&self, house: &KnownHouse, question: &Question, topic: Topic) -> String {
        let of = |predicate: &dyn Fn(&DeviceFacts) -> bool| -> Vec<&Device> {
            question
                .devices
                .iter()
                .copied()
                .filter(|device| predicate(house.facts(device)))
                .collect()
        };
        let dead = of(&|facts| !facts.responding);
        let low = of(&|facts| facts.responding && facts.low_battery.is_some());
        let silent = of(&|facts| facts.responding && facts.silent_for.is_some());
        let problems = [
            ("not_responding", dead, topic != Topic::LowBattery),
            ("low_battery", low, topic != Topic::NotResponding),
            ("silent", silent, topic == Topic::Problems),
        ];
        let is_reported =
            |(_, devices, asked): &&(&str, Vec<&Device>, bool)| *asked && !devices.is_empty();
        let mut texts: Vec<String> = problems
            .iter()
            .filter(is_reported)
            .map(|(phrase, devices, _)| self.say_names(phrase, devices, ""))
            .collect();
        if topic == Topic::Problems && house.has_trouble {
            texts.insert(0, self.say("trouble", &[]));
        }
        if texts.is_empty() {
            texts.push(self.say("all_well", &[]));
        }
        texts.join(" ")
    }

    fn answer_value(
        &self,
        house: &KnownHouse,
        question: &Question,
        property: Property,
    ) -> Option<String> {
        if question.ask == Ask::List {
            let names = question.devices.iter().map(|device| device.listed_name());
            return Some(self.say_texts("list", &names.collect::<Vec<_>>(), ""));
        }
        if let ([device], Property::State) = (question.devices.as_slice(), property) {
            return Some(self.tell_state(house, device));
        }
        let mut measured: Vec<(&Device, Vec<Reading>)> = Vec::new();
        for device in &question.devices {
            let readings = property.readings(house.facts(device));
            if !readings.is_empty() {
                measured.push((device, readings));
            }
        }
        if measured.is_empty() {
            return match (&question.room, question.devices.as_slice()) {
                (Some(room), _) => Some(self.say("no_place_value", &[("room", room)])),
                (None, [device]) => Some(self.tell_ignorance(house, device)),
                _ => None,
            };
        }
        if property == Property::Temperature && !question.named {
            return Some(self.tell_temperatures(&measured, question.room.is_some()));
        }
        let texts = measured.iter().take(MAX_ENTRIES).flat_map(|(device, readings)| {
            let subject = self.subject(device);
            readings.iter().map(move |reading| self.tell_reading(&subject, reading))
        });
        Some(texts.collect::<Vec<_>>().join(" "))
    }

    fn tell_reading(&self, subject: &Subject, reading: &Reading) -> String {
        let unit = match reading.unit {
            "°C" | "°F" => self.phrase("degrees"),
            unit => unit,
        };
        let value = self.decimal(reading.value);
        self.say_of("measured", subject, &[("value", &value), ("unit", unit)])
    }

    /// Tells the temperature room by room. A sensor named only after its room speaks for the room.
    fn tell_temperatures(&self, measured: &[(&Device, Vec<Reading>)], in_one_room: bool) -> String {
        let mut texts: Vec<String> = Vec::new();
        let mut rooms: Vec<&str> = Vec::new();
        let (plain, others): (Vec<_>, Vec<_>) =
            measured.iter().partition(|(device, _)| self.says_only_its_room(device));
        let is_plain = |at: usize| at < plain.len();
        for (at, (device, readings)) in plain.iter().chain(&others).enumerate() {
            let Some(reading) = readings.first() else {
                continue;
            };
            // If two such sensors in a room differ, each gives its reading under its own name.
            let agrees = plain.iter().all(|(other, other_readings)| {
                other.room != device.room || other_readings.first() == Some(reading)
            });
            if is_plain(at) && agrees {
                if !rooms.contains(&device.room.as_str()) {
                    rooms.push(&device.room);
                    let value = self.decimal(reading.value);
                    let fillings = [("value", value.as_str()), ("room", device.room.as_str())];
                    texts.push(self.say("warm", &fillings));
                }
            } else if is_plain(at) || !in_one_room || texts.is_empty() {
                texts.push(self.tell_reading(&self.subject(device), reading));
            }
        }
        texts.truncate(MAX_ENTRIES);
        texts.join(" ")
    }

    /// Tells that a device does not respond, or else that nothing is known about it.
    fn tell_ignorance(&self, house: &KnownHouse, device: &Device) -> String {
        let phrase = if house.facts(device).responding {
            "no_value"
        } else {
            "dead"
        };
        self.say_of(phrase, &self.subject(device), &[])
    }

    /// Tells what a device is doing, or measures.
    fn tell_state(&self, house: &KnownHouse, device: &Device) -> String {
        let facts = house.facts(device);
        let subject = self.subject(device);
        if !facts.responding {
            return self.tell_ignorance(house, device);
        }
        let mut known_states = [State::On, State::Locked, State::Open]
            .into_iter()
            .filter_map(|state| Some((state, state.is_true_of(facts)?)));
        let mut texts = Vec::new();
        if let Some((state, is_true)) = known_states.next() {
            let now = if is_true { state } else { state.opposite() };
            let level = facts.current.level.filter(|level| is_true && *level < 100.0);
            texts.push(match level.map(|level| self.decimal(level)) {
                Some(value) => self.say_of("level", &subject, &[("value", &value)]),
                None => self.say_state("state_is", now, &subject),
            });
        }
        let readings = Property::State.readings(facts).into_iter();
        texts.extend(readings.map(|reading| self.tell_reading(&subject, &reading)));
        if texts.is_empty() {
            texts.push(self.tell_ignorance(house, device));
        }
        texts.join(" ")
    }

    /// Returns true for a device whose name consists of its room, a property, and maybe a number.
    fn says_only_its_room(&self, device: &Device) -> bool {
        let begins_as_room = |word: &Word| {
            let mut rooms = device.room_words.main_words();
            rooms.any(|room| word.written().starts_with(room.written()))
        };
        let is_property = |word: &Word| {
            self.property_words.iter().any(|property| squash(property) == word.written())
        };
        let mut words = device.name.words.main_words();
        !device.room.is_empty()
            && words.all(|word| {
                device.room_words.has(word)
                    || word.is_number()
                    || language::is_said_around_names(word)
                    || begins_as_room(word)
                    || is_property(word)
            })
    }
}

//! Answers questions in the user's language, from the facts about the house. The texts are meant to be spoken.

use super::element::QuestionForm::{Done, HowMany, Left, List, There, What, When, Which, YesNo};
use super::element::{Property, Sensed, State};
use super::fact::Measure;
use super::house::KnownHouse;
use super::lexicon::{Lexicon, first_word};
use super::outcome::word_for;
use super::question::{About, HouseQuestion, Quantity};
use super::speech::Subject;
use crate::home::category::Category;
use crate::home::color::Color;
use crate::home::device::Device;
use crate::home::intent::Action;
use crate::home::language::{self, Topic};
use crate::home::letters::squash;
use crate::home::published::PublishedReport;
use crate::home::word::Word;

/// The maximum number of entries in an answer: changes, temperatures, or devices whose readings are told.
const MAX_ENTRIES: usize = 6;

impl Lexicon {
    /// Answers a question.
    ///
    /// # Errors
    /// The house does not report what was asked for. The error is a sentence that says so.
    pub(super) fn answer(
        &self,
        house: &KnownHouse,
        question: &HouseQuestion,
    ) -> Result<String, String> {
        let about = match question.about {
            // "Is the kitchen empty?" asks whether somebody is there, so the motion sensors give the answer.
            About::State(State::Clear) if !question.names_one => {
                About::Sensed(Sensed::Motion, false)
            }
            About::State(State::Detected) if question.room.is_some() => {
                About::Sensed(Sensed::Motion, true)
            }
            about => about,
        };
        let answer = match about {
            About::State(state) if question.form == When => {
                self.answer_changes(house, question, Some(state))
            }
            About::Property(property) => self.answer_value(house, question, property),
            About::Topic(Topic::Changed) => self.answer_changes(house, question, None),
            About::Topic(topic) => Some(self.answer_topic(house, question, topic)),
            About::State(state) => self.answer_state(house, question, state),
            About::Sensed(sensed, there) => self.answer_sensed(house, question, sensed, there),
        };
        answer.ok_or_else(|| match (question.about, question.devices.as_slice()) {
            (About::State(_), [device]) => self.tell_no_value(house, device),
            _ => self.say("unknown", &[]),
        })
    }

    /// Fills a phrase with the names of devices, their number, and a word for a state or an event.
    fn say_names(&self, phrase: &str, devices: &[&Device], state: &str) -> String {
        self.say_texts(phrase, &self.with_articles(devices), state)
    }

    /// Fills a phrase with a list of texts, their number, and a word for a state or an event.
    fn say_texts(&self, phrase: &str, texts: &[String], state: &str) -> String {
        let names = self.list(texts, "and");
        let number = self.number(texts.len());
        let names = [("names", names.as_str()), ("N", &number)];
        let fillings = [names, [("state", state), ("what", state)]].concat();
        self.say(phrase, &fillings)
    }

    /// Answers a question about an event, such as motion. The question is about the devices that detect the
    /// event or, if `is_sensed` is false, about the devices that do not.
    fn answer_sensed(
        &self,
        house: &KnownHouse,
        question: &HouseQuestion,
        sensed: Sensed,
        is_sensed: bool,
    ) -> Option<String> {
        let about = About::Sensed(sensed, true);
        let sensing = question.devices_where(house, about, Some(true));
        let not_sensing = question.devices_where(house, about, Some(false));
        if sensing.is_empty() && not_sensing.is_empty() {
            return None;
        }
        let what = self.table.senses.get(&sensed).map_or("", String::as_str);
        let matching = if is_sensed { &sensing } else { &not_sensing };
        let is_about_one = question.devices.len() == 1;
        let (phrase, devices) = match (question.form, matching.as_slice()) {
            (YesNo | There, _) if !is_sensed && sensing.is_empty() => ("not_sensed", matching),
            (YesNo | There, _) if !is_sensed => ("sensed", matching),
            (HowMany, []) => ("count_none", matching),
            (HowMany, _) => ("count_some", matching),
            (YesNo, _) if !is_about_one && !not_sensing.is_empty() => {
                ("not_all_sense", &not_sensing)
            }
            (YesNo | There, [_, ..]) => ("there", matching),
            (YesNo | There, []) if question.names_one => ("there_not_at", &question.devices),
            (_, []) if is_sensed => ("there_not", matching),
            (_, []) => ("count_none", matching),
            _ => ("which_some", matching),
        };
        Some(self.say_names(phrase, devices, what))
    }

    fn answer_state(
        &self,
        house: &KnownHouse,
        question: &HouseQuestion,
        state: State,
    ) -> Option<String> {
        let matching = question.devices_where(house, question.about, Some(true));
        let others = question.devices_where(house, question.about, Some(false));
        // Devices that can be in the state, but whose state is unknown.
        let mut unknown = question.devices_where(house, question.about, None);
        // "Which doors are open?" asks for those that are, but "none" would say that none can be.
        let tells_all = question.form == YesNo || matching.is_empty();
        unknown.retain(|device| {
            let can_be = state.applies(house.facts(device));
            can_be || tells_all && question.about.may_be_true_of(device, house)
        });
        if matching.is_empty() && others.is_empty() {
            return None;
        }
        let told = [matching.as_slice(), &others, &unknown].concat();
        let [none, some] = match (question.form, told.as_slice()) {
            (YesNo, [device]) => {
                let (phrase, current) = match matching.as_slice() {
                    [] => ("no_state", state.opposite()),
                    _ => ("yes_state", state),
                };
                return Some(self.say_state(phrase, current, &self.subject(device)));
            }
            (YesNo | There, _) if matching.is_empty() && !unknown.is_empty() => {
                return Some(self.say_of("no_value", &self.joint_subject(&unknown), &[]));
            }
            (YesNo, _) if question.quantity == Quantity::Each && !others.is_empty() => {
                let opposite = state.opposite();
                return Some(match others.as_slice() {
                    [other] => self.say_state("no_state", opposite, &self.subject(other)),
                    _ => self.say_names("not_all", &others, &self.state(opposite, None)),
                });
            }
            (YesNo, _)
                if question.quantity == Quantity::One
                    && !matching.is_empty()
                    && !others.is_empty() =>
            {
                return Some(self.tell_states(house, &question.devices));
            }
            (YesNo, _) if question.quantity == Quantity::Any => ["none_state", "some_state"],
            (YesNo, _) if others.is_empty() && unknown.is_empty() => ["all_state"; 2],
            // A yes or no would be wrong if the question is taken the other way.
            (YesNo, _) => ["none_state", "some_are"],
            (There | Left, _) => ["none_state", "some_state"],
            (HowMany, _) => ["count_none", "count_some"],
            (Which, _) => ["which_none", "which_some"],
            (What | List | When | Done, _) => return None,
        };
        let mut names = self.with_articles(&matching);
        if (question.form, state) == (Which, State::On) {
            names = matching.iter().map(|device| self.with_level(house, device)).collect();
        }
        let phrase = if matching.is_empty() { none } else { some };
        let answer = self.say_texts(phrase, &names, &self.state(state, None));
        if unknown.is_empty() {
            return Some(answer);
        }
        let unknown = self.say_of("no_value", &self.joint_subject(&unknown), &[]);
        Some(format!("{answer} {unknown}"))
    }

    /// Returns a device's name, with its level if the level is below 100 %.
    fn with_level(&self, house: &KnownHouse, device: &Device) -> String {
        let name = self.subject(device).text;
        match house.facts(device).current.level {
            Some(level) if level < 100 => format!("{name} ({level} %)"),
            _ => name,
        }
    }

    /// Tells the current state of each device that changed, latest first, with the time of the change. With a state,
    /// tells when devices last entered it. Where no change was seen, tells the last report, which may be no change.
    /// Returns `None` if the house does not report changes.
    fn answer_changes(
        &self,
        house: &KnownHouse,
        question: &HouseQuestion,
        to: Option<State>,
    ) -> Option<String> {
        let changes = self.tell_each(question, house.changes(to)?, |device, clock| {
            let text = match to {
                Some(state) => self.say_state("done", state, &self.subject(device)),
                None => self.tell_state(house, device),
            };
            format!("{clock}: {text}")
        });
        let tell_report = |device: &Device, report: &PublishedReport| {
            let days = self.number(usize::try_from(report.days_ago).unwrap_or(usize::MAX));
            let phrase = match report.days_ago {
                0 => "last_report",
                1 => "last_report_yesterday",
                _ => "last_report_days_ago",
            };
            let text = self.tell_state(house, device);
            let values = [
                ("clock", report.clock.as_str()),
                ("N", &days),
                ("text", &text),
            ];
            self.say(phrase, &values)
        };
        let texts =
            changes.or_else(|| to.and(self.tell_each(question, house.reports(), tell_report)));
        Some(texts.unwrap_or_else(|| self.say("nothing_changed", &[])))
    }

    /// Tells which devices have a problem. Some topics ask only for one problem, such as low batteries.
    fn answer_topic(&self, house: &KnownHouse, question: &HouseQuestion, topic: Topic) -> String {
        let mut texts: Vec<String> = Vec::new();
        if topic == Topic::Problems && house.has_trouble {
            texts.push(self.say("trouble", &[]));
        }
        for (phrase, problem) in [
            ("not_responding", Topic::NotResponding),
            ("low_battery", Topic::LowBattery),
            ("silent", Topic::Problems),
        ] {
            let mut devices = question.devices.clone();
            devices.retain(|device| {
                let listed = &house.facts(device).listed;
                match problem {
                    Topic::NotResponding => !listed.responding,
                    Topic::LowBattery => listed.responding && listed.low_battery.is_some(),
                    _ => listed.responding && listed.silent_for.is_some(),
                }
            });
            let is_asked = topic == Topic::Problems || topic == problem;
            if is_asked && !devices.is_empty() {
                texts.push(self.say_names(phrase, &devices, ""));
            }
        }
        if texts.is_empty() {
            texts.push(self.say("all_well", &[]));
        }
        texts.join(" ")
    }

    fn answer_value(
        &self,
        house: &KnownHouse,
        question: &HouseQuestion,
        property: Property,
    ) -> Option<String> {
        if let List | HowMany = question.form {
            let names = question.devices.iter().map(|device| device.listed_name());
            let phrase = match question.form {
                List => "list",
                _ if question.devices.is_empty() => "count_none",
                _ => "count_some",
            };
            return Some(self.say_texts(phrase, &names.collect::<Vec<_>>(), ""));
        }
        let is_of_control = |device: &Device| {
            let facts = house.facts(device);
            match property {
                Property::Brightness => device.is_a(Category::Lights),
                Property::Color => facts.can(Action::SetColor),
                Property::Position => facts.can(Action::Open),
                Property::Speed => facts.listed.kind == "fan",
                Property::Mode => facts.can(Action::SetMode),
                _ => false,
            }
        };
        let asks_for_one = matches!(question.devices.as_slice(), [one] if is_of_control(one));
        if property == Property::State || asks_for_one {
            return Some(self.tell_states(house, &question.devices));
        }
        let devices = question.devices.iter();
        let mut measured: Vec<(&Device, Vec<Measure>)> = devices
            .map(|device| (*device, property.readings(house.facts(device))))
            .collect();
        measured.retain(|(_, readings)| !readings.is_empty());
        if measured.is_empty() {
            return match (&question.room, question.devices.as_slice()) {
                (Some(room), _) => Some(self.say("no_place_value", &[("room", room)])),
                (None, [device]) => Some(self.tell_no_value(house, device)),
                _ => None,
            };
        }
        if property == Property::Temperature && !question.names_one {
            return Some(self.tell_temperatures(&measured, question.room.is_some()));
        }
        let texts = measured.iter().flat_map(|(device, readings)| {
            let subject = self.subject(device);
            readings.iter().map(move |reading| self.tell_reading(&subject, reading))
        });
        Some(self.join_entries(texts.collect()))
    }

    fn tell_reading(&self, subject: &Subject, (value, unit): &Measure) -> String {
        let unit = match *unit {
            "°C" | "°F" => self.phrase("degrees"),
            unit => unit,
        };
        let value = self.decimal(*value);
        self.say_of("measured", subject, &[("value", &value), ("unit", unit)])
    }

    /// Tells the temperatures. A sensor that is named only after its room gives the temperature of the room.
    fn tell_temperatures(&self, measured: &[(&Device, Vec<Measure>)], in_one_room: bool) -> String {
        let mut texts: Vec<String> = Vec::new();
        let (room_sensors, others): (Vec<_>, Vec<_>) =
            measured.iter().partition(|(device, _)| self.is_named_after_room(device));
        for (index, (device, readings)) in room_sensors.iter().chain(&others).enumerate() {
            let Some(reading @ (value, _)) = readings.first() else {
                continue;
            };
            let is_room_sensor = index < room_sensors.len();
            // If the room sensors of a room show different values, each value is told with the sensor's name.
            let agrees = room_sensors.iter().all(|(sensor, sensor_readings)| {
                sensor.room != device.room || sensor_readings.first() == Some(reading)
            });
            if is_room_sensor && agrees {
                let value = self.decimal(*value);
                let text = self.say("warm", &[("value", &value), ("room", &device.room)]);
                texts.extend(Some(text).filter(|text| !texts.contains(text)));
            } else if is_room_sensor || !in_one_room || texts.is_empty() {
                // For one room, one sensor is enough: a room sensor, or else the first of the others.
                texts.push(self.tell_reading(&self.subject(device), reading));
            }
        }
        self.join_entries(texts)
    }

    /// Says that a device does not respond, or else that its state is unknown.
    fn tell_no_value(&self, house: &KnownHouse, device: &Device) -> String {
        let responding = house.facts(device).listed.responding;
        let phrase = if responding { "no_value" } else { "dead" };
        self.say_of(phrase, &self.subject(device), &[])
    }

    /// Tells the states of devices and what they measure.
    pub(super) fn tell_states(&self, house: &KnownHouse, devices: &[&Device]) -> String {
        self.join_entries(devices.iter().map(|device| self.tell_state(house, device)).collect())
    }

    /// Joins the entries of an answer: at most [`MAX_ENTRIES`], and how many more there are.
    fn join_entries(&self, mut texts: Vec<String>) -> String {
        let left = texts.len().saturating_sub(MAX_ENTRIES);
        if left > 0 {
            texts.truncate(MAX_ENTRIES);
            texts.push(self.say("and_more", &[("N", &left.to_string())]));
        }
        texts.join(" ")
    }

    /// Tells the state of a device and what it measures.
    fn tell_state(&self, house: &KnownHouse, device: &Device) -> String {
        let facts = house.facts(device);
        let subject = self.subject(device);
        if !facts.listed.responding {
            return self.tell_no_value(house, device);
        }
        let known = |state: State| Some((state, state.is_true_of(facts)?));
        let state = [State::On, State::Locked, State::Open].into_iter().find_map(known);
        let mut texts = Vec::new();
        if let Some((state, is_true)) = state {
            let current = if is_true { state } else { state.opposite() };
            let percent = |value: Option<u8>| Some(value.filter(|value| *value < 100)?.to_string());
            let mode = facts.current.mode.as_ref();
            let values = [
                ("level", percent(facts.current.level)),
                ("position", percent(facts.current.position)),
                ("mode", mode.map(|mode| word_for(&self.table.modes, mode))),
            ];
            let value = values.into_iter().find_map(|(phrase, value)| Some((phrase, value?)));
            texts.push(match value.filter(|_| is_true) {
                Some((phrase, value)) => self.say_of(phrase, &subject, &[("value", &value)]),
                None => self.say_state("state_is", current, &subject),
            });
        }
        let color = facts.current.color.as_deref().filter(|_| facts.current.on == Some(true));
        let color = color.and_then(Color::read).map(Color::name);
        // A color without a name is not for the ear.
        let color = color.and_then(|color| self.table.colors.get(&color)?.first());
        let color = color.map(|pattern| first_word(pattern));
        texts.extend(color.map(|color| self.say_of("color", &subject, &[("value", &color)])));
        let target = facts.current.target.map(|target| self.decimal(target));
        texts.extend(target.map(|target| self.say_of("heat", &subject, &[("value", &target)])));
        let readings = Property::State.readings(facts).into_iter();
        texts.extend(readings.map(|reading| self.tell_reading(&subject, &reading)));
        if texts.is_empty() {
            texts.push(self.tell_no_value(house, device));
        }
        texts.join(" ")
    }

    /// Returns true if a device has a room, and its own name says only the room, a kind, a property or a number.
    fn is_named_after_room(&self, device: &Device) -> bool {
        // "Wohnzimmertemperatur" in the room "Wohnzimmer".
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
                    || language::may_surround_name(word)
                    || begins_as_room(word)
                    || is_property(word)
            })
    }

    /// Tells the entries for the devices of a question. Returns `None` if there are none.
    fn tell_each<T>(
        &self,
        question: &HouseQuestion,
        entries: Vec<(&Device, T)>,
        tell: impl Fn(&Device, T) -> String,
    ) -> Option<String> {
        let entries = entries.into_iter().filter(|(device, _)| question.devices.contains(device));
        let texts: Vec<String> = entries.map(|(device, entry)| tell(device, entry)).collect();
        (!texts.is_empty()).then(|| self.join_entries(texts))
    }
}

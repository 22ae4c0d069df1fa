//! The meanings that words can have in a sentence, apart from names and values: commands, question forms,
//! states, properties and so on. Each language has its own words for these meanings.

use serde::Deserialize;

use crate::home::language::Topic;

/// The instruction in an order. The same command may become a different `Action` for each device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Instruction {
    On,
    Off,
    Toggle,
    Open,
    Close,
    Stop,
    Lock,
    Unlock,
    /// Set a device to a value.
    Set,
    /// Dim a light to a value. Without a value, make it darker.
    Dim,
    /// Raise to or by a value. Without a value, open a cover or increase by one step.
    Raise,
    /// Lower to or by a value. Without a value, close a cover or decrease by one step.
    Lower,
    /// Set the color of a light.
    Color,
    /// Switch on, for lights only: "light up".
    Light,
    /// Run a scene.
    Run,
    /// Switch off, for lights only: "lights out".
    Out,
    /// Increase the brightness of a light.
    Brighter,
    /// Decrease the brightness of a light.
    Darker,
    /// Increase the target temperature of a thermostat.
    Warmer,
    /// Decrease the target temperature of a thermostat.
    Cooler,
    /// Increase the speed of a fan.
    Faster,
    /// Decrease the speed of a fan.
    Slower,
}

/// A property that a device has or measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Property {
    Brightness,
    Color,
    Temperature,
    Position,
    Speed,
    Mode,
    Humidity,
    Power,
    Voltage,
    Current,
    Energy,
    Battery,
    CarbonDioxide,
    /// The state in general: "status".
    State,
}

/// The form of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum QuestionForm {
    /// "Is the lamp on?", "Are all lamps on?"
    YesNo,
    /// "Did I leave a lamp on?"
    Left,
    /// "Did you turn off the lamp?"
    Done,
    /// "Is any lamp on?"
    There,
    Which,
    HowMany,
    /// "What is the temperature?"
    What,
    /// "What devices are there?"
    List,
    /// "When was the door opened?"
    When,
}

/// A state that a question asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    On,
    Off,
    Open,
    Closed,
    Locked,
    Unlocked,
    /// A sensor detects something.
    Detected,
    /// A sensor detects nothing.
    Clear,
    Tilted,
}

/// Something that sensors detect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Sensed {
    Motion,
    Smoke,
    Leak,
    CarbonMonoxide,
}

/// A word for devices that were mentioned before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Pronoun {
    It,
    Them,
    /// "Them", if they are two.
    Both,
    /// "The other one".
    Other,
}

/// The meaning of a word or phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Element {
    Instruction(Instruction),
    QuestionPhrase(QuestionForm),
    /// "Any", "anybody".
    Any,
    State(State),
    Property(Property),
    /// A question phrase that implies a property: "how warm is it".
    PropertyQuestion(Property),
    Sensed(Sensed),
    Pronoun(Pronoun),
    /// "A little", in an order to increase or decrease.
    Little,
    /// A polite request: "could you".
    Polite,
    /// A question whether an order is possible: "can one".
    Ability,
    /// A topic other than a state or a property: "what is wrong".
    Topic(Topic),
    /// A word that adds no meaning.
    #[serde(rename = "fillers")]
    Filler,
    /// A word that adds no meaning, but occurs only in questions: "currently".
    #[serde(rename = "asking")]
    QuestionWord,
}

/// A use of words in times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TimeWord {
    /// Before a span: "in".
    In,
    /// Before a span that something is to last: "for".
    For,
    /// After such a span: "zehn Minuten lang".
    Long,
    /// Before an hour, and before nothing else: "um", "alle".
    Times,
    /// Before an hour or an amount: "at", French "à".
    At,
    Oclock,
    /// "A" in "a minute", and "una" in "a la una".
    One,
    /// Between minutes and the hour: "ten past seven", "ten to seven".
    Past,
    To,
    /// Between the hour and minutes: "siete y diez", "siete menos diez".
    Plus,
    Minus,
    /// Before an hour whose half or quarter people take in two ways: "half seven".
    Unclear,
}

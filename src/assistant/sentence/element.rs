//! The elements of a sentence: the deeds, questions, states and properties that every language has
//! words for.

use serde::Deserialize;

use crate::home::language::Topic;

/// Something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Deed {
    On,
    Off,
    Toggle,
    Open,
    Close,
    Stop,
    Lock,
    Unlock,
    /// Bring a device to the value that is said.
    Set,
    /// Bring a light to the value that is said.
    Dim,
    /// Bring up to a value; without one, open.
    Raise,
    /// Bring down to a value; without one, close.
    Lower,
    /// Give a light a color.
    Color,
    /// Switch lights on, if no kind is said.
    Light,
    /// Run a scene.
    Run,
    /// Switch lights off: "lights out".
    Out,
    /// A step up or down, for lights.
    Brighter,
    Darker,
    /// A step up or down, for heating.
    Warmer,
    Cooler,
    /// A step up or down, for fans.
    Faster,
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
    /// The state of anything: "status".
    State,
}

/// The form of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ask {
    /// Is it so? Are all of them so?
    YesNo,
    /// Is any of them so?
    There,
    Which,
    HowMany,
    /// "What do they say?"
    What,
    /// "What devices are there?"
    List,
}

/// A state that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    On,
    Off,
    Open,
    Closed,
    Locked,
    Unlocked,
    /// A sensor senses what it is for.
    Detected,
    /// It does not.
    Clear,
    Tilted,
}

/// An event that sensors sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Sensed {
    Motion,
    Smoke,
    Leak,
    CarbonMonoxide,
}

/// A word for something that was spoken of before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Pronoun {
    It,
    Them,
    /// The other one of two.
    Other,
}

/// The reason why a sentence is no order for now: it is answered without a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Excuse {
    /// It is about another time.
    Later,
    /// It depends on something.
    Condition,
    /// It denies something, or says what must not be done.
    Denial,
    /// It only tells what somebody said or did.
    Quotation,
}

/// The meaning of words, apart from names and values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    Deed(Deed),
    Ask(Ask),
    /// "Any": one of several is enough.
    Any,
    State(State),
    Property(Property),
    /// A property that is asked for by these words: "how warm is it".
    Asked(Property),
    Sensed(Sensed),
    Pronoun(Pronoun),
    /// It asks for something: "could you".
    Polite,
    /// A topic besides the devices themselves: "what is wrong".
    Topic(Topic),
    /// "A little", which belongs to a step.
    Little,
    /// A word without a meaning.
    Filler,
    /// A word without a meaning in a question.
    Asking,
}

//! What a language's table has to say.

use crate::home::intent::Action;

/// What a sentence of some form is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// An action on what is named, with an amount where the form has one.
    Do(Action),
    /// Whatever the amount is one of: a brightness, a temperature or a position.
    Level,
    /// A colour.
    Color,
    /// A mode.
    Mode,
    /// The action that leads to the state.
    Be,
    /// What is named, listed; first by the state or measurement that the form has.
    List,
    /// The same of what was left in a state.
    Left,
    /// Everything, listed.
    ListAll,
}

/// The kinds of what gives light, as a list calls them.
pub(super) const LIGHTS: &[&str] = &["light", "dimmer", "color light"];

/// The kind of what has colours.
pub(super) const COLOR_LIGHTS: &[&str] = &["color light"];

/// The kinds of what lets light in.
pub(super) const COVERS: &[&str] = &["blind", "shade", "shutter", "curtain", "cover", "awning"];

/// The words of one language. Lists are separated by commas, forms by semicolons; words are written
/// as its speakers write them, without apostrophes.
///
/// A form is a row of words: `a/b` is one of both, `a?` may be left out, and the names in capitals
/// stand for what is [matched](super::matching) there.
pub(super) struct Vocabulary {
    /// What makes a sentence anything but a plain command: denials, conditions, other times.
    pub never: &'static str,
    /// What may be said before a command, and asks for nothing.
    pub before: &'static str,
    /// Names that the assistant is called by, where a comma follows.
    pub called: &'static str,
    /// What may be said before a command and makes a question of it: "could you".
    pub asking: &'static str,
    /// Those of them that ask for something only where a gerund follows.
    pub minding: &'static str,
    /// What may be said behind a command.
    pub behind: &'static str,
    /// What may be said anywhere.
    pub anywhere: &'static str,
    /// What joins two commands or two names.
    pub joins: &'static str,
    /// What stands before a place.
    pub places: &'static str,
    /// What stands before a time, when a number follows.
    pub times: &'static str,
    /// What no name begins with, because it belongs to the verb, and what none ends with.
    pub particles: &'static str,
    /// The verbs that a name may begin with all the same.
    pub verbs_in_names: &'static str,
    /// What stands before a name, and never behind such a verb in one.
    pub articles: &'static str,
    /// Those of them that the server takes for a word of a name, because another language has such a word.
    pub own_articles: &'static str,
    /// What only a fan has, and the words for one.
    pub speed: &'static str,
    pub fans: &'static str,
    /// Who does something: no name begins with it.
    pub subjects: &'static str,
    /// What leaves open which of two things is meant.
    pub alternatives: &'static str,
    /// What is no name by itself: "right on", "work out".
    pub no_names: &'static str,
    /// What asks after the exceptions, before a state: "are all lights off".
    pub every: &'static str,
    /// The articles that are a name by themselves.
    pub alone: &'static str,
    /// How a verb ends that orders nothing without "would you mind"; empty where there is none.
    pub gerund: &'static str,
    /// The states that no name has in its middle, unless an article follows: "lamp on the desk".
    pub switches: &'static str,
    /// The numbers from 0 to 19; a number that is said in two ways has a slash between them.
    pub ones: &'static str,
    /// The tens from 20 to 90.
    pub tens: &'static str,
    /// What stands between one and ten in a word where the one is said first.
    pub one_before_ten: Option<&'static str>,
    /// A hundred.
    pub hundred: &'static str,
    /// What is said behind a number for half of one more.
    pub and_a_half: &'static str,
    /// What stands between a number and its decimals.
    pub point: &'static str,
    /// Parts of the whole, in percent.
    pub parts: &'static [(u8, &'static str)],
    /// What follows a percentage.
    pub percent: &'static str,
    /// What follows a temperature.
    pub degrees: &'static str,
    /// Colours, by their names in the tool.
    pub colors: &'static [(&'static str, &'static str)],
    /// Modes, by their names in the tool.
    pub modes: &'static [(&'static str, &'static str)],
    /// States, by the words of a list, with the actions that lead to them.
    pub states: &'static [(&'static str, Option<Action>, &'static str)],
    /// What is measured or sensed, by the words of a list.
    pub facts: &'static [(&'static str, &'static str)],
    /// What an order begins with, also one that is no plain command.
    pub urging: &'static str,
    /// Words that change nothing of what a sentence speaks of.
    pub fillers: &'static str,
    /// What asks for more or less of something; how much that is, only the device's state tells.
    pub relative: &'static str,
    /// The whole sentences that cancel what is being answered.
    pub cancels: &'static str,
    /// What a question begins with.
    pub questions: &'static str,
    /// Words that speak of an action without being its usual words, with the kinds of devices that
    /// they speak of; no kinds are any.
    pub hints: &'static [(Action, &'static [&'static str], &'static str)],
    /// The forms of sentences.
    pub forms: &'static [(Aim, &'static str)],
}

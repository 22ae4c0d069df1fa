//! What can be wrong with a call's arguments.

use crate::home::intent::Action;

/// What is wrong with a call's arguments.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentError {
    /// A name that maps to nothing; the nearest right one, if one is near.
    UnknownName {
        /// The name that was sent.
        name: String,
        /// The right one.
        nearest: Option<&'static str>,
        /// Every name there is.
        known: Vec<&'static str>,
    },
    /// One argument was sent twice, with different values.
    SaidTwice {
        /// The argument.
        field: &'static str,
        /// The names it was sent under.
        names: (String, String),
    },
    /// The value has the wrong form.
    WrongForm {
        /// The argument.
        field: &'static str,
        /// What would be right.
        right: &'static str,
        /// What was sent, cut.
        sent: String,
    },
    /// No device was named.
    NoDevice,
    /// No action was named.
    NoAction,
    /// There is no such action.
    UnknownAction(String),
    /// The action needs another argument.
    Needs(Action, &'static str),
    /// The action does not take the argument.
    TakesNo(Action, &'static str),
    /// A percentage outside 0 to 100.
    OutOfRange(f64),
    /// `on` or `open` with level 0.
    Contradiction(Action),
    /// There is no such colour.
    UnknownColor(String),
}

//! Plain commands: what can be understood of a sentence without any model.
//!
//! A sentence is plain where every word of it is accounted for: an action's words, a number, a mode
//! or colour, politeness, and what is left over as a name. Whether the name is one says the server.
//! Where a sentence denies, is about another time, or depends on anything, it is not plain.

mod amount;
mod clause;
mod command;
mod english;
mod german;
mod hints;
mod languages;
mod lexicon;
mod manners;
mod matching;
mod readings;
mod run;
mod sentence;
mod spoken;
mod vocabulary;

pub(super) use command::{CONTROL, LIST};
pub use command::{PlainAct, PlainCall, PlainCommand};
pub use hints::{SentenceHints, hints};
pub use languages::cancels;
pub use run::{PlainRun, not_understood};
pub use sentence::understand;

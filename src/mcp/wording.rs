//! Words every sentence that this program says to a model.
//!
//! Sentences are short and speakable and say only what is known, because a small model repeats them.

mod facts;
mod listing;
mod mistakes;
mod outcomes;
mod phrases;
mod refusals;
mod troubles;

pub use facts::{
    kind_word, time_of_day, word_change, word_condition, word_exceptions, word_fact, word_facts,
    word_state,
};
pub use listing::{
    Heading, word_changes, word_ignored, word_lines, word_listing, word_no_match, word_problem,
    word_problem_lines, word_problems,
};
pub use mistakes::{
    example, no_completion, no_resource, too_long, too_many_streams, too_many_subscriptions,
    unknown_cursor, unknown_method, unknown_tool, word_mistake, word_mistake_for,
};
pub use outcomes::{word_outcome, word_set_outcome};
pub use phrases::{decimal, join_names, span};
pub use refusals::{
    ALLOW, ALLOW_MEANS, FIND_NAMES, NoConsent, word_device_refusal, word_missing_consent,
    word_question, word_refusal,
};
pub use troubles::{word_trouble, word_troubles, word_unmatched, word_unreadable, word_unsent};

/// The instructions that a host may give its model.
pub const INSTRUCTIONS: &str = "Controls a Z-Wave house. Call list_zwave_devices to learn the \
devices' names, then control_zwave_device with one name. Repeat to the user what the answer says \
happened: a device may refuse, be asleep or still be moving.";

/// The instructions of a read-only server.
pub const READ_ONLY_INSTRUCTIONS: &str = "Shows a Z-Wave house. Call list_zwave_devices to learn \
the devices' names and states. Nothing can be controlled through this server.";

/// The answer to a tool call that panicked.
pub const BROKEN: &str = "Something went wrong inside the server; the command may or may not have \
been carried out. Check the device before trying again.";

/// The answer to another request that panicked.
pub const BROKEN_REQUEST: &str = "Something went wrong inside the server. No command was sent; try \
again.";

/// The answer while the house is being read for the first time.
pub const STILL_READING: &str = "The house is still being read. Try again in a few seconds.";

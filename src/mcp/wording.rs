//! Every sentence this program says to a model. Nothing else writes words.
//!
//! Short, speakable, and only what is known: a small model repeats what it is told.

mod facts;
mod guarding;
mod intents;
mod listing;
mod mistakes;
mod outcomes;
mod phrases;
mod problems;
mod refusals;
mod resources;
mod sets;
mod troubles;

pub use facts::{entry_state, exceptions, fact, kind_word, split_facts};
pub use guarding::{ALLOW, ALLOW_MEANS, question, unasked};
pub use listing::{Heading, lines, listing, nothing_matches, passed_over};
pub use mistakes::{argument, argument_for, too_long, unknown_method, unknown_tool};
pub use outcomes::outcome;
pub use phrases::{decimal, span, spoken_list};
pub use problems::{problem, problem_lines, problems};
pub use refusals::{device_refusal, refusal};
pub use resources::{
    no_completion, no_resource, too_many_streams, too_many_subscriptions, unknown_cursor,
};
pub use sets::{SetOutcome, called, set_answer};
pub use troubles::{nothing_sent, trouble, troubles, unmatched, unreadable};

/// What a host may tell its model about this server at the start.
pub const INSTRUCTIONS: &str = "Controls a Z-Wave house. Call list_zwave_devices to learn the \
devices' names, then control_zwave_device with one name. Repeat to the user what the answer says \
happened: a device may refuse, be asleep or still be moving.";

/// The same where nothing can be controlled.
pub const READ_ONLY_INSTRUCTIONS: &str = "Shows a Z-Wave house. Call list_zwave_devices to learn \
the devices' names and states. Nothing can be controlled through this server.";

/// An answer to a call whose handling broke.
pub const BROKEN: &str = "Something went wrong inside the server; the command may or may not have \
been carried out. Check the device before trying again.";

/// The same to a request that controls nothing.
pub const BROKEN_REQUEST: &str = "Something went wrong inside the server. No command was sent; try \
again.";

/// An answer while the house is being read for the first time.
pub const STILL_READING: &str = "The house is still being read. Try again in a few seconds.";

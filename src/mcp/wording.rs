//! Makes every sentence that this program says to a model.
//!
//! Sentences are short, easy to speak, and say only what is known, because a small model repeats them.

mod facts;
mod listing;
mod mistakes;
mod outcomes;
mod phrases;
mod refusals;
mod troubles;

pub use facts::*;
pub use listing::*;
pub use mistakes::*;
pub use outcomes::*;
pub use phrases::*;
pub use refusals::*;
pub use troubles::*;

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

/// The answer to a request that panicked and was not a tool call.
pub const BROKEN_REQUEST: &str = "Something went wrong inside the server. No command was sent; try \
again.";

/// The sentence for a house that is being read for the first time.
pub const STILL_READING: &str = "The house is still being read. Try again in a few seconds.";

//! What is wrong with a request about resources, and what would be right.

use super::phrases::quoted;
use crate::mcp::resources::address::{HOUSE, TEMPLATE};

/// No resource has this URI.
pub fn no_resource(uri: &str) -> String {
    format!(
        "There is no resource {}. resources/list tells the URIs of all devices, and {HOUSE} is the \
         whole house.",
        quoted(uri)
    )
}

/// A cursor that this server did not give out.
pub fn unknown_cursor(cursor: &str) -> String {
    format!(
        "Unknown cursor {}. Begin again without one.",
        quoted(cursor)
    )
}

/// More subscriptions than are kept.
pub fn too_many_subscriptions(most: usize) -> String {
    format!(
        "A session can have at most {most} subscriptions. Subscribe to {HOUSE}, which tells of \
         every device."
    )
}

/// More streams than are kept.
pub fn too_many_streams(most: usize) -> String {
    format!(
        "A session can have at most {most} streams of notifications. Cancel one that is not needed \
         any more."
    )
}

/// There is nothing to complete but this.
pub fn no_completion() -> String {
    format!("Only the arguments \"room\" and \"name\" of {TEMPLATE} can be completed.")
}

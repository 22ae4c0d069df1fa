//! What holds for the whole of a host's session: what the owner of the house decided, and how the
//! protocol's revision lets the two sides talk.

use rmcp::RoleServer;
use rmcp::service::RequestContext;

use crate::home::guard::Guard;

/// What the owner of the house decided about the tools.
#[derive(Clone, Copy, Debug, Default)]
pub struct Policy {
    /// `control_zwave_device` is not offered.
    pub read_only: bool,
    /// What is done about unlocking and opening.
    pub guard: Guard,
    /// Results carry `structuredContent`, and the tools an `outputSchema`.
    pub structured: bool,
}

/// Whether a request's revision has sessions: then the server may ask and notify the host on its own.
/// Since 2026-07-28 there are none.
pub fn has_session(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_none_or(|version| version.has_initialize())
}

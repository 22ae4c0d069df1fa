//! Unit tests of `src/commands/tools.rs`.

use serde_json::json;

use super::*;

#[test]
fn control_fails_if_any_device_failed_or_has_an_unknown_outcome() {
    for (certainty, status) in [
        ("confirmed", ExitStatus::Success),
        ("moving", ExitStatus::Success),
        ("accepted", ExitStatus::Success),
        ("queued", ExitStatus::Success),
        ("failed", ExitStatus::Failed),
        ("unknown", ExitStatus::Failed),
    ] {
        let mut result = ToolResult::text("The others obeyed.");
        let meta = json!({ "zwave-mcp-server/certainty": certainty });
        result.meta = Some(meta);
        assert_eq!(to_exit_status(&result), status, "{certainty}");
    }
}

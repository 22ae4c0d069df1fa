//! Unit tests of `src/client/error.rs`.

use super::*;

#[test]
fn only_our_own_server_is_said_to_need_a_broker() {
    let ended = ClientError::Ended { why: String::new() };
    let remedy = |program: &str| describe_remedy(&ended, program);
    for ours in [
        "zwave-mcp-server",
        "/opt/zwave-mcp-server",
        r"C:\zwave-mcp-server.exe",
    ] {
        assert!(
            remedy(ours).contains("its MQTT broker is running"),
            "{ours}"
        );
    }
    for other in ["npx", "/opt/zwave-mcp-server-tools/run", ""] {
        assert!(!remedy(other).contains("MQTT"), "{other}");
    }
}

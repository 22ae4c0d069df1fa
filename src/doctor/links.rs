//! Links that add the server to a host with one click. They never contain a secret.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value as Json;

/// Every ASCII character except the unreserved characters of RFC 3986, section 2.3.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The form of a host's links. Each address below leads to the host's documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// <https://cursor.com/docs/mcp/install-links>
    Cursor,
    /// <https://lmstudio.ai/docs/app/mcp/deeplink>
    LmStudio,
    /// <https://code.visualstudio.com/api/extension-guides/ai/mcp>
    VsCode,
}

impl Link {
    /// Makes the link that adds this server under a name. For VS Code, `server` must contain the name.
    pub(super) fn to(self, name: &str, server: &Json) -> String {
        let start = self.start();
        match self {
            Self::Cursor | Self::LmStudio => {
                let config = STANDARD.encode(server.to_string());
                format!("{start}name={}&config={}", encode(name), encode(&config))
            }
            Self::VsCode => format!("{start}{}", encode(&server.to_string())),
        }
    }

    /// Returns the start of the link, which is the same for every server.
    pub(super) fn start(self) -> &'static str {
        match self {
            Self::Cursor => "cursor://anysphere.cursor-deeplink/mcp/install?",
            Self::LmStudio => "lmstudio://add_mcp?",
            Self::VsCode => "vscode:mcp/install?",
        }
    }
}

fn encode(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

#[cfg(test)]
mod tests {
    use percent_encoding::percent_decode_str;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_server_can_be_decoded_from_a_link() {
        let server = json!({ "command": "/opt/my tools/server", "args": ["--hide=Ätt?c>>/*"] });
        for link in [Link::Cursor, Link::LmStudio] {
            let text = link.to("zwave", &server);
            let config = text.strip_prefix(link.start()).unwrap();
            let config = config.strip_prefix("name=zwave&config=").unwrap();
            assert!(!config.contains(['+', '/', '=']), "{config}");
            let config = percent_decode_str(config).decode_utf8().unwrap();
            let config = STANDARD.decode(config.as_bytes()).unwrap();
            assert_eq!(serde_json::from_slice::<Json>(&config).unwrap(), server);
        }
        let text = Link::VsCode.to("zwave", &server);
        let query = text.strip_prefix("vscode:mcp/install?").unwrap();
        assert!(!query.contains([' ', '"', '{', '?']), "{query}");
        let query = percent_decode_str(query).decode_utf8().unwrap();
        assert_eq!(serde_json::from_str::<Json>(&query).unwrap(), server);
    }
}

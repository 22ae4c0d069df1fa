//! A table of the hosts that `doctor` knows. Each row has the place and the format of the host's entry, and
//! says whether the entry was tested.
//!
//! `docs/HOSTS.md` is generated from this table. `scripts/hosts` runs the hosts for which `is_run` is true.

use super::links::Link;
use crate::home::letters::squash;

/// A program that spawns the server.
#[derive(Debug, PartialEq, Eq)]
pub struct Host {
    /// The word for `doctor --host`, and the key in JSON.
    pub id: &'static str,
    /// The name for people.
    pub name: &'static str,
    /// The file that the entry goes into; empty for a command.
    pub file: &'static str,
    /// The path to this file in the host's menus; empty if there is none.
    pub menu: &'static str,
    /// The language of the entry.
    pub format: Format,
    /// The structure of the entry.
    pub(super) layout: Layout,
    /// The form of one-click link that the host supports, if any.
    pub(super) link: Option<Link>,
    /// True if the host can ask a person during a call, or if that is unknown.
    pub can_ask: bool,
    /// True if `scripts/hosts` runs the host with this entry. Otherwise the entry comes from the host's
    /// documentation only.
    pub is_run: bool,
    /// Anything else that a user of the host has to know, as sentences.
    pub note: &'static str,
}

/// The language of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A command for a shell.
    Shell,
    /// JSON.
    Json,
    /// YAML.
    Yaml,
    /// TOML.
    Toml,
}

impl Format {
    /// Returns the name of the language, as in the fence of a Markdown block.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shell => "sh",
            Self::Json => "json",
            Self::Yaml => "yaml",
            Self::Toml => "toml",
        }
    }
}

/// The structure of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Objects nested under these keys and the server's name. The innermost has `command`, `args` and `env`.
    Named(&'static [&'static str]),
    /// A list of one item, under this key. The item has the server's name, these fields, `command`, `args` and `env`.
    Listed(&'static str, &'static [(&'static str, &'static str)]),
    /// The first words of the command that adds a server. The server's name follows.
    Command(&'static [&'static str]),
    /// The whole of `.vscode/mcp.json`.
    VsCode,
    /// `opencode.json`, where the program and its arguments are one list.
    OpenCode,
    /// The file of GitHub Copilot CLI, which lists the allowed tools.
    Copilot,
    /// The file of Goose, which has other names for the fields.
    Goose,
}

/// The layout of Claude Desktop, which most hosts share.
const COMMON: Layout = Layout::Named(&["mcpServers"]);

/// The defaults for every row.
const HOST: Host = Host {
    id: "",
    name: "",
    file: "",
    menu: "",
    format: Format::Json,
    layout: COMMON,
    link: None,
    can_ask: true,
    is_run: true,
    note: "",
};

/// A report shows the entries for this many hosts, from the start of [`HOSTS`].
pub(super) const HOSTS_IN_REPORT: usize = 3;

/// Every known host.
pub static HOSTS: [Host; 18] = [
    Host {
        id: "claude-desktop",
        name: "Claude Desktop",
        file: "claude_desktop_config.json",
        menu: "Settings → Developer → Edit Config",
        can_ask: false,
        is_run: false,
        note: "Restart Claude Desktop afterwards.",
        ..HOST
    },
    Host {
        id: "claude-code",
        name: "Claude Code",
        format: Format::Shell,
        layout: Layout::Command(&["claude", "mcp", "add"]),
        ..HOST
    },
    Host {
        id: "vs-code",
        name: "VS Code",
        file: ".vscode/mcp.json",
        layout: Layout::VsCode,
        link: Some(Link::VsCode),
        is_run: false,
        note: "If the entry has a password, VS Code asks for it once and keeps it. Sessions of Copilot's own agent get no \
               server that asks for a password; they read the entry for GitHub Copilot CLI.",
        ..HOST
    },
    Host {
        id: "codex",
        name: "Codex",
        file: "~/.codex/config.toml",
        format: Format::Toml,
        layout: Layout::Named(&["mcp_servers"]),
        note: "The command \"codex exec\" needs default_tools_approval_mode = \"approve\" in the entry above. Without this \
               line, it controls nothing.",
        ..HOST
    },
    Host {
        id: "gemini-cli",
        name: "Gemini CLI",
        file: "~/.gemini/settings.json",
        can_ask: false,
        ..HOST
    },
    Host {
        id: "opencode",
        name: "OpenCode",
        file: "~/.config/opencode/opencode.json",
        layout: Layout::OpenCode,
        can_ask: false,
        note: "This entry is for OpenCode 1. OpenCode 2 has the servers one level deeper: put \"servers\": {…} around the \
               entry \"zwave\".",
        ..HOST
    },
    Host {
        id: "continue",
        name: "Continue",
        file: "~/.continue/config.yaml",
        format: Format::Yaml,
        layout: Layout::Listed("mcpServers", &[]),
        can_ask: false,
        ..HOST
    },
    Host {
        id: "copilot-cli",
        name: "GitHub Copilot CLI",
        file: "~/.copilot/mcp-config.json",
        layout: Layout::Copilot,
        ..HOST
    },
    Host {
        id: "cline",
        name: "Cline",
        file: "~/.cline/data/settings/cline_mcp_settings.json",
        menu: "in an editor: MCP Servers → Configure",
        can_ask: false,
        ..HOST
    },
    Host {
        id: "llm",
        name: "llm",
        file: "~/.llm-tools-mcp/mcp.json",
        can_ask: false,
        note: "llm needs the plugin llm-tools-mcp.",
        ..HOST
    },
    Host {
        id: "fast-agent",
        name: "fast-agent",
        file: "fastagent.config.yaml",
        format: Format::Yaml,
        layout: Layout::Named(&["mcp", "servers"]),
        ..HOST
    },
    Host {
        id: "mistral-vibe",
        name: "Mistral Vibe",
        file: "~/.vibe/config.toml",
        format: Format::Toml,
        layout: Layout::Listed("mcp_servers", &[("transport", "stdio")]),
        can_ask: false,
        ..HOST
    },
    Host {
        id: "cursor",
        name: "Cursor",
        file: "~/.cursor/mcp.json",
        link: Some(Link::Cursor),
        is_run: false,
        ..HOST
    },
    Host {
        id: "devin-desktop",
        name: "Devin Desktop",
        file: "~/.config/devin/mcp_config.json",
        is_run: false,
        note: "Devin Desktop was called Windsurf until June 2026. Windsurf reads ~/.codeium/windsurf/mcp_config.json.",
        ..HOST
    },
    Host {
        id: "zed",
        name: "Zed",
        file: "~/.config/zed/settings.json",
        menu: "zed: open settings file",
        layout: Layout::Named(&["context_servers"]),
        can_ask: false,
        is_run: false,
        ..HOST
    },
    Host {
        id: "goose",
        name: "Goose",
        file: "~/.config/goose/config.yaml",
        format: Format::Yaml,
        layout: Layout::Goose,
        is_run: false,
        note: "Goose's links take only programs such as npx, uvx and docker, so there is no link for this server.",
        ..HOST
    },
    Host {
        id: "lm-studio",
        name: "LM Studio",
        file: "~/.lmstudio/mcp.json",
        menu: "Program → Install → Edit mcp.json",
        link: Some(Link::LmStudio),
        is_run: false,
        ..HOST
    },
    Host {
        id: "open-webui",
        name: "Open WebUI",
        file: "mcpo.json",
        can_ask: false,
        is_run: false,
        note: "Open WebUI can't spawn a server. Let mcpo spawn it, with this command: uvx --with mcp==1.30.0 --with \
               fastapi==0.128.0 mcpo==0.0.20 --port 8000 --api-key KEY --config mcpo.json. With newer versions of mcp \
               and fastapi, mcpo 0.0.20 does not start. Then add http://localhost:8000/zwave to Open WebUI as an OpenAPI tool server, with \
               KEY as its key.",
        ..HOST
    },
];

/// Finds a host by its id or name, ignoring case and punctuation. The name "all" finds every host. The error
/// lists the valid ids.
pub fn find_hosts(name: &str) -> Result<Vec<&'static Host>, String> {
    let is_named = |word: &str| squash(name) == squash(word);
    let chosen: Vec<_> = HOSTS
        .iter()
        .filter(|host| is_named("all") || is_named(host.id) || is_named(host.name))
        .collect();
    if chosen.is_empty() {
        let ids: Vec<_> = HOSTS.iter().map(|host| host.id).collect();
        let ids = ids.join(", ");
        return Err(format!(
            "--host is \"{name}\"; it must be \"all\" or one of these: {ids}"
        ));
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_found_by_its_id_or_name_in_any_case() {
        let found = |name| {
            find_hosts(name).map(|hosts| hosts.iter().map(|host| host.id).collect::<Vec<_>>())
        };
        assert_eq!(found("CURSOR"), Ok(vec!["cursor"]));
        assert_eq!(found("lm studio"), Ok(vec!["lm-studio"]));
        assert_eq!(found("vscode"), Ok(vec!["vs-code"]));
        assert_eq!(found("all").map(|all| all.len()), Ok(HOSTS.len()));
        let error = found("emacs").unwrap_err();
        assert!(
            error.contains("\"emacs\"") && error.contains("open-webui"),
            "{error}"
        );
    }

    #[test]
    fn ids_are_unique_and_need_no_quotes() {
        let mut ids: Vec<_> = HOSTS.iter().map(|host| host.id).collect();
        let plain =
            |id: &&str| id.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-');
        assert!(ids.iter().all(plain), "{ids:?}");
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), HOSTS.len());
    }
}

//! The hosts that `doctor` knows, from the table in `hosts.toml`. Each row has the place and the text of the host's
//! entry, and says whether the entry was tested.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::home::letters::squash;

/// A program that spawns the server.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownHost {
    /// The word for `doctor --host`, and the key in JSON.
    pub id: String,
    /// The name for people.
    pub name: String,
    /// The file that the entry goes into; empty for a command.
    #[serde(default)]
    pub file: String,
    /// The path to this file in the host's menus; empty if there is none.
    #[serde(default)]
    pub menu: String,
    /// The language of the entry.
    #[serde(default)]
    pub format: EntryFormat,
    /// The entry, if it is not the one that most hosts share.
    entry: Option<String>,
    /// The placeholder for the password, if the host asks for the password itself.
    pub(super) password: Option<String>,
    /// A part of the entry that is needed only with a password.
    #[serde(default)]
    pub(super) if_password: String,
    /// The one-click link that the host supports, if any.
    pub(super) link: Option<String>,
    /// True if the host is known not to ask a person during a call.
    #[serde(default)]
    pub cannot_ask: bool,
    /// When the entry was read in the host's documentation, if `scripts/hosts` does not run the host.
    pub read: Option<String>,
    /// Anything else that a user of the host has to know, as sentences.
    #[serde(default)]
    pub note: String,
}

/// The language of an entry, named as in the fence of a Markdown block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryFormat {
    /// A command for a shell.
    #[serde(rename = "sh")]
    Shell,
    /// JSON.
    #[default]
    Json,
    /// YAML.
    Yaml,
    /// TOML.
    Toml,
}

#[derive(Default, Deserialize)]
struct HostTable {
    /// The entry of Claude Desktop, which most hosts share.
    common: String,
    hosts: Vec<KnownHost>,
}

/// A test checks that the table can be read.
static TABLE: LazyLock<HostTable> =
    LazyLock::new(|| toml::from_str(include_str!("hosts.toml")).unwrap_or_default());

/// A report shows the entries for this many hosts, from the start of the table.
pub(super) const HOSTS_IN_REPORT: usize = 3;

/// Returns every known host.
pub fn hosts() -> &'static [KnownHost] {
    &TABLE.hosts
}

impl KnownHost {
    /// Returns the template of the entry.
    pub(super) fn template(&self) -> &str {
        self.entry.as_ref().unwrap_or(&TABLE.common).trim()
    }
}

/// Finds a host by its id or name, ignoring case and punctuation. The name "all" finds every host. The error
/// lists the valid ids.
pub fn find_hosts(name: &str) -> Result<Vec<&'static KnownHost>, String> {
    let is_named = |word: &str| squash(name) == squash(word);
    let chosen: Vec<_> = hosts()
        .iter()
        .filter(|host| is_named("all") || is_named(&host.id) || is_named(&host.name))
        .collect();
    if chosen.is_empty() {
        let ids: Vec<_> = hosts().iter().map(|host| &*host.id).collect();
        let ids = ids.join(", ");
        return Err(format!(
            "--host is \"{name}\"; it must be \"all\" or one of these: {ids}"
        ));
    }
    Ok(chosen)
}

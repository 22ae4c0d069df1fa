//! Entries for the configurations of hosts, with this program's path and the settings in use, but no secret.

use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::utf8_percent_encode;
use serde_json::{Map, Value as Json, json};

use super::hosts::{EntryFormat, HOSTS_IN_REPORT, KnownHost, hosts};
use super::shell::PasteShell;
use crate::cli::settings::for_hosts::HostSettings;
use crate::mcp::ENCODED;
use crate::terminal::Screen;

/// The server's name in the hosts' lists.
const NAME: &str = "zwave";

/// The placeholder for a password.
const PLACEHOLDER: &str = "put the MQTT password here";

/// The program and its settings, from which the entries are made.
pub struct Entries {
    /// The absolute path of this program, because a graphical host does not have the shell's `PATH`.
    pub program: PathBuf,
    /// The settings in use.
    pub settings: HostSettings,
}

impl Entries {
    /// Returns the entry for a host, ready to paste.
    pub fn text(&self, host: &KnownHost) -> String {
        let variables = self.variables(host.password.as_deref().unwrap_or(PLACEHOLDER));
        if host.format == EntryFormat::Shell {
            return self.command(host.template(), &variables, PasteShell::OF_THIS_SYSTEM);
        }
        let if_password = if self.settings.needs_password {
            &*host.if_password
        } else {
            ""
        };
        let template = host.template().replace("{if_password}", if_password);
        let variables: Map<_, _> =
            variables.into_iter().map(|(name, text)| (name, text.into())).collect();
        let values = [
            ("command", json!(self.program())),
            ("args", json!(self.settings.arguments)),
            ("words", json!(self.words())),
            ("env", variables.into()),
        ];
        fill(&template, &values, host.format)
    }

    /// Returns the link that adds the server to a host with one click, if the host supports such links. The link
    /// never contains a secret.
    pub fn link(&self, host: &KnownHost) -> Option<String> {
        let link = host.link.as_ref()?;
        let entry: Map<String, Json> = serde_json::from_str(&self.text(host)).ok()?;
        let server = entry.values().find_map(|table| table.get(NAME)?.as_object())?;
        let encode = |text: &str| utf8_percent_encode(text, &ENCODED).to_string();
        let base64 = STANDARD.encode(json!(server).to_string());
        // VS Code wants the name and the inputs in the server.
        let mut named = Map::from_iter([("name".to_owned(), json!(NAME))]);
        named.extend(server.clone());
        named.extend(entry.get("inputs").map(|inputs| ("inputs".to_owned(), inputs.clone())));
        Some(
            link.replace("{base64}", &encode(&base64))
                .replace("{json}", &encode(&Json::Object(named).to_string())),
        )
    }

    /// Returns the entries for these hosts as text for people, each with its place and perhaps a link.
    /// The prose is wrapped for `screen`.
    pub fn listing<'a>(
        &self,
        hosts: impl IntoIterator<Item = &'a KnownHost>,
        screen: Screen,
    ) -> String {
        let parts = hosts.into_iter().flat_map(|host| {
            let link = self.link(host).map(|link| format!("Or open this link:\n\n{link}"));
            [Some(self.with_heading(host, screen)), link].into_iter().flatten()
        });
        parts.collect::<Vec<_>>().join("\n\n")
    }

    /// Returns the entries for these hosts as JSON for scripts, by host id.
    pub fn json<'a>(&self, hosts: impl IntoIterator<Item = &'a KnownHost>) -> Json {
        let entries = hosts.into_iter().map(|host| {
            let entry = json!({
                "name": host.name,
                "file": Some(&host.file).filter(|file| !file.is_empty()),
                "format": host.format,
                "text": self.text(host),
                "link": self.link(host),
            });
            (host.id.clone(), entry)
        });
        Json::Object(entries.collect())
    }

    /// Returns the end of a report: the entries for the first hosts, and the ids of the others.
    pub(super) fn first_hosts(&self, screen: Screen) -> String {
        let (first, others) = hosts().split_at(HOSTS_IN_REPORT.min(hosts().len()));
        let others: Vec<_> = others.iter().map(|host| &*host.id).collect();
        let others = others.join(", ");
        let mut parts: Vec<_> = first.iter().map(|host| self.with_heading(host, screen)).collect();
        let next = format!("For another host, add --host and its name: {others}, or all.");
        parts.push(screen.wrap(&next));
        parts.join("\n\n")
    }

    /// Returns a line that says where a host's entry goes, then the entry, and then the host's note.
    fn with_heading(&self, host: &KnownHost, screen: Screen) -> String {
        let mut heading = host.name.clone();
        match host.format {
            EntryFormat::Shell => heading += PasteShell::OF_THIS_SYSTEM.note(),
            _ => heading += &format!(", in {}", host.file),
        }
        if !host.menu.is_empty() {
            heading += &format!(" ({})", host.menu);
        }
        if self.settings.confirms_guarded && host.cannot_ask {
            heading +=
                "; this host can't ask a person, so --guard=confirm refuses guarded commands";
        }
        let heading = screen.wrap(&format!("{heading}:"));
        let mut parts = vec![heading, self.text(host), screen.wrap(&host.note)];
        parts.retain(|part| !part.is_empty());
        parts.join("\n\n")
    }

    /// Returns the shell command that adds the server.
    fn command(&self, template: &str, variables: &[(String, String)], shell: PasteShell) -> String {
        let words = template.split(' ').flat_map(|word| match word {
            "{env}" => variables
                .iter()
                .flat_map(|(name, text)| ["-e".to_owned(), format!("{name}={text}")])
                .collect(),
            "{words}" => self.words(),
            word => vec![word.to_owned()],
        });
        words.map(|word| shell.quote(&word)).collect::<Vec<_>>().join(" ")
    }

    /// Returns the environment variables, including `MQTT_PASSWORD` if a password is needed.
    fn variables(&self, password: &str) -> Vec<(String, String)> {
        let password = ("MQTT_PASSWORD".to_owned(), password.to_owned());
        let password = self.settings.needs_password.then_some(password);
        self.settings.variables.iter().cloned().chain(password).collect()
    }

    fn program(&self) -> String {
        self.program.display().to_string()
    }

    /// Returns the program and its arguments.
    fn words(&self) -> Vec<String> {
        let arguments = self.settings.arguments.iter().cloned();
        std::iter::once(self.program()).chain(arguments).collect()
    }
}

/// Replaces each `{name}` in a template by the value with this name. Values are not searched for names.
fn fill(template: &str, values: &[(&str, Json)], format: EntryFormat) -> String {
    let (mut text, mut rest) = (String::new(), template);
    while let Some((before, after)) = rest.split_once('{') {
        text += before;
        let value = values.iter().find_map(|(name, value)| {
            let after = after.strip_prefix(name)?.strip_prefix('}')?;
            Some((value, after))
        });
        if let Some((value, after)) = value {
            let line = text.rsplit('\n').next().unwrap_or_default();
            let indent = " ".repeat(line.len() - line.trim_start().len());
            text += &write_value(value, format, &indent);
            rest = after;
        } else {
            text.push('{');
            rest = after;
        }
    }
    text + rest
}

/// Writes a string, a list of strings, or an object of strings, in a line that begins with `indent`.
fn write_value(value: &Json, format: EntryFormat, indent: &str) -> String {
    match (format, value) {
        (EntryFormat::Json | EntryFormat::Shell, _) => {
            format!("{value:#}").replace('\n', &format!("\n{indent}"))
        }
        // In YAML, fields stand on lines of their own.
        (EntryFormat::Yaml, Json::Object(fields)) if fields.is_empty() => " {}".to_owned(),
        (EntryFormat::Yaml, Json::Object(fields)) => {
            let lines = fields.iter().map(|(key, value)| format!("\n{indent}  {key}: {value}"));
            lines.collect::<Vec<_>>().concat()
        }
        (EntryFormat::Toml, Json::Object(fields)) if !fields.is_empty() => {
            let fields = fields.iter().map(|(key, value)| format!("{key} = {value}"));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        (_, Json::Array(items)) => {
            let items: Vec<String> = items.iter().map(Json::to_string).collect();
            format!("[{}]", items.join(", "))
        }
        (_, value) => value.to_string(),
    }
}

#[cfg(test)]
#[path = "../../tests/unit/doctor/entries.rs"]
mod tests;

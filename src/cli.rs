//! Options and commands, as they are typed.
//!
//! Strings become types once, in [`settings`]; no text that is really an address, a duration or a
//! level travels further.

// Doc comments are the help text here, and people read them as they are.
#![allow(clippy::doc_markdown, rustdoc::bare_urls)]

pub mod exit;
mod names;
pub mod packaging;
pub mod secret;
pub mod settings;
mod suggested;

use std::ffi::OsString;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;

use crate::home::guard::Guard;
use crate::home::intent::Action;
use names::Setting;
use suggested::Suggested;

/// An MCP server for Z-Wave houses run by zwave-js-ui.
#[derive(Debug, Parser)]
#[command(
    name = "zwave-mcp-server",
    version,
    about,
    max_term_width = 100,
    after_help = "--help lists every option.",
    after_long_help = "Every option has an environment variable; the option wins."
)]
pub struct Cli {
    /// The options, before or after the command.
    #[command(flatten)]
    pub options: Options,
    /// What to do; serve, if nothing is said.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The actions as a choice: "on, off or …".
fn every_action() -> String {
    let names = Action::ALL.map(Action::name).join(", ");
    names
        .rsplit_once(", ")
        .map_or(names.clone(), |(names, last)| format!("{names} or {last}"))
}

/// The levels of `--log-level`.
const LEVELS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Speak MCP on stdin and stdout (the default)
    Serve,
    /// Play a zwave-js-ui with a simulated house on the broker, for trying things out
    Simulate {
        /// A file with a getNodes reply, instead of the demo house
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        nodes: Option<String>,
        /// The gateway's name
        #[arg(long, default_value = "simulated", value_hint = ValueHint::Other)]
        name: String,
    },
    /// Spawn a server, talk to it as a host would, and print
    #[command(flatten)]
    Talk(Talk),
    /// Show the house as a page in this machine's browser
    ///
    /// A web server on 127.0.0.1 serves it, to the one browser that is sent the printed address. With
    /// --guard confirm the page asks before something is unlocked or opened.
    #[cfg(feature = "view")]
    View {
        /// Only print the address; open no browser
        #[arg(long)]
        no_open: bool,
    },
    /// Go through everything that has to be in place, and print entries for hosts
    ///
    /// With --host it checks nothing and needs no broker: it prints that host's entry, says where the
    /// entry goes, and adds a one-click link if the host understands one.
    Doctor {
        /// Only print the entry for this host, such as cursor, or for all
        #[arg(long, value_name = "NAME")]
        host: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page
    Man,
}

/// What a person wants of a server.
#[derive(Debug, Subcommand)]
pub enum Talk {
    /// List the house's devices
    List {
        /// Words of rooms, names, kinds and states: "kitchen lights", "lights that are on"
        #[arg(value_hint = ValueHint::Other)]
        filter: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Control a device and tell what it really did
    Control {
        /// The device's name, a set of devices ("kitchen lights"), a scene or a group
        #[arg(value_hint = ValueHint::Other)]
        name: String,
        /// One of the actions there are
        #[arg(value_parser = Suggested(Action::ALL.map(Action::name)), hide_possible_values = true, help = every_action())]
        action: String,
        /// A percentage, degrees, a mode or a color, as the action needs it
        #[arg(value_hint = ValueHint::Other)]
        level: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Call any tool of this server, or of another
    Call {
        /// The tool's name
        #[arg(value_hint = ValueHint::Other)]
        tool: String,
        /// Its arguments, a JSON object
        #[arg(value_hint = ValueHint::Other)]
        arguments: Option<String>,
        /// Print the whole result as JSON
        #[arg(long)]
        json: bool,
        /// Whose tool
        #[command(flatten)]
        other: Other,
    },
    /// Print the tools of this server, or of another, as models' interfaces want them
    Tools {
        /// The shape
        #[arg(long, value_enum, default_value = "mcp")]
        format: Format,
        /// Whose tools
        #[command(flatten)]
        other: Other,
    },
}

impl Talk {
    /// The server that was typed; this program, where it is empty.
    pub fn server(&self) -> &[OsString] {
        match self {
            Self::List { .. } | Self::Control { .. } => &[],
            Self::Call { other, .. } | Self::Tools { other, .. } => &other.server,
        }
    }
}

/// The shape in which tools are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// As the server sent them
    Mcp,
    /// For Anthropic's Messages API
    Anthropic,
    /// For Ollama, and Qwen behind it
    Ollama,
    /// For OpenAI's chat completions, and llama.cpp, vLLM and LM Studio
    Openai,
}

/// A server that is not this one.
#[derive(Debug, Args)]
pub struct Other {
    /// The command of another stdio server; everything behind it belongs to it
    #[arg(long, value_name = "COMMAND", num_args = 1.., allow_hyphen_values = true, value_hint = ValueHint::CommandName)]
    pub server: Vec<OsString>,
}

/// Everything that can be set. Each option has an environment variable; the option wins.
#[derive(Clone, Debug, Default, Args)]
pub struct Options {
    /// The MQTT broker's address, mqtt:// or mqtts://; repeated for the brokers of a cluster [env: MQTT_BROKER_URL] [default: mqtt://localhost:1883]
    #[arg(long, global = true, value_name = "URL", value_hint = ValueHint::Url)]
    pub broker: Vec<String>,
    /// The MQTT user name [env: MQTT_USERNAME]; the password comes from MQTT_PASSWORD or a file
    #[arg(long, global = true, value_name = "NAME", value_hint = ValueHint::Other)]
    pub username: Option<String>,
    /// A file with the MQTT password [env: MQTT_PASSWORD_FILE]
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub password_file: Option<String>,
    /// The CA certificates (PEM) to trust, with mqtts:// [env: MQTT_CA_FILE] [default: the system's]
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub ca_file: Option<String>,
    /// A client certificate (PEM), with mqtts:// [env: MQTT_CLIENT_CERT]
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub client_cert: Option<String>,
    /// Its private key (PEM) [env: MQTT_CLIENT_KEY]
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub client_key: Option<String>,
    /// The topic prefix of zwave-js-ui [env: MQTT_TOPIC_PREFIX] [default: zwave]
    #[arg(long, global = true, value_name = "TOPIC", value_hint = ValueHint::Other, hide_short_help = true)]
    pub prefix: Option<String>,
    /// Serve only this gateway; may be repeated [env: ZWAVE_GATEWAY] [default: every one found]
    #[arg(long, global = true, value_name = "NAME", value_hint = ValueHint::Other, hide_short_help = true)]
    pub gateway: Vec<String>,
    /// Do not offer control_zwave_device at all [env: ZWAVE_READ_ONLY]
    #[arg(long, global = true)]
    pub read_only: bool,
    /// Only these devices: a room, a name, room/name or kind:KIND, * for anything; may be repeated [env: ZWAVE_EXPOSE]
    #[arg(long, global = true, value_name = "PATTERN", value_hint = ValueHint::Other)]
    pub expose: Vec<String>,
    /// Never these devices, in the same forms; wins over --expose [env: ZWAVE_HIDE]
    #[arg(long, global = true, value_name = "PATTERN", value_hint = ValueHint::Other)]
    pub hide: Vec<String>,
    /// Unlocking, and opening garage doors and gates: deny, confirm (ask me) or allow [env: ZWAVE_GUARD] [default: deny]
    #[arg(long, global = true, value_name = "WHAT", value_parser = Suggested(Guard::ALL.map(Guard::name)), hide_possible_values = true)]
    pub guard: Option<String>,
    /// Guard these too: relays that open something, in the forms of --hide; may be repeated [env: ZWAVE_GUARDED]
    #[arg(long, global = true, value_name = "PATTERN", value_hint = ValueHint::Other, hide_short_help = true)]
    pub guarded: Vec<String>,
    /// These only sound like a door or gate, and are not guarded [env: ZWAVE_UNGUARDED]
    #[arg(long, global = true, value_name = "PATTERN", value_hint = ValueHint::Other, hide_short_help = true)]
    pub unguarded: Vec<String>,
    /// A file with names of your own for devices, and floors [env: ZWAVE_NAMES]
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub names: Option<String>,
    /// Add structured content to results [env: ZWAVE_STRUCTURED]
    #[arg(long, global = true, hide_short_help = true)]
    pub structured: bool,
    /// How long to look for proof of a command [env: ZWAVE_CONFIRM_TIMEOUT] [default: 3s]
    #[arg(long, global = true, value_name = "TIME", value_hint = ValueHint::Other, hide_short_help = true)]
    pub confirm_timeout: Option<String>,
    /// How long a gateway has to answer [env: ZWAVE_REPLY_TIMEOUT] [default: 10s]
    #[arg(long, global = true, value_name = "TIME", value_hint = ValueHint::Other, hide_short_help = true)]
    pub reply_timeout: Option<String>,
    /// error, warn, info, debug or trace, or levels by module [env: RUST_LOG] [default: info]
    #[arg(long, global = true, value_name = "LEVEL", value_parser = Suggested(LEVELS), hide_possible_values = true, hide_short_help = true)]
    pub log_level: Option<String>,
    /// Also log into this folder, a file a day [env: ZWAVE_LOG_FILE]
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath, hide_short_help = true)]
    pub log_file: Option<String>,
    /// How many days of log files are kept [env: ZWAVE_LOG_DAYS] [default: 7]
    #[arg(long, global = true, value_name = "DAYS", value_hint = ValueHint::Other, hide_short_help = true)]
    pub log_days: Option<String>,
    /// Serve a simulated house; no broker is needed [env: ZWAVE_DEMO]
    #[arg(long, global = true)]
    pub demo: bool,
}

/// The environment variables that the server reads.
#[cfg(feature = "assistant")]
pub fn variables() -> Vec<&'static str> {
    let options = Options::default();
    let settings = options.all().into_iter().map(|(setting, _)| setting);
    let own = settings.flat_map(|setting| setting.variables);
    own.copied().chain(["MQTT_PASSWORD"]).collect()
}

/// What was typed for an option.
enum Typed<'a> {
    Text(&'a Option<String>),
    /// Values that may be repeated, and stand between commas.
    List(&'a [String]),
    /// Addresses, which have commas of their own.
    Addresses(&'a [String]),
    Flag(bool),
}

impl Options {
    /// Every option, in the order in which they are handed on.
    fn all(&self) -> [(Setting, Typed<'_>); 22] {
        use Typed::{Addresses, Flag, List, Text};
        [
            (names::USERNAME, Text(&self.username)),
            (names::PASSWORD_FILE, Text(&self.password_file)),
            (names::CA_FILE, Text(&self.ca_file)),
            (names::CLIENT_CERT, Text(&self.client_cert)),
            (names::CLIENT_KEY, Text(&self.client_key)),
            (names::PREFIX, Text(&self.prefix)),
            (names::GUARD, Text(&self.guard)),
            (names::NAMES, Text(&self.names)),
            (names::CONFIRM_TIMEOUT, Text(&self.confirm_timeout)),
            (names::REPLY_TIMEOUT, Text(&self.reply_timeout)),
            (names::LOG_LEVEL, Text(&self.log_level)),
            (names::LOG_FILE, Text(&self.log_file)),
            (names::LOG_DAYS, Text(&self.log_days)),
            (names::BROKER, Addresses(&self.broker)),
            (names::GATEWAY, List(&self.gateway)),
            (names::EXPOSE, List(&self.expose)),
            (names::HIDE, List(&self.hide)),
            (names::GUARDED, List(&self.guarded)),
            (names::UNGUARDED, List(&self.unguarded)),
            (names::READ_ONLY, Flag(self.read_only)),
            (names::STRUCTURED, Flag(self.structured)),
            (names::DEMO, Flag(self.demo)),
        ]
    }

    /// The same options as arguments, for the server that `list` and `control` start.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        for (Setting { flag, .. }, typed) in self.all() {
            let valued = |value: &String| format!("{flag}={value}");
            match typed {
                Typed::Text(text) => arguments.extend(text.iter().map(valued)),
                Typed::List(all) | Typed::Addresses(all) => {
                    arguments.extend(all.iter().map(valued));
                }
                Typed::Flag(set) => arguments.extend(set.then(|| flag.to_owned())),
            }
        }
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn everything_behind_server_is_its_command() {
        let typed = [
            "zwave-mcp-server",
            "call",
            "echo",
            "{}",
            "--server",
            "npx",
            "-y",
            "x",
            "--json",
        ];
        let Some(Command::Talk(talk)) = Cli::try_parse_from(typed).unwrap().command else {
            panic!("no call")
        };
        assert!(matches!(talk, Talk::Call { json: false, .. }));
        assert_eq!(talk.server(), ["npx", "-y", "x", "--json"]);
    }

    #[test]
    fn options_survive_being_handed_on() {
        let typed = [
            "zwave-mcp-server",
            "list",
            "--demo",
            "--broker",
            "mqtt://h",
            "--broker=mqtt://i,mqtts://j",
            "--gateway",
            "a",
            "--gateway",
            "b",
            "--reply-timeout=2s",
            "--expose=Kitchen/*",
            "--hide=kind:lock",
            "--hide=Attic",
            "--guarded=Barn/Auger",
            "--unguarded=Gate",
            "--ca-file=ca.pem",
            "--client-cert=me.pem",
            "--client-key=me.key",
            "--log-file=logs",
            "--log-days=3",
            "--read-only",
        ];
        let options = Cli::try_parse_from(typed).unwrap().options;
        let mut again = vec!["zwave-mcp-server".to_owned()];
        again.extend(options.arguments());
        let handed = Cli::try_parse_from(again).unwrap().options;
        assert_eq!(format!("{options:?}"), format!("{handed:?}"));
    }
}

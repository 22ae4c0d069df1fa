//! The command line: options and commands.
//!
//! Options are plain text here. [`mod@settings`] parses them into types.

// Doc comments here are help texts, which are not rendered as Markdown.
#![allow(clippy::doc_markdown, rustdoc::bare_urls)]

pub mod exit;
pub mod options;
pub mod packaging;
pub mod secret;
pub mod settings;

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;

use crate::home::intent::Action;
use crate::mcp::wording::join_names;
use options::Suggested;

pub use options::Options;
pub use options::{Setting, settings, variable_for, variables};

/// An MCP server for Z-Wave houses run by zwave-js-ui.
#[derive(Default, Debug, Parser)]
#[command(
    name = "zwave-mcp-server",
    version,
    about,
    max_term_width = 100,
    after_help = end_of_help("--help lists every setting."),
    after_long_help = end_of_help(EACH_HAS_A_VARIABLE),
)]
pub struct Cli {
    /// The options, before or after the command.
    #[command(flatten)]
    pub options: Options,
    /// The command; without one, `serve` is run.
    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Cli {
    /// Parses the arguments of this process. The short help of a command lists only the command's own options.
    ///
    /// # Errors
    /// Fails if the arguments are wrong, or ask for the help or the version.
    pub fn parse_arguments() -> Result<Self, clap::Error> {
        // Most hosts set everything by variables: nothing to parse, and no definition to build.
        if std::env::args_os().len() < 2 {
            return Ok(Self::default());
        }
        match Self::try_parse() {
            Err(error) if error.kind() == ErrorKind::DisplayHelp => {}
            parsed => return parsed,
        }
        // Only the help needs the definition of all commands, which takes long to build.
        let mut definition = Self::command();
        // Hands the settings down to the commands.
        definition.build();
        let definition = definition.mut_subcommands(|command| {
            let name = command.get_name().to_owned();
            let command = command.mut_args(|argument| {
                let setting =
                    settings().iter().find(|setting| argument.get_id() == &*setting.option);
                let is_unused = setting.is_some_and(|setting| !setting.is_used_by(&name));
                argument.hide_short_help(setting.is_some()).hide(is_unused)
            });
            if !settings().iter().any(|setting| setting.is_used_by(&name)) {
                return command;
            }
            command
                .after_help("--help lists the settings, such as --broker and --prefix.")
                .after_long_help(EACH_HAS_A_VARIABLE)
        });
        Self::from_arg_matches(&definition.try_get_matches()?)
    }
}

/// The end of the long help.
const EACH_HAS_A_VARIABLE: &str =
    "Each setting has an environment variable, which its option overrides.";

/// Returns the text after the options in the help: `sentence`, then commands to try.
fn end_of_help(sentence: &str) -> String {
    format!(
        "{sentence}\n\n\
         Try it in the demo house:\n  \
         zwave-mcp-server list --demo\n  \
         zwave-mcp-server control --demo \"kitchen ceiling\" dim 40\n  \
         zwave-mcp-server view --demo\n\
         Then look at your own:\n  \
         zwave-mcp-server doctor --broker mqtt://192.168.1.10"
    )
}

/// A command.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Speak MCP on stdin and stdout (the default)
    Serve,
    /// Connect a simulated zwave-js-ui and its house to the broker, to try things out
    Simulate {
        /// A file with a getNodes reply, instead of the demo house
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        nodes: Option<String>,
        /// The gateway's name
        #[arg(long, default_value = "simulated", value_hint = ValueHint::Other)]
        name: String,
    },
    /// Spawn a server, talk to it as a host would, and print what it answers
    #[command(flatten)]
    Talk(Talk),
    /// Show the house as a page in this machine's browser
    ///
    /// A web server on 127.0.0.1 serves the page, only to the first browser that opens the printed address.
    /// With --guard confirm, the page asks before something is unlocked or opened.
    #[cfg(feature = "view")]
    View {
        /// Only print the address; open no browser
        #[arg(long)]
        no_open: bool,
    },
    /// Check everything that has to be in place, and print entries for hosts
    ///
    /// With --host, it checks nothing and needs no broker: it prints the entry for that host, says where the
    /// entry goes, and adds a one-click link if the host understands such links.
    Doctor {
        /// Only print the entry for this host, such as cursor; "all" prints an entry for every host
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

/// A command that talks to a server.
#[derive(Debug, Subcommand)]
pub enum Talk {
    /// List the house's devices
    List {
        /// Words of rooms, names, kinds and states, such as "kitchen lights" or "lights that are on"; or
        /// "problems" or "changed"
        #[arg(value_hint = packaging::DEVICE)]
        filter: Vec<String>,
        /// Keep printing changes as they come, until interrupted
        #[arg(long)]
        follow: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Control a device and report what it really did
    Control {
        /// A device, a set of devices, a scene or a group; the action may also come first: turn on kitchen lights
        #[arg(value_hint = packaging::DEVICE)]
        name: String,
        /// The action
        #[arg(value_parser = Suggested(Action::ALL.map(Action::name).to_vec()), hide_possible_values = true, allow_negative_numbers = true, help = join_names(&Action::ALL.map(|action| action.name().to_owned()), "or"))]
        action: String,
        /// A percentage, degrees, a mode or a color, as the action needs it; a number with a sign, as in +2, is a step
        #[arg(value_hint = ValueHint::Other, allow_negative_numbers = true)]
        level: Vec<String>,
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
        /// The server that has the tool
        #[command(flatten)]
        other_server: OtherServer,
    },
    /// Print the tools of this server, or of another, in the form that a model's API expects
    Tools {
        /// The form in which to print the tools
        #[arg(long, value_enum, default_value = "mcp")]
        format: ToolFormat,
        /// The server that has the tools
        #[command(flatten)]
        other_server: OtherServer,
    },
}

impl Talk {
    /// Returns the command of `--server`; empty if the server is this program.
    pub fn server(&self) -> &[OsString] {
        match self {
            Self::List { .. } | Self::Control { .. } => &[],
            Self::Call { other_server, .. } | Self::Tools { other_server, .. } => {
                &other_server.server
            }
        }
    }
}

/// The form in which tools are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ToolFormat {
    /// As the server sent them
    Mcp,
    /// For Anthropic's Messages API
    Anthropic,
    /// For Ollama, including Qwen models
    Ollama,
    /// For OpenAI's chat completions, and llama.cpp, vLLM and LM Studio
    Openai,
}

/// A server other than this program.
#[derive(Debug, Args)]
pub struct OtherServer {
    /// The command of another stdio server; everything after it is part of the command
    #[arg(long, value_name = "COMMAND", num_args = 1.., allow_hyphen_values = true, value_hint = ValueHint::CommandName)]
    pub server: Vec<OsString>,
}

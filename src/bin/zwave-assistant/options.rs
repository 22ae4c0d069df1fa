//! The command line of `zwave-assistant`: its commands and options.

// The doc comments in this file are the help text of the command line, so they contain no Markdown.
#![allow(clippy::doc_markdown)]

use clap::{Args, Parser, Subcommand, ValueHint};
use clap_complete::Shell;

/// Controls a Z-Wave house by sentences: it understands plain commands itself, and gives other sentences
/// to a model
#[derive(Debug, Parser)]
#[command(
    name = "zwave-assistant",
    version,
    max_term_width = 100,
    after_help = "zwave-mcp-server serves the house, and takes its settings from environment variables \
                  (MQTT_BROKER_URL and so on). With --demo, it serves a simulated house:\n  \
                  zwave-assistant ask --demo \"turn on the coffee machine\"\n  \
                  zwave-assistant chat --demo"
)]
pub struct AssistantCli {
    /// What to do.
    #[command(subcommand)]
    pub command: AssistantCommand,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum AssistantCommand {
    #[command(flatten)]
    Talk(AssistantTalk),
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page
    Man,
}

/// The ways to talk to the house.
#[derive(Debug, Subcommand)]
pub enum AssistantTalk {
    /// Deal with one sentence, and print the answer
    Ask {
        #[command(flatten)]
        common: CommonOptions,
        /// Print one JSON object: text, path, model, calls and error
        #[arg(long)]
        json: bool,
        /// What the person says
        #[arg(required = true, value_hint = ValueHint::Other)]
        sentence: Vec<String>,
    },
    /// Talk at a terminal
    Chat {
        #[command(flatten)]
        common: CommonOptions,
    },
    /// Deal with transcripts, one per line on stdin, and print each answer as a line
    Listen {
        #[command(flatten)]
        common: CommonOptions,
        #[command(flatten)]
        options: ListenOptions,
    },
}

/// The models, and the servers of tools.
#[derive(Debug, Args)]
pub struct CommonOptions {
    /// A simulated house; no broker is needed
    #[arg(long, conflicts_with = "mcp_config")]
    pub demo: bool,
    /// The model for sentences that are no plain commands; PROVIDER is ollama, anthropic or openai
    #[arg(
        long,
        value_name = "PROVIDER:NAME",
        value_hint = ValueHint::Other,
        default_value = "ollama:qwen3:0.6b"
    )]
    pub model: String,
    /// Another model, to ask if the model before it does not reply; may be repeated
    #[arg(long, value_name = "PROVIDER:NAME", value_hint = ValueHint::Other)]
    pub fallback: Vec<String>,
    /// Leave plain commands to the model too
    #[arg(long)]
    pub no_local: bool,
    /// For models with fewer than about a billion parameters: offer at most one tool, narrowed to what the
    /// sentence mentions, and make at most one call
    #[arg(long, conflicts_with = "mcp_config")]
    pub small_model: bool,
    /// The language that people speak, preferred if a sentence fits two languages: de, en, es, fr, it or nl
    #[arg(long, value_name = "CODE", value_parser = ["de", "en", "es", "fr", "it", "nl"])]
    pub language: Option<String>,
    /// The room in which people speak: it decides which of several devices is meant [env: ZWAVE_ROOM]
    #[arg(long, value_name = "ROOM", value_hint = ValueHint::Other)]
    pub room: Option<String>,
    /// Use the servers in this file, which has Claude Desktop's format, instead of zwave-mcp-server
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub mcp_config: Option<String>,
}

/// The level of a topic that stands for the room of whoever speaks.
pub const ROOM_LEVEL: &str = "{room}";

/// The source of transcripts, and the destinations of answers.
#[derive(Debug, Args)]
pub struct ListenOptions {
    /// Take transcripts from this MQTT topic, one per message, instead of stdin; {room} stands for the level that
    /// says the room
    #[arg(long, value_name = "TOPIC", value_parser = parse_topic, value_hint = ValueHint::Other)]
    pub topic: Option<String>,
    /// Publish the answers on this MQTT topic, instead of printing them; {room} stands for the room of --topic
    #[arg(long, value_name = "TOPIC", value_parser = parse_topic, value_hint = ValueHint::Other, requires = "topic")]
    pub reply_topic: Option<String>,
    /// Run this command in a shell for each answer, with the answer on its stdin
    #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString)]
    pub speak: Option<String>,
}

/// Checks that a topic can be published to (MQTT 3.1.1, section 4.7), and that it says the room at most once, as a
/// level of its own.
fn parse_topic(text: &str) -> Result<String, String> {
    let is_invalid = text.is_empty() || text.len() > 65_535 || text.contains(['#', '+', '\0']);
    let levels = text.split('/').filter(|level| *level == ROOM_LEVEL).count();
    if is_invalid || levels > 1 || text.matches(ROOM_LEVEL).count() > levels {
        return Err(
            "a topic is a text such as voice/said or voice/{room}/said, without # and +".to_owned(),
        );
    }
    Ok(text.to_owned())
}

#[cfg(test)]
#[path = "../../../tests/unit/bin/zwave-assistant/options.rs"]
mod tests;

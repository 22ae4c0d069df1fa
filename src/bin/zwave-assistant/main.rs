//! The program `zwave-assistant`: starts a command, and handles its logging, signals and exit code.

mod ask;
mod chat;
mod environment;
mod history;
mod listen;
mod options;
mod setup;
mod speaker;
mod topics;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use zwave_mcp_server::assistant::MAX_SENTENCE_CHARS;
use zwave_mcp_server::cli::exit::{Failure, bad_usage, block_on, explain, failed, print};
use zwave_mcp_server::cli::settings::warn_of_misspelt;
use zwave_mcp_server::cli::{self, packaging};
use zwave_mcp_server::client::Redactor;
use zwave_mcp_server::gateway::GatewaySettings;
use zwave_mcp_server::gateway::mqtt::Broker;
use zwave_mcp_server::gateway::protocol::topics::is_under;
use zwave_mcp_server::logging::{self, Logging, Logs};
use zwave_mcp_server::signals::wait_for_end;
use zwave_mcp_server::terminal::note;

use options::{AssistantCli, AssistantCommand, AssistantTalk, ROOM_LEVEL};
use setup::Assistant;

fn main() -> ExitCode {
    let done = match AssistantCli::try_parse().map(|cli| cli.command) {
        Ok(AssistantCommand::Talk(talk @ AssistantTalk::Ask { json: true, .. })) => {
            run(talk).or_else(ask::print_failure)
        }
        Ok(AssistantCommand::Talk(talk)) => run(talk),
        Ok(AssistantCommand::Completions { shell }) => {
            print(&packaging::completions(AssistantCli::command(), shell))
        }
        Ok(AssistantCommand::Man) => print(&packaging::manual(AssistantCli::command())),
        Err(error) => match explain_option(&error) {
            Some(sentence) => Err(bad_usage(sentence)),
            None => explain(&error),
        },
    };
    done.unwrap_or_else(|Failure(code, text)| {
        complain(&text);
        ExitCode::from(code)
    })
}

/// If the error is about an option of another command, or about an option that was typed before its command,
/// says where the option belongs. Some options are those of `zwave-mcp-server`.
fn explain_option(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let option = given.split('=').next()?;
    let long = option.strip_prefix("--")?;
    let cli = AssistantCli::command();
    let mut commands = cli.get_subcommands();
    let takes_it = |command: &&clap::Command| {
        command.get_arguments().any(|argument| argument.get_long() == Some(long))
    };
    if let Some(command) = commands.find(takes_it) {
        let name = command.get_name();
        return Some(format!(
            "{option} comes after the command: zwave-assistant {name} {option}"
        ));
    }
    let variable = cli::variable_for(option)?;
    Some(format!(
        "{option} is an option of zwave-mcp-server; zwave-assistant takes it from {variable}"
    ))
}

fn run(command: AssistantTalk) -> Result<ExitCode, Failure> {
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    for warning in warn_of_misspelt(names) {
        complain(&warning);
    }
    let (common, sentence) = match &command {
        AssistantTalk::Ask {
            common, sentence, ..
        } => (common, one_sentence(sentence)?),
        AssistantTalk::Chat { common } | AssistantTalk::Listen { common, .. } => {
            (common, String::new())
        }
    };
    let brokers = topic_brokers(&command)?;
    let mut assistant =
        setup::create_assistant(common, !matches!(command, AssistantTalk::Ask { .. }))?;
    for broker in &brokers {
        assistant.secrets.extend(broker.secrets());
    }
    let logs = start_logging(&assistant)?;
    let done = block_on(run_until_signal(
        command,
        &sentence,
        &mut assistant,
        brokers,
    ));
    logs.end();
    done?
}

/// Returns the brokers if the command takes transcripts from a topic, and an empty list otherwise. Checks that it does
/// not hear its own answers, that it is told the room of an answer, and that its topics are nobody else's.
fn topic_brokers(command: &AssistantTalk) -> Result<Vec<Broker>, Failure> {
    let AssistantTalk::Listen { options, .. } = command else {
        return Ok(Vec::new());
    };
    let Some(heard) = options.topic.as_deref().map(topics::without_share) else {
        return Ok(Vec::new());
    };
    let reply = options.reply_topic.as_deref();
    if reply.is_some_and(|reply| topics::may_be_same(heard, reply)) {
        return Err(bad_usage(
            "--topic and --reply-topic must differ, or the program would hear its own answers",
        ));
    }
    if reply.is_some_and(|reply| reply.contains(ROOM_LEVEL)) && !heard.contains(ROOM_LEVEL) {
        return Err(bad_usage(
            "--reply-topic says {room}, so --topic must say it too, as in voice/{room}/said",
        ));
    }
    let settings = setup::settings_for_topics()?;
    check_outside("--topic", heard, &settings.house)?;
    if let Some(reply) = reply {
        check_outside("--reply-topic", reply, &settings.house)?;
    }
    Ok(settings.brokers)
}

/// Checks that a topic of `listen` is neither zwave-js-ui's nor one on which people are asked.
fn check_outside(option: &str, topic: &str, house: &GatewaySettings) -> Result<(), Failure> {
    if let Some(ask) = &house.question_topic
        && [ask, &format!("{ask}/answer")]
            .iter()
            .any(|ask| topics::may_be_same(topic, ask))
    {
        return Err(bad_usage(format!(
            "--topic and --reply-topic must not be {ask} or {ask}/answer, on which people are asked \
             (ZWAVE_CONFIRM_TOPIC), or what is said there could open a door"
        )));
    }
    let prefix = &house.rules.prefix;
    if is_under(prefix, topic) {
        return Err(bad_usage(format!(
            "{option} is \"{topic}\"; it must be outside zwave-js-ui's topics, which begin with {prefix}/"
        )));
    }
    Ok(())
}

/// Runs a command until it is done or a signal arrives. Then ends the servers.
async fn run_until_signal(
    command: AssistantTalk,
    sentence: &str,
    assistant: &mut Assistant,
    brokers: Vec<Broker>,
) -> Result<ExitCode, Failure> {
    let is_ask = matches!(command, AssistantTalk::Ask { .. });
    let is_chat = matches!(command, AssistantTalk::Chat { .. });
    let running = async {
        assistant.connect().await?;
        let (router, room) = (&assistant.router, assistant.room.clone());
        match command {
            AssistantTalk::Ask { json, .. } => ask::ask(router, room, sentence, json).await,
            AssistantTalk::Chat { .. } => chat::chat(router, room).await,
            AssistantTalk::Listen { options, .. } => {
                let topics = topics::connect(&options, brokers);
                listen::listen(router, &options, room, topics).await
            }
        }
    };
    let done = tokio::select! {
        done = running => done,
        // In a chat, Ctrl-C only cancels the answer that is in progress.
        () = wait_for_end(!is_chat, true) => if is_ask {
            Err(failed("Stopped; what was done before stays done."))
        } else {
            // A signal is a normal way to end `chat` and `listen`.
            Ok(ExitCode::SUCCESS)
        },
    };
    assistant.router.servers.close().await;
    done
}

/// Joins the typed words into one sentence. Fails if the sentence is empty or too long.
fn one_sentence(words: &[String]) -> Result<String, Failure> {
    let sentence = words.join(" ").trim().to_owned();
    if sentence.is_empty() {
        return Err(bad_usage(
            "the sentence is empty; say what the house is to do",
        ));
    }
    if sentence.chars().count() > MAX_SENTENCE_CHARS {
        return Err(bad_usage(format!(
            "the sentence is longer than {MAX_SENTENCE_CHARS} characters; say less at once"
        )));
    }
    Ok(sentence)
}

/// Starts logging on stderr if `RUST_LOG` is set. Without `RUST_LOG`, nothing is logged, so that a terminal
/// shows only the answers.
fn start_logging(assistant: &Assistant) -> Result<Logging, Failure> {
    let Some(levels) = environment::read_variable("RUST_LOG") else {
        return Ok(Logging::default());
    };
    let filter = logging::parse_filter(&levels).ok_or_else(|| {
        bad_usage(format!(
            "RUST_LOG is \"{levels}\"; it must be error, warn, info, debug or trace, or levels by module"
        ))
    })?;
    let logs = Logs {
        filter,
        files: None,
        redactor: Redactor::new(assistant.secrets.clone()),
        is_for_terminal: false,
        has_colors: false,
    };
    Logging::start(logs).map_err(failed)
}

/// Prints a message on stderr. The line begins with the program's name.
fn complain(text: &str) {
    note(&format!("zwave-assistant: {text}"));
}

//! The server that a command talks to.

use std::ffi::OsString;
use std::io::{self, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;

use super::CommandError;
use crate::cli::{Options, Talk};
use crate::client::{
    BadLine, CallError, ClientError, Connection, Host, Limits, PersonAnswer, Program, Question,
    Redactor, ServerEvent, ToolExecutor, ToolManager, ToolResult, describe_last_lines,
};
use crate::terminal::{Screen, printable};

/// The time limit for the start of a server whose command was typed: `npx` may have to download the server.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// The time limit of a call. This program's server needs less time, whatever its settings.
pub(super) const CALL_TIMEOUT: Duration = Duration::from_secs(300);

/// The time after which a person is told that the command is still waiting.
const WAIT_NOTE_DELAY: Duration = Duration::from_secs(1);

/// The maximum number of a server's bad lines that are shown.
const MAX_BAD_LINES: usize = 10;

/// Divides the command of a server as a shell does if it is one argument, because somebody put it in quotes. A
/// path with a space in it stays as it is.
fn divide_quoted(command: &[OsString]) -> Vec<OsString> {
    let divided = match command {
        [one] if !Path::new(one).exists() => one.to_str().and_then(shlex::split),
        _ => None,
    };
    divided.map_or_else(
        || command.to_vec(),
        |words| words.into_iter().map(Into::into).collect(),
    )
}

/// A server to spawn, and the host that talks to this server.
pub struct TargetServer {
    program: Program,
    pub(super) host: Host,
    /// True if the person needs no message about waiting, because there is other output or a question.
    pub(super) is_quiet: Arc<AtomicBool>,
}

impl TargetServer {
    /// Targets the server whose command was typed. If no command was typed, targets this program as the
    /// server, with these options.
    pub fn new(program: PathBuf, options: &Options, talk: &Talk) -> Self {
        let typed = divide_quoted(talk.server());
        if let Some((other, arguments)) = typed.split_first() {
            let mut target = Self::from_program(Program::new(other, arguments));
            target.host.limits.attempt = START_TIMEOUT;
            return target;
        }
        let mut options = options.clone();
        // Needed for `control --json`.
        if matches!(talk, Talk::Control { .. }) {
            options = options.with("--structured", "1");
        }
        Self::own(program, &options)
    }

    /// Targets this program as the server, with these options.
    pub fn own(program: PathBuf, options: &Options) -> Self {
        Self::from_program(Program::new(program, options.arguments()))
    }

    fn from_program(program: Program) -> Self {
        let mut host = Host::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        // There is only one attempt, because a person should see at once what is wrong, and can retry. But `talk`
        // makes a second one if the server has ended.
        host.limits = Limits {
            delays: vec![Duration::ZERO],
            call: CALL_TIMEOUT,
            ..Limits::default()
        };
        Self {
            program,
            host,
            is_quiet: Arc::default(),
        }
    }

    /// Lets the person at this terminal answer the server's questions.
    #[must_use]
    pub fn ask_at_terminal(mut self) -> Self {
        let is_quiet = Arc::clone(&self.is_quiet);
        self.host = self.host.with_asker(move |question| {
            // In the middle of a question, a message about waiting would confuse the person.
            is_quiet.store(true, Ordering::Relaxed);
            ask_in_thread(question)
        });
        self
    }

    /// Spawns the server, calls one tool, and ends the server.
    pub(super) async fn call(
        self,
        tool: &str,
        arguments: Json,
        err: &mut impl Write,
    ) -> Result<ToolResult, CommandError> {
        let limits = self.host.limits.clone();
        self.talk(err, async |connection| {
            let manager = Arc::new(ToolManager::default());
            manager.add_server(connection).await?;
            let executor = ToolExecutor::new(manager, limits, Redactor::default());
            let result = executor.call(tool, arguments).await;
            result.map_err(|error| match error {
                CallError::InvalidArguments { .. } => CommandError::Usage(error.to_string()),
                error => CommandError::Call(error),
            })
        })
        .await
    }

    /// Spawns the server, runs `work`, and ends the server. Shows the server's bad lines as they come, and the end of
    /// its stderr if the server ends by itself.
    pub(super) async fn talk<T>(
        self,
        err: &mut impl Write,
        work: impl AsyncFnOnce(Arc<Connection>) -> Result<T, CommandError>,
    ) -> Result<T, CommandError> {
        let is_quiet = Arc::clone(&self.is_quiet);
        let (collector, mut collected) = mpsc::unbounded_channel();
        let mut bad_lines = BadLines::default();
        let listener = Arc::clone(&self.host.listener);
        let host = self.host.with_listener(move |event| {
            listener(event);
            if let ServerEvent::BadLine(line) = event {
                // Fails only if `talk` has returned.
                let _ = collector.send(line.clone());
            }
        });
        let connection = Arc::new(Connection::new(self.program, host));
        let work = async {
            let mut connected = connection.connect().await;
            if let Err(error) = &connected
                && matches!(error.reason, ClientError::Ended { .. })
            {
                connected = connection.connect().await;
            }
            match connected {
                Ok(()) => work(Arc::clone(&connection)).await,
                Err(error) => Err(CommandError::Connect(Box::new(error))),
            }
        };
        let done = {
            let mut work = pin!(work);
            let mut note_delay = pin!(sleep(WAIT_NOTE_DELAY));
            let mut is_noted = false;
            loop {
                tokio::select! {
                    biased;
                    done = &mut work => break done,
                    Some(line) = collected.recv() => bad_lines.print(&line, err),
                    () = &mut note_delay, if !is_noted => {
                        is_noted = true;
                        if !is_quiet.load(Ordering::Relaxed) {
                            // If stderr is closed, the message is lost.
                            let _ = writeln!(err, "Waiting for an answer…");
                        }
                    }
                }
            }
        };
        let stderr = connection.stderr();
        let closed = connection.close().await;
        while let Ok(line) = collected.try_recv() {
            bad_lines.print(&line, err);
        }
        // If stderr is closed, the result still counts.
        let _ = bad_lines.finish(err);
        if done.as_ref().is_err_and(CommandError::is_end_of_server) && !stderr.is_empty() {
            let _ = writeln!(
                err,
                "{}",
                printable(describe_last_lines(&stderr).trim_start())
            );
        }
        if let Err(error) = closed {
            let _ = writeln!(err, "zwave-mcp-server: {}", printable(&error.to_string()));
        }
        done
    }
}

/// Counts the lines of a server's stdout that are not messages.
#[derive(Default)]
struct BadLines(usize);

impl BadLines {
    /// Prints a line, unless there were already `MAX_BAD_LINES`.
    fn print(&mut self, line: &BadLine, err: &mut impl Write) {
        let heading = match self.0 {
            0 => "The server prints on stdout what is not a message:\n",
            _ => "",
        };
        self.0 += 1;
        if self.0 <= MAX_BAD_LINES {
            // If stderr is closed, the message is lost.
            let _ = writeln!(err, "{heading}  {}", printable(&line.to_string()));
        }
    }

    /// Prints the number of lines that were not printed.
    fn finish(&self, err: &mut impl Write) -> io::Result<()> {
        match self.0.saturating_sub(MAX_BAD_LINES) {
            0 => Ok(()),
            omitted => writeln!(err, "  … and {omitted} more"),
        }
    }
}

/// A question that nobody has answered yet. If it is given up, for example because of Ctrl-C, says that nothing
/// was done.
struct OpenQuestion;

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        // If stderr is closed, the message is lost.
        let _ = writeln!(io::stderr(), "\nNothing was done.");
    }
}

async fn ask_in_thread(question: Question) -> PersonAnswer {
    let (sender, answer) = oneshot::channel();
    let open = OpenQuestion;
    // A thread that reads a line can't be interrupted, so the runtime must not wait for this thread.
    thread::spawn(move || {
        // Fails if the question was given up.
        let _ = sender.send(ask(&question));
    });
    let answer = answer.await.unwrap_or(PersonAnswer::Dismiss);
    mem::forget(open);
    answer
}

/// Asks on stderr, and reads the answer from stdin. Only "y" or "yes" accepts.
fn ask(question: &Question) -> PersonAnswer {
    let mut err = io::stderr();
    let message = printable(&format!("{} [y/N]", question.message));
    let message = Screen::of(&err).wrap(&message);
    let prompt = write!(err, "{message} ").and_then(|()| err.flush());
    let mut line = String::new();
    match prompt.and_then(|()| io::stdin().read_line(&mut line)) {
        Ok(0) | Err(_) => PersonAnswer::Dismiss,
        Ok(_) if is_yes(&line) => PersonAnswer::Accept(question.fill_with_yes()),
        Ok(_) => PersonAnswer::Decline,
    }
}

fn is_yes(line: &str) -> bool {
    matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
#[path = "../../tests/unit/commands/server.rs"]
mod tests;

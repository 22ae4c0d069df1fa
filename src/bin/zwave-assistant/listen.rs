//! Transcripts in, answers out, until there is no further transcript.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::io::{BufReader, Stdin};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;
use zwave_mcp_server::assistant::{AiRouter, BackgroundTranscriber, HeardTranscript};
use zwave_mcp_server::cli::exit::{FAILED, Failure, failed};
use zwave_mcp_server::lines::RawLines;
use zwave_mcp_server::terminal::printable;

use crate::options::Ways;
use crate::speaker::Speaker;
use crate::topics::{ReplySender, Topics};

/// The maximum length of a line, in bytes.
const MAX_LINE: usize = 64 * 1024;

/// The source of transcripts.
enum Source {
    Lines(RawLines<BufReader<Stdin>>),
    Topic(Topics),
}

impl Source {
    /// Waits for the next transcript: `Some(None)` if it is too long, `None` at the end.
    async fn next(&mut self) -> std::io::Result<Option<Option<String>>> {
        match self {
            Self::Lines(lines) => {
                let line = lines.next().await?;
                Ok(line.map(|line| {
                    (!line.cut).then(|| String::from_utf8_lossy(&line.bytes).into_owned())
                }))
            }
            Self::Topic(topics) => Ok(topics.next().await.map(Some)),
        }
    }
}

/// The outlets of answers.
struct Outlets {
    /// Publishes them; otherwise they are printed.
    reply: Option<ReplySender>,
    printer: LinePrinter,
    speaker: Option<Speaker>,
}

impl Outlets {
    /// Passes an answer on. Returns false if somebody does not get it.
    async fn tell(&self, answer: &str) -> bool {
        let is_delivered = match &self.reply {
            Some(reply) => reply(answer),
            None => self.printer.print(answer).await,
        };
        let is_spoken = self.speaker.as_ref().is_none_or(|speaker| speaker.say(answer));
        is_delivered && is_spoken
    }

    /// Waits until everybody has heard everything.
    async fn finish(self) {
        if let Some(speaker) = self.speaker {
            speaker.finish().await;
        }
        self.printer.finish().await;
    }
}

/// Takes transcripts and passes their answers on.
pub async fn listen(
    router: &Arc<AiRouter>,
    ways: &Ways,
    topics: Option<Topics>,
) -> Result<ExitCode, Failure> {
    let reply = topics.as_ref().zip(ways.reply_topic.clone());
    let outlets = Outlets {
        reply: reply.map(|(topics, topic)| topics.reply_sender(topic)),
        printer: LinePrinter::start(),
        speaker: ways.speak.clone().map(Speaker::start),
    };
    let mut source = match topics {
        Some(topics) => Source::Topic(topics),
        None => Source::Lines(RawLines::new(BufReader::new(tokio::io::stdin()), MAX_LINE)),
    };
    // It never holds more answers than there were transcripts that waited.
    let (answer_sender, mut answers) = mpsc::unbounded_channel();
    let transcriber = BackgroundTranscriber::start(Arc::clone(router), move |_, answer| {
        // This fails only when the program ends.
        let _ = answer_sender.send(answer.text);
    });
    let mut all_answered = true;
    loop {
        // A line waits in its pipe; a message of a topic would be lost.
        let can_take = matches!(source, Source::Topic(_)) || transcriber.has_room();
        tokio::select! {
            next = source.next(), if can_take => match next {
                Ok(Some(None)) => {
                    all_answered = false;
                    transcriber.refuse();
                }
                Ok(Some(Some(transcript))) => match transcriber.hear(&transcript) {
                    HeardTranscript::TooMuch => all_answered = false,
                    HeardTranscript::Cancelled => {
                        while let Ok(answer) = answers.try_recv() {
                            all_answered &= outlets.tell(&answer).await;
                        }
                        all_answered &= outlets.tell(&AiRouter::word_cancellation(&transcript)).await;
                    }
                    HeardTranscript::Queued | HeardTranscript::Silence => {}
                },
                Ok(None) => break,
                Err(error) => return Err(failed(format!("can't read stdin: {error}"))),
            },
            Some(answer) = answers.recv() => all_answered &= outlets.tell(&answer).await,
            () = outlets.printer.unread.cancelled() => return Ok(ExitCode::SUCCESS),
        }
    }
    let rest = async {
        while let Some(answer) = answers.recv().await {
            all_answered &= outlets.tell(&answer).await;
        }
    };
    tokio::join!(transcriber.finish(), rest);
    outlets.finish().await;
    Ok(ExitCode::from(if all_answered { 0 } else { FAILED }))
}

/// The maximum number of lines that wait for a slow reader.
const MAX_WAITING: usize = 256;

/// Prints lines in a thread of its own: a slow reader keeps nobody waiting until many lines wait.
struct LinePrinter {
    lines: mpsc::Sender<String>,
    printing: JoinHandle<()>,
    /// Cancelled when nobody reads any more.
    unread: CancellationToken,
}

impl LinePrinter {
    fn start() -> Self {
        let (lines, mut waiting) = mpsc::channel::<String>(MAX_WAITING);
        let unread = CancellationToken::new();
        let gone = unread.clone();
        let printing = std::thread::spawn(move || {
            while let Some(line) = waiting.blocking_recv() {
                let mut out = std::io::stdout().lock();
                if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
                    gone.cancel();
                    return;
                }
            }
        });
        Self {
            lines,
            printing,
            unread,
        }
    }

    /// Prints an answer as one line. Returns false if nobody reads any more.
    async fn print(&self, answer: &str) -> bool {
        let words: Vec<&str> = answer.split_whitespace().collect();
        self.lines.send(printable(&words.join(" "))).await.is_ok()
    }

    /// Waits until everything is printed.
    async fn finish(self) {
        drop(self.lines);
        // In a thread, because a signal may come before it ends.
        let _ = spawn_blocking(|| self.printing.join()).await;
    }
}

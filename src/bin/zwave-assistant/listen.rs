//! The command `listen`: answers transcripts until there are no more.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::io::{BufReader, Stdin};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;
use zwave_mcp_server::assistant::{AiRouter, HearOutcome, TranscriptQueue};
use zwave_mcp_server::cli::exit::{FAILED, Failure, failed};
use zwave_mcp_server::lines::{RawLine, RawLines};
use zwave_mcp_server::terminal::printable;

use crate::options::ListenOptions;
use crate::speaker::Speaker;
use crate::topics::{ReplySender, Topics};

/// The maximum length of a line, in bytes.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// The source of transcripts.
enum Source {
    Lines(RawLines<BufReader<Stdin>>),
    Topic(Topics),
}

impl Source {
    /// Waits for the next transcript. Returns `None` once there are no more.
    async fn next(&mut self) -> std::io::Result<Option<RawLine>> {
        match self {
            Self::Lines(lines) => lines.next().await,
            Self::Topic(topics) => Ok(topics.next().await),
        }
    }
}

/// The destinations of answers.
struct Outlets {
    /// Publishes the answers. Without it, they are printed.
    reply: Option<ReplySender>,
    printer: LinePrinter,
    speaker: Option<Speaker>,
}

impl Outlets {
    /// Publishes or prints an answer, and queues it for speaking. Returns false if one of them fails.
    async fn deliver(&self, answer: &str) -> bool {
        let is_delivered = match &self.reply {
            Some(reply) => reply(answer),
            None => self.printer.print(answer).await,
        };
        let is_spoken = self.speaker.as_ref().is_none_or(|speaker| speaker.say(answer));
        is_delivered && is_spoken
    }

    /// Waits until everything is spoken and printed.
    async fn finish(self) {
        if let Some(speaker) = self.speaker {
            speaker.finish().await;
        }
        self.printer.finish().await;
    }
}

/// Answers transcripts, and delivers the answers, until the transcripts end or nobody reads stdout.
pub async fn listen(
    router: &Arc<AiRouter>,
    ways: &ListenOptions,
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
        None => Source::Lines(RawLines::new(
            BufReader::new(tokio::io::stdin()),
            MAX_LINE_BYTES,
        )),
    };
    // Unbounded, but it never holds more answers than transcripts were waiting.
    let (answer_sender, mut answers) = mpsc::unbounded_channel();
    let transcriber = TranscriptQueue::start(Arc::clone(router), move |_, answer| {
        // Fails only when the program ends.
        let _ = answer_sender.send(answer.text);
    });
    let mut all_answered = true;
    loop {
        // If the queue is full, lines can wait in the pipe. Messages can't wait, so they are read and
        // refused.
        let can_take = matches!(source, Source::Topic(_)) || transcriber.has_room();
        tokio::select! {
            next = source.next(), if can_take => match next {
                Ok(Some(line)) if line.cut => {
                    all_answered = false;
                    transcriber.refuse();
                }
                Ok(Some(line)) => {
                    let transcript = String::from_utf8_lossy(&line.bytes);
                    match transcriber.hear(&transcript) {
                        HearOutcome::Refused => all_answered = false,
                        HearOutcome::Cancelled => {
                            // First the answers that were complete before the cancellation.
                            while let Ok(answer) = answers.try_recv() {
                                all_answered &= outlets.deliver(&answer).await;
                            }
                            let answer = AiRouter::cancellation_answer(&transcript);
                            all_answered &= outlets.deliver(&answer).await;
                        }
                        HearOutcome::Queued | HearOutcome::Blank => {}
                    }
                }
                Ok(None) => break,
                Err(error) => return Err(failed(format!("can't read stdin: {error}"))),
            },
            Some(answer) = answers.recv() => all_answered &= outlets.deliver(&answer).await,
            () = outlets.printer.unread.cancelled() => return Ok(ExitCode::SUCCESS),
        }
    }
    let rest = async {
        while let Some(answer) = answers.recv().await {
            all_answered &= outlets.deliver(&answer).await;
        }
    };
    tokio::join!(transcriber.finish(), rest);
    outlets.finish().await;
    Ok(ExitCode::from(if all_answered { 0 } else { FAILED }))
}

/// The maximum number of lines waiting for a slow reader.
const MAX_WAITING_LINES: usize = 256;

/// Prints lines in a separate thread, so that a slow reader blocks nothing until [`MAX_WAITING_LINES`] lines
/// are waiting.
struct LinePrinter {
    lines: mpsc::Sender<String>,
    printing: JoinHandle<()>,
    /// Cancelled when a line can't be written, because nobody reads stdout.
    unread: CancellationToken,
}

impl LinePrinter {
    fn start() -> Self {
        let (lines, mut waiting) = mpsc::channel::<String>(MAX_WAITING_LINES);
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

    /// Queues an answer to be printed as one line. Returns false if nobody reads stdout.
    async fn print(&self, answer: &str) -> bool {
        let words: Vec<&str> = answer.split_whitespace().collect();
        self.lines.send(printable(&words.join(" "))).await.is_ok()
    }

    /// Waits until everything is printed.
    async fn finish(self) {
        drop(self.lines);
        // In a blocking thread, so that signals are handled in the meantime.
        let _ = spawn_blocking(|| self.printing.join()).await;
    }
}

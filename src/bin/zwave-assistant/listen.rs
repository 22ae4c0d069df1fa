//! The command `listen`: answers transcripts of speech from stdin or an MQTT topic.

use std::collections::HashMap;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::io::{BufReader, Stdin};
use tokio::sync::{mpsc, oneshot};
use tokio::task::spawn_blocking;
use zwave_mcp_server::assistant::{AiRouter, HearOutcome, SentenceAnswer, TranscriptQueue};
use zwave_mcp_server::cli::exit::{FAILED, Failure, exit_after_printing, failed};
use zwave_mcp_server::lines::RawLines;
use zwave_mcp_server::terminal::printable;

use crate::options::ListenOptions;
use crate::speaker::Speaker;
use crate::topics::{ReplySender, Topics, Transcript};

/// The maximum length of a line, in bytes.
const MAX_LINE_BYTES: usize = 64 * 1024;

enum Source {
    Lines(RawLines<BufReader<Stdin>>),
    Topic(Topics),
}

impl Source {
    /// Opens the source: the topic, or stdin if there is none.
    fn open(topics: Option<Topics>) -> Self {
        if let Some(topics) = topics {
            return Self::Topic(topics);
        }
        let stdin = BufReader::new(tokio::io::stdin());
        Self::Lines(RawLines::new(stdin, MAX_LINE_BYTES))
    }

    /// Waits for the next transcript. Returns `None` once there are no more.
    async fn next(&mut self) -> std::io::Result<Option<Transcript>> {
        match self {
            Self::Lines(lines) => {
                let line = lines.next().await?;
                Ok(line.map(|line| Transcript { room: None, line }))
            }
            Self::Topic(topics) => Ok(topics.next().await),
        }
    }
}

/// The destinations of answers.
struct Outlets {
    /// Publishes the answers; `None` if the answers are printed.
    reply: Option<ReplySender>,
    printer: LinePrinter,
    speaker: Option<Speaker>,
}

impl Outlets {
    fn open(options: &ListenOptions, topics: Option<&Topics>) -> Self {
        let reply = topics.zip(options.reply_topic.clone());
        Self {
            reply: reply.map(|(topics, topic)| topics.reply_sender(topic)),
            printer: LinePrinter::start(),
            speaker: options.speak.clone().map(Speaker::start),
        }
    }

    /// Publishes or prints an answer for a room, and queues it for speaking. Returns false if any of this fails.
    async fn deliver(&self, Reply { room, text: answer }: &Reply) -> bool {
        let is_delivered = match &self.reply {
            Some(reply) => reply(answer, room.as_deref()),
            None => self.printer.print(answer).await,
        };
        let is_queued = self.speaker.as_ref().is_none_or(|speaker| speaker.say(answer));
        is_delivered && is_queued
    }

    /// Waits until all delivered answers are spoken and printed.
    ///
    /// # Errors
    /// An answer can't be printed.
    async fn finish(self) -> std::io::Result<()> {
        if let Some(speaker) = self.speaker {
            speaker.finish().await;
        }
        self.printer.finish().await
    }
}

/// An answer, and the room from which its transcript came, as the topic says it.
struct Reply {
    room: Option<String>,
    text: String,
}

/// The queues of transcripts.
struct Queues {
    router: Arc<AiRouter>,
    /// The room of transcripts whose topic says none.
    usual_room: Option<String>,
    /// One for each room of the house from which a transcript has come, and one for all others. Either every transcript
    /// comes with a room or none does.
    started: HashMap<Option<String>, TranscriptQueue>,
    replies: mpsc::UnboundedSender<Reply>,
}

impl Queues {
    /// Returns the queue for transcripts from a room. Rooms that the house does not have share no conversation.
    async fn queue(&mut self, origin: Option<&str>) -> &TranscriptQueue {
        let (router, replies) = (&self.router, &self.replies);
        let room = match origin {
            Some(origin) => router.room_of(origin).await,
            None => self.usual_room.clone(),
        };
        self.started.entry(room.clone()).or_insert_with(|| {
            let has_conversation = origin.is_none() || room.is_some();
            let conversation = has_conversation.then(|| AiRouter::conversation_in(room));
            let replies = replies.clone();
            TranscriptQueue::start(Arc::clone(router), conversation, move |room, answer| {
                let text = answer.text;
                // Fails only if `listen` has returned.
                let _ = replies.send(Reply { room, text });
            })
        })
    }

    /// Returns true if another line can be queued.
    fn has_room(&self) -> bool {
        self.started.values().all(TranscriptQueue::has_room)
    }

    /// Waits until all queued transcripts are answered.
    async fn finish(self) {
        let queues = self.started.into_values();
        futures_util::future::join_all(queues.map(TranscriptQueue::finish)).await;
    }
}

/// Answers transcripts, and delivers the answers, until the transcripts end or stdout is closed. `usual_room` is the
/// room of transcripts whose topic says none.
pub async fn listen(
    router: &Arc<AiRouter>,
    options: &ListenOptions,
    usual_room: Option<String>,
    topics: Option<Topics>,
) -> Result<ExitCode, Failure> {
    let mut outlets = Outlets::open(options, topics.as_ref());
    let mut source = Source::open(topics);
    // The channel has no limit, but stays small. While an answer is delivered, no transcript is taken, so only
    // the answers to the queued transcripts can arrive.
    let (replies, mut answers) = mpsc::unbounded_channel();
    let (due_router, due_replies) = (Arc::clone(router), replies.clone());
    let timers = tokio::spawn(async move {
        let deliver = |room, SentenceAnswer { text, .. }| {
            let _ = due_replies.send(Reply { room, text });
        };
        due_router.run_timers(deliver).await;
    });
    let mut queues = Queues {
        router: Arc::clone(router),
        usual_room,
        started: HashMap::new(),
        replies,
    };
    let mut all_answered = true;
    loop {
        // If the queue is full, lines wait in stdin's pipe. MQTT messages can't wait, so they are taken and
        // refused.
        let can_take = matches!(source, Source::Topic(_)) || queues.has_room();
        tokio::select! {
            next = source.next(), if can_take => match next {
                Ok(Some(transcript)) => {
                    let queue = queues.queue(transcript.room.as_deref()).await;
                    all_answered &= take_transcript(transcript, queue, &mut answers, &outlets).await;
                }
                Ok(None) => break,
                Err(error) => return Err(failed(format!("can't read stdin: {error}"))),
            },
            Some(answer) = answers.recv() => all_answered &= outlets.deliver(&answer).await,
            Ok(error) = &mut outlets.printer.failure => return exit_after_printing(Err(error)),
        }
    }
    timers.abort();
    // The transcripts that are still in the queue are answered too.
    let delivering = async {
        while let Some(answer) = answers.recv().await {
            all_answered &= outlets.deliver(&answer).await;
        }
    };
    tokio::join!(queues.finish(), delivering);
    if let Err(error) = outlets.finish().await {
        return exit_after_printing(Err(error));
    }
    Ok(ExitCode::from(if all_answered { 0 } else { FAILED }))
}

/// Queues a transcript. But if it says "stop" or the like, cancels the running and the queued transcripts,
/// delivers the answers that are already complete, and then delivers the answer to "stop". Returns false if
/// the transcript is refused, or if an answer can't be delivered.
async fn take_transcript(
    Transcript { room, line }: Transcript,
    transcripts: &TranscriptQueue,
    answers: &mut mpsc::UnboundedReceiver<Reply>,
    outlets: &Outlets,
) -> bool {
    if line.cut {
        transcripts.refuse(room);
        return false;
    }
    let transcript = String::from_utf8_lossy(&line.bytes);
    match transcripts.hear(&transcript, room.clone()) {
        HearOutcome::Queued | HearOutcome::Blank => true,
        HearOutcome::Refused => false,
        HearOutcome::Cancelled => {
            let mut all_delivered = true;
            while let Ok(answer) = answers.try_recv() {
                all_delivered &= outlets.deliver(&answer).await;
            }
            let text = AiRouter::cancellation_answer(&transcript);
            all_delivered &= outlets.deliver(&Reply { room, text }).await;
            all_delivered
        }
    }
}

/// The maximum number of lines that wait for a slow reader of stdout.
const MAX_WAITING_LINES: usize = 256;

/// Prints lines in a separate thread. A slow reader of stdout blocks only this thread, unless more than
/// [`MAX_WAITING_LINES`] lines wait.
struct LinePrinter {
    lines: mpsc::Sender<String>,
    printing: JoinHandle<()>,
    /// Receives the error if a line can't be written, usually because the reader of stdout is gone.
    failure: oneshot::Receiver<std::io::Error>,
}

impl LinePrinter {
    fn start() -> Self {
        let (lines, mut waiting) = mpsc::channel::<String>(MAX_WAITING_LINES);
        let (report, failure) = oneshot::channel();
        let printing = std::thread::spawn(move || {
            while let Some(line) = waiting.blocking_recv() {
                let mut out = std::io::stdout().lock();
                if let Err(error) = writeln!(out, "{line}").and_then(|()| out.flush()) {
                    // Fails only if `listen` has returned.
                    let _ = report.send(error);
                    return;
                }
            }
        });
        Self {
            lines,
            printing,
            failure,
        }
    }

    /// Queues an answer to be printed as one line. Returns false if an earlier line could not be written.
    async fn print(&self, answer: &str) -> bool {
        let words: Vec<&str> = answer.split_whitespace().collect();
        self.lines.send(printable(&words.join(" "))).await.is_ok()
    }

    /// Waits until all queued lines are printed.
    ///
    /// # Errors
    /// A line can't be printed.
    async fn finish(mut self) -> std::io::Result<()> {
        drop(self.lines);
        // A blocking thread waits, so that signals are handled in the meantime.
        let _ = spawn_blocking(|| self.printing.join()).await;
        self.failure.try_recv().map_or(Ok(()), Err)
    }
}

//! The command `listen`: answers transcripts of speech from stdin or an MQTT topic.

use std::collections::HashMap;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use futures_util::future::join_all;
use tokio::io::{BufReader, Stdin};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_blocking};
use zwave_mcp_server::assistant::{AiRouter, HearOutcome, SentenceAnswer, TranscriptQueue};
use zwave_mcp_server::cli::exit::{FAILED, Failure, exit_after_printing, failed};
use zwave_mcp_server::lines::RawLines;
use zwave_mcp_server::terminal::printable;

use crate::options::ListenOptions;
use crate::speaker::Speaker;
use crate::topics::{ReplySender, RoomText, Topics};

/// The maximum length of a line, in bytes. The rest of a longer one is not read, and what is left is refused.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// Waits for the next transcript, on the topic or else on stdin. Returns `None` once there are no more.
async fn next_transcript(
    topics: &mut Option<Topics>,
    stdin: &mut RawLines<BufReader<Stdin>>,
) -> std::io::Result<Option<RoomText>> {
    if let Some(topics) = topics {
        return Ok(topics.next().await);
    }
    let line = stdin.next().await?;
    Ok(line.map(|line| RoomText {
        room: None,
        text: String::from_utf8_lossy(&line.bytes).into_owned(),
    }))
}

/// The destinations of answers.
struct Outlets {
    /// Publishes the answers; `None` if the answers are printed.
    reply: Option<ReplySender>,
    printer: LinePrinter,
    speaker: Option<Speaker>,
    /// False once a transcript was refused or an answer could not be delivered.
    all_answered: bool,
}

impl Outlets {
    /// Publishes or prints an answer for a room, and queues it for speaking.
    async fn deliver(&mut self, RoomText { room, text: answer }: &RoomText) {
        let is_delivered = match &self.reply {
            Some(reply) => reply(answer, room.as_deref()),
            None => self.printer.print(answer).await,
        };
        let is_queued = self.speaker.as_ref().is_none_or(|speaker| speaker.say(answer));
        self.all_answered &= is_delivered && is_queued;
    }
}

/// The queues of transcripts.
struct Queues {
    router: Arc<AiRouter>,
    /// The room of transcripts whose topic says none.
    usual_room: Option<String>,
    /// One for each room of the house from which a transcript has come, and one for all others. Either every transcript
    /// comes with a room or none does.
    started: HashMap<Option<String>, TranscriptQueue>,
    replies: mpsc::UnboundedSender<RoomText>,
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
                let _ = replies.send(RoomText { room, text });
            })
        })
    }

    /// Returns true if another line can be queued.
    fn has_room(&self) -> bool {
        self.started.values().all(TranscriptQueue::has_room)
    }
}

/// Answers transcripts, and delivers the answers, until the transcripts end or stdout is closed. `usual_room` is the
/// room of transcripts whose topic says none.
pub async fn listen(
    router: &Arc<AiRouter>,
    options: &ListenOptions,
    usual_room: Option<String>,
    mut topics: Option<Topics>,
) -> Result<ExitCode, Failure> {
    let reply = topics.as_ref().zip(options.reply_topic.clone());
    let mut outlets = Outlets {
        reply: reply.map(|(topics, topic)| topics.reply_sender(topic)),
        printer: LinePrinter::start(),
        speaker: options.speak.clone().map(Speaker::start),
        all_answered: true,
    };
    let mut stdin = RawLines::new(BufReader::new(tokio::io::stdin()), MAX_LINE_BYTES);
    // The channel has no limit, but stays small. While an answer is delivered, no transcript is taken, so only
    // the answers to the queued transcripts can arrive.
    let (replies, mut answers) = mpsc::unbounded_channel();
    let (due_router, due_replies) = (Arc::clone(router), replies.clone());
    let timers = tokio::spawn(async move {
        let deliver = |room, SentenceAnswer { text, .. }| {
            let _ = due_replies.send(RoomText { room, text });
        };
        due_router.run_timers(deliver).await;
    });
    let mut queues = Queues {
        router: Arc::clone(router),
        usual_room,
        started: HashMap::new(),
        replies,
    };
    loop {
        // If the queue is full, lines wait in stdin's pipe. MQTT messages can't wait, so they are taken and
        // refused.
        let can_take = topics.is_some() || queues.has_room();
        tokio::select! {
            next = next_transcript(&mut topics, &mut stdin), if can_take => match next {
                Ok(Some(transcript)) => {
                    let queue = queues.queue(transcript.room.as_deref()).await;
                    take_transcript(transcript, queue, &mut answers, &mut outlets).await;
                }
                Ok(None) => break,
                Err(error) => return Err(failed(format!("can't read stdin: {error}"))),
            },
            Some(answer) = answers.recv() => outlets.deliver(&answer).await,
            printed = &mut outlets.printer.printing => {
                return exit_after_printing(printed.map_err(failed)?);
            }
        }
    }
    timers.abort();
    // The transcripts that are still in the queue are answered too.
    let delivering = async {
        while let Some(answer) = answers.recv().await {
            outlets.deliver(&answer).await;
        }
    };
    // Once no queue is left, `answers` ends.
    drop(queues.replies);
    let finishing = queues.started.into_values().map(TranscriptQueue::finish);
    tokio::join!(join_all(finishing), delivering);
    if let Some(speaker) = outlets.speaker {
        speaker.finish().await;
    }
    if let Err(error) = outlets.printer.finish().await {
        return exit_after_printing(Err(error));
    }
    Ok(ExitCode::from(if outlets.all_answered {
        0
    } else {
        FAILED
    }))
}

/// Queues a transcript. But if it says "stop" or the like, cancels the running and the queued transcripts,
/// delivers the answers that are already complete, and then delivers the answer to "stop".
async fn take_transcript(
    RoomText { room, text }: RoomText,
    transcripts: &TranscriptQueue,
    answers: &mut mpsc::UnboundedReceiver<RoomText>,
    outlets: &mut Outlets,
) {
    match transcripts.hear(&text, room.clone()) {
        HearOutcome::Queued | HearOutcome::Blank => {}
        HearOutcome::Refused => outlets.all_answered = false,
        HearOutcome::Cancelled => {
            while let Ok(answer) = answers.try_recv() {
                outlets.deliver(&answer).await;
            }
            let text = AiRouter::cancellation_answer(&text);
            outlets.deliver(&RoomText { room, text }).await;
        }
    }
}

/// The maximum number of lines that wait for a slow reader of stdout.
const MAX_WAITING_LINES: usize = 256;

/// Prints lines in a separate thread. A slow reader of stdout blocks only this thread, unless more than
/// [`MAX_WAITING_LINES`] lines wait.
struct LinePrinter {
    lines: mpsc::Sender<String>,
    /// Ends with an error if a line can't be written, usually because the reader of stdout is gone.
    printing: JoinHandle<std::io::Result<()>>,
}

impl LinePrinter {
    fn start() -> Self {
        let (lines, mut waiting) = mpsc::channel::<String>(MAX_WAITING_LINES);
        let printing = spawn_blocking(move || {
            while let Some(line) = waiting.blocking_recv() {
                let mut out = std::io::stdout().lock();
                writeln!(out, "{line}").and_then(|()| out.flush())?;
            }
            Ok(())
        });
        Self { lines, printing }
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
    async fn finish(self) -> std::io::Result<()> {
        drop(self.lines);
        self.printing.await?
    }
}

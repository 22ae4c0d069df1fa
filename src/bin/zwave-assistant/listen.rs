//! Transcripts in, answers out, until there is no further transcript.

use std::process::ExitCode;
use std::sync::Arc;

use tokio::io::{BufReader, Stdin};
use tokio::sync::mpsc;
use zwave_mcp_server::assistant::{AiRouter, BackgroundTranscriber, HeardTranscript};
use zwave_mcp_server::lines::RawLines;

use crate::failure::{FAILED, Failure, failed};
use crate::options::Ways;
use crate::printer::LinePrinter;
use crate::speaker::Speaker;
use crate::topics::{ReplySender, Topics};

/// The longest line that is read, in bytes.
const LONGEST_LINE: usize = 64 * 1024;

/// Where transcripts come from.
enum Source {
    Lines(RawLines<BufReader<Stdin>>),
    Topic(Topics),
}

impl Source {
    /// The next transcript, or nothing in its place where it is too long; nothing at the end.
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

/// Where answers go.
struct Outlets {
    /// Publishes them; otherwise they are printed.
    reply: Option<ReplySender>,
    printer: LinePrinter,
    speaker: Option<Speaker>,
}

impl Outlets {
    /// Hands an answer on. False where somebody does not get it.
    async fn tell(&self, answer: &str) -> bool {
        let told = match &self.reply {
            Some(reply) => reply(answer),
            None => self.printer.print(answer).await,
        };
        let spoken = self
            .speaker
            .as_ref()
            .is_none_or(|speaker| speaker.say(answer));
        told && spoken
    }

    /// Waits until everybody has heard everything.
    async fn finish(self) {
        if let Some(speaker) = self.speaker {
            speaker.finish().await;
        }
        self.printer.finish().await;
    }
}

/// Takes transcripts and hands their answers on.
pub async fn listen(
    router: &Arc<AiRouter>,
    ways: &Ways,
    topics: Option<Topics>,
) -> Result<ExitCode, Failure> {
    let reply = topics.as_ref().zip(ways.reply_topic.clone());
    let outlets = Outlets {
        reply: reply.map(|(topics, topic)| topics.replying(topic)),
        printer: LinePrinter::start(),
        speaker: ways.speak.clone().map(Speaker::start),
    };
    let mut source = match topics {
        Some(topics) => Source::Topic(topics),
        None => Source::Lines(RawLines::new(
            BufReader::new(tokio::io::stdin()),
            LONGEST_LINE,
        )),
    };
    // Never more than the transcripts that waited.
    let (answered, mut answers) = mpsc::unbounded_channel();
    let transcriber = BackgroundTranscriber::start(Arc::clone(router), move |_, answer| {
        // Nobody is left to hear it only where the program ends.
        let _ = answered.send(answer.text);
    });
    let mut all_answered = true;
    loop {
        // A line waits in its pipe; a message of a topic would be lost.
        let is_heard = matches!(source, Source::Topic(_)) || transcriber.has_room();
        tokio::select! {
            heard = source.next(), if is_heard => match heard {
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
                        all_answered &= outlets.tell(&AiRouter::stopped(&transcript)).await;
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

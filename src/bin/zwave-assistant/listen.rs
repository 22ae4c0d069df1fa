//! Transcripts in, answers out, until there is no further transcript.

use std::process::ExitCode;
use std::sync::Arc;

use tokio::io::{BufReader, Stdin};
use tokio::sync::mpsc;
use zwave_mcp_server::assistant::{AiRouter, BackgroundTranscriber, HeardTranscript};
use zwave_mcp_server::lines::RawLines;

use crate::failure::{Failure, failed};
use crate::options::Ways;
use crate::printer::LinePrinter;
use crate::speaker::Speaker;
use crate::topics::{ReplySender, Topics};

/// How many answers may wait to be handed on.
const WAITING: usize = 64;

/// The longest line that is read, in bytes.
const LONGEST_LINE: usize = 64 * 1024;

/// What is said to a transcript that is not taken.
const TOO_MUCH: &str = "That is too much at once; say it again later.";

/// What is said to one that cancels.
const STOPPED: &str = "Stopped; what was done before stays done.";

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
    /// Hands an answer on. Never waits.
    fn tell(&self, answer: &str) {
        match &self.reply {
            Some(reply) => reply(answer),
            None => self.printer.print(answer),
        }
        if let Some(speaker) = &self.speaker {
            speaker.say(answer);
        }
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
    let (answered, mut answers) = mpsc::channel(WAITING);
    let transcriber = BackgroundTranscriber::start(Arc::clone(router), move |_, answer| {
        if answered.try_send(answer.spoken()).is_err() {
            tracing::warn!("too many answers wait; one is left out");
        }
    });
    loop {
        tokio::select! {
            heard = source.next() => match heard {
                Ok(Some(None)) => outlets.tell(TOO_MUCH),
                Ok(Some(Some(transcript))) => {
                    match transcriber.hear(&transcript) {
                        HeardTranscript::TooMuch => outlets.tell(TOO_MUCH),
                        HeardTranscript::Cancelled => outlets.tell(STOPPED),
                        HeardTranscript::Queued | HeardTranscript::Silence => {}
                    }
                }
                Ok(None) => break,
                Err(error) => return Err(failed(format!("can't read stdin: {error}"))),
            },
            Some(answer) = answers.recv() => outlets.tell(&answer),
            () = outlets.printer.unread.cancelled() => return Ok(ExitCode::SUCCESS),
        }
    }
    let rest = async {
        while let Some(answer) = answers.recv().await {
            outlets.tell(&answer);
        }
    };
    tokio::join!(transcriber.finish(), rest);
    outlets.finish().await;
    Ok(ExitCode::SUCCESS)
}

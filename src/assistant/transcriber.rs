//! Queues transcripts, and answers them one after the other.

use std::sync::{Arc, Mutex};

use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::answer::SentenceAnswer;
use super::conversation::{Conversation, Turn};
use super::router::AiRouter;
use super::sentence::cancel_language;
use crate::lock::lock;

/// The maximum number of transcripts that wait for an answer. Refused transcripts do not count.
const MAX_WAITING: usize = 16;

/// The maximum length of a transcript, in characters.
pub const MAX_SENTENCE_CHARS: usize = 1000;

/// The outcome of [`TranscriptQueue::hear`] for a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HearOutcome {
    /// The transcript will be answered in turn.
    Queued,
    /// The transcript cancelled the one being answered and all waiting ones. The cancelled ones get no answer.
    Cancelled,
    /// The transcript is blank and was ignored.
    Blank,
    /// The transcript is too long, or too many are waiting. It will be answered with [`AiRouter::refusal`].
    Refused,
}

/// Accepts transcripts at any time, and answers them one after the other.
///
/// A transcript that only says "stop" or "never mind", in any supported language, cancels the transcript being
/// answered and all waiting ones. If there is nothing to cancel, "stop" is a transcript like any other.
///
/// Dropping the queue cancels everything.
#[derive(Debug)]
pub struct TranscriptQueue {
    waiting: UnboundedSender<Waiting>,
    batch: Mutex<Arc<Batch>>,
    /// The task that answers. Dropping the set cancels it.
    answering: JoinSet<()>,
}

/// The transcripts since the last cancellation. Each transcript that has no answer yet holds a reference.
#[derive(Debug)]
struct Batch {
    cancelled: CancellationToken,
    /// Has a permit for each transcript that may still be queued.
    room: Arc<Semaphore>,
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            cancelled: CancellationToken::new(),
            room: Arc::new(Semaphore::new(MAX_WAITING)),
        }
    }
}

/// An entry of the queue.
#[derive(Debug)]
struct Waiting {
    /// The room from which the transcript came, as it was given.
    origin: Option<String>,
    /// The transcript and its place in the queue. `None` if the transcript was refused.
    sentence: Option<(String, OwnedSemaphorePermit)>,
    batch: Arc<Batch>,
}

impl TranscriptQueue {
    /// Starts answering, and passes each answer with the origin of its transcript to `on_answer`, in order. Cancelled
    /// transcripts get no answer. Without a conversation, each transcript begins one of its own, in the room from
    /// which it came. While a person is asked to allow an order, goes on with the next transcripts: passes the sentence
    /// that says so, and later the outcome. Must be called in a tokio runtime.
    pub fn start(
        router: Arc<AiRouter>,
        mut conversation: Option<Conversation>,
        on_answer: impl FnMut(Option<String>, SentenceAnswer) + Send + 'static,
    ) -> Self {
        let on_answer = Arc::new(Mutex::new(on_answer));
        let (waiting, mut entries) = mpsc::unbounded_channel::<Waiting>();
        let mut answering = JoinSet::new();
        answering.spawn(async move {
            // The orders that a person is asked to allow, with their turns. Dropping the set cancels them.
            let mut awaited: JoinSet<Vec<Turn>> = JoinSet::new();
            while let Some(waiting) = entries.recv().await {
                while let Some(Ok(turns)) = awaited.try_join_next() {
                    if let Some(conversation) = &mut conversation {
                        conversation.turns.extend(turns);
                    }
                }
                let Waiting { origin, batch, .. } = waiting;
                let Some((sentence, place)) = waiting.sentence else {
                    if !batch.cancelled.is_cancelled() {
                        lock(&on_answer)(origin, router.refusal());
                    }
                    continue;
                };
                drop(place);
                let mut ignore_text = |_: &str| {};
                let mut anew = AiRouter::conversation_in(origin.clone());
                let conversation = conversation.as_mut().unwrap_or(&mut anew);
                conversation.origin.clone_from(&origin);
                let answering = router.begin(conversation, &sentence, &mut ignore_text);
                let (answer, order) = tokio::select! {
                    // A cancelled answer takes no further step: the cancellation is checked before each step.
                    biased;
                    () = batch.cancelled.cancelled() => continue,
                    begun = answering => begun,
                };
                let Some(order) = order else {
                    lock(&on_answer)(origin, answer);
                    continue;
                };
                let (router, on_answer) = (Arc::clone(&router), Arc::clone(&on_answer));
                awaited.spawn(async move {
                    let tell = |answer| lock(&on_answer)(origin.clone(), answer);
                    tokio::select! {
                        biased;
                        () = batch.cancelled.cancelled() => Vec::new(),
                        (answer, turns) = router.finish(&order, || tell(answer)) => {
                            tell(answer);
                            turns
                        }
                    }
                });
            }
            while awaited.join_next().await.is_some() {}
        });
        Self {
            waiting,
            batch: Mutex::default(),
            answering,
        }
    }

    /// Queues a transcript that came from `origin`, if a room is known, and returns without waiting for the answer. If
    /// the transcript only says "stop" or the like, and earlier transcripts are not yet answered, cancels these instead.
    pub fn hear(&self, transcript: &str, origin: Option<String>) -> HearOutcome {
        // Counted with the blanks, so that one that was cut is always too long.
        let is_too_long = transcript.chars().count() > MAX_SENTENCE_CHARS;
        let transcript = transcript.trim();
        if transcript.is_empty() {
            return HearOutcome::Blank;
        }
        let mut batch = lock(&self.batch);
        if Arc::strong_count(&batch) > 1 && cancel_language(transcript).is_some() {
            batch.cancelled.cancel();
            *batch = Arc::default();
            return HearOutcome::Cancelled;
        }
        let place = Arc::clone(&batch.room).try_acquire_owned().ok().filter(|_| !is_too_long);
        let sentence = place.map(|place| (transcript.to_owned(), place));
        let outcome = match sentence {
            Some(_) => HearOutcome::Queued,
            None => HearOutcome::Refused,
        };
        let waiting = Waiting {
            origin,
            sentence,
            batch: Arc::clone(&batch),
        };
        // This fails only if the task has panicked.
        let _ = self.waiting.send(waiting);
        outcome
    }

    /// Returns true if the queue has room for another transcript.
    pub fn has_room(&self) -> bool {
        lock(&self.batch).room.available_permits() > 0
    }

    /// Waits until all queued transcripts are answered.
    pub async fn finish(mut self) {
        // Once the sender is dropped, the task ends after the last answer.
        drop(self.waiting);
        // This fails only if the task has panicked. The panic hook has reported the panic.
        let _ = self.answering.join_next().await;
    }
}

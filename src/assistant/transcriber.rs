//! Queues transcripts, and answers them one after the other.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::answer::SentenceAnswer;
use super::router::AiRouter;
use super::sentence::cancel_language;

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
    transcripts: Arc<Transcripts>,
    answering: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Transcripts {
    state: Mutex<TranscriptState>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct TranscriptState {
    waiting: VecDeque<Waiting>,
    /// Cancels the transcript that is being answered.
    current: Option<CancellationToken>,
    /// True once no further transcript will arrive.
    is_closed: bool,
}

/// An entry of the queue.
#[derive(Debug)]
enum Waiting {
    Sentence(String),
    /// The number of transcripts that were refused in a row.
    Refused(usize),
}

impl TranscriptState {
    fn sentence_count(&self) -> usize {
        let is_sentence = |waiting: &&Waiting| matches!(waiting, Waiting::Sentence(_));
        self.waiting.iter().filter(is_sentence).count()
    }

    fn refuse(&mut self) {
        match self.waiting.back_mut() {
            Some(Waiting::Refused(count)) => *count += 1,
            _ => self.waiting.push_back(Waiting::Refused(1)),
        }
    }
}

impl Transcripts {
    fn state(&self) -> MutexGuard<'_, TranscriptState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next entry, and returns the entry with a token that cancels its answer. Returns `None`
    /// once the queue is closed and empty.
    async fn next(&self) -> Option<(Waiting, CancellationToken)> {
        loop {
            let changed = self.changed.notified();
            {
                let mut state = self.state();
                state.current = None;
                if let Some(next) = state.waiting.pop_front() {
                    let cancelled = CancellationToken::new();
                    state.current = Some(cancelled.clone());
                    return Some((next, cancelled));
                }
                if state.is_closed {
                    return None;
                }
            }
            changed.await;
        }
    }
}

impl TranscriptQueue {
    /// Starts answering, and passes each transcript with its answer to `on_answer`, in order. In place of a
    /// refused transcript, passes an empty string. Leaves out cancelled transcripts. Must be called in a tokio
    /// runtime.
    pub fn start(
        router: Arc<AiRouter>,
        mut on_answer: impl FnMut(&str, SentenceAnswer) + Send + 'static,
    ) -> Self {
        let transcripts = Arc::<Transcripts>::default();
        let queue = Arc::clone(&transcripts);
        let answering = tokio::spawn(async move {
            let mut conversation = AiRouter::conversation();
            while let Some((waiting, cancelled)) = queue.next().await {
                let sentence = match waiting {
                    Waiting::Sentence(sentence) => sentence,
                    Waiting::Refused(count) => {
                        (0..count).for_each(|_| on_answer("", router.refusal()));
                        continue;
                    }
                };
                let mut ignore_text = |_: &str| {};
                let answering = router.answer(&mut conversation, &sentence, &mut ignore_text);
                tokio::select! {
                    // A cancelled answer takes no further step: the cancellation is checked before each step.
                    biased;
                    () = cancelled.cancelled() => {}
                    answer = answering => on_answer(&sentence, answer),
                }
            }
        });
        Self {
            transcripts,
            answering,
        }
    }

    /// Queues a transcript, and returns without waiting for the answer. If the transcript only says "stop" or the
    /// like, and earlier transcripts are not yet answered, cancels these instead.
    pub fn hear(&self, transcript: &str) -> HearOutcome {
        let transcript = transcript.trim();
        if transcript.is_empty() {
            return HearOutcome::Blank;
        }
        let mut state = self.transcripts.state();
        let is_busy = state.current.is_some() || !state.waiting.is_empty();
        if is_busy && cancel_language(transcript).is_some() {
            state.waiting.clear();
            if let Some(current) = &state.current {
                current.cancel();
            }
            return HearOutcome::Cancelled;
        }
        let is_too_long = transcript.chars().count() > MAX_SENTENCE_CHARS;
        let outcome = if is_too_long || state.sentence_count() >= MAX_WAITING {
            state.refuse();
            HearOutcome::Refused
        } else {
            let sentence = Waiting::Sentence(transcript.to_owned());
            state.waiting.push_back(sentence);
            HearOutcome::Queued
        };
        drop(state);
        self.transcripts.changed.notify_one();
        outcome
    }

    /// Queues the refusal of a transcript that was too long to be read.
    pub fn refuse(&self) {
        self.transcripts.state().refuse();
        self.transcripts.changed.notify_one();
    }

    /// Returns true if the queue has room for another transcript.
    pub fn has_room(&self) -> bool {
        self.transcripts.state().sentence_count() < MAX_WAITING
    }

    /// Waits until all queued transcripts are answered.
    pub async fn finish(mut self) {
        self.transcripts.state().is_closed = true;
        self.transcripts.changed.notify_one();
        // This fails only if the task has panicked. The panic hook has reported the panic.
        let _ = (&mut self.answering).await;
    }
}

impl Drop for TranscriptQueue {
    fn drop(&mut self) {
        self.answering.abort();
    }
}

//! Takes transcripts while earlier ones are being answered.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::answer::SentenceAnswer;
use super::router::AiRouter;
use super::sentence::cancel_language;

/// The maximum number of transcripts that wait.
const MAX_WAITING: usize = 16;

/// The maximum length of a transcript, in characters. A longer one was not said to a house.
pub const MAX_SENTENCE_CHARS: usize = 1000;

/// The fate of a transcript that was heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeardTranscript {
    /// It is answered when its turn comes.
    Queued,
    /// It cancelled the sentence that was being answered and those that waited. None of them gets an answer.
    Cancelled,
    /// It is empty, and nothing is done about it.
    Silence,
    /// It is too long, or too many wait already. Its answer says so when its turn comes.
    TooMuch,
}

/// Takes transcripts at any time and has them answered one after the other. "Stop" and "never mind",
/// as whole sentences and in every language, cancel the sentence that is being answered and all that
/// wait; if there is none, they are sentences like any other.
///
/// Dropping it cancels everything.
#[derive(Debug)]
pub struct BackgroundTranscriber {
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
    /// Cancels the one that is being answered.
    current: Option<CancellationToken>,
    /// No further transcript comes.
    last: bool,
}

/// A transcript that waits, or the refusal of so many in a row.
#[derive(Debug)]
enum Waiting {
    Sentence(String),
    Refused(usize),
}

impl TranscriptState {
    fn sentences(&self) -> usize {
        let is_sentence = |waiting: &&Waiting| matches!(waiting, Waiting::Sentence(_));
        self.waiting.iter().filter(is_sentence).count()
    }

    fn refuse(&mut self) {
        match self.waiting.back_mut() {
            Some(Waiting::Refused(number)) => *number += 1,
            _ => self.waiting.push_back(Waiting::Refused(1)),
        }
    }
}

impl Transcripts {
    fn state(&self) -> MutexGuard<'_, TranscriptState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next transcript. Returns `None` when no further one comes.
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
                if state.last {
                    return None;
                }
            }
            changed.await;
        }
    }
}

impl BackgroundTranscriber {
    /// Starts answering. Each transcript that was not cancelled is handed out with its answer, in order; one
    /// that was refused is handed out empty. Must be called in a tokio runtime.
    pub fn start(
        router: Arc<AiRouter>,
        mut on_answer: impl FnMut(&str, SentenceAnswer) + Send + 'static,
    ) -> Self {
        let transcripts = Arc::<Transcripts>::default();
        let heard = Arc::clone(&transcripts);
        let answering = tokio::spawn(async move {
            let mut conversation = AiRouter::conversation();
            while let Some((waiting, cancelled)) = heard.next().await {
                let sentence = match waiting {
                    Waiting::Sentence(sentence) => sentence,
                    Waiting::Refused(number) => {
                        (0..number).for_each(|_| on_answer("", router.refusal()));
                        continue;
                    }
                };
                let mut unheard = |_: &str| {};
                let answering = router.answer(&mut conversation, &sentence, &mut unheard);
                tokio::select! {
                    // A cancellation counts before anything else is done.
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

    /// Takes a transcript. Never waits.
    pub fn hear(&self, transcript: &str) -> HeardTranscript {
        let transcript = transcript.trim();
        if transcript.is_empty() {
            return HeardTranscript::Silence;
        }
        let mut state = self.transcripts.state();
        let busy = state.current.is_some() || !state.waiting.is_empty();
        if busy && cancel_language(transcript).is_some() {
            state.waiting.clear();
            if let Some(current) = &state.current {
                current.cancel();
            }
            return HeardTranscript::Cancelled;
        }
        let is_too_long = transcript.chars().count() > MAX_SENTENCE_CHARS;
        let heard = if is_too_long || state.sentences() >= MAX_WAITING {
            state.refuse();
            HeardTranscript::TooMuch
        } else {
            let sentence = Waiting::Sentence(transcript.to_owned());
            state.waiting.push_back(sentence);
            HeardTranscript::Queued
        };
        drop(state);
        self.transcripts.changed.notify_one();
        heard
    }

    /// Refuses a transcript that is known only to be too long.
    pub fn refuse(&self) {
        self.transcripts.state().refuse();
        self.transcripts.changed.notify_one();
    }

    /// Returns true if another transcript may wait.
    pub fn has_room(&self) -> bool {
        self.transcripts.state().sentences() < MAX_WAITING
    }

    /// Waits until everything that was heard is answered.
    pub async fn finish(mut self) {
        self.transcripts.state().last = true;
        self.transcripts.changed.notify_one();
        // The task ends by itself, or by a panic, which is logged.
        let _ = (&mut self.answering).await;
    }
}

impl Drop for BackgroundTranscriber {
    fn drop(&mut self) {
        self.answering.abort();
    }
}

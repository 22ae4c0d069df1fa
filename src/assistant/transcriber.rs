//! Transcripts while earlier ones are being answered.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::answer::SentenceAnswer;
use super::plain::cancels;
use super::router::AiRouter;

/// How many transcripts may wait.
const WAITING: usize = 16;

/// The longest transcript, in characters. What is longer was not said to a house.
pub const LONGEST_SENTENCE: usize = 1000;

/// What became of a transcript that was heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeardTranscript {
    /// It is answered when its turn comes.
    Queued,
    /// It cancelled what was being answered, and what waited. Neither has an answer.
    Cancelled,
    /// It is empty, and nothing is done about it.
    Silence,
    /// It is too long, or too many wait already; it is not answered.
    TooMuch,
}

/// Takes transcripts at any time and has them answered one after the other. "Stop" and "never mind",
/// as whole sentences and in every language, cancel the sentence that is being answered and all that
/// wait; where there is none, they are sentences like any other.
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
    waiting: VecDeque<String>,
    /// Cancels the one that is being answered.
    current: Option<CancellationToken>,
    /// No further one comes.
    last: bool,
}

impl Transcripts {
    fn state(&self) -> MutexGuard<'_, TranscriptState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next transcript, when there is one; nothing, when no further one comes.
    async fn next(&self) -> Option<(String, CancellationToken)> {
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
    /// Starts. Each transcript that was not cancelled is handed out with its answer, in order. Must
    /// be called in a tokio runtime.
    pub fn start(
        router: Arc<AiRouter>,
        mut on_answer: impl FnMut(&str, SentenceAnswer) + Send + 'static,
    ) -> Self {
        let transcripts = Arc::<Transcripts>::default();
        let heard = Arc::clone(&transcripts);
        let answering = tokio::spawn(async move {
            let mut conversation = AiRouter::conversation();
            while let Some((sentence, cancelled)) = heard.next().await {
                let mut unheard = |_: &str| {};
                let answering = router.answer(&mut conversation, &sentence, &mut unheard);
                tokio::select! {
                    // Before anything else is done for it.
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
        if busy && cancels(transcript) {
            state.waiting.clear();
            if let Some(current) = &state.current {
                current.cancel();
            }
            return HeardTranscript::Cancelled;
        }
        if state.waiting.len() >= WAITING || transcript.chars().count() > LONGEST_SENTENCE {
            return HeardTranscript::TooMuch;
        }
        state.waiting.push_back(transcript.to_owned());
        drop(state);
        self.transcripts.changed.notify_one();
        HeardTranscript::Queued
    }

    /// Waits until everything that was heard is answered.
    pub async fn finish(mut self) {
        self.transcripts.state().last = true;
        self.transcripts.changed.notify_one();
        // It ends by itself, or by a panic that the log has.
        let _ = (&mut self.answering).await;
    }
}

impl Drop for BackgroundTranscriber {
    fn drop(&mut self) {
        self.answering.abort();
    }
}

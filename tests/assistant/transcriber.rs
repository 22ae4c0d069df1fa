//! Transcripts that arrive while earlier ones are being answered.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use zwave_mcp_server::assistant::{AiRouter, HearOutcome, TranscriptQueue, Turn};

use super::model::{Model, build_router, reply};

/// A transcript queue with a model that repeats each sentence. The model waits until the test releases it.
struct Voice {
    queue: TranscriptQueue,
    answers: Arc<Mutex<Vec<String>>>,
    /// Notified by the model at each request.
    asked: Arc<Notify>,
    /// Lets the model answer one sentence.
    release: Arc<Notify>,
}

impl Voice {
    /// Releases the model for this number of sentences, closes the queue, and returns all answers.
    async fn finish(self, sentences: usize) -> Vec<String> {
        let releasing = async {
            for _ in 0..sentences {
                self.asked.notified().await;
                self.release.notify_one();
            }
        };
        tokio::join!(self.queue.finish(), releasing);
        let answers = self.answers.lock().unwrap();
        answers.clone()
    }
}

/// Starts a queue of transcripts, whose answers are noted.
pub fn start_queue(router: AiRouter) -> (TranscriptQueue, Arc<Mutex<Vec<String>>>) {
    let answers = Arc::<Mutex<Vec<String>>>::default();
    let noted = Arc::clone(&answers);
    let queue = TranscriptQueue::start(
        Arc::new(router),
        Some(AiRouter::conversation_in(None)),
        move |_, answer| {
            noted.lock().unwrap().push(answer.text);
        },
    );
    (queue, answers)
}

fn start_voice() -> Voice {
    let (asked, release) = (Arc::<Notify>::default(), Arc::<Notify>::default());
    let (model_asked, model_release) = (Arc::clone(&asked), Arc::clone(&release));
    let model = Model::new("ollama:a", move |conversation, _| {
        let Some(Turn::Person(said)) = conversation.turns.last() else {
            panic!("{conversation:?}")
        };
        let text = format!("You said: {said}");
        let (asked, release) = (Arc::clone(&model_asked), Arc::clone(&model_release));
        async move {
            asked.notify_one();
            release.notified().await;
            Ok(reply(&text, Vec::new()))
        }
    });
    let (queue, answers) = start_queue(build_router(vec![Arc::new(model)], Vec::new()));
    Voice {
        queue,
        answers,
        asked,
        release,
    }
}

#[tokio::test]
async fn transcripts_are_queued_without_waiting_and_answered_in_order() {
    let voice = start_voice();
    let start = Instant::now();
    for said in ["tell me a tale", "and another one", " and a third one\r\n"] {
        assert_eq!(voice.queue.hear(said, None), HearOutcome::Queued);
    }
    assert_eq!(voice.queue.hear("  \n", None), HearOutcome::Blank);
    assert!(start.elapsed() < Duration::from_millis(100));
    assert_eq!(
        voice.finish(3).await,
        ["tell me a tale", "and another one", "and a third one"]
            .map(|said| format!("You said: {said}"))
    );
}

#[tokio::test]
async fn a_sentence_that_cancels_drops_the_current_answer_and_the_queue() {
    for cancelling in [
        "Stop!",
        " never mind.",
        "Never, mind",
        "Stopp!",
        "Vergiss es.",
    ] {
        let voice = start_voice();
        voice.queue.hear("tell me a tale", None);
        voice.queue.hear("and another one", None);
        voice.asked.notified().await;
        assert_eq!(voice.queue.hear(cancelling, None), HearOutcome::Cancelled);
        voice.queue.hear("tell me about lamps", None);
        voice.release.notify_one();
        voice.queue.finish().await;
        let answers = voice.answers.lock().unwrap().clone();
        assert_eq!(answers, ["You said: tell me about lamps"]);
    }
}

#[tokio::test]
async fn nothing_is_cancelled_if_the_queue_is_idle_or_the_sentence_goes_on_after_stop() {
    let voice = start_voice();
    assert_eq!(voice.queue.hear("never mind", None), HearOutcome::Queued);
    voice.release.notify_one();
    voice.queue.finish().await;
    assert_eq!(*voice.answers.lock().unwrap(), ["You said: never mind"]);
    let busy = start_voice();
    busy.queue.hear("tell me a tale", None);
    let more = "stop the blinds and tell me another one";
    assert_eq!(busy.queue.hear(more, None), HearOutcome::Queued);
}

#[tokio::test]
async fn transcripts_that_are_too_long_or_too_many_are_refused() {
    let voice = start_voice();
    let long = "lamp ".repeat(300);
    assert_eq!(voice.queue.hear(&long, None), HearOutcome::Refused);
    let heard = (0..30).map(|_| voice.queue.hear("tell me a tale", None));
    let queued = heard.filter(|heard| *heard == HearOutcome::Queued).count();
    assert_eq!(queued, 16);
    assert!(!voice.queue.has_room());
    // The answers are in order: one transcript was too long, then 16 were queued, and then 14 were too many.
    let refused = "That is too much at once. Please say it again later.";
    let mut expected = vec![refused];
    expected.extend(["You said: tell me a tale"; 16]);
    expected.extend([refused; 14]);
    assert_eq!(voice.finish(16).await, expected);
}

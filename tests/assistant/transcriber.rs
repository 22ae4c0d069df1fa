//! Transcripts that come while earlier ones are being answered.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use zwave_mcp_server::assistant::{
    AiRouter, BackgroundTranscriber, HeardTranscript, RouterLimits, Servers, Turn,
};
use zwave_mcp_server::client::{Limits, Redactor, ToolExecutor, ToolManager};

use super::model::{Model, reply};

/// A transcriber before a model that says what it heard, once it is let.
struct Voice {
    transcriber: BackgroundTranscriber,
    answers: Arc<Mutex<Vec<String>>>,
    asked: Arc<Notify>,
    let_go: Arc<Notify>,
}

impl Voice {
    /// Lets so many sentences be answered, and returns all answers.
    async fn answer(self, sentences: usize) -> Vec<String> {
        let letting = async {
            for _ in 0..sentences {
                self.asked.notified().await;
                self.let_go.notify_one();
            }
        };
        tokio::join!(self.transcriber.finish(), letting);
        let answers = self.answers.lock().unwrap();
        answers.clone()
    }
}

fn voice() -> Voice {
    let (asked, let_go) = (Arc::<Notify>::default(), Arc::<Notify>::default());
    let (own_asked, own_let_go) = (Arc::clone(&asked), Arc::clone(&let_go));
    let model = Model::new("ollama:a", move |conversation, _| {
        let Some(Turn::Person(said)) = conversation.turns.last() else {
            panic!("{conversation:?}")
        };
        let text = format!("You said: {said}");
        let (asked, let_go) = (Arc::clone(&own_asked), Arc::clone(&own_let_go));
        async move {
            asked.notify_one();
            let_go.notified().await;
            Ok(reply(&text, Vec::new()))
        }
    });
    let manager = Arc::new(ToolManager::default());
    let (limits, secrets) = (Limits::default(), Redactor::default());
    let executor = ToolExecutor::new(Arc::clone(&manager), limits, secrets);
    let limits = RouterLimits::default();
    let router = AiRouter::new(
        vec![Arc::new(model)],
        Servers::default(),
        manager,
        executor,
        limits,
    );
    let answers = Arc::<Mutex<Vec<String>>>::default();
    let noted = Arc::clone(&answers);
    let transcriber = BackgroundTranscriber::start(Arc::new(router), move |_, answer| {
        noted.lock().unwrap().push(answer.text);
    });
    Voice {
        transcriber,
        answers,
        asked,
        let_go,
    }
}

#[tokio::test]
async fn transcripts_are_taken_at_once_and_answered_in_order() {
    let voice = voice();
    let start = Instant::now();
    for said in ["tell me a tale", "and another one", " and a third one\r\n"] {
        assert_eq!(voice.transcriber.hear(said), HeardTranscript::Queued);
    }
    assert_eq!(voice.transcriber.hear("  \n"), HeardTranscript::Silence);
    assert!(start.elapsed() < Duration::from_millis(100));
    assert_eq!(
        voice.answer(3).await,
        ["tell me a tale", "and another one", "and a third one"]
            .map(|said| format!("You said: {said}"))
    );
}

#[tokio::test]
async fn stop_and_never_mind_cancel_what_is_being_answered_and_what_waits() {
    for cancelling in [
        "Stop!",
        " never mind.",
        "Never, mind",
        "Stopp!",
        "Vergiss es.",
    ] {
        let voice = voice();
        voice.transcriber.hear("tell me a tale");
        voice.transcriber.hear("and another one");
        voice.asked.notified().await;
        assert_eq!(
            voice.transcriber.hear(cancelling),
            HeardTranscript::Cancelled
        );
        voice.transcriber.hear("tell me about lamps");
        voice.let_go.notify_one();
        voice.transcriber.finish().await;
        let answers = voice.answers.lock().unwrap().clone();
        assert_eq!(answers, ["You said: tell me about lamps"]);
    }
}

#[tokio::test]
async fn stop_is_a_sentence_like_any_other_where_nothing_is_being_answered() {
    let voice = voice();
    assert_eq!(
        voice.transcriber.hear("never mind"),
        HeardTranscript::Queued
    );
    voice.let_go.notify_one();
    voice.transcriber.finish().await;
    assert_eq!(*voice.answers.lock().unwrap(), ["You said: never mind"]);
    let busy = self::voice();
    busy.transcriber.hear("tell me a tale");
    let more = "stop the blinds and tell me another one";
    assert_eq!(busy.transcriber.hear(more), HeardTranscript::Queued);
}

#[tokio::test]
async fn what_is_too_much_is_not_taken() {
    let voice = voice();
    let long = "lamp ".repeat(300);
    assert_eq!(voice.transcriber.hear(&long), HeardTranscript::TooMuch);
    let heard = (0..30).map(|_| voice.transcriber.hear("tell me a tale"));
    let queued = heard.filter(|heard| *heard == HeardTranscript::Queued).count();
    assert_eq!(queued, 16);
    assert!(!voice.transcriber.has_room());
    // Each has an answer in its turn: the one that is too long, the sixteen, and those that were too many.
    let refused = "That is too much at once. Please say it again later.";
    let mut expected = vec![refused];
    expected.extend(["You said: tell me a tale"; 16]);
    expected.extend([refused; 14]);
    assert_eq!(voice.answer(16).await, expected);
}

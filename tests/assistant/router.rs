//! The router, with scripted models and tools that record their calls.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value as Json, json};
use zwave_mcp_server::assistant::{
    AiRouter, AnswerPath, Conversation, ModelError, ModelFailure, SentenceAnswer, Turn,
};
use zwave_mcp_server::client::LocalTool;
use zwave_mcp_server::client::formats::ToolCall;

use super::model::{self, Model, call, reply};

/// A model's reaction to a request.
#[derive(Clone)]
enum Step {
    Says(&'static str),
    Calls(Vec<ToolCall>),
    Fails(ModelFailure),
    Hangs,
}

/// A model whose replies are scripted.
struct ScriptedModel {
    client: Arc<Model>,
    /// The conversation in each request to the model.
    seen: Arc<Mutex<Vec<Conversation>>>,
}

/// Returns a model that replies with these steps, in order.
fn scripted_model(name: &'static str, steps: impl IntoIterator<Item = Step>) -> ScriptedModel {
    let steps = Mutex::new(steps.into_iter().collect::<VecDeque<Step>>());
    model_with(name, move || steps.lock().unwrap().pop_front().unwrap())
}

/// Returns a model that repeats one step forever.
fn repeating_model(name: &'static str, step: Step) -> ScriptedModel {
    model_with(name, move || step.clone())
}

fn model_with(
    name: &'static str,
    next: impl Fn() -> Step + Send + Sync + 'static,
) -> ScriptedModel {
    let seen = Arc::<Mutex<Vec<Conversation>>>::default();
    let shown = Arc::clone(&seen);
    let client = Model::new(name, move |conversation, _| {
        shown.lock().unwrap().push(conversation.clone());
        let step = next();
        async move {
            match step {
                Step::Says(text) => Ok(reply(text, Vec::new())),
                Step::Calls(calls) => Ok(reply("", calls)),
                Step::Fails(failure) => Err(ModelError {
                    model: name.parse().unwrap(),
                    address: "http://127.0.0.1:1".to_owned(),
                    failure,
                }),
                Step::Hangs => std::future::pending().await,
            }
        }
    });
    let client = Arc::new(client);
    ScriptedModel { client, seen }
}

impl ScriptedModel {
    fn path(&self) -> AnswerPath {
        AnswerPath::Model(Some(self.client.name.clone()))
    }

    fn request_count(&self) -> usize {
        self.seen.lock().unwrap().len()
    }

    fn last_seen(&self) -> Conversation {
        self.seen.lock().unwrap().last().unwrap().clone()
    }
}

fn lamp(state: &str) -> ToolCall {
    call("lamp", json!({ "state": state }))
}

fn unreachable() -> ModelFailure {
    ModelFailure::Unreachable("connection refused".to_owned())
}

/// The states that the lamp was given, in order.
type Done = Arc<Mutex<Vec<String>>>;

/// Returns a router with a lamp that works, one that fails, and one that never answers.
fn build_router(models: &[&ScriptedModel]) -> (AiRouter, Done) {
    let done = Done::default();
    let schema = json!({
        "type": "object", "properties": { "state": { "type": "string" } }, "required": ["state"],
    });
    let noted = Arc::clone(&done);
    let lamp = LocalTool::new("lamp", "A lamp", schema.clone(), move |arguments| {
        let state = arguments["state"].as_str().unwrap().to_owned();
        noted.lock().unwrap().push(state.clone());
        async move { Ok(format!("The lamp is {state}.")) }
    });
    let broken = LocalTool::new("broken_lamp", "A lamp", schema.clone(), |_| async {
        Err("The lamp did not respond.".to_owned())
    });
    let slow = LocalTool::new("slow_lamp", "A lamp", schema, |_| std::future::pending());
    let tools = [lamp, broken, slow].map(Result::unwrap).to_vec();
    let models = models.iter().map(|model| model.client.clone() as _).collect();
    (model::build_router(models, tools), done)
}

async fn ask(router: &AiRouter, sentence: &str) -> SentenceAnswer {
    let mut conversation = AiRouter::conversation_in(None);
    router.answer(&mut conversation, sentence, &mut |_| {}).await
}

/// A sentence that only a model understands.
const SENTENCE: &str = "would you make it cosy in here somehow";

#[tokio::test]
async fn several_calls_of_one_reply_are_made_and_reported_in_order() {
    let two_calls = Step::Calls(vec![lamp("on"), lamp("off")]);
    let model = scripted_model("ollama:a", [two_calls, Step::Says("Done.")]);
    let (router, done) = build_router(&[&model]);
    let answer = ask(&router, SENTENCE).await;
    assert_eq!(*done.lock().unwrap(), ["on", "off"]);
    assert_eq!(
        (answer.text.as_str(), answer.error.clone()),
        ("Done.", None)
    );
    assert_eq!(answer.path, model.path());
    let turns = model.last_seen().turns;
    let [Turn::Person(said), Turn::Model { calls, .. }, first, second] = &turns[..] else {
        panic!("{turns:?}")
    };
    assert_eq!(said, SENTENCE);
    for (turn, asked) in [first, second].into_iter().zip(calls) {
        let Turn::Called { call, result } = turn else {
            panic!("{turn:?}")
        };
        assert_eq!(call, asked);
        assert!(call.id.is_some() && !result.is_error, "{turn:?}");
    }
    assert_ne!(calls[0].id, calls[1].id);
    let json = answer.to_json();
    assert_eq!(json["path"], "model");
    assert_eq!(json["model"], "ollama:a");
    assert_eq!(json["error"], Json::Null);
    let second = &json["calls"][1];
    assert_eq!(second["arguments"], json!({ "state": "off" }));
    assert_eq!(second["result"], "The lamp is off.");
    assert_eq!(
        (&second["is_error"], second["ms"].is_u64()),
        (&json!(false), true)
    );
}

#[tokio::test]
async fn a_fallback_continues_where_the_failed_model_stopped_and_repeats_nothing() {
    let overloaded = ModelFailure::Overloaded {
        why: "529".to_owned(),
        retry_after: None,
    };
    let not_pulled = ModelFailure::NoSuchModel("a".to_owned());
    for failure in [unreachable(), overloaded, not_pulled] {
        let steps = [Step::Calls(vec![lamp("on")]), Step::Fails(failure)];
        let first = scripted_model("ollama:a", steps);
        let second = scripted_model("anthropic:b", [Step::Says("It is on.")]);
        let (router, done) = build_router(&[&first, &second]);
        let answer = ask(&router, SENTENCE).await;
        assert_eq!(*done.lock().unwrap(), ["on"]);
        assert_eq!(answer.path, second.path());
        assert!(answer.is_success(), "{answer:?}");
        assert_eq!(second.last_seen(), first.last_seen());
        assert!(matches!(
            second.last_seen().turns.last(),
            Some(Turn::Called { .. })
        ));
    }
}

#[tokio::test]
async fn if_no_model_is_reachable_the_error_says_what_to_do() {
    let first = scripted_model("ollama:a", [Step::Fails(unreachable())]);
    let (router, _) = build_router(&[&first]);
    let answer = ask(&router, SENTENCE).await;
    assert_eq!(answer.text, "I can't reach the house at the moment.");
    let error = answer.error.unwrap();
    assert!(error.contains("start it, or set OLLAMA_HOST."), "{error}");
}

#[tokio::test]
async fn a_model_that_keeps_calling_tools_is_stopped_after_eight_rounds() {
    let steps = (0..9).map(|round| Step::Calls(vec![call(&format!("tool_{round}"), json!({}))]));
    let model = scripted_model("ollama:a", steps);
    let (router, _) = build_router(&[&model]);
    let answer = ask(&router, SENTENCE).await;
    assert_eq!((model.request_count(), answer.calls.len()), (8, 8));
    assert!(answer.error.unwrap().contains("8 rounds"));
}

#[tokio::test]
async fn a_model_that_repeats_a_successful_call_is_stopped_after_the_third_call() {
    let model = repeating_model("ollama:a", Step::Calls(vec![lamp("on")]));
    let (router, done) = build_router(&[&model]);
    let answer = ask(&router, SENTENCE).await;
    assert_eq!((model.request_count(), done.lock().unwrap().len()), (3, 3));
    assert!(answer.error.unwrap().contains("was called 3 times"));
}

#[tokio::test]
async fn a_call_that_fails_three_times_ends_the_answer() {
    for broken in [
        call("broken_lamp", json!({ "state": "on" })),
        call("no_such_tool", json!({})),
        call("lamp", json!({ "level": 3 })),
    ] {
        let model = repeating_model("ollama:a", Step::Calls(vec![broken]));
        let (router, done) = build_router(&[&model]);
        let answer = ask(&router, SENTENCE).await;
        assert_eq!((model.request_count(), answer.calls.len()), (3, 3));
        assert!(answer.error.unwrap().contains("failed 3 times"));
        assert!(done.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_failure_followed_by_a_successful_call_is_not_reported() {
    let broken = || Step::Calls(vec![call("broken_lamp", json!({ "state": "on" }))]);
    let recovers = scripted_model(
        "ollama:a",
        [broken(), Step::Calls(vec![lamp("on")]), Step::Says("On.")],
    );
    let (router, _) = build_router(&[&recovers]);
    assert!(ask(&router, SENTENCE).await.is_success());
    let failed = scripted_model("ollama:a", [broken(), Step::Says("I could not.")]);
    let (router, _) = build_router(&[&failed]);
    let answer = ask(&router, SENTENCE).await;
    assert_eq!(answer.error.as_deref(), Some("The lamp did not respond."));
    assert_eq!(answer.text, "I could not.");
}

#[tokio::test]
async fn the_tool_result_is_the_answer_if_the_model_says_nothing() {
    let model = scripted_model("ollama:a", [Step::Calls(vec![lamp("on")]), Step::Says("")]);
    let (router, _) = build_router(&[&model]);
    assert_eq!(ask(&router, SENTENCE).await.text, "The lamp is on.");
}

#[tokio::test(start_paused = true)]
async fn a_hanging_model_leaves_time_for_the_next_model_and_an_answer_takes_at_most_a_minute() {
    let hanging = scripted_model("ollama:a", [Step::Hangs]);
    let next = scripted_model("openai:b", [Step::Says("Here.")]);
    let (router, _) = build_router(&[&hanging, &next]);
    let start = tokio::time::Instant::now();
    assert_eq!(ask(&router, SENTENCE).await.text, "Here.");
    assert_eq!(start.elapsed().as_secs(), 30);

    let (first, second) = (
        scripted_model("ollama:a", [Step::Hangs]),
        scripted_model("openai:b", [Step::Hangs]),
    );
    let (router, _) = build_router(&[&first, &second]);
    let start = tokio::time::Instant::now();
    let text = ask(&router, SENTENCE).await.error.unwrap();
    assert_eq!(start.elapsed().as_secs(), 60);
    assert!(
        text.contains("ollama:a did not reply within 30 s."),
        "{text}"
    );

    let slow = Step::Calls(vec![call("slow_lamp", json!({ "state": "on" }))]);
    let slow = scripted_model("ollama:a", [slow]);
    let (router, _) = build_router(&[&slow]);
    let start = tokio::time::Instant::now();
    let answer = ask(&router, SENTENCE).await;
    assert_eq!(start.elapsed().as_secs(), 60);
    assert!(answer.calls[0].result.as_text().contains("may or may not have been done"));
}

#[tokio::test(start_paused = true)]
async fn the_turns_of_a_cancelled_sentence_are_completed_before_the_next_sentence_is_sent() {
    let calls = vec![call("slow_lamp", json!({ "state": "on" })), lamp("on")];
    let model = scripted_model("ollama:a", [Step::Calls(calls), Step::Says("Hello.")]);
    let (router, done) = build_router(&[&model]);
    let mut conversation = AiRouter::conversation_in(None);
    let mut ignore_text = |_: &str| {};
    let answering = router.answer(&mut conversation, SENTENCE, &mut ignore_text);
    let cancelled = tokio::time::timeout(Duration::from_secs(1), answering).await;
    assert!(cancelled.is_err());
    router.answer(&mut conversation, "hello there, you", &mut ignore_text).await;
    assert!(done.lock().unwrap().is_empty());
    let turns = model.last_seen().turns;
    let [
        Turn::Person(_),
        Turn::Model { calls, .. },
        Turn::Called { result: first, .. },
        Turn::Called { result: second, .. },
        Turn::Model { text, .. },
        _,
    ] = &turns[..]
    else {
        panic!("{turns:?}")
    };
    assert_eq!(calls.len(), 2);
    assert!(first.is_error && second.is_error);
    assert!(text.contains("cancelled"), "{text}");
}

//! Runs the scripted conversations of `fixtures/conversations`: a host's calls, the messages its server
//! receives and sends, and the outcome of each call.
//!
//! The conversations run over an in-memory pipe with a paused clock. Every failing row is named. The error
//! messages of each file are a reviewed snapshot.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tracing::subscriber::DefaultGuard;
use zwave_mcp_server::client::{
    CallError, ClientError, Era, Host, McpSession, PersonAnswer, ToolExecutor, ToolResult,
    ToolServer,
};

use crate::executor::executor_of;
use crate::fixture::rows::{Texts, run_trials};
use crate::fixture::{Log, read_rounds};
use crate::support::{Heard, LIMIT, LONG, Peer, listening_host, pipe, text_result};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(rename = "row")]
    name: String,
    /// True if the steps include the handshake.
    #[serde(default)]
    connects: bool,
    #[serde(default)]
    host: HostRow,
    steps: Vec<Step>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct HostRow {
    era: Option<String>,
    capabilities: Map<String, Json>,
    /// The timeout of a call, in seconds.
    call: Option<u64>,
    /// This field and the next one have the same names in `Limits`.
    bad_line: Option<usize>,
    waiting_requests: Option<usize>,
    /// True if the host can ask a person, who takes five seconds and agrees only to questions about the lamp.
    asks: bool,
    secrets: Vec<String>,
}

impl HostRow {
    /// Returns the host with these settings. `asked` counts the questions to the person.
    fn configure(&self, mut host: Host, asked: &Arc<AtomicUsize>) -> Host {
        host.capabilities.clone_from(&self.capabilities);
        host.era = match self.era.as_deref() {
            Some("initialize") => Era::Initialize,
            Some("discover") => Era::Discover,
            Some(unknown) => panic!("{unknown} is no era"),
            None => host.era,
        };
        let limits = &mut host.limits;
        limits.call = self.call.map_or(limits.call, Duration::from_secs);
        limits.bad_line = self.bad_line.unwrap_or(limits.bad_line);
        limits.waiting_requests = self.waiting_requests.unwrap_or(limits.waiting_requests);
        if !self.asks {
            return host;
        }
        let asked = Arc::clone(asked);
        host.with_asker(move |question| {
            asked.fetch_add(1, Ordering::Relaxed);
            let answer = if question.message.contains("lamp") {
                PersonAnswer::Accept(question.fill_with_yes())
            } else {
                PersonAnswer::Decline
            };
            async move {
                sleep(Duration::from_secs(5)).await;
                answer
            }
        })
    }
}

/// A step of a conversation: what the host, the server or the clock does, or what must be true at this point.
/// `[]` in the JSON stands for no arguments.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Step {
    /// The host starts a call with this text, or with a text of this length.
    Call(String),
    LongCall(usize),
    /// The host starts listing the tools.
    List([(); 0]),
    /// A model calls a tool.
    Tool(String, Json),
    /// The host drops the oldest operation that is running.
    GivesUp([(); 0]),
    /// The oldest operation ends.
    #[serde(rename = "comes")]
    Ends(Outcome),
    /// The connection attempt ends.
    Connected(Outcome),
    /// The server receives a message with all these fields, or with this method.
    Gets(Json),
    /// The server answers the last message that it received, or the message at this index.
    Answers(Json),
    AnswersTo(usize, Json),
    /// The server answers the last message with a text.
    Tells(String),
    Refuses(i64, String),
    Sends(Json),
    /// The server writes a line, or text without a newline.
    Says(String),
    Writes(String),
    Closes([(); 0]),
    /// Milliseconds pass.
    Wait(u64),
    Alive(bool),
    BadLines(u64),
    /// The kinds of events that the host received.
    Heard(Vec<String>),
    /// The number of questions to the person.
    Asked(usize),
    /// Exactly one log line contains the first text, and that line contains the other texts, too.
    Logged(Vec<String>),
    NotLogged(String),
}

#[derive(Deserialize)]
struct Outcome {
    /// Texts that the error must contain; empty if the operation must succeed.
    #[serde(default)]
    error: Texts,
    /// True if the call may have been done despite the error.
    unsure: Option<bool>,
    /// The duration, in whole seconds.
    took: Option<u64>,
    /// The result, or a part of it.
    #[serde(flatten)]
    result: Map<String, Json>,
}

/// A running operation, which returns its outcome and how long it took.
type Pending = JoinHandle<(Result<Json, Failure>, Duration)>;

/// An error's message. `unsure` is true if the call may have been done despite the error.
struct Failure {
    words: String,
    unsure: bool,
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        Self {
            words: error.to_string(),
            unsure: error.is_fate_unknown(),
        }
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Self {
            words: error.to_string(),
            // A timeout does not count here, because its message itself says whether the call may have been done.
            unsure: matches!(error, CallError::NoResult { reason, .. }
                if reason.is_fate_unknown() && !matches!(reason, ClientError::TimedOut { .. })),
        }
    }
}

struct Conversation {
    session: Option<Arc<McpSession>>,
    connecting: Option<JoinHandle<(Result<McpSession, ClientError>, Duration)>>,
    executor: Option<Arc<ToolExecutor>>,
    /// The server's end of the pipe; `None` once it is closed.
    peer: Option<Peer>,
    pending: VecDeque<Pending>,
    /// The messages that the server received.
    got: Vec<Json>,
    heard: Heard,
    asked: Arc<AtomicUsize>,
    log: Log,
    _guard: DefaultGuard,
    error_messages: String,
}

fn begin<T, E: Into<Failure>>(
    work: impl Future<Output = Result<T, E>> + Send + 'static,
    to_json: impl FnOnce(T) -> Json + Send + 'static,
) -> Pending {
    let start = Instant::now();
    tokio::spawn(async move {
        let result = work.await.map(to_json).map_err(Into::into);
        (result, start.elapsed())
    })
}

fn result_to_json(result: ToolResult) -> Json {
    json!({ "text": result.as_text(), "is_error": result.is_error })
}

async fn end<T>(pending: JoinHandle<T>) -> T {
    timeout(LONG, pending).await.expect("the operation does not end").unwrap()
}

impl Conversation {
    /// Runs the conversation of a row, and returns the messages of its errors.
    async fn run(row: Row) -> String {
        let (log, guard) = Log::start();
        let (host, heard) = listening_host();
        let asked = Arc::default();
        let host = row.host.configure(host, &asked);
        let (reader, writer, mut peer) = pipe();
        let start = Instant::now();
        let connecting = tokio::spawn(async move {
            let session = McpSession::connect(reader, writer, &host).await;
            (session, start.elapsed())
        });
        let mut conversation = Self {
            session: None,
            connecting: None,
            executor: None,
            peer: None,
            pending: VecDeque::new(),
            got: Vec::new(),
            heard,
            asked,
            log,
            _guard: guard,
            error_messages: String::new(),
        };
        if row.connects {
            conversation.connecting = Some(connecting);
        } else {
            peer.shake_hands().await;
            let session = Arc::new(connecting.await.unwrap().0.unwrap());
            if row.steps.iter().any(|step| matches!(step, Step::Tool(..))) {
                let executor = executor_of(Arc::clone(&session), &mut peer, &row.host.secrets);
                conversation.executor = Some(executor.await);
            }
            conversation.session = Some(session);
        }
        conversation.peer = Some(peer);
        for step in &row.steps {
            conversation.run_step(step).await;
        }
        conversation.error_messages
    }

    fn session(&self) -> &Arc<McpSession> {
        self.session.as_ref().expect("the host is not connected")
    }

    fn peer(&mut self) -> &mut Peer {
        self.peer.as_mut().expect("the server has closed its end")
    }

    fn call(&mut self, text: &str) {
        let session = Arc::clone(self.session());
        let arguments = Map::from_iter([("text".to_owned(), text.into())]);
        let call = async move { session.call("echo", arguments, LIMIT).await };
        self.pending.push_back(begin(call, result_to_json));
    }

    async fn run_step(&mut self, step: &Step) {
        match step {
            Step::Call(text) => self.call(text),
            Step::LongCall(length) => self.call(&"x".repeat(*length)),
            Step::List([]) => {
                let session = Arc::clone(self.session());
                let list = async move { session.tools().await };
                self.pending.push_back(begin(list, |tools| {
                    let documents = tools.into_iter().map(|tool| tool.document);
                    json!({ "tools": documents.collect::<Vec<_>>() })
                }));
            }
            Step::Tool(tool, arguments) => {
                let executor = Arc::clone(self.executor.as_ref().unwrap());
                let (tool, arguments) = (tool.clone(), arguments.clone());
                let call = async move { executor.call(&tool, arguments).await };
                self.pending.push_back(begin(call, result_to_json));
            }
            Step::GivesUp([]) => self.pending.pop_front().unwrap().abort(),
            Step::Ends(outcome) => {
                let (result, took) = end(self.pending.pop_front().unwrap()).await;
                self.check(outcome, result, took);
            }
            Step::Connected(outcome) => {
                let (result, took) = end(self.connecting.take().unwrap()).await;
                let result = result.map(|session| {
                    let info = session.info();
                    let description = json!({ "revision": info.revision, "name": info.name, "instructions": info.instructions });
                    self.session = Some(Arc::new(session));
                    description
                });
                self.check(outcome, result.map_err(Into::into), took);
            }
            Step::Gets(wanted) => {
                let got = timeout(LONG, self.peer().next()).await.expect("nothing came");
                let wanted = match wanted {
                    Json::String(method) => json!({ "method": method }),
                    fields => fields.clone(),
                };
                assert!(has(&got, &wanted), "the server got {got}, not {wanted}");
                self.got.push(got);
            }
            Step::Answers(result) => self.answer(self.got.len() - 1, result.clone()).await,
            Step::AnswersTo(index, result) => self.answer(*index, result.clone()).await,
            Step::Tells(text) => self.answer(self.got.len() - 1, text_result(text)).await,
            Step::Refuses(code, message) => {
                let request = self.got.last().unwrap().clone();
                self.peer().refuse(&request, *code, message).await;
            }
            Step::Sends(message) => self.peer().send(message.clone()).await,
            Step::Says(line) => self.peer().write_line(line).await,
            Step::Writes(text) => self.peer().write(text.as_bytes()).await,
            Step::Closes([]) => self.peer = None,
            Step::Wait(millis) => sleep(Duration::from_millis(*millis)).await,
            Step::Alive(is_alive) => assert_eq!(self.session().is_alive(), *is_alive, "alive"),
            Step::BadLines(count) => assert_eq!(self.session().bad_lines(), *count, "bad lines"),
            Step::Heard(wanted) => self.check_heard(wanted),
            Step::Asked(count) => assert_eq!(self.asked.load(Ordering::Relaxed), *count, "asked"),
            Step::Logged(parts) => {
                let lines = self.log.lines_with(&parts[0]);
                let has_all = |line: &String| parts.iter().all(|part| line.contains(part));
                let is_logged = lines.len() == 1 && lines.iter().all(has_all);
                assert!(
                    is_logged,
                    "exactly one log line must have the first of {parts:?}, and also the others: {lines:?}"
                );
            }
            Step::NotLogged(part) => assert_eq!(self.log.lines_with(part), [""; 0]),
        }
    }

    async fn answer(&mut self, index: usize, result: Json) {
        let request = self.got[index].clone();
        self.peer().answer(&request, result).await;
    }

    fn check(&mut self, wanted: &Outcome, result: Result<Json, Failure>, took: Duration) {
        if let Some(seconds) = wanted.took {
            assert_eq!(took.as_secs(), seconds, "seconds");
        }
        match result {
            Ok(result) => {
                let is_wanted = has(&result, &Json::Object(wanted.result.clone()));
                assert!(
                    wanted.error.all().is_empty() && is_wanted,
                    "unexpected result: {result}"
                );
            }
            Err(Failure { words, unsure }) => {
                self.error_messages.push_str(&format!("  {words}\n"));
                assert!(!wanted.error.all().is_empty(), "{words}");
                let missing = wanted.error.find(|part| !words.contains(part));
                assert_eq!(missing, None, "a text is missing in the error: {words}");
                assert!(
                    wanted.unsure.is_none_or(|wanted| wanted == unsure),
                    "unexpected `unsure`: {unsure}"
                );
            }
        }
    }

    /// Checks the kinds of events that the host received, in order.
    fn check_heard(&self, wanted: &[String]) {
        let heard = self.heard.lock().unwrap();
        let events: Vec<String> = heard.iter().map(|event| format!("{event:?}")).collect();
        let is_wanted = |(event, wanted): (&String, &String)| event.starts_with(wanted);
        let fits = events.len() == wanted.len() && events.iter().zip(wanted).all(is_wanted);
        assert!(fits, "the host heard {events:?}");
    }
}

/// Returns true if a message has all wanted fields. A wanted `null` matches an absent field. `params`,
/// `error` and `_meta` may have further fields; the values of all other fields must be equal.
fn has(message: &Json, wanted: &Json) -> bool {
    let mut wanted = wanted.as_object().into_iter().flatten();
    wanted.all(|(name, wanted)| {
        let value = message.get(name).unwrap_or(&Json::Null);
        let is_part = ["params", "error", "_meta"].contains(&name.as_str()) && wanted.is_object();
        if is_part {
            has(value, wanted)
        } else {
            value == wanted
        }
    })
}

fn run_all(name: &str) {
    let rows: Vec<Row> = read_rounds(&format!("conversations/{name}.json"));
    let trials = rows.into_iter().map(|row| (row.name.clone(), Conversation::run(row)));
    insta::assert_snapshot!(name, run_trials(trials));
}

#[test]
fn the_handshake_works_in_both_protocol_eras() {
    run_all("handshake");
}

#[test]
fn every_call_ends_in_its_answer_or_a_helpful_error() {
    run_all("calls");
}

#[test]
fn the_calls_of_a_model_are_corrected_checked_timed_and_logged() {
    run_all("executor");
}

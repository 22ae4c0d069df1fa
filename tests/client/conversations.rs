//! Conversations of `fixtures/conversations`: a host's calls, what its server gets and says, and what comes
//! of each.
//!
//! They are held over a pipe in memory, on a clock that stands still while anybody works. Every row
//! that fails is named, and the sentences of all errors are a reviewed snapshot for each file.

mod step;

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
use crate::fixture::rows::try_all;
use crate::fixture::{Log, read_rounds};
use crate::support::{Heard, LIMIT, LONG, Peer, hearing, pipe, text_result};
use step::{Outcome, Step};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(rename = "row")]
    promise: String,
    /// The handshake is among the steps.
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
    /// The seconds that a call has.
    call: Option<u64>,
    bad_line: Option<usize>,
    waiting_requests: Option<usize>,
    /// A person is asked, who takes five seconds and agrees to whatever is about the lamp.
    asks: bool,
    secrets: Vec<String>,
}

impl HostRow {
    fn host(&self, host: Host, asked: &Arc<AtomicUsize>) -> Host {
        let mut host = host;
        host.capabilities.clone_from(&self.capabilities);
        host.era = match self.era.as_deref() {
            Some("initialize") => Era::Initialize,
            Some("discover") => Era::Discover,
            other => other.map_or(host.era, |other| panic!("{other}")),
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
            let is_agreed = question.message.contains("lamp");
            let answer = is_agreed.then(|| PersonAnswer::Accept(question.fill_with_yes()));
            async move {
                sleep(Duration::from_secs(5)).await;
                answer.unwrap_or(PersonAnswer::Decline)
            }
        })
    }
}

/// Something that was begun: its outcome, and the time that it took.
type Begun = JoinHandle<(Result<Json, Failure>, Duration)>;

/// An error in words, and what it says of the call's fate.
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
            // A time-out says more, in its own words.
            unsure: matches!(error, CallError::NoResult { reason, .. }
                if reason.is_fate_unknown() && !matches!(reason, ClientError::TimedOut { .. })),
        }
    }
}

/// A conversation that is being held.
struct Conversation {
    session: Option<Arc<McpSession>>,
    connecting: Option<JoinHandle<(Result<McpSession, ClientError>, Duration)>>,
    executor: Option<Arc<ToolExecutor>>,
    /// None once the server has closed its end.
    peer: Option<Peer>,
    begun: VecDeque<Begun>,
    /// The messages that the server got.
    got: Vec<Json>,
    heard: Heard,
    asked: Arc<AtomicUsize>,
    log: Log,
    _guard: DefaultGuard,
    sentences: String,
}

fn begin<T, E: Into<Failure>>(
    work: impl Future<Output = Result<T, E>> + Send + 'static,
    tell: impl FnOnce(T) -> Json + Send + 'static,
) -> Begun {
    let start = Instant::now();
    tokio::spawn(async move {
        let came = work.await.map(tell).map_err(Into::into);
        (came, start.elapsed())
    })
}

fn told(result: ToolResult) -> Json {
    json!({ "text": result.as_text(), "is_error": result.is_error })
}

async fn end<T>(begun: JoinHandle<T>) -> T {
    timeout(LONG, begun).await.expect("it does not end").unwrap()
}

impl Conversation {
    /// Holds the conversation of a row, and returns the sentences of its errors.
    async fn hold(row: Row) -> String {
        let (log, guard) = Log::start();
        let (host, heard) = hearing();
        let asked = Arc::default();
        let host = row.host.host(host, &asked);
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
            begun: VecDeque::new(),
            got: Vec::new(),
            heard,
            asked,
            log,
            _guard: guard,
            sentences: String::new(),
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
            conversation.take(step).await;
        }
        conversation.sentences
    }

    fn session(&self) -> &Arc<McpSession> {
        self.session.as_ref().expect("it is not connected")
    }

    fn peer(&mut self) -> &mut Peer {
        self.peer.as_mut().expect("it has closed its end")
    }

    fn call(&mut self, text: &str) {
        let session = Arc::clone(self.session());
        let arguments = Map::from_iter([("text".to_owned(), text.into())]);
        let call = async move { session.call("echo", arguments, LIMIT).await };
        self.begun.push_back(begin(call, told));
    }

    async fn take(&mut self, step: &Step) {
        match step {
            Step::Call(text) => self.call(text),
            Step::LongCall(length) => self.call(&"x".repeat(*length)),
            Step::List([]) => {
                let session = Arc::clone(self.session());
                let list = async move { session.tools().await };
                self.begun.push_back(begin(list, |tools| {
                    let documents = tools.into_iter().map(|tool| tool.document);
                    json!({ "tools": documents.collect::<Vec<_>>() })
                }));
            }
            Step::Tool(tool, arguments) => {
                let executor = Arc::clone(self.executor.as_ref().unwrap());
                let (tool, arguments) = (tool.clone(), arguments.clone());
                let call = async move { executor.call(&tool, arguments).await };
                self.begun.push_back(begin(call, told));
            }
            Step::GivesUp([]) => self.begun.pop_front().unwrap().abort(),
            Step::Comes(outcome) => {
                let (came, took) = end(self.begun.pop_front().unwrap()).await;
                self.check(outcome, came, took);
            }
            Step::Connected(outcome) => {
                let (came, took) = end(self.connecting.take().unwrap()).await;
                let came = came.map(|session| {
                    let info = session.info();
                    let told = json!({ "revision": info.revision, "name": info.name, "instructions": info.instructions });
                    self.session = Some(Arc::new(session));
                    told
                });
                self.check(outcome, came.map_err(Into::into), took);
            }
            Step::Gets(wanted) => {
                let got = timeout(LONG, self.peer().next()).await.expect("nothing came");
                let wanted = match wanted {
                    Json::String(method) => json!({ "method": method }),
                    other => other.clone(),
                };
                assert!(has(&got, &wanted), "the server got {got}, not {wanted}");
                self.got.push(got);
            }
            Step::Answers(result) => self.answer(self.got.len() - 1, result.clone()).await,
            Step::AnswersTo(got, result) => self.answer(*got, result.clone()).await,
            Step::Tells(text) => self.answer(self.got.len() - 1, text_result(text)).await,
            Step::Refuses(code, message) => {
                let request = self.got.last().unwrap().clone();
                self.peer().refuse(&request, *code, message).await;
            }
            Step::Sends(message) => self.peer().send(message.clone()).await,
            Step::Says(line) => self.peer().say(line).await,
            Step::Writes(text) => self.peer().write(text.as_bytes()).await,
            Step::Closes([]) => self.peer = None,
            Step::Wait(millis) => sleep(Duration::from_millis(*millis)).await,
            Step::Alive(is_alive) => assert_eq!(self.session().is_alive(), *is_alive, "alive"),
            Step::BadLines(count) => assert_eq!(self.session().bad_lines(), *count, "bad lines"),
            Step::Heard(wanted) => self.check_heard(wanted),
            Step::Asked(count) => assert_eq!(self.asked.load(Ordering::Relaxed), *count, "asked"),
            Step::Logged(parts) => {
                let lines = self.log.with(&parts[0]);
                let has_all = |line: &String| parts.iter().all(|part| line.contains(part));
                let is_logged = lines.len() == 1 && lines.iter().all(has_all);
                assert!(is_logged, "{parts:?} is not logged once: {lines:?}");
            }
            Step::NotLogged(part) => assert_eq!(self.log.with(part), [""; 0]),
        }
    }

    async fn answer(&mut self, got: usize, result: Json) {
        let request = self.got[got].clone();
        self.peer().answer(&request, result).await;
    }

    fn check(&mut self, wanted: &Outcome, came: Result<Json, Failure>, took: Duration) {
        if let Some(seconds) = wanted.took {
            assert_eq!(took.as_secs(), seconds, "seconds");
        }
        match came {
            Ok(came) => {
                let is_wanted = has(&came, &Json::Object(wanted.came.clone()));
                assert!(wanted.error.all().is_empty() && is_wanted, "{came} came");
            }
            Err(Failure { words, unsure }) => {
                self.sentences.push_str(&format!("  {words}\n"));
                assert!(!wanted.error.all().is_empty(), "{words}");
                let lack = wanted.error.find(|part| !words.contains(part));
                assert_eq!(lack, None, "is lacking in {words}");
                assert!(
                    wanted.unsure.is_none_or(|own| own == unsure),
                    "unsure: {unsure}"
                );
            }
        }
    }

    /// Checks the sorts of events that the host heard, in their order.
    fn check_heard(&self, wanted: &[String]) {
        let heard = self.heard.lock().unwrap();
        let sorts: Vec<String> = heard.iter().map(|event| format!("{event:?}")).collect();
        let is_wanted = |(sort, wanted): (&String, &String)| sort.starts_with(wanted);
        let fits = sorts.len() == wanted.len() && sorts.iter().zip(wanted).all(is_wanted);
        assert!(fits, "the host heard {sorts:?}");
    }
}

/// Checks that a message has all that is wanted of it, of its parameters and so on; null is wanted to be
/// absent. All within these must be as it is wanted.
fn has(message: &Json, wanted: &Json) -> bool {
    let mut wanted = wanted.as_object().into_iter().flatten();
    wanted.all(|(name, wanted)| {
        let own = message.get(name).unwrap_or(&Json::Null);
        let is_part = ["params", "error", "_meta"].contains(&name.as_str()) && wanted.is_object();
        if is_part {
            has(own, wanted)
        } else {
            own == wanted
        }
    })
}

fn hold_all(name: &str) {
    let rows: Vec<Row> = read_rounds(&format!("conversations/{name}.json"));
    let trials = rows.into_iter().map(|row| (row.promise.clone(), Conversation::hold(row)));
    insta::assert_snapshot!(name, try_all(trials));
}

#[test]
fn hands_are_shaken_in_both_eras() {
    hold_all("handshake");
}

#[test]
fn every_call_ends_in_its_answer_or_in_a_telling_error() {
    hold_all("calls");
}

#[test]
fn a_models_calls_are_mended_checked_timed_and_logged() {
    hold_all("executor");
}

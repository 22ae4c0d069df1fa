//! Forwards the page's requests to the server, but only those for tools and resources that the page may use.
//! Reports changes of the house to the browser as a growing count.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::client::{
    ClientError, Connection, InputRequired, PersonAnswer, ServerEvent, ToolServer, answer_params,
};
use crate::lock::lock;

/// The timeout of a request. The server answers earlier, whatever its settings.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(300);

/// The maximum time until a browser's request for changes is answered. Browsers and proxies wait longer.
const LONG_POLL_TIMEOUT: Duration = Duration::from_secs(25);

/// The maximum length of a question to the person.
const MAX_QUESTION_BYTES: usize = 16 * 1024;

/// The delay before the subscription to the server's changes is renewed.
const LISTEN_RETRY_DELAY: Duration = Duration::from_secs(2);

const CALL: &str = "tools/call";
const READ: &str = "resources/read";

/// The parts of the server that the page may use.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// The URI of the page itself.
    pub page: &'static str,
    /// The tools that the page may call.
    pub tools: &'static [&'static str],
    /// The URI of the house, which the page may read and subscribe to.
    pub house: &'static str,
    /// The beginning of the URIs that filter the house. The page may read these URIs, too.
    pub filtered: &'static str,
}

impl Reach {
    fn is_readable(&self, uri: &str) -> bool {
        uri == self.page || uri == self.house || uri.starts_with(self.filtered)
    }
}

/// Counts the changes of the house that the server reports.
#[derive(Clone, Debug, Default)]
pub struct ChangeCount(watch::Sender<u64>);

impl ChangeCount {
    /// Counts an event if it reports a change of a resource.
    pub fn count_event(&self, event: &ServerEvent) {
        if let ServerEvent::Notification { method, .. } = event
            && method.starts_with("notifications/resources/")
        {
            self.count();
        }
    }

    fn count(&self) {
        self.0.send_modify(|count| *count += 1);
    }

    /// Waits until the count differs from `seen`, for at most [`LONG_POLL_TIMEOUT`]. Returns the count.
    async fn wait_for_change(&self, seen: u64) -> u64 {
        let mut changes = self.0.subscribe();
        let change = changes.wait_for(|count| *count != seen);
        // After a timeout, the count is unchanged. The channel can't close, because `self` has the sender.
        let _ = timeout(LONG_POLL_TIMEOUT, change).await;
        *self.0.borrow()
    }
}

/// A request from the page. Only the content of these fields is passed on.
#[derive(Debug, Deserialize)]
pub struct PageRequest {
    method: String,
    #[serde(default)]
    params: PageParams,
    /// The person's answer, if an earlier attempt at this call returned a question. Only the outer page,
    /// which shows the house's page in a frame, can set this field.
    answered: Option<Answered>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PageParams {
    uri: String,
    name: String,
    arguments: Map<String, Json>,
}

#[derive(Debug, Deserialize)]
struct Answered {
    state: String,
    /// Maps the key of each question to the question's form, which is filled in with a yes.
    yes: BTreeMap<String, Map<String, Json>>,
    accept: bool,
}

/// The page's connection to the server.
#[derive(Debug)]
pub struct Bridge {
    server: Arc<Connection>,
    reach: Reach,
    changes: ChangeCount,
    /// The subscription to the server's changes: at most one task.
    listening: Mutex<JoinSet<()>>,
}

impl Bridge {
    pub fn new(server: Arc<Connection>, reach: Reach, changes: ChangeCount) -> Self {
        Self {
            server,
            reach,
            changes,
            listening: Mutex::default(),
        }
    }

    /// Waits until the count of changes differs from `seen`, for at most `LONG_POLL_TIMEOUT`. `seen` is the
    /// count that the browser knows. Returns the count.
    pub async fn changes(&self, seen: u64) -> u64 {
        self.listen();
        self.changes.wait_for_change(seen).await
    }

    /// Subscribes to the server's changes, unless already subscribed.
    fn listen(&self) {
        let mut listening = lock(&self.listening);
        while listening.try_join_next().is_some() {}
        if !listening.is_empty() {
            return;
        }
        let (server, house) = (Arc::clone(&self.server), self.reach.house);
        let changes = self.changes.clone();
        listening.spawn(async move {
            if server.connect().await.is_ok() {
                // The result is ignored: the browser's next request for changes renews the subscription.
                let _ = server.follow(house).await;
            }
            // There is no new subscription until this task ends, so the pause limits the rate of attempts.
            sleep(LISTEN_RETRY_DELAY).await;
            // Changes may have been missed. A new count makes the page read the house.
            changes.count();
        });
    }

    /// Reads the page's HTML from the server.
    ///
    /// # Errors
    /// Returns the reason as a sentence.
    pub async fn page(&self) -> Result<String, String> {
        let params = Map::from_iter([("uri".to_owned(), self.reach.page.into())]);
        let read = self.request(READ, params).await?;
        let text = read.pointer("/contents/0/text").and_then(Json::as_str);
        text.map(str::to_owned)
            .ok_or_else(|| "The server's page is not text.".to_owned())
    }

    /// Forwards a request. Returns an object with one field: `result` is the server's result, `error` says
    /// why the request failed, and `ask` is a question for the person.
    pub async fn forward(&self, request: PageRequest) -> Json {
        let outcome = match self.check_request(request) {
            Ok((method, params)) => self.request(method, params).await,
            Err(sentence) => Err(sentence),
        };
        match outcome {
            Ok(result) => question(&result).map_or_else(
                || json!({ "result": result }),
                |question| json!({ "ask": question }),
            ),
            Err(sentence) => json!({ "error": { "code": -32000, "message": sentence } }),
        }
    }

    /// Checks a request, and returns the method and parameters for the server.
    fn check_request(
        &self,
        request: PageRequest,
    ) -> Result<(&'static str, Map<String, Json>), String> {
        let params = request.params;
        match request.method.as_str() {
            READ if self.reach.is_readable(&params.uri) => Ok((
                READ,
                Map::from_iter([("uri".to_owned(), params.uri.into())]),
            )),
            CALL if self.reach.tools.contains(&params.name.as_str()) => {
                let mut params = Map::from_iter([
                    ("name".to_owned(), params.name.into()),
                    ("arguments".to_owned(), params.arguments.into()),
                ]);
                if let Some(answered) = request.answered {
                    params.extend(answered.into_params());
                }
                Ok((CALL, params))
            }
            _ => Err("The page is not allowed to do that.".to_owned()),
        }
    }

    /// Sends a request. If the server has ended, restarts it first. If the request did not reach the server,
    /// sends it a second time. Also sends a read a second time if the server ended before it answered.
    async fn request(&self, method: &str, params: Map<String, Json>) -> Result<Json, String> {
        let answer = match self.attempt(method, params.clone()).await? {
            Err(ClientError::Unreachable { .. }) => self.attempt(method, params).await?,
            Err(ClientError::Ended { .. }) if method == READ => {
                self.attempt(method, params).await?
            }
            answer => answer,
        };
        answer.map_err(|error| match error {
            ClientError::Refused { message, .. } => message,
            error if method == CALL && error.is_fate_unknown() => {
                format!("It may or may not have been done: {error}. Check the device.")
            }
            error => format!("Nothing was done: {error}."),
        })
    }

    /// Sends a request once. Fails with a sentence if the server does not start.
    async fn attempt(
        &self,
        method: &str,
        params: Map<String, Json>,
    ) -> Result<Result<Json, ClientError>, String> {
        let connected = self.server.connect().await;
        connected.map_err(|error| format!("The server does not start: {}.", error.reason))?;
        Ok(self.server.request(method, params, REQUEST_TIMEOUT).await)
    }
}

impl Answered {
    /// Returns the parameters to add when the call is sent again.
    fn into_params(self) -> Map<String, Json> {
        let answers = self.yes.into_iter().map(|(key, form)| {
            let answer = if self.accept {
                PersonAnswer::Accept(form)
            } else {
                PersonAnswer::Decline
            };
            (key, answer)
        });
        answer_params(answers, Some(self.state.into()))
    }
}

/// Returns the question that the person has to answer before the call is carried out; `None` if the call's
/// result asks nothing. A question has a message, forms filled in with a yes, and a state that identifies it.
fn question(result: &Json) -> Option<Json> {
    let InputRequired { questions, state } = InputRequired::read(result, MAX_QUESTION_BYTES)?;
    let forms: Vec<_> = questions
        .iter()
        .filter_map(|(key, question)| Some((key, question.as_ref()?)))
        .collect();
    let messages: Vec<_> = forms.iter().map(|(_, form)| form.message.as_str()).collect();
    let yes = forms.iter().map(|(key, form)| ((*key).clone(), form.fill_with_yes().into()));
    Some(json!({
        "message": messages.join("\n"),
        "yes": yes.collect::<Map<_, _>>(),
        "state": state?,
    }))
}

#[cfg(test)]
#[path = "../../tests/unit/view/bridge.rs"]
mod tests;

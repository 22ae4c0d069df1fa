//! Carries the page's requests to the server: for the tools and resources that it may have, and no
//! others. Changes of the house come back the same way, as a number that grows.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::client::{
    ClientError, Connection, InputRequired, PersonAnswer, ServerEvent, answer_params,
};

/// The time limit of a request: longer than any setting lets the server take.
const PATIENCE: Duration = Duration::from_secs(300);

/// The time for which the server may send changes before it is asked again for them.
const LISTENING: Duration = Duration::from_secs(24 * 60 * 60);

/// The time limit of a browser's question for changes: shorter than proxies and browsers allow.
const LONG_POLL: Duration = Duration::from_secs(25);

/// The maximum length of a question, in bytes.
const MAX_QUESTION: usize = 16 * 1024;

/// The pause before the server is asked again for changes.
const RETRY: Duration = Duration::from_secs(2);

const LISTEN: &str = "subscriptions/listen";
const CALL: &str = "tools/call";
const READ: &str = "resources/read";

/// The parts of the server that are within the page's reach.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// The page itself, a resource.
    pub page: &'static str,
    /// The tools that it may call.
    pub tools: &'static [&'static str],
    /// The resource of the house, which it may read and follow.
    pub house: &'static str,
    /// The start of the URI of a filtered house, which it may read as well.
    pub filtered: &'static str,
}

impl Reach {
    fn is_readable(&self, uri: &str) -> bool {
        uri == self.page || uri == self.house || uri.starts_with(self.filtered)
    }
}

/// Counts the changes of the house that the server reports.
#[derive(Clone, Debug)]
pub struct Changes(watch::Sender<u64>);

impl Default for Changes {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

impl Changes {
    /// Counts an event if it is a change of a resource.
    pub fn hear(&self, event: &ServerEvent) {
        if let ServerEvent::Notification { method, .. } = event
            && method.starts_with("notifications/resources/")
        {
            self.count();
        }
    }

    fn count(&self) {
        self.0.send_modify(|count| *count += 1);
    }

    /// Waits for a count other than the one that was seen, for as long as a browser may wait.
    async fn wait_for_change(&self, seen: u64) -> u64 {
        let mut changes = self.0.subscribe();
        let news = changes.wait_for(|count| *count != seen);
        // If the time is up, the count is the same. The sender lives as long as this does.
        let _ = timeout(LONG_POLL, news).await;
        *self.0.borrow()
    }
}

/// A request of the page. Nothing else in it is passed on.
#[derive(Debug, Deserialize)]
pub struct PageRequest {
    method: String,
    #[serde(default)]
    params: PageParams,
    /// The person's answer to the question that a call came back with. It comes from the outer page,
    /// never from the house's page.
    answered: Option<Answered>,
}

#[derive(Debug, Default, Deserialize)]
struct PageParams {
    #[serde(default)]
    uri: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    arguments: Map<String, Json>,
}

#[derive(Debug, Deserialize)]
struct Answered {
    state: String,
    /// For each question its form, filled in with a yes.
    yes: BTreeMap<String, Map<String, Json>>,
    accept: bool,
}

/// The page's connection to the server.
#[derive(Debug)]
pub struct Bridge {
    server: Arc<Connection>,
    reach: Reach,
    changes: Changes,
    /// The request by which the server sends its changes. Dropping it ends the task.
    listening: Mutex<JoinSet<()>>,
}

impl Bridge {
    pub fn new(server: Arc<Connection>, reach: Reach, changes: Changes) -> Self {
        Self {
            server,
            reach,
            changes,
            listening: Mutex::default(),
        }
    }

    /// Returns the count of changes once it differs from the one that the browser has seen.
    pub async fn changes(&self, seen: u64) -> u64 {
        self.listen();
        self.changes.wait_for_change(seen).await
    }

    /// Subscribes to the server's changes, unless that is already done.
    fn listen(&self) {
        let mut listening = self.listening.lock().unwrap_or_else(PoisonError::into_inner);
        while listening.try_join_next().is_some() {}
        if !listening.is_empty() {
            return;
        }
        let wanted =
            json!({ "resourcesListChanged": true, "resourceSubscriptions": [self.reach.house] });
        let params = Map::from_iter([("notifications".to_owned(), wanted)]);
        let (server, changes) = (Arc::clone(&self.server), self.changes.clone());
        listening.spawn(async move {
            if server.connect().await.is_ok() {
                // However it ends, the browser asks again.
                let _ = server.request(LISTEN, params, LISTENING).await;
            }
            // A server that is gone is not asked without a pause.
            sleep(RETRY).await;
            // Changes meanwhile are unknown, so the page reads.
            changes.count();
        });
    }

    /// Reads the page's own text.
    ///
    /// # Errors
    /// The reason, as a sentence.
    pub async fn page(&self) -> Result<String, String> {
        let params = Map::from_iter([("uri".to_owned(), self.reach.page.into())]);
        let read = self.request(READ, params).await?;
        let text = read.pointer("/contents/0/text").and_then(Json::as_str);
        text.map(str::to_owned)
            .ok_or_else(|| "The server's page is no text.".to_owned())
    }

    /// Carries a request over, and the outcome back: `result`, an `error` with a sentence, or a question
    /// to `ask` the person.
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

    /// Checks a request, and returns it as the server gets it.
    fn check_request(
        &self,
        request: PageRequest,
    ) -> Result<(&'static str, Map<String, Json>), String> {
        let PageRequest {
            method,
            params,
            answered,
        } = request;
        let PageParams {
            uri,
            name,
            arguments,
        } = params;
        match method.as_str() {
            READ if self.reach.is_readable(&uri) => {
                Ok((READ, Map::from_iter([("uri".to_owned(), uri.into())])))
            }
            CALL if self.reach.tools.contains(&name.as_str()) => {
                let mut params = Map::from_iter([
                    ("name".to_owned(), name.into()),
                    ("arguments".to_owned(), arguments.into()),
                ]);
                if let Some(answered) = answered {
                    params.extend(answered.members());
                }
                Ok((CALL, params))
            }
            _ => Err("The page may not ask for that.".to_owned()),
        }
    }

    /// Sends a request, and starts the server again if it has ended. A request that the server never got,
    /// or that only reads, is sent once more.
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
                format!("It may or may not have been done; check the device: {error}.")
            }
            error => format!("Nothing was done: {error}."),
        })
    }

    async fn attempt(
        &self,
        method: &str,
        params: Map<String, Json>,
    ) -> Result<Result<Json, ClientError>, String> {
        let connected = self.server.connect().await;
        connected.map_err(|error| format!("The server does not start: {}.", error.reason))?;
        Ok(self.server.request(method, params, PATIENCE).await)
    }
}

impl Answered {
    /// Returns the parameters that the call is sent again with.
    fn members(self) -> Map<String, Json> {
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

/// Reads the question that a person has to answer first from a call's result: the words, the forms filled
/// in with a yes, and the state that identifies it.
fn question(result: &Json) -> Option<Json> {
    let InputRequired { questions, state } = InputRequired::read(result, MAX_QUESTION)?;
    let forms: Vec<_> = questions
        .iter()
        .filter_map(|(key, question)| Some((key, question.as_ref()?)))
        .collect();
    let words: Vec<_> = forms.iter().map(|(_, form)| form.message.as_str()).collect();
    let yes = forms.iter().map(|(key, form)| ((*key).clone(), form.fill_with_yes().into()));
    Some(json!({
        "message": words.join("\n"),
        "yes": yes.collect::<Map<_, _>>(),
        "state": state?,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::{Host, Program};

    fn admit(request: Json) -> Result<Json, String> {
        let server = Connection::new(Program::new("nothing", ["x"; 0]), Host::new("me", "1"));
        let reach = Reach {
            page: "ui://it",
            tools: &["look"],
            house: "it://all",
            filtered: "it://all?filter=",
        };
        let bridge = Bridge::new(Arc::new(server), reach, Changes::default());
        let request = serde_json::from_value(request).unwrap();
        let admitted = bridge.check_request(request);
        admitted.map(|(method, params)| json!([method, params]))
    }

    #[test]
    fn what_is_within_reach_goes_over_with_what_belongs_to_it_alone() {
        for uri in ["ui://it", "it://all", "it://all?filter=an%20end"] {
            let asked =
                json!({ "method": "resources/read", "params": { "uri": uri, "_meta": {} } });
            assert_eq!(admit(asked), Ok(json!(["resources/read", { "uri": uri }])));
        }
        let sneaking = json!({
            "method": "tools/call",
            "params": {
                "name": "look", "arguments": { "at": "it" }, "_meta": { "progressToken": 1 },
                "requestState": "consent-1", "inputResponses": { "consent": { "action": "accept" } },
            },
        });
        let call = json!(["tools/call", { "name": "look", "arguments": { "at": "it" } }]);
        assert_eq!(admit(sneaking), Ok(call));
        let other_query = json!({ "uri": "it://all?other=1" });
        let asked = json!({ "method": "resources/read", "params": other_query });
        assert!(admit(asked).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_is_waited_for_and_one_that_was_missed_is_not() {
        let changes = Changes::default();
        assert_eq!(
            changes.wait_for_change(0).await,
            0,
            "nothing changes for long"
        );
        let waiting = tokio::spawn({
            let changes = changes.clone();
            async move { changes.wait_for_change(0).await }
        });
        tokio::task::yield_now().await;
        for (method, count) in [
            ("notifications/message", 0),
            ("notifications/resources/updated", 1),
        ] {
            let (method, params) = (method.to_owned(), json!({}));
            changes.hear(&ServerEvent::Notification { method, params });
            assert_eq!(*changes.0.borrow(), count);
        }
        assert_eq!(waiting.await.unwrap(), 1);
        assert_eq!(changes.wait_for_change(0).await, 1);
    }
}

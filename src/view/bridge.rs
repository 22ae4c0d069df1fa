//! What the page asks for, carried to the server: the tools and resources that it may have, and no
//! other.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use crate::client::{ClientError, Connection};

/// How long a request may take: longer than any setting lets the server take.
const PATIENCE: Duration = Duration::from_secs(300);

const CALL: &str = "tools/call";
const READ: &str = "resources/read";

/// What of the server's is within the page's reach.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// The page itself, a resource.
    pub page: &'static str,
    /// The tools that it may call.
    pub tools: &'static [&'static str],
    /// The resources that it may read.
    pub resources: &'static [&'static str],
}

/// A request of the page's. What else is in it is not passed on.
#[derive(Debug, Deserialize)]
pub struct PageRequest {
    method: String,
    #[serde(default)]
    params: PageParams,
    /// What the person said to the question that a call came back with. The page around the page
    /// says it, never the page.
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
    /// For each question what a yes says in its form.
    yes: Map<String, Json>,
    accept: bool,
}

/// The way to the server.
#[derive(Debug)]
pub struct Bridge {
    server: Arc<Connection>,
    reach: Reach,
}

impl Bridge {
    pub fn new(server: Arc<Connection>, reach: Reach) -> Self {
        Self { server, reach }
    }

    /// The page's own text.
    ///
    /// # Errors
    /// In a sentence.
    pub async fn page(&self) -> Result<String, String> {
        let params = Map::from_iter([("uri".to_owned(), self.reach.page.into())]);
        let read = self.request(READ, params).await?;
        let text = read.pointer("/contents/0/text").and_then(Json::as_str);
        text.map(str::to_owned)
            .ok_or_else(|| "The server's page is no text.".to_owned())
    }

    /// Carries a request over, and back what came of it: `result`, an `error` with a sentence, or a
    /// question to `ask` the person.
    pub async fn carry(&self, request: PageRequest) -> Json {
        let params = match self.admitted(request) {
            Ok((method, params)) => self.request(method, params).await,
            Err(sentence) => Err(sentence),
        };
        match params {
            Ok(result) => question(&result).map_or_else(
                || json!({ "result": result }),
                |asked| json!({ "ask": asked }),
            ),
            Err(sentence) => json!({ "error": { "code": -32000, "message": sentence } }),
        }
    }

    /// A request as the server gets it.
    fn admitted(&self, request: PageRequest) -> Result<(&'static str, Map<String, Json>), String> {
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
            READ if uri == self.reach.page || self.reach.resources.contains(&uri.as_str()) => {
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

    /// Sends a request, to a server that is started again where it has ended. What the server never
    /// got, or what only reads, is sent once more.
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
            error if method == CALL && error.fate_unknown() => {
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
    /// The same as the protocol has it (multi round-trip requests, 2026-07-28).
    fn members(self) -> [(String, Json); 2] {
        let said = |content: Json| {
            if self.accept {
                json!({ "action": "accept", "content": content })
            } else {
                json!({ "action": "decline" })
            }
        };
        let responses = self.yes.into_iter();
        let responses: Map<String, Json> = responses
            .map(|(key, content)| (key, said(content)))
            .collect();
        [
            ("inputResponses".to_owned(), responses.into()),
            ("requestState".to_owned(), self.state.into()),
        ]
    }
}

/// What a person has to be asked before a call is done: the words, what a yes says in each form, and
/// what tells the answer apart.
fn question(result: &Json) -> Option<Json> {
    (result.get("resultType")? == "input_required").then_some(())?;
    let asked = result.get("inputRequests")?.as_object()?;
    let words = |request: &Json| {
        let message = request.pointer("/params/message")?.as_str()?;
        Some(message.to_owned())
    };
    let words: Vec<String> = asked.values().filter_map(words).collect();
    let yes = asked
        .iter()
        .map(|(key, request)| (key.clone(), yes(request)));
    Some(json!({
        "message": words.join("\n"),
        "yes": yes.collect::<Map<_, _>>(),
        "state": result.get("requestState")?,
    }))
}

/// A form in which every field that is a yes or no says yes.
fn yes(request: &Json) -> Json {
    let fields = request.pointer("/params/requestedSchema/properties");
    let fields = fields.and_then(Json::as_object).into_iter().flatten();
    let asked = fields.filter(|(_, field)| field.get("type").is_some_and(|kind| kind == "boolean"));
    asked
        .map(|(name, _)| (name.clone(), true.into()))
        .collect::<Map<_, _>>()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::{Host, Program};

    fn admitted(request: Json) -> Result<Json, String> {
        let server = Connection::new(Program::new("nothing", ["x"; 0]), Host::new("me", "1"));
        let reach = Reach {
            page: "ui://it",
            tools: &["look"],
            resources: &["it://all"],
        };
        let bridge = Bridge::new(Arc::new(server), reach);
        let request = serde_json::from_value(request).unwrap();
        let admitted = bridge.admitted(request);
        admitted.map(|(method, params)| json!([method, params]))
    }

    #[test]
    fn what_is_within_reach_goes_over_with_what_belongs_to_it_alone() {
        for uri in ["ui://it", "it://all"] {
            let asked =
                json!({ "method": "resources/read", "params": { "uri": uri, "_meta": {} } });
            assert_eq!(
                admitted(asked),
                Ok(json!(["resources/read", { "uri": uri }]))
            );
        }
        let sneaking = json!({
            "method": "tools/call",
            "params": {
                "name": "look", "arguments": { "at": "it" }, "_meta": { "progressToken": 1 },
                "requestState": "consent-1", "inputResponses": { "consent": { "action": "accept" } },
            },
        });
        let call = json!(["tools/call", { "name": "look", "arguments": { "at": "it" } }]);
        assert_eq!(admitted(sneaking), Ok(call));
    }

    #[test]
    fn what_is_not_within_reach_does_not_go_over() {
        for (method, params) in [
            ("resources/read", json!({ "uri": "it://all/1" })),
            ("resources/read", json!({ "uri": "file:///etc/passwd" })),
            ("resources/read", json!({})),
            ("tools/call", json!({ "name": "touch" })),
            ("tools/call", json!({ "name": "", "arguments": {} })),
            ("tools/list", json!({})),
            ("resources/subscribe", json!({ "uri": "it://all" })),
            ("", json!({})),
        ] {
            let asked = json!({ "method": method, "params": params });
            assert!(admitted(asked).is_err(), "{method} {params}");
        }
    }

    #[test]
    fn only_a_plain_yes_of_the_person_is_one() {
        for (accept, action) in [(true, "accept"), (false, "decline")] {
            let asked = json!({
                "method": "tools/call", "params": { "name": "look" },
                "answered": { "state": "7", "yes": { "consent": { "allow": true } }, "accept": accept },
            });
            let sent = admitted(asked).unwrap();
            assert_eq!(sent[1]["requestState"], "7");
            let consent = &sent[1]["inputResponses"]["consent"];
            assert_eq!(consent["action"], action);
            assert_eq!(consent.pointer("/content/allow").is_some(), accept);
        }
    }
}

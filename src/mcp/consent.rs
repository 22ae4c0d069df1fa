//! Asks a person before something is unlocked or opened: by MCP elicitation at the host, or on an MQTT topic ([`topic`]).
//!
//! Up to revision 2025-11-25 the question is a request to the host. Since 2026-07-28 the question is the call's
//! result, and the host repeats the call with the answer (MCP specification, elicitation and multi round-trip
//! requests). Between the two calls, the question is stored here under a random text, the request state. Each
//! request state is valid once.

pub mod topic;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    BooleanSchema, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, InputRequest, InputRequiredResult, InputResponses,
    PrimitiveSchemaDefinition,
};
use rmcp::service::{RequestContext, ServiceError};
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::crypto::{self, NoRandomness};
use crate::home::decide::ConsentQuestion;
use crate::lock::lock;
use crate::mcp::wording::{self, NoConsent};
use topic::{TopicConsent, TopicQuestions};

/// The time that a person has to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(25);

/// The maximum number of open questions. If one more is stored, the oldest is dropped.
const MAX_QUESTIONS: usize = 16;

/// The key of the question in a result, and of the answer in the repeated call.
const KEY: &str = "consent";

/// The name of the form's only field.
const ALLOW: &str = "allow";

pub enum Consent {
    /// The person allowed the command. If they did so on a topic, the outcome is told there.
    Given(Option<TopicConsent>),
    /// The person did not allow the command, or was not asked.
    NotGiven(NoConsent),
    /// The host must ask the person, and repeat the call.
    Asked(Box<InputRequiredResult>),
}

/// The open questions of one session.
#[derive(Clone, Default)]
pub struct Questions(Arc<Mutex<OpenQuestions>>);

/// The open questions, the oldest first, each with its request state and its deadline.
type OpenQuestions = VecDeque<(String, ConsentQuestion, Instant)>;

impl Questions {
    /// Stores a question under a state that nobody can guess, and returns the state.
    fn store(&self, question: &ConsentQuestion) -> Result<String, NoRandomness> {
        let state = crypto::secret()?;
        let deadline = Instant::now() + ANSWER_TIMEOUT;
        let mut questions = lock(&self.0);
        questions.push_back((state.clone(), question.clone(), deadline));
        if questions.len() > MAX_QUESTIONS {
            questions.pop_front();
        }
        Ok(state)
    }

    /// Removes the question that is stored under a state, and returns the question and its deadline.
    fn take(&self, state: &str) -> Option<(ConsentQuestion, Instant)> {
        let mut questions = lock(&self.0);
        let position = questions.iter().position(|(stored, ..)| stored == state)?;
        let (_, question, deadline) = questions.remove(position)?;
        Some((question, deadline))
    }
}

/// The person behind a call, and what is needed to ask them.
pub struct Person<'a> {
    pub context: &'a RequestContext<RoleServer>,
    /// True if the call's protocol revision has sessions. Only then can the server send requests to the host.
    pub has_session: bool,
    pub questions: &'a Questions,
    /// The questions on a topic, if people may be asked there.
    pub topic: Option<&'a TopicQuestions>,
    /// True if people are asked on the topic even if the host can ask.
    pub prefers_topic: bool,
    /// The caller, who alone may use a yes that came too late: the room of the call, if it has one.
    pub caller: &'a str,
    /// The request state and the answers, if the host has repeated the call after a question.
    pub answers: Option<(String, InputResponses)>,
    /// Cancelled when the host disconnects, because nobody can answer then.
    pub ended: &'a CancellationToken,
}

impl Person<'_> {
    /// Asks the person to allow the plan that the question is about. The host shows `text` to the person.
    pub async fn ask(&self, question: &ConsentQuestion, text: String) -> Consent {
        let capabilities = self.context.client_capabilities();
        let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation);
        // A host that declares neither `form` nor `url` supports forms (MCP specification, 2025-11-25).
        let host_can_ask =
            elicitation.is_some_and(|modes| modes.form.is_some() || modes.url.is_none());
        if let Some(topic) = self.topic.filter(|_| self.prefers_topic || !host_can_ask) {
            let cancelled = &self.context.ct;
            let asked = topic.ask(question, &text, self.caller, cancelled).await;
            return asked.map_or_else(Consent::NotGiven, |consent| Consent::Given(Some(consent)));
        }
        if !host_can_ask {
            return Consent::NotGiven(NoConsent::CantAsk);
        }
        if self.has_session {
            return self.ask_host(text).await;
        }
        self.ask_in_result(question, text)
    }

    /// Reads the answer, if the host has repeated the call after a question. Otherwise, asks the question in the
    /// call's result.
    fn ask_in_result(&self, question: &ConsentQuestion, text: String) -> Consent {
        if let Some((state, answers)) = &self.answers
            && let Some((asked, deadline)) = self.questions.take(state)
        {
            if Instant::now() > deadline {
                return Consent::NotGiven(NoConsent::NoAnswer);
            }
            if !asked.allows(&question.device, &question.planned) {
                // The plan is no longer the one that the person was asked about.
                return Consent::NotGiven(NoConsent::Changed);
            }
            let answer = answers.get(KEY).cloned().map(serde_json::from_value);
            return match answer {
                Some(Ok(answer)) => read_answer(&answer),
                _ => Consent::NotGiven(NoConsent::Dismissed),
            };
        }
        // The person was not asked yet, or the question is no longer stored.
        let Ok(state) = self.questions.store(question) else {
            return Consent::NotGiven(NoConsent::CantAsk);
        };
        let form = InputRequest::Elicitation(ElicitRequest::new(form(text)));
        let requests = BTreeMap::from([(KEY.to_owned(), form)]);
        Consent::Asked(Box::new(InputRequiredResult::new(
            Some(requests),
            Some(state),
        )))
    }

    async fn ask_host(&self, text: String) -> Consent {
        let peer = &self.context.peer;
        let request = peer.create_elicitation_with_timeout(form(text), Some(ANSWER_TIMEOUT));
        let answer = tokio::select! {
            answer = request => answer,
            () = self.context.ct.cancelled() => return Consent::NotGiven(NoConsent::Dismissed),
            () = self.ended.cancelled() => return Consent::NotGiven(NoConsent::NoAnswer),
        };
        match answer {
            Ok(answer) => read_answer(&answer),
            Err(ServiceError::Timeout { .. }) => Consent::NotGiven(NoConsent::NoAnswer),
            Err(error) => {
                tracing::warn!(%error, "the host could not ask");
                Consent::NotGiven(NoConsent::CantAsk)
            }
        }
    }
}

/// Makes a form with one yes-or-no field. A form without fields is not enough, because some hosts accept such
/// a form and ask nobody. The field has no default, because hosts would fill in the default.
fn form(message: String) -> ElicitRequestParams {
    let allow = BooleanSchema::new().title(wording::ALLOW).description(wording::ALLOW_MEANS);
    let fields = BTreeMap::from([(ALLOW.to_owned(), PrimitiveSchemaDefinition::Boolean(allow))]);
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema: ElicitationSchema::new(fields).with_required(vec![ALLOW.to_owned()]),
    }
}

/// Reads an answer. Only a yes in the form is consent.
fn read_answer(answer: &ElicitResult) -> Consent {
    let allow = answer.content.as_ref().and_then(|fields| fields.get(ALLOW));
    match (&answer.action, allow.and_then(Value::as_bool)) {
        (ElicitationAction::Accept, Some(true)) => Consent::Given(None),
        (ElicitationAction::Accept, Some(false)) | (ElicitationAction::Decline, _) => {
            Consent::NotGiven(NoConsent::Declined)
        }
        (ElicitationAction::Accept, None) => Consent::NotGiven(NoConsent::NobodyAsked),
        _ => Consent::NotGiven(NoConsent::Dismissed),
    }
}

//! Asks the person at the host, by MCP elicitation, before something is unlocked or opened.
//!
//! Up to revision 2025-11-25 the question is a request to the host. Since 2026-07-28 it is the call's
//! result, and the host sends the call again with the answer (MCP specification, elicitation and multi
//! round-trip requests). The question is kept here, under a random state that is valid once.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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

use crate::home::decide::Question;
use crate::mcp::wording::{self, NoConsent};
use crate::random::{self, NoRandomness};

/// The time in which a person has to answer.
const PATIENCE: Duration = Duration::from_secs(25);

/// The maximum number of open questions. Beyond it the oldest is forgotten.
const MAX_QUESTIONS: usize = 16;

/// The name of the question in a result.
const KEY: &str = "consent";

/// The name of the form's field.
const ALLOW: &str = "allow";

/// The result of asking.
pub enum Consent {
    /// The person allows it.
    Given,
    /// There is no consent.
    None(NoConsent),
    /// The host has to ask, and to send the call again.
    Asked(Box<InputRequiredResult>),
}

/// The open questions of one session.
#[derive(Clone, Default)]
pub struct Questions(Arc<Mutex<OpenQuestions>>);

type OpenQuestions = VecDeque<(String, Question, Instant)>;

impl Questions {
    fn lock(&self) -> MutexGuard<'_, OpenQuestions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a question, and returns a state that nobody can guess.
    fn keep(&self, question: &Question) -> Result<String, NoRandomness> {
        let state = random::secret()?;
        let until = Instant::now() + PATIENCE;
        let mut questions = self.lock();
        questions.push_back((state.clone(), question.clone(), until));
        if questions.len() > MAX_QUESTIONS {
            questions.pop_front();
        }
        Ok(state)
    }

    /// Removes and returns the question of a state.
    fn take(&self, state: &str) -> Option<(Question, Instant)> {
        let mut questions = self.lock();
        let position = questions.iter().position(|(own, ..)| own == state)?;
        let (_, question, until) = questions.remove(position)?;
        Some((question, until))
    }
}

/// The person behind a call.
pub struct Person<'a> {
    /// The call.
    pub context: &'a RequestContext<RoleServer>,
    /// True if the call's revision has sessions, so that the server can send a request of its own.
    pub has_session: bool,
    /// The session's questions.
    pub questions: &'a Questions,
    /// The state and the answers that the call brings from an earlier round.
    pub answers: Option<(String, InputResponses)>,
    /// Cancelled when the host has closed its side, because then nobody can answer.
    pub ended: &'a CancellationToken,
}

impl Person<'_> {
    /// Asks for consent to a command, in these words.
    pub async fn ask(&self, question: &Question, words: String) -> Consent {
        let capabilities = self.context.client_capabilities();
        let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation);
        // A host that names neither form nor url means forms (MCP specification, 2025-11-25).
        if !elicitation.is_some_and(|modes| modes.form.is_some() || modes.url.is_none()) {
            return Consent::None(NoConsent::CantAsk);
        }
        if self.has_session {
            return self.ask_host(words).await;
        }
        let answered = self.answers.as_ref().and_then(|(state, answers)| {
            let (asked, until) = self.questions.take(state)?;
            Some((asked, until, answers))
        });
        match answered {
            Some((_, until, _)) if Instant::now() > until => Consent::None(NoConsent::NoAnswer),
            Some((asked, _, answers)) if asked.allows(&question.device, &question.planned) => {
                let answer = answers.get(KEY).cloned();
                answer
                    .and_then(|answer| serde_json::from_value(answer).ok())
                    .map_or(Consent::None(NoConsent::Dismissed), |answer| read(&answer))
            }
            Some(_) => Consent::None(NoConsent::Changed),
            None => {
                let form = InputRequest::Elicitation(ElicitRequest::new(form(words)));
                let requests = BTreeMap::from([(KEY.to_owned(), form)]);
                let Ok(state) = self.questions.keep(question) else {
                    return Consent::None(NoConsent::CantAsk);
                };
                let result = InputRequiredResult::new(Some(requests), Some(state));
                Consent::Asked(Box::new(result))
            }
        }
    }

    async fn ask_host(&self, words: String) -> Consent {
        let request =
            self.context.peer.create_elicitation_with_timeout(form(words), Some(PATIENCE));
        let answer = tokio::select! {
            answer = request => answer,
            () = self.context.ct.cancelled() => return Consent::None(NoConsent::Dismissed),
            () = self.ended.cancelled() => return Consent::None(NoConsent::NoAnswer),
        };
        match answer {
            Ok(answer) => read(&answer),
            Err(ServiceError::Timeout { .. }) => Consent::None(NoConsent::NoAnswer),
            Err(error) => {
                tracing::warn!(%error, "the host could not ask");
                Consent::None(NoConsent::CantAsk)
            }
        }
    }
}

/// Makes a form with one yes or no. It needs a field because some hosts accept an empty form without
/// asking anybody, and the field has no default because hosts fill defaults in.
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
fn read(answer: &ElicitResult) -> Consent {
    let allow = answer.content.as_ref().and_then(|fields| fields.get(ALLOW));
    match (&answer.action, allow.and_then(Value::as_bool)) {
        (ElicitationAction::Accept, Some(true)) => Consent::Given,
        (ElicitationAction::Accept, Some(false)) | (ElicitationAction::Decline, _) => {
            Consent::None(NoConsent::Declined)
        }
        (ElicitationAction::Accept, None) => Consent::None(NoConsent::NobodyAsked),
        _ => Consent::None(NoConsent::Dismissed),
    }
}

//! Asking the person at the host, by MCP elicitation, before something is unlocked or opened.
//!
//! Up to 2025-11-25 the question is a request to the host; since 2026-07-28 it is the call's result,
//! and the host sends the call again with what the person said (MCP specification, elicitation and
//! multi round-trip requests). What was asked is kept here; the host gets a random state for it that
//! counts once.

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
use crate::mcp::wording;
use crate::random::{self, NoRandomness};

/// How long a person has to answer.
const PATIENCE: Duration = Duration::from_secs(25);

/// The most questions that wait for an answer at a time; beyond that the oldest is forgotten.
const MOST_QUESTIONS: usize = 16;

/// What the one question in a result is called.
const KEY: &str = "consent";

/// What the form's one field is called.
const ALLOW: &str = "allow";

/// Why a command has no consent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unasked {
    /// The host can't ask a person.
    CantAsk,
    /// The person declined.
    Declined,
    /// The question was dismissed, or the call was.
    Dismissed,
    /// The host accepted, without a person's yes or no.
    NobodyAsked,
    /// Nobody answered in time.
    NoAnswer,
    /// What was allowed is not what would be done now.
    Changed,
}

/// What asking came to.
pub enum Consent {
    /// The person allows it.
    Given,
    /// Nobody does.
    None(Unasked),
    /// The host has to ask, and to send the call again.
    Asked(Box<InputRequiredResult>),
}

/// The questions of one session that wait for an answer.
#[derive(Clone, Default)]
pub struct Questions(Arc<Mutex<OpenQuestions>>);

type OpenQuestions = VecDeque<(String, Question, Instant)>;

impl Questions {
    fn waiting(&self) -> MutexGuard<'_, OpenQuestions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a question under a state that nobody can guess.
    fn keep(&self, question: &Question) -> Result<String, NoRandomness> {
        let state = random::secret()?;
        let until = Instant::now() + PATIENCE;
        let mut questions = self.waiting();
        questions.push_back((state.clone(), question.clone(), until));
        if questions.len() > MOST_QUESTIONS {
            questions.pop_front();
        }
        Ok(state)
    }

    /// The question of that state, which counts no more from then on.
    fn take(&self, state: &str) -> Option<(Question, Instant)> {
        let mut questions = self.waiting();
        let at = questions.iter().position(|(own, ..)| own == state)?;
        let (_, question, until) = questions.remove(at)?;
        Some((question, until))
    }
}

/// The person behind a call.
pub struct Person<'a> {
    /// The call.
    pub context: &'a RequestContext<RoleServer>,
    /// Whether its revision has sessions: then the server asks by a request of its own.
    pub has_session: bool,
    /// The session's questions.
    pub questions: &'a Questions,
    /// What the call brought from an earlier round: its state, and what was said.
    pub said: Option<(String, InputResponses)>,
    /// Cancelled once the host has closed its side: nobody can answer any more.
    pub ended: &'a CancellationToken,
}

impl Person<'_> {
    /// Asks, in these words, whether a command may be done.
    pub async fn ask(&self, question: &Question, words: String) -> Consent {
        let capabilities = self.context.client_capabilities();
        let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation);
        // A host that names neither form nor url means forms (MCP specification, 2025-11-25).
        let forms = elicitation.is_some_and(|own| own.form.is_some() || own.url.is_none());
        if !forms {
            return Consent::None(Unasked::CantAsk);
        }
        if self.has_session {
            return self.ask_the_host(words).await;
        }
        let answered = self.said.as_ref().and_then(|(state, responses)| {
            let (asked, until) = self.questions.take(state)?;
            Some((asked, until, responses))
        });
        match answered {
            Some((_, until, _)) if Instant::now() > until => Consent::None(Unasked::NoAnswer),
            Some((asked, _, responses)) if asked.allows(&question.device, &question.planned) => {
                let said = responses.get(KEY).cloned();
                let said = said.and_then(|said| serde_json::from_value::<ElicitResult>(said).ok());
                let dismissed = Consent::None(Unasked::Dismissed);
                said.map_or(dismissed, |said| meant(&said))
            }
            Some(_) => Consent::None(Unasked::Changed),
            None => {
                let form = InputRequest::Elicitation(ElicitRequest::new(form(words)));
                let requests = BTreeMap::from([(KEY.to_owned(), form)]);
                let Ok(state) = self.questions.keep(question) else {
                    return Consent::None(Unasked::CantAsk);
                };
                let result = InputRequiredResult::new(Some(requests), Some(state));
                Consent::Asked(Box::new(result))
            }
        }
    }

    async fn ask_the_host(&self, words: String) -> Consent {
        let asked = self
            .context
            .peer
            .create_elicitation_with_timeout(form(words), Some(PATIENCE));
        let answer = tokio::select! {
            answer = asked => answer,
            () = self.context.ct.cancelled() => return Consent::None(Unasked::Dismissed),
            () = self.ended.cancelled() => return Consent::None(Unasked::NoAnswer),
        };
        match answer {
            Ok(said) => meant(&said),
            Err(ServiceError::Timeout { .. }) => Consent::None(Unasked::NoAnswer),
            Err(error) => {
                tracing::warn!(%error, "the host could not ask");
                Consent::None(Unasked::CantAsk)
            }
        }
    }
}

/// A form with one yes or no. Some hosts accept an empty form without asking anybody, and hosts fill in
/// what has a default, so the answer is a field that has none.
fn form(message: String) -> ElicitRequestParams {
    let allow = BooleanSchema::new()
        .title(wording::ALLOW)
        .description(wording::ALLOW_MEANS);
    let fields = BTreeMap::from([(ALLOW.to_owned(), PrimitiveSchemaDefinition::Boolean(allow))]);
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema: ElicitationSchema::new(fields).with_required(vec![ALLOW.to_owned()]),
    }
}

/// Nothing but a plain yes is one.
fn meant(said: &ElicitResult) -> Consent {
    let allow = said.content.as_ref().and_then(|fields| fields.get(ALLOW));
    match (&said.action, allow.and_then(Value::as_bool)) {
        (ElicitationAction::Accept, Some(true)) => Consent::Given,
        (ElicitationAction::Accept, Some(false)) | (ElicitationAction::Decline, _) => {
            Consent::None(Unasked::Declined)
        }
        (ElicitationAction::Accept, None) => Consent::None(Unasked::NobodyAsked),
        _ => Consent::None(Unasked::Dismissed),
    }
}

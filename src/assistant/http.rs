//! Sends requests to a provider over HTTP, and reads the streamed replies.
//!
//! TLS is rustls with ring and the system's trust store, as for the MQTT broker. Redirects are not followed,
//! because they would send the key elsewhere. A proxy in the environment (`HTTPS_PROXY` and the like) is used,
//! except for addresses of this machine.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures_util::TryStreamExt;
use reqwest::header::{DATE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Response, redirect};
use rustls::RootCertStore;
use serde_json::{Value as Json, json};
use tokio::sync::OnceCell;
use url::Url;

use super::address::{is_loopback, without_login};
use super::body::{Framing, drain, read_documents, read_error_body};
use super::conversation::Conversation;
use super::failure::parse_retry_after;
use super::model::{
    AiClient, ModelError, ModelFailure, ModelName, ModelReply, OnText, Provider, ReplyFuture,
};
use super::reply::PartialReply;
use super::settings::ProviderSettings;
use super::turns::{restore_tool_names, set, set_list};
use crate::client::Tool;
use crate::crypto::{system_roots, trusting};
use crate::lines::has_too_many_values;

/// The parts in which the providers' APIs differ.
pub trait Api: Default + Send + Sync {
    /// The provider.
    const PROVIDER: Provider;
    /// Derives the URL from the address in the settings, which may be blank.
    const URL: fn(&str) -> Result<Url, String>;
    /// The header for the key, and the text before the key in it.
    const KEY_HEADER: (&'static str, &'static str) = ("authorization", "Bearer ");
    /// A header that every request has.
    const VERSION_HEADER: Option<(&'static str, &'static str)> = None;
    /// True if the provider rejects every request without a key.
    const NEEDS_KEY: bool = false;
    /// Converts tools to the provider's format.
    const TOOLS: fn(&[Tool]) -> Vec<Json>;
    /// How the provider separates the documents in its stream.
    const FRAMING: Framing;

    /// Returns the messages of a conversation.
    fn messages(conversation: &Conversation) -> Vec<Json>;

    /// Returns the `tool_choice` that makes the model call this tool, if the API has this option.
    fn choice(_tool: &Json) -> Option<Json> {
        None
    }

    /// Adds to a request the fields that only this API has.
    fn complete(&self, _request: &mut Json, _conversation: &Conversation) {}

    /// Returns true if the model rejected the request because of a field that later requests will not have.
    fn adapts_to(&self, _failure: &ModelFailure) -> bool {
        false
    }

    /// Adds the next document of a stream to a reply, and returns true if the document completes the reply.
    ///
    /// # Errors
    /// The document is not in the provider's format, or it reports an error.
    fn read_document(
        reply: &mut PartialReply,
        text: &str,
        on_text: OnText<'_>,
    ) -> Result<bool, ModelFailure>;
}

/// A model behind the HTTP API of a provider.
pub struct ProviderClient<A> {
    api: A,
    model: ModelName,
    url: Url,
    headers: HeaderMap,
    settings: ProviderSettings,
    /// Created on first use, because reading the trust store takes milliseconds.
    http: OnceCell<Client>,
}

impl<A> fmt::Debug for ProviderClient<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderClient")
            .field("model", &self.model)
            .field("address", &without_login(&self.url))
            .finish_non_exhaustive()
    }
}

impl<A: Api> ProviderClient<A> {
    /// Creates a client. `model` is the provider's name for the model. Without an address in the settings,
    /// the provider's default address is used. Nothing is sent yet.
    ///
    /// # Errors
    /// The address is not valid, or the key can't be sent in a header.
    pub fn new(model: &str, settings: ProviderSettings) -> Result<Self, ModelError> {
        let (provider, name) = (A::PROVIDER, model.to_owned());
        let model = ModelName { provider, name };
        let url = (A::URL)(&settings.address).map_err(|why| ModelError {
            model: model.clone(),
            // Don't show an invalid address: we can't find the password that it may contain.
            address: "its address".to_owned(),
            failure: ModelFailure::Unreachable(why),
        })?;
        let mut client = Self {
            api: A::default(),
            model,
            url,
            headers: HeaderMap::new(),
            settings,
            http: OnceCell::new(),
        };
        if let Some(key) = &client.settings.key {
            let (name, prefix) = A::KEY_HEADER;
            let mut value = HeaderValue::from_str(&format!("{prefix}{}", key.secret()))
                .map_err(|_| client.error(ModelFailure::NoKey))?;
            value.set_sensitive(true);
            client.headers.insert(name, value);
        }
        if let Some((name, version)) = A::VERSION_HEADER {
            client.headers.insert(name, HeaderValue::from_static(version));
        }
        Ok(client)
    }

    /// Adds the model and its address to a failure, and removes the key from the failure's text.
    fn error(&self, mut failure: ModelFailure) -> ModelError {
        if let ModelFailure::Unreachable(why)
        | ModelFailure::Overloaded { why, .. }
        | ModelFailure::NoSuchModel(why)
        | ModelFailure::Refused(why)
        | ModelFailure::Garbled(why) = &mut failure
        {
            if let Some(key) = &self.settings.key {
                *why = why.replace(key.secret(), "…");
            }
            why.truncate(why.trim_end_matches(['.', ' ']).len());
        }
        let (model, address) = (self.model.clone(), without_login(&self.url));
        ModelError {
            model,
            address,
            failure,
        }
    }

    /// Sends a request and reads the reply.
    async fn ask(
        &self,
        conversation: &Conversation,
        tools: &[Tool],
        on_text: OnText<'_>,
    ) -> Result<ModelReply, ModelFailure> {
        let settings = &self.settings;
        if A::NEEDS_KEY && settings.key.is_none() {
            return Err(ModelFailure::NoKey);
        }
        let request = self.request(conversation, tools);
        let exchange = async {
            let response = self.post(&request).await?;
            let mut documents = read_documents(response, A::FRAMING, &settings.limits);
            let mut reply = PartialReply::default();
            while let Some(document) = documents.try_next().await? {
                if A::read_document(&mut reply, &document, on_text)? {
                    drain(documents).await;
                    break;
                }
            }
            reply.finish(on_text)
        };
        let limit = settings.limits.total;
        let reply = tokio::time::timeout(limit, exchange).await;
        reply.unwrap_or(Err(ModelFailure::TimedOut(limit)))
    }

    fn request(&self, conversation: &Conversation, tools: &[Tool]) -> Json {
        let messages = A::messages(conversation);
        let mut request = json!({ "model": self.model.name, "stream": true, "messages": messages });
        let tools = (A::TOOLS)(tools);
        if let ([tool], true) = (tools.as_slice(), self.settings.must_call)
            && let Some(choice) = A::choice(tool)
        {
            set(&mut request, "tool_choice", choice);
        }
        set_list(&mut request, "tools", tools);
        self.api.complete(&mut request, conversation);
        request
    }

    async fn post(&self, request: &Json) -> Result<Response, ModelFailure> {
        let limits = &self.settings.limits;
        let creating = self.http.get_or_try_init(|| build_client(&self.url, limits.connect));
        let http = creating.await.map_err(ModelFailure::Unreachable)?;
        let headers = self.headers.clone();
        let request = http.post(self.url.clone()).headers(headers).json(request);
        let response = request.send().await.map_err(|error| {
            if error.is_timeout() {
                let seconds = limits.connect.as_secs();
                ModelFailure::Unreachable(format!("no answer within {seconds} s"))
            } else if error.is_connect() {
                ModelFailure::Unreachable(innermost_cause(&error))
            } else {
                ModelFailure::Garbled(innermost_cause(&error))
            }
        })?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status().as_u16();
        let header = |name| response.headers().get(name)?.to_str().ok();
        // A date in `retry-after` is by the provider's clock, so take the current time from the same clock.
        let now = header(DATE).and_then(|date| DateTime::parse_from_rfc2822(date).ok());
        let now = now.map_or_else(Utc::now, |now| now.to_utc());
        let wait = header(RETRY_AFTER).and_then(|header| parse_retry_after(header, now));
        let body = read_error_body(response, limits.idle).await;
        Err(ModelFailure::from_status(status, &body, wait))
    }
}

impl<A: Api> AiClient for ProviderClient<A> {
    fn name(&self) -> &ModelName {
        &self.model
    }

    fn reply<'a>(
        &'a self,
        conversation: &'a Conversation,
        tools: &'a [Tool],
        on_text: OnText<'a>,
    ) -> ReplyFuture<'a> {
        Box::pin(async move {
            let mut reply = self.ask(conversation, tools, on_text).await;
            if reply.as_ref().is_err_and(|failure| self.api.adapts_to(failure)) {
                reply = self.ask(conversation, tools, on_text).await;
            }
            let mut reply = reply.map_err(|failure| self.error(failure))?;
            reply.calls = restore_tool_names(reply.calls, conversation, tools);
            Ok(reply)
        })
    }
}

/// Creates an HTTP client for an address, with a timeout for connecting.
pub(super) async fn build_client(url: &Url, timeout: Duration) -> Result<Client, String> {
    let roots = if url.scheme() == "https" {
        let reading = tokio::task::spawn_blocking(system_roots);
        reading.await.map_err(|error| error.to_string())?
    } else {
        RootCertStore::empty()
    };
    let tls = trusting(roots).map_err(|error| error.to_string())?.with_no_client_auth();
    let mut client = Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(timeout)
        .redirect(redirect::Policy::none())
        .user_agent(concat!("zwave-assistant/", env!("CARGO_PKG_VERSION")));
    if is_loopback(url) {
        client = client.no_proxy();
    }
    client.build().map_err(|error| error.to_string())
}

/// Returns the message of an error's innermost cause. The outer errors only say where the error happened.
fn innermost_cause(mut error: &dyn Error) -> String {
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

/// Parses a document of a stream. Fails if it reports an error.
pub(super) fn parse_document(text: &str) -> Result<Json, ModelFailure> {
    if has_too_many_values(text.as_bytes()) {
        return Err(ModelFailure::Garbled("it has too many values".to_owned()));
    }
    let document: Json = serde_json::from_str(text)
        .map_err(|error| ModelFailure::Garbled(format!("it is not JSON ({error})")))?;
    match document.get("error").filter(|error| !error.is_null()) {
        Some(error) => Err(ModelFailure::from_error(error)),
        None => Ok(document),
    }
}

//! One request to a provider over HTTP, and its streamed reply.
//!
//! TLS is rustls with ring and the system's trust store, as for the broker; nothing is installed for
//! the whole process. Redirects are not followed: they would take the key elsewhere. A proxy from the
//! environment (`HTTPS_PROXY` and the like, by reqwest) is never used for this machine itself.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::header::{DATE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Response, redirect};
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value as Json;
use tokio::sync::OnceCell;
use url::Url;

use super::address::{is_loopback, without_login};
use super::body::{Documents, Framing, read_error_body};
use super::conversation::Conversation;
use super::failure::{ProviderFailure, parse_retry_after};
use super::model::{ModelError, ModelName, ModelReply, OnText, Provider};
use super::settings::{ApiKey, ProviderSettings};
use super::turns::own_calls;
use crate::client::Tool;
use crate::client::formats::ToolCall;

/// An HTTP client for one model.
pub(super) struct Http {
    pub(super) model: ModelName,
    url: Url,
    pub(super) headers: HeaderMap,
    pub(super) settings: ProviderSettings,
    /// Made when it is first needed: a trust store takes milliseconds to read.
    client: OnceCell<Client>,
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http")
            .field("model", &self.model)
            .field("address", &without_login(&self.url))
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl Http {
    /// Makes a client for a model at an address, or returns why that is no address.
    pub(super) fn new(
        provider: Provider,
        model: &str,
        url: Result<Url, String>,
        settings: ProviderSettings,
    ) -> Result<Self, ModelError> {
        let name = model.to_owned();
        let model = ModelName { provider, name };
        match url {
            Ok(url) => Ok(Self {
                model,
                url,
                headers: HeaderMap::new(),
                settings,
                client: OnceCell::new(),
            }),
            // An invalid address may hold a password that can't be recognized in it.
            Err(why) => {
                Err(ProviderFailure::Unreachable(why).into_model_error(&model, "its address", None))
            }
        }
    }

    /// Sends the key, if there is one, after `prefix` in a header. Fails if a header can't hold it.
    pub(super) fn with_key(mut self, name: HeaderName, prefix: &str) -> Result<Self, ModelError> {
        if let Some(key) = &self.settings.key {
            let mut value = HeaderValue::from_str(&format!("{prefix}{}", key.secret()))
                .map_err(|_| self.error(ProviderFailure::NoKey))?;
            value.set_sensitive(true);
            self.headers.insert(name, value);
        }
        Ok(self)
    }

    /// Adds the model and its address to a failure, and removes the key from its text.
    pub(super) fn error(&self, failure: ProviderFailure) -> ModelError {
        let key = self.settings.key.as_ref().map(ApiKey::secret);
        failure.into_model_error(&self.model, &without_login(&self.url), key)
    }

    /// Sends a request and reads its reply, with the calls in the conversation's form.
    pub(super) async fn ask<R: ReplyReader>(
        &self,
        request: &Json,
        conversation: &Conversation,
        tools: &[Tool],
        on_text: OnText<'_>,
    ) -> Result<ModelReply, ModelError> {
        let limits = self.settings.limits;
        let exchange = async {
            let response = self.post(request).await?;
            let mut texts = Documents::new(response, R::FRAMING, limits.bytes, limits.idle);
            let mut reader = R::default();
            while let Some(text) = texts.next().await? {
                if reader.take(&text, on_text)? {
                    texts.finish().await;
                    break;
                }
            }
            reader.finish(on_text)
        };
        let reply = tokio::time::timeout(limits.whole, exchange).await;
        let mut reply = reply
            .unwrap_or(Err(ProviderFailure::TimedOut(limits.whole)))
            .map_err(|failure| self.error(failure))?;
        reply.calls = own_calls(reply.calls, conversation, tools);
        Ok(reply)
    }

    async fn post(&self, request: &Json) -> Result<Response, ProviderFailure> {
        let client = self
            .client
            .get_or_try_init(|| build_client(&self.url, self.settings.limits.connect))
            .await?;
        let headers = self.headers.clone();
        let request = client.post(self.url.clone()).headers(headers).json(request);
        let response = request.send().await.map_err(|error| self.send_failure(&error))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status().as_u16();
        let header = |name| response.headers().get(name)?.to_str().ok();
        let now = header(DATE).and_then(|date| DateTime::parse_from_rfc2822(date).ok());
        let now = now.map_or_else(Utc::now, |now| now.to_utc());
        let wait = header(RETRY_AFTER).and_then(|header| parse_retry_after(header, now));
        let body = read_error_body(response, self.settings.limits.idle).await;
        Err(ProviderFailure::from_status(status, &body, wait))
    }

    fn send_failure(&self, error: &reqwest::Error) -> ProviderFailure {
        let limit = self.settings.limits.connect;
        match (error.is_connect(), error.is_timeout()) {
            (_, true) => {
                ProviderFailure::Unreachable(format!("no answer within {} s", limit.as_secs()))
            }
            (true, false) => ProviderFailure::Unreachable(innermost_cause(error)),
            (false, false) => ProviderFailure::Garbled(innermost_cause(error)),
        }
    }
}

/// Makes an HTTP client for an address, with a time limit for connecting.
pub(super) async fn build_client(url: &Url, limit: Duration) -> Result<Client, ProviderFailure> {
    let unfit = |error: &dyn Error| ProviderFailure::Unreachable(error.to_string());
    let roots = if url.scheme() == "https" {
        tokio::task::spawn_blocking(system_roots).await.map_err(|error| unfit(&error))?
    } else {
        RootCertStore::empty()
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| unfit(&error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let mut client = Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(limit)
        .redirect(redirect::Policy::none())
        .user_agent(concat!("zwave-assistant/", env!("CARGO_PKG_VERSION")));
    if is_loopback(url) {
        client = client.no_proxy();
    }
    client.build().map_err(|error| unfit(&error))
}

/// Returns the certificates that the system trusts. Those that can't be read are left out.
fn system_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}

/// Returns the innermost cause of an error. The outer ones only say that there was one, and where.
fn innermost_cause(error: &dyn Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

/// A reader of one reply.
pub(super) trait ReplyReader: Default + Send {
    /// The division of the stream into texts.
    const FRAMING: Framing;

    /// Takes the next text, and returns true if it completes the reply.
    ///
    /// # Errors
    /// The text does not belong to this interface, or it reports an error.
    fn take(&mut self, text: &str, on_text: OnText<'_>) -> Result<bool, ProviderFailure>;

    /// Returns the reply.
    ///
    /// # Errors
    /// The reply is not complete.
    fn finish(self, on_text: OnText<'_>) -> Result<ModelReply, ProviderFailure>;
}

/// Parses a text as JSON.
pub(super) fn parse_json(text: &str) -> Result<Json, ProviderFailure> {
    serde_json::from_str(text)
        .map_err(|error| ProviderFailure::Garbled(format!("it is no JSON ({error})")))
}

/// Makes a reply with these calls. Even if the token limit cut the reply, each call must be complete. `bare`
/// is true if the last call has no arguments: the cut may have come just before them.
pub(super) fn complete_reply(
    text: String,
    calls: Vec<ToolCall>,
    cut: bool,
    bare: bool,
) -> Result<ModelReply, ProviderFailure> {
    if cut && (bare || calls.iter().any(|call| !call.arguments.is_object())) {
        let why = "its limit of tokens cut a call";
        return Err(ProviderFailure::Garbled(why.to_owned()));
    }
    Ok(ModelReply { text, calls })
}

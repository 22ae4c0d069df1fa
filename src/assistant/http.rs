//! Sends requests to a provider over HTTP, and reads the streamed replies.
//!
//! TLS is rustls with ring and the system's trust store, as for the broker; no process-wide crypto provider
//! is installed. Redirects are not followed, because they would send the key elsewhere. A proxy from the
//! environment (`HTTPS_PROXY` and the like, which reqwest reads) is never used for addresses of this machine.

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
use super::turns::restore_tool_names;
use crate::client::Tool;
use crate::client::formats::ToolCall;

/// An HTTP client for one model.
pub(super) struct Http {
    pub(super) model: ModelName,
    url: Url,
    pub(super) headers: HeaderMap,
    pub(super) settings: ProviderSettings,
    /// Created on first use, because reading the trust store takes milliseconds.
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
    /// Creates a client for a model. Fails if `url` is the reason why an address is invalid.
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

    /// Adds a header with `prefix` and the key, if there is a key. Fails if a header can't hold it.
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

    /// Sends a request and reads the reply. The calls get the tools' own names and unique ids.
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
            let mut documents = Documents::new(response, R::FRAMING, limits.max_bytes, limits.idle);
            let mut reader = R::default();
            while let Some(document) = documents.next().await? {
                if reader.read_document(&document, on_text)? {
                    documents.finish().await;
                    break;
                }
            }
            reader.finish(on_text)
        };
        let reply = tokio::time::timeout(limits.total, exchange).await;
        let mut reply = reply
            .unwrap_or(Err(ProviderFailure::TimedOut(limits.total)))
            .map_err(|failure| self.error(failure))?;
        reply.calls = restore_tool_names(reply.calls, conversation, tools);
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
        // A date in `retry-after` is by the provider's clock.
        let now = header(DATE).and_then(|date| DateTime::parse_from_rfc2822(date).ok());
        let now = now.map_or_else(Utc::now, |now| now.to_utc());
        let wait = header(RETRY_AFTER).and_then(|header| parse_retry_after(header, now));
        let body = read_error_body(response, self.settings.limits.idle).await;
        Err(ProviderFailure::from_status(status, &body, wait))
    }

    fn send_failure(&self, error: &reqwest::Error) -> ProviderFailure {
        if error.is_timeout() {
            let seconds = self.settings.limits.connect.as_secs();
            ProviderFailure::Unreachable(format!("no answer within {seconds} s"))
        } else if error.is_connect() {
            ProviderFailure::Unreachable(innermost_cause(error))
        } else {
            ProviderFailure::Garbled(innermost_cause(error))
        }
    }
}

/// Creates an HTTP client for an address, with a timeout for connecting.
pub(super) async fn build_client(url: &Url, timeout: Duration) -> Result<Client, ProviderFailure> {
    let failure = |error: &dyn Error| ProviderFailure::Unreachable(error.to_string());
    let roots = if url.scheme() == "https" {
        tokio::task::spawn_blocking(system_roots)
            .await
            .map_err(|error| failure(&error))?
    } else {
        RootCertStore::empty()
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| failure(&error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let mut client = Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(timeout)
        .redirect(redirect::Policy::none())
        .user_agent(concat!("zwave-assistant/", env!("CARGO_PKG_VERSION")));
    if is_loopback(url) {
        client = client.no_proxy();
    }
    client.build().map_err(|error| failure(&error))
}

/// Returns the root certificates that the system trusts, except those that can't be read.
fn system_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}

/// Returns the message of an error's innermost cause. The outer errors only say where it happened.
fn innermost_cause(error: &dyn Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

/// Parses one reply of a provider.
pub(super) trait ReplyReader: Default + Send {
    /// How the provider separates the documents in its stream.
    const FRAMING: Framing;

    /// Processes the next document, and returns true if it completes the reply.
    ///
    /// # Errors
    /// The document is not in the provider's format, or it reports an error.
    fn read_document(&mut self, text: &str, on_text: OnText<'_>) -> Result<bool, ProviderFailure>;

    /// Returns the reply.
    ///
    /// # Errors
    /// The reply is incomplete, or the provider declines to give one.
    fn finish(self, on_text: OnText<'_>) -> Result<ModelReply, ProviderFailure>;
}

pub(super) fn parse_json(text: &str) -> Result<Json, ProviderFailure> {
    serde_json::from_str(text)
        .map_err(|error| ProviderFailure::Garbled(format!("it is not JSON ({error})")))
}

/// Creates a reply. If the token limit cut it off (`is_cut`), its calls must be complete nevertheless: if the
/// last one has no arguments, they may be what was cut off.
pub(super) fn complete_reply(
    text: String,
    calls: Vec<ToolCall>,
    is_cut: bool,
    last_call_lacks_arguments: bool,
) -> Result<ModelReply, ProviderFailure> {
    let has_broken_call = || calls.iter().any(|call| !call.arguments.is_object());
    if is_cut && (last_call_lacks_arguments || has_broken_call()) {
        let why = "a call was cut off by its token limit";
        return Err(ProviderFailure::Garbled(why.to_owned()));
    }
    Ok(ModelReply { text, calls })
}

//! Assembles a model's reply from the texts that it arrives in.

use serde_json::Value as Json;

use super::failure::ProviderFailure;
use super::model::ModelReply;
use crate::client::formats::ToolCall;

/// A reader of replies.
pub(super) trait ReplyReader: Send {
    /// Takes the next text, and returns true if it completes the reply.
    ///
    /// # Errors
    /// The text does not belong to this interface, or it reports an error.
    fn take(
        &mut self,
        text: &str,
        on_text: &mut (dyn FnMut(&str) + Send),
    ) -> Result<bool, ProviderFailure>;

    /// Returns the reply.
    ///
    /// # Errors
    /// The reply is not complete.
    fn finish(self, on_text: &mut (dyn FnMut(&str) + Send)) -> Result<ModelReply, ProviderFailure>;
}

/// Parses a text as JSON.
pub(super) fn json(text: &str) -> Result<Json, ProviderFailure> {
    serde_json::from_str(text)
        .map_err(|error| ProviderFailure::Garbled(format!("it is no JSON ({error})")))
}

/// Makes a reply with these calls. Even if the token limit cut the reply, each call must be complete. `bare`
/// is true if the last call has no arguments: the cut may have come just before them.
pub(super) fn reply(
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

//! A reply, read out of the texts that it comes in.

use serde_json::Value as Json;

use super::failure::ProviderFailure;
use super::model::ModelReply;
use crate::client::formats::ToolCall;

/// A reader of replies.
pub(super) trait ReplyReader: Send {
    /// Takes the next text; whether the reply is whole with it.
    ///
    /// # Errors
    /// It is none of the interface's, or says what went wrong.
    fn take(
        &mut self,
        text: &str,
        on_text: &mut (dyn FnMut(&str) + Send),
    ) -> Result<bool, ProviderFailure>;

    /// The reply.
    ///
    /// # Errors
    /// It is not whole.
    fn finish(self, on_text: &mut (dyn FnMut(&str) + Send)) -> Result<ModelReply, ProviderFailure>;
}

/// A text as JSON.
pub(super) fn json(text: &str) -> Result<Json, ProviderFailure> {
    serde_json::from_str(text)
        .map_err(|error| ProviderFailure::Garbled(format!("it is no JSON ({error})")))
}

/// A reply with these calls. Where a limit of tokens cut it, each call must be whole all the same: one
/// that is `bare`, without any text of arguments at its end, may have been cut before them.
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

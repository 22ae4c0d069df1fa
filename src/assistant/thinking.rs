//! Removes a model's thoughts from the text of a reply.

use super::model::OnText;

const OPENING: &str = "<think>";
const CLOSING: &str = "</think>";

/// The text of a reply, passed on as it arrives, without leading whitespace and without the thoughts between
/// `<think>` and `</think>`. Qwen 3, `DeepSeek` R1 and other models write these tags, and not every program
/// that runs such a model removes the thoughts.
#[derive(Debug, Default)]
pub(super) struct VisibleText {
    /// The last characters, held back because they may be the start of a tag.
    held: String,
    is_thinking: bool,
    /// All text that was passed on.
    all: String,
}

impl VisibleText {
    /// Adds a piece of the reply. Passes on all text that is certainly not part of a thought or a tag.
    pub(super) fn push(&mut self, piece: &str, on_text: OnText<'_>) {
        self.held.push_str(piece);
        loop {
            let first_tag = [OPENING, CLOSING]
                .into_iter()
                .filter_map(|tag| Some((self.held.find(tag)?, tag)))
                .min();
            let Some((at, tag)) = first_tag else { break };
            let after_tag = self.held.split_off(at + tag.len());
            self.held.truncate(at);
            self.release(on_text);
            self.held = after_tag;
            self.is_thinking = tag == OPENING;
        }
        let kept_length = tag_start_length(&self.held);
        let kept = self.held.split_off(self.held.len() - kept_length);
        self.release(on_text);
        self.held = kept;
    }

    /// Passes on the text that is still held back, unless it is a thought. Returns all text that was passed on.
    pub(super) fn finish(mut self, on_text: OnText<'_>) -> String {
        self.release(on_text);
        self.all
    }

    /// Takes the held text, and passes it on unless it is a thought.
    fn release(&mut self, on_text: OnText<'_>) {
        let held = std::mem::take(&mut self.held);
        let text = if self.all.is_empty() {
            held.trim_start()
        } else {
            held.as_str()
        };
        if !self.is_thinking && !text.is_empty() {
            on_text(text);
            self.all.push_str(text);
        }
    }
}

/// Returns the length, in bytes, of the longest end of `text` that may be the start of a tag.
fn tag_start_length(text: &str) -> usize {
    let (_, end) = text.split_at(text.rfind('<').unwrap_or(text.len()));
    let may_begin = [OPENING, CLOSING].iter().any(|tag| tag.starts_with(end));
    if may_begin { end.len() } else { 0 }
}

//! Keeps a model's thoughts out of its text.

use super::model::OnText;

const OPENING: &str = "<think>";
const CLOSING: &str = "</think>";

/// The text of a reply, handed out as it comes, without the thoughts between `<think>` and `</think>`, which
/// Qwen 3, `DeepSeek` R1 and others write if the engine does not take them out, and without blanks before the
/// first word.
#[derive(Debug, Default)]
pub(super) struct Text {
    /// The last letters, which may be the beginning of a tag.
    held: String,
    inside: bool,
    /// All that was handed out.
    all: String,
}

impl Text {
    /// Takes a piece, and hands out the text that is now known to be no thought.
    pub(super) fn push(&mut self, piece: &str, on_text: OnText<'_>) {
        self.held.push_str(piece);
        loop {
            let tag = [OPENING, CLOSING]
                .into_iter()
                .filter_map(|tag| Some((self.held.find(tag)?, tag)))
                .min();
            let Some((at, tag)) = tag else { break };
            let rest = self.held.split_off(at + tag.len());
            self.held.truncate(at);
            self.release(on_text);
            self.held = rest;
            self.inside = tag == OPENING;
        }
        let kept = tag_start_length(&self.held);
        let rest = self.held.split_off(self.held.len() - kept);
        self.release(on_text);
        self.held = rest;
    }

    /// Hands out the rest, and returns the whole text.
    pub(super) fn finish(mut self, on_text: OnText<'_>) -> String {
        self.release(on_text);
        self.all
    }

    /// Hands out the held letters, unless they are thoughts.
    fn release(&mut self, on_text: OnText<'_>) {
        let held = std::mem::take(&mut self.held);
        let text = if self.all.is_empty() {
            held.trim_start()
        } else {
            held.as_str()
        };
        if !self.inside && !text.is_empty() {
            on_text(text);
            self.all.push_str(text);
        }
    }
}

/// Returns the number of bytes at the end that may be the beginning of a tag.
fn tag_start_length(text: &str) -> usize {
    let longest = [OPENING, CLOSING].into_iter().filter_map(|tag| {
        let lengths = (1..tag.len()).rev();
        lengths
            .filter_map(|length| tag.get(..length))
            .find(|start| text.ends_with(start))
            .map(str::len)
    });
    longest.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spoken<'a>(pieces: impl IntoIterator<Item = &'a str>) -> String {
        let (mut text, mut said) = (Text::default(), String::new());
        let mut on_text = |piece: &str| said.push_str(piece);
        for piece in pieces {
            text.push(piece, &mut on_text);
        }
        let whole = text.finish(&mut on_text);
        assert_eq!(said, whole);
        whole
    }

    #[test]
    fn what_is_thought_is_not_said() {
        for (text, said) in [
            ("<think>\nA lamp…\n</think>\n\nDone.", "Done."),
            ("<think>\n\n</think>\n\n", ""),
            ("<think>never closed", ""),
            ("Yes. <think>Hm.</think>No.", "Yes. No."),
            ("below 5 <b>", "below 5 <b>"),
            ("1 <", "1 <"),
            ("</think>Done.", "Done."),
            ("<<think>x</think>", "<"),
        ] {
            assert_eq!(spoken([text]), said, "{text}");
        }
    }

    proptest! {
        #[test]
        fn it_does_not_matter_how_a_text_is_cut(
            parts in proptest::collection::vec(
                prop_oneof![Just("<think>"), Just("</think>"), Just("<th"), Just("ink>"), Just("ö <"), Just(" ")],
                0..12,
            )
        ) {
            let whole: String = parts.concat();
            let letters: Vec<String> = whole.chars().map(String::from).collect();
            let one_by_one = spoken(letters.iter().map(String::as_str));
            prop_assert_eq!(&one_by_one, &spoken([whole.as_str()]));
            prop_assert_eq!(&one_by_one, &spoken(parts));
        }
    }
}

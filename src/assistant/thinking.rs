//! Keeps a model's thoughts out of its text.

const OPENING: &str = "<think>";
const CLOSING: &str = "</think>";

/// Text as it comes, without the thoughts between `<think>` and `</think>`, which Qwen 3, `DeepSeek` R1 and
/// others write if the engine does not take them out, and without blanks before the first word.
#[derive(Debug, Default)]
struct Spoken {
    /// The last letters, which may be the beginning of a tag.
    held: String,
    inside: bool,
    begun: bool,
}

impl Spoken {
    /// Takes a piece, and returns the text that is now known to be no thought.
    fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let mut text = String::new();
        loop {
            let tag = [OPENING, CLOSING]
                .into_iter()
                .filter_map(|tag| Some((self.held.find(tag)?, tag)))
                .min();
            let Some((at, tag)) = tag else { break };
            let rest = self.held.split_off(at + tag.len());
            self.held.truncate(at);
            self.release(&mut text);
            self.held = rest;
            self.inside = tag == OPENING;
        }
        let rest = self.held.split_off(self.held.len() - open_end(&self.held));
        self.release(&mut text);
        self.held = rest;
        text
    }

    /// Returns the text that is left at the end.
    fn finish(mut self) -> String {
        let mut text = String::new();
        self.release(&mut text);
        text
    }

    /// Moves the held letters to the text, unless they are thoughts.
    fn release(&mut self, text: &mut String) {
        if !self.inside {
            let held = if self.begun {
                self.held.as_str()
            } else {
                self.held.trim_start()
            };
            self.begun |= !held.is_empty();
            text.push_str(held);
        }
        self.held.clear();
    }
}

/// Returns the number of bytes at the end that may be the beginning of a tag.
fn open_end(text: &str) -> usize {
    let longest = [OPENING, CLOSING].into_iter().filter_map(|tag| {
        let lengths = (1..tag.len()).rev();
        lengths
            .filter_map(|length| tag.get(..length))
            .find(|start| text.ends_with(start))
            .map(str::len)
    });
    longest.max().unwrap_or_default()
}

/// The text of a reply, handed out as it comes.
#[derive(Debug, Default)]
pub(super) struct Text {
    spoken: Spoken,
    all: String,
}

impl Text {
    /// Takes a piece.
    pub(super) fn push(&mut self, piece: &str, on_text: &mut (dyn FnMut(&str) + Send)) {
        let text = self.spoken.push(piece);
        self.hand_out(&text, on_text);
    }

    /// Hands out the rest, and returns the whole text.
    pub(super) fn finish(mut self, on_text: &mut (dyn FnMut(&str) + Send)) -> String {
        let text = std::mem::take(&mut self.spoken).finish();
        self.hand_out(&text, on_text);
        self.all
    }

    fn hand_out(&mut self, text: &str, on_text: &mut (dyn FnMut(&str) + Send)) {
        if !text.is_empty() {
            on_text(text);
            self.all.push_str(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spoken<'a>(pieces: impl IntoIterator<Item = &'a str>) -> String {
        let mut spoken = Spoken::default();
        let mut said: String = pieces.into_iter().map(|piece| spoken.push(piece)).collect();
        said.push_str(&spoken.finish());
        said
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

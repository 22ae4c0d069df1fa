//! Makes text from the wire safe to show. Everything that is shown passes through here first.
//!
//! Names, rooms, labels, units, modes and error texts come from the wire, and anybody with a radio or a
//! broker's password can set them. A reader, above all a language model, must not mistake them for an
//! order, for a line of a list, or for a special token of the model. Comparisons of names use the original
//! text.

use ecow::EcoString;
use icu_properties::CodePointSetData;
use icu_properties::props::{DefaultIgnorableCodePoint, ExtendedPictographic};
use unicode_normalization::char::is_combining_mark;

use super::bounds;

/// Cleans a name, a room, a label, or words of the caller that an answer quotes.
pub fn name(text: &str) -> String {
    clean(text, bounds::NAME)
}

/// Cleans a unit, a state or a mode.
pub fn word(text: &str) -> String {
    clean(text, bounds::WORD)
}

/// Cleans a name, a room or a label in its place.
pub(super) fn clean_name(text: &mut EcoString) {
    clean_in_place(text, bounds::NAME);
}

/// Cleans a unit, a state or a mode in its place.
pub(super) fn clean_word(text: &mut EcoString) {
    clean_in_place(text, bounds::WORD);
}

fn clean_in_place(text: &mut EcoString, max: usize) {
    if !is_clean(text, max) {
        *text = clean(text, max).into();
    }
}

/// Cleans an error text from another program, and removes its final period.
pub fn reason(text: &str) -> String {
    let shown = clean(text, bounds::REASON);
    shown.trim_end_matches(['.', ' ']).to_owned()
}

/// Cuts a clean text that is longer than `max` characters, and ends it with an ellipsis.
pub fn cut(text: String, max: usize) -> String {
    if text.chars().count() <= max {
        return text;
    }
    text.chars().take(max.saturating_sub(1)).chain(['…']).collect()
}

/// Returns one line of at most `max` characters. Special tokens, tags and links are made harmless. Characters
/// that are invisible or change the direction of text are removed, except in emoji. Cleaning is idempotent.
fn clean(text: &str, max: usize) -> String {
    if is_clean(text, max) {
        return text.to_owned();
    }
    let mut clean = Clean::default();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        // If a text is much too long, its rest is not read.
        if clean.length > max + SPARE {
            break;
        }
        clean.push(letter, letters.peek().copied());
    }
    clean.cut(max)
}

/// Returns true if cleaning does not change a text. Recognizes only short texts of visible letters, digits and signs
/// of Latin-1, with single spaces between words. Most texts are like this, and a list cleans hundreds of them.
fn is_clean(text: &str, max: usize) -> bool {
    let mut before = ' ';
    let is_harmless = |letter: char| {
        let before = std::mem::replace(&mut before, letter);
        match letter {
            ' ' => before != ' ',
            '(' => before != ']',
            '<' | '>' | '`' | SOFT_HYPHEN => false,
            letter => letter.is_ascii_graphic() || ('\u{a1}'..='\u{ff}').contains(&letter),
        }
    };
    text.len() <= max && text.chars().all(is_harmless) && before != ' '
}

/// The invisible place at which a word may be divided.
const SOFT_HYPHEN: char = '\u{ad}';

/// The number of characters that are read beyond the limit. A cut may also lie up to this many characters
/// before the limit, so that a letter keeps its accents.
const SPARE: usize = 16;

/// The clean part of a text.
#[derive(Default)]
struct Clean {
    text: String,
    /// The number of characters.
    length: usize,
    /// True if white space followed the last character.
    gap: bool,
    /// True if a joiner followed the last character. A joiner is kept only between two emoji.
    joined: bool,
}

impl Clean {
    fn push(&mut self, letter: char, next: Option<char>) {
        if letter.is_whitespace() {
            self.gap = true;
        } else if letter == JOINER {
            self.joined = !self.gap;
        } else if letter == AS_EMOJI {
            self.push_emoji_selector(next);
        } else if !(letter.is_control() || is_invisible(letter) || is_annotation(letter)) {
            self.push_visible(look_alike(letter));
        }
    }

    /// Adds a visible character, unless it is a combining mark without a letter before it.
    fn push_visible(&mut self, letter: char) {
        if is_mark(letter) && (self.text.is_empty() || self.gap) {
            return;
        }
        if std::mem::take(&mut self.gap) && !self.text.is_empty() {
            self.add(' ');
        }
        let joined = std::mem::take(&mut self.joined);
        // An emoji selector may stand between the emoji and the joiner.
        let before = self.text.chars().rev().find(|letter| *letter != AS_EMOJI);
        if joined && is_pictograph(letter) && before.is_some_and(is_emoji_part) {
            self.add(JOINER);
        }
        // "](" would make a Markdown link.
        let is_link =
            matches!(self.last(), Some(']' | '］')) && matches!(letter, '(' | '（' | '﹙');
        self.add(if is_link { '❨' } else { letter });
    }

    /// Adds an emoji selector if it follows a symbol that can be an emoji, or a digit that becomes a keycap.
    fn push_emoji_selector(&mut self, next: Option<char>) {
        let fits = match self.last().filter(|_| !self.gap) {
            Some('0'..='9' | '#' | '*') => next == Some(KEYCAP),
            Some(last) => is_pictograph(last),
            None => false,
        };
        if fits {
            self.add(AS_EMOJI);
        }
    }

    fn add(&mut self, letter: char) {
        self.text.push(letter);
        self.length += 1;
    }

    fn last(&self) -> Option<char> {
        self.text.chars().next_back()
    }

    /// Returns at most `max` characters of the text. Avoids a cut between a letter and its marks.
    fn cut(self, max: usize) -> String {
        if self.length <= max {
            return self.text;
        }
        let mut kept: Vec<char> = self.text.chars().collect();
        let end = (max.saturating_sub(SPARE)..max)
            .rev()
            .find(|end| {
                let first_lost = kept.get(*end).copied().is_some_and(belongs_to_letter_before);
                let last_kept = end.checked_sub(1).and_then(|last| kept.get(last));
                !first_lost && last_kept != Some(&JOINER)
            })
            .unwrap_or(max.saturating_sub(1));
        kept.truncate(end);
        while kept.pop_if(|last| *last == JOINER).is_some() {}
        let kept: String = kept.into_iter().collect();
        format!("{}…", kept.trim_end())
    }
}

/// The character that joins two emoji into one.
const JOINER: char = '\u{200d}';

/// The selector that turns the symbol before it into an emoji.
const AS_EMOJI: char = '\u{fe0f}';

/// The mark that draws a key around the digit before it.
const KEYCAP: char = '\u{20e3}';

/// Returns a harmless look-alike for a delimiter of special tokens, tags or code, and any other character
/// unchanged. A delimiter's wide, small and Greek forms are replaced too, because some readers turn them into
/// the delimiter (NFKC).
fn look_alike(letter: char) -> char {
    match letter {
        '<' | '＜' | '﹤' => '‹',
        '>' | '＞' | '﹥' => '›',
        '`' | '｀' | '\u{1fef}' => '‘',
        other => other,
    }
}

/// Returns true if a character belongs to the letter before it.
fn belongs_to_letter_before(letter: char) -> bool {
    is_mark(letter) || matches!(letter, JOINER | AS_EMOJI | '\u{1f3fb}'..='\u{1f3ff}')
}

/// Returns true for an accent, a vowel sign or another mark that belongs to the letter before it. ASCII has none, and
/// the look-up in Unicode's tables takes long.
pub fn is_mark(letter: char) -> bool {
    !letter.is_ascii() && is_combining_mark(letter)
}

/// Returns true if a character is invisible or changes the direction of text.
pub fn is_invisible(letter: char) -> bool {
    !letter.is_ascii() && CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(letter)
}

/// Returns true for Unicode's interlinear annotation characters, which delimit text and a note above it.
fn is_annotation(letter: char) -> bool {
    matches!(letter, '\u{fff9}'..='\u{fffb}')
}

/// Returns true for a pictograph or a skin tone. A joiner may follow only these.
fn is_emoji_part(letter: char) -> bool {
    is_pictograph(letter) || matches!(letter, '\u{1f3fb}'..='\u{1f3ff}')
}

/// Returns true if a character is an emoji or can be drawn as one.
fn is_pictograph(letter: char) -> bool {
    CodePointSetData::new::<ExtendedPictographic>().contains(letter)
}

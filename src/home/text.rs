//! Text that is not ours made tellable. The only place where that is decided.
//!
//! Names, rooms, labels, units, modes and error texts come from the wire, and anybody with a radio
//! or a broker's password can write into them. A reader, above all a language model, must not take
//! them for a line of a list, for an order, or for a token of its own. Patterns and the resolver
//! compare names as their owner wrote them; everything that is shown passes here first.

use unicode_normalization::char::is_combining_mark;

use super::bounds;

/// A name, a room or a label as it is shown, and what a caller said where an answer repeats it.
pub fn name(text: &str) -> String {
    tellable(text, bounds::NAME)
}

/// A unit, a state or a mode as it is shown.
pub fn word(text: &str) -> String {
    tellable(text, bounds::WORD)
}

/// An error text of somebody else's as it is shown, without the full stop at its end.
pub fn reason(text: &str) -> String {
    let shown = tellable(text, bounds::REASON);
    shown.trim_end_matches(['.', ' ']).to_owned()
}

/// The first of a text that is tellable already, at most so many characters.
pub fn cut(text: String, most: usize) -> String {
    if text.chars().count() <= most {
        return text;
    }
    let cut = text.chars().take(most.saturating_sub(1));
    cut.chain(['…']).collect()
}

/// One line of at most `most` characters, without anything that can't be seen or that turns text
/// around, and without special tokens, tags and links. Told twice, it stays the same.
fn tellable(text: &str, most: usize) -> String {
    let mut clean = Clean::default();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        // A text of megabytes is read no further than it is shown.
        if clean.length > most + SPARE {
            break;
        }
        clean.push(letter, letters.peek().copied());
    }
    clean.cut(most)
}

/// How many characters more than are shown are looked at, so that a cut finds the end of a letter.
const SPARE: usize = 16;

/// A text that is being cleaned.
#[derive(Default)]
struct Clean {
    text: String,
    /// In characters.
    length: usize,
    /// The last character.
    last: Option<char>,
    /// White space came after it.
    gap: bool,
    /// A joiner came after it; it stays if emoji are on both sides.
    joined: bool,
}

impl Clean {
    fn push(&mut self, letter: char, next: Option<char>) {
        if letter.is_whitespace() {
            self.gap = true;
        } else if letter == JOINER {
            self.joined = !self.gap;
        } else if letter == AS_EMOJI {
            self.as_emoji(next);
        } else if !(letter.is_control() || is_ignorable(letter) || annotates(letter)) {
            self.visible(look_alike(letter));
        }
    }

    /// A letter that can be seen; a mark only on another letter.
    fn visible(&mut self, letter: char) {
        let mark = is_combining_mark(letter);
        if mark && (self.last.is_none() || self.gap) {
            return;
        }
        if std::mem::take(&mut self.gap) && self.last.is_some() {
            self.add(' ');
        }
        let joined = std::mem::take(&mut self.joined);
        let before = self.last.filter(|last| *last != AS_EMOJI);
        let before = before.or_else(|| self.text.chars().rev().nth(1));
        if joined && is_pictograph(letter) && before.is_some_and(is_emoji_part) {
            self.add(JOINER);
        }
        let link = matches!(self.last, Some(']' | '］')) && matches!(letter, '(' | '（' | '﹙');
        self.add(if link { '❨' } else { letter });
    }

    /// The selector that shows a symbol as an emoji; on a digit only in a keycap.
    fn as_emoji(&mut self, next: Option<char>) {
        let fits = match self.last.filter(|_| !self.gap) {
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
        self.last = Some(letter);
    }

    /// The text, cut where it is longer, between two letters with all that belongs to them.
    fn cut(self, most: usize) -> String {
        if self.length <= most {
            return self.text;
        }
        let mut kept: Vec<char> = self.text.chars().collect();
        let end = (most.saturating_sub(SPARE)..most)
            .rev()
            .find(|end| {
                let first_lost = kept.get(*end).copied().is_some_and(clings);
                let last_kept = end.checked_sub(1).and_then(|last| kept.get(last));
                !first_lost && last_kept != Some(&JOINER)
            })
            .unwrap_or(most.saturating_sub(1));
        kept.truncate(end);
        while kept.pop_if(|last| matches!(last, &mut JOINER)).is_some() {}
        let kept: String = kept.into_iter().collect();
        format!("{}…", kept.trim_end())
    }
}

/// Joins two emoji to one.
const JOINER: char = '\u{200d}';

/// Shows the symbol before it as an emoji.
const AS_EMOJI: char = '\u{fe0f}';

/// Draws a key around the digit before it.
const KEYCAP: char = '\u{20e3}';

/// What stands for a letter that begins or ends a token, a tag or code, also in its wide, small and
/// Greek forms, which some readers take for the same (Unicode, NFKC).
fn look_alike(letter: char) -> char {
    match letter {
        '<' | '＜' | '﹤' => '‹',
        '>' | '＞' | '﹥' => '›',
        '`' | '｀' | '\u{1fef}' => '‘',
        other => other,
    }
}

/// Whether a letter belongs to the one before it.
fn clings(letter: char) -> bool {
    is_combining_mark(letter) || matches!(letter, JOINER | AS_EMOJI | '\u{1f3fb}'..='\u{1f3ff}')
}

/// Whether a code point has Unicode's property `Default_Ignorable_Code_Point`: it can't be seen
/// (DerivedCoreProperties.txt, Unicode 17). All that change the direction of text are among them.
pub fn is_ignorable(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Marks around text that is shown above or instead of other text (Unicode, interlinear annotation).
fn annotates(letter: char) -> bool {
    matches!(letter, '\u{fff9}'..='\u{fffb}')
}

/// What a joiner may follow.
fn is_emoji_part(letter: char) -> bool {
    is_pictograph(letter) || matches!(letter, '\u{1f3fb}'..='\u{1f3ff}')
}

/// Whether a character is drawn as an emoji or can be: those of Unicode's `Extended_Pictographic`
/// that are assigned (emoji-data.txt, Unicode 17).
fn is_pictograph(letter: char) -> bool {
    matches!(letter,
        '©' | '®' | '‼' | '⁉' | '™' | 'ℹ' | '\u{2194}'..='\u{2199}' | '\u{21a9}'..='\u{21aa}'
        | '\u{231a}'..='\u{231b}' | '\u{2328}' | '\u{23cf}' | '\u{23e9}'..='\u{23f3}'
        | '\u{23f8}'..='\u{23fa}' | '\u{24c2}' | '\u{25aa}'..='\u{25ab}' | '\u{25b6}' | '\u{25c0}'
        | '\u{25fb}'..='\u{25fe}' | '\u{2600}'..='\u{2604}' | '\u{260e}' | '\u{2611}'
        | '\u{2614}'..='\u{2615}' | '\u{2618}' | '\u{261d}' | '\u{2620}' | '\u{2622}'..='\u{2623}'
        | '\u{2626}' | '\u{262a}' | '\u{262e}'..='\u{262f}' | '\u{2638}'..='\u{263a}' | '\u{2640}'
        | '\u{2642}' | '\u{2648}'..='\u{2653}' | '\u{265f}'..='\u{2660}' | '\u{2663}'
        | '\u{2665}'..='\u{2666}' | '\u{2668}' | '\u{267b}' | '\u{267e}'..='\u{267f}'
        | '\u{2692}'..='\u{2697}' | '\u{2699}' | '\u{269b}'..='\u{269c}' | '\u{26a0}'..='\u{26a1}'
        | '\u{26a7}' | '\u{26aa}'..='\u{26ab}' | '\u{26b0}'..='\u{26b1}' | '\u{26bd}'..='\u{26be}'
        | '\u{26c4}'..='\u{26c5}' | '\u{26c8}' | '\u{26ce}'..='\u{26cf}' | '\u{26d1}'
        | '\u{26d3}'..='\u{26d4}' | '\u{26e9}'..='\u{26ea}' | '\u{26f0}'..='\u{26f5}'
        | '\u{26f7}'..='\u{26fa}' | '\u{26fd}' | '\u{2702}' | '\u{2705}' | '\u{2708}'..='\u{270d}'
        | '\u{270f}' | '\u{2712}' | '\u{2714}' | '\u{2716}' | '\u{271d}' | '\u{2721}' | '\u{2728}'
        | '\u{2733}'..='\u{2734}' | '\u{2744}' | '\u{2747}' | '\u{274c}' | '\u{274e}'
        | '\u{2753}'..='\u{2755}' | '\u{2757}' | '\u{2763}'..='\u{2764}' | '\u{2795}'..='\u{2797}'
        | '\u{27a1}' | '\u{27b0}' | '\u{27bf}' | '\u{2934}'..='\u{2935}' | '\u{2b05}'..='\u{2b07}'
        | '\u{2b1b}'..='\u{2b1c}' | '\u{2b50}' | '\u{2b55}' | '〰' | '〽' | '㊗' | '㊙'
        | '\u{1f004}' | '\u{1f0cf}' | '\u{1f170}'..='\u{1f171}' | '\u{1f17e}'..='\u{1f17f}'
        | '\u{1f18e}' | '\u{1f191}'..='\u{1f19a}' | '\u{1f201}'..='\u{1f202}' | '\u{1f21a}'
        | '\u{1f22f}' | '\u{1f232}'..='\u{1f23a}' | '\u{1f250}'..='\u{1f251}'
        | '\u{1f300}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1f53d}' | '\u{1f546}'..='\u{1f64f}'
        | '\u{1f680}'..='\u{1f6ff}' | '\u{1f7e0}'..='\u{1f7eb}' | '\u{1f90c}'..='\u{1f93a}'
        | '\u{1f93c}'..='\u{1f945}' | '\u{1f947}'..='\u{1f9ff}' | '\u{1fa70}'..='\u{1faff}')
}

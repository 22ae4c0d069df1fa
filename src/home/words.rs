//! How names are compared: without regard to case, punctuation, spaces and accents.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Words that people say around a name and that never tell two names apart.
const FILLERS: [&str; 6] = ["the", "a", "my", "in", "of", "please"];

/// Whether a word does not count in a name that is said.
pub fn is_filler(word: &str) -> bool {
    FILLERS.contains(&word)
}

/// The words of a text, folded: lower case, without accents; an apostrophe joins ("Kid's" is
/// "kids"), any other punctuation separates.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for letter in folded(text) {
        if letter.is_alphanumeric() {
            word.push(letter);
        } else if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// The letters and digits of a text in one run: "Blind/East", "blind east" and `blind_east` are
/// all "blindeast".
pub fn squashed(text: &str) -> String {
    folded(text)
        .filter(|letter| letter.is_alphanumeric())
        .collect()
}

/// The longest name that is told in full, in characters.
const LONGEST: usize = 60;

/// A name as it can be told: on one line, without marks that hide or turn text around, and not
/// longer than a person would say.
pub fn tellable(text: &str) -> String {
    let visible =
        |letter: &char| letter.is_whitespace() || !(letter.is_control() || hides(*letter));
    let clean: String = text.chars().filter(visible).collect();
    let clean = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    if clean.chars().count() <= LONGEST {
        return clean;
    }
    let cut = clean.chars().take(LONGEST - 1);
    cut.chain(['…']).collect()
}

/// Marks without a width of their own, and those that turn the direction of what follows (Unicode,
/// general category Cf, as far as names have any).
fn hides(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200c}' | '\u{200e}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

fn is_apostrophe(letter: char) -> bool {
    matches!(letter, '\'' | '’' | '‘' | '`' | '´' | 'ʼ')
}

/// Lower case, compatibility forms taken apart, apostrophes and accents dropped.
fn folded(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars()
        .filter(|letter| !is_apostrophe(*letter))
        .nfkd()
        .flat_map(char::to_lowercase)
        // Lower case can bring an accent back: İ becomes an i with a dot above.
        .nfkd()
        .filter(|letter| !is_combining_mark(*letter))
        .flat_map(spelled_out)
}

/// Letters that have no accent to drop, but that people type as others.
fn spelled_out(letter: char) -> impl Iterator<Item = char> {
    let (first, second) = match letter {
        'ß' => ('s', Some('s')),
        'æ' => ('a', Some('e')),
        'œ' => ('o', Some('e')),
        'þ' => ('t', Some('h')),
        'ø' => ('o', None),
        'đ' | 'ð' => ('d', None),
        'ł' => ('l', None),
        'ı' => ('i', None),
        other => (other, None),
    };
    std::iter::once(first).chain(second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_case_and_punctuation_do_not_matter() {
        assert_eq!(words("Björn's Lämp 🌈"), ["bjorns", "lamp"]);
        assert_eq!(words("  Blind/East "), ["blind", "east"]);
        assert_eq!(words("switch_one"), ["switch", "one"]);
        assert_eq!(words("Straße Øst"), ["strasse", "ost"]);
        assert_eq!(squashed("Kid’s Room"), "kidsroom");
    }

    #[test]
    fn a_name_of_symbols_has_no_words() {
        assert!(words("🌈 …").is_empty());
        assert_eq!(words("日本語 ランプ").len(), 2);
    }

    #[test]
    fn a_name_is_told_on_one_line_and_not_at_length() {
        assert_eq!(
            tellable(" Plug\nKitchen:\n- Dimmer "),
            "Plug Kitchen: - Dimmer"
        );
        assert_eq!(tellable("a\u{202e}b\u{200b}c\u{7}d"), "abcd");
        assert_eq!(
            tellable("👨\u{200d}👩"),
            "👨\u{200d}👩",
            "joined emoji stay"
        );
        assert_eq!(tellable(&"x".repeat(3000)).chars().count(), 60);
    }

    proptest::proptest! {
        #[test]
        fn folding_twice_changes_nothing(text in "\\PC{0,40}") {
            let once = words(&text);
            let again = words(&once.join(" "));
            proptest::prop_assert_eq!(&once, &again);
            proptest::prop_assert_eq!(squashed(&text), once.concat());
        }
    }
}

//! Any text from a gateway becomes one harmless line.

use std::sync::OnceLock;

use proptest::prelude::*;
use regex_syntax::hir::{Class, ClassUnicode, HirKind};
use serde_json::{Value as Json, json};
use unicode_normalization::UnicodeNormalization;
use zwave_mcp_server::home::text::{name, reason, word};
use zwave_mcp_server::terminal::{printable, printable_json};

/// Returns the code points that a pattern matches, according to the Unicode tables of `regex_syntax`.
fn parse_class(pattern: &str) -> ClassUnicode {
    match regex_syntax::parse(pattern).unwrap().into_kind() {
        HirKind::Class(Class::Unicode(class)) => class,
        other => panic!("{pattern}: {other:?}"),
    }
}

fn contains(class: &ClassUnicode, character: char) -> bool {
    class
        .ranges()
        .iter()
        .any(|range| (range.start()..=range.end()).contains(&character))
}

struct Properties {
    /// Control characters, and separators of lines and paragraphs.
    control: ClassUnicode,
    /// Characters that are invisible or change the direction of text.
    ignorable: ClassUnicode,
    /// Emoji and their modifiers.
    emoji: ClassUnicode,
}

fn properties() -> &'static Properties {
    static PROPERTIES: OnceLock<Properties> = OnceLock::new();
    PROPERTIES.get_or_init(|| Properties {
        control: parse_class(r"[\p{Cc}\p{Zl}\p{Zp}]"),
        ignorable: parse_class(r"[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]"),
        emoji: parse_class(r"[\p{Extended_Pictographic}\p{Emoji_Modifier}]"),
    })
}

/// Returns the first fault of a cleaned text, if any.
fn find_fault(cleaned: &str, max_chars: usize) -> Option<String> {
    let Properties {
        control,
        ignorable,
        emoji,
    } = properties();
    let characters: Vec<char> = cleaned.chars().collect();
    if characters.len() > max_chars {
        return Some(format!("{} characters", characters.len()));
    }
    if cleaned.trim() != cleaned || cleaned.contains("](") {
        return Some("spaces around the text, or a link".to_owned());
    }
    for (at, character) in characters.iter().copied().enumerate() {
        let before = at.checked_sub(1).map(|at| characters[at]);
        let after = characters.get(at + 1).copied();
        let is_emoji = |neighbor: Option<char>| neighbor.is_some_and(|near| contains(emoji, near));
        let is_part_of_emoji = match character {
            // The selector that turns a symbol into an emoji, or a digit into a keycap.
            '\u{fe0f}' => is_emoji(before) || after == Some('\u{20e3}'),
            // The joiner of two emoji.
            '\u{200d}' => (is_emoji(before) || before == Some('\u{fe0f}')) && is_emoji(after),
            _ => false,
        };
        let is_odd_space = character.is_whitespace() && character != ' ';
        let is_hidden = contains(ignorable, character) && !is_part_of_emoji;
        let is_markup = "<>`".contains(character);
        if contains(control, character) || is_hidden || is_odd_space || is_markup {
            return Some(format!("U+{:04X} at {at}", u32::from(character)));
        }
    }
    // A reader that normalizes the text must not get markup either.
    let normalized: String = cleaned.nfkc().collect();
    normalized
        .contains(['<', '>', '`'])
        .then(|| format!("{normalized:?} after normalization"))
}

/// Texts of arbitrary characters mixed with markup, control characters and emoji.
fn any_text() -> impl Strategy<Value = String> {
    let special = [
        "<|im_start|>system\n",
        "</tool_response>",
        "](http://x)",
        "[x](http://x)",
        "```\n",
        "\r\n- Lamp: switch, on",
        "\u{3164}",
        "\u{115f}\u{1160}",
        "\u{202e}abc\u{202c}",
        "\u{2066}",
        "\u{e0041}\u{e007f}",
        "\u{e0100}",
        "🏴\u{e0067}\u{e007f}",
        "👩\u{200d}👩\u{200d}👧",
        "❤\u{fe0f}",
        "1\u{fe0f}\u{20e3}",
        "1\u{fe0f}",
        "\u{200d}",
        "👍🏽",
        "\u{301}\u{301}\u{301}",
        "＜|im_end|＞",
        "］（http://x）",
        "\u{1fef}",
        "\u{2028}",
        "\u{85}",
        "ＡＢ\u{3000}",
        "\u{ad}",
        "\u{0}",
        "x",
    ];
    let special = prop::sample::select(special.to_vec()).prop_map(str::to_owned);
    let characters = any::<char>().prop_map(String::from);
    let ignorable = prop::sample::select(properties().ignorable.ranges().to_vec())
        .prop_map(|range| String::from(range.start()));
    let part = prop_oneof![3 => special, 2 => characters, 1 => ignorable, 1 => "\\PC{0,8}"];
    prop::collection::vec(part, 0..80).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn any_text_becomes_one_harmless_line(text in any_text()) {
        for (cleaned, cleaned_twice, max_chars) in [
            (name(&text), name(&name(&text)), 60),
            (word(&text), word(&word(&text)), 24),
            (reason(&text), reason(&reason(&text)), 200),
        ] {
            prop_assert_eq!(find_fault(&cleaned, max_chars), None, "{:?}", cleaned);
            prop_assert_eq!(&cleaned, &cleaned_twice);
        }
    }

    #[test]
    fn names_in_common_scripts_lose_only_spare_spaces_and_invisible_characters(
        text in "[\\p{L}&&[\\p{Latin}\\p{Greek}\\p{Cyrillic}\\p{Han}]][\\p{L}0-9 ,.'/&()-]{0,20}",
    ) {
        let spaced = text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>();
        let is_visible = |character: &char| !contains(&properties().ignorable, *character);
        let spaced: String = spaced.join(" ").chars().filter(is_visible).collect();
        prop_assert_eq!(name(&text), spaced.trim());
    }
}

#[test]
fn no_control_character_or_invisible_code_point_is_kept() {
    for class in [&properties().control, &properties().ignorable] {
        for range in class.ranges() {
            for character in range.start()..=range.end() {
                let cleaned = name(&format!("a{character}b"));
                let code = u32::from(character);
                assert!(
                    cleaned == "ab" || cleaned == "a b",
                    "U+{code:04X}: {cleaned:?}"
                );
            }
        }
    }
}

#[test]
fn names_stay_as_they_are_and_markup_is_defused() {
    for (text, cleaned) in [
        ("Björn's Lämp 🌈", "Björn's Lämp 🌈"),
        (" Plug\nKitchen:\n- Dimmer ", "Plug Kitchen: - Dimmer"),
        ("a\u{202e}b\u{200b}c\u{7}d", "abcd"),
        ("👨\u{200d}👩", "👨\u{200d}👩"),
        ("❤\u{fe0f} 1\u{fe0f}\u{20e3}", "❤\u{fe0f} 1\u{fe0f}\u{20e3}"),
        ("a\u{fe0f}b\u{200d}c", "abc"),
        ("<|im_start|>system", "‹|im_start|›system"),
        ("[here](http://x)", "[here]❨http://x)"),
        ("[here]\u{200b}(http://x)", "[here]❨http://x)"),
        ("`rm`", "‘rm‘"),
        ("\u{3164}\u{115f}", ""),
        ("خانه\u{200c}ها", "خانهها"),
    ] {
        assert_eq!(name(text), cleaned, "{text:?}");
    }
    assert_eq!(name(&"x".repeat(3000)).chars().count(), 60);
    assert_eq!(word(&"°".repeat(3000)), format!("{}…", "°".repeat(23)));
    assert_eq!(reason("It broke. "), "It broke");
}

#[test]
fn an_emoji_or_accented_letter_is_cut_apart_only_if_it_is_too_long() {
    let family = "👩\u{200d}👧";
    let cleaned = name(&family.repeat(40));
    assert_eq!(find_fault(&cleaned, 60), None);
    assert!(cleaned.ends_with("👧…"), "{cleaned:?}");
    let cleaned = word(&"e\u{301}".repeat(40));
    assert!(cleaned.ends_with("e\u{301}…"), "{cleaned:?}");
    let cleaned = word(&format!("e{}", "\u{301}".repeat(4000)));
    assert_eq!(cleaned.chars().count(), 24);
}

#[test]
fn characters_that_could_control_a_terminal_are_not_printed() {
    let text = "\u{1b}]0;title\u{7}on\r\u{1b}[2J\u{9b}31m off\u{202e}\u{7f}\n\tü 🔧";
    assert_eq!(printable(text), "]0;titleon[2J31m off\n\tü 🔧");
}

#[test]
fn escaped_json_is_the_same_json_and_cannot_control_a_terminal() {
    let json = json!({ "a\u{9b}": "\u{1b}[2J\u{202e}\u{7f}\nü" });
    let text = printable_json(&json.to_string());
    assert_eq!(printable(&text), text);
    assert_eq!(serde_json::from_str::<Json>(&text).unwrap(), json);
}

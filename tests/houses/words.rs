//! The words of the random houses and the oracle. The server has its own, longer lists, which are not used
//! here.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A kind of device that has words of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    Light,
    Cover,
    Curtain,
    Fan,
    Lock,
    Thermostat,
    Heater,
    Pump,
    Valve,
    Freezer,
    Siren,
    Bell,
    /// A switch or an outlet. Such a word in a name does not tell the device's kind.
    Switch,
    Sensor,
}

/// Words for kinds, in the singular and the plural. The plural may be empty.
pub const KINDS: &[(Family, &str, &str)] = &[
    (Family::Light, "Lamp", "Lamps"),
    (Family::Light, "Light", "Lights"),
    (Family::Light, "Bulb", "Bulbs"),
    (Family::Light, "Licht", "Lichter"),
    (Family::Light, "Lampe", "Lampen"),
    (Family::Light, "Lumière", "Lumières"),
    (Family::Light, "Luz", "Luces"),
    (Family::Light, "Luce", "Luci"),
    (Family::Cover, "Blind", "Blinds"),
    (Family::Cover, "Shade", "Shades"),
    (Family::Cover, "Shutter", "Shutters"),
    (Family::Cover, "Rolladen", ""),
    (Family::Cover, "Volet", "Volets"),
    (Family::Cover, "Persiana", "Persianas"),
    (Family::Cover, "Rolluik", "Rolluiken"),
    (Family::Curtain, "Curtain", "Curtains"),
    (Family::Fan, "Fan", "Fans"),
    (Family::Fan, "Ventilator", ""),
    (Family::Lock, "Lock", "Locks"),
    (Family::Thermostat, "Thermostat", "Thermostats"),
    (Family::Heater, "Heater", "Heaters"),
    (Family::Pump, "Pump", "Pumps"),
    (Family::Valve, "Valve", "Valves"),
    (Family::Freezer, "Freezer", "Freezers"),
    (Family::Siren, "Siren", "Sirens"),
    (Family::Bell, "Doorbell", "Doorbells"),
    (Family::Bell, "Chime", "Chimes"),
    (Family::Switch, "Switch", "Switches"),
    (Family::Switch, "Outlet", "Outlets"),
];

/// Folded words whose plural is the same as their singular. In a phrase with a quantifier, they are plural.
pub const UNINFLECTED: [&str; 1] = ["rolladen"];

/// Kinds whose words certainly fit every device of the kind.
pub const CERTAIN_KINDS: [Family; 4] = [Family::Light, Family::Cover, Family::Fan, Family::Lock];

/// Words that name nothing.
pub const ARTICLES: [&str; 10] = [
    "the", "my", "in", "please", "of", "der", "im", "la", "du", "de",
];

/// Words for all devices.
pub const QUANTIFIERS: [&str; 3] = ["all", "every", "everything"];

/// Words that distinguish devices and name no kind.
pub const ADJECTIVES: [&str; 14] = [
    "Left", "Right", "Reading", "Corner", "Wall", "Mia's", "Jon's", "Water", "Aquarium", "Table",
    "1", "2", "1.5", "12",
];

/// Rooms in several languages. "Bedroom" is also a part of "Guest Bedroom".
pub const ROOMS: [&str; 8] = [
    "Kitchen",
    "Office",
    "Bedroom",
    "Guest Bedroom",
    "Living Room",
    "Küche",
    "Salon",
    "Hall",
];

/// Folds a word for comparisons: converts it to lower case, removes accents, and replaces a number word by
/// digits. Apostrophes stay.
pub fn fold(word: &str) -> String {
    let plain: String = word
        .nfd()
        .filter(|letter| !is_combining_mark(*letter))
        .flat_map(char::to_lowercase)
        .collect();
    match plain.as_str() {
        "one" => "1".to_owned(),
        "two" => "2".to_owned(),
        "twelve" => "12".to_owned(),
        _ => plain,
    }
}

/// Returns the folded words of a text. Leaves out articles and repeated words.
pub fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for word in text.split_whitespace().map(fold) {
        if !ARTICLES.contains(&word.as_str()) && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// Returns the kind that a folded word names in the singular.
pub fn singular_kind(word: &str) -> Option<Family> {
    let (kind, ..) = KINDS.iter().find(|(_, singular, _)| fold(singular) == word)?;
    Some(*kind)
}

/// Returns the kind that a folded word names in the plural.
pub fn plural_kind(word: &str) -> Option<Family> {
    let (kind, ..) =
        KINDS.iter().find(|(_, _, plural)| !plural.is_empty() && fold(plural) == word)?;
    Some(*kind)
}

/// Returns true if a word of a phrase is certainly this word of a name. The apostrophe may be missing.
pub fn is_same(said: &str, name_word: &str) -> bool {
    said == name_word || said == name_word.replace('\'', "")
}

/// Returns true if a word of a phrase may be this word of a name. The possessive s may be missing.
pub fn may_be_same(said: &str, name_word: &str) -> bool {
    is_same(said, name_word) || name_word.strip_suffix("'s") == Some(said)
}

/// Returns true if two different words both name a light or both name a cover, in any language. A phrase may
/// then have one word instead of the other.
pub fn is_synonym(said: &str, name_word: &str) -> bool {
    let kind = |word: &str| {
        let kind = singular_kind(word)?;
        matches!(kind, Family::Light | Family::Cover).then_some(kind)
    };
    said != name_word && kind(said).is_some() && kind(said) == kind(name_word)
}

/// Returns true if a word begins with a digit, as "2" and "1.5" do.
pub fn is_number(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_digit())
}

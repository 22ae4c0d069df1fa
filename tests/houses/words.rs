//! The words that the random houses are made of, as the oracle knows them: written apart from the
//! server's own table, and less than that.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A kind that words name.
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
    /// A switch or an outlet: a kind only where a name says no other.
    Switch,
    Sensor,
}

/// A word for one of a kind, and a word for several, if it is well known.
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

/// Words, folded, that are the same for one and for several; beside a quantifier they mean several.
pub const BOTH: [&str; 1] = ["rolladen"];

/// Kinds of which a lone word surely means every device of theirs.
pub const SURE: [Family; 4] = [Family::Light, Family::Cover, Family::Fan, Family::Lock];

/// Words that name nothing.
pub const ARTICLES: [&str; 10] = [
    "the", "my", "in", "please", "of", "der", "im", "la", "du", "de",
];

/// Words for all that there is.
pub const ALL: [&str; 3] = ["all", "every", "everything"];

/// Words that tell things apart, and say no kind.
pub const ADJECTIVES: [&str; 14] = [
    "Left", "Right", "Reading", "Corner", "Wall", "Mia's", "Jon's", "Water", "Aquarium", "Table",
    "1", "2", "1.5", "12",
];

/// Rooms, one of them within another, and of more languages than one.
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

/// A word as it is compared: in lower case, without accents, a number word as its number. An
/// apostrophe stays.
pub fn folded(word: &str) -> String {
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

/// The words of a text that count, folded, each once.
pub fn telling(text: &str) -> Vec<String> {
    let mut telling = Vec::new();
    for word in text.split_whitespace().map(folded) {
        if !ARTICLES.contains(&word.as_str()) && !telling.contains(&word) {
            telling.push(word);
        }
    }
    telling
}

/// The kind that a word for one of it names.
pub fn singular(word: &str) -> Option<Family> {
    let found = KINDS.iter().find(|(_, one, _)| folded(one) == word)?;
    Some(found.0)
}

/// The kind that a word for several of it names.
pub fn plural(word: &str) -> Option<Family> {
    let found = KINDS
        .iter()
        .find(|(_, _, several)| !several.is_empty() && folded(several) == word)?;
    Some(found.0)
}

/// Returns true if a word that is said is surely this word of a name.
pub fn is(said: &str, own: &str) -> bool {
    said == own || said == own.replace('\'', "")
}

/// Returns true if a word that is said may be this word of a name: the possessive s may be left out.
pub fn may_be(said: &str, own: &str) -> bool {
    is(said, own) || own.strip_suffix("'s") == Some(said)
}

/// Returns true if two words may stand for one another in a name: those of two languages, too.
pub fn stands_for(said: &str, own: &str) -> bool {
    let stands = |word: &str| {
        let kind = singular(word)?;
        matches!(kind, Family::Light | Family::Cover).then_some(kind)
    };
    said != own && stands(said).is_some() && stands(said) == stands(own)
}

pub fn is_number(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_digit())
}

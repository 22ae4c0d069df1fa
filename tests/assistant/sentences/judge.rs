//! The outcome of a sentence, judged by what the gateway was told and, for a question, by what was
//! answered.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;
use zwave_mcp_server::assistant::SentenceAnswer;
use zwave_mcp_server::home::color::Color;
use zwave_mcp_server::home::letters::squash;

use super::{Asks, Case, Entry};
use crate::recorder::Told as Write;
use crate::utterances::Verdict;

/// The writes and the answer of a sentence.
pub struct Told {
    pub writes: Vec<Write>,
    pub answer: SentenceAnswer,
}

impl Told {
    /// Tells in a line what is judged.
    pub fn line(&self) -> String {
        let writes: Vec<String> = self
            .writes
            .iter()
            .map(|write| format!("{}: {}", device(write), told(write)))
            .collect();
        format!("[{}] {}", writes.join(", "), self.answer.text)
    }
}

/// The number of the device or scene of a write, as the files have it.
fn device(write: &Write) -> String {
    match write.api.as_str() {
        "_activateScene" => format!("scene {}", write.args[0]),
        _ => write.args[0]["nodeId"].to_string(),
    }
}

/// The class and the value of a write.
fn told(write: &Write) -> String {
    format!(
        "{} {}",
        write.args[0]["commandClass"],
        write.args.get(1).unwrap_or(&Json::Null)
    )
}

/// Returns true if a write is what was wanted of the device.
fn is_wanted(write: &Write, want: &str) -> bool {
    if write.api == "_activateScene" {
        return want == "run";
    }
    let class = write.args[0]["commandClass"].as_u64().unwrap();
    let value = &write.args[1];
    let number = value.as_f64();
    let (want, amount) = want.split_once(' ').unwrap_or((want, ""));
    let is = |class_wanted: u64, wanted: f64| class == class_wanted && number == Some(wanted);
    match want {
        "on" => {
            class == 37 && *value == true
                || class == 38 && number > Some(0.0)
                || class == 121 && number > Some(0.0)
                || class == 64 && number > Some(0.0)
        }
        "off" => class == 37 && *value == false || is(38, 0.0) || is(64, 0.0) || is(121, 0.0),
        "open" => is(38, 99.0) || is(106, 99.0) || is(102, 255.0) || class == 37 && *value == true,
        "close" => is(38, 0.0) || is(106, 0.0) || is(102, 0.0) || class == 37 && *value == false,
        "lock" => is(98, 255.0),
        "level" => {
            let level: f64 = amount.parse().unwrap();
            is(38, level) || level == 100.0 && (is(38, 99.0) || class == 37 && *value == true)
        }
        "temperature" => class == 67 && number == amount.parse().ok(),
        "color" => {
            let Some(Color::Rgb(red, green, blue)) = Color::read(amount) else {
                panic!("{amount} is no colour")
            };
            let lit = |name: &str, wanted: u8| value[name].as_u64() == Some(u64::from(wanted));
            let white = amount == "white"
                && ["warmWhite", "coldWhite"].iter().any(|lamp| value[*lamp].as_u64() > Some(0));
            class == 51 && (white || lit("red", red) && lit("green", green) && lit("blue", blue))
        }
        // A warm lamp of 2700 K and a cold one of 6500 K, weighed by how bright each is.
        "kelvin" => {
            let lamp = |name: &str| value[name].as_f64().unwrap_or_default();
            let (warm, cold) = (lamp("warmWhite"), lamp("coldWhite"));
            let mixed = (warm * 2700.0 + cold * 6500.0) / (warm + cold);
            class == 51 && (mixed - amount.parse::<f64>().unwrap()).abs() < 10.0
        }
        other => panic!("{other} is nothing to want"),
    }
}

/// Judges a sentence of a house.
pub fn judge(devices: &[Entry], language: &str, case: &Case, told: &Told) -> Verdict {
    if let Some(asks) = &case.asks {
        if !told.writes.is_empty() {
            return Verdict::Wrong;
        }
        return answered(devices, language, asks, told);
    }
    let lists: Vec<BTreeSet<String>> = match (&case.moves, &case.either) {
        (Some(moves), _) => vec![ids(moves)],
        (None, Some(lists)) => lists.iter().map(|list| ids(list)).collect(),
        (None, None) => vec![BTreeSet::new()],
    };
    let moved: BTreeSet<String> = told.writes.iter().map(device).collect();
    let as_wanted = |write: &Write| {
        let want = case.wants.get(&device(write));
        want.is_some_and(|want| is_wanted(write, want))
    };
    let is_done = told.answer.is_well()
        && told.answer.calls.iter().any(|made| made.call.name == "control_zwave_device");
    if !told.writes.iter().all(as_wanted) || moved.len() != told.writes.len() {
        return Verdict::Wrong;
    }
    if lists.contains(&moved) {
        // What is told as done where nothing was told to anybody is a lie.
        let lie = moved.is_empty() && is_done;
        return if lie { Verdict::Wrong } else { Verdict::Right };
    }
    if is_done || !moved.is_empty() && !lists.iter().any(|list| moved.is_subset(list)) {
        return Verdict::Wrong;
    }
    Verdict::Refused
}

fn ids(list: &[Json]) -> BTreeSet<String> {
    let id = |id: &Json| id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    list.iter().map(id).collect()
}

const YES: [&str; 6] = ["yes", "ja", "oui", "si", "igen", "da"];
const NO: [&str; 4] = ["no", "nein", "non", "nee"];

fn answered(devices: &[Entry], language: &str, asks: &Asks, told: &Told) -> Verdict {
    let text = told.answer.text.as_str();
    if !told.answer.is_well() || text.is_empty() {
        return Verdict::Refused;
    }
    let first: String = text.chars().take_while(|letter| letter.is_alphabetic()).collect();
    let first = squash(&first);
    let says = match () {
        () if YES.contains(&first.as_str()) => Some("yes"),
        () if NO.contains(&first.as_str()) => Some("no"),
        () => None,
    };
    let named = named(devices, text);
    let truths: Vec<&Json> = match asks.any_of.as_slice() {
        [] => vec![&asks.answer],
        any => any.iter().collect(),
    };
    let right = |is_right: bool| {
        if is_right {
            Verdict::Right
        } else {
            Verdict::Wrong
        }
    };
    if asks.floor.is_some() && asks.name.is_none() {
        return Verdict::Wrong;
    }
    if asks.here || matches!(asks.what.as_str(), "value" | "temperature") {
        let numbers = numbers(text);
        if numbers.is_empty() {
            return Verdict::Refused;
        }
        if asks.here {
            return right(true);
        }
        let is_true = |truth: &&Json| numbers.iter().any(|number| truth.as_f64() == Some(*number));
        return right(truths.iter().any(is_true));
    }
    match (asks.name.as_deref(), asks.what.as_str(), asks.ask.as_str()) {
        (Some(name), "state", _) => {
            let is_named = named.contains(name);
            let word = asks.answer.as_str().unwrap_or_default();
            let words = STATES.iter().find(|(own, _)| *own == word).map(|(_, words)| *words);
            let said = squashed_words(text);
            let tells = words.unwrap_or_default().iter().any(|word| said.contains(&squash(word)));
            right(is_named && tells)
        }
        (Some(name), ..) => match says {
            None => Verdict::Refused,
            Some(says) => right(asks.answer == says && named.contains(name)),
        },
        (None, _, "any" | "all") => match says {
            None => Verdict::Refused,
            Some(says) => right(asks.answer == says),
        },
        (None, _, "which") => {
            let wanted: BTreeSet<&str> =
                asks.answer.as_array().unwrap().iter().filter_map(Json::as_str).collect();
            right(named.iter().map(String::as_str).collect::<BTreeSet<_>>() == wanted)
        }
        (None, _, "how many") => {
            let count = numbers(text).first().copied().or_else(|| in_words(language, text));
            match count {
                None => Verdict::Refused,
                Some(count) => right(asks.answer.as_f64() == Some(count)),
            }
        }
        _ => Verdict::Refused,
    }
}

/// The words for the states that are asked for, in all languages.
const STATES: [(&str, &[&str]); 2] = [
    (
        "on",
        &[
            "on",
            "an",
            "allumé",
            "allumée",
            "en marche",
            "encendido",
            "encendida",
            "acceso",
            "accesa",
            "aan",
        ],
    ),
    (
        "off",
        &[
            "off", "aus", "éteint", "éteinte", "apagado", "apagada", "spento", "spenta", "uit",
        ],
    ),
];

fn squashed_words(text: &str) -> BTreeSet<String> {
    text.split_whitespace().map(squash).collect()
}

/// The devices whose names a text says, the longest first, each part of it once.
fn named(devices: &[Entry], text: &str) -> BTreeSet<String> {
    let mut rest = format!(" {} ", text.to_lowercase());
    let mut names: Vec<&str> = devices.iter().map(|entry| entry.name.as_str()).collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let mut found = BTreeSet::new();
    for name in names {
        let lower = name.to_lowercase();
        let Some(at) = rest.find(&lower) else {
            continue;
        };
        let before = rest[..at].chars().next_back().is_none_or(|letter| !letter.is_alphanumeric());
        let end = at + lower.len();
        let after = rest[end..].chars().next().is_none_or(|letter| !letter.is_alphanumeric());
        if before && after {
            rest.replace_range(at..end, " ");
            found.insert(name.to_owned());
        }
    }
    found
}

fn numbers(text: &str) -> Vec<f64> {
    let parts =
        text.split(|letter: char| !letter.is_ascii_digit() && !matches!(letter, '.' | ',' | '-'));
    parts
        .map(|part| part.trim_matches(['.', ',']).replace(',', "."))
        .filter_map(|part| part.parse().ok())
        .collect()
}

/// A small number that is said in words; "none" is 0.
fn in_words(language: &str, text: &str) -> Option<f64> {
    let words = COUNTS.iter().find(|(own, _)| *own == language)?.1;
    let said: Vec<String> = text.split_whitespace().map(squash).collect();
    let found = said.iter().find_map(|word| {
        words.split(' ').position(|own| own.split('/').any(|own| squash(own) == *word))
    });
    found.map(|number| number as f64)
}

const COUNTS: [(&str, &str); 6] = [
    (
        "en",
        "no/none/zero one two three four five six seven eight nine ten",
    ),
    (
        "de",
        "kein/keine/keines/keiner ein/eine/eins/einer zwei drei vier fünf sechs sieben acht neun zehn",
    ),
    (
        "fr",
        "aucun/aucune un/une deux trois quatre cinq six sept huit neuf dix",
    ),
    (
        "es",
        "ningún/ninguna/ninguno un/una/uno dos tres cuatro cinco seis siete ocho nueve diez",
    ),
    (
        "it",
        "nessuno/nessuna/nessun un/una/uno due tre quattro cinque sei sette otto nove dieci",
    ),
    (
        "nl",
        "geen/nul een twee drie vier vijf zes zeven acht negen tien",
    ),
];

/// The numbers of sentences of one sort that were right, refused and wrong.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub right: usize,
    pub refused: usize,
    pub wrong: usize,
}

impl Tally {
    pub fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Right => self.right += 1,
            Verdict::Refused => self.refused += 1,
            Verdict::Wrong => self.wrong += 1,
        }
    }

    pub fn all(&self) -> usize {
        self.right + self.refused + self.wrong
    }
}

/// The share that is right, each file that the sentences come from counting the same.
pub fn weighted(by_origin: &BTreeMap<String, Tally>) -> f64 {
    by_origin
        .values()
        .map(|tally| tally.right as f64 / tally.all() as f64)
        .sum::<f64>()
        / by_origin.len() as f64
}

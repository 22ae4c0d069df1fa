//! Judges the outcome of a sentence by the writes that the gateway got and, for a question, by the answer.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;
use zwave_mcp_server::assistant::SentenceAnswer;
use zwave_mcp_server::home::color::Color;
use zwave_mcp_server::home::letters::squash;
use zwave_mcp_server::home::model::ids::CommandClass as Cc;

use super::{Asks, Case, Entry};
use crate::recorder::ApiCall as Write;
use crate::utterances::Verdict;

/// The writes and the answer of a sentence.
pub struct Outcome {
    pub writes: Vec<Write>,
    pub answer: SentenceAnswer,
}

impl Outcome {
    /// Describes the writes and the answer in one line.
    pub fn line(&self) -> String {
        let writes: Vec<String> = self
            .writes
            .iter()
            .map(|write| format!("{}: {}", device_id(write), describe(write)))
            .collect();
        format!("[{}] {}", writes.join(", "), self.answer.text)
    }
}

/// Returns the id of the device or scene that a write is for, as in the sentence files: "12" or "scene 3".
pub fn device_id(write: &Write) -> String {
    match write.api.as_str() {
        "_activateScene" => format!("scene {}", write.args[0]),
        _ => write.args[0]["nodeId"].to_string(),
    }
}

fn describe(write: &Write) -> String {
    format!(
        "{} {}",
        write.args[0]["commandClass"],
        write.args.get(1).unwrap_or(&Json::Null)
    )
}

/// Returns true if a write carries out an order, such as "on" or "level 50".
fn is_wanted(write: &Write, want: &str) -> bool {
    if write.api == "_activateScene" {
        return want == "run";
    }
    let class = write.args[0]["commandClass"].as_u64().unwrap();
    let class = Cc(u16::try_from(class).unwrap());
    let value = &write.args[1];
    let number = value.as_f64();
    let (want, amount) = want.split_once(' ').unwrap_or((want, ""));
    let is = |wanted_class: Cc, wanted: f64| class == wanted_class && number == Some(wanted);
    let switches = |on: bool| class == Cc::BINARY_SWITCH && *value == on;
    match want {
        "on" => {
            let is_level =
                [Cc::MULTILEVEL_SWITCH, Cc::SOUND_SWITCH, Cc::THERMOSTAT_MODE].contains(&class);
            switches(true) || is_level && number > Some(0.0)
        }
        "off" => {
            let is_zero = |class: Cc| is(class, 0.0);
            switches(false)
                || is_zero(Cc::MULTILEVEL_SWITCH)
                || is_zero(Cc::THERMOSTAT_MODE)
                || is_zero(Cc::SOUND_SWITCH)
        }
        "open" => {
            let moves_cover = is(Cc::MULTILEVEL_SWITCH, 99.0) || is(Cc::WINDOW_COVERING, 99.0);
            moves_cover || is(Cc::BARRIER_OPERATOR, 255.0) || switches(true)
        }
        "close" => {
            let moves_cover = is(Cc::MULTILEVEL_SWITCH, 0.0) || is(Cc::WINDOW_COVERING, 0.0);
            moves_cover || is(Cc::BARRIER_OPERATOR, 0.0) || switches(false)
        }
        "lock" => is(Cc::DOOR_LOCK, 255.0),
        // A cover stops when the value "Up" or "Down" gets false (zwave-js, Multilevel Switch CC).
        "stop" => class == Cc::MULTILEVEL_SWITCH && *value == false,
        "level" => {
            let level: f64 = amount.parse().unwrap();
            let is_full = is(Cc::MULTILEVEL_SWITCH, 99.0) || switches(true);
            is(Cc::MULTILEVEL_SWITCH, level) || level == 100.0 && is_full
        }
        "temperature" => class == Cc::THERMOSTAT_SETPOINT && number == amount.parse().ok(),
        "color" => {
            let Some(Color::Rgb(red, green, blue)) = Color::read(amount) else {
                panic!("{amount} is no colour")
            };
            let has = |name: &str, wanted: u8| value[name].as_u64() == Some(u64::from(wanted));
            let is_white = amount == "white"
                && ["warmWhite", "coldWhite"].iter().any(|name| value[*name].as_u64() > Some(0));
            class == Cc::COLOR_SWITCH
                && (is_white || has("red", red) && has("green", green) && has("blue", blue))
        }
        // The warm component has 2700 K, and the cold one 6500 K. Their mean is weighted by brightness.
        "kelvin" => {
            let brightness = |name: &str| value[name].as_f64().unwrap_or_default();
            let (warm, cold) = (brightness("warmWhite"), brightness("coldWhite"));
            let mixed = (warm * 2700.0 + cold * 6500.0) / (warm + cold);
            class == Cc::COLOR_SWITCH && (mixed - amount.parse::<f64>().unwrap()).abs() < 10.0
        }
        unknown => panic!("{unknown} is no order"),
    }
}

/// Judges a sentence by its writes and its answer.
pub fn judge(devices: &[Entry], language: &str, case: &Case, outcome: &Outcome) -> Verdict {
    if let Some(asks) = &case.asks {
        if !outcome.writes.is_empty() {
            return Verdict::Wrong;
        }
        return judge_answer(devices, language, asks, outcome);
    }
    let accepted: Vec<BTreeSet<String>> = match (&case.moves, &case.either) {
        (Some(moves), _) => vec![ids(moves)],
        (None, Some(lists)) => lists.iter().map(|list| ids(list)).collect(),
        (None, None) => vec![BTreeSet::new()],
    };
    let moved: BTreeSet<String> = outcome.writes.iter().map(device_id).collect();
    let is_as_wanted = |write: &Write| {
        let want = case.wants.get(&device_id(write));
        want.is_some_and(|want| is_wanted(write, want))
    };
    let claims_success = outcome.answer.is_success()
        && outcome.answer.calls.iter().any(|made| made.call.name == "control_zwave_device");
    // A second write to a device is wrong, too.
    if !outcome.writes.iter().all(is_as_wanted) || moved.len() != outcome.writes.len() {
        return Verdict::Wrong;
    }
    if accepted.contains(&moved) {
        let is_lie = claims_success && moved.is_empty();
        return right_if(!is_lie);
    }
    let is_part = moved.is_empty() || accepted.iter().any(|list| moved.is_subset(list));
    if is_part && !claims_success {
        Verdict::Refused
    } else {
        Verdict::Wrong
    }
}

pub fn ids(list: &[Json]) -> BTreeSet<String> {
    let id = |id: &Json| id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    list.iter().map(id).collect()
}

fn right_if(is_right: bool) -> Verdict {
    if is_right {
        Verdict::Right
    } else {
        Verdict::Wrong
    }
}

/// The words for yes. They have no accents, because [`squash`] removes accents.
const YES: [&str; 6] = ["yes", "ja", "oui", "si", "igen", "da"];
const NO: [&str; 4] = ["no", "nein", "non", "nee"];

/// Returns "yes" or "no" if the first word of an answer means one of them.
fn read_yes_or_no(answer: &str) -> Option<&'static str> {
    let first: String = answer.chars().take_while(|letter| letter.is_alphabetic()).collect();
    let first = squash(&first);
    if YES.contains(&first.as_str()) {
        Some("yes")
    } else if NO.contains(&first.as_str()) {
        Some("no")
    } else {
        None
    }
}

fn judge_answer(devices: &[Entry], language: &str, asks: &Asks, outcome: &Outcome) -> Verdict {
    let text = outcome.answer.text.as_str();
    if !outcome.answer.is_success() || text.is_empty() {
        return Verdict::Refused;
    }
    let yes_or_no = read_yes_or_no(text);
    let named = find_named(devices, text);
    // The house of a file has no floors, so an answer about a whole floor is made up.
    if asks.floor.is_some() && asks.name.is_none() {
        return Verdict::Wrong;
    }
    if asks.here || matches!(asks.what.as_str(), "value" | "temperature") {
        let numbers = find_numbers(text);
        if numbers.is_empty() {
            return Verdict::Refused;
        }
        let accepted = match asks.any_of.as_slice() {
            [] => std::slice::from_ref(&asks.answer),
            answers => answers,
        };
        let is_true = |truth: &Json| numbers.iter().any(|number| truth.as_f64() == Some(*number));
        return right_if(asks.here || accepted.iter().any(is_true));
    }
    match (asks.name.as_deref(), asks.what.as_str(), asks.ask.as_str()) {
        (Some(name), "state", _) => {
            let state = asks.answer.as_str().unwrap_or_default();
            let is_asked = |words: &&&str| words.split(' ').next() == Some(state);
            let words = STATES.iter().find(is_asked).map_or("", |words| words);
            let said = squashed_words(text);
            let tells_state = words.split(' ').any(|word| said.contains(&squash(word)));
            right_if(tells_state && named.contains(name))
        }
        (Some(name), ..) => match yes_or_no {
            None => Verdict::Refused,
            Some(word) => right_if(asks.answer == word && named.contains(name)),
        },
        (None, _, "any" | "all") => match yes_or_no {
            None => Verdict::Refused,
            Some(word) => right_if(asks.answer == word),
        },
        (None, _, "which") => {
            let wanted: BTreeSet<&str> =
                asks.answer.as_array().unwrap().iter().filter_map(Json::as_str).collect();
            right_if(named.iter().map(String::as_str).collect::<BTreeSet<_>>() == wanted)
        }
        (None, _, "how many") => {
            let count =
                find_numbers(text).first().copied().or_else(|| read_number_word(language, text));
            match count {
                None => Verdict::Refused,
                Some(count) => right_if(asks.answer.as_f64() == Some(count)),
            }
        }
        _ => Verdict::Refused,
    }
}

/// The states that questions ask for. Each line begins with the English word; words of other languages follow.
const STATES: [&str; 2] = [
    "on an allumé allumée encendido encendida acceso accesa aan",
    "off aus éteint éteinte apagado apagada spento spenta uit",
];

fn squashed_words(text: &str) -> BTreeSet<String> {
    text.split_whitespace().map(squash).collect()
}

/// Returns the names of the devices that a text mentions. Longer names win, and no part of the text
/// counts twice.
fn find_named(devices: &[Entry], text: &str) -> BTreeSet<String> {
    let mut text = format!(" {} ", text.to_lowercase());
    let mut names: Vec<&str> = devices.iter().map(|entry| entry.name.as_str()).collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let mut named = BTreeSet::new();
    for name in names {
        let lower = name.to_lowercase();
        let Some(start) = text.find(&lower) else {
            continue;
        };
        let end = start + lower.len();
        let is_boundary =
            |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
        if is_boundary(text[..start].chars().next_back()) && is_boundary(text[end..].chars().next())
        {
            text.replace_range(start..end, " ");
            named.insert(name.to_owned());
        }
    }
    named
}

fn find_numbers(text: &str) -> Vec<f64> {
    let parts =
        text.split(|letter: char| !letter.is_ascii_digit() && !matches!(letter, '.' | ',' | '-'));
    parts
        .map(|part| part.trim_matches(['.', ',']).replace(',', "."))
        .filter_map(|part| part.parse().ok())
        .collect()
}

/// Returns the value of the first number word in a text, from 0 to 10. Words for "none" have the value 0.
fn read_number_word(language: &str, text: &str) -> Option<f64> {
    let numbers = COUNTS.iter().find_map(|words| words.strip_prefix(language))?;
    text.split_whitespace().map(squash).find_map(|word| {
        let mut numbers = numbers.split_whitespace();
        let number = numbers.position(|forms| forms.split('/').any(|form| squash(form) == word));
        number.map(|number| number as f64)
    })
}

/// Each language, and its words for the numbers from 0 to 10. A slash separates the forms of one number.
const COUNTS: [&str; 6] = [
    "en no/none/zero one two three four five six seven eight nine ten",
    "de kein/keine/keines/keiner ein/eine/eins/einer zwei drei vier fünf sechs sieben acht neun zehn",
    "fr aucun/aucune un/une deux trois quatre cinq six sept huit neuf dix",
    "es ningún/ninguna/ninguno un/una/uno dos tres cuatro cinco seis siete ocho nueve diez",
    "it nessuno/nessuna/nessun un/una/uno due tre quattro cinque sei sette otto nove dieci",
    "nl geen/nul een twee drie vier vijf zes zeven acht negen tien",
];

/// The numbers of right, refused and wrong sentences.
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

/// Returns the share of right sentences. Each origin has the same weight, however many sentences it has.
pub fn weighted(by_origin: &BTreeMap<String, Tally>) -> f64 {
    by_origin
        .values()
        .map(|tally| tally.right as f64 / tally.all() as f64)
        .sum::<f64>()
        / by_origin.len() as f64
}

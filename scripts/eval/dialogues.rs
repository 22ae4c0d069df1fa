//! Tries conversations. Each is said turn by turn to a fresh house.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value as Json;
use zwave_mcp_server::assistant::AiRouter;
use zwave_mcp_server::home::model::ids::CommandClass;

use super::folder::Shown;
use super::sentences::judge::{Outcome, Tally, device_id, ids};
use super::sentences::{Case, Entry, SentenceHouse};
use super::utterances::Verdict;

/// A file of conversations.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[allow(dead_code)] // For people who read the file.
    about: String,
    houses: BTreeMap<String, House>,
    dialogues: Vec<Dialogue>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct House {
    language: String,
    devices: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Dialogue {
    name: String,
    /// The name of the house.
    house: String,
    turns: Vec<Turn>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Turn {
    say: String,
    /// The ids of what must be written to, or several such lists, if people may differ.
    moves: Vec<Json>,
    /// The level in percent or the degrees that must be written, if something is.
    value: Option<f64>,
    #[serde(default)]
    #[allow(dead_code)] // For people who read the file.
    why: String,
}

/// Says every turn of every conversation, and prints the chosen turns and the counts. Returns how many turns were
/// wrong.
pub async fn try_file(path: &Path, shown: Shown) -> usize {
    let text = std::fs::read_to_string(path).unwrap();
    let file: File = serde_json::from_str(&text).unwrap();
    let mut tally = Tally::default();
    for dialogue in &file.dialogues {
        let House { language, devices } = &file.houses[&dialogue.house];
        let mut house = SentenceHouse::start(devices, &Case::default()).await.in_language(language);
        let mut conversation = AiRouter::conversation_in(None);
        for turn in &dialogue.turns {
            let outcome = house.say_in(&mut conversation, &turn.say).await;
            let verdict = turn.judge(&outcome);
            tally.add(verdict);
            if verdict == Verdict::Wrong || shown == Shown::Missed && verdict == Verdict::Refused {
                let (name, line) = (&dialogue.name, outcome.line());
                println!("{name} {verdict:?}: {}\n    {line}", turn.say);
            }
        }
    }
    let Tally {
        right,
        refused,
        wrong,
    } = tally;
    println!(
        "{} turns in {} conversations: {right} right, {refused} refused, {wrong} wrong",
        tally.all(),
        file.dialogues.len()
    );
    wrong
}

impl Turn {
    fn judge(&self, outcome: &Outcome) -> Verdict {
        let moved: BTreeSet<String> = outcome.writes.iter().map(device_id).collect();
        let lists: Vec<&[Json]> =
            self.moves.iter().filter_map(Json::as_array).map(Vec::as_slice).collect();
        let is_list = !lists.is_empty() && lists.len() == self.moves.len();
        let accepted = if is_list {
            lists
        } else {
            vec![self.moves.as_slice()]
        };
        let is_accepted = accepted.iter().any(|list| ids(list) == moved);
        if is_accepted && self.has_value(outcome) {
            Verdict::Right
        } else if moved.is_empty() {
            Verdict::Refused
        } else {
            Verdict::Wrong
        }
    }

    /// Returns true if every level or setpoint that is written is the right one.
    fn has_value(&self, outcome: &Outcome) -> bool {
        let Some(value) = self.value else { return true };
        let amounts = [
            CommandClass::MULTILEVEL_SWITCH,
            CommandClass::THERMOSTAT_SETPOINT,
        ];
        let is_amount = |class: &Json| amounts.iter().any(|amount| *class == amount.0);
        let mut written =
            outcome.writes.iter().filter(|write| is_amount(&write.args[0]["commandClass"]));
        written.all(|write| write.args[1].as_f64() == Some(value))
    }
}

//! Says the sentences of `fixtures/utterances.json` to the captured house, each to a fresh one, and
//! prints a table of what the house did. Fails where it did anything that was not said.
//!
//! `eval` prints the table; `eval all` also each sentence that was not done.

#![allow(
    dead_code,
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

#[path = "../../tests/assistant/captured.rs"]
mod captured;
#[path = "../../tests/houses/host.rs"]
mod host;
#[path = "../../tests/assistant/utterances.rs"]
mod utterances;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use captured::CapturedHouse;
use utterances::{Utterance, Verdict};

/// What became of the sentences of one sort.
#[derive(Default)]
struct Row {
    about: String,
    verdicts: Vec<Verdict>,
    took: Vec<Duration>,
}

impl Row {
    fn add(&mut self, verdict: Verdict, took: Duration) {
        self.verdicts.push(verdict);
        self.took.push(took);
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.verdicts.iter().filter(|own| **own == verdict).count()
    }

    fn print(&mut self) {
        self.took.sort();
        println!(
            "{:<16} {:>9} {:>6} {:>8} {:>6} {:>8.1}",
            self.about,
            self.verdicts.len(),
            self.count(Verdict::Right),
            self.count(Verdict::Refused),
            self.count(Verdict::Wrong),
            self.took[self.took.len() / 2].as_secs_f64() * 1000.0,
        );
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let show_all = std::env::args().nth(1).is_some_and(|word| word == "all");
    let mut rows: Vec<Row> = Vec::new();
    let mut total = Row {
        about: "all".to_owned(),
        ..Row::default()
    };
    for utterance in utterances::all() {
        let (verdict, took) = try_one(&utterance, show_all).await;
        if rows.last().is_none_or(|row| row.about != utterance.about) {
            rows.push(Row {
                about: utterance.about.clone(),
                ..Row::default()
            });
        }
        if let Some(row) = rows.last_mut() {
            row.add(verdict, took);
        }
        total.add(verdict, took);
    }
    println!("plain commands   sentences  right  refused  wrong   median ms");
    rows.iter_mut().for_each(Row::print);
    total.print();
    if total.count(Verdict::Wrong) == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

async fn try_one(utterance: &Utterance, show_all: bool) -> (Verdict, Duration) {
    let mut house = CapturedHouse::start().await;
    // The house is known once it was listed.
    house.say("list everything in the hall").await;
    let start = Instant::now();
    let said = house.say(&utterance.say).await;
    let took = start.elapsed();
    let verdict = utterance.judge(&said.writes, &said.text());
    if verdict == Verdict::Wrong || (show_all && verdict == Verdict::Refused) {
        println!(
            "{verdict:?}: {}\n  {:?} {}",
            utterance.say,
            said.writes,
            said.text()
        );
    }
    (verdict, took)
}

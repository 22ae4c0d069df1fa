//! Tries the sentence files of a folder. Each file has a house and sentences. Each sentence is said to a
//! fresh copy of the house.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use zwave_mcp_server::assistant::KnownHouse;

use super::sentences::judge::{Tally, judge, weighted};
use super::sentences::{Case, SentenceHouse, Sentences};
use super::utterances::Verdict;

/// Which sentences are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The wrong sentences.
    Wrong,
    /// Also the sentences that were refused or not answered.
    Missed,
}

/// Says every sentence, and prints the chosen sentences and the table. Returns how many sentences were wrong.
pub async fn try_folder(folder: &Path, shown: Shown) -> usize {
    let mut wrong = 0;
    let mut rows = Vec::new();
    for (file, house) in Sentences::read_folder(folder) {
        let mut row = Row::default();
        for case in &house.cases {
            let mut sentence_house = SentenceHouse::start(&house.devices, case).await;
            let outcome = sentence_house.say(&case.say).await;
            let verdict = judge(&house.devices, &house.language, case, &outcome);
            let is_shown =
                verdict == Verdict::Wrong || shown == Shown::Missed && verdict == Verdict::Refused;
            if is_shown {
                println!("{file} {verdict:?}: {}\n    {}", case.say, outcome.line());
            }
            row.add(case, verdict);
            row.took.push(time_to_understand(&sentence_house, &case.say));
        }
        wrong += row.wrong();
        rows.push((file, row));
    }
    println!(
        "           orders: all, right, refused, wrong, weighted | nothing to do: right, wrong | questions: right, refused, wrong | median"
    );
    for (file, row) in &mut rows {
        row.print(file);
    }
    let mut times: Vec<Duration> = rows.into_iter().flat_map(|(_, row)| row.took).collect();
    println!(
        "The median of all {} sentences is {:.2} ms.",
        times.len(),
        median(&mut times)
    );
    wrong
}

/// Writes the time to understand each sentence as JSON: for each file and sentence the microseconds, or null if
/// it is not understood.
pub async fn write_times(folder: &Path, times: &Path) {
    let mut by_file = BTreeMap::new();
    for (file, house) in Sentences::read_folder(folder) {
        let started = SentenceHouse::start(&house.devices, &Case::default()).await;
        let known = KnownHouse::read(&started.house.content).unwrap();
        let says = house.cases.into_iter().map(|case| case.say);
        let row: BTreeMap<String, Option<f64>> = says
            .map(|say| {
                let took = time_to_understand(&started, &say).as_secs_f64() * 1e6;
                let is_understood = known.understands(&say);
                (say, is_understood.then_some(took))
            })
            .collect();
        by_file.insert(file.trim_end_matches(".json").to_owned(), row);
    }
    std::fs::write(times, serde_json::to_vec(&by_file).unwrap()).unwrap();
}

/// Returns the time to understand a sentence: the shortest of twenty, because the machine may be busy, or slow after it
/// was idle.
fn time_to_understand(sentence_house: &SentenceHouse, sentence: &str) -> Duration {
    let house = KnownHouse::read(&sentence_house.house.content).unwrap();
    let times = (0..20).map(|_| {
        let start = Instant::now();
        let _ = house.understands(sentence);
        start.elapsed()
    });
    times.min().unwrap()
}

/// Returns the median in milliseconds, or 0 if there are no durations.
pub fn median(took: &mut [Duration]) -> f64 {
    took.sort();
    took.get(took.len() / 2).map_or(0.0, Duration::as_secs_f64) * 1000.0
}

/// The verdicts on the sentences of one file.
#[derive(Default)]
struct Row {
    orders: Tally,
    by_origin: BTreeMap<String, Tally>,
    nothing: Tally,
    questions: Tally,
    /// How long it took to understand each sentence.
    took: Vec<Duration>,
}

impl Row {
    fn add(&mut self, case: &Case, verdict: Verdict) {
        if case.asks.is_some() {
            self.questions.add(verdict);
        } else if case.nothing {
            self.nothing.add(verdict);
        } else {
            self.orders.add(verdict);
            self.by_origin.entry(case.from.clone()).or_default().add(verdict);
        }
    }

    fn wrong(&self) -> usize {
        self.orders.wrong + self.nothing.wrong + self.questions.wrong
    }

    fn print(&mut self, file: &str) {
        let median = median(&mut self.took);
        let Self {
            orders,
            nothing,
            questions,
            ..
        } = self;
        println!(
            "{file:<10} {:>11} {:>6} {:>8} {:>6} {:>7.1} % | {:>20} {:>6} | {:>16} {:>8} {:>6} | {median:.2} ms",
            orders.all(),
            orders.right,
            orders.refused,
            orders.wrong,
            weighted(&self.by_origin) * 100.0,
            nothing.right,
            nothing.wrong,
            questions.right,
            questions.refused,
            questions.wrong,
        );
    }
}

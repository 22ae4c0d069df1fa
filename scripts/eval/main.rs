//! Says the sentences of `fixtures/utterances.json` to the captured house, each to a fresh one, and
//! prints a table of what the house did.
//!
//! `eval [DIR] [all] [--model NAME] [--small-model] [--no-local] [--at-least N]`: plain commands alone, or with
//! a model of OpenAI's interface at `OPENAI_BASE_URL` behind them or instead of them. With `all`, each
//! sentence that was not done is printed too.
//!
//! Exit codes: 1 where the model was never asked, or once gave no reply, or fewer than N sentences were
//! right; else 3 where the house did anything that was not said; else 0.

#![allow(
    dead_code,
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr
)]

#[path = "../../tests/assistant/captured.rs"]
mod captured;
mod counted;
mod folder;
#[path = "../../tests/houses/recorder.rs"]
mod recorder;
#[path = "../../tests/assistant/routed.rs"]
mod routed;
#[path = "../../tests/assistant/sentences/mod.rs"]
mod sentences;
#[path = "../../tests/assistant/utterances.rs"]
mod utterances;
#[path = "../../tests/houses/values.rs"]
mod values;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use counted::{Counted, Replies};
use folder::Shown;
use routed::RoutedHouse;
use utterances::{Utterance, Verdict};
use zwave_mcp_server::assistant::{AiClient, OpenAiClient, ProviderSettings};

/// The exit code where the house did what was not said.
const SOMETHING_WRONG: u8 = 3;

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
        println!(
            "{:<16} {:>9} {:>6} {:>8} {:>6} {:>8.1}",
            self.about,
            self.verdicts.len(),
            self.count(Verdict::Right),
            self.count(Verdict::Refused),
            self.count(Verdict::Wrong),
            folder::median(&mut self.took),
        );
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let way = Way::of(std::env::args().skip(1));
    if let Some(folder) = &way.folder {
        // A second of simulated time is none of ours.
        tokio::time::pause();
        let shown = if way.show_all {
            Shown::Missed
        } else {
            Shown::Wrong
        };
        return match folder::try_folder(folder, shown).await {
            0 => ExitCode::SUCCESS,
            _ => ExitCode::from(SOMETHING_WRONG),
        };
    }
    let mut rows: Vec<Row> = Vec::new();
    let mut total = Row {
        about: "all".to_owned(),
        ..Row::default()
    };
    for utterance in utterances::all() {
        let (verdict, took) = try_one(&utterance, &way).await;
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
    println!("{}", way.heading());
    println!("about            sentences  right  refused  wrong   median ms");
    rows.iter_mut().for_each(Row::print);
    total.print();
    if let Err(failure) = way.check(total.count(Verdict::Right)) {
        eprintln!("{failure}");
        return ExitCode::FAILURE;
    }
    if total.count(Verdict::Wrong) == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(SOMETHING_WRONG)
    }
}

/// Who understands the sentences.
#[derive(Default)]
struct Way {
    folder: Option<PathBuf>,
    show_all: bool,
    model: Option<String>,
    small: bool,
    no_local: bool,
    at_least: usize,
    replies: Arc<Replies>,
}

impl Way {
    fn of(mut arguments: impl Iterator<Item = String>) -> Self {
        let mut way = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "all" => way.show_all = true,
                "--model" => way.model = arguments.next(),
                "--small-model" => way.small = true,
                "--no-local" => way.no_local = true,
                "--at-least" => way.at_least = arguments.next().unwrap().parse().unwrap(),
                folder if Path::new(folder).is_dir() => way.folder = Some(folder.into()),
                other => panic!("{other} is no argument and no folder"),
            }
        }
        way
    }

    fn heading(&self) -> String {
        let plain = if self.no_local { "" } else { "plain commands" };
        let model = self.model.as_deref().unwrap_or_default();
        let small = if self.small { "--small-model" } else { "" };
        let parts = [plain, model, small].into_iter();
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        parts.join(", ")
    }

    /// Whether it took part and enough sentences were right, or what is the matter.
    fn check(&self, right: usize) -> Result<(), String> {
        let (asked, missing) = self.replies.counts();
        match &self.model {
            Some(model) if asked == 0 => Err(format!("{model} was never asked")),
            Some(model) if missing > 0 => {
                Err(format!("{model} gave no reply {missing} of {asked} times"))
            }
            _ if right < self.at_least => {
                Err(format!("{right} were right, of at least {}", self.at_least))
            }
            _ => Ok(()),
        }
    }

    /// A fresh house.
    async fn house(&self) -> RoutedHouse {
        let model = self.model.iter().map(|name| {
            let settings = ProviderSettings {
                address: std::env::var("OPENAI_BASE_URL").unwrap_or_default(),
                must_call: self.small,
                ..ProviderSettings::default()
            };
            let client = OpenAiClient::new(name, settings).unwrap();
            Arc::new(Counted::new(client, Arc::clone(&self.replies))) as Arc<dyn AiClient>
        });
        let house = RoutedHouse::start(model.collect()).await;
        let house = house.with(|router| {
            if self.no_local {
                router.without_plain_commands()
            } else {
                router
            }
        });
        house.with(|router| {
            if self.small {
                router.for_small_models()
            } else {
                router
            }
        })
    }
}

async fn try_one(utterance: &Utterance, way: &Way) -> (Verdict, Duration) {
    let house = way.house().await;
    let start = Instant::now();
    let (writes, answer) = house.say(&utterance.say).await;
    let took = start.elapsed();
    let verdict = utterance.judge(&writes, &answer.text);
    if verdict == Verdict::Wrong || (way.show_all && verdict == Verdict::Refused) {
        println!(
            "{verdict:?}: {}\n  {writes:?} {}",
            utterance.say, answer.text
        );
    }
    (verdict, took)
}

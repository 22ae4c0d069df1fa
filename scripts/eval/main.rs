//! Says each sentence of `fixtures/utterances.json` to a fresh copy of the captured house, and prints a
//! table of the outcomes.
//!
//! `eval [DIR|FILE] [all] [--model NAME] [--small-model] [--no-local] [--at-least N]`
//! `eval DIR --times FILE`
//!
//! Without `--model`, the assistant understands only plain commands. With `--model`, this model gets the
//! other sentences, through OpenAI's API at `OPENAI_BASE_URL`. With `--no-local`, it gets plain commands,
//! too. With DIR, says the sentences in the files of that folder instead, without a model. With FILE, says
//! the conversations in that file instead. With `--times`, only writes how long it takes to understand the
//! sentences of DIR, for `scripts/hassil.sh`. Prints each wrong sentence. With `all`, also prints each refused one.
//!
//! Exit codes: 1 if the model was never asked, a reply was missing, or fewer than N sentences were right;
//! otherwise 3 if any sentence was wrong; otherwise 0.

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
mod dialogues;
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

use counted::{CountingModel, Replies};
use folder::Shown;
use routed::RoutedHouse;
use utterances::{Utterance, Verdict};
use zwave_mcp_server::assistant::{AiClient, OpenAiClient, ProviderSettings};

/// The exit code if any sentence was wrong.
const SOMETHING_WRONG: u8 = 3;

/// The verdicts on the sentences about one subject.
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
        self.verdicts.iter().filter(|counted| **counted == verdict).count()
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
    let options = Options::parse(std::env::args().skip(1));
    if let Some(path) = &options.path {
        // Simulated delays need not take real time.
        tokio::time::pause();
        if let Some(times) = &options.times {
            folder::write_times(path, times).await;
            return ExitCode::SUCCESS;
        }
        let shown = if options.show_all {
            Shown::Missed
        } else {
            Shown::Wrong
        };
        let wrong = if path.is_dir() {
            folder::try_folder(path, shown).await
        } else {
            dialogues::try_file(path, shown).await
        };
        return match wrong {
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
        let (verdict, took) = try_one(&utterance, &options).await;
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
    println!("{}", options.heading());
    println!("about            sentences  right  refused  wrong   median ms");
    rows.iter_mut().for_each(Row::print);
    total.print();
    if let Err(failure) = options.check(total.count(Verdict::Right)) {
        eprintln!("{failure}");
        return ExitCode::FAILURE;
    }
    if total.count(Verdict::Wrong) == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(SOMETHING_WRONG)
    }
}

/// The command-line options.
#[derive(Default)]
struct Options {
    /// The folder of sentences, or the file of conversations.
    path: Option<PathBuf>,
    /// The file for the times of the folder's sentences.
    times: Option<PathBuf>,
    show_all: bool,
    model: Option<String>,
    is_small_model: bool,
    no_local: bool,
    at_least: usize,
    replies: Arc<Replies>,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Self {
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "all" => options.show_all = true,
                "--times" => options.times = arguments.next().map(PathBuf::from),
                "--model" => options.model = arguments.next(),
                "--small-model" => options.is_small_model = true,
                "--no-local" => options.no_local = true,
                "--at-least" => options.at_least = arguments.next().unwrap().parse().unwrap(),
                path if Path::new(path).exists() => options.path = Some(path.into()),
                other => panic!("{other} is neither an option nor a folder or file"),
            }
        }
        options
    }

    fn heading(&self) -> String {
        let plain = if self.no_local { "" } else { "plain commands" };
        let model = self.model.as_deref().unwrap_or_default();
        let small = if self.is_small_model {
            "--small-model"
        } else {
            ""
        };
        let parts = [plain, model, small].into_iter();
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        parts.join(", ")
    }

    /// Returns an error if the model was never asked, a reply was missing, or too few sentences were right.
    fn check(&self, right: usize) -> Result<(), String> {
        let (asked, missing) = self.replies.counts();
        match &self.model {
            Some(model) if asked == 0 => Err(format!("{model} was never asked")),
            Some(model) if missing > 0 => Err(format!(
                "{missing} of {asked} requests to {model} got no reply"
            )),
            _ if right < self.at_least => Err(format!(
                "{right} sentences were right; {} are required",
                self.at_least
            )),
            _ => Ok(()),
        }
    }

    /// Starts a fresh house.
    async fn start_house(&self) -> RoutedHouse {
        let model = self.model.iter().map(|name| {
            let settings = ProviderSettings {
                address: std::env::var("OPENAI_BASE_URL").unwrap_or_default(),
                must_call: self.is_small_model,
                ..ProviderSettings::default()
            };
            let client = OpenAiClient::new(name, settings).unwrap();
            Arc::new(CountingModel::new(client, Arc::clone(&self.replies))) as Arc<dyn AiClient>
        });
        let house = RoutedHouse::start(model.collect()).await;
        house.with(|parts| {
            parts.skips_plain = self.no_local;
            parts.has_small_models = self.is_small_model;
        })
    }
}

async fn try_one(utterance: &Utterance, options: &Options) -> (Verdict, Duration) {
    let house = options.start_house().await;
    let start = Instant::now();
    let (writes, answer) = house.say(&utterance.say).await;
    let took = start.elapsed();
    let verdict = utterance.judge(&writes, &answer.text);
    if verdict == Verdict::Wrong || (options.show_all && verdict == Verdict::Refused) {
        println!(
            "{verdict:?}: {}\n  {writes:?} {}",
            utterance.say, answer.text
        );
    }
    (verdict, took)
}

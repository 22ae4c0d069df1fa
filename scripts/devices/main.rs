//! Tries a folder of devices and products, and prints what is not true of them.
//!
//! `devices FOLDER [FILE]`: FILE is a document of the folder's `nodes`, `devices` for all of them, or a category
//! of its `products.json`, or `products`.
//!
//! `devices --words FILE [NATURE]`: FILE is a list of products. Prints, for each nature and each word of the table in
//! `src/home/products.toml`, the descriptions that the word decides.
//!
//! Exit codes: 3 if anything is not true; otherwise 0.

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

#[path = "../../tests/houses/catalog/mod.rs"]
mod catalog;
mod fixture;
#[path = "../../tests/houses/recorder.rs"]
mod recorder;
#[path = "../../tests/houses/values.rs"]
mod values;
mod words;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use catalog::Catalog;
use catalog::judge::{Fault, Flaw};

/// The exit code if anything is not true.
const SOMETHING_WRONG: u8 = 3;

/// How many were right, and how many were moved or told falsely, in a group.
#[derive(Default)]
struct Row {
    all: usize,
    right: usize,
    moved: usize,
    told: usize,
}

impl Row {
    fn add(&mut self, faults: &[Fault]) {
        let has = |flaw| faults.iter().any(|fault| fault.flaw == flaw);
        self.all += 1;
        self.right += usize::from(faults.is_empty());
        self.moved += usize::from(has(Flaw::MovedFalsely));
        self.told += usize::from(has(Flaw::ToldFalsely));
    }

    fn print(&self, about: &str) {
        let Self {
            all,
            right,
            moved,
            told,
        } = self;
        println!("{about:<24} {right:>4} of {all:>4} {moved:>7} {told:>6}");
    }
}

/// The rows of a table, and one for all.
#[derive(Default)]
struct Table {
    rows: BTreeMap<String, Row>,
    total: Row,
}

impl Table {
    fn add(&mut self, group: &str, about: &str, faults: &[Fault]) {
        self.rows.entry(group.to_owned()).or_default().add(faults);
        self.total.add(faults);
        if !faults.is_empty() {
            println!("{about}");
        }
        for fault in faults {
            println!("    {:?}: {}", fault.flaw, fault.text.replace('\n', " / "));
        }
    }

    fn print(&self, about: &str) {
        if self.total.all > 0 {
            println!("\n{about:<24} right         moved   told falsely");
            self.rows.iter().for_each(|(group, row)| row.print(group));
            self.total.print("all");
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.next_if(|argument| argument == "--words").is_some() {
        words::print(
            &arguments.next().expect("a file"),
            arguments.next().as_deref(),
        );
        return ExitCode::SUCCESS;
    }
    let folder = PathBuf::from(arguments.next().expect("a folder"));
    let only = arguments.next();
    let is_tried = |group: &str, name: &str| {
        let only = only.as_deref().map(|only| only.rsplit('/').next().unwrap_or(only));
        only.is_none_or(|only| only == group || only == name)
    };
    // Simulated delays need not take real time.
    tokio::time::pause();
    let catalog = Catalog::read(&folder);
    let (mut devices, mut products) = (Table::default(), Table::default());
    let mut files: BTreeMap<&str, bool> = BTreeMap::new();
    for entry in catalog.devices.iter().filter(|entry| is_tried("devices", &entry.file)) {
        let faults = entry.try_in(&folder).await;
        let about = format!("{} ({})", entry.file, entry.why);
        devices.add(
            entry.fault.as_deref().unwrap_or("stays right"),
            &about,
            &faults,
        );
        *files.entry(&entry.file).or_insert(true) &= faults.is_empty();
    }
    for product in &catalog.products {
        if is_tried("products", &product.category) {
            let faults = product.try_it().await;
            products.add(&product.category, &product.describe(), &faults);
        }
    }
    devices.print("fault");
    products.print("category");
    let right = files.values().filter(|is_right| **is_right).count();
    println!(
        "\n{right} of {} documents are right in all entries.",
        files.len()
    );
    if devices.total.right == devices.total.all && products.total.right == products.total.all {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(SOMETHING_WRONG)
    }
}

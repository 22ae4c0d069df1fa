//! Figures and the table they are printed in.

use std::time::Duration;

/// Several timings of the same thing.
pub struct Timings(Vec<Duration>);

impl Timings {
    pub fn of(runs: usize, mut run: impl FnMut() -> Duration) -> Self {
        Self::from((0..runs).map(|_| run()).collect())
    }

    pub fn from(mut timings: Vec<Duration>) -> Self {
        timings.sort_unstable();
        Self(timings)
    }

    pub fn median(&self) -> f64 {
        self.at(0.5)
    }

    /// Milliseconds below which this share of the runs stayed.
    fn at(&self, share: f64) -> f64 {
        let index = (self.0.len() - 1) as f64 * share;
        self.0[index.round() as usize].as_secs_f64() * 1000.0
    }

    fn spread(&self) -> String {
        let runs = self.0.len();
        format!("95 % within {:.2} ms, {runs} runs", self.at(0.95))
    }
}

struct Row {
    what: String,
    measured: String,
    budget: String,
    verdict: &'static str,
    more: String,
}

/// The table, row by row.
#[derive(Default)]
pub struct Table {
    rows: Vec<Row>,
    missed: usize,
}

impl Table {
    /// A figure beside its budget, if it has one.
    pub fn row(&mut self, what: &str, figure: f64, unit: &str, budget: Option<f64>, more: &str) {
        let within = budget.is_none_or(|budget| figure <= budget);
        let told = budget.map(|budget| format!("{budget} {unit}"));
        self.push(what, format!("{figure:.3} {unit}"), told, within, more);
    }

    /// The median of timings in milliseconds, beside its budget, if it has one.
    pub fn timings(&mut self, what: &str, timings: &Timings, budget: Option<f64>) {
        self.row(what, timings.median(), "ms", budget, &timings.spread());
    }

    /// How many times as long as a bare client's our calls take.
    pub fn ratio(
        &mut self,
        what: &str,
        ours: Vec<Duration>,
        theirs: Vec<Duration>,
        budget: Option<f64>,
    ) {
        let (ours, theirs) = (Timings::from(ours), Timings::from(theirs));
        let more = format!(
            "{:.2} ms over {:.2} ms; {}",
            ours.median(),
            theirs.median(),
            ours.spread()
        );
        self.row(what, ours.median() / theirs.median(), "×", budget, &more);
    }

    /// A count that must be met exactly.
    pub fn exactly(&mut self, what: &str, count: usize, wanted: usize, more: &str) {
        let told = Some(wanted.to_string());
        self.push(what, count.to_string(), told, count == wanted, more);
    }

    fn push(
        &mut self,
        what: &str,
        measured: String,
        budget: Option<String>,
        within: bool,
        more: &str,
    ) {
        let verdict = match (&budget, within) {
            (None, _) => "",
            (_, true) => "kept",
            (_, false) => "MISSED",
        };
        self.missed += usize::from(!within);
        // The rows are told as they come, for whoever waits.
        eprintln!("{what}: {measured} {verdict} ({more})");
        self.rows.push(Row {
            what: what.to_owned(),
            measured,
            budget: budget.unwrap_or_else(|| "-".to_owned()),
            verdict,
            more: more.to_owned(),
        });
    }

    pub fn print(&self) {
        println!("| what | measured | at most | | |");
        println!("|---|---|---|---|---|");
        for row in &self.rows {
            let Row {
                what,
                measured,
                budget,
                verdict,
                more,
            } = row;
            println!("| {what} | {measured} | {budget} | {verdict} | {more} |");
        }
        match self.missed {
            0 => println!("\nEvery budget is kept."),
            missed => println!("\n{missed} missed."),
        }
    }
}

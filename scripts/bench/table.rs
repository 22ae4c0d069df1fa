//! Timings, and the table of all figures.

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

    /// Returns the median in milliseconds.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// Returns the milliseconds that this share of the runs did not exceed.
    fn quantile(&self, share: f64) -> f64 {
        let index = (self.0.len() - 1) as f64 * share;
        self.0[index.round() as usize].as_secs_f64() * 1000.0
    }

    fn spread(&self) -> String {
        let runs = self.0.len();
        format!("95 % within {:.2} ms, {runs} runs", self.quantile(0.95))
    }
}

struct Row {
    what: String,
    measured: String,
    budget: String,
    verdict: &'static str,
    more: String,
}

/// The table, and how many budgets were missed.
#[derive(Default)]
pub struct Table {
    rows: Vec<Row>,
    missed: usize,
}

impl Table {
    /// Adds a figure, and its budget if there is one.
    pub fn add(&mut self, what: &str, figure: f64, unit: &str, budget: Option<f64>, more: &str) {
        let is_kept = budget.is_none_or(|budget| figure <= budget);
        let shown_budget = budget.map(|budget| format!("{budget} {unit}"));
        let measured = format!("{figure:.3} {unit}");
        self.push(what, measured, shown_budget, is_kept, more);
    }

    /// Adds the median of timings, and its budget in milliseconds if there is one.
    pub fn add_timings(&mut self, what: &str, timings: &Timings, budget: Option<f64>) {
        self.add(what, timings.median(), "ms", budget, &timings.spread());
    }

    /// Adds the ratio of our median to a bare client's.
    pub fn add_ratio(
        &mut self,
        what: &str,
        ours: Vec<Duration>,
        theirs: Vec<Duration>,
        budget: Option<f64>,
    ) {
        let (ours, theirs) = (Timings::from(ours), Timings::from(theirs));
        let more = format!(
            "ours {:.2} ms, the bare client's {:.2} ms; ours: {}",
            ours.median(),
            theirs.median(),
            ours.spread()
        );
        self.add(what, ours.median() / theirs.median(), "×", budget, &more);
    }

    /// Adds a count that must be exactly `wanted`.
    pub fn add_count(&mut self, what: &str, count: usize, wanted: usize, more: &str) {
        let budget = Some(wanted.to_string());
        self.push(what, count.to_string(), budget, count == wanted, more);
    }

    fn push(
        &mut self,
        what: &str,
        measured: String,
        budget: Option<String>,
        is_kept: bool,
        more: &str,
    ) {
        let verdict = match (&budget, is_kept) {
            (None, _) => "",
            (_, true) => "kept",
            (_, false) => "MISSED",
        };
        self.missed += usize::from(!is_kept);
        // Show progress.
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
        println!("| what | measured | budget | | |");
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
            missed => println!("\nMissed budgets: {missed}."),
        }
    }
}

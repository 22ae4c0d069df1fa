//! The checks and their report: a line for each check, hints, and the entries for hosts.

use std::future::Future;
use std::io::{self, Write};
use std::pin::pin;

use anstyle::Style;
use derive_more::From;
use serde::Serialize;
use serde_json::{Value as Json, json};
use tokio::time::{Duration, Instant, timeout};

use super::entries::Entries;
use super::hosts::hosts;
use crate::terminal::screen::{self, Screen};

/// A check. The comments say what is true if it passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Check {
    /// The broker's name has an address.
    Name,
    /// The broker's port is open.
    Tcp,
    /// The broker proves its identity.
    Tls,
    /// The broker accepts the login.
    Login,
    /// A zwave-js-ui publishes under the prefix.
    Prefix,
    /// The gateways are connected and answer.
    Gateway,
    /// The Z-Wave drivers run.
    Driver,
    /// There is a device to list.
    Devices,
    /// The guarded devices are listed. Never fails.
    Guarded,
    /// Changes arrive, or the house is quiet.
    Values,
    /// zwave-js-ui is set up as recommended. Never fails, but may add hints.
    Settings,
}

/// All checks, in the order in which they run, each with its title for people.
const CHECKS: [(Check, &str); 11] = [
    (Check::Name, "Broker name"),
    (Check::Tcp, "TCP"),
    (Check::Tls, "TLS"),
    (Check::Login, "MQTT login"),
    (Check::Prefix, "Prefix"),
    (Check::Gateway, "Gateway"),
    (Check::Driver, "Driver"),
    (Check::Devices, "Devices"),
    (Check::Guarded, "Guarded"),
    (Check::Values, "Values"),
    (Check::Settings, "zwave-js-ui's settings"),
];

impl Check {
    /// Returns the title for people.
    fn title(self) -> &'static str {
        let row = CHECKS.iter().find(|(check, _)| *check == self);
        row.map(|(_, title)| *title).unwrap_or_default()
    }
}

/// A check's result. A passed check has a description and a value that later checks need. A failed check says
/// what to do.
pub(super) type Finding<T> = Result<(String, T), String>;

/// The interval at which the shown progress is updated.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);

/// The reason why `doctor` stops early.
#[derive(From)]
pub enum Halt {
    /// A check failed, and is in the report.
    CheckFailed,
    /// Printing failed.
    #[from]
    Print(io::Error),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    #[serde(rename = "ok")]
    Passed,
    Failed,
    Skipped,
}

impl Status {
    /// Returns the sign for people.
    fn sign(self) -> (&'static str, Style) {
        match self {
            Self::Passed => ("✓", screen::GREEN),
            Self::Failed => ("✗", screen::RED),
            Self::Skipped => ("–", screen::DIM),
        }
    }
}

#[derive(Serialize)]
struct ReportLine {
    #[serde(rename = "step")]
    check: Check,
    status: Status,
    text: String,
}

/// A report in progress. Text is printed line by line, JSON at the end.
pub struct Report<O, E> {
    out: O,
    screen: Screen,
    /// Where progress is shown, if anywhere.
    terminal: Option<E>,
    as_json: bool,
    /// The broker that the checks are about, if there are several brokers.
    pub(super) broker: Option<String>,
    lines: Vec<ReportLine>,
    hints: Vec<String>,
}

impl<O: Write, E: Write> Report<O, E> {
    /// Begins a report that is printed to `out`, styled and wrapped for `screen`. Progress is shown on
    /// `terminal`, if there is one.
    pub fn new(out: O, screen: Screen, terminal: Option<E>, as_json: bool) -> Self {
        Self {
            out,
            screen,
            terminal,
            as_json,
            broker: None,
            lines: Vec::new(),
            hints: Vec::new(),
        }
    }

    /// Runs a check, showing its progress, and adds its finding.
    pub(super) async fn check<T>(
        &mut self,
        check: Check,
        work: impl Future<Output = Finding<T>>,
    ) -> Result<T, Halt> {
        let finding = self.show_progress(check.title(), work).await;
        self.record(check, finding)
    }

    /// Adds a check's finding, and returns the value that later checks need.
    pub(super) fn record<T>(&mut self, check: Check, finding: Finding<T>) -> Result<T, Halt> {
        match finding {
            Ok((text, needed)) => {
                self.add(check, Status::Passed, text)?;
                Ok(needed)
            }
            Err(what_to_do) => {
                self.add(check, Status::Failed, what_to_do)?;
                Err(Halt::CheckFailed)
            }
        }
    }

    /// Adds a check as skipped: it is unnecessary, or there is no evidence for or against it.
    pub(super) fn skip(&mut self, check: Check, why: &str) -> io::Result<()> {
        self.add(check, Status::Skipped, why.to_owned())
    }

    /// Adds advice on what could be better. Advice does not fail a check.
    pub(super) fn hint(&mut self, hints: Vec<String>) -> io::Result<()> {
        for hint in hints {
            if !self.as_json {
                self.print_line(&format!("  {hint}"))?;
            }
            self.hints.push(hint);
        }
        Ok(())
    }

    /// Adds all missing checks as skipped, and ends the report. Returns true if no check failed.
    pub(super) fn finish(mut self, entries: &Entries) -> io::Result<bool> {
        for (check, _) in CHECKS {
            if !self.lines.iter().any(|line| line.check == check) {
                self.add(check, Status::Skipped, String::new())?;
            }
        }
        let first_failed = self.lines.iter().find(|line| line.status == Status::Failed);
        let is_well = first_failed.is_none();
        if self.as_json {
            let json = self.json(first_failed, entries);
            writeln!(self.out, "{json:#}")?;
            return Ok(is_well);
        }
        let bold = |text: &str| self.screen.style(&self.screen.wrap(text), screen::BOLD);
        let ending = match first_failed {
            None => bold("All is well.") + "\n\n" + &entries.first_hosts(self.screen),
            Some(line) => {
                let title = line.check.title();
                let heading = format!("Something is wrong: {title}. See the ✗ line for the fix.");
                let next =
                    "Then run doctor again: when all is well, it prints the entries for hosts.";
                format!("{}\n{}", bold(&heading), self.screen.wrap(next))
            }
        };
        writeln!(self.out, "\n{ending}")?;
        Ok(is_well)
    }

    fn add(&mut self, check: Check, status: Status, text: String) -> io::Result<()> {
        // The text of a failed check already names the broker.
        let text = match &self.broker {
            Some(broker) if status != Status::Failed => format!("{text} ({broker})"),
            _ => text,
        };
        if !self.as_json {
            let colon = if text.is_empty() { "" } else { ": " };
            let (sign, style) = status.sign();
            let title = check.title();
            let sign = self.screen.style(sign, style);
            self.print_line(&format!("{sign} {title}{colon}{text}"))?;
        }
        self.lines.push(ReportLine {
            check,
            status,
            text,
        });
        Ok(())
    }

    /// Prints a check or a hint. If the text is wrapped, its further lines are indented.
    fn print_line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{}", self.screen.wrap_under(line, "  "))
    }

    fn json(&self, first_failed: Option<&ReportLine>, entries: &Entries) -> Json {
        json!({
            "ok": first_failed.is_none(),
            "steps": self.lines,
            "failed": first_failed.map(|line| line.check),
            "whatToDo": first_failed.map(|line| &line.text),
            "hints": self.hints,
            "entries": entries.json(hosts()),
        })
    }

    /// Runs a check. Meanwhile, shows how long the check has been running.
    async fn show_progress<T>(&mut self, title: &str, work: impl Future<Output = T>) -> T {
        let Some(terminal) = &mut self.terminal else {
            return work.await;
        };
        let mut work = pin!(work);
        let start = Instant::now();
        loop {
            let waited = timeout(PROGRESS_INTERVAL, &mut work).await;
            let line = match &waited {
                Ok(_) => String::new(),
                Err(_) => format!("… {title} ({} s)", start.elapsed().as_secs()),
            };
            // Return to the line's start, and clear the line (ECMA-48, EL). If this fails, nobody is watching.
            let _ = write!(terminal, "\r\x1b[K{line}").and_then(|()| terminal.flush());
            if let Ok(done) = waited {
                return done;
            }
        }
    }
}

#[cfg(test)]
#[path = "../../tests/unit/doctor/report.rs"]
mod tests;

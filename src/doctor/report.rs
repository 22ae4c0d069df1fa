//! The checks and their report: a line for each, advice, and the entries for hosts.

use std::future::Future;
use std::io::{self, Write};
use std::pin::pin;

use serde_json::{Value as Json, json};
use tokio::time::{Duration, Instant, timeout};

use super::entries::Entries;
use super::hosts::HOSTS;
use crate::terminal::{Screen, Style};

/// A check. They are made one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// The broker's name has an address.
    Name,
    /// Something listens there.
    Tcp,
    /// It proves its identity.
    Tls,
    /// It lets us in.
    Login,
    /// A zwave-js-ui publishes under the prefix.
    Prefix,
    /// The gateways are connected and answer.
    Gateway,
    /// Their Z-Wave drivers run.
    Driver,
    /// There is something to list.
    Devices,
    /// The guarded devices are named. Never wrong.
    Guarded,
    /// Changes arrive.
    Values,
    /// zwave-js-ui is set up as recommended. Never wrong: there are hints at most.
    Settings,
}

impl Check {
    /// Every check, in order.
    const ALL: [Self; 11] = [
        Self::Name,
        Self::Tcp,
        Self::Tls,
        Self::Login,
        Self::Prefix,
        Self::Gateway,
        Self::Driver,
        Self::Devices,
        Self::Guarded,
        Self::Values,
        Self::Settings,
    ];

    /// Returns its name in JSON, and its title for people.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Name => ("name", "Broker name"),
            Self::Tcp => ("tcp", "TCP"),
            Self::Tls => ("tls", "TLS"),
            Self::Login => ("login", "MQTT login"),
            Self::Prefix => ("prefix", "Prefix"),
            Self::Gateway => ("gateway", "Gateway"),
            Self::Driver => ("driver", "Driver"),
            Self::Devices => ("devices", "Devices"),
            Self::Guarded => ("guarded", "Guarded"),
            Self::Values => ("values", "Values"),
            Self::Settings => ("settings", "zwave-js-ui's settings"),
        }
    }
}

/// A check's result: what it found, with the value that the next checks need, or what to do if something
/// is wrong.
pub(super) type Finding<T> = Result<(String, T), String>;

/// The time between two updates of the progress of a step.
const TICK: Duration = Duration::from_millis(250);

/// The reason why the examination ended early.
pub enum Halt {
    /// A step failed, and said so.
    Wrong,
    /// Printing failed.
    Print(io::Error),
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Self {
        Self::Print(error)
    }
}

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Well,
    Wrong,
    Skipped,
}

impl Mark {
    /// Returns its name in JSON.
    fn name(self) -> &'static str {
        match self {
            Self::Well => "ok",
            Self::Wrong => "failed",
            Self::Skipped => "skipped",
        }
    }

    /// Returns its sign for people.
    fn sign(self) -> (&'static str, Style) {
        match self {
            Self::Well => ("✓", Style::GREEN),
            Self::Wrong => ("✗", Style::RED),
            Self::Skipped => ("–", Style::DIM),
        }
    }
}

struct ReportLine {
    check: Check,
    mark: Mark,
    text: String,
}

/// The report as it grows: as text it is printed line by line, as JSON at the end.
pub struct Report<O, E> {
    out: O,
    screen: Screen,
    /// Shows progress, if there is one.
    terminal: Option<E>,
    as_json: bool,
    /// The broker that the steps are about, if there are several.
    broker: Option<String>,
    lines: Vec<ReportLine>,
    hints: Vec<String>,
}

impl<O: Write, E: Write> Report<O, E> {
    /// Begins a report that is printed to `out` as `screen` shows it; progress is shown on
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

    /// Sets the broker that the next steps are about, if that has to be said.
    pub(super) fn set_broker(&mut self, broker: Option<String>) {
        self.broker = broker;
    }

    /// Makes a check, with its progress, and adds the finding.
    pub(super) async fn check<T>(
        &mut self,
        check: Check,
        work: impl Future<Output = Finding<T>>,
    ) -> Result<T, Halt> {
        let (_, title) = check.names();
        let finding = self.show_progress(title, work).await;
        self.record(check, finding)
    }

    /// Adds a check's finding, and returns what the next checks need of it.
    pub(super) fn record<T>(&mut self, check: Check, finding: Finding<T>) -> Result<T, Halt> {
        match finding {
            Ok((text, needed)) => {
                self.add(check, Mark::Well, text)?;
                Ok(needed)
            }
            Err(what_to_do) => {
                self.add(check, Mark::Wrong, what_to_do)?;
                Err(Halt::Wrong)
            }
        }
    }

    /// Adds a check that is not needed, or that has nothing to go by.
    pub(super) fn skip(&mut self, check: Check, why: &str) -> io::Result<()> {
        self.add(check, Mark::Skipped, why.to_owned())
    }

    /// Adds advice about things that are not wrong and could be better.
    pub(super) fn hint(&mut self, hints: Vec<String>) -> io::Result<()> {
        for hint in hints {
            if !self.as_json {
                self.print_line(&format!("  {hint}"))?;
            }
            self.hints.push(hint);
        }
        Ok(())
    }

    /// Prints the steps that were not reached, and the end; returns true if all is well.
    pub(super) fn finish(mut self, entries: &Entries) -> io::Result<bool> {
        for check in Check::ALL {
            if !self.lines.iter().any(|line| line.check == check) {
                self.add(check, Mark::Skipped, String::new())?;
            }
        }
        let wrong = self.lines.iter().find(|line| line.mark == Mark::Wrong);
        let well = wrong.is_none();
        if self.as_json {
            let json = self.json(wrong, entries);
            writeln!(self.out, "{json:#}")?;
            return Ok(well);
        }
        let bold = |text: &str| self.screen.style(&self.screen.wrap(text), Style::BOLD);
        let ending = match wrong {
            None => format!("{}\n\n{}", bold("All is well."), entries.first_hosts()),
            Some(line) => {
                let (_, title) = line.check.names();
                let heading = format!("Something is wrong: {title}. See the ✗ line for the fix.");
                let next =
                    "Then run doctor again: it prints the entries for hosts once all is well.";
                format!("{}\n{}", bold(&heading), self.screen.wrap(next))
            }
        };
        writeln!(self.out, "\n{ending}")?;
        Ok(well)
    }

    fn add(&mut self, check: Check, mark: Mark, text: String) -> io::Result<()> {
        // A trouble names its broker already.
        let text = match &self.broker {
            Some(broker) if mark != Mark::Wrong => format!("{text} ({broker})"),
            _ => text,
        };
        if !self.as_json {
            let colon = if text.is_empty() { "" } else { ": " };
            let (sign, style) = mark.sign();
            let (_, title) = check.names();
            let sign = self.screen.style(sign, style);
            self.print_line(&format!("{sign} {title}{colon}{text}"))?;
        }
        self.lines.push(ReportLine { check, mark, text });
        Ok(())
    }

    /// Prints a line of the list. A long one goes on below its text.
    fn print_line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{}", self.screen.wrap_under(line, "  "))
    }

    fn json(&self, wrong: Option<&ReportLine>, entries: &Entries) -> Json {
        let steps = self.lines.iter().map(|line| {
            json!({
                "step": line.check.names().0,
                "status": line.mark.name(),
                "text": line.text,
            })
        });
        json!({
            "ok": wrong.is_none(),
            "steps": steps.collect::<Vec<_>>(),
            "failed": wrong.map(|line| line.check.names().0),
            "whatToDo": wrong.map(|line| &line.text),
            "hints": self.hints,
            "entries": entries.json(&HOSTS),
        })
    }

    /// Shows how long a step has been waiting, until it is done.
    async fn show_progress<T>(&mut self, title: &str, work: impl Future<Output = T>) -> T {
        let Some(terminal) = &mut self.terminal else {
            return work.await;
        };
        let mut work = pin!(work);
        let start = Instant::now();
        loop {
            let waited = timeout(TICK, &mut work).await;
            let line = match &waited {
                Ok(_) => String::new(),
                Err(_) => format!("… {title} ({} s)", start.elapsed().as_secs()),
            };
            // Goes back to the line's beginning, and clears the line (ECMA-48, EL). A terminal that
            // is gone shows nothing.
            let _ = write!(terminal, "\r\x1b[K{line}").and_then(|()| terminal.flush());
            if let Ok(done) = waited {
                return done;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn slow<T>(found: Finding<T>) -> Finding<T> {
        tokio::time::sleep(Duration::from_millis(1300)).await;
        found
    }

    #[tokio::test(start_paused = true)]
    async fn a_step_that_waits_is_shown_on_a_terminal_and_cleared_again() {
        let (mut out, mut terminal) = (Vec::new(), Vec::new());
        let mut report = Report::new(&mut out, Screen::default(), Some(&mut terminal), false);
        let done = report.check(Check::Tcp, slow(Ok(("open".to_owned(), 7)))).await;
        assert!(matches!(done, Ok(7)));
        drop(report);
        assert_eq!(String::from_utf8(out).unwrap(), "✓ TCP: open\n");
        let terminal = String::from_utf8(terminal).unwrap();
        assert!(terminal.starts_with("\r\x1b[K… TCP (0 s)"), "{terminal:?}");
        assert!(
            terminal.ends_with("… TCP (1 s)\r\x1b[K… TCP (1 s)\r\x1b[K"),
            "{terminal:?}"
        );
    }

    #[test]
    fn a_terminal_gets_colors_and_lines_that_fit() {
        let mut out = Vec::new();
        let screen = Screen {
            width: Some(20),
            colors: true,
        };
        let mut report = Report::new(&mut out, screen, None::<Vec<u8>>, false);
        let found = report.record(Check::Tcp, Ok(("port 1883 is open".to_owned(), ())));
        assert!(found.is_ok());
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "\u{1b}[32m✓\u{1b}[0m TCP: port 1883 is\n  open\n"
        );
    }
}

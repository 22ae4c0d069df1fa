//! `list --follow`: prints changes as they happen.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep};

use super::list::read;
use super::server::TargetServer;
use super::{CommandError, Printer};
use crate::cli::exit::ExitStatus;
use crate::home::published::PublishedChange;
use crate::terminal::{note, printable_json};

const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// A change is printed after this time, unless a newer change replaces it. While a lamp fades, each report
/// replaces the previous change; two reports are often more than a second apart.
const SETTLE_TIME: Duration = Duration::from_secs(2);

/// Prints each change of a matching device as a line, until the server ends. Fails if the server does not
/// know the house, or if the filter can't be followed.
pub(super) async fn follow(
    target: TargetServer,
    filter: &str,
    as_json: bool,
    printer: &mut Printer<impl Write, impl Write>,
) -> Result<ExitStatus, CommandError> {
    let Printer { out, screen, err } = printer;
    let is_quiet = Arc::clone(&target.is_quiet);
    target
        .talk(err, async |connection| {
            let typed_filter = filter;
            let mut filter = filter.to_owned();
            let mut seen = Seen::default();
            loop {
                let house = match read(&connection, &filter).await? {
                    Ok(house) => house,
                    Err(why) => {
                        screen.say(out, &why)?;
                        return Ok(ExitStatus::Failed);
                    }
                };
                let Some(changes) = house.changes else {
                    if filter.starts_with(CHANGED) {
                        let why = format!(
                            "{typed_filter:?} can't be followed. --follow goes with \"changed\", a \
                             room, a name or a kind."
                        );
                        screen.say(out, &why)?;
                        return Ok(ExitStatus::Failed);
                    }
                    // The answer lists devices instead of changes, so ask for the changes of these devices.
                    filter.insert_str(0, CHANGED);
                    continue;
                };
                if !is_quiet.swap(true, Ordering::Relaxed) {
                    note("Watching; Ctrl-C ends it.");
                }
                for change in seen.take_due(&changes, Instant::now()) {
                    if as_json {
                        writeln!(out, "{}", printable_json(&json!(change).to_string()))?;
                    } else {
                        screen.say(out, &format!("{}: {}", change.control_name, change.text))?;
                    }
                }
                out.flush()?;
                sleep(POLL_INTERVAL).await;
            }
        })
        .await
}

/// The start of a filter that asks for recent changes.
const CHANGED: &str = "changed ";

/// The changes in the last answer, by [`key`]: when each was first seen, or `None` once it is printed.
#[derive(Default)]
struct Seen(HashMap<String, Option<Instant>>);

impl Seen {
    /// Returns the changes that were first seen at least `SETTLE_TIME` ago, except those that were returned
    /// before. `changes` begins with the latest change; the result begins with the earliest.
    fn take_due<'a>(
        &mut self,
        changes: &'a [PublishedChange],
        now: Instant,
    ) -> Vec<&'a PublishedChange> {
        let mut due = Vec::new();
        let mut seen = HashMap::new();
        for change in changes.iter().rev() {
            let key = key(change);
            let state = match self.0.get(&key).copied().unwrap_or(Some(now)) {
                Some(since) if now.duration_since(since) >= SETTLE_TIME => {
                    due.push(change);
                    None
                }
                state => state,
            };
            seen.insert(key, state);
        }
        self.0 = seen;
        due
    }
}

/// Returns a key that is unique among all changes. The number alone is unique only within one gateway.
fn key(change: &PublishedChange) -> String {
    format!("{} {}", change.number, change.control_name)
}

#[cfg(test)]
#[path = "../../tests/unit/commands/follow.rs"]
mod tests;

//! `list changed --follow`: prints changes as they come.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::time::{Instant, sleep};

use super::list::{read, text};
use super::server::TargetServer;
use super::{CommandError, Printer};
use crate::cli::exit::Done;
use crate::terminal::{note, printable, printable_json};

/// The time between two looks at the changes.
const INTERVAL: Duration = Duration::from_millis(500);

/// The time for which a change must stand before it is printed. While a lamp fades, each of its reports replaces
/// the one before.
const REST: Duration = Duration::from_secs(1);

/// Prints each change of a device that matches, as a line, until the server ends. Fails if nothing is
/// known of the house.
pub(super) async fn follow(
    target: TargetServer,
    filter: &str,
    as_json: bool,
    printer: &mut Printer<impl Write, impl Write>,
) -> Result<Done, CommandError> {
    let Printer { out, err, .. } = printer;
    let quiet = Arc::clone(&target.quiet);
    target
        .talk(err, async |connection| {
            let typed = filter;
            let mut filter = filter.to_owned();
            let mut seen = Seen::default();
            loop {
                let house = match read(&connection, &filter).await? {
                    Ok(house) => house,
                    Err(why) => {
                        writeln!(out, "{}", printable(&why))?;
                        return Ok(Done::Failed);
                    }
                };
                let Some(changes) = house.get("changes").and_then(Json::as_array) else {
                    if filter.starts_with(CHANGED) {
                        let why = format!(
                            "{typed:?} can't be followed. --follow goes with \"changed\", a room, a \
                             name or a kind."
                        );
                        writeln!(out, "{}", printable(&why))?;
                        return Ok(Done::Failed);
                    }
                    filter.insert_str(0, CHANGED);
                    continue;
                };
                if !quiet.swap(true, Ordering::Relaxed) {
                    note("Watching; Ctrl-C ends it.");
                }
                for change in seen.take_due(changes, Instant::now()) {
                    print(change, as_json, out)?;
                }
                out.flush()?;
                sleep(INTERVAL).await;
            }
        })
        .await
}

/// The word that asks for changes.
const CHANGED: &str = "changed ";

/// The changes that were seen at the last look.
#[derive(Default)]
struct Seen(HashMap<String, FirstSeen>);

#[derive(Clone, Copy)]
enum FirstSeen {
    At(Instant),
    Printed,
}

impl Seen {
    /// Returns the changes that have stood long enough, the earliest first, each only once. `changes` has
    /// the latest first.
    fn take_due<'a>(&mut self, changes: &'a [Json], now: Instant) -> Vec<&'a Json> {
        let mut due = Vec::new();
        let mut seen = HashMap::new();
        for change in changes.iter().rev() {
            let key = key(change);
            let first = match self.0.get(&key).copied().unwrap_or(FirstSeen::At(now)) {
                FirstSeen::At(at) if now.duration_since(at) >= REST => {
                    due.push(change);
                    FirstSeen::Printed
                }
                first => first,
            };
            seen.insert(key, first);
        }
        self.0 = seen;
        due
    }
}

/// Returns a key that no other change has.
fn key(change: &Json) -> String {
    let number = change.get("number").unwrap_or(&Json::Null);
    format!("{number} {}", text(change, "controlName"))
}

fn print(change: &Json, as_json: bool, out: &mut impl Write) -> std::io::Result<()> {
    if as_json {
        return writeln!(out, "{}", printable_json(&change.to_string()));
    }
    let (name, text) = (text(change, "controlName"), text(change, "text"));
    writeln!(out, "{}", printable(&format!("{name}: {text}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn change(number: u64, name: &str) -> Json {
        json!({ "number": number, "controlName": name })
    }

    #[test]
    fn a_change_is_due_once_when_no_newer_one_took_its_place_for_a_second() {
        let start = Instant::now();
        let mut seen = Seen::default();
        let mut numbers = |changes: &[Json], millis| -> Vec<Json> {
            let due = seen.take_due(changes, start + Duration::from_millis(millis));
            due.iter().map(|due| due["number"].clone()).collect()
        };
        let lamp = |number| change(number, "Lamp");
        assert!(numbers(&[lamp(1)], 0).is_empty());
        // The lamp fades: the same movement has a new number.
        assert!(numbers(&[lamp(2)], 500).is_empty());
        assert!(numbers(&[change(4, "Door"), lamp(3)], 1000).is_empty());
        assert_eq!(numbers(&[change(4, "Door"), lamp(3)], 2000), [3, 4]);
        assert!(numbers(&[change(4, "Door"), lamp(3)], 9000).is_empty());
    }
}

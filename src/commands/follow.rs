//! `list changed --follow`: prints changes as they come.

use std::collections::HashSet;
use std::io::Write;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::time::sleep;

use super::list::{read, text};
use super::server::TargetServer;
use super::{CommandError, Printer};
use crate::cli::exit::Done;
use crate::terminal::{printable, printable_json};

/// The time between two looks at the changes.
const INTERVAL: Duration = Duration::from_millis(500);

/// Prints each change of a device that matches, as a line, until the server ends. Fails if nothing is
/// known of the house.
pub(super) async fn follow(
    target: TargetServer,
    filter: &str,
    as_json: bool,
    printer: &mut Printer<impl Write, impl Write>,
) -> Result<Done, CommandError> {
    let Printer { out, err, .. } = printer;
    target
        .talk(err, async |connection| {
            let mut filter = filter.to_owned();
            let mut known = HashSet::new();
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
                        writeln!(out, "Nothing matches {filter:?}.")?;
                        return Ok(Done::Failed);
                    }
                    filter.insert_str(0, CHANGED);
                    continue;
                };
                for change in changes.iter().rev() {
                    if !known.contains(&key(change)) {
                        print(change, as_json, out)?;
                    }
                }
                out.flush()?;
                known = changes.iter().map(key).collect();
                sleep(INTERVAL).await;
            }
        })
        .await
}

/// The word that asks for changes.
const CHANGED: &str = "changed ";

/// Returns the properties that no other change has.
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

//! A tool that tells the date, the time and the time zone.

use chrono::{DateTime, FixedOffset, Local};
use serde_json::json;

use super::{LocalTool, LocalToolError};

/// The date, the time and the time zone of a clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Now {
    /// The date and time, with the offset from UTC.
    pub time: DateTime<FixedOffset>,
    /// The time zone's name, such as `Europe/Berlin`, if the system knows it.
    pub zone: Option<String>,
}

impl Now {
    /// Reads the machine's clock and time zone.
    pub fn from_system_clock() -> Self {
        Self {
            time: Local::now().fixed_offset(),
            zone: iana_time_zone::get_timezone().ok(),
        }
    }
}

/// Makes a tool that tells the date, the time and the time zone of this clock.
///
/// # Errors
/// Fails only if the tool's schema is invalid, which would be a bug here.
pub fn tool(clock: impl Fn() -> Now + Send + Sync + 'static) -> Result<LocalTool, LocalToolError> {
    LocalTool::new(
        "get_date_and_time",
        "Tells today's date, the weekday, the time and the time zone.",
        json!({ "type": "object", "properties": {} }),
        move |_| {
            let now = describe_time(&clock());
            async move { Ok(now) }
        },
    )
}

fn describe_time(now: &Now) -> String {
    let time = now.time.format("%A, %-d %B %Y, %H:%M:%S");
    let offset = now.time.format("UTC%:z");
    match &now.zone {
        Some(zone) => format!("{time} ({zone}, {offset})"),
        None => format!("{time} ({offset})"),
    }
}

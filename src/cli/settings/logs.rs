//! What is logged, and where.

use std::path::PathBuf;

use tracing_subscriber::filter::Targets;

use super::sources::{Given, SettingError};
use crate::cli::names::{LOG_DAYS, LOG_FILE, LOG_LEVEL};
use crate::logging;

/// What is logged, and where besides stderr.
#[derive(Clone)]
pub struct LogSettings {
    /// What to log.
    pub filter: Targets,
    /// The folder of the log files; none without it.
    pub folder: Option<PathBuf>,
    /// For how many days log files are kept, today's included: 1 to 3650.
    pub days: u16,
}

/// Reads what is logged and where. Whether the folder can be written is not asked here: a log that
/// can't be written must not keep the server from serving.
pub(super) fn logs(given: &Given) -> Result<LogSettings, SettingError> {
    let filter = match given.one(LOG_LEVEL) {
        Some(found) => logging::filter(&found.text).ok_or_else(|| {
            found.wrong("error, warn, info, debug, trace, or levels such as info,rmcp=debug")
        })?,
        None => logging::filter("info").unwrap_or_default(),
    };
    let days = match given.one(LOG_DAYS) {
        Some(found) => {
            let days = found.text.trim().parse().ok();
            let days = days.filter(|days| (1..=3650).contains(days));
            days.ok_or_else(|| found.wrong("a number of days from 1 to 3650"))?
        }
        None => 7,
    };
    Ok(LogSettings {
        filter,
        folder: given.one(LOG_FILE).map(|found| found.text.clone().into()),
        days,
    })
}

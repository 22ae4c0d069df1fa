//! What is logged, and where.

use std::path::PathBuf;

use tracing_subscriber::filter::Targets;

use super::super::Options;
use super::sources::{SettingError, Sources};
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
pub(super) fn logs(options: &Options, sources: &Sources) -> Result<LogSettings, SettingError> {
    let level = sources.find(options.log_level.as_ref(), "--log-level", &["RUST_LOG"]);
    let filter = match level {
        Some(found) => logging::filter(&found.text).ok_or_else(|| {
            found.wrong("error, warn, info, debug, trace, or levels such as info,rmcp=debug")
        })?,
        None => logging::filter("info").unwrap_or_default(),
    };
    let folder = sources.find(options.log_file.as_ref(), "--log-file", &["ZWAVE_LOG_FILE"]);
    let days = sources.find(options.log_days.as_ref(), "--log-days", &["ZWAVE_LOG_DAYS"]);
    let days = match days {
        Some(found) => {
            let days = found.text.trim().parse().ok();
            let days = days.filter(|days| (1..=3650).contains(days));
            days.ok_or_else(|| found.wrong("a number of days from 1 to 3650"))?
        }
        None => 7,
    };
    Ok(LogSettings {
        filter,
        folder: folder.map(|found| found.text.into()),
        days,
    })
}

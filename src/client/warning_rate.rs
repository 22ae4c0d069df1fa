//! A limit on the warnings about one server.

use std::time::Duration;

use tokio::time::Instant;
use tracing::warn;

/// Counts warnings, so that a noisy server does not fill the log.
#[derive(Default)]
pub(super) struct WarningRate {
    /// When the present second began.
    since: Option<Instant>,
    /// The number of warnings that were logged in it.
    logged: u32,
    /// The number of warnings that were omitted since that number was last logged.
    omitted: u64,
}

impl WarningRate {
    /// Returns true if one more may be logged. Logs how many were not, once a second.
    pub(super) fn admit(&mut self, max_per_second: u32) -> bool {
        let now = Instant::now();
        if self
            .since
            .is_none_or(|since| now.duration_since(since) >= Duration::from_secs(1))
        {
            self.log_omitted();
            self.since = Some(now);
            self.logged = 0;
        }
        let is_admitted = self.logged < max_per_second;
        if is_admitted {
            self.logged += 1;
        } else {
            self.omitted += 1;
        }
        is_admitted
    }

    /// Logs how many warnings were not logged since the last time, if any.
    pub(super) fn log_omitted(&mut self) {
        let omitted = std::mem::take(&mut self.omitted);
        if omitted > 0 {
            warn!(
                omitted,
                "the server printed more lines that are no messages"
            );
        }
    }
}

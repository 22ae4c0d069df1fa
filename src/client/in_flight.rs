//! Requests in flight, and what the server has written since each was made.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tracing::warn;

use super::error::{ClientError, Hint};
use super::lines::BadLine;

/// The reason for ending a session with a server that hangs.
pub(super) const SILENT: &str = "it let two calls in a row run into their limits and said nothing";

/// The outcome of a request.
pub(super) type Outcome = Result<Json, ClientError>;

/// The state of an exchange.
#[derive(Default)]
pub(super) struct InFlight {
    last_id: u64,
    pending: HashMap<u64, PendingRequest>,
    /// The reason why nothing can be sent any longer, if so.
    over: Option<String>,
    /// True once the session has ended; then no request is pending.
    ended: bool,
    /// The number of lines of any kind so far; each message of a batch counts as one.
    lines: u64,
    pub(super) bad_lines: u64,
    /// The last answer to no pending request, and the value of `lines` when it came.
    stray: Option<(u64, Hint)>,
    /// The last bad line, and the value of `lines` when it came.
    bad_line: Option<(u64, Hint)>,
    /// The start of a line that has not ended yet.
    unfinished: String,
    /// The last id at the time when a request timed out without a line from the server since it was made. If
    /// a request that is made later times out in the same way, it is the second in a row.
    last_id_at_silence: Option<u64>,
}

struct PendingRequest {
    sender: oneshot::Sender<Outcome>,
    /// True if the server may have read the request.
    written: bool,
}

impl PendingRequest {
    fn fail(self, why: &str) {
        let why = why.to_owned();
        let error = if self.written {
            ClientError::Ended { why }
        } else {
            ClientError::Unreachable { why }
        };
        // Sending fails if the caller has given up, which does no harm.
        let _ = self.sender.send(Err(error));
    }
}

/// The id of a request, and the time when it was made. The default is the beginning of the session.
#[derive(Clone, Copy, Default)]
pub(super) struct RequestMark {
    pub(super) id: u64,
    /// The value of `InFlight::lines` when the request was made.
    lines: u64,
}

impl InFlight {
    /// Adds a request, which gets the next id. The error says why nothing can be sent.
    pub(super) fn add(&mut self, sender: oneshot::Sender<Outcome>) -> Result<RequestMark, String> {
        if let Some(why) = &self.over {
            return Err(why.clone());
        }
        self.last_id += 1;
        let request = PendingRequest {
            sender,
            written: false,
        };
        self.pending.insert(self.last_id, request);
        Ok(RequestMark {
            id: self.last_id,
            lines: self.lines,
        })
    }

    /// Notes whether any of a request is written. Returns false if the request is no longer pending.
    pub(super) fn note_written(&mut self, id: u64, written: bool) -> bool {
        let pending = self.pending.get_mut(&id);
        pending.map(|pending| pending.written = written).is_some()
    }

    /// Ends the pending request with this id. Returns the outcome as the error if there is none.
    pub(super) fn resolve(&mut self, id: Option<u64>, outcome: Outcome) -> Result<(), Outcome> {
        match id.and_then(|id| self.pending.remove(&id)) {
            Some(pending) => {
                // Sending fails if the caller is just giving up, which does no harm.
                let _ = pending.sender.send(outcome);
                Ok(())
            }
            None => Err(outcome),
        }
    }

    /// Gives a request up. Returns true if it was still pending and any of it was written.
    pub(super) fn give_up(&mut self, id: u64) -> bool {
        self.pending.remove(&id).is_some_and(|pending| pending.written)
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.is_some()
    }

    /// Notes that nothing more can be sent. Written requests may still be answered. The others stay pending
    /// until the session ends, because its reason may tell how the server's process ended.
    pub(super) fn stop_sending(&mut self, why: &str) {
        self.over.get_or_insert_with(|| why.to_owned());
    }

    /// Fails all pending requests. Returns false if the session had already ended.
    pub(super) fn end(&mut self, why: &str) -> bool {
        if std::mem::replace(&mut self.ended, true) {
            return false;
        }
        self.over = Some(why.to_owned());
        for request in std::mem::take(&mut self.pending).into_values() {
            request.fail(why);
        }
        true
    }

    /// Counts a line. Any line shows that the server is alive.
    pub(super) fn note_line(&mut self) {
        self.lines += 1;
        self.last_id_at_silence = None;
        self.unfinished.clear();
    }

    pub(super) fn note_unfinished(&mut self, start: String) {
        self.unfinished = start;
    }

    pub(super) fn note_bad_line(&mut self, line: BadLine) {
        self.bad_lines += 1;
        self.bad_line = Some((self.lines, Hint::BadLine(line)));
    }

    pub(super) fn note_stray(&mut self, hint: Hint) {
        self.stray = Some((self.lines, hint));
    }

    /// Returns what came since a request was made and may have been meant as its answer, at most one hint of
    /// each kind.
    pub(super) fn hints_since(&self, mark: RequestMark) -> Vec<Hint> {
        let mut hints: Vec<Hint> = [&self.stray, &self.bad_line]
            .into_iter()
            .flatten()
            .filter(|(line, _)| *line > mark.lines)
            .map(|(_, hint)| hint.clone())
            .collect();
        if !self.unfinished.is_empty() {
            hints.push(Hint::UnfinishedLine(self.unfinished.clone()));
        }
        hints
    }

    /// Notes that a request timed out. Returns true if it is the second in a row without a line from the
    /// server.
    pub(super) fn note_timeout(&mut self, mark: RequestMark) -> bool {
        if self.lines > mark.lines {
            return false;
        }
        // A request that was already made when the first one timed out does not count as the second.
        let last_id = *self.last_id_at_silence.get_or_insert(self.last_id);
        mark.id > last_id
    }
}

/// Limits the number of warnings per second, so that a noisy server does not fill the log.
#[derive(Default)]
pub(super) struct WarningRate {
    /// The start of the current second.
    since: Option<Instant>,
    /// The number of warnings that were logged in the current second.
    logged: u32,
    /// The number of omitted warnings that was not logged yet.
    omitted: u64,
}

impl WarningRate {
    /// Counts a warning, and returns true if it may be logged. Logs the number of omitted warnings when a new
    /// second begins.
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

    /// Logs how many warnings were omitted since the last call, if any.
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

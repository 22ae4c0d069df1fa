//! Requests in flight, and what came from the server since each was made.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tracing::warn;

use super::error::{ClientError, Hint};
use super::lines::BadLine;

/// The reason for giving up a server that hangs.
pub(super) const SILENT: &str = "it let two calls in a row run into their limits and said nothing";

/// The end of a request.
pub(super) type Answered = Result<Json, ClientError>;

/// The state of an exchange.
#[derive(Default)]
pub(super) struct InFlight {
    last_id: u64,
    pending: HashMap<u64, PendingRequest>,
    /// The reason why nothing can be sent any more, if so.
    over: Option<String>,
    /// True if that reason is final, and nothing is pending.
    ended: bool,
    /// Lines and messages of a batch, of any kind.
    lines: u64,
    pub(super) bad_lines: u64,
    /// The last answer that nobody waited for and the last bad line, with the value of `lines` then.
    stray: Option<(u64, Hint)>,
    bad_line: Option<(u64, Hint)>,
    unfinished: String,
    /// Set when a request ran into its limit and nothing had come since it was made: the last id then.
    /// A later request to which the same happens is the second in a row.
    silent_at: Option<u64>,
}

struct PendingRequest {
    sender: oneshot::Sender<Answered>,
    /// True if the server may have read it.
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
        // Whoever gave up meanwhile needs no answer.
        let _ = self.sender.send(Err(error));
    }
}

/// A request that was made; the default was made before anything came.
#[derive(Clone, Copy, Default)]
pub(super) struct RequestMark {
    pub(super) id: u64,
    /// The number of lines that had come before.
    lines: u64,
}

impl InFlight {
    /// Makes a request; the error says why nothing can be sent.
    pub(super) fn add(&mut self, sender: oneshot::Sender<Answered>) -> Result<RequestMark, String> {
        if let Some(why) = &self.over {
            return Err(why.clone());
        }
        self.last_id += 1;
        let (id, written) = (self.last_id, false);
        self.pending.insert(id, PendingRequest { sender, written });
        let lines = self.lines;
        Ok(RequestMark { id, lines })
    }

    /// Notes whether a request is written. Returns false if nobody waits for its answer any more.
    pub(super) fn note_written(&mut self, id: u64, written: bool) -> bool {
        let pending = self.pending.get_mut(&id);
        pending.map(|pending| pending.written = written).is_some()
    }

    /// Hands an outcome to whoever waits for it. Returns it as the error if nobody does.
    pub(super) fn resolve(&mut self, id: Option<u64>, outcome: Answered) -> Result<(), Answered> {
        match id.and_then(|id| self.pending.remove(&id)) {
            Some(pending) => {
                // A caller that gives up just now needs no answer.
                let _ = pending.sender.send(outcome);
                Ok(())
            }
            None => Err(outcome),
        }
    }

    /// Gives a request up, and returns true if any of it was written.
    pub(super) fn give_up(&mut self, id: u64) -> bool {
        self.pending.remove(&id).is_some_and(|pending| pending.written)
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.is_some()
    }

    /// Notes that nothing more can be sent. What was written may still be answered, and what was not
    /// fails when the session ends: a process that is ending tells then how it ended.
    pub(super) fn stop_sending(&mut self, why: &str) {
        self.over.get_or_insert_with(|| why.to_owned());
    }

    /// Ends everything in flight. Returns false if it had ended before.
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

    /// Notes that a line came, which is a sign of life whatever is in it.
    pub(super) fn note_line(&mut self) {
        self.lines += 1;
        self.silent_at = None;
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

    /// Returns the lines that may have been meant as the answer to a request, at most one of each kind.
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

    /// Takes in that a request ran into its limit. Returns true if it is the second in a row without a
    /// sign of life.
    pub(super) fn note_timeout(&mut self, mark: RequestMark) -> bool {
        if self.lines > mark.lines {
            return false;
        }
        let first = *self.silent_at.get_or_insert(self.last_id);
        mark.id > first
    }
}

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

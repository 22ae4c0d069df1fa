//! Pending requests, and the server's output that may have been meant as an answer to one.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tracing::warn;

use super::error::{ClientError, Hint};
use super::lines::BadLine;

type Outcome = Result<Json, ClientError>;

/// The requests of a session that wait for an answer, and what the server has written so far.
#[derive(Default)]
pub(super) struct InFlight {
    last_id: u64,
    pub(super) pending: HashMap<u64, PendingRequest>,
    /// The reason why nothing can be sent any longer; `None` while requests can be sent. Earlier requests stay
    /// pending, because those that were written may still be answered. When the session ends, the requests that
    /// are still pending fail with the reason for the end, which may say how the server's process ended.
    pub(super) why_unreachable: Option<String>,
    /// The number of messages and bad lines so far. Each message of a batch counts.
    lines: u64,
    pub(super) bad_lines: u64,
    /// The last answer that fits no pending request, with the value of `lines` when the answer came.
    stray: Option<(u64, Hint)>,
    /// The last bad line, with the value of `lines` when the bad line came.
    bad_line: Option<(u64, Hint)>,
    /// The start of a line that has not ended yet.
    pub(super) unfinished: String,
    /// The value of `last_id` when a request first timed out without a line from the server. A later timeout
    /// counts as the second in a row only if its request has a higher id, and so was made after the first
    /// timeout. The server's next line resets the value to `None`.
    last_id_at_silence: Option<u64>,
}

pub(super) struct PendingRequest {
    pub(super) sender: oneshot::Sender<Outcome>,
    pub(super) method: String,
    /// True if the answer seems to have come as a line that can't be read.
    is_garbled: bool,
    /// True if the server may have read the request.
    pub(super) written: bool,
}

/// The id of a request, and the number of lines before the request. The default marks the beginning of the
/// session.
#[derive(Clone, Copy, Default)]
pub(super) struct RequestMark {
    pub(super) id: u64,
    /// The value of `InFlight::lines` when the request was made.
    lines: u64,
}

impl InFlight {
    /// Adds a request, which gets the next id. Fails if nothing can be sent any longer.
    pub(super) fn add(
        &mut self,
        method: &str,
        sender: oneshot::Sender<Outcome>,
    ) -> Result<RequestMark, ClientError> {
        if let Some(why) = self.why_unreachable.clone() {
            return Err(ClientError::Unreachable { why });
        }
        self.last_id += 1;
        let request = PendingRequest {
            sender,
            method: method.to_owned(),
            is_garbled: false,
            written: false,
        };
        self.pending.insert(self.last_id, request);
        Ok(RequestMark {
            id: self.last_id,
            lines: self.lines,
        })
    }

    /// Notes whether any byte of a request was written. Returns false if the request is no longer pending.
    pub(super) fn note_written(&mut self, id: u64, written: bool) -> bool {
        let pending = self.pending.get_mut(&id);
        pending.map(|pending| pending.written = written).is_some()
    }

    /// Fails all pending requests, and makes all later requests fail.
    pub(super) fn end(&mut self, why: &str) {
        self.why_unreachable = Some(why.to_owned());
        for pending in std::mem::take(&mut self.pending).into_values() {
            let why = why.to_owned();
            // Fails if nobody waits for the answer.
            let _ = pending.sender.send(Err(if pending.written {
                ClientError::Ended { why }
            } else {
                ClientError::Unreachable { why }
            }));
        }
    }

    /// Counts a message or a bad line. Either shows that the server is alive.
    pub(super) fn note_line(&mut self) {
        self.lines += 1;
        self.last_id_at_silence = None;
        self.unfinished.clear();
    }

    /// Notes a bad line, or an answer that fits no pending request.
    pub(super) fn note_hint(&mut self, hint: Hint) {
        let hint = (self.lines, hint);
        if matches!(hint, (_, Hint::BadLine(_))) {
            self.bad_lines += 1;
            self.bad_line = Some(hint);
        } else {
            self.stray = Some(hint);
        }
    }

    /// Returns the id of the request that a bad line seems to answer: the one with the line's id or, if the line
    /// has none, the only one that is pending. Returns each request only once.
    pub(super) fn mark_garbled(&mut self, bad: &BadLine) -> Option<u64> {
        let mut ids = self.pending.keys().copied();
        let only = ids.next().filter(|_| ids.next().is_none());
        let id = bad.request.or(only).filter(|_| bad.seems_answer)?;
        let is_marked = std::mem::replace(&mut self.pending.get_mut(&id)?.is_garbled, true);
        (!is_marked).then_some(id)
    }

    /// Returns what may have been meant as the answer to a request: the last stray answer and the last bad line
    /// since the request was made, and an unfinished line.
    pub(super) fn hints_since(&self, mark: RequestMark) -> Vec<Hint> {
        let hints = [&self.stray, &self.bad_line].into_iter().flatten();
        let hints = hints.filter(|(line, _)| *line > mark.lines);
        let unfinished = Some(&self.unfinished).filter(|start| !start.is_empty());
        hints
            .map(|(_, hint)| hint.clone())
            .chain(unfinished.cloned().map(Hint::UnfinishedLine))
            .collect()
    }

    /// Notes that a request timed out. Returns true if two requests in a row have timed out without a line from
    /// the server.
    pub(super) fn note_timeout(&mut self, mark: RequestMark) -> bool {
        if self.lines > mark.lines {
            return false;
        }
        // If a request was in flight at the first timeout, its own timeout does not count as the second.
        let last_id = *self.last_id_at_silence.get_or_insert(self.last_id);
        mark.id > last_id
    }
}

/// Limits the number of warnings per second, so that a noisy server does not fill the log.
#[derive(Default)]
pub(super) struct WarningRate {
    /// The start of the current second.
    since: Option<Instant>,
    /// The number of warnings in the current second. Once the number of omitted warnings has been logged,
    /// `count` no longer includes them.
    count: u64,
}

impl WarningRate {
    /// Counts a warning, and returns true if the warning may be logged. If a new second has begun, first logs
    /// how many warnings were omitted in the previous second.
    pub(super) fn admit(&mut self, max_per_second: u32) -> bool {
        let second = Duration::from_secs(1);
        if self.since.is_none_or(|since| since.elapsed() >= second) {
            self.log_omitted(max_per_second);
            self.since = Some(Instant::now());
            self.count = 0;
        }
        self.count += 1;
        self.count <= max_per_second.into()
    }

    /// Logs how many warnings were omitted since the last call, if any.
    pub(super) fn log_omitted(&mut self, max_per_second: u32) {
        let omitted = self.count.saturating_sub(max_per_second.into());
        self.count -= omitted;
        if omitted > 0 {
            warn!(
                omitted,
                "the server printed more lines that are not messages"
            );
        }
    }
}

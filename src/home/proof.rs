//! Decides when to ask a device whether it obeyed, and what its answers prove.
//!
//! All times are passed in, and count from the gateway's reply to the write. Only the status in that reply
//! and the device's own answers are proof, never the gateway's guess (`docs/dev/GATEWAY.md#optimistic-values`).

use std::time::Duration;

use super::goal::{Goal, Remaining, StateReport};
use super::model::value::Reading;

/// The times at which a device can be asked for its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polling {
    /// At any time, because the device always listens.
    Anytime,
    /// Only once, because each query drains the battery of a device that listens about once a second (FLiRS).
    Once,
    /// Never, because the device sleeps or is dead.
    Never,
}

/// The result of the write, according to the gateway's reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// The write was delivered (status 254).
    Delivered,
    /// The device is carrying out the write (status 1). It needs about this long, if it said how long.
    Working(Option<Duration>),
    /// The device reports that the write is done (status 255).
    Done,
}

/// The next thing to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Ask at this time after the reply.
    Ask(Duration),
    /// Stop asking. This is the result.
    Done(Verdict),
}

/// The result of a proof.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The goal is reached, with this reading. The reading is `None` if the device has not answered, or if the
    /// device is on and still getting brighter.
    Reached(Option<Reading>),
    /// The device is moving.
    Moving {
        /// The current state, if reported.
        current: Option<Reading>,
        /// The target, if reported.
        target: Option<Reading>,
    },
    /// Nothing is proven: no answer came in time, or the device may be on its way without reporting it.
    Unproven,
    /// The device is not moving, and its state does not meet the goal.
    OtherState(Reading),
    /// The device moved, and stopped before it reached the goal.
    Stopped(Reading),
}

/// The time of the second query, for a device whose time of arrival is unknown.
const SECOND_QUERY: Duration = Duration::from_secs(1);

/// Time added to the expected arrival. Devices round their remaining time, and a query that comes too early
/// would have to be repeated.
const ROUNDING_MARGIN: Duration = Duration::from_millis(150);

/// A device that moved and has reported the same state for this long counts as stopped.
const STANDSTILL_TIME: Duration = Duration::from_secs(2);

/// The longest time that a bolt may take to jam after the lock has reported success.
const JAM_TIME: Duration = Duration::from_secs(2);

/// The maximum number of queries up to the time limit: at once, at the expected arrival, and at the limit.
const MAX_QUERIES: usize = 3;

/// The queries and answers after one write.
#[derive(Clone, Debug)]
pub struct Proof {
    goal: Goal,
    polling: Polling,
    promise: Promise,
    limit: Duration,
    /// The time and the answer of each query so far.
    queries: Vec<(Duration, Option<StateReport>)>,
    /// True if the last query was answered, but without a known state.
    is_unsure: bool,
}

impl Proof {
    /// Begins the proof of a write, once the gateway has replied to the write. Queries are sent up to `limit`,
    /// and a little longer to see whether a device that moved has stopped.
    pub fn new(goal: Goal, polling: Polling, promise: Promise, limit: Duration) -> Self {
        Self {
            goal,
            polling,
            promise,
            limit,
            queries: Vec::new(),
            is_unsure: false,
        }
    }

    /// Returns what to do next, given all answers so far.
    pub fn next(&self) -> Next {
        let last_query = self.queries.last().map_or(Duration::ZERO, |(at, _)| *at);
        if self.polling == Polling::Never || self.is_reached() {
            return Next::Done(self.verdict(last_query));
        }
        match self.next_query() {
            Some(at) => Next::Ask(at),
            None if self.polling == Polling::Once => Next::Done(self.verdict(self.limit)),
            None => Next::Done(self.verdict(last_query)),
        }
    }

    /// Returns the time of the next query, or `None` if no further query is needed.
    fn next_query(&self) -> Option<Duration> {
        let arrival = self.arrival().map(|arrival| arrival + ROUNDING_MARGIN);
        let Some((last_query, _)) = self.queries.last() else {
            return match (self.promise, self.polling) {
                // Only a bolt can still fail after success was reported.
                (Promise::Done, _) => self.goal.may_jam().then(|| JAM_TIME.min(self.limit)),
                // The only query waits for the expected arrival, or else for the limit.
                (_, Polling::Once) => Some(arrival.unwrap_or(self.limit).min(self.limit)),
                _ => Some(Duration::ZERO),
            };
        };
        let arrives_too_late = self.arrival().is_some_and(|arrival| arrival > self.limit);
        if self.promise == Promise::Done || self.polling == Polling::Once || arrives_too_late {
            return None;
        }
        if *last_query < self.limit && self.queries.len() < MAX_QUERIES {
            return Some(match self.queries.len() {
                1 => arrival.unwrap_or(SECOND_QUERY).min(self.limit),
                _ => self.limit,
            });
        }
        // A device that moved is asked beyond the limit, to see whether it has stopped.
        let is_last = *last_query >= self.limit + STANDSTILL_TIME;
        (!is_last && self.may_have_stopped()).then(|| *last_query + STANDSTILL_TIME)
    }

    /// Returns the deadline for the answer to a query at `at`. The first answer may take until the usual time
    /// of the second query, and the second answer until the limit. For the last answer, `last_answer_grace`
    /// is added to the limit, or to `at` if `at` is later.
    pub fn answer_deadline(&self, at: Duration, last_answer_grace: Duration) -> Duration {
        let is_last = self.polling == Polling::Once
            || at >= self.limit
            || self.queries.len() + 1 >= MAX_QUERIES;
        if is_last {
            self.limit.max(at) + last_answer_grace
        } else if self.queries.is_empty() {
            SECOND_QUERY.min(self.limit)
        } else {
            self.limit
        }
    }

    /// Records the answer to the query at `at`, or `None` if no answer came in time.
    /// Readings that encode "unknown" are dropped.
    pub fn record_answer(&mut self, at: Duration, report: Option<StateReport>) {
        let is_known = |reading: &Reading| !self.goal.is_unknown(reading);
        let has_answer = report.is_some();
        let report = report.filter(|report| report.current.as_ref().is_some_and(is_known));
        self.is_unsure = has_answer && report.is_none();
        let report = report.map(|report| StateReport {
            target: report.target.filter(is_known),
            ..report
        });
        self.queries.push((at, report));
    }

    /// Stops asking, because the node fell asleep or died, or because the call was cancelled.
    pub fn stop(&mut self) {
        self.polling = Polling::Never;
    }

    /// Returns the known answers with the times of their queries, the latest first.
    fn answers(&self) -> impl Iterator<Item = (Duration, &StateReport)> {
        self.queries
            .iter()
            .rev()
            .filter_map(|(at, report)| Some((*at, report.as_ref()?)))
    }

    /// Returns the latest known answer with the time of its query, or an empty answer if there is none.
    fn latest(&self) -> (Duration, &StateReport) {
        const NO_REPORT: &StateReport = &StateReport {
            current: None,
            target: None,
            remaining: None,
        };
        self.answers().next().unwrap_or((Duration::ZERO, NO_REPORT))
    }

    fn previous(&self) -> Option<&StateReport> {
        self.answers().nth(1).map(|(_, report)| report)
    }

    /// Returns the expected time of arrival. It comes from the device's latest answer, or else from the
    /// gateway's reply. The reply no longer counts once the device moves to another target, or has stopped
    /// short of the goal.
    fn arrival(&self) -> Option<Duration> {
        let (at, latest) = self.latest();
        match (latest.remaining, self.promise) {
            (Some(Remaining::Known(left)), _) if !left.is_zero() && latest.moves_to(self.goal) => {
                Some(at + left)
            }
            (_, Promise::Working(left)) if !latest.leaves(self.goal) => {
                left.filter(|_| !self.has_stopped_short())
            }
            _ => None,
        }
    }

    /// Returns true if the last query got an answer with a known state.
    fn has_last_answer(&self) -> bool {
        let last = self.queries.last();
        last.is_some_and(|(_, report)| report.is_some())
    }

    fn is_reached(&self) -> bool {
        let Some((_, latest)) = self.answers().next() else {
            return self.promise == Promise::Done && !self.goal.may_jam();
        };
        // For some goals, two equal readings in a row are proof too, if the device seems to stand still.
        let may_be_still = match self.goal {
            Goal::Standstill => latest.remaining.is_none(),
            Goal::On => !latest.remaining.is_some_and(Remaining::is_moving),
            // Remaining time does not matter, unless the device moves to another target.
            Goal::Level(_) | Goal::Position(_) => !latest.leaves(self.goal),
            _ => false,
        };
        let is_there = |current: &Reading| match self.goal {
            Goal::Standstill => current.is_on().is_some(),
            goal => goal.is_met_by(current),
        };
        let is_twice_there = may_be_still
            && latest.current.as_ref().is_some_and(is_there)
            && self.previous().is_some_and(|previous| previous.current == latest.current);
        latest.proves(self.goal) || is_twice_there
    }

    /// Returns true if the device is known to be moving at this time: its arrival is still ahead, or the
    /// answer to the last query shows the movement.
    fn is_moving(&self, now: Duration) -> bool {
        let (at, latest) = self.latest();
        let is_last = self.queries.last().is_some_and(|(last, _)| *last == at);
        self.arrival().is_some_and(|arrival| arrival > now)
            || is_last && (latest.moves_to(self.goal) || self.is_approaching())
    }

    /// Returns true if the latest level is nearer to the goal than the previous level, and the latest answer
    /// reports neither another target nor standstill.
    fn is_approaching(&self) -> bool {
        let (_, latest) = self.latest();
        let levels = level(latest).zip(self.previous().and_then(level));
        levels.is_some_and(|(current, before)| self.is_nearer(current, before))
            && !latest.has_other_target(self.goal)
            && !self.reports_standstill()
    }

    /// Returns true if `level` is nearer to the goal than `before`. For "on", a higher level is nearer.
    /// For other goals without a level, such as standstill, any difference counts.
    fn is_nearer(&self, level: f64, before: f64) -> bool {
        match (self.goal, self.goal.level()) {
            (_, Some(goal)) => (level - f64::from(goal)).abs() < (before - f64::from(goal)).abs(),
            (Goal::On, None) => level > before,
            (_, None) => level != before,
        }
    }

    /// Returns true if the latest answer reports standstill and can be believed. It can't be believed if the
    /// previous answer reported standstill too, but in another state, because the device has moved since.
    fn reports_standstill(&self) -> bool {
        let (_, latest) = self.latest();
        let is_believable = self
            .previous()
            .is_none_or(|previous| !previous.is_still() || previous.current == latest.current);
        latest.is_still() && is_believable
    }

    /// Returns true if the answers show that the device moved toward the goal at some time.
    fn has_moved(&self) -> bool {
        let (_, latest) = self.latest();
        let came_nearer = |(before, after)| self.is_nearer(after, before);
        self.goal.is_gradual()
            && self.answers().skip(1).any(|(_, report)| {
                report.moves_to(self.goal)
                    || level(report).zip(level(latest)).is_some_and(came_nearer)
            })
    }

    /// Returns true if the device moved and then stopped: it reports standstill, or has reported the same
    /// state for [`STANDSTILL_TIME`].
    fn has_stopped_short(&self) -> bool {
        let (at, latest) = self.latest();
        let same = self.answers().take_while(|(_, report)| report.current == latest.current);
        let is_unchanged = || same.last().is_some_and(|(since, _)| at >= since + STANDSTILL_TIME);
        self.has_moved() && (self.reports_standstill() || is_unchanged())
    }

    /// Returns true if the device moved, and the answers don't show whether it has stopped.
    fn may_have_stopped(&self) -> bool {
        let (_, latest) = self.latest();
        let is_moving = latest.moves_to(self.goal) || latest.has_other_target(self.goal);
        self.has_last_answer() && self.has_moved() && !self.has_stopped_short() && !is_moving
    }

    fn verdict(&self, now: Duration) -> Verdict {
        let (_, latest) = self.latest();
        let current = latest.current.clone();
        if self.is_reached() {
            // A lamp that is getting brighter is on, but the level in its report is not the final one.
            let brightens =
                self.goal == Goal::On && latest.remaining.is_some_and(Remaining::is_moving);
            return Verdict::Reached(current.filter(|_| !brightens));
        }
        if self.is_moving(now) {
            let target = latest.target.clone();
            return Verdict::Moving { current, target };
        }
        // A slow device may report its old position until it arrives.
        let is_slow = matches!(self.goal, Goal::Position(_));
        let may_be_on_its_way = is_slow && !self.has_moved() && !self.reports_standstill();
        // If the last query got no answer with a known state, the latest answer may be outdated.
        match current.filter(|_| self.has_last_answer()) {
            Some(current) if self.has_stopped_short() => Verdict::Stopped(current),
            Some(_) if may_be_on_its_way => Verdict::Unproven,
            // One position alone does not show whether the device stands still.
            Some(_) if self.goal == Goal::Standstill && self.previous().is_none() => {
                Verdict::Unproven
            }
            Some(current) => Verdict::OtherState(current),
            None if self.promise == Promise::Done && !self.is_unsure => Verdict::Reached(None),
            None => Verdict::Unproven,
        }
    }
}

fn level(report: &StateReport) -> Option<f64> {
    report.current.as_ref().and_then(Reading::number)
}

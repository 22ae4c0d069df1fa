//! Decides when to ask a device whether it obeyed, and what its answers prove.
//!
//! Time is passed in, as the time since the gateway's reply to the write. Only the reply's status and
//! the device's own answers count, never the gateway's guess (`docs/GATEWAY.md#optimistic-values`).

use std::time::Duration;

use super::goal::{Goal, Remaining, StateReport};
use super::model::value::Reading;

/// The way in which a device can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// At any time, because it always listens.
    Prompt,
    /// Once, because it listens about once a second (FLiRS) and each question costs its battery.
    Interval,
    /// Never, because it sleeps or is dead.
    Never,
}

/// The result that the gateway's reply promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// The write was delivered (status 254).
    Delivered,
    /// The device is working on it (status 1), for about this long.
    Working(Option<Duration>),
    /// The device reports that it is done (status 255).
    Done,
}

/// The next thing to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Ask, but not before this time after the reply.
    Ask(Duration),
    /// Ask no more. This is the result.
    Done(Verdict),
}

/// The result of a proof.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The goal is reached. The reading is missing if the device is on and still gets brighter.
    Reached(Option<Reading>),
    /// The device moves.
    Moving {
        /// The current state, if reported.
        now: Option<Reading>,
        /// The target, if reported.
        target: Option<Reading>,
    },
    /// No answer came in time.
    Silent,
    /// The device reports another state and does not move.
    Elsewhere(Reading),
    /// The device moved, and stopped before it reached the goal.
    Stopped(Reading),
}

/// The time after which a device that answered with its old value is asked again.
const SECOND_QUESTION: Duration = Duration::from_secs(1);

/// The extra time before a question that spares another one, because devices round their remaining
/// time.
const ROUNDING: Duration = Duration::from_millis(150);

/// The time without change after which a device that moved counts as stopped.
const STANDS: Duration = Duration::from_secs(2);

/// The time in which a bolt may still jam after the device has reported success.
const MAY_JAM: Duration = Duration::from_secs(2);

/// The usual number of questions: at once, when the device may have arrived, and at the end.
const MAX_QUESTIONS: usize = 3;

/// The questions and answers after one write.
#[derive(Clone, Debug)]
pub struct Proof {
    goal: Goal,
    manner: Manner,
    promise: Promise,
    limit: Duration,
    /// The time and the answer of each question so far.
    asked: Vec<(Duration, Option<StateReport>)>,
    /// True if the last answer was that the device does not know its state.
    is_unsure: bool,
    stopped: bool,
}

impl Proof {
    /// Begins the proof of a write when its reply has come. It takes at most `limit`.
    pub fn new(goal: Goal, manner: Manner, promise: Promise, limit: Duration) -> Self {
        Self {
            goal,
            manner,
            promise,
            limit,
            asked: Vec::new(),
            is_unsure: false,
            stopped: false,
        }
    }

    /// Returns the next thing to do after all answers so far.
    pub fn next(&self) -> Next {
        let now = self.asked.last().map_or(Duration::ZERO, |(at, _)| *at);
        if self.manner == Manner::Never || self.stopped || self.is_reached() {
            return Next::Done(self.verdict(now));
        }
        match self.next_question() {
            Some(at) => Next::Ask(at),
            None if self.manner == Manner::Interval => Next::Done(self.verdict(self.limit)),
            None => Next::Done(self.verdict(now)),
        }
    }

    /// Returns the time of the next question, if there is one left to ask.
    fn next_question(&self) -> Option<Duration> {
        let arrival = self.arrival().map(|arrival| arrival + ROUNDING);
        let Some((now, _)) = self.asked.last() else {
            return match (self.promise, self.manner) {
                (Promise::Done, _) => self.goal.may_jam().then(|| MAY_JAM.min(self.limit)),
                (_, Manner::Interval) => Some(arrival.unwrap_or(self.limit).min(self.limit)),
                _ => Some(Duration::ZERO),
            };
        };
        let needs_longer = self.arrival().is_some_and(|arrival| arrival > self.limit);
        if self.promise == Promise::Done || self.manner == Manner::Interval || needs_longer {
            return None;
        }
        if *now < self.limit && self.asked.len() < MAX_QUESTIONS {
            return Some(match self.asked.len() {
                1 => arrival.unwrap_or(SECOND_QUESTION).min(self.limit),
                _ => self.limit,
            });
        }
        let is_last = *now >= self.limit + STANDS;
        (!is_last && self.may_have_stopped()).then(|| *now + STANDS)
    }

    /// Returns the time until which to wait for the answer to a question that is asked at `at`: until
    /// the next question, or `last_answer` beyond the limit for the last.
    pub fn patience(&self, at: Duration, last_answer: Duration) -> Duration {
        let is_last = self.manner == Manner::Interval
            || at >= self.limit
            || self.asked.len() + 1 >= MAX_QUESTIONS;
        if is_last {
            self.limit.max(at) + last_answer
        } else if self.asked.is_empty() {
            SECOND_QUESTION.min(self.limit)
        } else {
            self.limit
        }
    }

    /// Records the answer to the question that was asked at `at`, or that none came in time. Readings
    /// that encode "unknown" are dropped.
    pub fn record_answer(&mut self, at: Duration, report: Option<StateReport>) {
        let is_known = |reading: &Reading| !self.goal.is_unknown(reading);
        let has_answer = report.is_some();
        let report = report.filter(|report| report.current.as_ref().is_some_and(is_known));
        self.is_unsure = has_answer && report.is_none();
        let report = report.map(|report| StateReport {
            target: report.target.filter(is_known),
            ..report
        });
        self.asked.push((at, report));
    }

    /// Ends the questions, because the node fell asleep or died, or because nobody waits.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// Returns the answers with the times of their questions, the last first.
    fn answers(&self) -> impl Iterator<Item = (Duration, &StateReport)> {
        self.asked.iter().rev().filter_map(|(at, report)| Some((*at, report.as_ref()?)))
    }

    fn latest(&self) -> Option<(Duration, &StateReport)> {
        self.answers().next()
    }

    fn previous(&self) -> Option<&StateReport> {
        self.answers().nth(1).map(|(_, report)| report)
    }

    /// Returns the time at which the device will have arrived, by its last answer or else by the
    /// reply's promise. The promise ends when the device turns away or stops.
    fn arrival(&self) -> Option<Duration> {
        let promised = match self.promise {
            Promise::Working(left) => left,
            Promise::Delivered | Promise::Done => None,
        };
        let Some((at, report)) = self.latest() else {
            return promised;
        };
        match report.remaining {
            Some(Remaining::Known(left)) if !left.is_zero() && report.moves_to(self.goal) => {
                Some(at + left)
            }
            _ => promised.filter(|_| !report.leaves(self.goal) && !self.has_stopped_short()),
        }
    }

    /// Returns true if the last question got an answer.
    fn has_last_answer(&self) -> bool {
        let last = self.asked.last();
        last.is_some_and(|(_, report)| report.is_some())
    }

    fn is_reached(&self) -> bool {
        let Some((_, latest)) = self.latest() else {
            return self.promise == Promise::Done && !self.goal.may_jam();
        };
        // A device that is twice in the same place stands there, whatever it says of its time, unless it
        // leaves or is only on.
        let may_be_still = match self.goal {
            Goal::Standstill => latest.remaining.is_none(),
            Goal::On => !latest.remaining.is_some_and(Remaining::is_moving),
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

    /// Returns true if the device is known to move at this time: by a time of arrival that is still
    /// ahead, or by the answer to the last question. Older answers don't count.
    fn is_moving(&self, now: Duration) -> bool {
        if self.arrival().is_some_and(|arrival| arrival > now) {
            return true;
        }
        let Some((at, latest)) = self.latest() else {
            return false;
        };
        let is_last = self.asked.last().is_some_and(|(asked, _)| *asked == at);
        is_last && (latest.moves_to(self.goal) || self.is_coming_nearer(latest))
    }

    /// Returns true if the last two answers show that the device comes nearer to the goal, and the
    /// latest does not report another target or standstill.
    fn is_coming_nearer(&self, latest: &StateReport) -> bool {
        let (Some(now), Some(before)) = (level(latest), self.previous().and_then(level)) else {
            return false;
        };
        now != before
            && self.is_nearer(now, before)
            && !latest.has_other_target(self.goal)
            && !self.reports_standstill()
    }

    /// Returns true if a level is nearer to the goal than another. Every higher level is nearer to "on",
    /// and every other level counts as nearer to standstill.
    fn is_nearer(&self, level: f64, than: f64) -> bool {
        match (self.goal, self.goal.level()) {
            (_, Some(goal)) => (level - f64::from(goal)).abs() < (than - f64::from(goal)).abs(),
            (Goal::On, None) => level > than,
            (_, None) => level != than,
        }
    }

    /// Returns true if the last answer reports standstill. It does not count if the answer before did so
    /// too, and yet the device moved.
    fn reports_standstill(&self) -> bool {
        let Some((_, latest)) = self.latest() else {
            return false;
        };
        let is_believable = self
            .previous()
            .is_none_or(|previous| !previous.is_still() || previous.current == latest.current);
        latest.is_still() && is_believable
    }

    /// Returns true if the answers show that the device moved to the goal at some time.
    fn has_moved(&self) -> bool {
        let Some((_, latest)) = self.latest() else {
            return false;
        };
        let came_nearer = |(before, now)| self.is_nearer(now, before);
        self.goal.is_gradual()
            && self.answers().skip(1).any(|(_, report)| {
                report.moves_to(self.goal)
                    || level(report).zip(level(latest)).is_some_and(came_nearer)
            })
    }

    /// Returns true if the device moved and then stopped: it reports so, or did not change for
    /// [`STANDS`].
    fn has_stopped_short(&self) -> bool {
        let unchanged = || {
            let (at, latest) = self.latest()?;
            let (since, _) = self
                .answers()
                .take_while(|(_, report)| report.current == latest.current)
                .last()?;
            Some(at.saturating_sub(since))
        };
        self.has_moved()
            && (self.reports_standstill() || unchanged().is_some_and(|span| span >= STANDS))
    }

    /// Returns true if the device moved, and nothing shows yet whether it has stopped.
    fn may_have_stopped(&self) -> bool {
        let Some((_, latest)) = self.latest().filter(|_| self.has_last_answer()) else {
            return false;
        };
        let is_moving = latest.moves_to(self.goal) || latest.has_other_target(self.goal);
        self.has_moved() && !self.has_stopped_short() && !is_moving
    }

    fn verdict(&self, now: Duration) -> Verdict {
        let latest = self.latest().map(|(_, report)| report);
        let current = latest.and_then(|report| report.current.clone());
        if self.is_reached() {
            let remaining = latest.and_then(|report| report.remaining);
            // A lamp that is on and still gets brighter is on, but not at that level.
            let brightens = self.goal == Goal::On && remaining.is_some_and(Remaining::is_moving);
            return Verdict::Reached(current.filter(|_| !brightens));
        }
        if self.is_moving(now) {
            return Verdict::Moving {
                now: current,
                target: latest.and_then(|report| report.target.clone()),
            };
        }
        // A slow device that reports only when it arrives may be anywhere on its way.
        let may_be_on_its_way =
            self.goal.is_slow() && !self.has_moved() && !self.reports_standstill();
        // An older answer than the last may be outdated.
        match current.filter(|_| self.has_last_answer()) {
            Some(current) if self.has_stopped_short() => Verdict::Stopped(current),
            Some(_) if may_be_on_its_way => Verdict::Silent,
            Some(current) => Verdict::Elsewhere(current),
            None if self.promise == Promise::Done && !self.is_unsure => Verdict::Reached(None),
            None => Verdict::Silent,
        }
    }
}

fn level(report: &StateReport) -> Option<f64> {
    report.current.as_ref().and_then(Reading::number)
}

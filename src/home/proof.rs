//! When to ask a device whether it obeyed, and what its answers prove.
//!
//! Pure: time is handed in as the time since the gateway's reply to the write. The gateway's guess
//! never comes here, only the reply's status and the device's own answers (DESIGN.md, section 5).

use std::time::Duration;

use super::goal::{Goal, Remaining, Report};
use super::value::Reading;

/// How a device can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// It listens all the time.
    Prompt,
    /// It listens about once a second (FLiRS): asking costs its battery, so it is asked once.
    Interval,
    /// It sleeps or is dead: not asked at all.
    Never,
}

/// What the gateway's reply to the write promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// Delivered, and that is all that is known (status 254).
    Delivered,
    /// The device said it is working on it (status 1), for about this long.
    Working(Option<Duration>),
}

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Ask, not before this time after the reply.
    Ask(Duration),
    /// No more questions: this is what is known.
    Done(Verdict),
}

/// What the device's answers prove.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The wanted state is reached; the device's own word, but for a level that is only passed on
    /// the way to the one that "on, as before" means.
    Reached(Option<Reading>),
    /// It is on its way; where it is and where to, if it said so.
    Moving {
        /// Where it is.
        now: Option<Reading>,
        /// Where it is going.
        target: Option<Reading>,
    },
    /// It gave no answer in time.
    Silent,
    /// It reports another state and does not move.
    Elsewhere(Reading),
}

/// When an old device that answered with its old value is asked again.
const SECOND_QUESTION: Duration = Duration::from_secs(1);

/// Devices round their remaining time; asking a little later spares a question.
const ROUNDING: Duration = Duration::from_millis(150);

/// The questions and answers after one write.
#[derive(Clone, Debug)]
pub struct Proof {
    goal: Goal,
    manner: Manner,
    promise: Promise,
    limit: Duration,
    asked: u8,
    last_asked: bool,
    previous: Option<Report>,
    latest: Option<Report>,
    /// When the device will be there, by its own word.
    arrival: Option<Duration>,
}

impl Proof {
    /// The proof for a write whose reply just came; `limit` is how long to look for it.
    pub fn new(goal: Goal, manner: Manner, promise: Promise, limit: Duration) -> Self {
        let arrival = match promise {
            Promise::Working(remaining) => remaining,
            Promise::Delivered => None,
        };
        Self {
            goal,
            manner,
            promise,
            limit,
            asked: 0,
            last_asked: false,
            previous: None,
            latest: None,
            arrival,
        }
    }

    /// What to do now that every answer so far was handed in.
    pub fn next(&self) -> Next {
        if self.manner == Manner::Never || self.last_asked {
            return Next::Done(self.verdict());
        }
        if self.reached() {
            return Next::Done(self.verdict());
        }
        if self.manner == Manner::Interval {
            return Next::Ask(self.final_question());
        }
        match self.asked {
            0 => Next::Ask(Duration::ZERO),
            _ if self.moves() => {
                if self.arrival.is_some_and(|arrival| arrival > self.limit) {
                    Next::Done(self.verdict())
                } else {
                    Next::Ask(self.final_question())
                }
            }
            1 if SECOND_QUESTION < self.limit => Next::Ask(SECOND_QUESTION),
            _ => Next::Ask(self.final_question()),
        }
    }

    /// Hands in a question's answer, or none where there was no answer in time. `now` is the time
    /// since the reply at which the question was asked.
    pub fn answered(&mut self, now: Duration, report: Option<Report>) {
        self.asked = self.asked.saturating_add(1);
        if now >= self.final_question() {
            self.last_asked = true;
        }
        let Some(report) = report.filter(|report| report.current.is_some()) else {
            return;
        };
        if let Some(Remaining::Known(left)) = report.remaining
            && !left.is_zero()
        {
            self.arrival = Some(now + left);
        }
        self.previous = self.latest.replace(report);
    }

    /// Ends the questions: the node fell asleep, died, or was given another command.
    pub fn stop(&mut self) {
        self.last_asked = true;
    }

    /// When the last question is asked: when the announced time is up, at the latest at the limit.
    fn final_question(&self) -> Duration {
        match self.arrival {
            Some(arrival) if self.moves() || self.asked == 0 => {
                (arrival + ROUNDING).min(self.limit)
            }
            _ => self.limit,
        }
    }

    fn reached(&self) -> bool {
        let current = self
            .latest
            .as_ref()
            .and_then(|report| report.current.as_ref());
        current.is_some_and(|current| self.goal.reached(current))
    }

    /// Whether the device was on its way when it was last heard: by its own word, or because two
    /// answers gave two positions.
    fn moves(&self) -> bool {
        let Some(latest) = &self.latest else {
            return matches!(self.promise, Promise::Working(_));
        };
        if latest.moves_to(self.goal) {
            return true;
        }
        let says_nothing_of_moving = latest.target.is_none() && latest.remaining.is_none();
        let changed = self.previous.as_ref().is_some_and(|previous| {
            matches!(
                (&previous.current, &latest.current),
                (Some(Reading::Number(before)), Some(Reading::Number(after))) if before != after
            )
        });
        says_nothing_of_moving && changed
    }

    fn verdict(&self) -> Verdict {
        let now = self
            .latest
            .as_ref()
            .and_then(|report| report.current.clone());
        if self.reached() {
            let remaining = self.latest.as_ref().and_then(|report| report.remaining);
            let passing = remaining.is_some_and(Remaining::under_way);
            return Verdict::Reached(now.filter(|_| !passing));
        }
        if self.moves() {
            let target = self
                .latest
                .as_ref()
                .and_then(|report| report.target.clone());
            return Verdict::Moving { now, target };
        }
        now.map_or(Verdict::Silent, Verdict::Elsewhere)
    }
}

//! When to ask a device whether it obeyed, and what its answers prove.
//!
//! Pure: time is handed in as the time since the gateway's reply to the write. The gateway's guess
//! never comes here, only the reply's status and the device's own answers
//! (`docs/GATEWAY.md#optimistic-values`).

use std::time::Duration;

use super::goal::{Goal, Remaining, StateReport};
use super::model::value::Reading;

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
    /// The device says that it is done (status 255).
    Done,
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
    /// The wanted state is reached; the device's own word, but for a level that it is still
    /// rounding to.
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
    /// It moved, and stands still short of where it was to go.
    Stopped(Reading),
}

/// When an old device that answered with its old value is asked again.
const SECOND_QUESTION: Duration = Duration::from_secs(1);

/// Devices round their remaining time; asking a little later spares a question.
const ROUNDING: Duration = Duration::from_millis(150);

/// What moved and did not change for this long stands.
const STANDS: Duration = Duration::from_secs(2);

/// A bolt may jam for so long after the device said that it is done.
const MAY_JAM: Duration = Duration::from_secs(2);

/// Questions are few: one at once, one when the device may have got there, one when time is up.
const MOST_QUESTIONS: usize = 3;

/// The questions and answers after one write.
#[derive(Clone, Debug)]
pub struct Proof {
    goal: Goal,
    manner: Manner,
    promise: Promise,
    limit: Duration,
    /// What was answered to each question so far, and when it was asked.
    asked: Vec<(Duration, Option<StateReport>)>,
    /// Its last word was that it does not know its state.
    is_unsure: bool,
    stopped: bool,
}

impl Proof {
    /// The proof for a write whose reply just came; `limit` is how long to look for it.
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

    /// What to do now that every answer so far was handed in.
    pub fn next(&self) -> Next {
        let now = self.asked.last().map_or(Duration::ZERO, |(at, _)| *at);
        if self.manner == Manner::Never || self.stopped || self.reached() {
            return Next::Done(self.verdict(now));
        }
        match self.question() {
            Some(at) => Next::Ask(at),
            None if self.manner == Manner::Interval => Next::Done(self.verdict(self.limit)),
            None => Next::Done(self.verdict(now)),
        }
    }

    /// When the next question is due; none where there is none left to ask.
    fn question(&self) -> Option<Duration> {
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
        if *now < self.limit && self.asked.len() < MOST_QUESTIONS {
            return Some(match self.asked.len() {
                1 => arrival.unwrap_or(SECOND_QUESTION).min(self.limit),
                _ => self.limit,
            });
        }
        let is_last = *now >= self.limit + STANDS;
        (!is_last && self.may_stand()).then(|| *now + STANDS)
    }

    /// How long after the reply the answer to a question may come that is asked at this time: until
    /// the next one is due; the last may take a little longer.
    pub fn patience(&self, at: Duration, last_answer: Duration) -> Duration {
        let last = self.manner == Manner::Interval
            || at >= self.limit
            || self.asked.len() + 1 >= MOST_QUESTIONS;
        if last {
            self.limit.max(at) + last_answer
        } else if self.asked.is_empty() {
            SECOND_QUESTION.min(self.limit)
        } else {
            self.limit
        }
    }

    /// Hands in a question's answer, or none where there was no answer in time. `at` is the time
    /// since the reply at which the question was asked. An answer that the device does not know is
    /// none, and so is a target.
    pub fn answered(&mut self, at: Duration, report: Option<StateReport>) {
        let says = |reading: &Reading| !self.goal.is_unknown(reading);
        let heard = report.is_some();
        let report = report.filter(|report| report.current.as_ref().is_some_and(says));
        self.is_unsure = heard && report.is_none();
        let report = report.map(|report| StateReport {
            target: report.target.filter(says),
            ..report
        });
        self.asked.push((at, report));
    }

    /// Ends the questions: the node fell asleep or died, or nobody waits for the answer.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// The device's answers, the last first, and when it was asked for them.
    fn answers(&self) -> impl Iterator<Item = (Duration, &StateReport)> {
        let asked = self.asked.iter().rev();
        asked.filter_map(|(at, report)| Some((*at, report.as_ref()?)))
    }

    fn latest(&self) -> Option<(Duration, &StateReport)> {
        self.answers().next()
    }

    fn previous(&self) -> Option<&StateReport> {
        self.answers().nth(1).map(|(_, report)| report)
    }

    /// When the device will be there: by its own last word, or by what the reply promised, until it
    /// goes elsewhere or stands on its way.
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
            _ => promised.filter(|_| !report.leaves(self.goal) && !self.stands_short()),
        }
    }

    /// Returns true if its last question was answered.
    fn last_answered(&self) -> bool {
        let last = self.asked.last();
        last.is_some_and(|(_, report)| report.is_some())
    }

    fn reached(&self) -> bool {
        let Some((_, latest)) = self.latest() else {
            return self.promise == Promise::Done && !self.goal.may_jam();
        };
        // What does not say that it needs time stands still when it is twice in the same place.
        let still = match self.goal {
            Goal::Standstill => latest.remaining.is_none(),
            Goal::On => !latest.remaining.is_some_and(Remaining::is_moving),
            _ => false,
        };
        let in_place = |current: &Reading| match self.goal {
            Goal::Standstill => current.is_on().is_some(),
            goal => goal.is_met_by(current),
        };
        let twice_there = still
            && latest.current.as_ref().is_some_and(in_place)
            && self
                .previous()
                .is_some_and(|previous| previous.current == latest.current);
        latest.proves(self.goal) || twice_there
    }

    /// Whether there is reason to say that the device is on its way at this time: its own word for
    /// longer than that, or a last answer that says or shows it. What it said before, and what was
    /// promised for a time that is over, is none.
    fn moves(&self, now: Duration) -> bool {
        let later_than_now = |arrival: Duration| arrival > now;
        let Some((at, latest)) = self.latest() else {
            return match self.promise {
                Promise::Working(Some(left)) => later_than_now(left),
                Promise::Working(None) | Promise::Delivered | Promise::Done => false,
            };
        };
        if self.arrival().is_some_and(later_than_now) {
            return true;
        }
        let just_said = self.asked.last().is_some_and(|(asked, _)| *asked == at);
        just_said && (latest.moves_to(self.goal) || self.comes_nearer(latest))
    }

    /// Whether two answers show a position that changes, and nothing says that it goes elsewhere, or
    /// stands. That no time is left is no such word from what said so before and moved all the same.
    fn comes_nearer(&self, latest: &StateReport) -> bool {
        let (Some(now), Some(before)) = (place(latest), self.previous().and_then(place)) else {
            return false;
        };
        now != before
            && self.is_nearer(now, before)
            && !latest.aims_elsewhere(self.goal)
            && !self.says_it_stands()
    }

    /// Returns true if a place is nearer to where it is to go than another; to be on is to be above 0,
    /// and what is to stand still goes anywhere.
    fn is_nearer(&self, place: f64, than: f64) -> bool {
        match (self.goal, self.goal.level()) {
            (_, Some(level)) => (place - f64::from(level)).abs() < (than - f64::from(level)).abs(),
            (Goal::On, None) => place > than,
            (_, None) => place != than,
        }
    }

    /// Returns true if its last answer says that it stands still. One that said so before, and was
    /// seen to move, always says so.
    fn says_it_stands(&self) -> bool {
        let says = |report: &StateReport| report.stands_still();
        let always = |report: &StateReport| {
            let moved = |previous: &StateReport| previous.current != report.current;
            self.previous()
                .is_some_and(|previous| says(previous) && moved(previous))
        };
        self.latest()
            .is_some_and(|(_, report)| says(report) && !always(report))
    }

    /// Returns true if its answers show that it is on its way to where it is to go, or was.
    fn has_moved(&self) -> bool {
        let Some((_, latest)) = self.latest() else {
            return false;
        };
        let moved = |report: &StateReport| {
            let came_nearer = |(was, is)| self.is_nearer(is, was);
            report.moves_to(self.goal) || place(report).zip(place(latest)).is_some_and(came_nearer)
        };
        self.goal.is_gradual() && self.answers().skip(1).any(|(_, report)| moved(report))
    }

    /// Returns true if it moved and stands: it says so, or was in the same place for two seconds.
    fn stands_short(&self) -> bool {
        let unchanged = || {
            let (at, latest) = self.latest()?;
            let same = |answer: &(Duration, &StateReport)| answer.1.current == latest.current;
            let (since, _) = self.answers().take_while(same).last()?;
            Some(at.saturating_sub(since))
        };
        let stands = || self.says_it_stands() || unchanged().is_some_and(|span| span >= STANDS);
        self.has_moved() && stands()
    }

    /// Returns true if it moved, and nothing tells yet whether it stands.
    fn may_stand(&self) -> bool {
        let Some((_, latest)) = self.latest().filter(|_| self.last_answered()) else {
            return false;
        };
        let says = latest.moves_to(self.goal) || latest.aims_elsewhere(self.goal);
        self.has_moved() && !self.stands_short() && !says
    }

    fn verdict(&self, now: Duration) -> Verdict {
        let latest = self.latest().map(|(_, report)| report);
        let current = latest.and_then(|report| report.current.clone());
        if self.reached() {
            let remaining = latest.and_then(|report| report.remaining);
            let passing = remaining.is_some_and(Remaining::is_moving);
            return Verdict::Reached(current.filter(|_| !passing));
        }
        if self.moves(now) {
            return Verdict::Moving {
                now: current,
                target: latest.and_then(|report| report.target.clone()),
            };
        }
        // Only its last word counts: what it said before may have changed since.
        let travels = self.goal.travels() && !self.has_moved() && !self.says_it_stands();
        match current.filter(|_| self.last_answered()) {
            Some(place) if self.stands_short() => Verdict::Stopped(place),
            // What reports only when it has arrived may be anywhere on its way.
            Some(_) if travels => Verdict::Silent,
            Some(elsewhere) => Verdict::Elsewhere(elsewhere),
            // It said that it is done, and nothing since.
            None if self.promise == Promise::Done && !self.is_unsure => Verdict::Reached(None),
            None => Verdict::Silent,
        }
    }
}

fn place(report: &StateReport) -> Option<f64> {
    report.current.as_ref().and_then(Reading::number)
}

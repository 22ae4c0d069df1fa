//! The timers: orders and questions that are kept until they are due.

mod clock;
mod store;

use std::path::Path;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use chrono::{DateTime, NaiveDateTime, Utc};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio::time::sleep;
use tracing::warn;

use super::conversation::Conversation;
use super::due::{Due, NotDue, When, next_due};
use super::sentence::TimedOrder;
use crate::lock::lock;

pub use clock::TimerClock;
use store::Store;

/// The maximum number of timers.
const MAX_TIMERS: usize = 32;

/// What is found later than this after it was due is not done.
const MAX_LATE: i64 = 60_000;

/// How often the clocks are compared while there are timers. The machine may sleep, and its clock may be set.
const TICK: Duration = Duration::from_secs(1);

/// How long "never mind" cancels the timer that was just set.
const WITHDRAW_LIMIT: i64 = 120_000;

/// An order or a question with the time at which it is due.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Timer {
    pub id: u64,
    /// The time at which it is due, in milliseconds since 1970.
    due: i64,
    /// True if a span was said. A span does not change when the clock is set.
    is_span: bool,
    /// The room of the person who asked, if it is known, and the room from which the sentence came, as it was given.
    pub room: Option<String>,
    pub origin: Option<String>,
    pub order: TimedOrder,
    /// When it is due and was set, by the clock that nobody sets. The file does not keep them.
    #[serde(skip)]
    due_elapsed: i64,
    #[serde(skip)]
    set_elapsed: Option<i64>,
}

impl Timer {
    /// Returns the time at which it is due.
    pub fn time(&self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.due).unwrap_or_default()
    }
}

/// The reason why a timer is not taken. `Display` is the name of the phrase that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotTaken {
    #[error("timer_full")]
    Full,
    #[error("timer_unkept")]
    Unkept,
    #[error("no_timers")]
    NoTimers,
}

/// The timers of a house.
#[derive(Debug)]
pub struct Timers {
    clock: TimerClock,
    /// The file; `None` if the timers are not kept. The error says why there are no timers.
    store: Result<Option<Store>, String>,
    kept: Mutex<Vec<Timer>>,
    changed: Notify,
}

impl Timers {
    /// Opens the timers in a file, which no other program may open meanwhile. Without a file, the timers end with the
    /// program. If the file can't be used, there are no timers: see [`problem`](Self::problem).
    pub fn open(clock: TimerClock, file: Option<&Path>) -> Self {
        let opened = file.map(Store::open).transpose();
        let (store, mut timers) = match opened {
            Ok(opened) => opened.map_or((Ok(None), Vec::new()), |(store, timers)| {
                (Ok(Some(store)), timers)
            }),
            Err(why) => (Err(why), Vec::new()),
        };
        let (now, elapsed) = (clock.now().timestamp_millis(), clock.elapsed());
        for timer in &mut timers {
            timer.due_elapsed = elapsed + timer.due - now;
        }
        Self {
            clock,
            store,
            kept: Mutex::new(timers),
            changed: Notify::new(),
        }
    }

    /// Returns the reason why there are no timers, for the owner.
    pub fn problem(&self) -> Option<&str> {
        self.store.as_ref().err().map(String::as_str)
    }

    /// Returns the instant of a time that was said.
    pub(super) fn next_due(&self, when: When) -> Result<Due, NotDue> {
        next_due(when, self.clock.now(), &*self.clock.zone)
    }

    /// Returns a time and the present as local times.
    pub(super) fn local_times(&self, due: DateTime<Utc>) -> (NaiveDateTime, NaiveDateTime, bool) {
        let zone = &self.clock.zone;
        (
            zone.to_local(due),
            zone.to_local(self.clock.now()),
            self.clock.is_zone_known,
        )
    }

    /// Takes a timer.
    pub(super) fn add(
        &self,
        due: Due,
        talk: &Conversation,
        order: TimedOrder,
    ) -> Result<(), NotTaken> {
        if self.store.is_err() {
            return Err(NotTaken::NoTimers);
        }
        let mut kept = self.kept();
        if kept.len() >= MAX_TIMERS {
            return Err(NotTaken::Full);
        }
        let elapsed = self.clock.elapsed();
        let id = kept.iter().map(|timer| timer.id + 1).max().unwrap_or_default();
        kept.push(Timer {
            id,
            due: due.time.timestamp_millis(),
            is_span: due.is_span,
            room: talk.context.room.clone(),
            origin: talk.origin.clone(),
            order,
            due_elapsed: elapsed + (due.time - self.clock.now()).num_milliseconds(),
            set_elapsed: Some(elapsed),
        });
        if let Err(error) = self.save(&kept) {
            warn!(%error, "the timer can't be stored");
            kept.pop();
            return Err(NotTaken::Unkept);
        }
        self.changed.notify_one();
        Ok(())
    }

    /// Returns the timers, the next one first, each with its time and the seconds until then.
    pub(super) fn list(&self) -> Vec<(Timer, DateTime<Utc>, u32)> {
        let now = self.clock.now();
        let mut timers = self.kept().clone();
        timers.sort_by_key(|timer| self.late(timer));
        let with_time = |timer: Timer| {
            let left = -self.late(&timer);
            let due = now + chrono::TimeDelta::milliseconds(left);
            (timer, due, u32::try_from(left / 1000).unwrap_or(0))
        };
        timers.into_iter().rev().map(with_time).collect()
    }

    /// Cancels these timers, and returns those that were still there.
    pub(super) fn cancel(&self, ids: &[u64]) -> Vec<Timer> {
        self.take(|timer| ids.contains(&timer.id))
    }

    /// Returns the timer that this room set last, if that was in the last two minutes.
    pub(super) fn just_set(&self, room: Option<&str>) -> Option<Timer> {
        let elapsed = self.clock.elapsed();
        let age = |timer: &Timer| timer.set_elapsed.map(|set| elapsed - set);
        let kept = self.kept();
        let of_room = kept.iter().filter(|timer| timer.room.as_deref() == room);
        let recent = of_room.filter(|timer| age(timer).is_some_and(|age| age <= WITHDRAW_LIMIT));
        recent.min_by_key(|timer| age(timer)).cloned()
    }

    /// Waits until timers are due, and removes them. `true` means that it is too late for the timer.
    pub(super) async fn wait_due(&self) -> Vec<(Timer, bool)> {
        loop {
            let due = self.take(|timer| self.late(timer) >= 0);
            if !due.is_empty() {
                let with_late = |timer| {
                    let is_late = self.late(&timer) > MAX_LATE;
                    (timer, is_late)
                };
                return due.into_iter().map(with_late).collect();
            }
            let next = self.kept().iter().map(|timer| -self.late(timer)).min();
            let wait = next.map(|next| TICK.min(Duration::from_millis(next.max(1).unsigned_abs())));
            let tick = async {
                match wait {
                    Some(wait) => sleep(wait).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = tick => {}
                () = self.changed.notified() => {}
            }
        }
    }

    /// Returns the milliseconds since a timer was due. Before that, the number is negative.
    fn late(&self, timer: &Timer) -> i64 {
        if timer.is_span {
            self.clock.elapsed() - timer.due_elapsed
        } else {
            self.clock.now().timestamp_millis() - timer.due
        }
    }

    /// Removes timers. They are removed from the file before anything is done, so that nothing is done twice.
    fn take(&self, is_wanted: impl Fn(&Timer) -> bool) -> Vec<Timer> {
        let mut kept = self.kept();
        let (taken, left) = kept.drain(..).partition(is_wanted);
        *kept = left;
        let taken: Vec<Timer> = taken;
        if !taken.is_empty()
            && let Err(error) = self.save(&kept)
        {
            warn!(%error, "the timers can't be stored; they end with the program");
            if let Ok(Some(store)) = &self.store {
                store.remove();
            }
        }
        taken
    }

    fn save(&self, timers: &[Timer]) -> std::io::Result<()> {
        match &self.store {
            Ok(Some(store)) => store.write(timers),
            _ => Ok(()),
        }
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Timer>> {
        lock(&self.kept)
    }
}

//! The timers: orders and questions that are kept until they are due.

mod clock;
mod store;

use std::path::Path;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio::time::sleep;
use tracing::warn;

use super::conversation::Conversation;
use super::due::Due;
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
    id: u64,
    /// The times at which it is due and was set, in milliseconds since 1970.
    due: i64,
    set: i64,
    /// True if a span was said. A span does not change when the clock is set.
    is_span: bool,
    /// The room of the person who asked, if it is known, and the room from which the sentence came, as it was given.
    pub room: Option<String>,
    pub origin: Option<String>,
    pub order: TimedOrder,
}

impl Timer {
    pub fn time(&self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.due).unwrap_or_default()
    }
}

/// The timers of a house.
#[derive(Debug)]
pub struct Timers {
    pub(super) clock: TimerClock,
    /// The file; `None` if the timers are not kept. The error says why there are no timers.
    store: Result<Option<Store>, String>,
    kept: Mutex<KeptTimers>,
    changed: Notify,
}

#[derive(Debug)]
struct KeptTimers {
    timers: Vec<Timer>,
    /// The start of the clock, when the clock was last compared with it.
    clock_start: i64,
}

impl Timers {
    /// Opens the timers in a file, which no other program may open meanwhile. Without a file, the timers end with the
    /// program. If the file can't be used, there are no timers: see [`problem`](Self::problem).
    pub fn open(clock: TimerClock, file: Option<&Path>) -> Self {
        let (store, timers) = match file.map(Store::open).transpose() {
            Ok(None) => (Ok(None), Vec::new()),
            Ok(Some((store, timers))) => (Ok(Some(store)), timers),
            Err(why) => (Err(why), Vec::new()),
        };
        let clock_start = clock.start();
        Self {
            clock,
            store,
            kept: Mutex::new(KeptTimers {
                timers,
                clock_start,
            }),
            changed: Notify::new(),
        }
    }

    /// Returns the reason why there are no timers, for the owner.
    pub fn problem(&self) -> Option<&str> {
        self.store.as_ref().err().map(String::as_str)
    }

    /// Takes a timer. The error is the name of the phrase that says why not.
    pub(super) fn add(
        &self,
        due: Due,
        conversation: &Conversation,
        order: TimedOrder,
    ) -> Result<(), &'static str> {
        if self.store.is_err() {
            return Err("no_timers");
        }
        let mut kept = self.kept();
        if kept.timers.len() >= MAX_TIMERS {
            return Err("timer_full");
        }
        let last = kept.timers.iter().map(|timer| timer.id).max();
        kept.timers.push(Timer {
            id: last.map_or(0, |last| last + 1),
            due: due.time.timestamp_millis(),
            set: self.now(),
            is_span: due.is_span,
            room: conversation.context.room.clone(),
            origin: conversation.origin.clone(),
            order,
        });
        if let Err(error) = self.save(&kept.timers) {
            warn!(%error, "the timer can't be stored");
            kept.timers.pop();
            return Err("timer_unkept");
        }
        self.changed.notify_one();
        Ok(())
    }

    /// Returns the timers, the next one first.
    pub(super) fn list(&self) -> Vec<Timer> {
        let mut timers = self.kept().timers.clone();
        timers.sort_by_key(|timer| timer.due);
        timers
    }

    /// Cancels these timers, and returns those that were still there.
    pub(super) fn cancel(&self, timers: &[Timer]) -> Vec<Timer> {
        self.take(|timer| timers.iter().any(|cancelled| cancelled.id == timer.id))
    }

    /// Returns the timer that this room set last, if that was in the last two minutes.
    pub(super) fn just_set(&self, room: Option<&str>) -> Option<Timer> {
        let is_recent = |timer: &Timer| self.now() - timer.set <= WITHDRAW_LIMIT;
        let mut timers = self.list();
        timers.retain(|timer| timer.room.as_deref() == room && is_recent(timer));
        timers.into_iter().max_by_key(|timer| timer.id)
    }

    /// Returns true if it is too late for a timer.
    pub(super) fn is_late(&self, timer: &Timer) -> bool {
        self.now() - timer.due > MAX_LATE
    }

    /// Waits until timers are due, and removes them.
    pub(super) async fn wait_due(&self) -> Vec<Timer> {
        loop {
            let now = self.now();
            let due = self.take(|timer| timer.due <= now);
            if !due.is_empty() {
                return due;
            }
            let next = self.list().first().map(|timer| timer.due - self.now());
            // Without a timer, only a new one ends the wait.
            let left = next.map_or(Duration::MAX, |left| {
                TICK.min(Duration::from_millis(left.max(1).unsigned_abs()))
            });
            tokio::select! {
                () = sleep(left) => {}
                () = self.changed.notified() => {}
            }
        }
    }

    /// Removes timers. They are removed from the file before anything is done, so that nothing is done twice.
    fn take(&self, is_wanted: impl Fn(&Timer) -> bool) -> Vec<Timer> {
        let mut kept = self.kept();
        let taken: Vec<Timer> = kept.timers.extract_if(.., |timer| is_wanted(timer)).collect();
        if !taken.is_empty()
            && let Err(error) = self.save(&kept.timers)
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

    /// Returns the present, in milliseconds since 1970.
    fn now(&self) -> i64 {
        self.clock.now().timestamp_millis()
    }

    /// Returns the timers. If the clock was set meanwhile, spans move with it.
    fn kept(&self) -> MutexGuard<'_, KeptTimers> {
        let mut kept = lock(&self.kept);
        let clock_start = self.clock.start();
        let set_by = clock_start - std::mem::replace(&mut kept.clock_start, clock_start);
        for timer in &mut kept.timers {
            timer.set += set_by;
            timer.due += if timer.is_span { set_by } else { 0 };
        }
        kept
    }
}

//! The clocks that timers go by.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, FixedOffset, Local, NaiveDateTime, Offset, Utc};

/// The time, the time that has passed, and the time zone.
pub struct TimerClock {
    now: Box<dyn Fn() -> DateTime<Utc> + Send + Sync>,
    elapsed: Box<dyn Fn() -> Duration + Send + Sync>,
    offset: Box<dyn Fn(DateTime<Utc>) -> Option<FixedOffset> + Send + Sync>,
}

impl TimerClock {
    /// Makes a clock. `elapsed` returns the time since any moment, with the time that the machine slept; setting the
    /// clock must not change it. `offset` returns how far the zone is from UTC at a time. Where it returns `None`, times
    /// are in UTC, and are told as such.
    pub fn new(
        now: impl Fn() -> DateTime<Utc> + Send + Sync + 'static,
        elapsed: impl Fn() -> Duration + Send + Sync + 'static,
        offset: impl Fn(DateTime<Utc>) -> Option<FixedOffset> + Send + Sync + 'static,
    ) -> Self {
        Self {
            now: Box::new(now),
            elapsed: Box::new(elapsed),
            offset: Box::new(offset),
        }
    }

    /// Returns the machine's clock with its zone.
    pub fn from_system(is_zone_known: bool) -> Self {
        let offset = |time: DateTime<Utc>| time.with_timezone(&Local).offset().fix();
        Self::new(Utc::now, time_since_boot, move |time| {
            is_zone_known.then(|| offset(time))
        })
    }

    pub(in crate::assistant) fn now(&self) -> DateTime<Utc> {
        (self.now)()
    }

    /// Returns the time at which `elapsed` began, in milliseconds since 1970. It changes when the clock is set.
    pub(super) fn start(&self) -> i64 {
        let elapsed = i64::try_from((self.elapsed)().as_millis()).unwrap_or(i64::MAX);
        self.now().timestamp_millis() - elapsed
    }

    pub(in crate::assistant) fn to_local(&self, time: DateTime<Utc>) -> NaiveDateTime {
        let offset = (self.offset)(time).unwrap_or(Utc.fix());
        time.with_timezone(&offset).naive_local()
    }

    pub(in crate::assistant) fn is_zone_known(&self) -> bool {
        (self.offset)(self.now()).is_some()
    }
}

impl fmt::Debug for TimerClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimerClock").field("now", &self.now()).finish_non_exhaustive()
    }
}

/// Returns the time since the machine started, with the time that it slept.
#[cfg(unix)]
fn time_since_boot() -> Duration {
    use rustix::time::{ClockId, clock_gettime};

    // Only Linux stops this clock while the machine sleeps, and has another one.
    #[cfg(target_os = "linux")]
    let id = ClockId::Boottime;
    #[cfg(not(target_os = "linux"))]
    let id = ClockId::Monotonic;
    let time = clock_gettime(id);
    Duration::new(
        time.tv_sec.unsigned_abs(),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}

/// Returns the time since the first call. On Windows, this clock goes on while the machine sleeps.
#[cfg(not(unix))]
fn time_since_boot() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

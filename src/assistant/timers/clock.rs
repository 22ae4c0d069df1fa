//! The clocks that timers go by.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Local, Utc};

use crate::assistant::due::TimerZone;

/// The time, the time that has passed, and the time zone.
pub struct TimerClock {
    now: Box<dyn Fn() -> DateTime<Utc> + Send + Sync>,
    elapsed: Box<dyn Fn() -> Duration + Send + Sync>,
    pub(super) zone: Box<dyn TimerZone>,
    pub(super) is_zone_known: bool,
}

impl TimerClock {
    /// Makes a clock. `elapsed` returns the time since any moment, with the time that the machine slept; setting the
    /// clock must not change it. If the zone is not known, it should be UTC, and every time is told as such.
    pub fn new(
        now: impl Fn() -> DateTime<Utc> + Send + Sync + 'static,
        elapsed: impl Fn() -> Duration + Send + Sync + 'static,
        zone: impl TimerZone + 'static,
        is_zone_known: bool,
    ) -> Self {
        Self {
            now: Box::new(now),
            elapsed: Box::new(elapsed),
            zone: Box::new(zone),
            is_zone_known,
        }
    }

    /// Returns the machine's clock with its zone.
    pub fn from_system(is_zone_known: bool) -> Self {
        let zone: Box<dyn TimerZone> = if is_zone_known {
            Box::new(Local)
        } else {
            Box::new(Utc)
        };
        Self {
            now: Box::new(Utc::now),
            elapsed: Box::new(time_since_boot),
            zone,
            is_zone_known,
        }
    }

    pub(super) fn now(&self) -> DateTime<Utc> {
        (self.now)()
    }

    /// Returns the time that has passed, in milliseconds.
    pub(super) fn elapsed(&self) -> i64 {
        i64::try_from((self.elapsed)().as_millis()).unwrap_or(i64::MAX)
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

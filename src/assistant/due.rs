//! Decides when a time that was said comes next.

use chrono::{
    DateTime, Datelike, Days, MappedLocalTime, NaiveDateTime, TimeDelta, TimeZone, Timelike, Utc,
};

/// The furthest time ahead.
const MAX_AHEAD: TimeDelta = TimeDelta::days(7);

/// A time as it was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// After this many seconds.
    After(u32),
    /// At a time of the day.
    At {
        /// 0 to 24.
        hour: u32,
        /// 0 to 59.
        minute: u32,
        /// True if no other half of the day can be meant.
        is_exact: bool,
        /// The part of the day, if it was said.
        part: Option<DayPart>,
        /// The day, if it was said.
        day: Option<Day>,
    },
}

/// A part of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DayPart {
    /// Before noon.
    Morning,
    /// After noon.
    Evening,
    /// The evening, and the hours after midnight.
    Night,
}

/// A day as it was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Day {
    /// Today.
    Today,
    /// This evening, or the night after it.
    Tonight,
    /// Tomorrow.
    Tomorrow,
    /// The day after tomorrow.
    DayAfter,
    /// The next day with this number, 0 for Monday.
    Weekday(u8),
}

/// The time at which an order is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// The instant.
    pub time: DateTime<Utc>,
    /// True if a span was said. A span does not change when the clock is set.
    pub is_span: bool,
}

/// The reason why there is no such time. `Display` is the name of the phrase that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotDue {
    /// The time is over.
    #[error("time_over")]
    Over,
    /// The time is further than seven days ahead.
    #[error("too_far")]
    TooFar,
    /// The hour does not fit the part of the day, or two nights can be meant.
    #[error("time_unclear")]
    Unclear,
}

/// A time zone, whatever its type.
pub trait TimerZone: Send + Sync {
    /// Returns the local time.
    fn to_local(&self, time: DateTime<Utc>) -> NaiveDateTime;

    /// Returns the instant of a local time. A time that summer time skips is the next that exists; of a doubled one, the
    /// first counts.
    fn to_utc(&self, local: NaiveDateTime) -> Option<DateTime<Utc>>;
}

impl<Z: TimeZone + Send + Sync> TimerZone for Z {
    fn to_local(&self, time: DateTime<Utc>) -> NaiveDateTime {
        time.with_timezone(self).naive_local()
    }

    fn to_utc(&self, local: NaiveDateTime) -> Option<DateTime<Utc>> {
        // No zone skips more than a day.
        (0..24 * 60).find_map(|minutes| {
            match self.from_local_datetime(&(local + TimeDelta::minutes(minutes))) {
                MappedLocalTime::Single(time) | MappedLocalTime::Ambiguous(time, _) => {
                    Some(time.to_utc())
                }
                MappedLocalTime::None => None,
            }
        })
    }
}

/// Returns the next instant after `now` that was said.
///
/// # Errors
/// There is none within seven days.
pub fn next_due(when: When, now: DateTime<Utc>, zone: &dyn TimerZone) -> Result<Due, NotDue> {
    let time = match when {
        When::After(seconds) => now + TimeDelta::seconds(seconds.into()),
        When::At {
            hour,
            minute,
            is_exact,
            part,
            day,
        } => {
            let today = zone.to_local(now);
            let is_night = part == Some(DayPart::Night);
            let hours = match part {
                Some(DayPart::Morning) if is_exact && hour >= 12 => return Err(NotDue::Unclear),
                _ if is_exact => vec![hour],
                None => vec![hour % 12, hour % 12 + 12],
                Some(DayPart::Morning) => vec![hour % 12],
                Some(DayPart::Night) if hour % 12 < 6 => vec![hour % 12],
                Some(DayPart::Evening | DayPart::Night) => vec![hour % 12 + 12],
            };
            let is_small = hours.iter().all(|hour| *hour < 6);
            let days: Vec<u64> = match day {
                Some(Day::Tonight) if is_small && today.hour() >= 6 => vec![1],
                Some(Day::Today | Day::Tonight) => vec![0],
                Some(_) if is_night && is_small => return Err(NotDue::Unclear),
                None => vec![0, 1, 2],
                Some(Day::Tomorrow) => vec![1],
                Some(Day::DayAfter) => vec![2],
                Some(Day::Weekday(day)) => {
                    let days =
                        u64::from(day) + 7 - u64::from(today.weekday().num_days_from_monday());
                    vec![days % 7, days % 7 + 7]
                }
            };
            let times = days.iter().flat_map(|day| hours.iter().map(move |hour| (*day, *hour)));
            let times = times.filter_map(|(day, hour)| {
                let date = today.date().checked_add_days(Days::new(day))?;
                zone.to_utc(date.and_hms_opt(hour, minute, 0)?)
            });
            times.filter(|time: &DateTime<Utc>| *time > now).min().ok_or(NotDue::Over)?
        }
    };
    let is_span = matches!(when, When::After(_));
    (time - now <= MAX_AHEAD).then_some(Due { time, is_span }).ok_or(NotDue::TooFar)
}

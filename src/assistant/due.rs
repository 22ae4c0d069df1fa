//! Decides when a time that was said comes next.

use chrono::{DateTime, Datelike, Days, NaiveDateTime, TimeDelta, Utc, Weekday};
use serde::Deserialize;

/// The furthest time ahead.
const MAX_AHEAD: TimeDelta = TimeDelta::days(7);

/// The minutes of half a day.
const HALF_DAY: u32 = 12 * 60;

/// The end of the night, in minutes after midnight. "Five in the evening" is not in the night.
const NIGHT_END: u32 = 5 * 60;

/// The most that a time zone is ahead of UTC or behind, and what a change to summer time may add.
const MAX_OFFSET: TimeDelta = TimeDelta::hours(16);

/// A time as it was said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum When {
    /// After this many seconds.
    After(u32),
    /// At a time of the day.
    At(DayTime),
}

/// A time of the day, and perhaps the day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DayTime {
    /// The minutes since midnight, 0 to 1439.
    pub minute: u32,
    /// True if the hour can't be one of the other half of the day.
    pub is_exact: bool,
    /// True if what was said can only be a time. "At 20" may be an amount.
    pub is_definite: bool,
    pub part: Option<DayPart>,
    pub day: Option<Day>,
}

/// A part of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum DayPart {
    Morning,
    Afternoon,
    /// The evening, and the hours after midnight.
    Night,
}

/// A day as it was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Day {
    /// After this many days.
    After(u64),
    /// The next day with this name.
    Next(Weekday),
}

/// The time at which an order is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Due {
    /// The instant.
    pub time: DateTime<Utc>,
    /// True if a span was said. A span does not change when the clock is set.
    pub is_span: bool,
}

impl Day {
    /// Reads the key of a table: "1" is tomorrow, and "Mon" Monday.
    pub fn of_key(key: &str) -> Self {
        let weekday = || Self::Next(key.parse().unwrap_or(Weekday::Mon));
        key.parse().map_or_else(|_| weekday(), Self::After)
    }
}

impl DayTime {
    /// Returns the minutes of the day that can be meant. The error is the name of the phrase that says why there are none.
    fn minutes(self) -> Result<Vec<u32>, &'static str> {
        let half = self.minute % HALF_DAY;
        let is_second_half = self.is_exact && self.minute >= HALF_DAY;
        match self.part {
            Some(DayPart::Morning) if is_second_half => Err("time_unclear"),
            _ if is_second_half => Ok(vec![self.minute]),
            None if self.is_exact => Ok(vec![self.minute]),
            None => Ok(vec![half, half + HALF_DAY]),
            Some(DayPart::Morning) => Ok(vec![half]),
            Some(DayPart::Night) if half < NIGHT_END => Ok(vec![half]),
            Some(DayPart::Afternoon | DayPart::Night) => Ok(vec![half + HALF_DAY]),
        }
    }

    /// Returns the days that can be meant, as numbers of days after today.
    fn days(self, today: Weekday, minutes: &[u32]) -> Result<Vec<u64>, &'static str> {
        let is_after_midnight =
            self.part == Some(DayPart::Night) && minutes.iter().all(|minute| *minute < NIGHT_END);
        match self.day {
            None => Ok(vec![0, 1, 2]),
            // The night of today ends tomorrow.
            Some(Day::After(0)) if is_after_midnight => Ok(vec![0, 1]),
            Some(_) if is_after_midnight => Err("time_unclear"),
            Some(Day::After(days)) => Ok(vec![days]),
            Some(Day::Next(weekday)) => {
                let days = weekday.days_since(today).into();
                Ok(vec![days, days + 7])
            }
        }
    }
}

/// Returns the next instant after `now` that was said. The error is the name of the phrase that says why there is none.
pub(super) fn next_due(
    when: When,
    now: DateTime<Utc>,
    to_local: impl Fn(DateTime<Utc>) -> NaiveDateTime,
) -> Result<Due, &'static str> {
    let (time, is_span) = match when {
        When::After(seconds) => (now + TimeDelta::seconds(seconds.into()), true),
        When::At(said) => {
            let today = to_local(now).date();
            let minutes = said.minutes()?;
            let days = said.days(today.weekday(), &minutes)?;
            let dates = days.iter().filter_map(|days| today.checked_add_days(Days::new(*days)));
            let locals = dates.flat_map(|date| {
                let midnight = date.and_time(chrono::NaiveTime::MIN);
                minutes
                    .iter()
                    .map(move |minute| midnight + TimeDelta::minutes((*minute).into()))
            });
            let times = locals.filter_map(|local| first_instant(local, &to_local));
            (
                times.filter(|time| *time > now).min().ok_or("time_over")?,
                false,
            )
        }
    };
    let is_near = time - now <= MAX_AHEAD;
    is_near.then_some(Due { time, is_span }).ok_or("too_far")
}

/// Returns the instant of a local time. A time that summer time skips is the next that exists; of a doubled one, the
/// first counts.
fn first_instant(
    local: NaiveDateTime,
    to_local: impl Fn(DateTime<Utc>) -> NaiveDateTime,
) -> Option<DateTime<Utc>> {
    let start = local.and_utc() - MAX_OFFSET;
    let mut instants =
        (0..2 * MAX_OFFSET.num_minutes()).map(|minutes| start + TimeDelta::minutes(minutes));
    instants.find(|time| to_local(*time) >= local)
}

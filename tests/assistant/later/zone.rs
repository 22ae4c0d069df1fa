//! The rules of Central European time, from 1996 on.

use chrono::{
    Datelike, FixedOffset, MappedLocalTime, NaiveDate, NaiveDateTime, TimeDelta, TimeZone,
};

#[derive(Clone, Copy, Debug)]
pub struct CentralEurope;

fn last_sunday(year: i32, month: u32) -> NaiveDate {
    let last = NaiveDate::from_ymd_opt(year, month, 31).unwrap();
    last - TimeDelta::days(last.weekday().num_days_from_sunday().into())
}

fn offset(hours: i32) -> FixedOffset {
    FixedOffset::east_opt(hours * 3600).unwrap()
}

impl TimeZone for CentralEurope {
    type Offset = FixedOffset;

    fn from_offset(_: &FixedOffset) -> Self {
        Self
    }

    fn offset_from_local_date(&self, local: &NaiveDate) -> MappedLocalTime<FixedOffset> {
        self.offset_from_local_datetime(&local.and_hms_opt(12, 0, 0).unwrap())
    }

    fn offset_from_local_datetime(&self, local: &NaiveDateTime) -> MappedLocalTime<FixedOffset> {
        let is_right = |hours: &i32| {
            let utc = *local - TimeDelta::hours((*hours).into());
            self.offset_from_utc_datetime(&utc) == offset(*hours)
        };
        let hours: Vec<i32> = [2, 1].into_iter().filter(is_right).collect();
        match hours.as_slice() {
            [] => MappedLocalTime::None,
            [only] => MappedLocalTime::Single(offset(*only)),
            [first, .., last] => MappedLocalTime::Ambiguous(offset(*first), offset(*last)),
        }
    }

    fn offset_from_utc_date(&self, utc: &NaiveDate) -> FixedOffset {
        self.offset_from_utc_datetime(&utc.and_hms_opt(12, 0, 0).unwrap())
    }

    fn offset_from_utc_datetime(&self, utc: &NaiveDateTime) -> FixedOffset {
        let change = |month| last_sunday(utc.year(), month).and_hms_opt(1, 0, 0).unwrap();
        offset(if (change(3)..change(10)).contains(utc) {
            2
        } else {
            1
        })
    }
}

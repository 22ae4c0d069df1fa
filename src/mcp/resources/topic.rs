//! When a subscriber is told of something that changes.

use std::time::Duration;

use tokio::time::Instant;

/// A subscriber is told of a device, and of the list, at most once in this time.
const REST: Duration = Duration::from_secs(1);

/// What a subscriber knows of something.
pub struct Topic {
    /// The print of what it was served or told of last.
    seen: u64,
    /// That print was another one since it was told.
    changed: bool,
    /// It is not told again before this moment.
    rests: Option<Instant>,
}

impl Topic {
    /// Something that the host is told of from now on; this is what it has.
    pub fn new(seen: u64) -> Self {
        Self {
            seen,
            changed: false,
            rests: None,
        }
    }

    /// The host was served this. It may have been something that no look has seen, and that is over
    /// by the next look: then it has to be told.
    pub fn served(&mut self, print: u64) {
        self.changed |= self.seen != print;
        self.seen = print;
    }

    /// Whether it is to be told now, or when to look again. What changes and changes back while it
    /// rests is told too, but for what takes long to look at: that rests after every look.
    pub fn due(
        &mut self,
        now: Instant,
        long: bool,
        print: impl FnOnce() -> u64,
    ) -> Result<bool, Instant> {
        let resting = self.rests.filter(|until| now < *until);
        if resting.is_none() || !long {
            self.served(print());
        }
        if let Some(until) = resting {
            return Err(until);
        }
        let due = std::mem::take(&mut self.changed);
        self.rests = (due || long).then(|| now + REST);
        Ok(due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(start: Instant, millis: u64) -> Instant {
        start + Duration::from_millis(millis)
    }

    #[test]
    fn a_change_is_told_at_once_and_what_follows_within_a_second_as_one() {
        let start = Instant::now();
        let mut topic = Topic::new(1);
        assert_eq!(topic.due(start, false, || 1), Ok(false));
        assert_eq!(topic.due(at(start, 10), false, || 2), Ok(true));
        for millis in [110, 500, 1009] {
            let due = topic.due(at(start, millis), false, || 3);
            assert_eq!(due, Err(at(start, 1010)));
        }
        assert_eq!(topic.due(at(start, 1010), false, || 4), Ok(true));
        assert_eq!(topic.due(at(start, 2010), false, || 4), Ok(false));
    }

    #[test]
    fn what_changed_and_changed_back_within_that_second_is_told_too() {
        let start = Instant::now();
        let mut topic = Topic::new(1);
        assert_eq!(topic.due(start, false, || 2), Ok(true));
        for (millis, print) in [(400, 1), (500, 2)] {
            let due = topic.due(at(start, millis), false, || print);
            assert_eq!(due, Err(at(start, 1000)));
        }
        assert_eq!(topic.due(at(start, 1000), false, || 2), Ok(true));
    }

    #[test]
    fn a_host_that_was_served_what_is_over_is_told_so() {
        let start = Instant::now();
        let mut topic = Topic::new(1);
        assert_eq!(topic.due(start, false, || 2), Ok(true));
        topic.served(3);
        assert_eq!(topic.due(at(start, 1000), false, || 2), Ok(true));
        assert_eq!(topic.due(at(start, 2000), false, || 2), Ok(false));
    }

    #[test]
    fn what_takes_long_to_look_at_is_looked_at_once_a_second() {
        let start = Instant::now();
        let mut topic = Topic::new(1);
        assert_eq!(topic.due(start, true, || 1), Ok(false));
        let never = || panic!("it rests");
        let due = topic.due(at(start, 999), true, never);
        assert_eq!(due, Err(at(start, 1000)));
        assert_eq!(topic.due(at(start, 1000), true, || 2), Ok(true));
    }
}

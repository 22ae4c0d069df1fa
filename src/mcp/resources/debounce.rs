//! When subscribers are notified of something that changes.

use std::time::Duration;

use tokio::time::Instant;

/// Subscribers are notified of a device, and of the list, at most once in this time.
const REST: Duration = Duration::from_secs(1);

/// What subscribers know of something.
pub struct Debounce {
    /// The fingerprint of what they were served or notified of last.
    seen: u64,
    /// That fingerprint was another one since they were notified.
    changed: bool,
    /// They are not notified again before this moment.
    rests: Option<Instant>,
}

impl Debounce {
    /// Something that the host is notified of from now on; this is the fingerprint of what it has.
    pub fn new(seen: u64) -> Self {
        Self {
            seen,
            changed: false,
            rests: None,
        }
    }

    /// The host was served this. It may have been something that no look has seen, and that is over
    /// by the next look: then it has to be notified.
    pub fn served(&mut self, fingerprint: u64) {
        self.changed |= self.seen != fingerprint;
        self.seen = fingerprint;
    }

    /// Whether to notify now, or when to look again. What changes and changes back while it rests
    /// counts too, but for what takes long to look at: that rests after every look.
    pub fn due(
        &mut self,
        now: Instant,
        long: bool,
        fingerprint: impl FnOnce() -> u64,
    ) -> Result<bool, Instant> {
        let resting = self.rests.filter(|until| now < *until);
        if resting.is_none() || !long {
            self.served(fingerprint());
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
        let mut debounce = Debounce::new(1);
        assert_eq!(debounce.due(start, false, || 1), Ok(false));
        assert_eq!(debounce.due(at(start, 10), false, || 2), Ok(true));
        for millis in [110, 500, 1009] {
            let due = debounce.due(at(start, millis), false, || 3);
            assert_eq!(due, Err(at(start, 1010)));
        }
        assert_eq!(debounce.due(at(start, 1010), false, || 4), Ok(true));
        assert_eq!(debounce.due(at(start, 2010), false, || 4), Ok(false));
    }

    #[test]
    fn what_changed_and_changed_back_within_that_second_is_told_too() {
        let start = Instant::now();
        let mut debounce = Debounce::new(1);
        assert_eq!(debounce.due(start, false, || 2), Ok(true));
        for (millis, fingerprint) in [(400, 1), (500, 2)] {
            let due = debounce.due(at(start, millis), false, || fingerprint);
            assert_eq!(due, Err(at(start, 1000)));
        }
        assert_eq!(debounce.due(at(start, 1000), false, || 2), Ok(true));
    }

    #[test]
    fn a_host_that_was_served_what_is_over_is_told_so() {
        let start = Instant::now();
        let mut debounce = Debounce::new(1);
        assert_eq!(debounce.due(start, false, || 2), Ok(true));
        debounce.served(3);
        assert_eq!(debounce.due(at(start, 1000), false, || 2), Ok(true));
        assert_eq!(debounce.due(at(start, 2000), false, || 2), Ok(false));
    }

    #[test]
    fn what_takes_long_to_look_at_is_looked_at_once_a_second() {
        let start = Instant::now();
        let mut debounce = Debounce::new(1);
        assert_eq!(debounce.due(start, true, || 1), Ok(false));
        let never = || panic!("it rests");
        let due = debounce.due(at(start, 999), true, never);
        assert_eq!(due, Err(at(start, 1000)));
        assert_eq!(debounce.due(at(start, 1000), true, || 2), Ok(true));
    }
}

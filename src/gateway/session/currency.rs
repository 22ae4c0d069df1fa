//! How current a snapshot is, and for whom that is enough
//! (`docs/ARCHITECTURE.md#how-current-a-snapshot-is`).

use std::time::Duration;

use tokio::time::Instant;

/// What a call needs the snapshot for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// To stop something: what is known will do.
    Known,
    /// To list it.
    List,
    /// To decide what is written, and to which node.
    Control,
    /// To say that there is no such device: events do not report every new name.
    Miss,
}

/// A list goes by nodes that are up to this old where nothing reported a change.
pub const OLD_FOR_A_LIST: Duration = Duration::from_secs(10);

/// A list goes by nodes that are up to this old, whatever was reported since.
const NEW_FOR_A_LIST: Duration = Duration::from_secs(1);

/// Where events keep the snapshot current, it is read again behind an answer at this age.
const OLD_WITH_EVENTS: Duration = Duration::from_secs(600);

/// A finished reading of the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodesReading {
    /// When it was asked for.
    pub sent: Instant,
    /// When it came.
    pub came: Instant,
}

impl NodesReading {
    /// How long it took.
    pub fn took(self) -> Duration {
        self.came.saturating_duration_since(self.sent)
    }
}

/// What is known of a snapshot's age.
#[derive(Clone, Debug, Default)]
pub struct Currency {
    last: Option<NodesReading>,
    /// A change was reported that the last reading may not show.
    dirty: bool,
    /// Something was written, and no event tells what came of it: a list that comes later shows it.
    written: Option<Instant>,
    /// A new life began: what was asked for before says nothing of it.
    life_since: Option<Instant>,
    /// An event says that nodes are others now: what came before does not show it.
    others_since: Option<Instant>,
    /// The first event of this life of the gateway: from then on every change is reported.
    events_since: Option<Instant>,
}

impl Currency {
    /// The last reading of the nodes.
    pub fn last(&self) -> Option<NodesReading> {
        self.last
    }

    /// The nodes came in.
    pub fn read(&mut self, reading: NodesReading) {
        self.last = Some(reading);
        self.dirty = false;
    }

    /// Something changed, and nobody says what.
    pub fn dirty(&mut self) {
        self.dirty = true;
    }

    /// Whether a change was reported since the last reading.
    pub fn is_dirty(&self) -> bool {
        self.dirty
    }

    /// Something was written, and no event tells what came of it.
    pub fn wrote(&mut self, now: Instant) {
        self.dirty = true;
        self.written = Some(now);
    }

    /// An event says that nodes are others now. A reading that comes after it shows that, because
    /// messages come in their order.
    pub fn restructured(&mut self, now: Instant) {
        self.others_since = Some(now);
        self.dirty = true;
    }

    /// A new life of the gateway, or a new connection: whether it sends events is learnt anew.
    pub fn new_life(&mut self, now: Instant) {
        self.events_since = None;
        self.life_since = Some(now);
        self.dirty = true;
    }

    /// An event came. True for the first of this life, which has the nodes read once more.
    pub fn event(&mut self, now: Instant) -> bool {
        let first = self.events_since.is_none();
        self.events_since.get_or_insert(now);
        first
    }

    /// Whether events keep the snapshot: all that changed since it was read was reported.
    pub fn is_kept_by_events(&self) -> bool {
        let since = self.events_since.zip(self.valid());
        since.is_some_and(|(since, last)| last.sent >= since)
    }

    /// The last reading, unless it shows a house that is no more.
    fn valid(&self) -> Option<NodesReading> {
        let shows = |last: &NodesReading| {
            self.life_since.is_none_or(|since| last.sent >= since)
                && self.others_since.is_none_or(|since| last.came >= since)
        };
        self.last.filter(shows)
    }

    /// Whether the snapshot will do for a call that came at `asked`. A list goes by a reading that ended
    /// since then. A control needs one that began since then, because a name may have moved to another
    /// node while an earlier reading was on its way.
    pub fn will_do(&self, need: Need, asked: Instant) -> bool {
        if need == Need::Known && self.last.is_some() {
            return true;
        }
        let Some(last) = self.valid() else {
            return false;
        };
        if need != Need::Miss && self.is_kept_by_events() {
            return true;
        }
        let before = self.written.filter(|written| last.sent < *written);
        if need == Need::List && before.is_some_and(|written| written <= asked) {
            return false;
        }
        let age = asked.saturating_duration_since(last.sent);
        match need {
            Need::Known => true,
            Need::Control | Need::Miss => last.sent >= asked,
            Need::List => {
                let new = age < NEW_FOR_A_LIST || (age < OLD_FOR_A_LIST && !self.dirty);
                new || last.came >= asked
            }
        }
    }

    /// Whether it is time to read the nodes again though events keep them.
    pub fn is_old(&self, now: Instant) -> bool {
        let last = self.last;
        last.is_some_and(|last| now.saturating_duration_since(last.sent) >= OLD_WITH_EVENTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn read(at: Instant, took: Duration) -> Currency {
        let mut currency = Currency::default();
        currency.read(NodesReading {
            sent: at,
            came: at + took,
        });
        currency
    }

    #[test]
    fn without_events_a_control_needs_a_reading_that_began_after_it_came_and_a_list_one_of_ten_seconds()
     {
        let start = Instant::now();
        let mut currency = read(start, SECOND / 20);
        let after = |millis| start + Duration::from_millis(millis);
        assert!(currency.will_do(Need::Control, start));
        assert!(!currency.will_do(Need::Control, after(1)));
        assert!(currency.will_do(Need::List, after(9900)));
        assert!(!currency.will_do(Need::List, after(10_100)));
        currency.dirty();
        assert!(currency.will_do(Need::List, after(900)));
        assert!(!currency.will_do(Need::List, after(1100)));
        assert!(currency.will_do(Need::Known, after(100_000)));
    }

    #[test]
    fn a_list_shows_what_was_written_before_it_and_waits_for_nothing_that_came_later() {
        let start = Instant::now();
        let mut currency = read(start, SECOND / 20);
        currency.wrote(start + SECOND / 2);
        assert!(currency.will_do(Need::List, start + SECOND / 4));
        assert!(!currency.will_do(Need::List, start + SECOND * 3 / 4));
    }

    #[test]
    fn events_keep_what_was_read_after_the_first_of_them() {
        let start = Instant::now();
        let mut currency = read(start, SECOND);
        assert!(currency.event(start + SECOND * 5), "the first");
        assert!(!currency.event(start + SECOND * 6), "and no other");
        let hour = start + SECOND * 3600;
        assert!(!currency.will_do(Need::Control, hour));
        currency.read(NodesReading {
            sent: start + SECOND * 7,
            came: start + SECOND * 8,
        });
        assert!(currency.will_do(Need::Control, hour) && currency.is_old(hour));
        assert!(
            !currency.will_do(Need::Miss, hour),
            "a missed name is looked for"
        );
        currency.new_life(hour);
        assert!(!currency.will_do(Need::Control, hour));
        assert!(!currency.will_do(Need::List, hour));
        assert!(currency.will_do(Need::Known, hour));
    }

    #[test]
    fn a_reading_that_ends_after_a_call_came_will_do_unless_the_house_is_another_since() {
        let start = Instant::now();
        let mut currency = read(start, SECOND * 5);
        currency.dirty();
        assert!(currency.will_do(Need::List, start + SECOND * 4));
        currency.restructured(start + SECOND * 3);
        assert!(currency.will_do(Need::List, start + SECOND * 4));
        currency.restructured(start + SECOND * 6);
        assert!(!currency.will_do(Need::List, start + SECOND * 4));
        let mut currency = read(start, SECOND * 5);
        currency.new_life(start + SECOND * 3);
        assert!(!currency.will_do(Need::List, start + SECOND * 4));
    }
}

//! Unit tests of `src/commands/follow.rs`.

use super::*;

fn change(number: u64, name: &str) -> PublishedChange {
    PublishedChange {
        number,
        control_name: name.to_owned(),
        ..PublishedChange::default()
    }
}

#[test]
fn a_change_that_lasts_two_seconds_is_due_exactly_once() {
    let start = Instant::now();
    let mut seen = Seen::default();
    let mut numbers = |changes: &[PublishedChange], millis| -> Vec<u64> {
        let due = seen.take_due(changes, start + Duration::from_millis(millis));
        due.iter().map(|due| due.number).collect()
    };
    let lamp = |number| change(number, "Lamp");
    assert!(numbers(&[lamp(1)], 0).is_empty());
    // While the lamp fades, each report gives the change a new number.
    assert!(numbers(&[lamp(2)], 500).is_empty());
    assert!(numbers(&[change(4, "Door"), lamp(3)], 2000).is_empty());
    assert_eq!(numbers(&[change(4, "Door"), lamp(3)], 4000), [3, 4]);
    assert!(numbers(&[change(4, "Door"), lamp(3)], 9000).is_empty());
}

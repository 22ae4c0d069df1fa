//! Unit tests of `src/assistant/sentence/context.rs`.

use super::*;

#[test]
fn a_lock_is_restored_only_if_its_earlier_state_is_known() {
    let lock = DeviceCall {
        action: Action::Lock,
        value: None,
    };
    let undo = |locked| {
        let before = ControlState {
            locked,
            ..ControlState::default()
        };
        call_to_restore(&before, &lock).map(|call| call.action)
    };
    assert_eq!(undo(Some(true)), Some(Action::Lock));
    assert_eq!(undo(Some(false)), Some(Action::Unlock));
    assert_eq!(undo(None), None);
}

#[test]
fn a_light_on_its_way_is_as_we_left_it_only_between_where_it_was_and_its_goal() {
    let light = |on, level| ControlState {
        on: Some(on),
        level,
        ..ControlState::default()
    };
    let undo = |action, value, before: &ControlState, is_moving| {
        let original = DeviceCall { action, value };
        Undo {
            name: "Lamp".to_owned(),
            call: call_to_restore(before, &original).unwrap(),
            original,
            before: before.clone(),
            is_moving,
        }
    };
    let (off, on) = (light(false, None), light(true, Some(60)));
    let to_40 = Some(OrderValue::Percent(40.0));
    for (action, value, before, level, is_as_left) in [
        (Action::Dim, to_40.clone(), &off, 20, true),
        (Action::Dim, to_40.clone(), &off, 70, false),
        (Action::Dim, to_40, &on, 50, true),
        (Action::Off, None, &on, 30, true),
        (Action::Off, None, &on, 80, false),
    ] {
        let current = light(true, Some(level));
        let moving = undo(action, value.clone(), before, true);
        assert_eq!(
            moving.is_as_left(&current),
            is_as_left,
            "{action:?} {level}"
        );
        let standing = undo(action, value, before, false);
        assert!(!standing.is_as_left(&current), "{action:?} {level}");
    }
}

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

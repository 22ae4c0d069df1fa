//! When a reading after a write may be the gateway's guess.

use std::time::Duration;

use tokio::time::Instant;
use zwave_mcp_server::gateway::session::unproven::Source::{Event, Nodes};
use zwave_mcp_server::gateway::session::unproven::{GUESS_WINDOW, Source, Unproven};
use zwave_mcp_server::home::goal::Goal;
use zwave_mcp_server::home::model::ids::{CommandClass, NodeId, ValueId};
use zwave_mcp_server::home::model::value::Reading;

const NODE: NodeId = NodeId(3);

fn state() -> ValueId {
    ValueId::new(CommandClass::BINARY_SWITCH, 0, "currentValue")
}

fn with_write(goal: Option<Goal>, at: Instant) -> Unproven {
    let mut unproven = Unproven::default();
    unproven.add(NODE, &state(), goal, at);
    unproven
}

trait Doubt {
    /// Returns true if the reading `on` may be a guess.
    fn may_be_guess(&mut self, on: bool, at: Instant, source: Source) -> bool;
}

impl Doubt for Unproven {
    fn may_be_guess(&mut self, on: bool, at: Instant, source: Source) -> bool {
        self.take_reading(NODE, &state(), Some(&Reading::Bool(on)), at, source)
    }
}

#[test]
fn the_wanted_state_in_fetched_nodes_is_a_guess_until_proven() {
    let start = Instant::now();
    let mut unproven = with_write(Some(Goal::On), start);
    assert!(!unproven.may_be_guess(false, start, Nodes));
    assert!(unproven.may_be_guess(true, start, Nodes));
    let hour = start + Duration::from_secs(3600);
    assert!(unproven.may_be_guess(true, hour, Nodes));
    assert!(unproven.forget_proven(NODE, &state(), hour));
    assert!(!unproven.may_be_guess(true, hour, Nodes));
}

#[test]
fn an_event_is_a_report_after_the_guess_window_or_if_repeated() {
    let start = Instant::now();
    let mut unproven = with_write(Some(Goal::On), start);
    assert!(unproven.may_be_guess(true, start, Event));
    assert!(!unproven.may_be_guess(true, start + GUESS_WINDOW / 4, Event));
    assert!(!unproven.may_be_guess(true, start + GUESS_WINDOW, Nodes));
    let mut unproven = with_write(Some(Goal::On), start);
    assert!(!unproven.may_be_guess(true, start + GUESS_WINDOW, Event));
}

#[test]
fn an_event_after_the_reply_to_another_client_s_write_is_a_report() {
    let start = Instant::now();
    let moment = Duration::from_millis(1);
    let mut unproven = with_write(None, start);
    assert!(
        unproven.may_be_guess(true, start, Event),
        "before the reply"
    );
    unproven.note_reply_to_other(NODE, &state(), start);
    assert!(!unproven.may_be_guess(true, start + moment, Event));
    assert!(!unproven.may_be_guess(true, start + moment, Nodes));
}

#[test]
fn the_reply_to_one_of_two_writes_of_other_clients_does_not_prove_the_other() {
    let start = Instant::now();
    let mut unproven = with_write(None, start);
    unproven.add(NODE, &state(), None, start);
    unproven.note_reply_to_other(NODE, &state(), start);
    assert!(unproven.may_be_guess(false, start, Event));
    unproven.note_reply_to_other(NODE, &state(), start);
    assert!(!unproven.may_be_guess(false, start, Event));
    // A write of ours has its own proof.
    let mut unproven = with_write(Some(Goal::On), start);
    unproven.note_reply_to_other(NODE, &state(), start);
    assert!(unproven.may_be_guess(true, start, Event));
}

#[test]
fn fetched_nodes_that_change_after_the_guess_window_show_a_report() {
    let start = Instant::now();
    let mut unproven = with_write(None, start);
    assert!(unproven.may_be_guess(true, start + GUESS_WINDOW, Nodes));
    assert!(unproven.may_be_guess(true, start + GUESS_WINDOW * 2, Nodes));
    assert!(!unproven.may_be_guess(false, start + GUESS_WINDOW * 3, Nodes));
    assert!(!unproven.may_be_guess(true, start + GUESS_WINDOW * 4, Nodes));
}

#[test]
fn an_answer_from_before_a_later_write_proves_nothing() {
    let start = Instant::now();
    let mut unproven = with_write(Some(Goal::On), start);
    let later = start + GUESS_WINDOW / 2;
    unproven.add(NODE, &state(), Some(Goal::Off), later);
    assert!(unproven.may_be_guess(true, later, Nodes));
    assert!(unproven.may_be_guess(false, later, Nodes));
    assert!(!unproven.forget_proven(NODE, &state(), start + GUESS_WINDOW / 4));
    assert!(unproven.forget_proven(NODE, &state(), later));
}

//! The order and the number of commands under way.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use zwave_mcp_server::gateway::queue::{CommandQueues, MAX_WAIT};
use zwave_mcp_server::home::model::ids::NodeId;

#[tokio::test(start_paused = true)]
async fn calls_to_a_node_get_their_turns_in_the_order_of_their_places() {
    let queues = CommandQueues::default();
    let done = Arc::new(Mutex::new(Vec::new()));
    let mut tasks = Vec::new();
    for call in 0..20_u64 {
        let place = queues.take_place(NodeId(5));
        let done = Arc::clone(&done);
        tasks.push(tokio::spawn(async move {
            // The calls begin to wait in a different order than they took their places.
            tokio::time::sleep(Duration::from_millis((call * 7) % 5)).await;
            let _turn = place.wait().await.unwrap();
            tokio::time::sleep(Duration::from_millis(20 - call)).await;
            done.lock().unwrap().push(call);
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(*done.lock().unwrap(), (0..20).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_command_that_gives_up_does_not_block_the_others() {
    let queues = CommandQueues::default();
    let first = queues.take_place(NodeId(5)).wait().await.unwrap();
    let second = queues.take_place(NodeId(5));
    let third = queues.take_place(NodeId(5));
    drop(second);
    drop(first);
    drop(third.wait().await.unwrap());
    // The second command gets its turn, and gives up at once. The turn is passed on.
    let first = queues.take_place(NodeId(5)).wait().await.unwrap();
    let second = queues.take_place(NodeId(5));
    let third = queues.take_place(NodeId(5));
    drop(first);
    tokio::task::yield_now().await;
    drop(second);
    assert!(third.wait().await.is_some());
    assert!(!queues.is_busy(NodeId(5)), "nothing is left behind");
}

#[tokio::test(start_paused = true)]
async fn at_most_eight_commands_have_a_turn_and_others_give_up_after_twenty_seconds() {
    let queues = CommandQueues::default();
    let mut turns = Vec::new();
    for node in 0..8 {
        turns.push(queues.take_place(NodeId(node)).wait().await.unwrap());
    }
    let start = tokio::time::Instant::now();
    assert!(queues.take_place(NodeId(8)).wait().await.is_none());
    assert_eq!(start.elapsed(), MAX_WAIT);
    turns.pop();
    assert!(queues.take_place(NodeId(8)).wait().await.is_some());
}

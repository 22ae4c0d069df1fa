//! The whole server in the test's process, with a simulated zwave-js-ui on a broker in memory, a host that
//! speaks JSON-RPC, and a paused clock. The tests check what the house did, not only what the server said.
//! Tests of the wire, the process or a real broker are in the suite `wire`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::too_many_lines,
    missing_docs
)]

#[path = "../fixture/mod.rs"]
mod fixture;
#[path = "../needs/mod.rs"]
mod needs;
#[path = "../nodes/mod.rs"]
mod nodes;

mod asker;
mod bounds;
mod changes;
mod consent;
mod exposure;
mod facts;
mod gateways;
mod layouts;
mod limits;
mod outages;
mod page;
mod panics;
mod protocol;
mod readings;
mod replies;
mod resources;
mod rows;
mod simulation;
mod size;
mod structured;
mod subscriptions;

use std::ops::{Deref, DerefMut};

use fixture::{Session, served, setup_of};
use zwave_mcp_server::gateway::memory::MemoryBroker;
use zwave_mcp_server::simulator::demo_house;

/// A simulated house on a broker in memory.
pub type House = fixture::House<MemoryBroker>;

/// A host's session with a server in the test's process.
pub struct Server(Session);

impl Server {
    /// Starts and initializes a server on a house's broker.
    pub async fn start(house: &House, options: &[&str]) -> Self {
        let mut server = Self::spawn(house, options);
        server.initialize().await;
        server
    }

    /// Starts a server on a house's broker. The session is not initialized yet.
    pub fn spawn(house: &House, options: &[&str]) -> Self {
        Self::at(&house.broker, options)
    }

    /// Starts a server on a broker. The session is not initialized yet.
    pub fn at(broker: &MemoryBroker, options: &[&str]) -> Self {
        Self(served::spawn(broker.connect(), options))
    }

    /// Starts and initializes a server in the demo house.
    pub async fn demo(options: &[&str]) -> Self {
        let mut server = Self::spawn_demo(options).await;
        server.initialize().await;
        server
    }

    /// Starts a server in the demo house. The session is not initialized yet.
    pub async fn spawn_demo(options: &[&str]) -> Self {
        Self::spawn(&House::of(setup_of("demo"), demo_house()).await, options)
    }
}

impl Deref for Server {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.0
    }
}

impl DerefMut for Server {
    fn deref_mut(&mut self) -> &mut Session {
        &mut self.0
    }
}

/// Defines a test for each of these files in `fixtures/calls`.
macro_rules! rows {
    ($($file:ident),* $(,)?) => {
        $(
            #[test]
            fn $file() {
                rows::try_file(stringify!($file));
            }
        )*
    };
}

rows![
    captured_house,
    certainty,
    consent,
    current,
    doctor,
    kinds,
    reaching,
    refusals,
    steps,
    without_events,
];

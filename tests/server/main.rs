//! The whole server in the process of the test: a simulated zwave-js-ui at a broker in memory, a host that
//! speaks JSON-RPC, and a clock that stands still while anybody works. What the house did counts, not
//! only what was said. What is about the wire, the process or a real broker is in the suite `wire`.

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

mod bounds;
mod consent;
mod exposure;
mod gateways;
mod layouts;
mod limits;
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

/// A house at a broker in memory.
pub type House = fixture::House<MemoryBroker>;

/// A server in the process of the test.
pub struct Server(Session);

impl Server {
    /// Starts a server at a house's broker, and initializes it.
    pub async fn start(house: &House, options: &[&str]) -> Self {
        let mut server = Self::spawn(house, options);
        server.initialize().await;
        server
    }

    /// Starts a server without saying anything to it.
    pub fn spawn(house: &House, options: &[&str]) -> Self {
        Self::at(&house.broker, options)
    }

    /// Starts a server at a broker without saying anything to it.
    pub fn at(broker: &MemoryBroker, options: &[&str]) -> Self {
        Self(served::spawn(broker.connect(), options))
    }

    /// Starts a server in the demo house, and initializes it.
    pub async fn demo(options: &[&str]) -> Self {
        let mut server = Self::demo_of(options).await;
        server.initialize().await;
        server
    }

    /// Starts a server in the demo house without saying anything to it.
    pub async fn demo_of(options: &[&str]) -> Self {
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

/// A test for each file of rows.
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

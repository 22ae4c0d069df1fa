//! Brokers, houses and servers for tests.

mod authority;
mod broker;
mod house;
#[cfg(target_os = "linux")]
mod process;
mod proxy;
mod publisher;
mod server;

pub use authority::{Authority, PASSWORD, PASSWORD_LINE, USER};
pub use broker::Mosquitto;
pub use house::{
    House, captured_nodes, eventually, lamp, layouts, node, rests, setup, simulate, simulate_on,
    stays, user_of, without_events,
};
#[cfg(target_os = "linux")]
pub use process::held;
pub use proxy::Proxy;
pub use publisher::Publisher;
pub use server::{Answer, Server, read};

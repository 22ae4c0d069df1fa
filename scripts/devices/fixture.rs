//! The parts of the tests' fixture that need no program.

#[path = "../../tests/fixture/clock.rs"]
mod clock;
#[path = "../../tests/fixture/served.rs"]
pub mod served;
#[path = "../../tests/fixture/session.rs"]
mod session;
#[path = "../../tests/fixture/waiting.rs"]
mod waiting;

pub use clock::clock;
pub use session::{Answer, Session};
pub use waiting::eventually;

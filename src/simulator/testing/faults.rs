//! How a simulated gateway's replies go wrong.

use std::time::Duration;

/// What happens to a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is never sent.
    Drop,
    /// It is sent late; later replies overtake it. It tells what was true when the request came,
    /// not when it is sent.
    Delay(Duration),
    /// It is sent no sooner than so long after the last reply with this fault.
    Throttle(Duration),
    /// Every other one is held back until the next reply has gone out, for at most a second.
    Swap,
    /// It is sent twice.
    Double,
    /// It is cut off in the middle.
    Garble,
}

/// Which replies go wrong, and how: an API's name and a fault; `*` is every API.
#[derive(Clone, Debug, Default)]
pub struct Faults(pub Vec<(&'static str, Fault)>);

impl Faults {
    /// The fault for the reply to an API call, if it has one.
    pub fn of(&self, api: &str) -> Option<Fault> {
        let fits = |(own, _): &&(&str, Fault)| *own == api || *own == "*";
        self.0.iter().find(fits).map(|(_, fault)| *fault)
    }
}

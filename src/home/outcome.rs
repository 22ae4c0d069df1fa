//! What became of a command, and how sure that is.

use super::fact::Fact;

/// How sure an answer is. Ordered from the best to the worst, so that the worst of several is their
/// maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Certainty {
    /// Proven: the gateway's status 255, or the device's own answer.
    Confirmed,
    /// The device says it is on its way.
    Moving,
    /// Delivered; the device has not said whether it obeyed.
    Accepted,
    /// The device sleeps, and the gateway keeps the command until it wakes up.
    Queued,
    /// The request may have gone out, and no reply came.
    Unknown,
    /// Refused, not obeyed, or not sent at all.
    Failed,
}

impl Certainty {
    /// Each of them once, those that are errors last.
    pub const ALL: [Self; 6] = [
        Self::Confirmed,
        Self::Moving,
        Self::Accepted,
        Self::Queued,
        Self::Failed,
        Self::Unknown,
    ];

    /// Its name in a result's `_meta`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Moving => "moving",
            Self::Accepted => "accepted",
            Self::Queued => "queued",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }

    /// Returns true if an answer of this certainty is an error to the host.
    pub fn is_error(self) -> bool {
        matches!(self, Self::Failed | Self::Unknown)
    }
}

/// The outcome of one command to one device, in facts.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The goal is reached: the device's own word, or else what was asked for. None if that is no
    /// single state.
    Confirmed(Option<Fact>),
    /// It is on its way.
    Moving {
        /// The state it is in, if known.
        now: Option<Fact>,
        /// The state it is going to, if known.
        target: Option<Fact>,
    },
    /// Delivered, without an answer in time.
    Accepted,
    /// Waits at the gateway for the device to wake up.
    Queued,
    /// A group: the outcome for each of its members, in the plan's order.
    Each(Vec<Outcome>),
    /// Not done, and why.
    Failed(CommandFailure),
    /// Perhaps done.
    Unknown,
}

/// Why a command was not done.
#[derive(Clone, Debug, PartialEq)]
pub enum CommandFailure {
    /// The node is dead: it did not acknowledge the command.
    NoResponse,
    /// A later command for the same value took its place.
    Replaced,
    /// The gateway says only that it failed (status 2).
    RefusedOrNoResponse,
    /// The gateway's own words (status 0, 3, 4, 5, or a call that could not run).
    Refused(String),
    /// It was delivered, but the device reports another state and does not move.
    StillReports(Option<Fact>),
    /// It was delivered and the device moved, but stands still short of where it was to go.
    Stopped(Option<Fact>),
    /// Nothing was sent: the queue before this device did not move within 20 s.
    NotSentInTime,
    /// Nothing was sent: the host took the call back.
    Cancelled,
    /// Nothing was sent: toggling and stepping need to know the state, and the device did not say.
    StateUnknown,
    /// Nothing was sent: toggling and stepping need to know the state, and the device may be asleep.
    Asleep,
    /// Nothing was sent: a step never switches on what is off.
    IsOff,
    /// Nothing was sent: the group or scene is not what it was when the command was understood.
    Changed,
}

impl Outcome {
    /// How sure it is.
    pub fn certainty(&self) -> Certainty {
        match self {
            Self::Confirmed(_) => Certainty::Confirmed,
            Self::Moving { .. } => Certainty::Moving,
            Self::Accepted => Certainty::Accepted,
            Self::Queued => Certainty::Queued,
            Self::Each(outcomes) => {
                let worst = outcomes.iter().map(Self::certainty).max();
                worst.unwrap_or(Certainty::Accepted)
            }
            Self::Failed(_) => Certainty::Failed,
            Self::Unknown => Certainty::Unknown,
        }
    }
}

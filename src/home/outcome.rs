//! Outcomes of commands, and how certain they are.

use super::fact::Fact;

/// The certainty of an answer, from best to worst. A worse certainty compares as greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Certainty {
    /// Proven by the gateway's status 255 or by the device's own answer.
    Confirmed,
    /// The device reports that it is on its way.
    Moving,
    /// Delivered, or accepted by the gateway, but not proven.
    Accepted,
    /// Kept by the gateway until the device wakes up.
    Queued,
    /// Perhaps sent. No reply came in time, or the reply does not say whether the command was done.
    Unknown,
    /// Refused, not obeyed, or not sent at all.
    Failed,
}

impl Certainty {
    /// All certainties, with the errors last.
    pub const ALL: [Self; 6] = [
        Self::Confirmed,
        Self::Moving,
        Self::Accepted,
        Self::Queued,
        Self::Failed,
        Self::Unknown,
    ];

    /// Returns the name in a result's `_meta`.
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

/// The outcome of one command to one device.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The goal is reached. The fact is the state that the device reports, or else the goal itself. `None` if
    /// no fact describes the state or the goal, as for standstill.
    Confirmed(Option<Fact>),
    /// The device is moving.
    Moving {
        /// The current state, if known.
        current: Option<Fact>,
        /// The target state, if known.
        target: Option<Fact>,
    },
    /// Delivered, or accepted by the gateway, but not proven in time.
    Accepted,
    /// Kept by the gateway until the device wakes up.
    Queued,
    /// The outcomes for the members of a group, in the plan's order.
    Each(Vec<Outcome>),
    /// Not done.
    Failed(CommandFailure),
    /// Perhaps done.
    Unknown,
}

/// The reason why a command was not done.
#[derive(Clone, Debug, PartialEq)]
pub enum CommandFailure {
    /// The node is dead: it did not acknowledge this command, or an earlier one.
    NoResponse,
    /// A later command for the same value replaced this one.
    Replaced,
    /// The gateway reports failure without a reason (status 2, or `false` for a scene).
    RefusedOrNoResponse,
    /// The gateway refused the command (status 0, 3, 4, 5 or unknown) or could not run it, for this reason.
    Refused(String),
    /// The device got the command, but reports another state and is not moving.
    StillReports(Option<Fact>),
    /// The device moved, but stopped before it reached the goal.
    Stopped(Option<Fact>),
    /// Nothing was sent, because the command waited more than 20 s for its turn.
    NotSentInTime,
    /// Nothing was sent, because the host cancelled the call.
    Cancelled,
    /// Nothing was sent, because the plan needs the current state and the device did not report it.
    StateUnknown,
    /// Nothing was sent, because the plan needs the current state and the device may be asleep.
    Asleep,
    /// Nothing was sent, because the device is off and a step must not switch it on.
    IsOff,
    /// Nothing was sent, because the device, group or scene may have changed since the plan was made.
    Changed,
}

impl Outcome {
    /// Returns the certainty. For a group, this is the worst certainty of any member.
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

//! Outcomes of commands, and how certain they are.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use serde_with_macros::skip_serializing_none;

use super::fact::Fact;
use super::published::PublishedState;

named_enum! {
    /// The certainty of an answer, from best to worst, with its name in a result's `_meta`. A worse certainty compares
    /// as greater.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub enum Certainty {
        /// Proven by the gateway's status 255 or by the device's own answer.
        Confirmed = "confirmed",
        /// The device reports that it is on its way.
        Moving = "moving",
        /// Delivered, or accepted by the gateway, but not proven.
        Accepted = "accepted",
        /// Kept by the gateway until the device wakes up.
        Queued = "queued",
        /// Perhaps sent. No reply came in time, or the reply does not say whether the command was done.
        Unknown = "unknown",
        /// Refused, not obeyed, or not sent at all.
        Failed = "failed",
    }
}

impl Certainty {
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

named_enum! {
    /// The reason why a call did nothing, with its name in a result's `_meta`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum RefusalReason {
        /// No device, set or room has that name, or the set has no members.
        UnknownName = "unknown-name",
        /// Several devices have that name, or the name means a room.
        AmbiguousName = "ambiguous-name",
        /// The arguments are invalid in any house.
        Arguments = "arguments",
        /// The device or set can't do the action at all, or can't do it at present.
        Cannot = "cannot",
        /// The level or temperature is outside of the valid range.
        OutOfRange = "out-of-range",
        /// The owner of the house does not allow the action.
        Guarded = "guarded",
        /// A person was asked to allow the action, and said no.
        Declined = "declined",
        /// A person was asked to allow the action, and has not answered.
        Unanswered = "unanswered",
        /// The gateway, the broker or the device is unavailable at present.
        Unavailable = "unavailable",
        /// The device did not acknowledge the command.
        NotResponding = "not-responding",
        /// The gateway or the device refused the command.
        Refused = "refused",
        /// A later command replaced this one.
        Replaced = "replaced",
        /// The device got the command, but is in another state.
        NotReached = "not-reached",
        /// A step or a toggle needs the device's state, and the device did not report it.
        StateUnknown = "state-unknown",
        /// A step or a toggle needs the device's state, and the device may be asleep.
        Asleep = "asleep",
        /// A step does not switch on a device that is off.
        Off = "off",
        /// The host cancelled the call.
        Cancelled = "cancelled",
        /// The command was tried, and is not known to be done.
        Failed = "failed",
    }
}

named_enum! {
    /// An end of a device's range, with its name in a result's `_meta`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum RangeEnd {
        /// The smallest value.
        Min = "min",
        /// The largest value.
        Max = "max",
    }
}

/// The facts about a call in the `_meta` of its result. The server writes them, and hosts put them into words.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResultFacts {
    /// The certainty of an answer to a control call.
    #[serde(rename = "zwave-mcp-server/certainty")]
    pub certainty: Option<Certainty>,
    /// The reason why nothing was done or found.
    #[serde(rename = "zwave-mcp-server/reason")]
    pub reason: Option<RefusalReason>,
    /// The state of each device before the command. Leaves out devices with an error.
    #[serde(rename = "zwave-mcp-server/before")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<PublishedState>,
    /// The state of each device after the command, as far as the device has reported it.
    #[serde(rename = "zwave-mcp-server/now", skip_serializing_if = "Vec::is_empty")]
    pub now: Vec<PublishedState>,
    /// The end of the range, if the steps of all devices met it.
    #[serde(rename = "zwave-mcp-server/limit")]
    pub limit: Option<RangeEnd>,
}

impl ResultFacts {
    /// Reads the `_meta` of a result. Facts that are missing or unknown stay empty.
    pub fn read(meta: Option<&Json>) -> Self {
        meta.and_then(|meta| Self::deserialize(meta).ok()).unwrap_or_default()
    }
}

impl Outcome {
    /// Returns the state that the device reported after the command, if it is known.
    pub fn reported(&self) -> Option<&Fact> {
        match self {
            Self::Confirmed(fact)
            | Self::Moving { current: fact, .. }
            | Self::Failed(CommandFailure::StillReports(fact) | CommandFailure::Stopped(fact)) => {
                fact.as_ref()
            }
            _ => None,
        }
    }

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

impl From<&CommandFailure> for RefusalReason {
    fn from(failure: &CommandFailure) -> Self {
        match failure {
            CommandFailure::NoResponse => Self::NotResponding,
            CommandFailure::Replaced => Self::Replaced,
            CommandFailure::RefusedOrNoResponse | CommandFailure::Refused(_) => Self::Refused,
            CommandFailure::StillReports(_) | CommandFailure::Stopped(_) => Self::NotReached,
            CommandFailure::NotSentInTime | CommandFailure::Changed => Self::Unavailable,
            CommandFailure::Cancelled => Self::Cancelled,
            CommandFailure::StateUnknown => Self::StateUnknown,
            CommandFailure::Asleep => Self::Asleep,
            CommandFailure::IsOff => Self::Off,
        }
    }
}

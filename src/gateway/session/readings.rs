//! Fetches a gateway's nodes, and then its scenes and groups.
//!
//! One request serves all calls that wait. Each request has a deadline, at which [`Session::end_requests`]
//! drops the request. There is one exception: if the nodes were requested without a probe, the gateway is
//! probed at the first deadline, and the request gets more time.

use std::time::Duration;

use tokio::time::Instant;
use tracing::{debug, info, warn};

use super::freshness::{Fetch, LIST_MAX_AGE, SCENES_MAX_AGE};
use super::liveness::{PROBE_TIMEOUT, ProbeReason};
use super::{Moment, Session};
use crate::gateway::protocol::nodes::Nodes;
use crate::gateway::protocol::payloads::Reply;
use crate::gateway::protocol::scenes::Scenes;

/// The time limit of the first fetch of the nodes, and the maximum time limit of later fetches. If the reply
/// timeout is longer, it is used instead. A network of 4,000 nodes behind a slow link takes a while.
const MAX_FETCH_TIME: Duration = Duration::from_secs(60);

/// A fetch of the nodes may take this many times as long as the last fetch. Each failure in a row multiplies
/// the limit by this factor again.
const FETCH_TIME_FACTOR: u32 = 3;

/// The maximum number of failures in a row that raise the limit.
const MAX_COUNTED_FAILURES: u32 = 4;

/// Without events, the time between fetches for subscribers, if something may have changed since the last
/// fetch.
const FOLLOW_INTERVAL: Duration = LIST_MAX_AGE;

/// Without events, the time between fetches for subscribers, if nothing indicates a change.
const QUIET_FOLLOW_INTERVAL: Duration = Duration::from_secs(60);

/// A request for the nodes that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodesRequest {
    number: u64,
    sent: Instant,
    deadline: Instant,
    /// The deadline for any sign of life, if the gateway was probed with `getInfo`. The nodes may take longer.
    alive_by: Option<Instant>,
}

/// The requests for the scenes and for the groups, which are sent together.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenesRequest {
    /// When both requests were sent.
    pub sent: Instant,
    deadline: Instant,
    scenes: ListRequest,
    groups: ListRequest,
}

/// A request for the scenes, or for the groups.
#[derive(Clone, Debug, PartialEq)]
struct ListRequest {
    number: u64,
    reply: Option<Reply>,
}

impl Session {
    /// Returns the usual time limit of a fetch of the nodes: three times as long as the last fetch took, but at
    /// least the reply timeout. `request_nodes` gives more time to the first fetch, and to a fetch after a
    /// failure.
    pub fn fetch_timeout(&self) -> Duration {
        let last_fetch = self.freshness.last_fetch;
        let limit = last_fetch.map_or(Duration::ZERO, |fetch| fetch.duration() * FETCH_TIME_FACTOR);
        limit.max(self.reply_timeout)
    }

    /// Ends the requests whose deadlines have passed.
    pub fn end_requests(&mut self, now: Moment) {
        self.end_probe(now);
        self.end_nodes_request(now);
        self.end_scenes_request(now);
    }

    /// Extends the deadlines of the requests under way by a time span.
    pub fn extend_requests(&mut self, span: Duration) {
        if let Some(request) = &mut self.nodes_request {
            request.deadline += span;
            request.alive_by = request.alive_by.map(|alive_by| alive_by + span);
        }
        if let Some(request) = &mut self.scenes_request {
            request.deadline += span;
        }
        if let Some(probe) = &mut self.probe {
            probe.deadline += span;
        }
    }

    /// Adds the requests that are due. If the gateway is away, drops the waiting calls instead.
    pub fn add_due_requests(&mut self, now: Moment) {
        if self.liveness.is_away() {
            self.nodes_refresh.give_up();
            self.scenes_refresh.give_up();
            return;
        }
        let is_due = |due: Option<Instant>| due.is_some_and(|due| due <= now.at);
        if is_due(self.nodes_due()) {
            self.request_nodes(now);
        }
        if is_due(self.scenes_due()) {
            self.request_scenes(now);
        }
        self.check_identity(now);
    }

    /// Returns when the next request for the nodes is due. A fetch that is already scheduled also serves
    /// subscribers, so `follow_due` matters only if none is scheduled.
    fn nodes_due(&self) -> Option<Instant> {
        let due = self.nodes_refresh.due().or_else(|| self.follow_due());
        due.filter(|_| self.nodes_request.is_none())
    }

    fn scenes_due(&self) -> Option<Instant> {
        let is_possible = !self.liveness.is_silent && self.scenes_request.is_none();
        self.scenes_refresh.due().filter(|_| is_possible)
    }

    /// Returns when the next request is due.
    pub fn next_due(&self) -> Option<Instant> {
        if self.liveness.is_away() {
            return None;
        }
        self.nodes_due()
            .into_iter()
            .chain(self.scenes_due())
            .chain(self.identity.due)
            .min()
    }

    /// Returns the earliest deadline of the requests under way.
    pub fn next_deadline(&self) -> Option<Instant> {
        let scenes = self.scenes_request.as_ref().map(|request| request.deadline);
        let probe = self.probe.map(|probe| probe.deadline);
        [self.nodes_deadline(), scenes, probe].into_iter().flatten().min()
    }

    /// Returns when the fetch of the nodes ends: at `deadline`, or at `alive_by` if there was no sign of life.
    fn nodes_deadline(&self) -> Option<Instant> {
        let request = self.nodes_request?;
        let was_heard = self.liveness.was_heard_since(request.sent);
        let alive_by = request.alive_by.filter(|_| !was_heard);
        alive_by.into_iter().chain([request.deadline]).min()
    }

    /// Returns when the nodes are due for subscribers, if events do not keep the nodes current.
    fn follow_due(&self) -> Option<Instant> {
        let is_needed = self.is_followed && !self.freshness.is_kept_by_events();
        // After a failed fetch, the retry is scheduled anyway.
        if !is_needed || !self.is_reachable() || self.liveness.is_unread {
            return None;
        }
        let wait = if self.freshness.is_dirty {
            FOLLOW_INTERVAL
        } else {
            QUIET_FOLLOW_INTERVAL
        };
        Some(self.nodes_refresh.last_start? + wait)
    }

    fn request_nodes(&mut self, now: Moment) {
        self.nodes_refresh.start(now.at);
        if self.liveness.is_silent {
            // Do not fetch nodes from a silent gateway: count a failure, and probe. When the gateway is heard
            // from again, its nodes are due within a second.
            self.nodes_refresh.fail(now.at);
            return self.probe(now.at, ProbeReason::Background, now);
        }
        let reply_timeout = self.reply_timeout;
        let failures = self.nodes_refresh.failures.min(MAX_COUNTED_FAILURES);
        let failure_factor = FETCH_TIME_FACTOR.pow(failures);
        let limit = match self.freshness.last_fetch {
            None => MAX_FETCH_TIME,
            Some(_) => (self.fetch_timeout() * failure_factor).min(MAX_FETCH_TIME),
        };
        let limit = limit.max(reply_timeout);
        // A large network takes a while to send its nodes, but `getInfo` is answered at once. `getInfo` is sent
        // first, so that its reply does not wait behind the nodes.
        let alive_by = (limit > reply_timeout).then(|| {
            self.add_request("getInfo");
            self.identity.begin_check(now.at);
            now.at + reply_timeout
        });
        self.nodes_request = Some(NodesRequest {
            number: self.add_request("getNodes"),
            sent: now.at,
            deadline: now.at + limit,
            alive_by,
        });
    }

    fn end_nodes_request(&mut self, now: Moment) {
        let is_over = self.nodes_deadline().is_some_and(|deadline| deadline <= now.at);
        let Some(request) = self.nodes_request.as_mut().filter(|_| is_over) else {
            return;
        };
        if request.alive_by.is_some() {
            return self.fail_nodes(None, now);
        }
        // The gateway was not probed yet, and perhaps it is just slow. Probe it, and wait `PROBE_TIMEOUT` longer.
        request.deadline = now.at + PROBE_TIMEOUT;
        request.alive_by = Some(request.deadline);
        self.add_request("getInfo");
    }

    /// Ends the fetch of the nodes as failed. `error` is the gateway's error, or `None` if the deadline passed.
    pub fn fail_nodes(&mut self, error: Option<&str>, now: Moment) {
        let Some(request) = self.nodes_request.take() else {
            return;
        };
        let is_silent = error.is_none() && self.liveness.note_missed_answer(request.sent);
        self.liveness.is_unread |= !is_silent;
        let why = match error {
            Some(error) => error,
            None if is_silent => "it does not answer",
            None => "it answers, but its nodes did not arrive in time",
        };
        if self.nodes_refresh.fail(now.at) {
            warn!(gateway = %self.name, why, "the nodes can't be read");
        } else {
            debug!(gateway = %self.name, why, "the nodes can't be read");
        }
    }

    fn request_scenes(&mut self, now: Moment) {
        self.scenes_refresh.start(now.at);
        let mut list_request = |api| ListRequest {
            number: self.add_request(api),
            reply: None,
        };
        self.scenes_request = Some(ScenesRequest {
            sent: now.at,
            scenes: list_request("_getScenes"),
            groups: list_request("_getGroups"),
            deadline: now.at + self.reply_timeout,
        });
    }

    fn end_scenes_request(&mut self, now: Moment) {
        if let Some(request) = self.scenes_request.take_if(|request| request.deadline <= now.at) {
            // Neither request was answered, so the gateway may be silent.
            if request.scenes.reply.is_none() && request.groups.reply.is_none() {
                self.probe_after_timeout(request.sent, self.life, now);
            }
            self.finish_scenes(request, now);
        }
    }

    fn finish_scenes(&mut self, request: ScenesRequest, now: Moment) {
        self.scenes_tried_at = Some(request.sent);
        let scenes = match (&request.scenes.reply, &request.groups.reply) {
            // Older gateways without groups do not know this call.
            (Some(Reply::Ran(Some(scenes))), Some(Reply::NotRun(_))) => {
                Some(Scenes::parse(scenes, None))
            }
            (Some(Reply::Ran(Some(scenes))), Some(Reply::Ran(Some(groups)))) => {
                Some(Scenes::parse(scenes, Some(groups)))
            }
            _ => None,
        };
        let Some(scenes) = scenes else {
            debug!(gateway = %self.name, "the scenes and groups did not arrive");
            self.scenes_refresh.fail(now.at);
            return;
        };
        self.scenes_fetch = Some(Fetch {
            sent: request.sent,
            received: now.at,
        });
        // True resets the backoff. Only the requests for the nodes back off while nothing changes.
        let has_changed = true;
        self.scenes_refresh.finish(request.sent, has_changed);
        self.set_scenes(scenes, now);
    }

    /// Notes that the driver is down, if the gateway gives that as the reason for an error.
    pub(super) fn note_if_driver_down(&mut self, error: &str, now: Moment) {
        if !error.contains("not connected") {
            return;
        }
        // The start of the outage is unknown, so no time is recorded.
        self.liveness.is_driver_ready = Some(false);
        // The driver's recovery may not be reported, so fetch the nodes again. If a fetch is under way, its
        // failure schedules the next fetch, with backoff.
        if self.nodes_request.is_none() {
            self.nodes_refresh.note_change(now.at);
        }
    }

    /// Processes a reply to the request for the scenes or for the groups. Ignores every other reply.
    pub(super) fn take_scenes_reply(&mut self, number: u64, reply: &Reply, now: Moment) {
        let Some(request) = &mut self.scenes_request else {
            return;
        };
        for list in [&mut request.scenes, &mut request.groups] {
            if list.number == number {
                list.reply = Some(reply.clone());
            }
        }
        let is_complete = request.scenes.reply.is_some() && request.groups.reply.is_some();
        if let Some(request) = self.scenes_request.take_if(|_| is_complete) {
            self.finish_scenes(request, now);
        }
    }

    /// Processes a reply to our request for the nodes, in message order. Ignores a second reply, and a reply
    /// to a request that is no longer under way, for example because a new life began.
    pub fn take_nodes_reply(&mut self, number: u64, nodes: Result<Nodes, String>, now: Moment) {
        if !self.register_reply(number, now) {
            return;
        }
        let Some(request) = self.nodes_request.filter(|request| request.number == number) else {
            return;
        };
        let mut nodes = match nodes {
            Ok(nodes) => nodes,
            Err(error) => {
                self.note_if_driver_down(&error, now);
                return self.fail_nodes(Some(&error), now);
            }
        };
        self.nodes_request = None;
        let fetch = Fetch {
            sent: request.sent,
            received: now.at,
        };
        let (count, took) = (nodes.nodes.len(), fetch.duration().as_millis() as u64);
        info!(gateway = %self.name, nodes = count, milliseconds = took, "nodes read");
        let is_new_life = !self.freshness.is_from_this_life();
        self.correct_times(&mut nodes, now.time);
        let has_changed = self.replace_nodes(nodes, fetch);
        self.freshness.last_fetch = Some(fetch);
        self.freshness.is_dirty = false;
        self.updated_at = Some(now);
        self.record_fetch(is_new_life, now);
        self.nodes_refresh.finish(fetch.sent, has_changed);
        self.liveness.is_unread = false;
        // Nodes come from the driver, so the driver runs, even if it was reported as stopped.
        let was_driver_ready = self.liveness.is_driver_ready;
        self.liveness.is_driver_ready = was_driver_ready.and(Some(true));
        self.want_scenes(fetch.sent, SCENES_MAX_AGE);
    }
}

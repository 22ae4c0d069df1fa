//! Readings of a gateway: its nodes, and then its scenes and groups.
//!
//! One request serves all who wait. Each has a time by which it must be answered, and is ended when
//! that is over ([`Session::end_requests`]).

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;
use tracing::{debug, info, warn};

use super::freshness::{NodesReading, OLD_FOR_A_LIST};
use super::liveness::Status;
use super::needs::NEW_SCENES;
use super::probe::{PROBE, ProbeReason};
use super::{Moment, Session};
use crate::gateway::protocol::nodes::Nodes;
use crate::gateway::protocol::payloads::Reply;
use crate::gateway::protocol::scenes::{parse_groups, parse_scenes};

/// The time limit of the first reading: a house of 4,000 nodes behind a slow link takes a while.
const FIRST: Duration = Duration::from_secs(60);

/// A later reading may take this many times as long as the one before.
const TIMES_THE_LAST: u32 = 3;

/// The time between readings of the nodes for those who subscribed to values of a gateway without
/// events, if a change was reported.
const FOLLOWED: Duration = OLD_FOR_A_LIST;

/// The time between those readings if no change was reported.
const FOLLOWED_QUIET: Duration = Duration::from_secs(60);

/// A request for the nodes that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodesRequest {
    number: u64,
    sent: Instant,
    until: Instant,
    /// When the gateway must have said something, if it was also asked whether it is there: its nodes
    /// may take long.
    check: Option<Instant>,
}

/// A request for the scenes and one for the groups that are under way.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenesRequest {
    scenes: u64,
    groups: u64,
    /// When they were asked for.
    pub sent: Instant,
    until: Instant,
    scenes_reply: Option<Reply>,
    groups_reply: Option<Reply>,
}

impl Session {
    /// Returns how long a reading of its nodes may take: the time for a reply or three times what the
    /// last one took, whichever is longer.
    pub fn reading_time(&self) -> Duration {
        let last = self.freshness.last;
        let usual = last.map_or(Duration::ZERO, |last| last.duration() * TIMES_THE_LAST);
        usual.max(self.reply_timeout)
    }

    /// Ends requests whose time is up.
    pub fn end_requests(&mut self, now: Moment) {
        self.end_probe(now);
        self.end_nodes_request(now);
        self.end_scenes_request(now);
    }

    /// Gives the gateway this much more time to answer what it is being asked.
    pub fn extend_requests(&mut self, span: Duration) {
        if let Some(request) = &mut self.nodes_request {
            request.until += span;
            request.check = request.check.map(|check| check + span);
        }
        if let Some(request) = &mut self.scenes_request {
            request.until += span;
        }
        if let Some(probe) = &mut self.probe {
            probe.until += span;
        }
    }

    /// Asks for what is wanted.
    pub fn act(&mut self, now: Moment) {
        if self.liveness.is_away() {
            self.nodes.give_up();
            return self.scenes.give_up();
        }
        let is_due = |due: Option<Instant>| due.is_some_and(|due| due <= now.at);
        if is_due(self.nodes_due()) {
            self.ask_for_nodes(now);
        }
        if is_due(self.scenes_due()) {
            self.ask_for_scenes(now);
        }
    }

    /// Returns when the nodes are to be asked for. Subscribers wait for a reading that is due already.
    fn nodes_due(&self) -> Option<Instant> {
        let due = self.nodes.due().or_else(|| self.follow_due());
        due.filter(|_| self.nodes_request.is_none())
    }

    fn scenes_due(&self) -> Option<Instant> {
        self.scenes
            .due()
            .filter(|_| !self.liveness.silent)
            .filter(|_| self.scenes_request.is_none())
    }

    /// Returns when something is to be asked.
    pub fn next_ask_at(&self) -> Option<Instant> {
        if self.liveness.is_away() {
            return None;
        }
        self.nodes_due().into_iter().chain(self.scenes_due()).min()
    }

    /// Returns when the time for the next answer is up.
    pub fn requests_end(&self) -> Option<Instant> {
        let nodes = self.nodes_request.map(|request| {
            let unheard = !self.liveness.was_heard_since(request.sent);
            let check = request.check.filter(|_| unheard);
            check.map_or(request.until, |check| check.min(request.until))
        });
        let scenes = self.scenes_request.as_ref().map(|request| request.until);
        let probe = self.probe.map(|probe| probe.until);
        [nodes, scenes, probe].into_iter().flatten().min()
    }

    /// Returns when the nodes are read for those who subscribed to values, if no events report changes.
    fn follow_due(&self) -> Option<Instant> {
        let is_needed = self.is_followed && !self.freshness.is_kept_by_events();
        // A reading that does not come is asked for again anyway.
        if !is_needed || !self.is_reachable() || self.liveness.unread {
            return None;
        }
        let wait = if self.freshness.is_dirty {
            FOLLOWED
        } else {
            FOLLOWED_QUIET
        };
        Some(self.nodes.last? + wait)
    }

    fn ask_for_nodes(&mut self, now: Moment) {
        self.nodes.start(now.at);
        if self.liveness.silent {
            // Its nodes are due at once when it says something.
            self.nodes.fail(now.at);
            return self.probe(now.at, PROBE, ProbeReason::Background, now);
        }
        let reply = self.reply_timeout;
        // Nodes that came too late before get more time.
        let patience = TIMES_THE_LAST.pow(self.nodes.failures.min(4));
        let limit = match self.freshness.last {
            None => FIRST.max(reply),
            Some(_) => (self.reading_time() * patience).min(FIRST).max(reply),
        };
        // A large house takes a while to send its nodes, but the gateway says at once that it is there.
        // The first question is answered first: its reply does not wait behind the nodes.
        let check = (limit > reply).then(|| {
            self.ask("getInfo");
            now.at + reply
        });
        self.nodes_request = Some(NodesRequest {
            number: self.ask("getNodes"),
            sent: now.at,
            until: now.at + limit,
            check,
        });
    }

    fn end_nodes_request(&mut self, now: Moment) {
        let Some(request) = self.nodes_request else {
            return;
        };
        let unheard = !self.liveness.was_heard_since(request.sent);
        let is_silent = unheard && request.check.is_some_and(|check| check <= now.at);
        if is_silent || (request.until <= now.at && request.check.is_some()) {
            self.fail_nodes(None, now);
        } else if request.until <= now.at {
            // It may only be slow: it is asked whether it is there, and the next reading has more time.
            self.ask("getInfo");
            let until = now.at + PROBE;
            let check = Some(until);
            self.nodes_request = Some(NodesRequest {
                until,
                check,
                ..request
            });
        }
    }

    /// Notes that the nodes did not come, with the gateway's words, if it gave any.
    fn fail_nodes(&mut self, why: Option<&str>, now: Moment) {
        let Some(request) = self.nodes_request.take() else {
            return;
        };
        let is_silent = why.is_none() && self.liveness.note_missed_answer(request.sent);
        if !is_silent {
            self.liveness.note_nodes(false);
        }
        let why = match why {
            Some(why) => why,
            None if is_silent => "it does not answer",
            None => "it answers, but not within its time",
        };
        if self.nodes.fail(now.at) {
            warn!(gateway = %self.name, why, "the nodes can't be read");
        } else {
            debug!(gateway = %self.name, why, "the nodes can't be read");
        }
    }

    fn ask_for_scenes(&mut self, now: Moment) {
        self.scenes.start(now.at);
        self.scenes_request = Some(ScenesRequest {
            scenes: self.ask("_getScenes"),
            groups: self.ask("_getGroups"),
            sent: now.at,
            until: now.at + self.reply_timeout,
            scenes_reply: None,
            groups_reply: None,
        });
    }

    fn end_scenes_request(&mut self, now: Moment) {
        if let Some(request) = self.scenes_request.take_if(|request| request.until <= now.at) {
            if request.scenes_reply.is_none() && request.groups_reply.is_none() {
                self.probe_after_timeout(request.sent, self.life, now);
            }
            self.take_scenes(request, now);
        }
    }

    fn take_scenes(&mut self, request: ScenesRequest, now: Moment) {
        self.scenes_known.tried = Some(request.sent);
        // A gateway from before there were groups does not know that call.
        let groups = match request.groups_reply {
            Some(Reply::NotRun(_)) => Some(BTreeMap::default()),
            Some(Reply::Ran(Some(groups))) => Some(parse_groups(&groups)),
            Some(Reply::Ran(None)) | None => None,
        };
        let (Some(Reply::Ran(Some(scenes))), Some(groups)) = (request.scenes_reply, groups) else {
            debug!(gateway = %self.name, "the scenes and groups did not come");
            self.scenes.fail(now.at);
            return;
        };
        self.scenes_known.last = Some(request.sent);
        self.scenes_known.came = Some(now.at);
        self.scenes.finish(request.sent, true);
        self.set_scenes(parse_scenes(&scenes), groups, now);
    }

    /// Takes in the gateway's words when it did not run a request.
    pub(super) fn note_refusal(&mut self, words: &str, now: Moment) {
        if !words.contains("not connected") {
            return;
        }
        // Nobody saw when that began, and nobody may report when it ends, so it is asked again.
        self.liveness.set_status(Status::Driver, false, now.time, true);
        // A reading that fails is tried again ever more seldom.
        if self.nodes_request.is_none() {
            self.nodes.note_change(now.at);
        }
    }

    /// Takes in a reply, if it is to the request for the scenes or for the groups.
    pub(super) fn take_scenes_reply(&mut self, number: u64, reply: &Reply, now: Moment) {
        let Some(request) = &mut self.scenes_request else {
            return;
        };
        if request.scenes == number {
            request.scenes_reply = Some(reply.clone());
        } else if request.groups == number {
            request.groups_reply = Some(reply.clone());
        }
        let is_whole = request.scenes_reply.is_some() && request.groups_reply.is_some();
        if let Some(request) = self.scenes_request.take_if(|_| is_whole) {
            self.take_scenes(request, now);
        }
    }

    /// Takes in the nodes in a reply to a request of ours, in the order of messages. A second reply, and one
    /// that was overtaken by a new life or a newer request, is ignored.
    pub fn take_nodes_reply(&mut self, number: u64, nodes: Result<Nodes, String>, now: Moment) {
        if !self.is_first_reply(number) {
            return;
        }
        let Some(request) = self.nodes_request.filter(|request| request.number == number) else {
            return;
        };
        let sent = request.sent;
        match nodes {
            Err(words) => {
                self.note_refusal(&words, now);
                self.fail_nodes(Some(&words), now);
            }
            Ok(nodes) => {
                self.nodes_request = None;
                let came = now.at;
                let reading = NodesReading { sent, came };
                let is_new_life = !self.freshness.is_of_this_life();
                let (count, news) = self.replace_nodes(nodes, reading);
                self.freshness.read(reading);
                self.record_reading(is_new_life, now);
                self.nodes.finish(sent, news);
                self.liveness.note_nodes(true);
                if !self.are_scenes_new(sent, NEW_SCENES) {
                    self.want_scenes(sent, NEW_SCENES);
                }
                let took = reading.duration().as_millis() as u64;
                info!(gateway = %self.name, nodes = count, milliseconds = took, "nodes read");
            }
        }
    }
}

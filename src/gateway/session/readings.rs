//! Reading a gateway's nodes, and then its scenes and groups. One reading serves all who wait.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use serde_json::json;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};
use tracing::{debug, info, warn};

use super::currency::{Need, NodesReading, OLD_FOR_A_LIST};
use super::requests::{Reply, ReplyEffect};
use super::scenes::{NEW_SCENES, parse_groups, parse_scenes};
use super::{Session, SessionState};
use crate::gateway::trouble::Trouble;
use crate::home::model::node::{Node, Role};
use crate::home::model::snapshot::Snapshot;

/// The first reading has this long: a house of 4,000 nodes behind a slow link takes a while.
const FIRST: Duration = Duration::from_secs(60);

/// A later reading may take so many times as long as the one before.
pub(super) const TIMES_THE_LAST: u32 = 3;

/// A silent gateway has this long to show that it is back.
const PROBE: Duration = Duration::from_secs(1);

/// A gateway whose network answers under another name has this long to show that it is there too: less
/// than a call waits for a second gateway.
const DOUBLE: Duration = Duration::from_millis(500);

/// Those who subscribed to values of a gateway without events have its nodes read at most this often
/// where a change was reported.
const FOLLOWED: Duration = OLD_FOR_A_LIST;

/// The same where nothing did.
const FOLLOWED_QUIET: Duration = Duration::from_secs(60);

/// Reads what is due, until nobody uses the session any more.
pub(super) async fn keep(session: Weak<Session>, woken: Arc<Notify>) {
    loop {
        let Some(next) = session.upgrade().map(|session| session.read_due()) else {
            return;
        };
        match next {
            // Woken or due: what is to be done is looked up in either case.
            Some(next) => drop(timeout_at(next, woken.notified()).await),
            None => woken.notified().await,
        }
    }
}

impl Session {
    /// Reads what is due; when something will be, where that is known.
    fn read_due(self: &Arc<Self>) -> Option<Instant> {
        self.connection.up_since()?;
        let now = Instant::now();
        let (nodes, scenes) = {
            let state = self.state();
            if state.liveness.is_away() {
                return None;
            }
            let nodes = state.refetch.due().filter(|_| state.reading.is_none());
            let scenes = state.scenes.again.due();
            (nodes, scenes.filter(|_| state.scenes.reading.is_none()))
        };
        if nodes.is_some_and(|due| due <= now) {
            self.read();
        }
        if scenes.is_some_and(|due| due <= now) {
            self.read_scenes();
        }
        let due = nodes.into_iter().chain(scenes);
        due.filter(|due| *due > now).min()
    }

    /// Has what is needed read where it is too old for a call that came at `asked`.
    pub fn prepare(self: &Arc<Self>, need: Need, asked: Instant) {
        if self.connection.up_since().is_none() {
            return;
        }
        let mut state = self.state();
        if state.liveness.is_away() {
            return;
        }
        if state.liveness.is_silent() {
            drop(state);
            return self.probe();
        }
        let now = self.connection.now();
        let trouble = state.liveness.trouble(&self.name, now);
        let unread = matches!(trouble, Some(Trouble::NodesUnread { .. }));
        // A command needs its nodes now, also where they came too late before.
        if trouble.is_some() && !(unread && matches!(need, Need::Control | Need::Miss)) {
            // Somebody asks: it may be over.
            state.refetch.changed(Instant::now());
            self.due.notify_one();
            return;
        }
        let known = state.currency.last().is_some();
        let nodes = !state.currency.will_do(need, asked) || state.currency.is_old(asked);
        // A reading of the nodes is followed by one of the scenes.
        let scenes = known && !nodes && need == Need::List && !state.scenes.are_settled(asked);
        drop(state);
        if nodes {
            self.read();
        }
        if scenes {
            self.read_scenes();
        }
    }

    /// Keeps a gateway without events followed for those who subscribed to its values; when to call
    /// this again, where that is known.
    pub fn follow(self: &Arc<Self>) -> Option<Instant> {
        let state = self.state();
        if state.currency.is_kept_by_events() {
            return None;
        }
        let wait = if state.currency.is_dirty() {
            FOLLOWED
        } else {
            FOLLOWED_QUIET
        };
        let due = state.refetch.last()? + wait;
        // What does not come is asked for again by itself.
        let now = self.connection.now();
        let waits = self.connection.up_since().is_none()
            || state.liveness.trouble(&self.name, now).is_some()
            || state.reading.is_some();
        drop(state);
        if waits {
            return None;
        }
        if due <= Instant::now() {
            self.read();
            return None;
        }
        Some(due)
    }

    /// Reads the nodes, unless they are being read.
    pub fn read(self: &Arc<Self>) {
        let mut state = self.state();
        if state.reading.is_some() || state.liveness.is_away() {
            return;
        }
        state.readings += 1;
        state.reading = Some(state.readings);
        state.refetch.started(Instant::now());
        let (number, last) = (state.readings, state.currency.last());
        drop(state);
        tokio::spawn(read_nodes(Arc::clone(self), number, last));
    }

    /// Whether a reading that is still under way shows that the gateway is silent.
    fn is_silent_in(&self, number: u64, sent: Instant) -> bool {
        let mut state = self.state();
        state.reading == Some(number) && state.liveness.unanswered(sent)
    }

    /// A request of this life was not answered in the time that it had. A device may have held it up,
    /// or the nodes that are on their way: the gateway is asked whether it is there.
    pub async fn doubt(&self, sent: Instant, life: (u64, u64)) {
        let old = {
            let state = self.state();
            self.life_of(&state) != life || state.reading.is_some()
        };
        if old || self.connection.up_since().is_none() || !self.starts_probing() {
            return;
        }
        let there = self.is_there(PROBE).await;
        self.probed(|state| {
            let same = self.life_of(state) == life;
            if !there && same && state.liveness.unanswered(sent) {
                info!(gateway = %self.name, "it left a request unanswered");
            }
        });
    }

    /// Asks a silent gateway whether it is there, unless it is being asked. Its answer, whoever gets
    /// it, has its nodes read again.
    fn probe(self: &Arc<Self>) {
        if self.starts_probing() {
            let session = Arc::clone(self);
            tokio::spawn(async move {
                session.is_there(PROBE).await;
                session.probed(|_| {});
            });
        }
    }

    /// False where it is being asked already.
    fn starts_probing(&self) -> bool {
        !std::mem::replace(&mut self.state().probing, true)
    }

    fn probed(&self, conclude: impl FnOnce(&mut SessionState)) {
        let mut state = self.state();
        state.probing = false;
        conclude(&mut state);
        drop(state);
        self.state_changed();
    }

    /// Asks whether it is there, unless it is being asked. Returns true if it says nothing at all.
    pub async fn is_gone(&self) -> bool {
        if !self.starts_probing() {
            return false;
        }
        let sent = Instant::now();
        let there = self.is_there(DOUBLE).await;
        let mut gone = false;
        self.probed(|state| gone = !there && state.liveness.unanswered(sent));
        gone
    }

    async fn is_there(&self, limit: Duration) -> bool {
        let info = self.call("getInfo", json!([]), ReplyEffect::Call, limit);
        info.await.is_some()
    }

    fn failed(&self, number: u64, sent: Instant, why: Option<&str>) {
        let mut state = self.state();
        // What was overtaken says nothing any more.
        if state.reading != Some(number) {
            return;
        }
        state.reading = None;
        let silent = why.is_none() && state.liveness.unanswered(sent);
        if !silent {
            state.liveness.answered_nodes(false);
        }
        let first = state.refetch.failed(Instant::now());
        drop(state);
        let why = match why {
            Some(why) => why,
            None if silent => "it does not answer",
            None => "it answers, but not within its time",
        };
        if first {
            warn!(gateway = %self.name, why, "the nodes can't be read");
        } else {
            debug!(gateway = %self.name, why, "the nodes can't be read");
        }
        self.state_changed();
    }

    /// Asks for the scenes and groups, unless they are being asked for.
    fn read_scenes(self: &Arc<Self>) {
        let mut state = self.state();
        if state.scenes.reading.is_some() {
            return;
        }
        state.scenes.readings += 1;
        let number = state.scenes.readings;
        state.scenes.reading = Some(number);
        state.scenes.again.started(Instant::now());
        drop(state);
        tokio::spawn(ask_for_scenes(Arc::clone(self), number));
    }

    /// Waits until the scenes and groups that are known are newer than this at `asked`, or were asked
    /// for since then; false where they don't come.
    pub async fn scenes_current(self: &Arc<Self>, asked: Instant, new: Duration) -> bool {
        let mut progress = self.connection.progress();
        // One that was asked for before may be too old when it comes.
        let tries = 1 + usize::from(self.state().scenes.reading.is_some());
        for _ in 0..tries {
            if self.state().scenes.are_new(asked, new) {
                return true;
            }
            if self.trouble().is_some() {
                return false;
            }
            self.read_scenes();
            while self.state().scenes.reading.is_some() {
                if progress.changed().await.is_err() {
                    return false;
                }
            }
        }
        self.state().scenes.are_new(asked, new)
    }
}

impl SessionState {
    /// Drops the nodes of groups that are gone, and has those of new groups read.
    fn match_groups(&mut self) {
        self.drop_gone_groups();
        let Snapshot { nodes, groups, .. } = &*self.snapshot;
        if groups.keys().any(|group| !nodes.contains_key(group)) {
            self.restructured(Instant::now());
        }
    }

    /// Drops the nodes of groups that `_getGroups` does not name any more.
    pub(super) fn drop_gone_groups(&mut self) {
        let Snapshot { nodes, groups, .. } = &*self.snapshot;
        let is_gone = |node: &Node| node.role == Role::Group && !groups.contains_key(&node.id);
        if nodes.values().any(|node| is_gone(node)) {
            let Snapshot { nodes, groups, .. } = Arc::make_mut(&mut self.snapshot);
            nodes.retain(|id, node| node.role != Role::Group || groups.contains_key(id));
        }
    }
}

/// Reads the nodes. They are taken in when they arrive, in the order of messages.
async fn read_nodes(session: Arc<Session>, number: u64, last: Option<NodesReading>) {
    let started = Instant::now();
    let reply = session.reply_timeout();
    let silent = session.state().liveness.is_silent();
    if silent && !session.is_there(PROBE).await {
        return session.failed(number, started, None);
    }
    // What came too late before gets more time.
    let late = session.state().refetch.failures().min(4);
    let limit = last.map_or(FIRST.max(reply), |_| {
        let usual = session.reading_time();
        (usual * TIMES_THE_LAST.pow(late)).min(FIRST).max(reply)
    });
    let sent = Instant::now();
    let nodes = session.call(
        "getNodes",
        json!([]),
        ReplyEffect::Nodes { number, sent },
        limit,
    );
    let silence = async {
        // A large house takes a while to send its nodes, but the gateway says at once that it is there.
        let away = limit > reply && !session.is_there(reply).await;
        if !(away && session.is_silent_in(number, sent)) {
            std::future::pending::<()>().await;
        }
    };
    let reply = tokio::select! {
        // What is polled first is sent first: its reply does not wait behind the nodes.
        biased;
        () = silence => None,
        reply = nodes => reply,
    };
    match reply {
        Some(Reply::Ran(_)) => {
            let old = !session.state().scenes.are_new(sent, NEW_SCENES);
            if old {
                session.read_scenes();
            }
        }
        Some(Reply::NotRun(words)) => session.failed(number, sent, Some(&words)),
        None => {
            // It may only be slow: what it says then is heard, and the next reading has more time.
            session.is_there(PROBE).await;
            session.failed(number, sent, None);
        }
    }
}

async fn ask_for_scenes(session: Arc<Session>, number: u64) {
    let (sent, life) = (Instant::now(), session.life());
    let limit = session.reply_timeout();
    let ask = |api| session.call(api, json!([]), ReplyEffect::Call, limit);
    let (scenes, members) = tokio::join!(ask("_getScenes"), ask("_getGroups"));
    if scenes.is_none() && members.is_none() {
        session.doubt(sent, life).await;
    }
    let mut state = session.state();
    // What was overtaken says nothing any more.
    if state.scenes.reading != Some(number) {
        return;
    }
    state.scenes.reading = None;
    state.scenes.tried = Some(sent);
    // A gateway that is older than its groups does not know that call.
    let members = match members {
        Some(Reply::NotRun(_)) => Some(BTreeMap::new()),
        Some(Reply::Ran(Some(members))) => Some(parse_groups(&members)),
        Some(Reply::Ran(None)) | None => None,
    };
    if let (Some(Reply::Ran(Some(result))), Some(groups)) = (scenes, members) {
        let scenes = parse_scenes(&result);
        state.scenes.last = Some(sent);
        state.scenes.came = Some(Instant::now());
        state.scenes.again.finished(true);
        if state.snapshot.scenes != scenes || state.snapshot.groups != groups {
            let snapshot = Arc::make_mut(&mut state.snapshot);
            snapshot.scenes = scenes;
            snapshot.groups = groups;
            state.shape += 1;
            state.match_groups();
        }
    } else {
        state.scenes.again.failed(Instant::now());
        debug!(gateway = %session.name, "the scenes and groups did not come");
    }
    drop(state);
    session.due.notify_one();
    session.connection.progressed();
}

//! Who is told of what, and when.
//!
//! One task a session looks at the house after something arrived, and compares what each subscriber
//! was told of with what is. It starts with the first host that asks for resources, and ends with
//! the session.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionSink};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use tracing::debug;

use super::address::{Address, Places};
use super::facts::{print, timeless};
use super::topic::Topic;
use crate::gateway::{Gateways, View};

/// Messages come in bursts: two looks are at least this far apart. What is undone in between is seen
/// by none.
const BETWEEN_LOOKS: Duration = Duration::from_millis(40);

/// How many subscriptions a session can have. What is subscribed is looked at after every burst of
/// messages; a host that wants a large house whole subscribes to the house.
pub const MOST_SUBSCRIPTIONS: usize = 1000;

/// How many streams of notifications a session can have at once.
pub const MOST_STREAMS: usize = 32;

/// Why there is no subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There are [`MOST_SUBSCRIPTIONS`] already.
    Subscriptions,
    /// There are [`MOST_STREAMS`] already.
    Streams,
}

/// The session's subscribers.
pub struct Live {
    gateways: Gateways,
    /// The host has closed its side.
    ended: CancellationToken,
    state: Mutex<State>,
    woken: Notify,
}

/// What is known of the subscribers.
#[derive(Default)]
pub struct State {
    places: Places,
    /// The host of a revision with sessions, once it asked for resources.
    session: Option<Subscriber>,
    /// The streams of `subscriptions/listen`.
    streams: BTreeMap<u64, Subscriber>,
    last: u64,
    running: bool,
}

/// Where notifications go.
#[derive(Clone)]
enum Sink {
    /// To the session.
    Session(Peer<RoleServer>),
    /// To one stream.
    Stream(SubscriptionSink),
}

struct Subscriber {
    sink: Sink,
    /// The list, where changes of it are wanted.
    list: Option<Topic>,
    /// By the URI as the host wrote it.
    resources: BTreeMap<String, (Address, Topic)>,
}

/// A notification.
enum News {
    List,
    Updated(String),
}

/// What a look found.
#[derive(Default)]
struct Round {
    news: Vec<(Sink, News)>,
    /// When to look again though nothing arrives.
    next: Option<Instant>,
}

impl Subscriber {
    fn new(sink: Sink) -> Self {
        Self {
            sink,
            list: None,
            resources: BTreeMap::new(),
        }
    }
}

impl State {
    /// Where the devices are.
    pub fn places(&self) -> &Places {
        &self.places
    }

    fn subscribers(&mut self) -> impl Iterator<Item = &mut Subscriber> {
        self.session.iter_mut().chain(self.streams.values_mut())
    }

    /// Whether anybody wants to be told of values.
    fn has_values(&self) -> bool {
        let mut subscribers = self.session.iter().chain(self.streams.values());
        subscribers.any(|one| !one.resources.is_empty())
    }

    fn room_for(&self, more: usize) -> Result<(), Refused> {
        let subscribers = self.session.iter().chain(self.streams.values());
        let count: usize = subscribers.map(|one| one.resources.len()).sum();
        if count + more > MOST_SUBSCRIPTIONS {
            return Err(Refused::Subscriptions);
        }
        Ok(())
    }

    fn session(&mut self, peer: &Peer<RoleServer>) -> &mut Subscriber {
        let sink = || Sink::Session(peer.clone());
        self.session.get_or_insert_with(|| Subscriber::new(sink()))
    }

    /// A host asked for a resource. Where it has a session it hears of changes to the list from then
    /// on; a host that never asks hears nothing.
    pub fn asked(&mut self, session: Option<&Peer<RoleServer>>) {
        let print = self.places.print();
        if let Some(peer) = session {
            let session = self.session(peer);
            session.list.get_or_insert_with(|| Topic::new(print));
        }
    }

    /// The list was served.
    pub fn list_served(&mut self) {
        let print = self.places.print();
        for topic in self.subscribers().filter_map(|one| one.list.as_mut()) {
            topic.served(print);
        }
    }

    /// A resource was served.
    pub fn served(&mut self, view: &View, address: &Address) {
        let topics = self.session.iter().chain(self.streams.values());
        let mut topics = topics.flat_map(|one| one.resources.values());
        if !topics.any(|(own, _)| own == address) {
            return;
        }
        let print = print(&timeless(view), &self.places, address);
        for (own, topic) in self
            .subscribers()
            .flat_map(|one| one.resources.values_mut())
        {
            if own == address {
                topic.served(print);
            }
        }
    }

    /// A host with a session subscribes to a resource.
    pub fn subscribe(
        &mut self,
        view: &View,
        peer: &Peer<RoleServer>,
        uri: &str,
        address: Address,
    ) -> Result<(), Refused> {
        if self.session(peer).resources.contains_key(uri) {
            return Ok(());
        }
        self.room_for(1)?;
        let print = print(&timeless(view), &self.places, &address);
        let topic = (address, Topic::new(print));
        self.session(peer).resources.insert(uri.to_owned(), topic);
        Ok(())
    }

    /// It does not want it any more.
    pub fn unsubscribe(&mut self, uri: &str) {
        if let Some(session) = &mut self.session {
            session.resources.remove(uri);
        }
    }

    /// Opens a stream; its number.
    pub fn open(&mut self, view: &View, sink: &SubscriptionSink) -> Result<u64, Refused> {
        if self.streams.len() >= MOST_STREAMS {
            return Err(Refused::Streams);
        }
        let wanted = sink.accepted();
        let uris = wanted.resource_subscriptions.as_deref();
        let addressed = uris.unwrap_or_default().iter();
        let addressed = addressed.filter_map(|uri| Some((uri.clone(), Address::read(uri)?)));
        let addressed: BTreeMap<String, Address> = addressed.collect();
        self.room_for(addressed.len())?;
        let view = timeless(view);
        let mut stream = Subscriber::new(Sink::Stream(sink.clone()));
        if wanted.resources_list_changed == Some(true) {
            stream.list = Some(Topic::new(self.places.print()));
        }
        for (uri, address) in addressed {
            let print = print(&view, &self.places, &address);
            stream.resources.insert(uri, (address, Topic::new(print)));
        }
        self.last += 1;
        self.streams.insert(self.last, stream);
        Ok(self.last)
    }

    /// What there is to tell now.
    fn round(&mut self, view: &View, now: Instant) -> Round {
        let mut round = Round::default();
        let Self {
            places,
            session,
            streams,
            ..
        } = self;
        let timeless = timeless(view);
        let mut house = None;
        for subscriber in session.iter_mut().chain(streams.values_mut()) {
            let Subscriber {
                sink,
                list,
                resources,
            } = subscriber;
            let list = list.iter_mut().map(|topic| {
                let due = topic.due(now, false, || places.print());
                (due, News::List)
            });
            let resources = resources.iter_mut().map(|(uri, (address, topic))| {
                let whole = *address == Address::House;
                let due = topic.due(now, whole, || {
                    let print = || print(&timeless, places, address);
                    if whole {
                        *house.get_or_insert_with(print)
                    } else {
                        print()
                    }
                });
                (due, News::Updated(uri.clone()))
            });
            for (due, news) in list.chain(resources) {
                match due {
                    Ok(true) => round.news.push((sink.clone(), news)),
                    Ok(false) => {}
                    Err(until) => {
                        round.next = Some(round.next.map_or(until, |next| next.min(until)));
                    }
                }
            }
        }
        round
    }
}

impl Live {
    /// Nobody is told anything yet.
    pub fn new(gateways: Gateways, ended: CancellationToken) -> Arc<Self> {
        Arc::new(Self {
            gateways,
            ended,
            state: Mutex::default(),
            woken: Notify::new(),
        })
    }

    /// The way to the house.
    pub fn gateways(&self) -> &Gateways {
        &self.gateways
    }

    /// Is done when the host has closed its side.
    pub async fn ended(&self) {
        self.ended.cancelled().await;
    }

    /// Looks at the house and at its subscribers at one moment. Must be short.
    pub fn look<R>(&self, call: impl FnOnce(&View, &mut State) -> R) -> R {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.gateways.look(|view| {
            state.places.follow(view.house);
            call(view, &mut state)
        })
    }

    /// Somebody may have something to be told.
    pub fn wake(self: &Arc<Self>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let subscribed = state.session.is_some() || !state.streams.is_empty();
        if subscribed && !std::mem::replace(&mut state.running, true) {
            tokio::spawn(run(Arc::clone(self)));
        }
        self.woken.notify_one();
    }

    /// Closes a stream.
    pub fn close(&self, stream: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.streams.remove(&stream);
    }
}

async fn run(live: Arc<Live>) {
    let rounds = async {
        let mut changes = live.gateways.changes();
        let mut next: Option<Instant> = None;
        loop {
            let at = next.unwrap_or_else(Instant::now);
            tokio::select! {
                changed = changes.changed() => if changed.is_err() {
                    return;
                },
                () = live.woken.notified() => {}
                () = sleep_until(at), if next.is_some() => {}
            }
            let (round, subscribed) = live.look(|view, state| {
                let round = state.round(view, Instant::now());
                (round, state.has_values())
            });
            next = round.next;
            if subscribed {
                next = next.into_iter().chain(live.gateways.follow()).min();
            }
            // Waits where the host does not read: what changes meanwhile is told as one.
            for (sink, news) in round.news {
                tell(sink, news).await;
            }
            sleep(BETWEEN_LOOKS).await;
        }
    };
    tokio::select! {
        () = rounds => {}
        () = live.ended() => {}
    }
}

async fn tell(sink: Sink, news: News) {
    let told = match (sink, news) {
        (Sink::Session(peer), News::List) => {
            let told = peer.notify_resource_list_changed().await;
            told.map_err(|error| error.to_string())
        }
        (Sink::Session(peer), News::Updated(uri)) => {
            let param = ResourceUpdatedNotificationParam::new(uri);
            let told = peer.notify_resource_updated(param).await;
            told.map_err(|error| error.to_string())
        }
        (Sink::Stream(sink), News::List) => {
            let told = sink.notify_resource_list_changed().await;
            told.map_err(|error| error.to_string())
        }
        (Sink::Stream(sink), News::Updated(uri)) => {
            let told = sink.notify_resource_updated(uri).await;
            told.map_err(|error| error.to_string())
        }
    };
    if let Err(error) = told {
        // The stream was closed in this moment, or the session.
        debug!(error, "nobody is there any more to be told");
    }
}

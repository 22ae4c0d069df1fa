//! Notifies subscribers of changes to resources.
//!
//! Each session has one task for this. Whenever messages have arrived, the task compares the version of each
//! followed resource with the version that the subscriber knows. The task starts with the first subscriber,
//! and ends with the session.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::error::Error;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam};
use rmcp::service::{Peer, SubscriptionSink};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use tracing::debug;

use super::address::{Address, AddressBook};
use super::version::Version;
use crate::gateway::{Gateways, Need, View};
use crate::lock::lock;
use crate::mcp::wording;

/// The delay between two checks, because messages come in bursts. A trouble that comes and goes within this delay
/// causes no notification.
const CHECK_DELAY: Duration = Duration::from_millis(40);

/// The minimum time between two notifications about the same resource, or about the list.
const NOTIFICATION_DELAY: Duration = Duration::from_secs(1);

/// The maximum number of subscriptions of a session. All of them are checked after every burst of messages. A host
/// that follows more devices than this can subscribe to the whole house instead.
pub const MAX_SUBSCRIPTIONS: usize = 1000;

/// The maximum number of streams of notifications that a session can have at once.
const MAX_STREAMS: usize = 32;

/// The subscribers of a session and the task that notifies them.
pub struct Notifier {
    gateways: Gateways,
    /// Cancelled when the host disconnects.
    pub ended: CancellationToken,
    state: Mutex<Subscribers>,
    woken: Notify,
}

#[derive(Default)]
pub struct Subscribers {
    pub address_book: AddressBook,
    /// The subscribers by number. A host with a session has the number [`SESSION`], and is added at its first
    /// request for resources. The streams of `subscriptions/listen` have higher numbers.
    by_number: BTreeMap<u64, Subscriber>,
    last_stream_number: u64,
    is_running: bool,
}

/// The number of the host, if its protocol revision has sessions. A revision has either sessions or streams.
const SESSION: u64 = 0;

struct Subscriber {
    sink: Sink,
    /// The followed resources. The key is the URI as the host wrote it, or `None` for the list of resources.
    follows: BTreeMap<Option<String>, Follow>,
}

#[derive(Clone)]
enum Sink {
    Session(Peer<RoleServer>),
    Stream(SubscriptionSink),
}

/// A resource, or the list of resources, that a subscriber follows.
struct Follow {
    /// The resource; `None` for the list.
    address: Option<Address>,
    /// The version that the subscriber knows.
    known_version: Version,
    /// No further notification is sent before this time. All changes before this time become one notification.
    quiet_until: Option<Instant>,
}

/// The receiver of a notification, and the URI of the changed resource. `None` means the list of resources.
type Notification = (Sink, Option<String>);

impl Follow {
    fn new(address: Option<Address>, view: &View, address_book: &AddressBook) -> Self {
        Self {
            known_version: Version::of(address.as_ref(), view, address_book),
            address,
            quiet_until: None,
        }
    }
}

impl Subscribers {
    /// Counts the resource subscriptions of all subscribers.
    fn count_subscriptions(&self) -> usize {
        let follows = self.by_number.values().flat_map(|subscriber| subscriber.follows.keys());
        follows.flatten().count()
    }

    fn check_capacity_for(&self, added: usize) -> Result<(), ErrorData> {
        if self.count_subscriptions() + added > MAX_SUBSCRIPTIONS {
            let text = wording::too_many_subscriptions(MAX_SUBSCRIPTIONS);
            return Err(ErrorData::invalid_params(text, None));
        }
        Ok(())
    }

    /// Subscribes a host with a session to the list of resources, at its first request for resources. A host that
    /// never requests resources is never notified.
    fn subscribe_to_list(&mut self, view: &View, session: Option<&Peer<RoleServer>>) {
        let Some(peer) = session else { return };
        self.by_number.entry(SESSION).or_insert_with(|| Subscriber {
            sink: Sink::Session(peer.clone()),
            follows: BTreeMap::from([(None, Follow::new(None, view, &self.address_book))]),
        });
    }

    /// Subscribes the host of the session to a resource.
    pub fn subscribe(&mut self, view: &View, uri: &str, address: Address) -> Result<(), ErrorData> {
        let capacity = self.check_capacity_for(1);
        // The host is always found, because `Notifier::answer` adds it before calling this function.
        if let Some(session) = self.by_number.get_mut(&SESSION)
            && let Entry::Vacant(entry) = session.follows.entry(Some(uri.to_owned()))
        {
            capacity?;
            entry.insert(Follow::new(Some(address), view, &self.address_book));
        }
        Ok(())
    }

    /// Ends the subscription of the session's host to a resource.
    pub fn unsubscribe(&mut self, uri: &str) {
        if let Some(session) = self.by_number.get_mut(&SESSION) {
            session.follows.remove(&Some(uri.to_owned()));
        }
    }

    pub fn open_stream(&mut self, view: &View, sink: &SubscriptionSink) -> Result<u64, ErrorData> {
        if self.by_number.range(SESSION + 1..).count() >= MAX_STREAMS {
            let text = wording::too_many_streams(MAX_STREAMS);
            return Err(ErrorData::invalid_params(text, None));
        }
        let wanted = sink.accepted();
        let resources = wanted.resource_subscriptions.iter().flatten();
        let mut follows: BTreeMap<_, _> = resources
            .filter_map(|uri| Some((Some(uri.clone()), Some(Address::read(uri)?))))
            .collect();
        self.check_capacity_for(follows.len())?;
        if wanted.resources_list_changed == Some(true) {
            follows.insert(None, None);
        }
        let follow = |(uri, address)| (uri, Follow::new(address, view, &self.address_book));
        let stream = Subscriber {
            sink: Sink::Stream(sink.clone()),
            follows: follows.into_iter().map(follow).collect(),
        };
        self.last_stream_number += 1;
        self.by_number.insert(self.last_stream_number, stream);
        Ok(self.last_stream_number)
    }

    /// Returns the notifications that are due, and the time of the next check if no message arrives earlier.
    fn take_due(&mut self, view: &View, now: Instant) -> (Vec<Notification>, Option<Instant>) {
        let mut notifications = Vec::new();
        let mut next_check = None;
        for Subscriber { sink, follows } in self.by_number.values_mut() {
            for (uri, follow) in follows {
                if let Some(until) = follow.quiet_until.filter(|until| now < *until) {
                    next_check = next_check.into_iter().chain([until]).min();
                    continue;
                }
                let version = Version::of(follow.address.as_ref(), view, &self.address_book);
                if version != follow.known_version {
                    follow.known_version = version;
                    follow.quiet_until = Some(now + NOTIFICATION_DELAY);
                    notifications.push((sink.clone(), uri.clone()));
                }
            }
        }
        (notifications, next_check)
    }
}

impl Notifier {
    pub fn new(gateways: Gateways, ended: CancellationToken) -> Arc<Self> {
        Arc::new(Self {
            gateways,
            ended,
            state: Mutex::default(),
            woken: Notify::new(),
        })
    }

    /// Answers a request for resources: waits until the house is as current as `need` says, and then runs `call` on
    /// the house and the subscribers.
    pub async fn answer<R>(
        self: &Arc<Self>,
        session: Option<&Peer<RoleServer>>,
        need: Need,
        call: impl FnOnce(&View, &mut Subscribers) -> R,
    ) -> R {
        self.gateways.settle_for_list(need).await;
        let answer = self.with_subscribers(|view, state| {
            state.subscribe_to_list(view, session);
            call(view, state)
        });
        self.wake();
        answer
    }

    /// Runs `call` on a view of the house and the subscribers. `call` must be short, because both are locked.
    pub fn with_subscribers<R>(&self, call: impl FnOnce(&View, &mut Subscribers) -> R) -> R {
        let mut state = lock(&self.state);
        self.gateways.with_view(|view| {
            state.address_book.update(view.house);
            call(view, &mut state)
        })
    }

    /// Wakes the task, because a notification may be due. The first subscriber starts the task.
    pub fn wake(self: &Arc<Self>) {
        let mut state = lock(&self.state);
        if !state.by_number.is_empty() && !std::mem::replace(&mut state.is_running, true) {
            tokio::spawn(run(Arc::clone(self)));
        }
        self.woken.notify_one();
    }

    pub fn close_stream(&self, stream: u64) {
        lock(&self.state).by_number.remove(&stream);
    }
}

async fn run(notifier: Arc<Notifier>) {
    let rounds = async {
        let mut changes = notifier.gateways.changes();
        let mut next_check: Option<Instant> = None;
        let mut is_polling = false;
        loop {
            let next = next_check.unwrap_or_else(Instant::now);
            tokio::select! {
                changed = changes.changed() => if changed.is_err() {
                    return;
                },
                () = notifier.woken.notified() => {}
                () = sleep_until(next), if next_check.is_some() => {}
            }
            let (notifications, has_resources);
            (notifications, next_check, has_resources) =
                notifier.with_subscribers(|view, state| {
                    let (notifications, next) = state.take_due(view, Instant::now());
                    (notifications, next, state.count_subscriptions() > 0)
                });
            // Some values change without an event. While a resource is followed, fetch these values regularly.
            if std::mem::replace(&mut is_polling, has_resources) != has_resources {
                notifier.gateways.follow(has_resources);
            }
            // If the host does not read, sending waits. Changes during this wait become one notification per resource.
            for notification in notifications {
                notify(notification).await;
            }
            sleep(CHECK_DELAY).await;
        }
    };
    tokio::select! {
        () = rounds => {}
        () = notifier.ended.cancelled() => {}
    }
}

async fn notify((sink, uri): Notification) {
    let sent = match (sink, uri) {
        (Sink::Session(peer), None) => peer.notify_resource_list_changed().await.map_err(text),
        (Sink::Session(peer), Some(uri)) => {
            let param = ResourceUpdatedNotificationParam::new(uri);
            peer.notify_resource_updated(param).await.map_err(text)
        }
        (Sink::Stream(sink), None) => sink.notify_resource_list_changed().await.map_err(text),
        (Sink::Stream(sink), Some(uri)) => sink.notify_resource_updated(uri).await.map_err(text),
    };
    if let Err(error) = sent {
        // The stream or the session was closed in the meantime.
        debug!(error, "nobody is left to notify");
    }
}

fn text(error: impl Error) -> String {
    error.to_string()
}

//! The one task that changes the network, and the only place that sends.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use tokio::sync::mpsc::{Receiver, UnboundedReceiver};
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep_until};
use tokio_util::bytes::BytesMut;
use tracing::debug;

use super::{Answer, Network};
use crate::gateway::Clock;
use crate::gateway::bus::{Bus, Incoming, LargeMessage, Message, NotSent, Outgoing};
use crate::gateway::protocol::nodes::{NodesReader, NodesReply};
use crate::gateway::protocol::payloads::Reply;
use crate::gateway::protocol::topics::{self, Route, route};
use crate::gateway::session::{Ask, Moment, Session};
use crate::home::model::ids::GatewayName;

/// The maximum number of inputs that are taken in before those who wait are notified.
const BATCH: usize = 256;

/// The maximum length of a large message that is collected, in bytes. Of a longer one without nodes, only
/// the topic is used.
const MAX_COLLECTED: usize = 16 * 1024 * 1024;

/// A change of the network.
type Change = Box<dyn FnOnce(&mut Network, Moment) + Send>;

/// A change of a session once a request was sent, given the request's number.
type OnSent = Box<dyn FnOnce(&mut Session, u64) + Send>;

/// A call's command to the task.
pub enum Command {
    /// Changes the network.
    Change(Change),
    /// Sends a request.
    Send(Request),
}

/// A request of a call.
pub struct Request {
    /// The gateway.
    pub gateway: GatewayName,
    /// Its API.
    pub api: &'static str,
    /// The arguments.
    pub args: Json,
    /// The change of the session once it was sent.
    pub on_sent: OnSent,
    /// The sender for its reply, or for the news that nothing was sent.
    pub reply: oneshot::Sender<Result<Reply, NotSent>>,
}

/// Something that the task takes in.
enum Input {
    Command(Command),
    Arrived(Incoming),
    /// The nodes of a gateway.
    Nodes(String, NodesReply),
    /// Nothing arrived, but something is due.
    Due,
}

/// A large message that is arriving.
struct Large {
    message: LargeMessage,
    content: Content,
}

enum Content {
    /// The nodes of a gateway, by its name.
    Nodes(String, Box<NodesReader>),
    Bytes(BytesMut),
}

/// The task.
pub struct Task {
    network: watch::Sender<Network>,
    clock: Clock,
    dispatcher: Dispatcher,
}

impl Task {
    /// Makes the task that changes a network, and sends over a bus.
    pub fn new(network: watch::Sender<Network>, bus: Arc<dyn Bus>, clock: Clock) -> Self {
        let waiting = HashMap::new();
        let dispatcher = Dispatcher { bus, waiting };
        Self {
            network,
            clock,
            dispatcher,
        }
    }

    /// Runs until the bus ends or nobody uses the gateways any more.
    pub async fn run(
        mut self,
        mut incoming: Receiver<Incoming>,
        mut commands: UnboundedReceiver<Command>,
    ) {
        let mut large: Option<Large> = None;
        loop {
            let due = self.network.borrow().due();
            let input = tokio::select! {
                biased;
                // Commands come first: a command is taken in before its effects can arrive.
                command = commands.recv() => command.map(Input::Command),
                input = next(&mut incoming, &mut large) => input,
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                    Some(Input::Due)
                }
            };
            let Some(input) = input else { return };
            self.take_all(input, &mut incoming, &mut commands, &mut large);
        }
    }

    /// Takes in an input and all others that are there; whoever waits is notified once for all of them.
    fn take_all(
        &mut self,
        first: Input,
        incoming: &mut Receiver<Incoming>,
        commands: &mut UnboundedReceiver<Command>,
        large: &mut Option<Large>,
    ) {
        let Self {
            network,
            clock,
            dispatcher,
        } = self;
        let now = || Moment {
            at: Instant::now(),
            time: clock(),
        };
        network.send_if_modified(|network| {
            let before = network.revision;
            let mut input = Some(first);
            let mut taken = 0;
            while let Some(next) = input.take() {
                if let Some(arriving) = dispatcher.take(network, next, now()) {
                    *large = Some(arriving);
                }
                taken += 1;
                if taken < BATCH {
                    let command = commands.try_recv().ok().map(Input::Command);
                    // Nothing that arrives overtakes a large message.
                    let arrived = large.is_none().then_some(&mut *incoming);
                    input = command.or_else(|| arrived?.try_recv().ok().map(Input::Arrived));
                }
            }
            network.act(now());
            dispatcher.send_asks(network);
            network.revision != before
        });
    }
}

/// Waits for the next input, and reads a large message as it comes. Safe to be cancelled.
async fn next(incoming: &mut Receiver<Incoming>, large: &mut Option<Large>) -> Option<Input> {
    while let Some(arriving) = large {
        match (arriving.message.parts.recv().await, &mut arriving.content) {
            (Some(part), Content::Nodes(_, reader)) => reader.feed(&part),
            (Some(part), Content::Bytes(bytes)) => bytes.extend_from_slice(&part),
            (None, _) => {
                if let Some(input) = large.take().and_then(Large::finish) {
                    return Some(input);
                }
            }
        }
    }
    incoming.recv().await.map(Input::Arrived)
}

impl Large {
    /// Begins to read a large message; returns `None` if its topic says enough, or nobody asked for it.
    fn begin(network: &mut Network, message: LargeMessage, now: Moment) -> Option<Self> {
        let rules = Arc::clone(&network.rules);
        let content = match route(&rules.prefix, &message.topic) {
            Route::Reply(name, "getNodes") if !message.retained => {
                network.find_session(name, false, now);
                // It may be the reply to another client: only its end tells.
                network.session(name).filter(|session| session.is_being_read())?;
                Content::Nodes(name.to_owned(), Box::default())
            }
            Route::Reply(..) | Route::Event(..) if message.length <= MAX_COLLECTED => {
                Content::Bytes(BytesMut::with_capacity(message.length))
            }
            _ => {
                network.take_message(&message.topic, &[], message.retained, now);
                return None;
            }
        };
        Some(Self { message, content })
    }

    /// Returns the message, once its parts have ended; `None` if they ended early.
    fn finish(self) -> Option<Input> {
        let LargeMessage {
            topic,
            retained,
            length,
            ..
        } = self.message;
        match self.content {
            Content::Nodes(name, reader) => Some(Input::Nodes(name, reader.finish()?)),
            Content::Bytes(bytes) => (bytes.len() == length).then(|| {
                Input::Arrived(Incoming::Message(Message {
                    topic,
                    payload: bytes.freeze(),
                    retained,
                }))
            }),
        }
    }
}

/// Sends requests, and hands replies over.
struct Dispatcher {
    bus: Arc<dyn Bus>,
    /// The calls that wait for replies.
    waiting: HashMap<(GatewayName, u64), oneshot::Sender<Result<Reply, NotSent>>>,
}

impl Dispatcher {
    /// Takes in one input. Returns a large message if one begins to arrive.
    fn take(&mut self, network: &mut Network, input: Input, now: Moment) -> Option<Large> {
        match input {
            Input::Command(Command::Change(change)) => {
                change(network, now);
                network.touch();
            }
            Input::Command(Command::Send(request)) => self.send(network, request),
            Input::Arrived(Incoming::Up) => {
                network.connect(now);
                self.subscribe(network);
            }
            Input::Arrived(Incoming::Down(outage)) => network.disconnect(outage),
            Input::Arrived(Incoming::Message(message)) => {
                // A large message that was collected, if any, has ended.
                network.end_large(now);
                let Message {
                    topic,
                    payload,
                    retained,
                } = message;
                if let Some(answer) = network.take_message(&topic, &payload, retained, now) {
                    self.hand_over(answer);
                }
            }
            Input::Arrived(Incoming::Large(message)) => {
                let large = Large::begin(network, message, now)?;
                network.begin_large(now);
                return Some(large);
            }
            Input::Nodes(name, reply) => {
                network.end_large(now);
                if let Some(at) = network.find_session(&name, false, now) {
                    network.take_nodes_reply(at, reply, now);
                }
            }
            // Calls wait for replies as usual, and report that none came.
            Input::Arrived(Incoming::Refused) | Input::Due => {}
        }
        None
    }

    /// Subscribes to everything under the prefix: the statuses first, because they must not wait behind
    /// thousands of retained values.
    fn subscribe(&self, network: &Network) {
        let prefix = &network.rules.prefix;
        let mut filters = ["_CLIENTS/+/status", "driver/status", "#"].into_iter();
        let subscribed =
            filters.try_for_each(|filter| self.bus.subscribe(&format!("{prefix}/{filter}")));
        if subscribed.is_err() {
            debug!("the bus shut before everything was subscribed");
        }
    }

    fn send(&mut self, network: &mut Network, request: Request) {
        let rules = Arc::clone(&network.rules);
        let topic = topics::request_topic(&rules.prefix, request.gateway.as_str(), request.api);
        let Some(session) = network.session_mut(request.gateway.as_str()) else {
            let _ = request.reply.send(Err(NotSent));
            return;
        };
        let number = session.next_request();
        let id = format!("{}{number}", rules.mark);
        if self.publish(topic, &request.args, &id).is_err() {
            let _ = request.reply.send(Err(NotSent));
            return;
        }
        (request.on_sent)(session, number);
        network.touch();
        self.waiting.retain(|_, waiting| !waiting.is_closed());
        self.waiting.insert((request.gateway, number), request.reply);
    }

    fn hand_over(&mut self, answer: Answer) {
        if let Some(waiting) = self.waiting.remove(&(answer.gateway, answer.number)) {
            // A call that gave up needs no reply.
            let _ = waiting.send(Ok(answer.reply));
        }
    }

    /// Sends the sessions' requests, and the probes.
    fn send_asks(&self, network: &mut Network) {
        let rules = Arc::clone(&network.rules);
        let ask = |gateway: &str, api: &str, id: &str| {
            let topic = topics::request_topic(&rules.prefix, gateway, api);
            if self.publish(topic, &json!([]), id).is_err() {
                debug!(gateway, api, "the bus shut before this was asked");
            }
        };
        for session in &mut network.sessions {
            for Ask { api, number } in session.asks.drain(..) {
                ask(
                    session.name.as_str(),
                    api,
                    &format!("{}{number}", rules.mark),
                );
            }
        }
        for name in network.probes.drain(..) {
            ask(&name, "getInfo", "");
        }
    }

    fn publish(&self, topic: String, args: &Json, id: &str) -> Result<(), NotSent> {
        let payload = json!({ "args": args, "requestId": id });
        self.bus.publish(Outgoing {
            topic,
            payload: payload.to_string().into_bytes(),
            retain: false,
            acknowledged: false,
        })
    }
}

//! The task that changes the network, and the only place that publishes and subscribes.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use tokio::sync::mpsc::{Receiver, UnboundedReceiver};
use tokio::sync::{broadcast, oneshot, watch};
use tokio::time::{Instant, sleep_until};
use tokio_util::bytes::{Bytes, BytesMut};
use tracing::debug;

use super::{Network, RequestKey};
use crate::gateway::Clock;
use crate::gateway::bus::{Bus, End, Incoming, LargeMessage, Message, NotSent, Outgoing};
use crate::gateway::protocol::nodes::{NodesReader, NodesReply};
use crate::gateway::protocol::payloads::Reply;
use crate::gateway::protocol::topics::{self, Route, route};
use crate::gateway::session::{Moment, Session, UnsentRequest};
use crate::home::model::ids::GatewayName;

/// The maximum number of inputs to process before the waiting calls are notified.
const MAX_INPUTS: usize = 256;

/// The maximum length of a large reply or event to collect, in bytes. A reply with nodes may be longer, because
/// it is read part by part. Of all other large messages, only the topic is used.
const MAX_COLLECTED: usize = 16 * 1024 * 1024;

/// Changes the network.
type Change = Box<dyn FnOnce(&mut Network, Moment) + Send>;

/// Changes a session after a request was sent, given the request's number.
type OnSent = Box<dyn FnOnce(&mut Session, u64) + Send>;

/// A command that a call gives to the task.
pub enum TaskCommand {
    /// Changes the network.
    Change(Change),
    /// Sends a request.
    Send(ApiRequest),
}

/// A request from a call.
pub struct ApiRequest {
    /// The gateway.
    pub gateway: GatewayName,
    /// The name of the API call.
    pub api: &'static str,
    /// The arguments.
    pub args: Json,
    /// Changes the session after the request was sent.
    pub on_sent: OnSent,
    /// Receives the reply, or the error that nothing was sent.
    pub reply: oneshot::Sender<Result<Reply, NotSent>>,
}

/// An input of the task.
enum Input {
    Command(TaskCommand),
    Arrived(Incoming),
    /// The name of a gateway, and its reply with nodes, or the reason why the reply can't be read.
    Nodes(String, Result<NodesReply, String>),
    /// A large message that ended early.
    Unreadable,
    /// Nothing arrived, but something is due.
    Due,
}

/// A large message that is arriving.
struct PartialMessage {
    message: LargeMessage,
    content: Content,
}

enum Content {
    /// The name of a gateway, and the reader of its nodes.
    Nodes(String, Box<NodesReader>),
    Bytes(BytesMut),
}

/// Changes the network, and sends over a bus, until the bus ends or the last handle to the gateways is dropped.
pub async fn run(
    network: watch::Sender<Network>,
    End { bus, mut incoming }: End,
    clock: Clock,
    answer_topic: Option<(String, broadcast::Sender<Bytes>)>,
    mut commands: UnboundedReceiver<TaskCommand>,
) {
    let mut dispatcher = Dispatcher {
        bus,
        answer_topic,
        waiting_calls: HashMap::new(),
    };
    let now = || Moment::now(&clock);
    let mut large: Option<PartialMessage> = None;
    loop {
        let due = network.borrow().due();
        let input = tokio::select! {
            biased;
            // Commands come first, so that a command is processed before its effects are reported.
            command = commands.recv() => command.map(Input::Command),
            input = receive(&mut incoming, &mut large) => input,
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                Some(Input::Due)
            }
        };
        let Some(first) = input else { return };
        // Processes the input and the others that are ready, and then notifies the waiting calls once.
        network.send_if_modified(|network| {
            let before = network.revision;
            network.note_time(now());
            let mut next_input = Some(first);
            let mut processed = 0;
            while let Some(input) = next_input.take() {
                if let Some(arriving) = dispatcher.process(network, input, now()) {
                    large = Some(arriving);
                }
                processed += 1;
                if processed < MAX_INPUTS {
                    next_input = commands.try_recv().ok().map(Input::Command);
                    // No later message may overtake a large message that is arriving.
                    if next_input.is_none() && large.is_none() {
                        next_input = incoming.try_recv().ok().map(Input::Arrived);
                    }
                }
            }
            network.process_due(now());
            dispatcher.send_pending(network);
            network.revision != before
        });
    }
}

/// Returns the next input from the bus. Reads a large message part by part. Cancel safe.
async fn receive(
    incoming: &mut Receiver<Incoming>,
    large: &mut Option<PartialMessage>,
) -> Option<Input> {
    while let Some(arriving) = large {
        match (arriving.message.parts.recv().await, &mut arriving.content) {
            (Some(part), Content::Nodes(_, reader)) => reader.feed(&part),
            (Some(part), Content::Bytes(bytes)) => bytes.extend_from_slice(&part),
            (None, _) => {
                if let Some(arrived) = large.take() {
                    return Some(arrived.finish());
                }
            }
        }
    }
    incoming.recv().await.map(Input::Arrived)
}

impl PartialMessage {
    /// Starts to read a large message. Returns `None` if only the topic is used, or if the message contains
    /// nodes that we did not request.
    fn begin(network: &mut Network, message: LargeMessage, now: Moment) -> Option<Self> {
        let rules = Arc::clone(&network.rules);
        let content = match route(&rules.prefix, &message.topic) {
            Route::Reply(name, "getNodes") if !message.retained => {
                network.note_sign_of_life(name, now);
                // The request's id comes at the end of a reply, so any reply may be the one we wait for.
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

    /// Turns the message into an input, after its last part.
    fn finish(self) -> Input {
        match self.content {
            Content::Nodes(name, reader) => Input::Nodes(name, reader.finish()),
            Content::Bytes(bytes) if bytes.len() == self.message.length => {
                Input::Arrived(Incoming::Message(Message {
                    topic: self.message.topic,
                    payload: bytes.freeze(),
                    retained: self.message.retained,
                }))
            }
            Content::Bytes(_) => Input::Unreadable,
        }
    }
}

/// Sends requests, and delivers replies to the calls that wait for them.
struct Dispatcher {
    bus: Arc<dyn Bus>,
    /// The topic of answers from people, and the sender of those that are not retained.
    answer_topic: Option<(String, broadcast::Sender<Bytes>)>,
    waiting_calls: HashMap<RequestKey, oneshot::Sender<Result<Reply, NotSent>>>,
}

impl Dispatcher {
    /// Processes one input. Returns a large message if one starts to arrive.
    fn process(
        &mut self,
        network: &mut Network,
        input: Input,
        now: Moment,
    ) -> Option<PartialMessage> {
        match input {
            Input::Command(TaskCommand::Change(change)) => {
                change(network, now);
                network.touch();
            }
            Input::Command(TaskCommand::Send(request)) => self.send(network, request),
            Input::Arrived(Incoming::Up) => {
                network.connect(now);
                self.subscribe(network);
            }
            Input::Arrived(Incoming::Down(outage)) => network.disconnect(outage),
            Input::Arrived(Incoming::Message(message)) => {
                // This may be a large message that has now been collected.
                network.end_large(now);
                let (topic, retained) = (&message.topic, message.retained);
                if let Some((_, answers)) = self.answer_topic.as_ref().filter(|to| to.0 == *topic) {
                    // A retained answer may be older than its question. Sending fails if nobody asks.
                    let _ = (!retained).then(|| answers.send(message.payload));
                    return None;
                }
                let payload = &message.payload;
                let (request, reply) = network.take_message(topic, payload, retained, now)?;
                let call = self.waiting_calls.remove(&request)?;
                // Fails only if the call gave up.
                let _ = call.send(Ok(reply));
            }
            Input::Arrived(Incoming::Large(message)) => {
                let large = PartialMessage::begin(network, message, now)?;
                network.begin_large(now);
                return Some(large);
            }
            Input::Nodes(name, reply) => {
                network.end_large(now);
                network.note_sign_of_life(&name, now);
                network.take_nodes_reply(&name, reply, now);
            }
            Input::Unreadable => network.end_large(now),
            // The messages of a refused subscription never arrive, so the calls that wait for them time out.
            Input::Arrived(Incoming::Refused) | Input::Due => {}
        }
        None
    }

    /// Subscribes to people's answers, and to everything under the prefix. The statuses come first, so that they do not
    /// wait behind thousands of retained values.
    fn subscribe(&self, network: &Network) {
        let prefix = &network.rules.prefix;
        let filters = ["_CLIENTS/+/status", "driver/status", "#"];
        let filters = filters.map(|filter| format!("{prefix}/{filter}"));
        let answers = self.answer_topic.iter().map(|(topic, _)| topic);
        if answers
            .chain(&filters)
            .try_for_each(|filter| self.bus.subscribe(filter))
            .is_err()
        {
            debug!("the bus closed before all subscriptions were made");
        }
    }

    fn send(&mut self, network: &mut Network, request: ApiRequest) {
        let rules = Arc::clone(&network.rules);
        let topic = topics::request_topic(&rules.prefix, request.gateway.as_str(), request.api);
        let Some(session) = network.session_mut(request.gateway.as_str()) else {
            let _ = request.reply.send(Err(NotSent));
            return;
        };
        let number = session.next_request_number();
        let id = format!("{}{number}", rules.id_prefix);
        if self.publish(topic, &request.args, &id).is_err() {
            let _ = request.reply.send(Err(NotSent));
            return;
        }
        (request.on_sent)(session, number);
        network.touch();
        self.waiting_calls.retain(|_, call| !call.is_closed());
        self.waiting_calls.insert((request.gateway, number), request.reply);
    }

    /// Sends the pending requests of the sessions, and the pending probes.
    fn send_pending(&self, network: &mut Network) {
        let rules = Arc::clone(&network.rules);
        let publish_request = |gateway: &str, api: &str, id: &str| {
            let topic = topics::request_topic(&rules.prefix, gateway, api);
            if self.publish(topic, &json!([]), id).is_err() {
                debug!(gateway, api, "the bus closed before this request was sent");
            }
        };
        for session in &mut network.sessions {
            for UnsentRequest { api, number } in session.unsent_requests.drain(..) {
                publish_request(
                    session.name.as_str(),
                    api,
                    &format!("{}{number}", rules.id_prefix),
                );
            }
        }
        for name in network.probes.drain(..) {
            publish_request(&name, "getInfo", "");
        }
    }

    fn publish(&self, topic: String, args: &Json, id: &str) -> Result<(), NotSent> {
        let payload = json!({ "args": args, "requestId": id });
        self.bus.publish(Outgoing::once(topic, &payload))
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/gateway/network/task.rs"]
mod tests;

//! `Network` holds everything known about the gateways. These tests pass messages and times to a network, and
//! check the readings, the requests and whether a call has to wait.

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::Instant;
use zwave_mcp_server::gateway::Rules;
use zwave_mcp_server::gateway::bus::{Down, Outage};
use zwave_mcp_server::gateway::network::Network;
use zwave_mcp_server::gateway::session::{Moment, SentQuery, Session};
use zwave_mcp_server::gateway::{Need, Trouble};
use zwave_mcp_server::home::fact::Fact;
use zwave_mcp_server::home::goal::Goal;
use zwave_mcp_server::home::intent::Intent;
use zwave_mcp_server::home::model::ids::{CommandClass, NodeId, Timestamp, ValueId};
use zwave_mcp_server::home::model::node::NodeStatus;
use zwave_mcp_server::home::model::snapshot::Snapshot;
use zwave_mcp_server::home::model::value::{Evidence, Reading};
use zwave_mcp_server::home::plan::{Plan, Step};
use zwave_mcp_server::home::planner::plan;
use zwave_mcp_server::home::state::state_of;

use crate::houses::{CAPTURED, captured, find_device, house_of};
use crate::nodes::Document;

const LAMP: NodeId = NodeId(3);
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);
const SECOND: Duration = Duration::from_secs(1);

/// A network and its clock.
struct TestNetwork {
    network: Network,
    start: Instant,
    elapsed: Duration,
}

impl TestNetwork {
    /// Creates a network that is connected to the broker and has received no message. The network serves only
    /// the named gateways, or all gateways if none is named.
    fn new(named: &[&str]) -> Self {
        let rules = Rules {
            prefix: "zwave".to_owned(),
            named: named.iter().map(|name| (*name).to_owned()).collect(),
            reply_timeout: REPLY_TIMEOUT,
            id_prefix: "ours-".to_owned(),
        };
        let (start, elapsed) = (Instant::now(), Duration::ZERO);
        let network = Network::new(rules, make_moment(start, elapsed));
        let mut net = Self {
            network,
            start,
            elapsed,
        };
        net.network.connect(net.now());
        net
    }

    /// Creates a network that has fetched the nodes of a gateway.
    fn with_nodes() -> Self {
        let mut net = Self::new(&["Mosquitto"]);
        net.answer_all();
        assert!(net.session().is_ready(Need::List, net.now().at));
        net
    }

    /// Creates a network that has fetched the nodes, received a first event and fetched the nodes again.
    fn with_events() -> Self {
        let mut net = Self::with_nodes();
        net.advance(SECOND * 5);
        net.receive_lamp_event(false);
        net.answer_all();
        net
    }

    /// Creates a network that has found a gateway by its reply and has fetched its nodes. The settings name no
    /// gateway.
    fn with_unnamed_gateway() -> Self {
        let mut net = Self::new(&[]);
        net.receive_info("Mosquitto");
        net.answer_all();
        net
    }

    fn now(&self) -> Moment {
        make_moment(self.start, self.elapsed)
    }

    /// Advances the clock by `time`. Stops on the way whenever something is due, and processes it.
    fn advance(&mut self, time: Duration) {
        let end = self.elapsed + time;
        while let Some(due) = self.network.due() {
            let due = due.saturating_duration_since(self.start);
            if due > end {
                break;
            }
            self.elapsed = self.elapsed.max(due);
            self.network.process_due(self.now());
            let next = self.network.due();
            assert!(
                next.is_none_or(|due| due > self.now().at),
                "something stays due"
            );
        }
        self.elapsed = end;
    }

    fn session(&self) -> &Session {
        self.network.session("Mosquitto").unwrap()
    }

    fn with_session(&mut self, change: impl FnOnce(&mut Session, Moment)) {
        let now = self.now();
        change(self.network.session_mut("Mosquitto").unwrap(), now);
    }

    fn want(&mut self, need: Need) {
        self.with_session(|session, now| session.want(need, now.at, now));
    }

    /// Receives a reply, whichever client's request it answers.
    fn receive_reply(&mut self, api: &str, payload: &Json) {
        let path = format!("_CLIENTS/ZWAVE_GATEWAY-Mosquitto/api/{api}");
        self.receive(&path, payload);
    }

    /// Receives a gateway's reply to `getInfo`. All gateways here have the same home id.
    fn receive_info(&mut self, name: &str) {
        let path = format!("_CLIENTS/ZWAVE_GATEWAY-{name}/api/getInfo");
        self.receive(
            &path,
            &json!({ "success": true, "result": { "homeid": 7 } }),
        );
    }

    /// Receives a reply to one of our requests.
    fn receive_reply_to(&mut self, api: &str, number: u64, result: &Json) {
        let origin = json!({ "requestId": format!("ours-{number}") });
        let reply = json!({ "success": true, "result": result, "origin": origin });
        self.receive_reply(api, &reply);
    }

    fn receive(&mut self, path: &str, payload: &Json) {
        self.receive_message(path, payload, false);
    }

    fn receive_message(&mut self, path: &str, payload: &Json, retained: bool) {
        let topic = format!("zwave/{path}");
        let payload = payload.to_string();
        let now = self.now();
        self.network.take_message(&topic, payload.as_bytes(), retained, now);
        self.network.process_due(now);
    }

    /// Receives an event with a new reading of the lamp.
    fn receive_lamp_event(&mut self, on: bool) {
        let node = json!({ "id": LAMP.0, "name": "Lamp", "location": "Living Room", "status": 4 });
        let change = json!({
            "commandClass": 37, "endpoint": 0, "property": "currentValue", "newValue": on,
        });
        let event = "_EVENTS/ZWAVE_GATEWAY-Mosquitto/node/node_value_updated";
        self.receive(event, &json!({ "data": [node, change] }));
    }

    /// Takes the requests that are due. Taken requests count as sent.
    fn take_requests(&mut self) -> Vec<(&'static str, u64)> {
        let now = self.now();
        self.network.process_due(now);
        let session = self.network.session_mut("Mosquitto").unwrap();
        session.unsent_requests.drain(..).map(|ask| (ask.api, ask.number)).collect()
    }

    fn take_apis(&mut self) -> Vec<&'static str> {
        self.take_requests().into_iter().map(|(api, _)| api).collect()
    }

    /// Answers all requests. The nodes are those of the captured house.
    fn answer_all(&mut self) {
        self.answer_except(&[]);
    }

    /// Answers all requests except those for the APIs in `left_out`.
    fn answer_except(&mut self, left_out: &[&str]) {
        let captured: Json = serde_json::from_str(CAPTURED).unwrap();
        self.answer_with(&captured["result"], left_out);
    }

    /// Answers all requests except those for the APIs in `left_out`, with these nodes.
    fn answer_with(&mut self, nodes: &Json, left_out: &[&str]) {
        for _ in 0..3 {
            for (api, number) in self.take_requests() {
                let result = match api {
                    _ if left_out.contains(&api) => continue,
                    "getNodes" => nodes.clone(),
                    "getInfo" => json!({ "homeid": 7 }),
                    _ => json!([]),
                };
                self.receive_reply_to(api, number, &result);
            }
        }
    }

    /// Returns the lamp's reading and its evidence.
    fn lamp(&self) -> (Option<Reading>, Evidence) {
        let value = self.session().node(LAMP).unwrap().value(&lamp_value_id()).unwrap();
        (value.reading.clone(), value.evidence)
    }

    fn trouble(&self) -> Option<Trouble> {
        self.session().trouble(self.now())
    }

    fn is_ready(&self, need: Need) -> bool {
        self.session().is_ready(need, self.now().at)
    }

    /// Returns true if a call that comes now has to wait.
    fn has_to_wait(&self, need: Need) -> bool {
        let (now, limit) = (self.now(), self.now().at + SECOND * 60);
        self.network.settle_deadline(need, now.at, limit, now).is_some()
    }
}

fn make_moment(start: Instant, after: Duration) -> Moment {
    Moment {
        at: start + after,
        time: Timestamp(1_800_000_000_000 + after.as_millis() as u64),
    }
}

fn lamp_value_id() -> ValueId {
    ValueId::new(CommandClass::BINARY_SWITCH, 0, "currentValue")
}

fn plan_lamp_on() -> Step {
    let house = captured();
    let lamp = find_device(&house, "Living Room Lamp");
    match plan(&house, lamp, &Intent::On(None)).unwrap().plan {
        Plan::Direct(step) => *step,
        plan => panic!("{plan:?}"),
    }
}

fn reading(on: bool) -> Option<Reading> {
    Some(Reading::Bool(on))
}

#[test]
fn nodes_are_fetched_after_connecting_to_the_broker_and_not_again_without_a_reason() {
    let mut net = TestNetwork::new(&["Mosquitto"]);
    assert!(net.has_to_wait(Need::List) && net.has_to_wait(Need::Control));
    // Fetching the nodes may take long. The reply to `getInfo` shows early whether the gateway is there.
    assert_eq!(net.take_apis(), ["getInfo", "getNodes"]);
    let mut net = TestNetwork::with_nodes();
    assert!(!net.has_to_wait(Need::List));
    assert_eq!(net.lamp(), (reading(false), Evidence::Reported));
    net.advance(SECOND * 3600);
    // No call came, and nothing changed. Only the home id is asked for, every ten minutes.
    assert_eq!(net.take_apis(), ["getInfo"; 5]);
}

#[test]
fn without_events_a_command_waits_for_a_new_fetch_but_a_list_accepts_a_recent_fetch() {
    let mut net = TestNetwork::with_nodes();
    net.advance(Duration::from_millis(1));
    assert!(!net.is_ready(Need::Control) && net.is_ready(Need::List));
    net.advance(SECOND * 9);
    net.want(Need::List);
    // The nodes are recent enough for a list; the scenes and groups are not. The reply to `getInfo` shows early whether
    // the gateway is there.
    assert_eq!(net.take_apis(), ["getInfo", "_getScenes", "_getGroups"]);
    // A message on a value's topic shows that something changed, but not what.
    let topic = "Living_Room/Lamp/37/0/currentValue";
    net.receive(topic, &json!({ "value": true }));
    assert!(!net.is_ready(Need::List));
    assert_eq!(net.lamp(), (reading(false), Evidence::Reported));
    let called_at = net.now().at;
    net.want(Need::Control);
    assert!(net.has_to_wait(Need::Control));
    net.answer_all();
    assert!(net.session().is_ready(Need::Control, called_at));
    assert!(!net.session().is_ready(Need::Control, called_at + SECOND));
}

#[test]
fn a_command_during_a_fetch_waits_for_the_next_fetch() {
    let mut net = TestNetwork::with_nodes();
    net.advance(SECOND);
    net.want(Need::Control);
    let first = net.take_requests();
    assert_eq!(first.len(), 1);
    net.advance(SECOND / 10);
    let called_at = net.now().at;
    net.want(Need::Control);
    assert_eq!(net.take_requests(), [], "one fetch at a time");
    let captured: Json = serde_json::from_str(CAPTURED).unwrap();
    net.receive_reply_to("getNodes", first[0].1, &captured["result"]);
    assert!(!net.session().is_ready(Need::Control, called_at));
    net.answer_all();
    assert!(net.session().is_ready(Need::Control, called_at));
}

#[test]
fn with_events_a_fetch_after_the_first_event_stays_current() {
    let mut net = TestNetwork::with_events();
    net.advance(SECOND * 300);
    assert!(net.is_ready(Need::Control) && !net.is_ready(Need::Miss));
    net.receive_lamp_event(true);
    assert_eq!(net.lamp(), (reading(true), Evidence::Reported));
    assert!(net.take_apis().is_empty(), "the event contains the reading");
    // After ten minutes the nodes are fetched again, but no call waits for the fetch.
    net.advance(SECOND * 600);
    assert!(net.is_ready(Need::Control));
    net.want(Need::Control);
    assert_eq!(net.take_apis(), ["getInfo", "getNodes"]);
}

#[test]
fn a_postponed_fetch_for_subscribers_does_not_stay_due() {
    let mut net = TestNetwork::with_events();
    net.network.follow(true);
    let event = "_EVENTS/ZWAVE_GATEWAY-Mosquitto/node/node_metadata_updated";
    // The fetches after these events show no change, so later fetches are postponed further and further.
    for _ in 0..40 {
        net.receive(event, &json!({ "data": [] }));
        // `advance` asserts that nothing stays due.
        net.advance(SECOND);
        net.answer_all();
    }
}

#[test]
fn after_a_restart_the_nodes_are_fetched_again_and_old_readings_count_as_last_known() {
    let mut net = TestNetwork::with_events();
    net.receive_lamp_event(true);
    net.advance(SECOND);
    let life = net.session().life;
    net.receive("driver/status", &json!(false));
    let trouble = net.trouble();
    assert!(matches!(trouble, Some(Trouble::DriverNotReady { .. })));
    assert!(!net.has_to_wait(Need::Control));
    net.receive("driver/status", &json!(true));
    assert_ne!(net.session().life, life);
    assert_eq!(net.lamp(), (reading(true), Evidence::LastKnown));
    assert!(!net.is_ready(Need::Control));
    // These nodes come from the gateway's cache, in which the lamp is off. The cache proves nothing.
    net.advance(SECOND);
    net.answer_all();
    assert_eq!(net.lamp(), (reading(true), Evidence::LastKnown));
    net.receive_lamp_event(false);
    assert_eq!(net.lamp(), (reading(false), Evidence::Reported));
}

#[test]
fn a_request_that_was_unanswered_when_the_connection_broke_is_sent_again_after_reconnecting() {
    let mut net = TestNetwork::with_nodes();
    net.advance(SECOND);
    net.want(Need::Control);
    assert_eq!(net.take_apis(), ["getNodes"]);
    net.network.disconnect(Outage {
        address: "here".to_owned(),
        reason: Down::NotGreeted,
    });
    assert_eq!(net.network.due(), None);
    assert!(!net.has_to_wait(Need::Control) && !net.is_ready(Need::Known));
    net.elapsed += SECOND * 60;
    net.network.connect(net.now());
    net.advance(Duration::ZERO);
    assert!(net.take_apis().contains(&"getNodes"));
}

#[test]
fn a_gateway_that_answers_nothing_is_silent_until_it_sends_something() {
    let mut net = TestNetwork::with_nodes();
    net.advance(SECOND);
    net.want(Need::Control);
    assert_eq!(net.take_apis(), ["getNodes"]);
    net.advance(REPLY_TIMEOUT);
    assert_eq!(net.take_apis(), ["getInfo"], "the gateway may just be slow");
    assert_eq!(net.trouble(), None);
    net.advance(SECOND);
    assert!(matches!(net.trouble(), Some(Trouble::GatewaySilent { .. })));
    assert!(!net.has_to_wait(Need::Control));
    // The next call asks the gateway again, and waits a second for an answer.
    net.take_requests();
    net.want(Need::Control);
    assert!(net.has_to_wait(Need::Control));
    net.advance(SECOND);
    assert!(!net.has_to_wait(Need::Control));
    net.receive_reply("getInfo", &json!({}));
    assert_eq!(net.trouble(), None);
    net.advance(SECOND);
    assert!(net.take_apis().contains(&"getNodes"));
}

#[test]
fn deadlines_are_extended_by_the_time_that_a_large_message_takes() {
    let mut net = TestNetwork::with_nodes();
    net.advance(SECOND);
    net.with_session(|session, now| session.probe_after_timeout(now.at, session.life, now));
    net.advance(SECOND / 2);
    let now = net.now();
    net.network.begin_large(now);
    net.advance(SECOND * 5);
    assert_eq!(net.trouble(), None, "the answer may come later");
    let now = net.now();
    net.network.end_large(now);
    net.advance(SECOND / 4);
    assert_eq!(net.trouble(), None);
    net.advance(SECOND / 2);
    assert!(matches!(net.trouble(), Some(Trouble::GatewaySilent { .. })));
}

#[test]
fn a_list_after_ten_minutes_waits_for_the_scenes_but_not_for_the_nodes() {
    let mut net = TestNetwork::with_events();
    net.advance(SECOND * 700);
    assert!(net.has_to_wait(Need::List));
    net.want(Need::List);
    net.answer_except(&["getNodes"]);
    assert!(!net.has_to_wait(Need::List));
}

#[test]
fn a_gateway_whose_first_fetch_is_under_way_is_not_taken_for_a_renamed_one() {
    let mut net = TestNetwork::new(&[]);
    net.receive_info("Mosquitto");
    assert!(net.take_apis().contains(&"getNodes"));
    net.receive_info("Copy");
    net.advance(SECOND * 3);
    let is_there = |net: &TestNetwork| net.network.session("Mosquitto").is_some();
    assert!(
        is_there(&net),
        "the reply to `getInfo` may have to wait behind the nodes"
    );
    net.advance(SECOND * 90);
    assert!(
        !is_there(&net),
        "neither the nodes nor the reply to `getInfo` came"
    );
}

#[test]
fn a_silent_gateway_is_dropped_if_its_home_id_is_seen_under_another_name() {
    let mut net = TestNetwork::with_unnamed_gateway();
    net.advance(SECOND * 20);
    net.want(Need::Control);
    assert_eq!(net.take_apis(), ["getNodes"]);
    net.receive_info("New");
    net.advance(SECOND);
    assert!(net.network.session("Mosquitto").is_none());
}

#[test]
fn a_gateway_that_is_renamed_while_it_is_probed_is_dropped_too() {
    let mut net = TestNetwork::with_unnamed_gateway();
    net.advance(SECOND * 20);
    net.with_session(|session, now| {
        session.probe_after_timeout(now.at, session.life, now);
    });
    assert_eq!(net.take_apis(), ["getInfo"]);
    net.receive_info("New");
    net.advance(SECOND * 2);
    assert!(net.network.session("Mosquitto").is_none());
}

#[test]
fn a_dropped_gateway_that_comes_back_gets_only_new_request_numbers() {
    let mut net = TestNetwork::with_unnamed_gateway();
    let next_number =
        |net: &mut TestNetwork| net.network.session_mut("Mosquitto").unwrap().next_request_number();
    let last_number = next_number(&mut net);
    net.advance(SECOND * 20);
    net.want(Need::Control);
    net.receive_info("New");
    net.advance(SECOND);
    assert!(net.network.session("Mosquitto").is_none());
    net.receive_info("Mosquitto");
    let number = next_number(&mut net);
    assert!(number > last_number, "{number} after {last_number}");
}

#[test]
fn a_gateway_that_answers_but_sends_no_nodes_counts_as_unread_and_not_as_silent() {
    let mut net = TestNetwork::with_nodes();
    net.advance(SECOND);
    net.want(Need::Control);
    net.answer_except(&["getNodes"]);
    net.advance(REPLY_TIMEOUT);
    net.answer_except(&["getNodes"]);
    net.advance(SECOND);
    assert!(matches!(net.trouble(), Some(Trouble::NodesUnread { .. })));
    assert!(net.session().is_reachable());
    assert!(!net.is_ready(Need::Control));
}

#[test]
fn a_reading_after_an_unproven_write_is_a_guess_until_the_device_answers() {
    let mut net = TestNetwork::with_events();
    let (step, sent_at) = (plan_lamp_on(), net.now().at);
    assert_eq!(step.goal, Goal::On);
    net.with_session(|session, _| session.mark_unproven(&step, sent_at));
    net.receive_lamp_event(true);
    assert_eq!(net.lamp(), (reading(true), Evidence::Guessed));
    net.advance(SECOND);
    let query = |sent| SentQuery {
        node: LAMP,
        state: lamp_value_id(),
        sent,
    };
    net.with_session(|session, now| {
        // An answer to a question that was asked before the write proves nothing.
        session.take_answer(&query(sent_at - SECOND), Reading::Bool(false), now);
    });
    assert_eq!(net.lamp(), (reading(true), Evidence::Guessed));
    net.with_session(|session, now| {
        session.take_answer(&query(now.at), Reading::Bool(true), now);
    });
    assert_eq!(net.lamp(), (reading(true), Evidence::Reported));
}

#[test]
fn a_proof_takes_effect_at_once_and_nodes_that_were_requested_earlier_do_not_undo_it() {
    let mut net = TestNetwork::with_nodes();
    net.advance(SECOND);
    net.want(Need::Control);
    net.network.process_due(net.now());
    let step = plan_lamp_on();
    net.elapsed += Duration::from_millis(1);
    net.with_session(|session, now| {
        session.mark_unproven(&step, now.at);
        session.mark_written(LAMP, now);
        session.mark_proven(&step, now.at, now);
    });
    assert_eq!(net.lamp(), (reading(true), Evidence::Reported));
    assert!(!net.session().is_read(LAMP));
    // These nodes were requested before the proof, and show the lamp as off.
    net.answer_all();
    assert_eq!(net.lamp(), (reading(true), Evidence::Reported));
}

#[test]
fn the_version_of_a_node_changes_with_each_visible_change_and_with_nothing_else() {
    let mut net = TestNetwork::with_events();
    let version = |net: &TestNetwork, node: u16| {
        let node = net.session().node(NodeId(node)).unwrap();
        node.last_change(&[0, 1, 2])
    };
    let (lamp_version, corner_lamp_version) = (version(&net, 3), version(&net, 4));
    net.receive_lamp_event(false);
    assert_eq!(
        version(&net, 3),
        lamp_version,
        "an event with the same reading"
    );
    net.receive_lamp_event(true);
    assert_ne!(version(&net, 3), lamp_version);
    assert_eq!(version(&net, 4), corner_lamp_version);
    let lamp_version = version(&net, 3);
    net.receive_lamp_event(false);
    assert!(version(&net, 3) > lamp_version, "changing back is a change");
    let (lamp_version, changes) = (version(&net, 3), net.session().change_count);
    net.want(Need::Miss);
    net.answer_all();
    assert_eq!(
        version(&net, 3),
        lamp_version,
        "nodes with the same readings"
    );
    assert_eq!(net.session().change_count, changes);
}

#[test]
fn an_event_updates_the_name_the_room_and_the_status_of_its_node() {
    let mut net = TestNetwork::with_events();
    let version = net.session().device_version;
    let node = json!({ "id": LAMP.0, "name": "Reading Light", "location": "Office", "status": 3 });
    let event = "_EVENTS/ZWAVE_GATEWAY-Mosquitto/node/node_dead";
    net.receive(event, &json!({ "data": [node] }));
    let node = net.session().node(LAMP).unwrap();
    assert_eq!((&*node.name, &*node.room), ("Reading Light", "Office"));
    assert_eq!(node.status, NodeStatus::Dead);
    assert_ne!(net.session().device_version, version);
}

#[test]
fn a_gateway_known_from_a_retained_status_is_probed_and_stays_unconfirmed_without_a_reply() {
    let mut net = TestNetwork::new(&[]);
    let status = json!({ "value": true });
    net.receive_message("_CLIENTS/ZWAVE_GATEWAY-Old/status", &status, true);
    assert!(net.network.sessions.is_empty());
    assert_eq!(net.network.probes, ["Old"]);
    assert!(net.has_to_wait(Need::List), "the gateway may answer");
    net.receive_reply("getInfo", &json!({}));
    assert_eq!(net.network.sessions.len(), 1);
    net.answer_all();
    net.advance(SECOND);
    assert!(!net.has_to_wait(Need::List));
    assert_eq!(net.network.unconfirmed.names(), [("Old".to_owned(), true)]);
}

#[test]
fn a_second_reply_shows_that_a_request_was_executed_twice_unless_the_request_is_not_ours() {
    let mut net = TestNetwork::with_nodes();
    for origin in [json!({ "args": [] }), json!({ "requestId": "theirs-1" })] {
        for _ in 0..2 {
            net.receive_reply("getInfo", &json!({ "success": true, "origin": origin }));
        }
    }
    assert!(!net.session().executes_twice);
    net.advance(SECOND);
    net.with_session(|session, now| session.want_scenes(now.at, Duration::ZERO));
    let requests = net.take_requests();
    for expected in [false, true] {
        let (api, number) = requests[0];
        net.receive_reply_to(api, number, &json!([]));
        assert_eq!(net.session().executes_twice, expected);
    }
}

#[test]
fn a_later_write_by_another_client_replaces_ours_unless_it_writes_the_same() {
    let mut net = TestNetwork::with_nodes();
    let (step, sent_at) = (plan_lamp_on(), net.now().at);
    let write = step.write.clone();
    net.with_session(|session, _| session.note_write(LAMP, &write, None, sent_at));
    let rewrite = |net: &TestNetwork| net.session().is_rewritten(LAMP, &step.write, sent_at);
    assert_eq!(rewrite(&net), None);
    net.advance(SECOND / 10);
    let id = json!({ "nodeId": 3, "commandClass": 37, "endpoint": 0, "property": "targetValue" });
    let request = "_CLIENTS/ZWAVE_GATEWAY-Mosquitto/api/writeValue/set";
    let ours = json!({ "args": [id, true], "requestId": "ours-9" });
    net.receive(request, &ours);
    assert_eq!(rewrite(&net), None, "our write");
    net.receive(request, &json!({ "args": [id, true] }));
    assert_eq!(rewrite(&net), Some(true));
    net.receive(request, &json!({ "args": [id, false] }));
    assert_eq!(rewrite(&net), Some(false));
    net.receive(request, &ours);
    assert_eq!(rewrite(&net), None, "the broker passes ours on as the last");
    net.receive(
        &request.replace("/set", ""),
        &json!({ "args": [id, false], "result": { "status": 255 } }),
    );
    assert_eq!(rewrite(&net), None, "a reply is no write");
    let failed = json!({ "success": false, "args": [id, false] });
    net.receive(&request.replace("/set", ""), &failed);
    assert_eq!(rewrite(&net), None, "nor is one that tells of an error");
}

#[test]
fn scenes_and_groups_over_the_bounds_are_left_out_and_counted() {
    let mut net = TestNetwork::with_nodes();
    net.advance(SECOND * 3);
    net.with_session(|session, now| session.want_scenes(now.at, Duration::ZERO));
    let write = json!({
        "nodeId": 3, "commandClass": 37, "endpoint": 0, "property": "targetValue", "value": true,
    });
    let scene = |id: u32, writes: usize| json!({ "sceneid": id, "label": format!("Scene {id}"), "values": vec![write.clone(); writes] });
    let mut scenes: Vec<Json> = (1..=1998).map(|id| scene(id, 1)).collect();
    scenes.push(scene(1999, 1002));
    let group = |id: u16, members: u16| {
        let members: Vec<u16> = (2..2 + members).collect();
        json!({ "id": id, "name": format!("Group {id}"), "nodeIds": members })
    };
    let groups = json!([
        group(4096, 1001),
        group(4097, 1000),
        group(4098, 2),
        group(4099, 2)
    ]);
    for (api, number) in net.take_requests() {
        let result = if api == "_getGroups" {
            groups.clone()
        } else {
            json!(scenes)
        };
        net.receive_reply_to(api, number, &result);
    }
    let snapshot = &net.session().snapshot;
    assert_eq!(snapshot.scenes.len(), 1999);
    assert_eq!(snapshot.groups.keys().collect::<Vec<_>>(), [&NodeId(4097)]);
    assert_eq!(net.session().view(net.now()).left_out, 3);
    // The guard must not overlook what a scene writes beyond the bound, so that counts as a lock.
    let (_, last) = snapshot.scenes.values().last().unwrap().writes.last().unwrap();
    assert_eq!(last.target.class, CommandClass::DOOR_LOCK);
    assert_eq!(snapshot.scenes.values().next().unwrap().writes[0].0, LAMP);
}

/// Fetches two door sensors that were last reported `ages` before a gateway's clock, which is `behind` ours, and
/// returns how long ago, by our clock, they were last reported.
fn report_ages(net: &mut TestNetwork, ages: [i64; 2], behind: i64) -> [i64; 2] {
    let now = net.now().time.0.cast_signed();
    let value =
        |age: i64| json!({ "type": "boolean", "value": true, "lastUpdate": now - behind - age });
    let nodes: Vec<Json> = [(2, ages[0]), (3, ages[1])]
        .map(|(id, age)| {
            let window = Document::new("Window", 7, 1).value("48-0-Door/Window", value(age));
            window.field("id", json!(id)).json()
        })
        .into();
    net.answer_with(&json!(nodes), &[]);
    [2, 3].map(|id| {
        let (_, at) = net.session().node(NodeId(id)).unwrap().last_reports[0];
        now - at.0.cast_signed()
    })
}

#[test]
fn the_age_of_a_last_report_is_a_difference_on_the_gateway_s_clock() {
    const MINUTE: i64 = 60_000;
    const DAY: i64 = 24 * 60 * MINUTE;
    for (behind, ages, expected) in [
        // The clocks agree, however quiet the house was for a night.
        (0, [MINUTE, 20 * MINUTE], [MINUTE, 20 * MINUTE]),
        (
            0,
            [300 * MINUTE, 320 * MINUTE],
            [300 * MINUTE, 320 * MINUTE],
        ),
        // The gateway's clock is wrong, so its latest time stands for now.
        (3 * DAY, [0, 20 * MINUTE], [0, 20 * MINUTE]),
        (-3 * DAY, [0, 20 * MINUTE], [0, 20 * MINUTE]),
    ] {
        let mut net = TestNetwork::new(&["Mosquitto"]);
        assert_eq!(report_ages(&mut net, ages, behind), expected, "{behind}");
    }
}

#[test]
fn a_node_s_silence_is_a_difference_on_the_clock_by_which_the_controller_measures() {
    const DAY: i64 = 24 * 3_600_000;
    let mut net = TestNetwork::new(&["Mosquitto"]);
    let now = net.now().time.0.cast_signed();
    for behind in [0, 3 * DAY, -3 * DAY] {
        let node = |id: u16, silence: i64| {
            let sensor = Document::new("Sensor", 7, 1).field("id", json!(id));
            sensor.field("lastActive", json!(now - behind - silence)).json()
        };
        let measured = json!({ "backgroundRSSI": { "timestamp": now - behind - 20_000 } });
        let stick = Document::new("", 2, 1).field("id", json!(1)).field("statistics", measured);
        net.want(Need::Miss);
        net.answer_with(&json!([stick.json(), node(2, 1000), node(3, 2 * DAY)]), &[]);
        let silence = |id| {
            let at = net.session().node(NodeId(id)).unwrap().last_active.unwrap();
            now - at.0.cast_signed()
        };
        assert!(
            (0..=22_000).contains(&silence(2)),
            "{behind}: {}",
            silence(2)
        );
        assert!(
            (silence(3) - 2 * DAY).abs() <= 22_000,
            "{behind}: {}",
            silence(3)
        );
        net = TestNetwork::new(&["Mosquitto"]);
    }
}

#[test]
fn a_node_whose_event_we_have_received_was_heard_from_then_whatever_the_gateway_s_clock_says() {
    let mut net = TestNetwork::with_events();
    net.advance(SECOND);
    net.receive_lamp_event(true);
    let heard = net.session().node(LAMP).unwrap().last_active;
    assert_eq!(heard, Some(net.now().time));
    net.advance(SECOND);
    net.want(Need::Miss);
    net.answer_all();
    assert_eq!(net.session().node(LAMP).unwrap().last_active, heard);
}

#[test]
fn an_event_of_a_door_is_its_last_report() {
    let mut net = TestNetwork::new(&["Mosquitto"]);
    report_ages(&mut net, [3_600_000, 60_000], 0);
    let node = json!({ "id": 2, "name": "Window", "location": "Home", "status": 4 });
    let change = json!({
        "commandClass": 48, "endpoint": 0, "property": "Door/Window", "newValue": true,
    });
    let event = "_EVENTS/ZWAVE_GATEWAY-Mosquitto/node/node_value_updated";
    net.receive(event, &json!({ "data": [node, change] }));
    let (_, at) = net.session().node(NodeId(2)).unwrap().last_reports[0];
    assert_eq!(at, net.now().time);
}

#[test]
fn a_lock_has_a_door_once_it_was_seen_closed() {
    let mut net = TestNetwork::new(&["Mosquitto"]);
    let has_open_door = |net: &TestNetwork| {
        let snapshot = &net.session().snapshot;
        let house = house_of(vec![Snapshot::clone(snapshot)]);
        let device = &house.devices()[0];
        let facts = state_of(device, house.node_of(&device.id).unwrap()).facts;
        facts.contains(&Fact::DoorOpen(true))
    };
    let fetch = |net: &mut TestNetwork, door: &str| {
        let status = json!({ "type": "any", "value": door });
        let lock = Document::new("Porch", 64, 3).value("98-0-doorStatus", status);
        let lock = lock.states("98-0-currentMode", false, json!([[255, "Secured"]]), 255).json();
        net.want(Need::Control);
        net.answer_with(&json!([lock]), &[]);
        net.advance(SECOND * 10);
    };
    fetch(&mut net, "open");
    assert!(!has_open_door(&net));
    fetch(&mut net, "closed");
    fetch(&mut net, "open");
    assert!(has_open_door(&net));
}

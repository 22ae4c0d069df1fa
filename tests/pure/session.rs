//! All that is known of the gateways is one value. A message goes in, and what is known, what is asked and
//! whether a call waits come out; there is no clock but the one that is handed in.

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::Instant;
use zwave_mcp_server::gateway::bus::{Down, Outage};
use zwave_mcp_server::gateway::network::{Network, Rules};
use zwave_mcp_server::gateway::session::{Moment, Session};
use zwave_mcp_server::gateway::{Need, Trouble};
use zwave_mcp_server::home::goal::Goal;
use zwave_mcp_server::home::intent::Intent;
use zwave_mcp_server::home::model::ids::{CommandClass, NodeId, Timestamp, ValueId};
use zwave_mcp_server::home::model::node::NodeStatus;
use zwave_mcp_server::home::model::value::{Evidence, Reading};
use zwave_mcp_server::home::plan::{Plan, Step};
use zwave_mcp_server::home::planner::plan;

use crate::houses::{CAPTURED, captured, device};

const LAMP: NodeId = NodeId(3);
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);
const SECOND: Duration = Duration::from_secs(1);

/// A network, the time, and what it had asked so far.
struct Known {
    network: Network,
    start: Instant,
    after: Duration,
}

impl Known {
    /// Nothing is known, and the broker is connected.
    fn new(named: &[&str]) -> Self {
        let rules = Rules {
            prefix: "zwave".to_owned(),
            named: named.iter().map(|name| (*name).to_owned()).collect(),
            reply_timeout: REPLY_TIMEOUT,
            mark: "ours-".to_owned(),
        };
        let start = Instant::now();
        let mut known = Self {
            network: Network::new(rules, moment(start, Duration::ZERO)),
            start,
            after: Duration::ZERO,
        };
        known.network.connect(known.now());
        known
    }

    /// A gateway whose nodes were read.
    fn read() -> Self {
        let mut known = Self::new(&["Mosquitto"]);
        known.answer_all();
        assert!(known.session().is_ready(Need::List, known.now().at));
        known
    }

    /// A gateway with events, whose nodes were read after the first of them.
    fn with_events() -> Self {
        let mut known = Self::read();
        known.pass(SECOND * 5);
        known.event(false);
        known.answer_all();
        known
    }

    fn now(&self) -> Moment {
        moment(self.start, self.after)
    }

    /// Lets time pass; what becomes due meanwhile is done when it is.
    fn pass(&mut self, time: Duration) {
        let end = self.after + time;
        while let Some(due) = self.network.due() {
            let due = due.saturating_duration_since(self.start);
            if due > end {
                break;
            }
            self.after = self.after.max(due);
            self.network.act(self.now());
            let next = self.network.due();
            assert!(next.is_none_or(|due| due > self.now().at), "it stays due");
        }
        self.after = end;
    }

    fn session(&self) -> &Session {
        self.network.session("Mosquitto").unwrap()
    }

    fn change(&mut self, change: impl FnOnce(&mut Session, Moment)) {
        let now = self.now();
        change(self.network.session_mut("Mosquitto").unwrap(), now);
    }

    fn want(&mut self, need: Need) {
        self.change(|session, now| session.want(need, now.at, now));
    }

    /// The gateway replies to whoever asked.
    fn reply(&mut self, api: &str, payload: &Json) {
        let path = format!("_CLIENTS/ZWAVE_GATEWAY-Mosquitto/api/{api}");
        self.message(&path, payload, false);
    }

    /// The gateway replies to a request of ours.
    fn reply_to(&mut self, api: &str, number: u64, result: &Json) {
        let origin = json!({ "requestId": format!("ours-{number}") });
        self.reply(
            api,
            &json!({ "success": true, "result": result, "origin": origin }),
        );
    }

    fn message(&mut self, path: &str, payload: &Json, retained: bool) {
        let topic = format!("zwave/{path}");
        let payload = payload.to_string();
        let now = self.now();
        self.network.take_message(&topic, payload.as_bytes(), retained, now);
        self.network.act(now);
    }

    /// An event that tells what the lamp reads.
    fn event(&mut self, on: bool) {
        let node = json!({ "id": LAMP.0, "name": "Lamp", "location": "Living Room", "status": 4 });
        let change = json!({
            "commandClass": 37, "endpoint": 0, "property": "currentValue", "newValue": on,
        });
        let event = "_EVENTS/ZWAVE_GATEWAY-Mosquitto/node/node_value_updated";
        self.message(event, &json!({ "data": [node, change] }), false);
    }

    /// Takes the requests that are to be sent, which count as sent then.
    fn asked(&mut self) -> Vec<(&'static str, u64)> {
        let now = self.now();
        self.network.act(now);
        let session = self.network.session_mut("Mosquitto").unwrap();
        session.asks.drain(..).map(|ask| (ask.api, ask.number)).collect()
    }

    fn apis(&mut self) -> Vec<&'static str> {
        self.asked().into_iter().map(|(api, _)| api).collect()
    }

    /// Answers all that is asked, as a house of which nothing changed.
    fn answer_all(&mut self) {
        self.answer(&[]);
    }

    /// Answers what is asked, but for these.
    fn answer(&mut self, left_out: &[&str]) {
        let captured: Json = serde_json::from_str(CAPTURED).unwrap();
        for _ in 0..3 {
            for (api, number) in self.asked() {
                let result = match api {
                    _ if left_out.contains(&api) => continue,
                    "getNodes" => captured["result"].clone(),
                    "getInfo" => json!({ "homeid": 7 }),
                    _ => json!([]),
                };
                self.reply_to(api, number, &result);
            }
        }
    }

    fn lamp(&self) -> (Option<Reading>, Evidence) {
        let value = self.session().node(LAMP).unwrap().value(&lamp_state()).unwrap();
        (value.reading.clone(), value.evidence)
    }

    fn trouble(&self) -> Option<Trouble> {
        self.session().trouble(self.now())
    }

    fn is_ready(&self, need: Need) -> bool {
        self.session().is_ready(need, self.now().at)
    }

    /// Returns true if a call that comes now has to wait.
    fn waits(&self, need: Need) -> bool {
        let (now, limit) = (self.now(), self.now().at + SECOND * 60);
        self.network.wait_until(need, now.at, limit, now).is_some()
    }
}

fn moment(start: Instant, after: Duration) -> Moment {
    Moment {
        at: start + after,
        time: Timestamp(1_800_000_000_000 + after.as_millis() as u64),
    }
}

fn lamp_state() -> ValueId {
    ValueId::new(CommandClass::BINARY_SWITCH, 0, "currentValue")
}

/// The write that switches the lamp on.
fn step() -> Step {
    let house = captured();
    let planned = plan(
        &house,
        device(&house, "Living Room Lamp"),
        &Intent::On(None),
    )
    .unwrap();
    match planned.plan {
        Plan::Direct(step) => *step,
        plan => panic!("{plan:?}"),
    }
}

fn on(on: bool) -> Option<Reading> {
    Some(Reading::Bool(on))
}

#[test]
fn a_gateway_is_read_when_the_broker_connects_and_its_scenes_follow() {
    let mut known = Known::new(&["Mosquitto"]);
    assert!(known.waits(Need::List) && known.waits(Need::Control));
    // The first reading may take long: whether the gateway is there is asked before.
    let asked = known.asked();
    let apis: Vec<_> = asked.iter().map(|(api, _)| *api).collect();
    assert_eq!(apis, ["getInfo", "getNodes"]);
    let mut known = Known::read();
    assert!(!known.waits(Need::List));
    assert_eq!(known.lamp(), (on(false), Evidence::Reported));
    known.pass(SECOND * 3600);
    assert_eq!(
        known.apis(),
        Vec::<&str>::new(),
        "nobody asks, nothing changes"
    );
}

#[test]
fn without_events_a_control_has_the_nodes_read_and_a_list_goes_by_ten_seconds() {
    let mut known = Known::read();
    known.pass(Duration::from_millis(1));
    assert!(!known.is_ready(Need::Control) && known.is_ready(Need::List));
    known.pass(SECOND * 9);
    known.want(Need::List);
    assert_eq!(
        known.apis(),
        ["_getScenes", "_getGroups"],
        "nodes are new enough"
    );
    // A topic tells that something changed, and not what.
    known.message(
        "Living_Room/Lamp/37/0/currentValue",
        &json!({ "value": true }),
        false,
    );
    assert!(!known.is_ready(Need::List));
    assert_eq!(known.lamp(), (on(false), Evidence::Reported));
    let asked = known.now().at;
    known.want(Need::Control);
    assert!(known.waits(Need::Control));
    known.answer_all();
    assert!(known.session().is_ready(Need::Control, asked));
    assert!(!known.session().is_ready(Need::Control, asked + SECOND));
}

#[test]
fn a_control_that_comes_while_the_nodes_are_read_has_them_read_once_more() {
    let mut known = Known::read();
    known.pass(SECOND);
    known.want(Need::Control);
    let first = known.asked();
    assert_eq!(first.len(), 1);
    known.pass(SECOND / 10);
    let asked = known.now().at;
    known.want(Need::Control);
    assert_eq!(known.asked(), [], "one reading at a time");
    let captured: Json = serde_json::from_str(CAPTURED).unwrap();
    known.reply_to("getNodes", first[0].1, &captured["result"]);
    assert!(!known.session().is_ready(Need::Control, asked));
    known.answer_all();
    assert!(known.session().is_ready(Need::Control, asked));
}

#[test]
fn with_events_what_was_read_after_the_first_of_them_stays_current() {
    let mut known = Known::with_events();
    known.pass(SECOND * 300);
    assert!(known.is_ready(Need::Control) && !known.is_ready(Need::Miss));
    known.event(true);
    assert_eq!(known.lamp(), (on(true), Evidence::Reported));
    assert_eq!(known.apis(), Vec::<&str>::new(), "it was told");
    // After ten minutes they are read again behind an answer.
    known.pass(SECOND * 600);
    assert!(known.is_ready(Need::Control));
    known.want(Need::Control);
    assert_eq!(known.apis(), ["getNodes"]);
}

#[test]
fn a_reading_for_subscribers_is_not_due_before_one_that_is_put_off() {
    let mut known = Known::with_events();
    known.network.follow(true);
    let event = "_EVENTS/ZWAVE_GATEWAY-Mosquitto/node/node_metadata_updated";
    // Nothing comes of these, so each is read later than the one before.
    for _ in 0..40 {
        known.message(event, &json!({ "data": [] }), false);
        // It asserts that nothing stays due without being asked for.
        known.pass(SECOND);
        known.answer_all();
    }
}

#[test]
fn a_new_life_has_all_read_again_and_what_was_known_is_last_known() {
    let mut known = Known::with_events();
    known.event(true);
    known.pass(SECOND);
    let life = known.session().life;
    known.message("driver/status", &json!(false), false);
    assert!(matches!(
        known.trouble(),
        Some(Trouble::DriverNotReady { .. })
    ));
    assert!(!known.waits(Need::Control));
    known.message("driver/status", &json!(true), false);
    assert_ne!(known.session().life, life);
    assert_eq!(known.lamp(), (on(true), Evidence::LastKnown));
    assert!(!known.is_ready(Need::Control));
    // Its cache says that the lamp is off.
    known.pass(SECOND);
    known.answer_all();
    assert_eq!(known.lamp(), (on(true), Evidence::LastKnown));
    known.event(false);
    assert_eq!(known.lamp(), (on(false), Evidence::Reported));
}

#[test]
fn what_a_broken_connection_left_open_is_asked_again_when_it_is_back() {
    let mut known = Known::read();
    known.pass(SECOND);
    known.want(Need::Control);
    assert_eq!(known.apis(), ["getNodes"]);
    known.network.disconnect(Outage {
        address: "here".to_owned(),
        reason: Down::NotGreeted,
    });
    assert_eq!(known.network.due(), None);
    assert!(!known.waits(Need::Control) && !known.is_ready(Need::Known));
    known.after += SECOND * 60;
    known.network.connect(known.now());
    known.pass(Duration::ZERO);
    assert!(known.apis().contains(&"getNodes"));
}

#[test]
fn a_gateway_that_leaves_its_nodes_unanswered_is_silent_until_it_says_something() {
    let mut known = Known::read();
    known.pass(SECOND);
    known.want(Need::Control);
    assert_eq!(known.apis(), ["getNodes"]);
    known.pass(REPLY_TIMEOUT);
    assert_eq!(known.apis(), ["getInfo"], "it may only be slow");
    assert_eq!(known.trouble(), None);
    known.pass(SECOND);
    assert!(matches!(
        known.trouble(),
        Some(Trouble::GatewaySilent { .. })
    ));
    assert!(!known.waits(Need::Control));
    // The next call has it asked for a second.
    known.asked();
    known.want(Need::Control);
    assert!(known.waits(Need::Control));
    known.pass(SECOND);
    assert!(!known.waits(Need::Control));
    known.reply("getInfo", &json!({}));
    assert_eq!(known.trouble(), None);
    known.pass(SECOND);
    assert!(known.apis().contains(&"getNodes"));
}

#[test]
fn the_time_that_a_large_message_takes_is_nobody_s_time_to_answer() {
    let mut known = Known::read();
    known.pass(SECOND);
    known.change(|session, now| session.probe_after_timeout(now.at, session.life, now));
    known.pass(SECOND / 2);
    let now = known.now();
    known.network.begin_large(now);
    known.pass(SECOND * 5);
    assert_eq!(known.trouble(), None, "its answer may be behind it");
    let now = known.now();
    known.network.end_large(now);
    known.pass(SECOND / 4);
    assert_eq!(known.trouble(), None);
    known.pass(SECOND / 2);
    let trouble = known.trouble();
    assert!(
        matches!(trouble, Some(Trouble::GatewaySilent { .. })),
        "{trouble:?}"
    );
}

#[test]
fn a_gateway_that_is_read_for_the_first_time_was_not_renamed() {
    let mut known = Known::new(&[]);
    let info = json!({ "success": true, "result": { "homeid": 7 } });
    let tell = |known: &mut Known, name: &str| {
        let path = format!("_CLIENTS/ZWAVE_GATEWAY-{name}/api/getInfo");
        known.message(&path, &info, false);
    };
    tell(&mut known, "Mosquitto");
    assert!(known.apis().contains(&"getNodes"));
    tell(&mut known, "Copy");
    known.pass(SECOND * 3);
    let is_there = |known: &Known| known.network.session("Mosquitto").is_some();
    assert!(is_there(&known), "its answer waits behind its nodes");
    known.pass(SECOND * 90);
    assert!(!is_there(&known), "neither came");
}

#[test]
fn a_gateway_that_was_read_and_is_silent_was_renamed() {
    let mut known = Known::new(&[]);
    let info = json!({ "success": true, "result": { "homeid": 7 } });
    known.reply("getInfo", &info);
    known.answer_all();
    known.pass(SECOND * 20);
    known.want(Need::Control);
    assert_eq!(known.apis(), ["getNodes"]);
    known.message("_CLIENTS/ZWAVE_GATEWAY-New/api/getInfo", &info, false);
    known.pass(SECOND);
    assert!(known.network.session("Mosquitto").is_none());
}

#[test]
fn a_gateway_that_answers_but_sends_no_nodes_is_unread_and_not_silent() {
    let mut known = Known::read();
    known.pass(SECOND);
    known.want(Need::Control);
    known.answer(&["getNodes"]);
    known.pass(REPLY_TIMEOUT);
    known.answer(&["getNodes"]);
    known.pass(SECOND);
    assert!(matches!(known.trouble(), Some(Trouble::NodesUnread { .. })));
    assert!(known.session().is_reachable());
    assert!(!known.is_ready(Need::Control));
}

#[test]
fn what_was_written_without_proof_is_a_guess_until_the_device_answers() {
    let mut known = Known::with_events();
    let (step, sent) = (step(), known.now().at);
    assert_eq!(step.goal, Goal::On);
    known.change(|session, _| session.expect(&step, sent));
    known.event(true);
    assert_eq!(known.lamp(), (on(true), Evidence::Guessed));
    known.pass(SECOND);
    known.change(|session, now| {
        // An answer to a question from before the write proves nothing.
        let before = sent - SECOND;
        session.take_answer(LAMP, &lamp_state(), Reading::Bool(false), before, now);
    });
    assert_eq!(known.lamp(), (on(true), Evidence::Guessed));
    known.change(|session, now| {
        session.take_answer(LAMP, &lamp_state(), Reading::Bool(true), now.at, now);
    });
    assert_eq!(known.lamp(), (on(true), Evidence::Reported));
}

#[test]
fn a_proof_is_part_of_what_is_known_at_once_and_a_reading_from_before_does_not_undo_it() {
    let mut known = Known::read();
    known.pass(SECOND);
    known.want(Need::Control);
    known.network.act(known.now());
    let step = step();
    known.after += Duration::from_millis(1);
    known.change(|session, now| {
        session.expect(&step, now.at);
        session.mark_written(LAMP, now);
        session.take_as_proven(&step, now.at, now);
    });
    assert_eq!(known.lamp(), (on(true), Evidence::Reported));
    assert!(!known.session().is_read(LAMP));
    // It was asked for before the proof, and says that the lamp is off.
    known.answer_all();
    assert_eq!(known.lamp(), (on(true), Evidence::Reported));
}

#[test]
fn a_version_changes_with_what_others_see_and_with_nothing_else() {
    let mut known = Known::with_events();
    let version = |known: &Known, node: u16| {
        let node = known.session().node(NodeId(node)).unwrap();
        node.last_change(&[0, 1, 2])
    };
    let (lamp, other) = (version(&known, 3), version(&known, 4));
    known.event(false);
    assert_eq!(version(&known, 3), lamp, "the same again");
    known.event(true);
    assert_ne!(version(&known, 3), lamp);
    assert_eq!(version(&known, 4), other);
    let lamp = version(&known, 3);
    known.event(false);
    assert!(version(&known, 3) > lamp, "what changed back changed");
    let (lamp, changes) = (version(&known, 3), known.session().changes);
    known.want(Need::Miss);
    known.answer_all();
    assert_eq!(version(&known, 3), lamp, "a reading of the same");
    assert_eq!(known.session().changes, changes);
}

#[test]
fn a_rename_is_known_by_the_next_event_and_a_dead_node_by_its_own() {
    let mut known = Known::with_events();
    let version = known.session().device_version;
    let node = json!({ "id": LAMP.0, "name": "Reading Light", "location": "Office", "status": 3 });
    let event = "_EVENTS/ZWAVE_GATEWAY-Mosquitto/node/node_dead";
    known.message(event, &json!({ "data": [node] }), false);
    let node = known.session().node(LAMP).unwrap();
    assert_eq!((&*node.name, &*node.room), ("Reading Light", "Office"));
    assert_eq!(node.status, NodeStatus::Dead);
    assert_ne!(known.session().device_version, version);
}

#[test]
fn only_what_says_something_itself_is_a_gateway_and_a_rumour_is_asked() {
    let mut known = Known::new(&[]);
    let status = json!({ "value": true });
    known.message("_CLIENTS/ZWAVE_GATEWAY-Old/status", &status, true);
    assert!(known.network.sessions.is_empty());
    assert_eq!(known.network.probes, ["Old"]);
    assert!(known.waits(Need::List), "it may answer");
    known.reply("getInfo", &json!({}));
    assert_eq!(known.network.sessions.len(), 1);
    known.answer_all();
    known.pass(SECOND);
    assert!(!known.waits(Need::List));
    assert_eq!(known.network.rumours.names(), [("Old".to_owned(), true)]);
}

#[test]
fn a_second_reply_to_a_request_tells_that_it_was_executed_twice() {
    let mut known = Known::read();
    known.pass(SECOND);
    known.change(|session, now| session.want_scenes(now.at, Duration::ZERO));
    let asked = known.asked();
    for expected in [false, true] {
        let (api, number) = asked[0];
        known.reply_to(api, number, &json!([]));
        assert_eq!(known.session().executes_twice, expected);
    }
}

#[test]
fn a_later_write_of_anybody_takes_the_place_of_ours() {
    let mut known = Known::read();
    let (step, sent) = (step(), known.now().at);
    let target = step.write.target.clone();
    known.change(|session, _| session.note_write(LAMP, &target, sent));
    assert!(!known.session().is_replaced(LAMP, &target, sent));
    known.pass(SECOND / 10);
    let id = json!({ "nodeId": 3, "commandClass": 37, "endpoint": 0, "property": "targetValue" });
    let request = "_CLIENTS/ZWAVE_GATEWAY-Mosquitto/api/writeValue/set";
    known.message(
        request,
        &json!({ "args": [id, true], "requestId": "ours-9" }),
        false,
    );
    assert!(!known.session().is_replaced(LAMP, &target, sent), "our own");
    known.message(request, &json!({ "args": [id, false] }), false);
    assert!(known.session().is_replaced(LAMP, &target, sent));
}

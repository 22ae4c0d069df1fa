//! Random faults during many calls. Every answer is compared with what the house really did.
//!
//! `ZWAVE_FAULT_CALLS` sets the number of calls. `ZWAVE_FAULT_SEED` repeats a run with the same calls and
//! faults in the same order.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use serde_json::json;
use simulator_testing::{Fault, Faults, Setup};
use tokio::time::{Instant, sleep};

use crate::House;
use crate::fixture::{Answer, Proxy, Server, captured_nodes, eventually, setup, without_events};

/// The state of `SplitMix64`, a generator of random numbers by S. Vigna.
struct Dice(u64);

impl Dice {
    /// Returns a number below `sides`.
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % sides
    }

    fn duration(&mut self, limit_ms: u64) -> Duration {
        Duration::from_millis(self.roll(limit_ms))
    }
}

/// The dimmers that the calls control, by node and name.
const LAMPS: [(u16, &str); 4] = [
    // Confirms each write (Supervision).
    (5, "kitchen dimmer"),
    // Confirms nothing.
    (6, "bedroom ceiling"),
    // Confirms nothing, and is slow.
    (7, "office ceiling"),
    // Has many values.
    (8, "björns lämp"),
];

/// Counts the answers about one level of one lamp, by what the answers claim.
#[derive(Default)]
struct Claims {
    /// The number of answers that say that the write has reached the house.
    certain: usize,
    /// The number of answers that say that the write may have reached the house.
    possible: usize,
}

/// A thing that goes wrong during some calls. The simulator's `Fault` is about replies only.
#[derive(Clone, Copy, Debug)]
enum Disturbance {
    KilledGateway,
    StoppedGateway,
    LostStick,
    StoppedBroker,
    StalledBroker,
    CutConnection,
    /// The connection is cut once some more bytes have passed to the server.
    ConnectionCutLater,
    DroppedReplies,
    DelayedReplies,
    DoubledReplies,
    GarbledReplies,
    /// Replies to writes that nobody sent.
    FloodOfReplies,
    /// Messages with wrong levels.
    FloodOfLevels,
    /// Nothing, for comparison.
    Nothing,
}

const DISTURBANCES: [Disturbance; 14] = [
    Disturbance::KilledGateway,
    Disturbance::StoppedGateway,
    Disturbance::LostStick,
    Disturbance::StoppedBroker,
    Disturbance::StalledBroker,
    Disturbance::CutConnection,
    Disturbance::ConnectionCutLater,
    Disturbance::DroppedReplies,
    Disturbance::DelayedReplies,
    Disturbance::DoubledReplies,
    Disturbance::GarbledReplies,
    Disturbance::FloodOfReplies,
    Disturbance::FloodOfLevels,
    Disturbance::Nothing,
];

struct Run {
    house: House,
    proxy: Proxy,
    server: Server,
    dice: Dice,
    calls: usize,
    /// The claims about each lamp and level.
    claims: BTreeMap<(u16, u64), Claims>,
    /// The number of answers with each certainty.
    certainties: BTreeMap<String, usize>,
    slowest_answer: Duration,
    recoveries: Vec<Duration>,
    /// The longest recovery that is allowed.
    max_recovery: Duration,
}

/// Reads a whole number from the environment.
fn read_setting(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} must be a whole number")))
}

#[tokio::test]
async fn every_answer_under_random_faults_is_true() {
    needs!(mosquitto);
    check_answers(setup()).await;
}

#[tokio::test]
async fn without_events_every_answer_under_random_faults_is_true() {
    needs!(mosquitto);
    check_answers(without_events()).await;
}

/// Makes calls under random faults in a house with this setup, and checks every answer.
async fn check_answers(setup: Setup) {
    let events = setup.events;
    let seed = read_setting("ZWAVE_FAULT_SEED")
        .unwrap_or_else(|| RandomState::new().build_hasher().finish());
    let requested_calls = read_setting("ZWAVE_FAULT_CALLS");
    let calls = usize::try_from(requested_calls.unwrap_or(40)).unwrap();
    // The server is meant to recover within 5 s. If `ZWAVE_FAULT_CALLS` is not set, allow more time, because
    // other tests run at the same time.
    let max_recovery = Duration::from_secs(if requested_calls.is_some() { 5 } else { 15 });
    println!("ZWAVE_FAULT_SEED={seed} ZWAVE_FAULT_CALLS={calls}, events: {events}");
    let house = House::of(setup, captured_nodes()).await;
    house.change(5, |habits| habits.travel = Duration::ZERO);
    house.change(7, |habits| habits.travel = Duration::from_millis(700));
    let proxy = Proxy::before(house.broker.port()).await;
    let arguments = [
        "--reply-timeout=1500ms",
        "--confirm-timeout=1s",
        "--log-level=error",
    ];
    let server = Server::at(&proxy.url(), &arguments).await;
    let mut run = Run {
        house,
        proxy,
        server,
        dice: Dice(seed),
        calls: 0,
        claims: BTreeMap::new(),
        certainties: BTreeMap::new(),
        slowest_answer: Duration::ZERO,
        recoveries: Vec::new(),
        max_recovery,
    };
    run.wait_for_recovery(Instant::now()).await;
    while run.calls < calls {
        run.run_episode().await;
    }
    run.check_writes().await;
    let longest = run.recoveries.iter().max().unwrap();
    println!(
        "events: {events}; {} calls, {:?}; slowest answer {:?}; {} recoveries, the longest {longest:?}",
        run.calls,
        run.certainties,
        run.slowest_answer,
        run.recoveries.len(),
    );
}

impl Run {
    /// Makes calls while a disturbance begins, and perhaps more while the disturbance lasts. Then ends the
    /// disturbance, and waits until calls work again.
    async fn run_episode(&mut self) {
        let disturbance = DISTURBANCES[self.dice.roll(14) as usize];
        println!("call {}: {disturbance:?}", self.calls);
        let delay = self.dice.duration(250);
        self.run_round(Some((delay, disturbance))).await;
        let more_rounds = self.dice.roll(2);
        for _ in 0..more_rounds {
            self.run_round(None).await;
        }
        let healed = self.end(disturbance).await;
        self.wait_for_recovery(healed).await;
    }

    /// Dims all lamps at once. The disturbance, if any, begins after its delay, while the calls run.
    async fn run_round(&mut self, disturbance: Option<(Duration, Disturbance)>) {
        let mut waiting = Vec::new();
        let started = Instant::now();
        for (node, name) in LAMPS {
            let round = (self.calls / LAMPS.len()) as u64;
            self.calls += 1;
            let level = 1 + round % 98;
            let arguments = json!({ "deviceName": name, "action": "dim", "level": level });
            let call = self.server.begin_call("control_zwave_device", arguments).await;
            waiting.push((node, level, call));
        }
        if let Some((delay, disturbance)) = disturbance {
            sleep(delay).await;
            self.begin(disturbance);
        }
        for (node, level, call) in waiting {
            let answer = call.answer().await;
            self.slowest_answer = self.slowest_answer.max(started.elapsed());
            self.check_answer(node, level, &answer);
        }
    }

    /// Checks an answer, and records what it claims.
    fn check_answer(&mut self, node: u16, level: u64, answer: &Answer) {
        let certainty = answer.certainty.clone().unwrap_or_else(|| panic!("{answer:?}"));
        let claims = self.claims.entry((node, level)).or_default();
        // If the answer to a failed command has one of these words, the command was sent.
        let words_if_sent = ["still reports", "refused", "did not respond", "replaced"];
        match certainty.as_str() {
            "confirmed" => {
                let text = format!(" is now on at {level} %.");
                assert!(answer.text.ends_with(&text), "{answer:?}");
                let writes = self.house.writes();
                let (.., last_level) =
                    writes.iter().rfind(|(written, ..)| *written == node).unwrap();
                // A delayed write of an earlier call may have arrived after the write of this call.
                if *last_level == json!(level) {
                    let truth = self.house.true_state(node, "38-0-currentValue");
                    assert_eq!(truth, json!(level), "false: {answer:?}");
                }
                claims.certain += 1;
            }
            "accepted" | "moving" => claims.certain += 1,
            "unknown" => claims.possible += 1,
            "failed" if words_if_sent.iter().any(|words| answer.text.contains(words)) => {
                claims.possible += 1;
            }
            "failed" => {}
            _ => panic!("{answer:?}"),
        }
        assert_eq!(
            answer.is_error,
            matches!(certainty.as_str(), "failed" | "unknown")
        );
        *self.certainties.entry(certainty).or_default() += 1;
    }

    fn begin(&mut self, disturbance: Disturbance) {
        let apis = ["writeValue", "sendCommand", "getNodes", "getInfo", "*"];
        let api = apis[usize::try_from(self.dice.roll(5)).unwrap()];
        let delay = Duration::from_millis(300 + self.dice.roll(3000));
        match disturbance {
            Disturbance::KilledGateway => self.house.kill(),
            Disturbance::StoppedGateway => self.house.stop(),
            Disturbance::LostStick => self.house.lose_stick(),
            Disturbance::StoppedBroker => self.house.broker.stop(),
            Disturbance::StalledBroker => self.house.broker.stall(),
            Disturbance::CutConnection => self.proxy.cut(),
            Disturbance::ConnectionCutLater => {
                let bytes = 1 + self.dice.roll(3000);
                self.proxy.cut_after(usize::try_from(bytes).unwrap());
            }
            Disturbance::DroppedReplies => self.set_fault(api, Fault::Drop),
            Disturbance::DelayedReplies => self.set_fault(api, Fault::Delay(delay)),
            Disturbance::DoubledReplies => self.set_fault(api, Fault::Double),
            Disturbance::GarbledReplies => self.set_fault(api, Fault::Garble),
            Disturbance::FloodOfReplies => {
                for number in 0..200_u32 {
                    let origin = json!({ "args": [], "requestId": format!("other-{number}") });
                    let reply =
                        json!({ "success": true, "result": { "status": 2 }, "origin": origin });
                    let path = "_CLIENTS/ZWAVE_GATEWAY-Mosquitto/api/writeValue";
                    self.house.publish_raw(path, &reply, false);
                }
            }
            Disturbance::FloodOfLevels => {
                for _ in 0..500 {
                    let level = self.dice.roll(99);
                    let path = "Bedroom/Ceiling/switch_multilevel/endpoint_0/currentValue";
                    self.house.publish_raw(path, &json!({ "value": level }), false);
                }
            }
            Disturbance::Nothing => {}
        }
    }

    fn set_fault(&self, api: &'static str, fault: Fault) {
        self.house.set_faults(Faults(vec![(api, fault)]));
    }

    /// Ends a disturbance. Returns the time when everything that the server needs works again.
    async fn end(&mut self, disturbance: Disturbance) -> Instant {
        match disturbance {
            Disturbance::KilledGateway | Disturbance::StoppedGateway => {
                let after = self.dice.duration(600);
                self.house.restart(after);
                sleep(after).await;
            }
            Disturbance::LostStick => self.house.find_stick(),
            Disturbance::StoppedBroker => self.house.broker.start_again(),
            Disturbance::StalledBroker => self.house.broker.resume(),
            // `cut_after` may not have cut the connection yet.
            Disturbance::ConnectionCutLater => self.proxy.cut(),
            _ => self.house.set_faults(Faults::default()),
        }
        let house = &self.house;
        eventually("the house is connected", async || house.is_connected()).await;
        Instant::now()
    }

    /// Waits until calls work again, at most `max_recovery` after the disturbance has ended.
    async fn wait_for_recovery(&mut self, healed: Instant) {
        loop {
            // No other call uses level 99.
            let answer = self.server.dim("bedroom ceiling", 99.0).await;
            if answer.is_confirmed() {
                break;
            }
            let took = healed.elapsed();
            assert!(took < self.max_recovery, "no recovery: {answer:?}");
            sleep(Duration::from_millis(50)).await;
        }
        self.recoveries.push(healed.elapsed());
    }

    /// Compares the number of writes that reached the house with what the answers claim.
    async fn check_writes(&mut self) {
        // Messages may still be on their way.
        self.house.wait_until_unwritten_for(Duration::from_millis(700)).await;
        let mut writes: BTreeMap<(u16, u64), usize> = BTreeMap::new();
        for (node, key, value) in self.house.writes() {
            assert_eq!(key, "38-0-targetValue");
            *writes.entry((node, value.as_u64().unwrap())).or_default() += 1;
        }
        for (call, claims) in &self.claims {
            let count = writes.get(call).copied().unwrap_or_default();
            let allowed = claims.certain..=claims.certain + claims.possible;
            assert!(
                allowed.contains(&count),
                "{call:?} was written {count} times, but the answers allow {allowed:?}"
            );
        }
        let is_ours = |call: &(u16, u64)| self.claims.contains_key(call) || call.1 == 99;
        assert!(
            writes.keys().all(is_ours),
            "a write without a call: {writes:?}"
        );
    }
}

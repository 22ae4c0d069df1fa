//! Several brokers of one cluster: the next is tried when one is lost, and never two at once.

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep};
use zwave_mcp_server::simulator::{Fault, Faults, Simulation};

use crate::fixture::{
    Mosquitto, Server, captured_nodes, eventually, free_port, run_with, setup, simulate, stays,
};

/// Two brokers, and a house that goes from one to the other as the server does.
struct Cluster {
    brokers: [Mosquitto; 2],
    house: Simulation,
}

impl Cluster {
    async fn start() -> Self {
        let brokers = [Mosquitto::start(), Mosquitto::start()];
        let house = simulate(&brokers, setup(), captured_nodes());
        eventually("the house is connected", async || house.is_connected()).await;
        Self { brokers, house }
    }

    fn urls(&self) -> String {
        let [one, other] = &self.brokers;
        format!("{},{}", one.url(), other.url())
    }

    /// Counts the writes of a level to the bedroom ceiling.
    fn written(&self, level: u32) -> usize {
        let received = self.house.received_writes();
        let of_level = |value: &Json| *value == level;
        received.iter().filter(|one| of_level(&one.value)).count()
    }

    /// A server that knows the house.
    async fn server(&self) -> Server {
        let mut server = Server::at(&self.urls(), &[]).await;
        eventually("it knows the house", async || {
            server.list("").await.starts_with("23 devices")
        })
        .await;
        server
    }
}

/// A place where nothing listens.
fn nowhere() -> String {
    format!("127.0.0.1:{}", free_port())
}

#[tokio::test]
async fn a_call_works_on_the_next_broker_when_one_is_lost_and_so_on_round_and_round() {
    needs!(mosquitto);
    let mut cluster = Cluster::start().await;
    let mut server = cluster.server().await;
    for (round, lost) in [0, 1, 0].into_iter().enumerate() {
        let level = 20 + u32::try_from(round).unwrap();
        cluster.brokers[lost].stop();
        let since = Instant::now();
        loop {
            let answer = server.dim("bedroom ceiling", f64::from(level)).await;
            if answer.is_confirmed() {
                break;
            }
            // A command that the first broker was still told is unknown, and is not repeated on the second.
            assert!(answer.is_error, "{answer:?}");
            let port = cluster.brokers[lost].port();
            let away = format!("127.0.0.1:{port} (one of 2, tried in turn)");
            let known = [&away, "gateway", "did not answer"];
            assert!(
                known.iter().any(|it| answer.text.contains(it)),
                "{answer:?}"
            );
            sleep(Duration::from_millis(20)).await;
        }
        let took = since.elapsed();
        println!("on the next broker after {took:?}");
        assert!(took < Duration::from_secs(5), "{took:?}");
        cluster.brokers[lost].start_again();
    }
    let list = server.list("").await;
    assert!(list.contains("- Ceiling: dimmer, on 22 %"), "{list}");
}

#[tokio::test]
async fn a_write_in_flight_when_a_broker_is_lost_is_unknown_and_written_once() {
    needs!(mosquitto);
    let mut cluster = Cluster::start().await;
    let mut server = cluster.server().await;
    let slow = Fault::Delay(Duration::from_secs(3));
    cluster.house.set_faults(Faults(vec![("writeValue", slow)]));
    let dim = json!({ "deviceName": "bedroom ceiling", "action": "dim", "level": 20 });
    let call = server.begin_call("control_zwave_device", dim).await;
    eventually("it is written", async || cluster.written(20) == 1).await;
    cluster.brokers[0].stop();
    let since = Instant::now();
    call.answer().await.is("unknown");
    // Long before the gateway's time to answer is over.
    assert!(since.elapsed() < Duration::from_secs(5));
    cluster.house.set_faults(Faults::default());
    eventually("the server is on the other broker", async || {
        server.dim("bedroom ceiling", 21.0).await.is_confirmed()
    })
    .await;
    // The late reply has come, on the other broker.
    stays("written once", Duration::from_secs(3), async || {
        cluster.written(20) == 1
    })
    .await;
    let list = server.list("").await;
    assert!(list.contains("- Ceiling: dimmer, on 21 %"), "{list}");
}

#[tokio::test]
async fn a_command_given_while_no_broker_is_there_is_never_executed_later() {
    needs!(mosquitto);
    let mut cluster = Cluster::start().await;
    let mut server = cluster.server().await;
    for broker in &mut cluster.brokers {
        broker.stop();
    }
    eventually("the server knows", async || {
        server.list("").await.contains("can't be reached")
    })
    .await;
    for _ in 0..10 {
        let answer = server.dim("bedroom ceiling", 20.0).await;
        answer.says("failed", "Nothing was sent to Bedroom Ceiling");
        sleep(Duration::from_millis(50)).await;
    }
    // One is enough; on two, the house and the server might miss each other.
    cluster.brokers[1].start_again();
    eventually("the house is there again", async || {
        server.dim("bedroom ceiling", 21.0).await.is_confirmed()
    })
    .await;
    stays(
        "nothing goes out late",
        Duration::from_secs(1),
        async || (cluster.written(20), cluster.written(21)) == (0, 1),
    )
    .await;
}

#[tokio::test]
async fn the_first_call_waits_for_the_broker_that_is_there() {
    needs!(mosquitto);
    let cluster = Cluster::start().await;
    let [_, there] = &cluster.brokers;
    let first = nowhere();
    // The house is on the first broker: the second of these.
    let list = format!(
        "mqtt://me:s3cret@{first}, {},{}",
        cluster.brokers[0].url(),
        there.url()
    );
    let mut server = Server::spawn_with(&[], &[("MQTT_BROKER_URL", &list)]);
    server.initialize().await;
    server.dim("bedroom ceiling", 20.0).await.is("confirmed");
    assert_eq!(cluster.written(20), 1);
    let log = server.stderr();
    let connected = format!("127.0.0.1:{}", cluster.brokers[0].port());
    assert!(log.contains(&first) && log.contains(&connected), "{log}");
    assert!(!log.contains("s3cret") && !log.contains("me:"), "{log}");
}

#[tokio::test]
async fn where_no_broker_is_reached_the_last_one_is_named_and_that_there_are_others() {
    needs!(mosquitto);
    let (one, other) = (nowhere(), nowhere());
    let url = format!("mqtt://me:s3cret@{one},mqtt://{other}");
    let mut server = Server::at(&url, &[]).await;
    let answer = server.control("lamp", "on").await;
    let away = format!("{other} (one of 2, tried in turn) can't be reached (connection refused)");
    answer.says("failed", &away);
}

/// The connections to a few brokers.
#[derive(Default)]
struct Seen {
    open: AtomicUsize,
    most: AtomicUsize,
    /// Which broker was connected to, in order.
    order: Mutex<Vec<usize>>,
}

/// A broker that greets whoever connects, and hangs up after a while; its address.
async fn fleeting(number: usize, seen: Arc<Seen>) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let seen = Arc::clone(&seen);
            tokio::spawn(async move {
                let now = seen.open.fetch_add(1, SeqCst) + 1;
                seen.most.fetch_max(now, SeqCst);
                seen.order.lock().unwrap().push(number);
                let life = Instant::now() + Duration::from_millis(300);
                // Either end may hang up first.
                let _ = stream.read(&mut [0; 512]).await;
                let _ = stream.write_all(&[0x20, 2, 0, 0]).await;
                let mut bytes = [0; 512];
                let listening = async { while let Ok(1..) = stream.read(&mut bytes).await {} };
                let _ = tokio::time::timeout_at(life, listening).await;
                seen.open.fetch_sub(1, SeqCst);
            });
        }
    });
    format!("mqtt://{address}")
}

#[tokio::test]
async fn only_one_broker_is_connected_to_at_any_time() {
    needs!(mosquitto);
    let seen = Arc::new(Seen::default());
    let mut urls = Vec::new();
    for number in 0..3 {
        urls.push(fleeting(number, Arc::clone(&seen)).await);
    }
    // One that was given twice is one.
    urls.push(urls[0].clone());
    let _server = Server::at(&urls.join(","), &[]).await;
    eventually("each was tried twice", async || {
        seen.order.lock().unwrap().len() >= 6
    })
    .await;
    assert_eq!(seen.order.lock().unwrap()[..6], [0, 1, 2, 0, 1, 2]);
    assert_eq!(seen.most.load(SeqCst), 1);
}

async fn doctor(url: &str) -> Json {
    let environment = [("MQTT_BROKER_URL", url)];
    let told = run_with(&["doctor", "--json"], &environment).await;
    told.json()
}

/// The status and text of a step, broker by broker.
fn steps_of(report: &Json, step: &str) -> Vec<(String, String)> {
    let steps = report["steps"].as_array().unwrap().iter();
    let text = |json: &Json| json.as_str().unwrap().to_owned();
    steps
        .filter(|one| one["step"] == step)
        .map(|one| (text(&one["status"]), text(&one["text"])))
        .collect()
}

#[tokio::test]
async fn the_doctor_examines_every_broker_and_the_house_where_one_lets_it_in() {
    needs!(mosquitto);
    let cluster = Cluster::start().await;
    let [one, other] = &cluster.brokers;
    let report = doctor(&cluster.urls()).await;
    assert_eq!(report["ok"], true, "{report:#}");
    let open = |broker: &Mosquitto| {
        let port = broker.port();
        let text = format!("port {port} is open (127.0.0.1:{port})");
        ("ok".to_owned(), text)
    };
    assert_eq!(steps_of(&report, "tcp"), [open(one), open(other)]);
    assert_eq!(steps_of(&report, "login").len(), 2);
    let entry = crate::doctor::entry_of(&report);
    assert_eq!(entry["env"]["MQTT_BROKER_URL"], cluster.urls());

    let first = nowhere();
    let report = doctor(&format!("mqtt://{first},{}", one.url())).await;
    let tcp = steps_of(&report, "tcp");
    let (status, closed) = &tcp[0];
    assert_eq!((status.as_str(), &tcp[1]), ("failed", &open(one)));
    assert!(
        closed.contains(&format!("{first} can't be reached")),
        "{closed}"
    );
    assert_eq!(
        (&report["failed"], &report["whatToDo"]),
        (&json!("tcp"), &json!(closed))
    );
    assert_eq!(steps_of(&report, "devices")[0].0, "ok", "{report:#}");
    assert_eq!(steps_of(&report, "gateway")[0].1, "Mosquitto");
}

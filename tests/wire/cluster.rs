//! Several brokers of one cluster: after a lost connection, the server tries the next broker. The server never
//! uses two brokers at once.

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value as Json, json};
use simulator_testing::{Fault, Faults, Simulation};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep};

use crate::fixture::{
    ClosedAddress, Mosquitto, Server, assert_stays, captured_nodes, eventually, run_with, setup,
    simulate,
};

/// Two brokers, and a house that tries them in turn, as the server does.
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
        self.brokers.each_ref().map(Mosquitto::url).join(",")
    }

    /// Counts the writes of a level. Only the bedroom ceiling is written to.
    fn count_writes(&self, level: u32) -> usize {
        let received = self.house.received_writes();
        received.iter().filter(|write| write.value == level).count()
    }

    /// Starts a server and waits until it has read the house.
    async fn start_server(&self) -> Server {
        let mut server = Server::at(&self.urls(), &[]).await;
        server.wait_until_listed("", "23 devices").await;
        server
    }
}

#[tokio::test]
async fn calls_work_on_the_next_broker_each_time_a_broker_is_lost() {
    needs!(mosquitto);
    let mut cluster = Cluster::start().await;
    let mut server = cluster.start_server().await;
    for (round, lost) in [0, 1, 0].into_iter().enumerate() {
        let level = 20 + u32::try_from(round).unwrap();
        cluster.brokers[lost].stop();
        let since = Instant::now();
        loop {
            let answer = server.dim("bedroom ceiling", f64::from(level)).await;
            if answer.is_confirmed() {
                break;
            }
            // Nothing was sent, or the outcome is unknown because the lost broker had received the command.
            assert!(answer.is_error, "{answer:?}");
            let port = cluster.brokers[lost].port();
            let away = format!("127.0.0.1:{port} (one of 2, tried in turn)");
            let reasons = [&away, "gateway", "did not answer"];
            let has_reason = reasons.iter().any(|reason| answer.text.contains(reason));
            assert!(has_reason, "{answer:?}");
            sleep(Duration::from_millis(20)).await;
        }
        let took = since.elapsed();
        println!("calls work on the next broker after {took:?}");
        assert!(took < Duration::from_secs(5), "{took:?}");
        cluster.brokers[lost].start_again();
    }
    let list = server.list("").await;
    assert!(list.contains("- Ceiling: dimmer, on 22 %"), "{list}");
}

#[tokio::test]
async fn if_a_broker_is_lost_during_a_write_the_outcome_is_unknown_and_nothing_is_written_twice() {
    needs!(mosquitto);
    let mut cluster = Cluster::start().await;
    let mut server = cluster.start_server().await;
    let slow = Fault::Delay(Duration::from_secs(3));
    cluster.house.set_faults(Faults(vec![("writeValue", slow)]));
    let dim = json!({ "deviceName": "bedroom ceiling", "action": "dim", "level": 20 });
    let call = server.begin_call("control_zwave_device", dim).await;
    eventually("the level is written", async || {
        cluster.count_writes(20) == 1
    })
    .await;
    cluster.brokers[0].stop();
    let since = Instant::now();
    call.answer().await.assert_certainty("unknown");
    // The answer comes long before the reply timeout.
    assert!(since.elapsed() < Duration::from_secs(5));
    cluster.house.set_faults(Faults::default());
    eventually("the server is on the other broker", async || {
        server.dim("bedroom ceiling", 21.0).await.is_confirmed()
    })
    .await;
    // The delayed reply arrives within this time, over the other broker.
    assert_stays("written once", Duration::from_secs(3), async || {
        cluster.count_writes(20) == 1
    })
    .await;
    let list = server.list("").await;
    assert!(list.contains("- Ceiling: dimmer, on 21 %"), "{list}");
}

#[tokio::test]
async fn a_command_given_while_no_broker_can_be_reached_is_never_carried_out_later() {
    needs!(mosquitto);
    let mut cluster = Cluster::start().await;
    let mut server = cluster.start_server().await;
    for broker in &mut cluster.brokers {
        broker.stop();
    }
    server.wait_until_listed("", "can't be reached").await;
    for _ in 0..10 {
        let answer = server.dim("bedroom ceiling", 20.0).await;
        answer.assert_says("failed", "Nothing was sent to Bedroom Ceiling");
        sleep(Duration::from_millis(50)).await;
    }
    // Start only one broker. With both, the house and the server could connect to different ones.
    cluster.brokers[1].start_again();
    eventually("the house is there again", async || {
        server.dim("bedroom ceiling", 21.0).await.is_confirmed()
    })
    .await;
    assert_stays(
        "level 21 was written once, and level 20 never",
        Duration::from_secs(1),
        async || (cluster.count_writes(20), cluster.count_writes(21)) == (0, 1),
    )
    .await;
}

#[tokio::test]
async fn the_first_call_waits_for_a_broker_that_can_be_reached() {
    needs!(mosquitto);
    let cluster = Cluster::start().await;
    let closed = ClosedAddress::new();
    // The house is on the cluster's first broker, whose address is the second in this list.
    let urls = format!("mqtt://me:s3cret@{closed}, {}", cluster.urls());
    let mut server = Server::spawn_with(&[], &[("MQTT_BROKER_URL", &urls)]);
    server.initialize().await;
    server.dim("bedroom ceiling", 20.0).await.assert_certainty("confirmed");
    assert_eq!(cluster.count_writes(20), 1);
    let log = server.stderr();
    let connected = format!("127.0.0.1:{}", cluster.brokers[0].port());
    assert!(
        log.contains(&closed.to_string()) && log.contains(&connected),
        "{log}"
    );
    assert!(!log.contains("s3cret") && !log.contains("me:"), "{log}");
}

#[tokio::test]
async fn if_no_broker_can_be_reached_the_answer_names_the_last_one_and_says_how_many_there_are() {
    let (first, last) = (ClosedAddress::new(), ClosedAddress::new());
    let urls = format!("mqtt://me:s3cret@{first},mqtt://{last}");
    let mut server = Server::at(&urls, &[]).await;
    let answer = server.control("lamp", "on").await;
    let away = format!("{last} (one of 2, tried in turn) can't be reached (connection refused)");
    answer.assert_says("failed", &away);
}

/// The connections that the brokers of [`start_fleeting_broker`] have accepted.
#[derive(Default)]
struct Connections {
    open: AtomicUsize,
    /// The maximum of `open`.
    max_open: AtomicUsize,
    /// The numbers of the brokers, in the order of the connections.
    order: Mutex<Vec<usize>>,
}

/// Starts a broker that accepts each login and hangs up after 300 ms. Returns its address.
async fn start_fleeting_broker(number: usize, connections: Arc<Connections>) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let connections = Arc::clone(&connections);
            tokio::spawn(async move {
                let open = connections.open.fetch_add(1, SeqCst) + 1;
                connections.max_open.fetch_max(open, SeqCst);
                connections.order.lock().unwrap().push(number);
                let deadline = Instant::now() + Duration::from_millis(300);
                // The server may have hung up.
                let _ = stream.read(&mut [0; 512]).await;
                // CONNACK: the login is accepted.
                let _ = stream.write_all(&[0x20, 2, 0, 0]).await;
                let mut bytes = [0; 512];
                let listening = async { while let Ok(1..) = stream.read(&mut bytes).await {} };
                let _ = tokio::time::timeout_at(deadline, listening).await;
                connections.open.fetch_sub(1, SeqCst);
            });
        }
    });
    format!("mqtt://{address}")
}

#[tokio::test]
async fn the_server_never_connects_to_two_brokers_at_once() {
    let connections = Arc::new(Connections::default());
    let mut urls = Vec::new();
    for number in 0..3 {
        urls.push(start_fleeting_broker(number, Arc::clone(&connections)).await);
    }
    // An address that is given twice counts once.
    urls.push(urls[0].clone());
    let _server = Server::at(&urls.join(","), &[]).await;
    eventually("each broker was tried twice", async || {
        connections.order.lock().unwrap().len() >= 6
    })
    .await;
    assert_eq!(connections.order.lock().unwrap()[..6], [0, 1, 2, 0, 1, 2]);
    assert_eq!(connections.max_open.load(SeqCst), 1);
}

async fn run_doctor(url: &str) -> Json {
    let environment = [("MQTT_BROKER_URL", url)];
    run_with(&["doctor", "--json"], &environment).await.json()
}

/// Returns the status and text of each entry for a step. Some steps have an entry for each broker.
fn steps_of(report: &Json, step: &str) -> Vec<(String, String)> {
    let steps = report["steps"].as_array().unwrap().iter();
    let text = |json: &Json| json.as_str().unwrap().to_owned();
    steps
        .filter(|entry| entry["step"] == step)
        .map(|entry| (text(&entry["status"]), text(&entry["text"])))
        .collect()
}

#[tokio::test]
async fn doctor_examines_every_broker_and_the_house_on_a_broker_that_can_be_reached() {
    needs!(mosquitto);
    let cluster = Cluster::start().await;
    let [first, second] = &cluster.brokers;
    let report = run_doctor(&cluster.urls()).await;
    assert_eq!(report["ok"], true, "{report:#}");
    let open = |broker: &Mosquitto| {
        let port = broker.port();
        let text = format!("port {port} is open (127.0.0.1:{port})");
        ("ok".to_owned(), text)
    };
    assert_eq!(steps_of(&report, "tcp"), [open(first), open(second)]);
    assert_eq!(steps_of(&report, "login").len(), 2);
    let entry = crate::doctor::entry_of(&report);
    assert_eq!(entry["env"]["MQTT_BROKER_URL"], cluster.urls());

    let closed = ClosedAddress::new();
    let report = run_doctor(&format!("mqtt://{closed},{}", first.url())).await;
    let tcp = steps_of(&report, "tcp");
    let (status, text) = &tcp[0];
    assert_eq!((status.as_str(), &tcp[1]), ("failed", &open(first)));
    let words = format!("{closed} can't be reached");
    assert!(text.contains(&words), "{text}");
    assert_eq!(report["failed"], "tcp");
    assert_eq!(report["whatToDo"], *text);
    assert_eq!(steps_of(&report, "devices")[0].0, "ok", "{report:#}");
    assert_eq!(steps_of(&report, "gateway")[0].1, "Mosquitto");
}

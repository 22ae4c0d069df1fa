//! Brokers that refuse, stay silent, send nonsense, hang up, or go and come back.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::time::Duration;

use crate::fixture::Mosquitto;
use crate::host::{Host, control, eventually, list};

const TRACE_AND_SHORT_TIMEOUT: [&str; 2] = ["--log-level=trace", "--reply-timeout=1s"];

/// Starts a fake broker, which sends `greeting` to each client and then stays silent or hangs up. Returns the
/// broker's address.
fn start_fake_broker(greeting: Vec<u8>, stays: bool) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let mut connected = Vec::new();
        while let Ok((mut stream, _)) = listener.accept() {
            stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
            // The client may have hung up.
            let _ = stream.read(&mut [0; 256]);
            let _ = stream.write_all(&greeting);
            if stays {
                connected.push(stream);
            }
        }
    });
    format!("mqtt://127.0.0.1:{port}")
}

#[test]
fn calls_are_answered_whatever_listens_in_place_of_a_broker() {
    // The CONNACK packet of a broker that accepts the client.
    const GREETING: &[u8] = &[0x20, 2, 0, 0];
    let huge = [GREETING, &[0x30, 0xff, 0xff, 0xff, 0x7f]].concat();
    let noise = [GREETING, &[0xff; 3000]].concat();
    let brokers: [(&str, &[u8], bool); 11] = [
        ("silent", &[], true),
        ("hangs up", &[], false),
        ("wrong password", &[0x20, 2, 0, 4], false),
        ("not authorized", &[0x20, 2, 0, 5], false),
        ("unavailable", &[0x20, 2, 0, 3], true),
        ("half a greeting", &[0x20, 2], true),
        ("half a greeting, and gone", &[0x20, 2], false),
        (
            "another protocol",
            b"HTTP/1.1 400 Bad Request\r\n\r\n",
            false,
        ),
        ("zeros", &[0; 5000], true),
        ("a greeting and a packet of 256 MB", &huge, true),
        ("a greeting and noise", &noise, true),
    ];
    let hosts = brokers.map(|(name, greeting, stays)| {
        let address = start_fake_broker(greeting.to_vec(), stays);
        let mut host =
            Host::spawn(&[&["--broker", &address], &TRACE_AND_SHORT_TIMEOUT[..]].concat());
        host.begin();
        host.say(&list(2));
        host.say(&control(3, "lamp", "on"));
        (name, host)
    });
    for (name, mut host) in hosts {
        host.wait_for(2);
        host.wait_for(3);
        assert!(!host.has_ended(), "{name}");
        let ended = host.finish();
        assert_eq!(ended.answers.0.len(), 3, "{name}");
        for id in [2, 3] {
            assert_eq!(ended.answers.get(id)["result"]["isError"], true, "{name}");
        }
        let text = ended.answers.text(3);
        assert!(
            text.starts_with("Nothing was sent to lamp."),
            "{name}: {text}"
        );
    }
}

#[test]
fn calls_are_answered_while_a_broker_goes_and_comes_back() {
    needs!(mosquitto);
    let mut broker = Mosquitto::start();
    let url = broker.url();
    let mut host = Host::spawn(&[&["--broker", &url], &TRACE_AND_SHORT_TIMEOUT[..]].concat());
    host.begin();
    for round in 0_u64..3 {
        let connected = "connected to the MQTT broker";
        let times = usize::try_from(round).unwrap() + 1;
        eventually("the server is connected", || {
            host.stderr_so_far().matches(connected).count() >= times
        });
        host.say(&list(10 * round + 2));
        broker.stop();
        host.say(&control(10 * round + 3, "lamp", "on"));
        host.wait_for(10 * round + 2);
        host.wait_for(10 * round + 3);
        broker.start_again();
    }
    let ended = host.finish();
    assert_eq!(ended.answers.0.len(), 7);
}

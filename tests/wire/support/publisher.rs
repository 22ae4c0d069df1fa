//! Messages of any bytes in any number: the few packets of MQTT 3.1.1 that publishing needs.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};

pub struct Publisher(TcpStream);

impl Publisher {
    pub fn connect(port: u16) -> Self {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        let mut body = b"\x00\x04MQTT\x04\x02\x00\x00".to_vec();
        body.extend(text("raw"));
        stream.write_all(&packet(0x10, &body)).unwrap();
        let mut accepted = [0; 4];
        stream.read_exact(&mut accepted).unwrap();
        assert_eq!(accepted, [0x20, 2, 0, 0]);
        Self(stream)
    }

    /// Publishes with QoS 0.
    pub fn publish(&mut self, topic: &str, payload: &[u8]) {
        self.send(0x30, topic, payload);
    }

    /// Has the broker keep it.
    pub fn retain(&mut self, topic: &str, payload: &[u8]) {
        self.send(0x31, topic, payload);
    }

    fn send(&mut self, kind: u8, topic: &str, payload: &[u8]) {
        let body = [text(topic), payload.to_vec()].concat();
        self.0.write_all(&packet(kind, &body)).unwrap();
    }
}

fn text(text: &str) -> Vec<u8> {
    let length = u16::try_from(text.len()).unwrap();
    [&length.to_be_bytes(), text.as_bytes()].concat()
}

fn packet(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut packet = vec![kind];
    let mut length = body.len();
    loop {
        let more = if length > 127 { 128 } else { 0 };
        packet.push(u8::try_from(length % 128).unwrap() | more);
        length /= 128;
        if length == 0 {
            break;
        }
    }
    packet.extend_from_slice(body);
    packet
}

//! A bare MQTT 3.1.1 client on a blocking socket. It shows how little time a call can take.

use std::io::{BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};

use serde_json::{Value as Json, json};

use crate::houses::GATEWAY;

/// Packet types, each with its flags (MQTT 3.1.1, section 2.2).
const CONNECT: u8 = 0x10;
const CONNACK: u8 = 0x20;
const PUBLISH: u8 = 0x30;
const SUBSCRIBE: u8 = 0x82;
const SUBACK: u8 = 0x90;

pub struct Bare {
    reader: BufReader<TcpStream>,
    writer: TcpStream,
    last_id: u64,
}

impl Bare {
    /// Connects a client, and subscribes to a filter with QoS 0.
    pub fn connect(port: u16, name: &str, filter: &str) -> Self {
        let writer = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        writer.set_nodelay(true).unwrap();
        let reader = BufReader::with_capacity(1 << 16, writer.try_clone().unwrap());
        let mut bare = Self {
            reader,
            writer,
            last_id: 0,
        };
        // Protocol level 4 (MQTT 3.1.1), a clean session, and no keep-alive.
        let mut connect = encode_text("MQTT");
        connect.extend([4, 2, 0, 0]);
        connect.extend(encode_text(name));
        bare.send(CONNECT, &connect);
        assert_eq!(bare.read_packet().0, CONNACK);
        let mut subscribe = vec![0, 1];
        subscribe.extend(encode_text(filter));
        subscribe.push(0);
        bare.send(SUBSCRIBE, &subscribe);
        assert_eq!(bare.read_packet().0, SUBACK);
        bare
    }

    /// Connects a client that receives the gateway's replies to its calls.
    pub fn connect_caller(port: u16) -> Self {
        let filter = format!("zwave/_CLIENTS/ZWAVE_GATEWAY-{GATEWAY}/api/+");
        Self::connect(port, "bare", &filter)
    }

    fn send(&mut self, head: u8, body: &[u8]) {
        self.writer.write_all(&encode_packet(head, body)).unwrap();
    }

    /// Publishes several messages at once, with QoS 0.
    pub fn publish_all(&mut self, messages: &[(String, String)]) {
        let mut bytes = Vec::new();
        for (topic, payload) in messages {
            let mut body = encode_text(topic);
            body.extend(payload.as_bytes());
            bytes.extend(encode_packet(PUBLISH, &body));
        }
        self.writer.write_all(&bytes).unwrap();
    }

    /// Reads the next packet. Returns its type without flags, and its body.
    fn read_packet(&mut self) -> (u8, Vec<u8>) {
        let mut byte = [0];
        self.reader.read_exact(&mut byte).unwrap();
        let head = byte[0] & 0xf0;
        let (mut length, mut shift) = (0_usize, 0);
        loop {
            self.reader.read_exact(&mut byte).unwrap();
            length |= usize::from(byte[0] & 0x7f) << shift;
            shift += 7;
            if byte[0] & 0x80 == 0 {
                break;
            }
        }
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body).unwrap();
        (head, body)
    }

    /// Reads the next message. Returns its topic and its payload.
    pub fn read_message(&mut self) -> (String, Vec<u8>) {
        loop {
            let (head, mut body) = self.read_packet();
            if head == PUBLISH {
                let length = usize::from(body[0]) << 8 | usize::from(body[1]);
                let payload = body.split_off(2 + length);
                return (String::from_utf8(body.split_off(2)).unwrap(), payload);
            }
        }
    }

    /// Calls a gateway. Waits for the reply, and returns the result in the reply.
    pub fn call(&mut self, gateway: &str, api: &str, args: Json) -> Json {
        self.last_id += 1;
        let id = format!("bare-{}", self.last_id);
        let topic = format!("zwave/_CLIENTS/ZWAVE_GATEWAY-{gateway}/api/{api}/set");
        let request = json!({ "args": args, "requestId": id });
        self.publish_all(&[(topic, request.to_string())]);
        loop {
            let (_, payload) = self.read_message();
            let mut reply: Json = serde_json::from_slice(&payload).unwrap();
            if reply["origin"]["requestId"] == id.as_str() {
                return reply["result"].take();
            }
        }
    }
}

/// Encodes a text with its length in front.
fn encode_text(text: &str) -> Vec<u8> {
    let mut bytes = u16::try_from(text.len()).unwrap().to_be_bytes().to_vec();
    bytes.extend(text.as_bytes());
    bytes
}

fn encode_packet(head: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![head];
    let mut length = body.len();
    loop {
        let more = if length > 0x7f { 0x80 } else { 0 };
        bytes.push(more | (length & 0x7f) as u8);
        length >>= 7;
        if length == 0 {
            break;
        }
    }
    bytes.extend(body);
    bytes
}

//! Unit tests of `src/gateway/mqtt/wire.rs`.

use proptest::prelude::*;
use tokio::io::DuplexStream;

use super::*;

impl BrokerStream for DuplexStream {
    fn discard_on_drop(&self) {}
}

/// Reads the next packet, and reassembles a large message.
async fn next(reader: &mut PacketReader) -> io::Result<Packet> {
    let mut large: Option<(Publish, Vec<u8>)> = None;
    loop {
        match reader.take()? {
            Some(Taken::Packet(packet)) => return Ok(packet),
            Some(Taken::Head(publish, length)) => {
                assert!(length > LARGE - 100);
                large = Some((publish, Vec::new()));
            }
            Some(Taken::Part(part, is_last)) => {
                let (publish, payload) = large.as_mut().unwrap();
                payload.extend_from_slice(&part);
                if is_last {
                    publish.payload = std::mem::take(payload).into();
                    return Ok(Packet::Publish(publish.clone()));
                }
            }
            None => reader.read().await?,
        }
    }
}

/// Sends payloads through a pipe that holds `capacity` bytes, and returns the received payloads.
async fn read_in_pieces(payloads: &[Vec<u8>], capacity: usize) -> Vec<Vec<u8>> {
    let (near, far) = tokio::io::duplex(capacity);
    let (mut near, mut far) = (Wire::new(Box::new(near)), Wire::new(Box::new(far)));
    let publish =
        |payload: &Vec<u8>| Packet::Publish(Publish::new("a/b", QoS::AtLeastOnce, payload.clone()));
    let written = near.writer.write(payloads.iter().map(publish));
    let read = async {
        let mut received = Vec::new();
        for pkid in 1..=payloads.len() {
            match next(&mut far.reader).await.unwrap() {
                Packet::Publish(publish) => {
                    assert_eq!(usize::from(publish.pkid), pkid);
                    received.push(publish.payload.to_vec());
                }
                packet => panic!("{packet:?}"),
            }
        }
        received
    };
    let (written, read) = tokio::join!(written, read);
    written.unwrap();
    read
}

proptest! {
    #[test]
    fn packets_come_whole_and_in_order_however_they_are_cut(
        payloads in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 1..20),
        large in prop::option::of(prop_oneof![CHUNK..5 * CHUNK, LARGE - 50..LARGE + 50, LARGE..2 * LARGE]),
        capacity in 1..2000_usize,
    ) {
        let mut payloads = payloads;
        if let Some(large) = large {
            payloads.insert(payloads.len() / 2, vec![7; large]);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        prop_assert_eq!(runtime.block_on(read_in_pieces(&payloads, capacity)), payloads);
    }

    #[test]
    fn noise_ends_in_an_error(noise: Vec<u8>) {
        let (near, far) = tokio::io::duplex(1 << 16);
        let mut far = Wire::new(Box::new(far));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let mut near = near;
            near.write_all(&noise).await.unwrap();
            drop(near);
            while next(&mut far.reader).await.is_ok() {}
        });
    }
}

//! A wire that can be cut: a TCP proxy before the broker.

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

/// Bytes that still pass towards the client.
const EVERYTHING: usize = usize::MAX;

pub struct Proxy {
    port: u16,
    wire: Arc<Wire>,
}

struct Wire {
    /// Cancelled to cut what is connected now.
    now: Mutex<CancellationToken>,
    left: AtomicUsize,
}

impl Proxy {
    pub async fn before(port: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let own = listener.local_addr().unwrap().port();
        let wire = Arc::new(Wire {
            now: Mutex::default(),
            left: AtomicUsize::new(EVERYTHING),
        });
        let shared = Arc::clone(&wire);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let wire = Arc::clone(&shared);
                tokio::spawn(async move {
                    let ended = wire.now.lock().unwrap().clone();
                    tokio::select! {
                        () = carry(client, port, &wire) => {}
                        () = ended.cancelled() => {}
                    }
                });
            }
        });
        Self { port: own, wire }
    }

    pub fn url(&self) -> String {
        format!("mqtt://127.0.0.1:{}", self.port)
    }

    /// Cuts every connection; new ones are carried.
    pub fn cut(&self) {
        let mut now = self.wire.now.lock().unwrap();
        now.cancel();
        *now = CancellationToken::new();
        self.wire.left.store(EVERYTHING, Ordering::SeqCst);
    }

    /// Cuts every connection after so many bytes more towards the client.
    pub fn cut_after(&self, bytes: usize) {
        self.wire.left.store(bytes, Ordering::SeqCst);
    }
}

async fn carry(client: TcpStream, port: u16, wire: &Wire) {
    let Ok(broker) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await else {
        return;
    };
    client.set_nodelay(true).unwrap();
    broker.set_nodelay(true).unwrap();
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_broker, mut to_broker) = broker.into_split();
    let up = async {
        // Either side may go at any time.
        let _ = tokio::io::copy(&mut from_client, &mut to_broker).await;
    };
    let down = async {
        let mut buffer = vec![0; 65536];
        while let Ok(read @ 1..) = from_broker.read(&mut buffer).await {
            let left = wire.left.load(Ordering::SeqCst);
            let passing = read.min(left);
            if to_client.write_all(&buffer[..passing]).await.is_err() {
                return;
            }
            if left != EVERYTHING {
                wire.left.store(left - passing, Ordering::SeqCst);
                if left == passing {
                    wire.left.store(EVERYTHING, Ordering::SeqCst);
                    return;
                }
            }
        }
    };
    tokio::select! {
        () = up => {}
        () = down => {}
    }
}

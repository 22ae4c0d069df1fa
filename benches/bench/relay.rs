//! A way to the broker that can be cut.

use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Clone)]
pub struct Relay {
    port: u16,
    accepted: Arc<AtomicUsize>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Relay {
    /// Listens until the process ends.
    pub fn to(broker: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let relay = Self {
            port: listener.local_addr().unwrap().port(),
            accepted: Arc::default(),
            open: Arc::default(),
        };
        let own = relay.clone();
        std::thread::spawn(move || {
            for near in listener.incoming() {
                let near = near.unwrap();
                let far = TcpStream::connect((Ipv4Addr::LOCALHOST, broker)).unwrap();
                for stream in [&near, &far] {
                    stream.set_nodelay(true).unwrap();
                    own.open.lock().unwrap().push(stream.try_clone().unwrap());
                }
                copy(near.try_clone().unwrap(), far.try_clone().unwrap());
                copy(far, near);
                own.accepted.fetch_add(1, Ordering::SeqCst);
            }
        });
        relay
    }

    pub fn url(&self) -> String {
        format!("mqtt://127.0.0.1:{}", self.port)
    }

    /// How many connections there were so far.
    pub fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }

    /// Cuts every connection.
    pub fn cut(&self) {
        for stream in self.open.lock().unwrap().drain(..) {
            // One side may have gone before.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn copy(mut from: TcpStream, mut to: TcpStream) {
    std::thread::spawn(move || {
        // A cut connection ends with an error, and that is what it is for.
        let _ = std::io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Both);
    });
}

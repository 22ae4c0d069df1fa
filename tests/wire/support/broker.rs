//! A real Mosquitto on a port of its own.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::needs;

pub struct Mosquitto {
    child: Option<Child>,
    port: u16,
    directory: TempDir,
    settings: String,
}

impl Mosquitto {
    pub fn start() -> Self {
        Self::of(TempDir::new().unwrap(), "allow_anonymous true\n".to_owned())
    }

    /// One with settings of its own, whose files are in a folder.
    pub fn of(directory: TempDir, settings: String) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let mut broker = Self {
            child: None,
            port,
            directory,
            settings,
        };
        broker.start_again();
        broker
    }

    /// Starts it again on its port, with nothing retained.
    pub fn start_again(&mut self) {
        let program = needs::mosquitto().unwrap();
        let config = self.directory.path().join("mosquitto.conf");
        // As root it would give up the right to read its files.
        let text = format!(
            "user root\nlistener {} 127.0.0.1\npersistence false\n{}",
            self.port, self.settings
        );
        std::fs::write(&config, text).unwrap();
        let child = Command::new(program)
            .arg("-c")
            .arg(&config)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        self.child = Some(child);
        let deadline = Instant::now() + Duration::from_secs(10);
        while TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_err() {
            assert!(Instant::now() < deadline, "Mosquitto does not listen");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Stops it from doing anything (SIGSTOP), its connections staying up.
    pub fn stall(&self) {
        self.signal("STOP");
    }

    /// Lets it go on.
    pub fn go_on(&self) {
        self.signal("CONT");
    }

    fn signal(&self, name: &str) {
        let id = self.child.as_ref().unwrap().id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.unwrap().success());
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Where its files are.
    pub fn path(&self, file: &str) -> String {
        let path = self.directory.path().join(file);
        path.to_str().unwrap().to_owned()
    }

    pub fn url(&self) -> String {
        format!("mqtt://127.0.0.1:{}", self.port)
    }
}

impl Drop for Mosquitto {
    fn drop(&mut self) {
        self.stop();
    }
}

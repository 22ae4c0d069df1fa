//! Every number that the client goes by, in one place.

use std::time::Duration;

/// Times, counts and lengths. [`Limits::default`] has what suits a host that talks to people.
///
/// ```
/// use std::time::Duration;
/// use zwave_mcp_server::client::Limits;
///
/// let patient = Limits {
///     call: Duration::from_secs(120),
///     ..Limits::default()
/// };
/// assert_eq!(patient.delays.len(), 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long to wait before each attempt to connect; there are as many attempts as delays.
    pub delays: Vec<Duration>,
    /// How long one attempt may take, from the spawn to the end of the handshake.
    pub attempt: Duration,
    /// How long a server may take to answer `server/discover` before `initialize` is sent too. A
    /// server of an older revision may ignore what it does not know.
    pub probe: Duration,
    /// How long a request may take, with all of its pages; then it is cancelled at the server.
    pub call: Duration,
    /// A call that takes longer is logged as a warning.
    pub slow: Duration,
    /// How long a server may take to end once its stdin is closed; a server that finishes calls in flight
    /// needs a few seconds.
    pub closing: Duration,
    /// How long it may take after SIGTERM, before SIGKILL.
    pub terminating: Duration,
    /// How long the last output of a server that has ended may take to arrive.
    pub last_words: Duration,
    /// How many lines of a server's stderr are kept.
    pub stderr_lines: usize,
    /// How much of each of them is kept, in characters.
    pub stderr_line: usize,
    /// How much of a line that is no message is kept, in characters.
    pub bad_line: usize,
    /// The longest line that is read as a message, in bytes; what is longer is a bad line.
    pub longest_message: usize,
    /// How much of a server's text reaches a model or a log, in bytes.
    pub text: usize,
    /// How many warnings about bad lines are logged a second. The others are counted.
    pub warnings: u32,
    /// How many bytes of answers and notifications may wait for a server that does not read its
    /// stdin. Further ones are dropped.
    pub waiting_answers: u32,
    /// Requests that may wait for a server that does not read its stdin.
    pub waiting_requests: usize,
    /// How many tools of a server are listed, and how many pages of them are read.
    pub tools: usize,
    /// How long all tools of a server may be together, in bytes of JSON.
    pub tools_size: usize,
    /// How much of a call's arguments and of its result is logged, in characters.
    pub logged: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            delays: [0, 2, 4].map(Duration::from_secs).to_vec(),
            attempt: Duration::from_secs(10),
            probe: Duration::from_secs(2),
            call: Duration::from_secs(30),
            slow: Duration::from_millis(1000),
            closing: Duration::from_secs(6),
            terminating: Duration::from_secs(2),
            last_words: Duration::from_millis(250),
            stderr_lines: 200,
            stderr_line: 500,
            bad_line: 200,
            longest_message: 16 * 1024 * 1024,
            text: 16 * 1024,
            warnings: 10,
            waiting_answers: 64 * 1024,
            waiting_requests: 64,
            tools: 1000,
            tools_size: 16 * 1024 * 1024,
            logged: 1000,
        }
    }
}

//! All limits of the client.

use std::time::Duration;

/// Limits on times, counts and lengths. [`Limits::default`] suits a host that talks to people.
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
    /// The delay before each attempt to connect; there are as many attempts as delays.
    pub delays: Vec<Duration>,
    /// The maximum time for one attempt, from the spawn to the end of the handshake.
    pub attempt: Duration,
    /// How long a server may take to answer `server/discover`. After this time, `initialize` is sent too, because
    /// a server of an older protocol revision may ignore the unknown method.
    pub probe: Duration,
    /// The maximum time for a tool call, or for reading all pages of a list of tools. A request that takes
    /// longer is cancelled at the server.
    pub call: Duration,
    /// How long to wait for a good answer after a line that seems to be an answer but can't be read.
    pub garbled: Duration,
    /// A tool call that takes longer than this is logged as slow.
    pub slow: Duration,
    /// How long a server may take to end once its stdin is closed. A server that first finishes the calls in
    /// flight needs a few seconds.
    pub closing: Duration,
    /// How long a server may take to end after SIGTERM. After this time, it gets SIGKILL.
    pub terminating: Duration,
    /// How long to wait for the last output of a server that has ended. Also how long to wait for a server to
    /// end after it has closed a pipe.
    pub last_words: Duration,
    /// The maximum number of lines of a server's stderr that are kept.
    pub stderr_lines: usize,
    /// The maximum number of characters that are kept of a line of stderr.
    pub stderr_line: usize,
    /// The maximum number of characters kept of a [bad line](super::BadLine), or of an answer that an error
    /// quotes.
    pub bad_line: usize,
    /// The maximum length of a line, in bytes. A longer line is a bad line.
    pub longest_message: usize,
    /// The maximum length, in bytes, of a server's name, of its instructions, and of each question and error
    /// message. A longer text is cut.
    pub text: usize,
    /// The maximum number of warnings about bad lines that are logged per second. Further warnings are only
    /// counted.
    pub warnings: u32,
    /// The maximum number of bytes of answers and notifications that are queued for a server that does not read
    /// its stdin. Further answers and notifications are dropped.
    pub waiting_answers: u32,
    /// The maximum number of requests that are queued for a server that does not read its stdin.
    pub waiting_requests: usize,
    /// The maximum number of a server's tools, and the maximum number of pages that list them.
    pub tools: usize,
    /// The maximum length of all tools of a server together, in bytes of JSON.
    pub tools_size: usize,
    /// The maximum number of characters that are logged of a call's arguments, and of the call's result.
    pub logged: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            delays: [0, 2, 4].map(Duration::from_secs).to_vec(),
            attempt: Duration::from_secs(10),
            probe: Duration::from_secs(2),
            call: Duration::from_secs(30),
            garbled: Duration::from_secs(3),
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

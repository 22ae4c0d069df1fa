//! A stand-in for a provider or a search engine: an HTTP/1.1 server on 127.0.0.1. The test decides how each reply
//! is split into pieces, and how the reply ends. A mocking library would choose the pieces itself.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A request that the stand-in received.
#[derive(Clone, Debug)]
pub struct Request {
    /// The first line, such as `POST /api/chat HTTP/1.1`.
    pub line: String,
    /// The headers as `name: value`, with lowercase names.
    pub headers: Vec<String>,
    /// The JSON body, or null if it is empty.
    pub body: Json,
}

/// How a reply ends.
#[derive(Clone, Copy, Debug)]
pub enum End {
    /// The reply is complete.
    Whole,
    /// The connection closes before the reply is complete.
    Broken,
    /// The connection stays open, but nothing more comes.
    Silent,
}

#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    /// The header lines, each with its line end.
    pub headers: String,
    pub pieces: Vec<Vec<u8>>,
    pub end: End,
}

impl Answer {
    /// Returns a reply with this content type, in these pieces.
    pub fn stream(
        content_type: &str,
        pieces: impl IntoIterator<Item = impl Into<Vec<u8>>>,
    ) -> Self {
        Self {
            status: 200,
            headers: format!("content-type: {content_type}\r\n"),
            pieces: pieces.into_iter().map(Into::into).collect(),
            end: End::Whole,
        }
    }

    /// Returns a reply with a text and calls in Ollama's format.
    pub fn ollama(text: &str, calls: Json) -> Self {
        let message = json!({ "role": "assistant", "content": text, "tool_calls": calls });
        let line = json!({ "model": "m", "message": message, "done": true, "done_reason": "stop" });
        Self::stream("application/x-ndjson", [format!("{line}\n")])
    }

    /// Returns a reply with this status and body, and the content type of JSON.
    pub fn with_status(status: u16, body: &str) -> Self {
        Self {
            status,
            ..Self::stream("application/json", [body])
        }
    }
}

/// The stand-in. Once it is dropped, it accepts no more connections.
pub struct StandIn {
    /// The base URL.
    pub address: String,
    answers: Arc<Mutex<VecDeque<Answer>>>,
    requests: Arc<Mutex<Vec<Request>>>,
    serving: JoinHandle<()>,
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl StandIn {
    /// Starts a stand-in that gives these answers in order. After the last, it replies with status 500.
    pub async fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let answers = Arc::new(Mutex::new(answers.into_iter().collect()));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (task_answers, task_requests) = (Arc::clone(&answers), Arc::clone(&requests));
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).unwrap();
                let (answers, requests) = (Arc::clone(&task_answers), Arc::clone(&task_requests));
                tokio::spawn(serve(stream, answers, requests));
            }
        });
        Self {
            address,
            answers,
            requests,
            serving,
        }
    }

    pub fn add(&self, answer: Answer) {
        self.answers.lock().unwrap().push_back(answer);
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

/// Serves one connection until the client closes it, or until an answer is left incomplete.
pub async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    answers: Arc<Mutex<VecDeque<Answer>>>,
    requests: Arc<Mutex<Vec<Request>>>,
) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = read(&mut stream).await {
        requests.lock().unwrap().push(request);
        let answer = answers.lock().unwrap().pop_front();
        let answer = answer.unwrap_or_else(|| Answer::with_status(500, "no answer is left"));
        let head = format!(
            "HTTP/1.1 {} -\r\n{}transfer-encoding: chunked\r\n\r\n",
            answer.status, answer.headers
        );
        let mut sent = head.into_bytes();
        for piece in answer.pieces.iter().filter(|piece| !piece.is_empty()) {
            sent.extend(format!("{:x}\r\n", piece.len()).into_bytes());
            sent.extend(piece);
            sent.extend(b"\r\n");
        }
        match answer.end {
            End::Whole => sent.extend(b"0\r\n\r\n"),
            End::Broken => {
                let _ = stream.write_all(&sent).await;
                return;
            }
            End::Silent => {
                // Without pieces, not even the head of the answer is sent.
                if !answer.pieces.is_empty() {
                    let _ = stream.write_all(&sent).await;
                }
                let _ = stream.read_u8().await;
                return;
            }
        }
        if stream.write_all(&sent).await.is_err() {
            return;
        }
    }
}

/// Reads a request. Returns `None` if the client has closed the connection or the request is malformed.
async fn read(stream: &mut (impl AsyncBufReadExt + Unpin)) -> Option<Request> {
    let mut line = String::new();
    if stream.read_line(&mut line).await.ok()? == 0 {
        return None;
    }
    let mut headers = Vec::new();
    let mut length = 0;
    loop {
        let mut header = String::new();
        stream.read_line(&mut header).await.ok()?;
        if header.trim().is_empty() {
            break;
        }
        let (name, value) = header.trim().split_once(": ")?;
        let name = name.to_ascii_lowercase();
        if name == "content-length" {
            length = value.parse().ok()?;
        }
        headers.push(format!("{name}: {value}"));
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(Request {
        line: line.trim().to_owned(),
        headers,
        body: match body.as_slice() {
            [] => Json::Null,
            body => serde_json::from_slice(body).ok()?,
        },
    })
}

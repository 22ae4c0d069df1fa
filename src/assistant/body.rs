//! Splits the body of a provider's reply into JSON documents, in bounded memory.

use std::pin::{Pin, pin};
use std::time::Duration;

use futures_util::{Stream, StreamExt, stream};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use sse_stream::{Error as SseError, SseByteStream};
use tokio_util::bytes::{Buf, Bytes, BytesMut};

use super::failure::ProviderFailure;

/// The maximum size of an error reply's body, in bytes. The rest is not read.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// How long to wait for the end of the body after the last document, so that the connection can be reused.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(50);

/// How a provider separates the documents in its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// Server-sent events; only their data is used.
    Events,
    /// One document per line.
    Lines,
}

/// Reads a reply in chunks, and limits its size and the wait for each chunk.
struct Chunks {
    response: Response,
    bytes_left: usize,
    idle: Duration,
    /// True until the first chunk arrives. The caller limits that wait.
    awaits_first: bool,
}

impl Chunks {
    async fn next(&mut self) -> Result<Option<Bytes>, ProviderFailure> {
        let chunk = if std::mem::take(&mut self.awaits_first) {
            self.response.chunk().await
        } else {
            tokio::time::timeout(self.idle, self.response.chunk())
                .await
                .map_err(|_| ProviderFailure::TimedOut(self.idle))?
        };
        let chunk = chunk.map_err(|_| ProviderFailure::early_end())?;
        let Some(chunk) = chunk else { return Ok(None) };
        self.bytes_left = self
            .bytes_left
            .checked_sub(chunk.len())
            .ok_or_else(|| ProviderFailure::Garbled("it is too long".to_owned()))?;
        Ok(Some(chunk))
    }
}

/// The documents of a reply, each yielded only once it is complete.
pub(super) struct Documents(Pin<Box<dyn Stream<Item = Result<String, ProviderFailure>> + Send>>);

impl Documents {
    /// Reads a reply of at most `max_bytes` bytes. The caller limits the wait for the first chunk. If
    /// events were requested, but the reply is of type `application/json`, it is one document.
    pub(super) fn new(
        response: Response,
        framing: Framing,
        max_bytes: usize,
        idle: Duration,
    ) -> Self {
        let content_type = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        let chunks = Chunks {
            response,
            bytes_left: max_bytes,
            idle,
            awaits_first: true,
        };
        if content_type.starts_with("text/html") {
            let page = ProviderFailure::Garbled("it is a web page".to_owned());
            return Self(Box::pin(stream::iter([Err(page)])));
        }
        Self(match framing {
            Framing::Events if content_type.starts_with("application/json") => {
                Box::pin(stream::once(read_whole(chunks)))
            }
            Framing::Events => Box::pin(read_events(chunks)),
            Framing::Lines => Box::pin(read_lines(chunks)),
        })
    }

    /// Returns the next non-blank document, or `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<String>, ProviderFailure> {
        while let Some(text) = self.0.next().await.transpose()? {
            if !text.trim().is_empty() {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// Drains the body if its end arrives soon, so that the connection can be reused.
    pub(super) async fn finish(mut self) {
        let rest = async { while let Some(Ok(_)) = self.0.next().await {} };
        let _ = tokio::time::timeout(DRAIN_TIMEOUT, pin!(rest)).await;
    }
}

async fn read_whole(mut chunks: Chunks) -> Result<String, ProviderFailure> {
    let mut whole = BytesMut::new();
    while let Some(chunk) = chunks.next().await? {
        whole.extend_from_slice(&chunk);
    }
    utf8_text(&whole)
}

fn read_events(chunks: Chunks) -> impl Stream<Item = Result<String, ProviderFailure>> + Send {
    let chunks = stream::try_unfold(chunks, async |mut chunks: Chunks| {
        Ok::<_, ProviderFailure>(chunks.next().await?.map(|chunk| (chunk, chunks)))
    });
    SseByteStream::new(Box::pin(chunks)).filter_map(async |event| match event {
        Ok(event) => event.data.map(Ok),
        Err(SseError::Body(error)) => {
            let failure = error.downcast_ref::<ProviderFailure>().cloned();
            Some(Err(failure.unwrap_or_else(ProviderFailure::early_end)))
        }
        Err(error) => Some(Err(ProviderFailure::Garbled(error.to_string()))),
    })
}

fn read_lines(chunks: Chunks) -> impl Stream<Item = Result<String, ProviderFailure>> + Send {
    stream::try_unfold((chunks, BytesMut::new()), async |(mut chunks, mut buf)| {
        let mut searched = 0;
        loop {
            let end = buf.iter().skip(searched).position(|byte| *byte == b'\n');
            if let Some(end) = end {
                let line = buf.split_to(searched + end);
                buf.advance(1);
                return Ok(Some((utf8_text(&line)?, (chunks, buf))));
            }
            searched = buf.len();
            match chunks.next().await? {
                Some(chunk) => buf.extend_from_slice(&chunk),
                None if buf.is_empty() => return Ok(None),
                // The last line may have no newline.
                None => return Ok(Some((utf8_text(&buf.split())?, (chunks, buf)))),
            }
        }
    })
}

/// Returns at most the first [`MAX_ERROR_BYTES`] bytes of an error reply's body.
pub(super) async fn read_error_body(response: Response, idle: Duration) -> Vec<u8> {
    let mut chunks = Chunks {
        response,
        bytes_left: MAX_ERROR_BYTES,
        idle,
        awaits_first: false,
    };
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = chunks.next().await {
        body.extend_from_slice(&chunk);
    }
    body
}

fn utf8_text(bytes: &[u8]) -> Result<String, ProviderFailure> {
    let text =
        std::str::from_utf8(bytes).map_err(|error| ProviderFailure::Garbled(error.to_string()))?;
    Ok(text.to_owned())
}

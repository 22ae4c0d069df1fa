//! Splits the body of a provider's reply into events or lines, in bounded memory.

use std::pin::{Pin, pin};
use std::time::Duration;

use futures_util::{Stream, StreamExt, stream};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use sse_stream::{Error as SseError, SseByteStream};
use tokio_util::bytes::{Buf, Bytes, BytesMut};

use super::failure::ProviderFailure;

/// The maximum size of an error's body. The rest is not read.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// The time to wait for the end of the body after the last event, so that the connection can be reused.
const TAIL_WAIT: Duration = Duration::from_millis(50);

/// The way in which a provider separates the documents of its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// Server-sent events; only their data is used.
    Events,
    /// A JSON text on each line.
    Lines,
}

/// Reads a reply piece by piece, and limits its size and the wait for each piece.
struct Pieces {
    response: Response,
    left: usize,
    idle: Duration,
    /// True until the first piece has come: the caller limits the wait for it.
    awaits_first: bool,
}

impl Pieces {
    async fn next(&mut self) -> Result<Option<Bytes>, ProviderFailure> {
        let piece = if std::mem::take(&mut self.awaits_first) {
            self.response.chunk().await
        } else {
            tokio::time::timeout(self.idle, self.response.chunk())
                .await
                .map_err(|_| ProviderFailure::TimedOut(self.idle))?
        };
        let piece = piece.map_err(|_| ProviderFailure::early_end())?;
        let Some(piece) = piece else { return Ok(None) };
        self.left = self
            .left
            .checked_sub(piece.len())
            .ok_or_else(|| ProviderFailure::Garbled("it is too long".to_owned()))?;
        Ok(Some(piece))
    }
}

/// The texts of a reply, one by one. No text is handed out before it is complete.
pub(super) struct Documents(Pin<Box<dyn Stream<Item = Result<String, ProviderFailure>> + Send>>);

impl Documents {
    /// Reads a reply of at most `bytes` bytes. The caller limits the wait for the first piece. A
    /// reply of type `application/json` is read as one JSON text, even if events were requested.
    pub(super) fn new(response: Response, framing: Framing, bytes: usize, idle: Duration) -> Self {
        let kind = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok())
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        let pieces = Pieces {
            response,
            left: bytes,
            idle,
            awaits_first: true,
        };
        if kind.starts_with("text/html") {
            let page = ProviderFailure::Garbled("it is a web page".to_owned());
            return Self(Box::pin(stream::iter([Err(page)])));
        }
        Self(match framing {
            Framing::Events if kind.starts_with("application/json") => {
                Box::pin(stream::once(read_whole(pieces)))
            }
            Framing::Events => Box::pin(read_events(pieces)),
            Framing::Lines => Box::pin(read_lines(pieces)),
        })
    }

    /// Returns the next text that is not blank; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<String>, ProviderFailure> {
        while let Some(text) = self.0.next().await.transpose()? {
            if !text.trim().is_empty() {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// Reads the rest of the body if it comes soon, so that the connection can be reused.
    pub(super) async fn finish(mut self) {
        let rest = async { while let Some(Ok(_)) = self.0.next().await {} };
        let _ = tokio::time::timeout(TAIL_WAIT, pin!(rest)).await;
    }
}

async fn read_whole(mut pieces: Pieces) -> Result<String, ProviderFailure> {
    let mut whole = BytesMut::new();
    while let Some(piece) = pieces.next().await? {
        whole.extend_from_slice(&piece);
    }
    utf8_text(&whole)
}

fn read_events(pieces: Pieces) -> impl Stream<Item = Result<String, ProviderFailure>> + Send {
    let pieces = stream::try_unfold(pieces, async |mut pieces: Pieces| {
        Ok::<_, ProviderFailure>(pieces.next().await?.map(|piece| (piece, pieces)))
    });
    SseByteStream::new(Box::pin(pieces)).filter_map(async |event| match event {
        Ok(event) => event.data.map(Ok),
        Err(SseError::Body(error)) => {
            let failure = error.downcast_ref::<ProviderFailure>().cloned();
            Some(Err(failure.unwrap_or_else(ProviderFailure::early_end)))
        }
        Err(error) => Some(Err(ProviderFailure::Garbled(error.to_string()))),
    })
}

fn read_lines(pieces: Pieces) -> impl Stream<Item = Result<String, ProviderFailure>> + Send {
    stream::try_unfold((pieces, BytesMut::new()), async |(mut pieces, mut held)| {
        let mut searched = 0;
        loop {
            let end = held.iter().skip(searched).position(|byte| *byte == b'\n');
            if let Some(end) = end {
                let line = held.split_to(searched + end);
                held.advance(1);
                return Ok(Some((utf8_text(&line)?, (pieces, held))));
            }
            searched = held.len();
            match pieces.next().await? {
                Some(piece) => held.extend_from_slice(&piece),
                None if held.is_empty() => return Ok(None),
                // The last line may end with the stream.
                None => return Ok(Some((utf8_text(&held.split())?, (pieces, held)))),
            }
        }
    })
}

/// Returns the beginning of an error reply's body.
pub(super) async fn read_error_body(response: Response, idle: Duration) -> Vec<u8> {
    let mut pieces = Pieces {
        response,
        left: MAX_ERROR_BYTES,
        idle,
        awaits_first: false,
    };
    let mut body = Vec::new();
    while let Ok(Some(piece)) = pieces.next().await {
        body.extend_from_slice(&piece);
    }
    body
}

fn utf8_text(bytes: &[u8]) -> Result<String, ProviderFailure> {
    let text =
        std::str::from_utf8(bytes).map_err(|error| ProviderFailure::Garbled(error.to_string()))?;
    Ok(text.to_owned())
}

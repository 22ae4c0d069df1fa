//! Splits the body of a provider's reply into JSON documents, in bounded memory.

use std::future::ready;
use std::io;
use std::pin::Pin;
use std::time::Duration;

use futures_util::{AsyncBufReadExt, AsyncReadExt, Stream, StreamExt, TryStreamExt, stream};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use sse_stream::{Error as SseError, SseByteStream};
use tokio::time::timeout;
use tokio_util::bytes::Bytes;

use super::model::ModelFailure;
use super::settings::ReplyLimits;

/// The maximum size, in bytes, of an error reply's body. We ignore the rest.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// How long to wait for the end of the body after the last document, so that the connection can be reused.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(50);

/// How a provider separates the documents in its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Server-sent events. Only the data of an event is used.
    Events,
    /// One document per line.
    Lines,
}

type BoxedStream<T> = Pin<Box<dyn Stream<Item = Result<T, ModelFailure>> + Send>>;

/// The documents of a reply. Each document is complete and not blank.
pub(super) type Documents = BoxedStream<String>;

/// Reads the documents of a reply. Fails if the reply is a web page. If events were requested, but the reply
/// has the type `application/json`, the whole reply is one document. The caller must limit the wait for the
/// first chunk.
pub(super) fn read_documents(
    response: Response,
    framing: Framing,
    limits: &ReplyLimits,
) -> Documents {
    let content_type = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    if content_type.starts_with("text/html") {
        let page = ModelFailure::Garbled("it is a web page".to_owned());
        return Box::pin(stream::iter([Err(page)]));
    }
    let chunks = read_chunks(response, limits);
    let documents: Documents = match framing {
        Framing::Events if content_type.starts_with("application/json") => {
            Box::pin(stream::once(read_whole(chunks)))
        }
        Framing::Events => Box::pin(read_events(chunks)),
        Framing::Lines => Box::pin(read_lines(chunks)),
    };
    Box::pin(documents.try_filter(|text| ready(!text.trim().is_empty())))
}

/// Reads the rest of a body, so that the connection can be reused. Gives up after [`DRAIN_TIMEOUT`].
pub(super) async fn drain(documents: Documents) {
    let _ = timeout(DRAIN_TIMEOUT, documents.for_each(|_| ready(()))).await;
}

/// Returns the beginning of an error reply's body, at most [`MAX_ERROR_BYTES`] bytes.
pub(super) async fn read_error_body(mut response: Response, idle: Duration) -> Vec<u8> {
    let mut body = Vec::new();
    while body.len() < MAX_ERROR_BYTES
        && let Ok(Ok(Some(chunk))) = timeout(idle, response.chunk()).await
    {
        body.extend_from_slice(&chunk);
    }
    body.truncate(MAX_ERROR_BYTES);
    body
}

/// Reads the chunks of a reply. Fails if the reply is too long, or if a chunk other than the first takes too long.
fn read_chunks(response: Response, limits: &ReplyLimits) -> BoxedStream<Bytes> {
    let idle = limits.idle;
    let start = (response, limits.max_bytes, Duration::MAX);
    let chunks = stream::try_unfold(start, move |(mut response, bytes_left, wait)| async move {
        let chunk = timeout(wait, response.chunk())
            .await
            .map_err(|_| ModelFailure::TimedOut(wait))?
            .map_err(|_| ModelFailure::early_end())?;
        let Some(chunk) = chunk else { return Ok(None) };
        let bytes_left = usize::checked_sub(bytes_left, chunk.len())
            .ok_or_else(|| ModelFailure::Garbled("it is too long".to_owned()))?;
        Ok(Some((chunk, (response, bytes_left, idle))))
    });
    Box::pin(chunks)
}

async fn read_whole(chunks: BoxedStream<Bytes>) -> Result<String, ModelFailure> {
    let mut whole = String::new();
    let mut reader = chunks.map_err(io::Error::other).into_async_read();
    reader.read_to_string(&mut whole).await.map_err(read_failure)?;
    Ok(whole)
}

fn read_events(
    chunks: BoxedStream<Bytes>,
) -> impl Stream<Item = Result<String, ModelFailure>> + Send {
    SseByteStream::new(chunks).filter_map(async |event| match event {
        Ok(event) => event.data.map(Ok),
        Err(SseError::Body(error)) => {
            let failure = error.downcast_ref::<ModelFailure>().cloned();
            Some(Err(failure.unwrap_or_else(ModelFailure::early_end)))
        }
        Err(error) => Some(Err(ModelFailure::Garbled(error.to_string()))),
    })
}

fn read_lines(
    chunks: BoxedStream<Bytes>,
) -> impl Stream<Item = Result<String, ModelFailure>> + Send {
    let reader = chunks.map_err(io::Error::other).into_async_read();
    reader.lines().map_err(read_failure)
}

/// Returns the failure of the chunks, or else that of the text in them.
fn read_failure(error: io::Error) -> ModelFailure {
    let failure = error.downcast::<ModelFailure>();
    failure.unwrap_or_else(|error| ModelFailure::Garbled(error.to_string()))
}

//! Server-sent events on one connection: a bounded queue between who tells and who listens. Whoever does not take what it
//! is sent is dropped, with its connection.

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use hyper::body::{Body as HttpBody, Frame};
use serde::Serialize;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{Notify, mpsc};
use tokio::time::timeout;

/// Chunks that may wait for a client.
const QUEUE: usize = 4;
/// Bytes that are put together into one chunk, about.
pub(crate) const CHUNK: usize = 32 << 10;
/// How often a silent stream says that it is still there.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(10);

/// The connection that a request came by: whoever has to leave is told so.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClientLine(pub Arc<Notify>);

/// Why a stream is over.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum StreamOver {
    /// The client is gone.
    Gone,
    /// It did not take what it was sent.
    Stalled,
}

/// The telling end.
#[derive(Debug)]
pub(crate) struct EventTeller {
    queue: mpsc::Sender<Bytes>,
    stall: Duration,
    line: ClientLine,
}

impl EventTeller {
    /// Send a chunk; waits no longer than a client may take.
    pub async fn send(&self, chunk: impl Into<Bytes>) -> Result<(), StreamOver> {
        match timeout(self.stall, self.queue.send(chunk.into())).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(StreamOver::Gone),
            Err(_) => {
                // Its socket is full: only an end of the connection frees what it holds.
                self.line.0.notify_one();
                Err(StreamOver::Stalled)
            }
        }
    }

    /// Until the client is gone.
    pub async fn gone(&self) {
        self.queue.closed().await;
    }
}

/// The listening end, as a body.
struct EventBody(mpsc::Receiver<Bytes>);

impl HttpBody for EventBody {
    type Data = Bytes;
    type Error = Infallible;
    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(cx).map(|chunk| chunk.map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// A stream: who tells, and the response that carries it.
pub(crate) fn stream(stall: Duration, line: ClientLine) -> (EventTeller, Response) {
    let (queue, listening) = mpsc::channel(QUEUE);
    let head = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
    (EventTeller { queue, stall, line }, (head, Body::new(EventBody(listening))).into_response())
}

/// One event. Data is JSON on one line, so that it needs no folding.
pub(crate) fn event(id: &str, kind: &str, data: &str) -> Bytes {
    Bytes::from(format!("id: {id}\nevent: {kind}\ndata: {data}\n\n"))
}

/// A value as JSON on one line; what cannot be spelled says so.
pub(crate) fn spelled(value: &impl Serialize) -> String {
    let spelled = serde_json::to_string(value);
    spelled.unwrap_or_else(|e| serde_json::json!({ "problem": e.to_string() }).to_string())
}

/// Where a client stopped listening, if it says so.
pub(crate) fn last_id(headers: &HeaderMap) -> Option<&str> {
    headers.get("last-event-id").and_then(|id| id.to_str().ok()).map(str::trim).filter(|id| !id.is_empty())
}

//! HTTP: connections with limits and patience, the check of who asks, and the way of a body to its answer.

use super::ServeLimits;
use super::crowd::{Crowd, Guest};
use super::guard;
use super::message::{self, HeardCall, RequestBody};
use super::owner::Calls;
use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::timeout;

/// How long calls that are being answered may still take when the server is to stop.
const FAREWELL: Duration = Duration::from_secs(5);

#[derive(Debug, Clone)]
struct Door {
    calls: Calls,
    limits: ServeLimits,
    guest: Arc<Guest>,
}

/// Serve until told to stop.
pub(super) async fn open(
    listener: std::net::TcpListener,
    calls: Calls,
    limits: ServeLimits,
    mut stopping: watch::Receiver<bool>,
) -> std::io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let crowd = Crowd::new(limits.connections);
    loop {
        let next = async {
            let accepted = listener.accept().await;
            // Whoever has not even finished asking makes room for the next one.
            let seat = if accepted.is_ok() { Some(crowd.seat().await) } else { None };
            (accepted, seat)
        };
        let (accepted, seat) = tokio::select! {
            next = next => next,
            _ = stopping.wait_for(|stop| *stop) => break,
        };
        let (Ok((stream, _)), Some(seat)) = (accepted, seat) else {
            // Out of file descriptors, most likely: others have to leave first.
            crowd.make_room();
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let _slower = stream.set_nodelay(true);
        let guest = Arc::clone(seat.guest());
        let door = Door { calls: calls.clone(), limits, guest: Arc::clone(&guest) };
        let service = TowerToHyperService::new(Router::new().fallback(take).with_state(door));
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(limits.head).max_buf_size(64 * 1024);
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        let mut stopping = stopping.clone();
        tokio::spawn(async move {
            let mut connection = std::pin::pin!(connection);
            let stopped = tokio::select! {
                _ = connection.as_mut() => false,
                () = guest.asked_to_leave() => false,
                _ = stopping.wait_for(|stop| *stop) => true,
            };
            if stopped {
                connection.as_mut().graceful_shutdown();
                let _cut_off = timeout(FAREWELL, connection).await;
            }
            drop(seat);
        });
    }
    let _cut_off = timeout(FAREWELL, crowd.empty()).await;
    Ok(())
}

/// Whatever comes in by HTTP.
async fn take(State(door): State<Door>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    if let Err(stranger) = guard::check(&head.uri, &head.headers) {
        return (StatusCode::FORBIDDEN, stranger.words()).into_response();
    }
    let origin = head.headers.get(header::ORIGIN).cloned();
    let response = match head.method {
        Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
        Method::POST if head.uri.path() != "/" => (StatusCode::NOT_FOUND, "ask at /\n").into_response(),
        Method::POST if !is_json(&head.headers) => {
            (StatusCode::UNSUPPORTED_MEDIA_TYPE, "content-type is to be application/json\n").into_response()
        }
        Method::POST => match timeout(door.limits.body, to_bytes(body, door.limits.request)).await {
            Err(_) => (StatusCode::REQUEST_TIMEOUT, "the request took too long\n").into_response(),
            Ok(Err(_)) => {
                let words = format!("a request is at most {} bytes\n", door.limits.request);
                (StatusCode::PAYLOAD_TOO_LARGE, words).into_response()
            }
            Ok(Ok(bytes)) => {
                let _heard = door.guest.is_heard();
                converse(&door, &bytes).await
            }
        },
        _ => (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "POST, OPTIONS")], "POST a call\n").into_response(),
    };
    readable(response, origin)
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

/// Let a page of this machine read the answer: the check has seen that it is one.
fn readable(mut response: Response, origin: Option<HeaderValue>) -> Response {
    if let Some(origin) = origin {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST"));
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("content-type"));
        headers.insert(header::VARY, HeaderValue::from_static("origin"));
    }
    response
}

/// From a body to its answer; what needs none is answered with nothing.
async fn converse(door: &Door, bytes: &[u8]) -> Response {
    let text = match message::read(bytes, door.limits.batch) {
        RequestBody::One(heard) => reply(door, heard, door.limits.answer).await,
        RequestBody::Many(calls) => {
            let mut all = String::new();
            for heard in calls {
                // Commas and brackets, and short errors for the rest of a batch whose answers are too long.
                let room = door.limits.answer.saturating_sub(all.len());
                if let Some(text) = reply(door, heard, room).await {
                    all.push(if all.is_empty() { '[' } else { ',' });
                    all.push_str(&text);
                }
            }
            (!all.is_empty()).then(|| all + "]")
        }
    };
    match text {
        Some(text) => ([(header::CONTENT_TYPE, "application/json")], text).into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    }
}

async fn reply(door: &Door, heard: HeardCall, room: usize) -> Option<String> {
    match heard {
        Err((id, fault)) => Some(message::answer(&id, &Err(fault), room)),
        Ok(asked) => {
            let id = asked.id.clone();
            let outcome = door.calls.ask(asked).await;
            id.map(|id| message::answer(&id, &outcome, room))
        }
    }
}

//! HTTP: connections with limits and patience, the check of who asks, and the way of a request to its answer.

use crate::fault::ApiFault;
use crate::feed::FactsWanted;
use crate::metrics::ServeCounts;
use crate::patience::PatientSocket;
use crate::query::{AskedWords, decoded};
use crate::routes::{ROUTES, RouteKind, ServedRoute};
use crate::seats::{Seats, VisitorSeat};
use crate::sse::{self, ClientLine, EventTeller, StreamOver};
use crate::{ServedHome, assets, guard, metrics, openapi, reads};
use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header, request::Parts};
use axum::response::{IntoResponse, Response};
use golem_core::Usdc;
use golem_home::orders::{OrderAnswer, OwnerCommand};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

/// How long requests that are being answered may still take when the server is to stop.
const FAREWELL: Duration = Duration::from_secs(1);
/// How long a body may take.
const BODY: Duration = Duration::from_secs(10);

/// Serve until told to stop.
pub(crate) async fn open(
    listener: std::net::TcpListener,
    served: ServedHome,
    mut stopping: watch::Receiver<bool>,
) -> std::io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let seats = Seats::new(served.limits.connections);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopping.wait_for(|stop| *stop) => break,
        };
        // Whoever is there may speak before the next one comes: an owner shows its token at once, and keeps its seat.
        if seats.is_full() {
            tokio::task::yield_now().await;
        }
        // Owners have all seats: the newest is sent away, and those who listen stay.
        let (Ok((stream, _)), Some(seat)) = (accepted, seats.take()) else {
            tokio::time::sleep(Duration::from_millis(5)).await;
            continue;
        };
        let _slower = stream.set_nodelay(true);
        let line = ClientLine::default();
        let (leave, seat) = (Arc::clone(&line.0), Arc::new(seat));
        let caller = Caller { line, seat: Arc::clone(&seat) };
        let service = TowerToHyperService::new(Router::new().fallback(take).with_state((served.clone(), caller)));
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(served.limits.head).max_buf_size(64 * 1024);
        let socket = PatientSocket::new(stream, served.limits.stall, Arc::clone(&served.counts));
        let connection = builder.serve_connection(TokioIo::new(socket), service);
        let mut stopping = stopping.clone();
        tokio::spawn(async move {
            let mut connection = std::pin::pin!(connection);
            let stopped = tokio::select! {
                _ = connection.as_mut() => false,
                () = leave.notified() => false,
                () = seat.given_away() => false,
                _ = stopping.wait_for(|stop| *stop) => true,
            };
            if stopped {
                connection.as_mut().graceful_shutdown();
                let _cut_off = timeout(FAREWELL, connection).await;
            }
        });
    }
    let _cut_off = timeout(FAREWELL * 2, seats.empty()).await;
    Ok(())
}

/// Who asks: its connection, and where it sits.
#[derive(Debug, Clone)]
struct Caller {
    line: ClientLine,
    seat: Arc<VisitorSeat>,
}

/// Whatever comes in by HTTP.
async fn take(State((served, caller)): State<(ServedHome, Caller)>, request: Request) -> Response {
    ServeCounts::one(&served.counts.requests);
    let answered = answer(&served, caller, request).await;
    let response = answered.unwrap_or_else(|fault| {
        ServeCounts::one(&served.counts.refused);
        fault.into_response()
    });
    assets::dressed(response)
}

async fn answer(served: &ServedHome, caller: Caller, request: Request) -> Result<Response, ApiFault> {
    let (head, body) = request.into_parts();
    guard::known(&head.uri, &head.headers, served.anywhere)?;
    let path = head.uri.path();
    if let Some(file) = assets::file(path) {
        let looks = head.method == Method::GET || head.method == Method::HEAD;
        return if looks { Ok(file) } else { Err(ApiFault::method("GET, HEAD")) };
    }
    guard::owner(&head.headers, served)?;
    caller.seat.is_owners();
    let line = caller.line;
    let Some((route, id)) = find(path) else {
        return Err(ApiFault::absent("there is nothing at that path", "see /api/openapi.json"));
    };
    let (method, allow) = if route.is_post() { (Method::POST, "POST") } else { (Method::GET, "GET") };
    if head.method != method {
        return Err(ApiFault::method(allow));
    }
    let id = decoded_path(id)?;
    let asked = AskedWords::read(id, head.uri.query(), route.words)?;
    match route.kind {
        RouteKind::Read(word) => {
            let inner = served.clone();
            let told = at_a_desk(&served.desks, move || reads::answer(word, &asked, &inner)).await?;
            Ok(json(told))
        }
        RouteKind::Relive(word) => {
            let inner = served.clone();
            let told = at_a_desk(&served.slow_desk, move || reads::answer(word, &asked, &inner)).await?;
            Ok(json(told))
        }
        RouteKind::Report => {
            let inner = served.clone();
            let html = at_a_desk(&served.slow_desk, move || reads::report(&asked, &inner)).await?;
            Ok(assets::report(html))
        }
        RouteKind::Metrics => {
            let inner = served.clone();
            let page = at_a_desk(&served.desks, move || metrics::page(&inner).map_err(ApiFault::from)).await?;
            Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], page).into_response())
        }
        RouteKind::Description => Ok(json(openapi::description().to_string())),
        RouteKind::GolemEvents => golem_events(served, line, asked, &head).await,
        RouteKind::HomeEvents => Ok(home_events(served, line, &head.headers)),
        RouteKind::Order => {
            if !is_json(&head.headers) {
                return Err(ApiFault::not_json());
            }
            // Somewhat more is read than is taken: whoever is cut off in the middle never hears why.
            let most = served.limits.body;
            let bytes = match timeout(BODY, to_bytes(body, most * 8)).await {
                Ok(Ok(bytes)) if bytes.len() <= most => bytes,
                Ok(_) => return Err(ApiFault::too_long(most)),
                Err(_) => return Err(ApiFault::bad("the request took too long")),
            };
            let inner = served.clone();
            let told = at_a_desk(&served.errands, move || order(&inner, &asked.id, &bytes)).await?;
            let text = serde_json::to_string(&told).map_err(|_| ApiFault::broke())?;
            Ok(json(text))
        }
    }
}

/// The route of a path, and the golem that it names.
fn find(path: &str) -> Option<(&'static ServedRoute, &str)> {
    ROUTES.iter().find_map(|route| match route.path.split_once("{id}") {
        None => (route.path == path).then_some((route, "")),
        Some((begin, end)) => {
            let id = path.strip_prefix(begin)?.strip_suffix(end)?;
            (!id.is_empty() && !id.contains('/')).then_some((route, id))
        }
    })
}

fn decoded_path(id: &str) -> Result<String, ApiFault> {
    // In a path a plus is a plus.
    decoded(&id.replace('+', "%2B")).ok_or_else(|| ApiFault::bad("the path is not UTF-8 text"))
}

/// Read files away from the sockets, not too many at a time.
async fn at_a_desk<T: Send + 'static>(
    desks: &Semaphore,
    work: impl FnOnce() -> Result<T, ApiFault> + Send + 'static,
) -> Result<T, ApiFault> {
    let _desk = desks.acquire().await.map_err(|_| ApiFault::broke())?;
    tokio::task::spawn_blocking(work).await.map_err(|_| ApiFault::broke())?
}

fn json(text: impl IntoResponse) -> Response {
    let mut response = (StatusCode::OK, text).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
    response
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

/// An order. What cannot be undone is said with the golem's name.
fn order(served: &ServedHome, id: &str, bytes: &[u8]) -> Result<OrderAnswer, ApiFault> {
    let place = served.reader.place(id).map_err(|fail| ApiFault::nobody(&fail))?;
    let mut said: Value = serde_json::from_slice(bytes).map_err(|e| ApiFault::bad(format!("no JSON: {e}")))?;
    if let Some(words) = said.get_mut("usdc") {
        // Money is text here too, as people type it.
        let amount: Option<Usdc> = words.as_str().and_then(|text| text.parse().ok());
        let amount = amount.ok_or_else(|| ApiFault::bad("usdc is USDC as text, such as \"12.50\""))?;
        *words = serde_json::json!(amount);
    }
    let confirmed = said.as_object_mut().and_then(|words| words.remove("confirm"));
    let command: OwnerCommand = serde_json::from_value(said).map_err(|e| ApiFault::bad(format!("no order: {e}")))?;
    let meant = confirmed.as_ref().and_then(Value::as_str) == Some(place.name.as_str());
    if matches!(command, OwnerCommand::Kill { .. }) && !meant {
        return Err(ApiFault::bad(format!("to kill it, say its name: \"confirm\": \"{}\"", place.name)));
    }
    Ok(served.reader.command(&place.id.to_string(), &command)?)
}

async fn golem_events(
    served: &ServedHome,
    line: ClientLine,
    asked: AskedWords,
    head: &Parts,
) -> Result<Response, ApiFault> {
    let wanted = FactsWanted::named(asked.text("facts"));
    let after = match sse::last_id(&head.headers) {
        Some(id) => match id.parse::<i64>() {
            Ok(place) if place >= -1 => Some(place),
            _ => return Err(ApiFault::bad("Last-Event-ID is the id of an event of this stream")),
        },
        None => asked.number("after").and_then(|n| i64::try_from(n).ok()),
    };
    let feeds = served.feeds.clone();
    let found = at_a_desk(&served.desks, move || feeds.of(&asked.id).map_err(|fail| ApiFault::nobody(&fail))).await?;
    let (feed, first) = found;
    if first {
        let (feeds, feed) = (served.feeds.clone(), Arc::downgrade(&feed));
        tokio::spawn(async move { feeds.keep(feed).await });
    }
    let (teller, response) = sse::stream(served.limits.stall, line);
    let counts = Arc::clone(&served.counts);
    tokio::spawn(listening(counts, teller, async move |to: &EventTeller| feed.tell(to, after, wanted).await));
    Ok(response)
}

fn home_events(served: &ServedHome, line: ClientLine, headers: &HeaderMap) -> Response {
    let (news, first) = served.fleet.subscribe();
    if first {
        tokio::spawn(served.fleet.clone().keep());
    }
    let last = sse::last_id(headers).map(ToOwned::to_owned);
    let (teller, response) = sse::stream(served.limits.stall, line);
    let (fleet, counts) = (served.fleet.clone(), Arc::clone(&served.counts));
    tokio::spawn(listening(counts, teller, async move |to: &EventTeller| fleet.tell(to, news, last.as_deref()).await));
    response
}

/// Tell somebody, and count.
async fn listening(counts: Arc<ServeCounts>, teller: EventTeller, tell: impl AsyncFnOnce(&EventTeller) -> StreamOver) {
    ServeCounts::one(&counts.streams);
    let over = tell(&teller).await;
    ServeCounts::less(&counts.streams);
    if over == StreamOver::Stalled {
        ServeCounts::one(&counts.stalled);
    }
}

//! HTTP: connections with limits and patience, TLS where it is wanted, the socket's upgrade, and reads.

use crate::counts::RelayCounts;
use crate::relay::Relay;
use crate::{reads, session};
use axum::body::Body;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{FromRequestParts, Request};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use styx_wire::limits::FRAME_BYTES;
use styx_wire::{RateBucket, RelayLimits};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

/// Where golems knock.
pub const SOCKET_PATH: &str = "/v1/styx/ws";
/// How long a request over HTTP may take to be said.
const HEAD: Duration = Duration::from_secs(5);
const FAREWELL: Duration = Duration::from_secs(4);

/// A certificate chain and its key, as a server shows them.
pub(crate) fn acceptor(chain: &[u8], key: &[u8]) -> Result<TlsAcceptor, String> {
    let chain: Vec<CertificateDer<'static>> =
        CertificateDer::pem_slice_iter(chain).collect::<Result<_, _>>().map_err(|e| e.to_string())?;
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|e| e.to_string())?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| e.to_string())?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|e| e.to_string())?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// A stream of bytes, with or without TLS.
trait Wire: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Wire for T {}

/// Where connections come from.
pub trait ConnectionSource: Send {
    /// A connection, as bytes.
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;
    /// The next one, and from where.
    fn next_connection(&self) -> impl Future<Output = std::io::Result<(Self::Stream, SocketAddr)>> + Send;
}

impl ConnectionSource for TcpListener {
    type Stream = TcpStream;
    async fn next_connection(&self) -> std::io::Result<(TcpStream, SocketAddr)> {
        let (stream, from) = self.accept().await?;
        let _slower = stream.set_nodelay(true);
        Ok((stream, from))
    }
}

/// How long somebody from whose address nothing good came stands before the door that does not open, and how many do at the same time:
/// who knocks as fast as it can would cost more than those who are here.
const OUTSIDE: Duration = Duration::from_secs(1);
const MOST_OUTSIDE: usize = 512;
/// Addresses that are remembered although nobody is here from them.
const REMEMBERED: usize = 16_384;

/// Who came from where, and how often it came to nothing.
#[derive(Default)]
struct DoorBook {
    addresses: BTreeMap<IpAddr, AddressUse>,
}

struct AddressUse {
    here: usize,
    failures: RateBucket,
}

impl DoorBook {
    fn of(&mut self, from: IpAddr, limits: &RelayLimits, now_ms: u64) -> &mut AddressUse {
        if self.addresses.len() >= REMEMBERED && !self.addresses.contains_key(&from) {
            // Whoever is gone and has nothing against it is forgotten; where that is nobody, whoever is gone.
            self.addresses.retain(|_, used| used.here > 0 || !used.failures.is_full(limits.failures, now_ms));
            if self.addresses.len() >= REMEMBERED {
                self.addresses.retain(|_, used| used.here > 0);
            }
        }
        let fresh = || AddressUse { here: 0, failures: RateBucket::full(limits.failures, now_ms) };
        self.addresses.entry(from).or_insert_with(fresh)
    }
}

type SharedBook = Arc<Mutex<DoorBook>>;

/// Whoever has one address of the sixth version has a network of them.
fn household(from: IpAddr) -> IpAddr {
    match from.to_canonical() {
        IpAddr::V4(v4) => IpAddr::V4(v4),
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
    }
}

/// A place for one connection, counted for its address.
struct DoorSeat {
    _seat: OwnedSemaphorePermit,
    from: IpAddr,
    book: SharedBook,
}

fn lock(book: &SharedBook) -> MutexGuard<'_, DoorBook> {
    book.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Why there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NoSeat {
    /// Too many are here.
    Full,
    /// Too much from this address came to nothing.
    Failed,
}

impl DoorSeat {
    fn take(
        seats: &Arc<Semaphore>,
        book: &SharedBook,
        from: IpAddr,
        limits: &RelayLimits,
        now_ms: u64,
    ) -> Result<Self, NoSeat> {
        let seat = Arc::clone(seats).try_acquire_owned().map_err(|_| NoSeat::Full)?;
        let from = household(from);
        let mut all = lock(book);
        let used = all.of(from, limits, now_ms);
        if used.here >= limits.connections_per_address {
            return Err(NoSeat::Full);
        }
        let mut failures = used.failures;
        failures.take(limits.failures, 1, now_ms).map_err(|_| NoSeat::Failed)?;
        used.here += 1;
        Ok(Self { _seat: seat, from, book: Arc::clone(book) })
    }

    /// It came to nothing.
    fn failed(&self, limits: &RelayLimits, now_ms: u64) {
        let _empty = lock(&self.book).of(self.from, limits, now_ms).failures.take(limits.failures, 1, now_ms);
    }
}

impl Drop for DoorSeat {
    fn drop(&mut self) {
        if let Some(used) = lock(&self.book).addresses.get_mut(&self.from) {
            used.here = used.here.saturating_sub(1);
        }
    }
}

/// Let people in until told to stop, then see everybody out.
pub(crate) async fn open(
    doors: impl ConnectionSource,
    tls: Option<TlsAcceptor>,
    relay: Arc<Relay>,
    mut stopping: watch::Receiver<bool>,
) {
    let limits = relay.desk.limits;
    let seats = Arc::new(Semaphore::new(limits.connections));
    let (book, outside) = (SharedBook::default(), Arc::new(Semaphore::new(MOST_OUTSIDE)));
    loop {
        let accepted = tokio::select! {
            accepted = doors.next_connection() => accepted,
            _ = stopping.wait_for(|stop| *stop) => break,
        };
        let Ok((stream, from)) = accepted else {
            tokio::time::sleep(Duration::from_millis(5)).await;
            continue;
        };
        // Too many: the newest is sent away, and those who are here stay.
        let seat = match DoorSeat::take(&seats, &book, from.ip(), &limits, relay.desk.now_ms()) {
            Ok(seat) => seat,
            Err(why) => {
                RelayCounts::one(&relay.counts.turned_away);
                if let (NoSeat::Failed, Ok(place)) = (why, Arc::clone(&outside).try_acquire_owned()) {
                    tokio::spawn(async move {
                        tokio::time::sleep(OUTSIDE).await;
                        drop((stream, place));
                    });
                }
                continue;
            }
        };
        let (relay, tls, stopping) = (Arc::clone(&relay), tls.clone(), stopping.clone());
        tokio::spawn(async move {
            let stream: Box<dyn Wire> = match tls {
                None => Box::new(stream),
                Some(tls) => match timeout(HEAD, tls.accept(stream)).await {
                    Ok(Ok(stream)) => Box::new(stream),
                    Ok(Err(_)) | Err(_) => return seat.failed(&limits, relay.desk.now_ms()),
                },
            };
            serve(stream, relay, Arc::new(seat), stopping).await;
        });
    }
    drop(doors);
    relay.hubs.everybody_leaves();
    let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
    let _cut_off = timeout(FAREWELL, seats.acquire_many(all)).await;
}

async fn serve(stream: Box<dyn Wire>, relay: Arc<Relay>, seat: Arc<DoorSeat>, mut stopping: watch::Receiver<bool>) {
    let said = Arc::new(AtomicBool::new(false));
    let (at, from, heard) = (Arc::clone(&relay), Arc::clone(&seat), Arc::clone(&said));
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        heard.store(true, Ordering::Relaxed);
        let (relay, seat) = (Arc::clone(&at), Arc::clone(&from));
        async move { Ok::<_, Infallible>(take(relay, seat, request.map(Body::new)).await) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(16 * 1024);
    let connection = builder.serve_connection(TokioIo::new(stream), service).with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let stopped = tokio::select! {
        _ = connection.as_mut() => false,
        _ = stopping.wait_for(|stop| *stop) => true,
    };
    if stopped {
        connection.as_mut().graceful_shutdown();
        let _cut_off = timeout(FAREWELL, connection).await;
    } else if !said.load(Ordering::Relaxed) {
        // It dripped, or said something else than HTTP.
        seat.failed(&relay.desk.limits, relay.desk.now_ms());
    }
}

/// Whatever comes in by HTTP.
async fn take(relay: Arc<Relay>, seat: Arc<DoorSeat>, request: Request) -> Response {
    RelayCounts::one(&relay.counts.requests);
    let (mut head, _body) = request.into_parts();
    // Golems are no pages: whatever a browser sends from elsewhere is not answered.
    if head.headers.contains_key(header::ORIGIN) {
        return StatusCode::FORBIDDEN.into_response();
    }
    if head.method != Method::GET {
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET")]).into_response();
    }
    if head.uri.path() != SOCKET_PATH {
        return reads::answer(&relay, &head).await;
    }
    match WebSocketUpgrade::from_request_parts(&mut head, &()).await {
        Ok(upgrade) => upgrade
            .max_message_size(FRAME_BYTES)
            .max_frame_size(FRAME_BYTES)
            .read_buffer_size(4_096)
            .write_buffer_size(0)
            .max_write_buffer_size(2 * FRAME_BYTES)
            .on_upgrade(move |socket| async move {
                if session::run(socket, Arc::clone(&relay)).await {
                    seat.failed(&relay.desk.limits, relay.desk.now_ms());
                }
                drop(seat);
            }),
        Err(refused) => refused.into_response(),
    }
}

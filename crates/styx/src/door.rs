//! HTTP: connections with limits and patience, TLS where it is wanted, the socket's upgrade, and reads.

use crate::counts::RelayCounts;
use crate::relay::Relay;
use crate::{reads, session};
use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use styx_wire::limits::FRAME_BYTES;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
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

type SeatCounts = Arc<Mutex<BTreeMap<IpAddr, usize>>>;

/// A place for one connection, counted for its address.
struct DoorSeat {
    _seat: OwnedSemaphorePermit,
    from: IpAddr,
    addresses: SeatCounts,
}

impl DoorSeat {
    fn take(seats: &Arc<Semaphore>, addresses: &SeatCounts, from: IpAddr, most: usize) -> Option<Self> {
        let seat = Arc::clone(seats).try_acquire_owned().ok()?;
        let mut all = addresses.lock().unwrap_or_else(PoisonError::into_inner);
        let here = all.entry(from).or_default();
        if *here >= most {
            return None;
        }
        *here += 1;
        Some(Self { _seat: seat, from, addresses: Arc::clone(addresses) })
    }
}

impl Drop for DoorSeat {
    fn drop(&mut self) {
        let mut all = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(here) = all.get_mut(&self.from) {
            *here = here.saturating_sub(1);
            if *here == 0 {
                all.remove(&self.from);
            }
        }
    }
}

/// Let people in until told to stop, then see everybody out.
pub(crate) async fn open(
    listener: std::net::TcpListener,
    tls: Option<TlsAcceptor>,
    relay: Arc<Relay>,
    mut stopping: watch::Receiver<bool>,
) {
    let Ok(listener) = TcpListener::from_std(listener) else { return };
    let limits = relay.desk.limits;
    let seats = Arc::new(Semaphore::new(limits.connections));
    let addresses = SeatCounts::default();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopping.wait_for(|stop| *stop) => break,
        };
        let Ok((stream, from)) = accepted else {
            tokio::time::sleep(Duration::from_millis(5)).await;
            continue;
        };
        // Too many: the newest is sent away, and those who are here stay.
        let Some(seat) = DoorSeat::take(&seats, &addresses, from.ip(), limits.connections_per_address) else {
            RelayCounts::one(&relay.counts.turned_away);
            continue;
        };
        let _slower = stream.set_nodelay(true);
        let (relay, tls, stopping) = (Arc::clone(&relay), tls.clone(), stopping.clone());
        tokio::spawn(async move {
            let stream: Box<dyn Wire> = match tls {
                None => Box::new(stream),
                Some(tls) => match timeout(HEAD, tls.accept(stream)).await {
                    Ok(Ok(stream)) => Box::new(stream),
                    Ok(Err(_)) | Err(_) => return,
                },
            };
            serve(stream, relay, Arc::new(seat), stopping).await;
        });
    }
    drop(listener);
    relay.hubs.everybody_leaves();
    let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
    let _cut_off = timeout(FAREWELL, seats.acquire_many(all)).await;
}

async fn serve(stream: Box<dyn Wire>, relay: Arc<Relay>, seat: Arc<DoorSeat>, mut stopping: watch::Receiver<bool>) {
    let service = TowerToHyperService::new(Router::new().fallback(take).with_state((relay, seat)));
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
    }
}

/// Whatever comes in by HTTP.
async fn take(State((relay, seat)): State<(Arc<Relay>, Arc<DoorSeat>)>, request: Request) -> Response {
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
                session::run(socket, relay).await;
                drop(seat);
            }),
        Err(refused) => refused.into_response(),
    }
}

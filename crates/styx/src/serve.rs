//! The relay as a server: a listener, seats, sessions, a writer, a broom; and an end that loses nothing.

use crate::counts::RelayCounts;
use crate::desk::RelayDesk;
use crate::door::ConnectionSource;
use crate::hub::RelayHubs;
use crate::relay::Relay;
use crate::store::StoreFault;
use crate::writer::LogWriter;
use crate::{door, hints};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};

/// Reads of the store at the same time.
const DESKS: usize = 8;
/// How often time takes away what is over.
const SWEEP: Duration = Duration::from_secs(60);
/// How often a relay that shares its store looks for itself whether a log has grown: hints may be lost.
const LOOK: Duration = Duration::from_millis(500);
/// How long sessions may take to end.
const FAREWELL: Duration = Duration::from_secs(5);

/// Where, for whom, and with what.
#[derive(Debug, Clone)]
pub struct RelayAddress {
    pub listen: SocketAddr,
    /// Whether other machines may reach it.
    pub anywhere: bool,
    /// The names, with their ports, that golems dial it by, besides its own address.
    pub names: Vec<String>,
    /// Certificate chain and key for TLS, as PEM.
    pub tls: Option<(Vec<u8>, Vec<u8>)>,
    /// A NATS server through which relays that share a store wake each other.
    pub hints: Option<String>,
    /// Whether other relays write into the same store.
    pub shared: bool,
    /// Threads that serve sockets.
    pub threads: usize,
}

impl RelayAddress {
    /// On this machine alone, at any free port.
    #[must_use]
    pub fn loopback() -> Self {
        let listen = SocketAddr::from(([127, 0, 0, 1], 0));
        Self { listen, anywhere: false, names: Vec::new(), tls: None, hints: None, shared: false, threads: 2 }
    }
}

/// Why the relay could not begin.
#[derive(Debug, thiserror::Error)]
pub enum RelayStartFault {
    /// Not an address of this machine, and nobody said that others may come.
    #[error("{0} can be reached from other machines")]
    NotLoopback(SocketAddr),
    #[error("cannot listen on {address}: {why}")]
    Listen { address: SocketAddr, why: std::io::Error },
    #[error("the certificate for TLS: {0}")]
    Tls(String),
    #[error("hints between relays: {0}")]
    Hints(String),
    #[error(transparent)]
    Store(#[from] StoreFault),
    #[error("cannot serve: {0}")]
    System(std::io::Error),
}

impl RelayStartFault {
    /// What would help.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotLoopback(_) => {
                Some("listen on 127.0.0.1, or say --anywhere if you mean it, with a certificate for TLS")
            }
            Self::Listen { .. } => Some("another process has that port, or it is not this machine's"),
            Self::Tls(_) => Some("give the certificate chain and its key as PEM files"),
            Self::Hints(_) => Some("this build may be without `nats`, or the server cannot be reached"),
            Self::Store(_) | Self::System(_) => None,
        }
    }
}

/// A relay that runs in threads of its own until it is told to stop.
#[derive(Debug)]
pub struct RelayServer {
    address: SocketAddr,
    counts: Arc<RelayCounts>,
    stop: watch::Sender<bool>,
    doors: JoinHandle<()>,
    writing: JoinHandle<()>,
}

impl RelayServer {
    /// Where it listens; the port is known even when any was asked for.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
    /// What it has done.
    #[must_use]
    pub fn counts(&self) -> &RelayCounts {
        &self.counts
    }
    /// Take no more connections, finish what came in, tell everybody, and write what waits.
    pub fn stop(self) {
        let _nobody_listens = self.stop.send(true);
        let _gone = self.doors.join();
        let _gone = self.writing.join();
    }
}

/// Begin.
///
/// # Errors
/// [`RelayStartFault::NotLoopback`] for an address that others can reach, unless that was said; or when something cannot be had.
pub fn start(desk: RelayDesk, at: RelayAddress) -> Result<RelayServer, RelayStartFault> {
    let RelayAddress { listen, anywhere, names, tls, hints: hinting, shared, threads } = at;
    if !listen.ip().is_loopback() && !anywhere {
        return Err(RelayStartFault::NotLoopback(listen));
    }
    let tls = tls.map(|(chain, key)| door::acceptor(&chain, &key)).transpose().map_err(RelayStartFault::Tls)?;
    let refused = |why| RelayStartFault::Listen { address: listen, why };
    let listener = std::net::TcpListener::bind(listen).map_err(refused)?;
    listener.set_nonblocking(true).map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads.max(1))
        .max_blocking_threads(DESKS + 8)
        .enable_all()
        .build()
        .map_err(RelayStartFault::System)?;
    let (stop, stopping) = watch::channel(false);
    let (hubs, counts) = (Arc::new(RelayHubs::default()), Arc::new(RelayCounts::default()));
    let hint = match hinting {
        Some(url) => runtime.block_on(hints::join(&url, Arc::clone(&hubs))).map_err(RelayStartFault::Hints)?,
        None => Box::new(|_, _| {}),
    };
    let (writer, scribe) = LogWriter::new(desk.clone(), Arc::clone(&hubs), Arc::clone(&counts), hint);
    let writing = scribe.in_a_thread().map_err(RelayStartFault::System)?;
    let around = (desk, hubs, Arc::clone(&counts), writer);
    let relay = relay(around, names, address.port(), stopping.clone(), true);
    let open = move || {
        runtime.block_on(async {
            tokio::spawn(sweep(Arc::clone(&relay)));
            if shared {
                tokio::spawn(look(Arc::clone(&relay)));
            }
            if let Ok(listener) = tokio::net::TcpListener::from_std(listener) {
                door::open(listener, tls, Arc::clone(&relay), stopping).await;
            }
        });
        // Whatever still runs ends here, and with it the last line to the writer.
        runtime.shutdown_timeout(FAREWELL);
        drop(relay);
    };
    let doors =
        std::thread::Builder::new().name("styx doors".to_owned()).spawn(open).map_err(RelayStartFault::System)?;
    Ok(RelayServer { address, counts, stop, doors, writing })
}

type RelayParts = (RelayDesk, Arc<RelayHubs>, Arc<RelayCounts>, LogWriter);

fn relay(
    (desk, hubs, counts, writer): RelayParts,
    names: Vec<String>,
    port: u16,
    stopping: watch::Receiver<bool>,
    threads: bool,
) -> Arc<Relay> {
    let (strangers, desks, entering) =
        (Semaphore::new(desk.limits.strangers), Semaphore::new(DESKS), Semaphore::new(DESKS / 2));
    Arc::new(Relay { desk, hubs, counts, writer, strangers, desks, entering, threads, names, port, stopping })
}

/// A relay among the tasks of whoever calls, at doors of their own, until it is told to stop or is dropped. It starts no thread and asks
/// the store there and then, so that it runs wherever tasks do: in a program of one thread, or in a network that is made up.
pub async fn serve_here(
    desk: RelayDesk,
    names: Vec<String>,
    doors: impl ConnectionSource,
    stopping: watch::Receiver<bool>,
) {
    let (hubs, counts) = (Arc::new(RelayHubs::default()), Arc::new(RelayCounts::default()));
    let (writer, scribe) = LogWriter::new(desk.clone(), Arc::clone(&hubs), Arc::clone(&counts), Box::new(|_, _| {}));
    let relay = relay((desk, hubs, counts, writer), names, 0, stopping.clone(), false);
    let writing = tokio::spawn(scribe.here());
    let sweeping = tokio::spawn(sweep(Arc::clone(&relay)));
    door::open(doors, None, relay, stopping).await;
    let _over = sweeping.await;
    let _over = writing.await;
}

async fn sweep(relay: Arc<Relay>) {
    let mut stopping = relay.stopping.clone();
    loop {
        if let Ok(swept) = relay.at_desk(RelayDesk::sweep).await {
            let n = swept.deltas + swept.marks + swept.manifests;
            relay.counts.swept.fetch_add(n, Ordering::Relaxed);
        }
        renew(&relay).await;
        tokio::select! {
            () = tokio::time::sleep(SWEEP) => {}
            _ = stopping.wait_for(|stop| *stop) => return,
        }
    }
}

/// Hold who is here against the store.
async fn renew(relay: &Relay) {
    for owner in relay.hubs.owners() {
        let asked = relay.at_desk(move |desk| Ok((desk.bounds(owner)?, desk.least_epoch(owner)?))).await;
        if let Ok((bounds, least_epoch)) = asked {
            relay.hubs.reaches(owner, bounds.head);
            relay.hubs.renewed(owner, least_epoch, bounds.bytes);
        }
    }
}

/// Look for oneself how far the logs go of those who are here, and who was revoked at another relay.
async fn look(relay: Arc<Relay>) {
    let mut stopping = relay.stopping.clone();
    loop {
        renew(&relay).await;
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            _ = stopping.wait_for(|stop| *stop) => return,
        }
    }
}

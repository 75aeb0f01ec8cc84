//! An owner's home over HTTP: one page, an API with live events, and metrics. Where to begin: [`start`]; `door` is the
//! connections, `guard` who may ask, `routes` the table of what can be asked, `feed` and `fleet` what is live.
//!
//! Readers make short reads of golems' files, and one reader serves all who watch the same golem. Whoever reads too slowly
//! is dropped, whatever it was sent; no golem waits for anybody here.

mod assets;
mod door;
mod fault;
mod feed;
mod fleet;
mod guard;
mod metrics;
mod openapi;
mod patience;
mod query;
mod reads;
mod routes;
mod seats;
mod shapes;
mod sse;
mod token;

pub use routes::{ROUTES, ReadWord, RouteKind, ServedRoute};
pub use token::{AccessToken, TOKEN_FILE};

use golem_home::{Home, HomeReader};
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::watch;

/// What one client may ask of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebLimits {
    /// Bytes of a request's body.
    pub body: usize,
    /// Connections at a time.
    pub connections: usize,
    /// Files that are read at the same time.
    pub reads: usize,
    /// How long the head of a request may take, and a connection may be silent.
    pub head: Duration,
    /// How long a client may take for what it was sent before it is dropped.
    pub stall: Duration,
    /// How often a golem that is watched is looked at.
    pub poll: Duration,
}

impl Default for WebLimits {
    fn default() -> Self {
        Self {
            body: 64 << 10,
            connections: 256,
            reads: 4,
            head: Duration::from_secs(5),
            stall: Duration::from_secs(10),
            poll: Duration::from_millis(100),
        }
    }
}

/// Where, and for whom.
#[derive(Debug, Clone, Copy)]
pub struct WebAddress {
    pub listen: SocketAddr,
    /// Whether other machines may reach it.
    pub anywhere: bool,
}

/// Why the server could not begin.
#[derive(Debug, thiserror::Error)]
pub enum WebFault {
    /// Not an address of this machine, and nobody said that others may come.
    #[error("{0} can be reached from other machines")]
    NotLoopback(SocketAddr),
    /// The address cannot be had.
    #[error("cannot listen on {address}: {why}")]
    Listen { address: SocketAddr, why: std::io::Error },
    /// The token cannot be kept or read.
    #[error("{0}")]
    Token(String),
    /// The system gave no thread or no timer.
    #[error("cannot serve: {0}")]
    System(std::io::Error),
}

impl WebFault {
    /// What would help.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotLoopback(_) => Some(
                "listen on 127.0.0.1, or say --anywhere if you mean it: whoever has the token can then read and order from afar, \
                 and nothing is encrypted",
            ),
            Self::Token(_) => Some("take the file away: a new token is made at the next start"),
            Self::Listen { .. } | Self::System(_) => None,
        }
    }
}

/// Everything that a request needs.
#[derive(Debug, Clone)]
pub(crate) struct ServedHome {
    pub reader: Arc<HomeReader>,
    pub token: Arc<AccessToken>,
    pub limits: WebLimits,
    pub anywhere: bool,
    pub feeds: feed::GolemFeeds,
    pub fleet: fleet::HomeFleet,
    pub counts: Arc<metrics::ServeCounts>,
    /// So many files are read at the same time.
    pub desks: Arc<tokio::sync::Semaphore>,
    /// Lives are lived again one at a time, and keep no reader waiting.
    pub slow_desk: Arc<tokio::sync::Semaphore>,
    /// Orders wait for answers: they have places of their own, and keep no reader waiting.
    pub errands: Arc<tokio::sync::Semaphore>,
}

/// A server that runs in a thread of its own until it is told to stop.
#[derive(Debug)]
pub struct WebServer {
    address: SocketAddr,
    token: Arc<AccessToken>,
    stop: watch::Sender<bool>,
    door: JoinHandle<()>,
}

impl WebServer {
    /// Where it listens; the port is known even when any was asked for.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What is typed into a browser.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// What owners prove themselves with.
    #[must_use]
    pub fn token(&self) -> &AccessToken {
        &self.token
    }

    /// Take no more requests and answer those that are there.
    pub fn stop(self) {
        let _nobody_listens = self.stop.send(true);
        let _gone = self.door.join();
    }
}

/// Serve a home.
///
/// # Errors
/// [`WebFault::NotLoopback`] for an address that others can reach, unless that was said; or when it cannot be had.
pub fn start(home: Home, at: WebAddress, limits: WebLimits) -> Result<WebServer, WebFault> {
    let WebAddress { listen, anywhere } = at;
    if !listen.ip().is_loopback() && !anywhere {
        return Err(WebFault::NotLoopback(listen));
    }
    let token = Arc::new(AccessToken::of(home.path())?);
    let refused = |why| WebFault::Listen { address: listen, why };
    let listener = std::net::TcpListener::bind(listen).map_err(refused)?;
    listener.set_nonblocking(true).map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    let (stop, stopping) = watch::channel(false);
    let reader = Arc::new(HomeReader::open(home));
    let counts = Arc::new(metrics::ServeCounts::default());
    let served = ServedHome {
        feeds: feed::GolemFeeds::new(Arc::clone(&reader), limits.poll),
        fleet: fleet::HomeFleet::new(Arc::clone(&reader)),
        reader,
        token: Arc::clone(&token),
        limits,
        anywhere,
        counts,
        desks: Arc::new(tokio::sync::Semaphore::new(limits.reads)),
        slow_desk: Arc::new(tokio::sync::Semaphore::new(1)),
        errands: Arc::new(tokio::sync::Semaphore::new(limits.reads)),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(limits.reads * 2 + 8)
        .build()
        .map_err(WebFault::System)?;
    let open = move || {
        let done = runtime.block_on(door::open(listener, served, stopping));
        drop(done);
    };
    let door = std::thread::Builder::new().name("web door".to_owned()).spawn(open).map_err(WebFault::System)?;
    Ok(WebServer { address, token, stop, door })
}

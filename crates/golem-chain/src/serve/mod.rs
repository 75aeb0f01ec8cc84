//! A JSON-RPC server over an embedded chain, for `cast`, ethers, viem and whatever else speaks to nodes. Where to begin:
//! [`start`]; `door` is HTTP, `message` JSON-RPC, `methods` the list of what can be asked.
//!
//! It listens on this machine only, answers no web page from elsewhere, and has no keys: transactions come in signed, and
//! their signatures are checked here. Each is carried out at once, in a block of its own.

mod answers;
mod calls;
mod crowd;
mod desk;
mod door;
mod fault;
mod fees;
mod guard;
mod inbox;
mod logs;
mod message;
mod methods;
mod owner;
mod params;
mod request;
mod runs;

pub use methods::METHODS;

use crate::embedded::{ChainError, EmbeddedChain};
use alloy_primitives::{Address, address};
use desk::ServedChain;
use std::net::SocketAddr;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::watch;

/// An account for trying things out. Everybody knows its key: it is for chains that are gone afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Development {
    /// Its key, in hex.
    pub key: &'static str,
    /// Its address.
    pub address: Address,
}

/// The one: its key is the hash of the words "bardo development account".
pub const DEVELOPMENT: Development = Development {
    key: "0x2349bb227f8a76202a2c793d757686fca9a680276a0a40a14ce1d786fd0d9266",
    address: address!("0x4D10C62AaD0872cD01a8f3Dc4B3d4264a05beCe7"),
};

/// What one client may ask of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServeLimits {
    /// Bytes of a request.
    pub request: usize,
    /// Bytes of an answer.
    pub answer: usize,
    /// Calls in one request.
    pub batch: usize,
    /// Connections at a time; for further ones those leave that have not finished asking.
    pub connections: usize,
    /// How long the head of a request may take, and a connection may be silent.
    pub head: Duration,
    /// How long the rest of it may take.
    pub body: Duration,
    /// Blocks that one search for logs may cover.
    pub log_blocks: u64,
    /// Transactions that one search for logs may have to run again.
    pub log_transactions: u64,
    /// Logs that one search may find.
    pub logs: usize,
}

impl Default for ServeLimits {
    fn default() -> Self {
        Self {
            request: 1 << 20,
            answer: 8 << 20,
            batch: 100,
            connections: 256,
            head: Duration::from_secs(30),
            body: Duration::from_secs(20),
            log_blocks: 10_000,
            log_transactions: 2_000,
            logs: 10_000,
        }
    }
}

/// Why the server could not begin, or end well.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Not an address of this machine.
    #[error("{0} can be reached from other machines; hint: listen on 127.0.0.1 or [::1]")]
    NotLoopback(SocketAddr),
    /// The address cannot be had.
    #[error("cannot listen on {address}: {why}")]
    Listen {
        /// Which one.
        address: SocketAddr,
        /// Why.
        why: std::io::Error,
    },
    /// The system gave no thread or no timer.
    #[error("cannot serve: {0}")]
    System(std::io::Error),
    /// The chain could not be used.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// An error of ours.
    #[error("bug: {0}")]
    Bug(String),
}

/// A server that runs in threads of its own until it is told to stop.
#[derive(Debug)]
pub struct RunningServer {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    door: JoinHandle<()>,
    owner: JoinHandle<Option<ServedChain>>,
}

impl RunningServer {
    /// Where it listens; the port is known even when any was asked for.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What clients are given to connect to.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Take no more requests, answer those that are there, and give the chain back with everything on it written.
    ///
    /// # Errors
    /// When the chain cannot be written.
    pub fn stop(self) -> Result<EmbeddedChain, ServeError> {
        let _nobody_listens = self.stop.send(true);
        let lost = || ServeError::Bug("a thread of the server is gone".to_owned());
        self.door.join().map_err(|_| lost())?;
        let desk = self.owner.join().map_err(|_| lost())?.ok_or_else(lost)?;
        let mut chain = desk.into_chain();
        chain.commit()?;
        Ok(chain)
    }
}

/// Serve a chain on an address of this machine.
///
/// # Errors
/// [`ServeError::NotLoopback`] for any other address; or when it cannot be had.
pub fn start(chain: EmbeddedChain, listen: SocketAddr, limits: ServeLimits) -> Result<RunningServer, ServeError> {
    if !listen.ip().is_loopback() {
        return Err(ServeError::NotLoopback(listen));
    }
    let refused = |why| ServeError::Listen { address: listen, why };
    let listener = std::net::TcpListener::bind(listen).map_err(refused)?;
    listener.set_nonblocking(true).map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    let desk = ServedChain::new(chain, limits)?;
    let (calls, owner) = owner::employ(desk, methods::answer).map_err(ServeError::System)?;
    let (stop, stopping) = watch::channel(false);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ServeError::System)?;
    let open = move || {
        // Within the runtime, as sockets need one.
        let served = runtime.block_on(async { door::open(listener, calls, limits, stopping).await });
        drop(served);
    };
    let door = std::thread::Builder::new().name("rpc door".to_owned()).spawn(open).map_err(ServeError::System)?;
    Ok(RunningServer { address, stop, door, owner })
}

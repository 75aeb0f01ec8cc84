//! The nodes behind an ordinary function call: a small runtime of its own carries the requests, so that nothing else in
//! the house has to be asynchronous.
//!
//! Never call it from inside an asynchronous runtime: it blocks until the answer is there.

use super::config::RpcConfig;
use super::endpoints::{AnswerReading, Endpoints, quorum};
use super::head::{self, Head};
use super::wire::{NodeAsk, NodeFault, decoded};
use golem_core::patience::Chance;
use golem_venue::VenueError;
use serde::de::DeserializeOwned;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// Milliseconds since 1970, given from outside.
pub type WallClock = Box<dyn FnMut() -> u64 + Send>;

/// All nodes of a chain. Copies share one budget and one memory.
#[derive(Clone)]
pub struct Node(Arc<Mutex<NodeInner>>);

struct NodeInner {
    runtime: Runtime,
    endpoints: Endpoints,
    clock: WallClock,
    config: RpcConfig,
    chain_id: Option<u64>,
    head: Option<Head>,
}

impl Node {
    /// Nodes of a configuration, not spoken to yet.
    ///
    /// # Errors
    /// When no runtime or HTTP client can be made.
    pub fn new(config: &RpcConfig, chance: Chance, clock: WallClock) -> Result<Self, VenueError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|e| VenueError::Bug(format!("no runtime for requests: {e}")))?;
        let endpoints = {
            // The HTTP client looks for the runtime when it is made.
            let _inside = runtime.enter();
            Endpoints::new(config, chance)?
        };
        let chain_id = (config.chain_id != 0).then_some(config.chain_id);
        let inner = NodeInner { runtime, endpoints, clock, config: config.clone(), chain_id, head: None };
        Ok(Self(Arc::new(Mutex::new(inner))))
    }

    fn lock(&self) -> MutexGuard<'_, NodeInner> {
        // Nothing inside can be left half done: a panic elsewhere does not make it untrue.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> RpcConfig {
        self.lock().config.clone()
    }
    /// Begin a turn: a new budget of time, and the head is looked for anew.
    pub fn begin_turn(&self) {
        let mut inner = self.lock();
        let budget = Duration::from_millis(inner.config.turn_budget_ms);
        inner.endpoints.begin_turn(budget);
        inner.head = None;
    }
    /// What is left of the turn's time.
    #[must_use]
    pub fn left(&self) -> Duration {
        self.lock().endpoints.left()
    }
    /// Milliseconds since 1970.
    #[must_use]
    pub fn now_ms(&self) -> u64 {
        (self.lock().clock)()
    }
    /// The chain's id, as configured or as first heard.
    ///
    /// # Errors
    /// When it is not known yet and nobody can tell.
    pub fn chain_id(&self) -> Result<u64, VenueError> {
        if self.lock().chain_id.is_none() {
            self.head()?;
        }
        self.lock().chain_id.ok_or_else(|| VenueError::Unreachable("the chain's id is not known".into()))
    }

    /// The head that enough nodes agree on in this turn: looked for once, then kept until [`Node::begin_turn`] or
    /// [`Node::look_again`].
    ///
    /// # Errors
    /// When it is stale, or they do not agree, or it is another chain.
    pub fn head(&self) -> Result<Head, VenueError> {
        let mut inner = self.lock();
        if let Some(head) = inner.head {
            return Ok(head);
        }
        let now = (inner.clock)() / 1_000;
        let NodeInner { runtime, endpoints, config, chain_id, .. } = &mut *inner;
        let (id, head) = runtime.block_on(head::find(endpoints, config, *chain_id, now))?;
        inner.chain_id = Some(id);
        inner.head = Some(head);
        Ok(head)
    }
    /// The head as it is now.
    ///
    /// # Errors
    /// See [`Node::head`].
    pub fn look_again(&self) -> Result<Head, VenueError> {
        self.lock().head = None;
        self.head()
    }

    /// What enough nodes say.
    ///
    /// # Errors
    /// [`VenueError::Unreachable`] when they do not agree or do not answer.
    pub fn agreed<T: PartialEq>(&self, asks: &[NodeAsk], reading: AnswerReading<'_, T>) -> Result<Vec<T>, VenueError> {
        let mut inner = self.lock();
        let NodeInner { runtime, endpoints, .. } = &mut *inner;
        runtime.block_on(endpoints.agreed(asks, reading))
    }
    /// What enough nodes say to one question.
    ///
    /// # Errors
    /// See [`Node::agreed`].
    pub fn agreed_one<T: PartialEq + DeserializeOwned>(&self, ask: NodeAsk) -> Result<T, VenueError> {
        one(self.agreed(&[ask], &|_, answer| decoded(answer))?)
    }
    /// What the first node to answer says.
    ///
    /// # Errors
    /// [`VenueError::Unreachable`] when nobody answers.
    pub fn first<T>(&self, asks: &[NodeAsk], reading: AnswerReading<'_, T>) -> Result<Vec<T>, VenueError> {
        let mut inner = self.lock();
        let NodeInner { runtime, endpoints, .. } = &mut *inner;
        runtime.block_on(endpoints.first(asks, reading))
    }
    /// What everybody says who says something.
    pub fn everyone<T>(&self, ask: NodeAsk, reading: AnswerReading<'_, T>) -> Vec<(usize, Result<T, NodeFault>)> {
        let mut inner = self.lock();
        let NodeInner { runtime, endpoints, .. } = &mut *inner;
        let enough = quorum(endpoints.count());
        let all = runtime.block_on(endpoints.everyone(&[ask], enough, reading));
        let single = |mut v: Vec<T>| v.pop().ok_or_else(|| NodeFault::Garbage("no answer".into()));
        all.into_iter().map(|(seat, said)| (seat, said.and_then(single))).collect()
    }
    /// Wait a little, out of the turn's time; false when there is no time left.
    #[must_use]
    pub fn wait(&self) -> bool {
        let inner = self.lock();
        let pause = Duration::from_millis(inner.config.poll_ms);
        if inner.endpoints.left() <= pause {
            return false;
        }
        inner.runtime.block_on(async { tokio::time::sleep(pause).await });
        true
    }
}

/// The only element.
fn one<T>(mut list: Vec<T>) -> Result<T, VenueError> {
    list.pop().ok_or_else(|| VenueError::Bug("a question without an answer".into()))
}

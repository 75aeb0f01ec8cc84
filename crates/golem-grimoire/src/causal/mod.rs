//! What drives what: directed edges between observed variables, with the lag after which the effect is felt.
//!
//! An edge is never believed on the data that suggested it. A dependence of innovations that survives the correction for
//! every pair and lag becomes a candidate; only rows observed after that can confirm it, and rows after that can undo it.
//! An edge says what tends to follow, not why: a hidden common cause looks the same.

mod dependence;
mod edge;
mod fire;
mod innovations;
mod judge;
mod learn;
mod log;
mod told;
mod variable;
mod walk;

pub use edge::{Edge, EdgeId};
pub use told::MOST_TOLD_EDGES;
pub use variable::{VariableView, variables};
pub use walk::{CausalWalk, Hop, MAX_HOPS};

use fire::UsualMove;
use golem_core::VirtualTime;
use judge::Candidate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Edges that are kept, with those that no longer hold.
pub const MAX_EDGES: usize = 64;

/// The causal graph of one golem.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Graph {
    edges: BTreeMap<EdgeId, Edge>,
    candidates: Vec<Candidate>,
    usual: Vec<UsualMove>,
    /// What somebody else has found, said at every start.
    #[serde(skip)]
    told: Vec<Edge>,
}

impl Graph {
    /// Nothing known.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
    /// All edges in the order of their ids, with those that no longer hold.
    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        self.edges.values()
    }
    /// The edges that hold, in the order of their ids.
    pub fn holding(&self) -> impl Iterator<Item = &Edge> {
        self.edges().filter(|e| e.holds())
    }
    /// An edge by its id.
    #[must_use]
    pub fn edge(&self, id: &EdgeId) -> Option<&Edge> {
        self.edges.get(id)
    }
    /// Candidates that wait for fresh data.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.candidates.len()
    }
    /// The surest edge that holds, or was told and is not tested yet, and has not fired since a moment: what a dream lets fire.
    #[must_use]
    pub fn dormant(&self, since: VirtualTime) -> Option<&Edge> {
        let quiet = self.walkable().filter(|e| e.last_fired.is_none_or(|at| at < since));
        quiet.reduce(|best, e| if e.confidence_bp > best.confidence_bp { e } else { best })
    }
    /// Make room: the edge that stopped holding first goes first.
    fn forget(&mut self) {
        while self.edges.len() > MAX_EDGES {
            let gone = self.edges().filter_map(|e| Some((e.invalidated?, e.id.clone()))).min();
            let weakest = || self.edges().map(|e| (e.confidence_bp, e.id.clone())).min().map(|(_, id)| id);
            let Some(id) = gone.map(|(_, id)| id).or_else(weakest) else { return };
            self.edges.remove(&id);
        }
    }
}

//! Walks along edges that hold, or were told and are not tested yet: what follows from what, up to five hops, never twice through the same variable.

use super::{Edge, EdgeId, Graph};
use golem_core::observed::Field;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The longest walk.
pub const MAX_HOPS: usize = 5;

/// One step of a walk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hop {
    /// The edge that is followed.
    pub edge: EdgeId,
    /// Where it begins.
    pub from: Field,
    /// Where it leads.
    pub to: Field,
    /// Nominal ticks that it takes.
    pub lag: u32,
    /// The signed effect, in usual deviations.
    pub weight: f64,
    /// How sure the edge is, in basis points.
    pub confidence_bp: u16,
}

/// A chain of effects.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CausalWalk {
    /// The steps, in order.
    pub hops: Vec<Hop>,
}

impl CausalWalk {
    /// How sure the whole chain is: every hop must hold.
    #[must_use]
    pub fn confidence(&self) -> f64 {
        self.hops.iter().map(|h| f64::from(h.confidence_bp) / 10_000.0).product()
    }
    /// What one usual deviation at its beginning does at its end, in usual deviations.
    #[must_use]
    pub fn effect(&self) -> f64 {
        self.hops.iter().map(|h| h.weight).product()
    }
    /// Nominal ticks from its beginning to its end.
    #[must_use]
    pub fn ticks(&self) -> u32 {
        self.hops.iter().fold(0, |sum, h| sum.saturating_add(h.lag))
    }
    fn visits(&self, field: Field) -> bool {
        self.hops.iter().any(|h| h.from == field || h.to == field)
    }
    fn then(&self, edge: &Edge) -> Self {
        let mut longer = self.clone();
        longer.hops.push(Hop {
            edge: edge.id.clone(),
            from: edge.from,
            to: edge.to,
            lag: edge.lag,
            weight: edge.weight,
            confidence_bp: edge.confidence_bp,
        });
        longer
    }
}

impl Graph {
    /// The edges out of a variable, the surest first; equally sure ones by id.
    fn out_of(&self, from: Field) -> Vec<&Edge> {
        let mut out: Vec<_> = self.walkable().filter(|e| e.from == from).collect();
        out.sort_by(|a, b| b.confidence_bp.cmp(&a.confidence_bp).then_with(|| a.id.cmp(&b.id)));
        out
    }
    /// From a variable along the surest edge each time, at most `hops` steps (five at most).
    #[must_use]
    pub fn walk(&self, from: Field, hops: usize) -> CausalWalk {
        let (mut walk, mut at) = (CausalWalk::default(), from);
        while walk.hops.len() < hops.min(MAX_HOPS) {
            let fresh = |e: &&Edge| e.to != from && !walk.visits(e.to);
            let Some(edge) = self.out_of(at).into_iter().find(fresh) else { break };
            (walk, at) = (walk.then(edge), edge.to);
        }
        walk
    }
    /// Everything that can be reached from a variable, breadth first and the surest edge first: for each reached
    /// variable the shortest walk.
    #[must_use]
    pub fn reach(&self, from: Field, hops: usize) -> Vec<CausalWalk> {
        let (mut found, mut reached) = (Vec::<CausalWalk>::new(), vec![from]);
        let mut queue = VecDeque::from([(from, CausalWalk::default())]);
        while let Some((at, so_far)) = queue.pop_front() {
            if so_far.hops.len() == hops.min(MAX_HOPS) {
                continue;
            }
            for edge in self.out_of(at) {
                if !reached.contains(&edge.to) {
                    reached.push(edge.to);
                    let walk = so_far.then(edge);
                    queue.push_back((edge.to, walk.clone()));
                    found.push(walk);
                }
            }
        }
        found
    }
}

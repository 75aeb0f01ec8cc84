//! Causes that somebody else has found: they wait like any candidate for rows of one's own, and until these have spoken they are
//! walked along in dreams with little confidence. Nothing else reads them.

use super::dependence::MAX_LAG;
use super::judge::Candidate;
use super::variable::{index, pairs};
use super::{Edge, EdgeId, Graph};
use golem_core::VirtualTime;

/// Causes that are told at most, the surest: half of the candidates' row is left for what is found here.
pub const MOST_TOLD_EDGES: usize = 8;
/// The strongest effect that is believed of one, in usual deviations.
const MOST_WEIGHT: f64 = 3.0;

impl Edge {
    /// As something that was told: no surer than this, with none of its past. None when it is no edge at all.
    #[must_use]
    pub fn told(&self, confidence_bp: u16, at: VirtualTime) -> Option<Self> {
        let ends = index(self.from).zip(index(self.to))?;
        let can_be = (1..=MAX_LAG as u32).contains(&self.lag) && pairs().any(|pair| pair == ends);
        let fits = can_be && self.weight.is_finite() && self.weight.abs() > 0.0;
        (fits && self.id == EdgeId::new(self.from, self.to, self.lag)).then(|| Self {
            weight: self.weight.clamp(-MOST_WEIGHT, MOST_WEIGHT),
            confidence_bp,
            held: 0,
            failed: 0,
            failed_in_a_row: 0,
            fired: 0,
            last_fired: None,
            created: at,
            invalidated: None,
            judged: 0,
            ..self.clone()
        })
    }
}

impl Graph {
    /// Say what was told. It follows from how the golem was born, so it is said at every start.
    pub fn say_told(&mut self, edges: Vec<Edge>) {
        self.told = edges.into_iter().take(MOST_TOLD_EDGES).collect();
    }
    /// What was told waits for rows from this nominal tick on, as if it had been seen up to here. What is known already does not.
    pub fn test_told(&mut self, since: u64) -> u32 {
        let mut many = 0;
        for edge in &self.told {
            let known = self.edges.contains_key(&edge.id) || self.candidates.iter().any(|c| is_of(edge, c));
            if !known {
                let Edge { from, to, lag, weight: slope, .. } = *edge;
                self.candidates.push(Candidate { from, to, lag, slope, since });
                many += 1;
            }
        }
        many
    }
    /// What was told and neither confirmed nor refuted here yet.
    pub fn untested(&self) -> impl Iterator<Item = &Edge> {
        let waits = |edge: &&Edge| self.candidates.iter().any(|candidate| is_of(edge, candidate));
        self.told.iter().filter(|edge| !self.edges.contains_key(&edge.id)).filter(waits)
    }
    /// What may be walked along: the edges that hold, and what was told and waits.
    pub(super) fn walkable(&self) -> impl Iterator<Item = &Edge> {
        self.holding().chain(self.untested())
    }
}

fn is_of(edge: &Edge, candidate: &Candidate) -> bool {
    (candidate.from, candidate.to, candidate.lag) == (edge.from, edge.to, edge.lag)
}

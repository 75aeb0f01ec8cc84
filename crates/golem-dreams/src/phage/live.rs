//! A child that lives, and how it is held against its parent.

use super::hypothesis::PhageHypothesis;
use golem_core::door::{ForkAct, ForkFrom, ForkRun, MOST_FORK_STEPS};
use golem_core::{Elapsed, Point, Tick, VirtualTime};
use golem_grimoire::EntryId;
use serde::{Deserialize, Serialize};

/// No child lives longer than what a copy can be run over.
const LONGEST: Elapsed = Elapsed::nominal(MOST_FORK_STEPS as u64);

/// What kind of child it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChildKind {
    /// It tries one thing for half an hour, and its verdict is evidence.
    Phage,
    /// It lives for hours with another strategy, and what it finds is brought home.
    Replicant,
}

/// Where a child parted from its parent, and what both did since.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShadowFork {
    pub point: Point,
    pub at: VirtualTime,
    pub child: Vec<ForkAct>,
    pub parent: Vec<ForkAct>,
}

/// A child that lives. It has no purse, no key and no permit: all it has is a list of what would be done on a copy.
///
/// ```compile_fail,E0609
/// fn spends(phage: golem_dreams::phage::LivePhage) -> golem_core::Usdc {
///     phage.purse
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LivePhage {
    pub id: u64,
    pub kind: ChildKind,
    pub hypothesis: PhageHypothesis,
    pub born: Tick,
    pub born_at: VirtualTime,
    pub belief: f64,
    pub(super) turns: u32,
    pub(super) turns_left: u32,
    pub(super) fork: Option<ShadowFork>,
}

impl LivePhage {
    /// Whether it still waits to do something otherwise. It parts from its parent in the first half of its life or not at all, so
    /// that there is a stretch to be judged by.
    #[must_use]
    pub fn waits(&self) -> bool {
        self.fork.is_none() && self.turns_left.saturating_mul(2) > self.turns
    }
    /// Whether it is being tried what the parent would come to without this rule.
    #[must_use]
    pub fn does_without(&self, rule: EntryId) -> bool {
        let tries = matches!(self.hypothesis, PhageHypothesis::WithoutRule { entry, .. } if entry == rule);
        tries && self.fork.is_some()
    }
    pub(super) fn is_due(&self, now: VirtualTime) -> bool {
        self.turns_left == 0 || now.since(self.born_at) >= LONGEST
    }
    /// Its run and its parent's, over what was lived since they parted.
    pub(super) fn runs(&self, now: VirtualTime) -> Option<[ForkRun; 2]> {
        let fork = self.fork.as_ref()?;
        let lived = now.since(fork.at).nominal_floor();
        let steps = u32::try_from(lived).unwrap_or(MOST_FORK_STEPS).min(MOST_FORK_STEPS);
        let run = |acts: &[ForkAct]| {
            let acts = acts.iter().filter(|act| act.after <= steps).copied().collect();
            ForkRun { from: ForkFrom::Lived(fork.point), acts, weather: Vec::new(), steps }
        };
        Some([run(&fork.child), run(&fork.parent)])
    }
}

//! The experts of one domain beside its panel: each is awake while its condition holds, weighted by what the panel lost
//! without it, and all of them together can lose no more than a purse.
//!
//! Sleeping experts are those of Freund, Schapire, Singer and Warmuth (1997): what is said is a mean over the panel and
//! the experts that are awake. The purse makes the cost of wrong ones a promise: it begins with [`PURSE`] usual losses,
//! what the experts bring is put in and what they cost is taken out, and no more is ever said than two blocks at their
//! worst could pay for. So a life's losses with experts are at most those of the panel alone and [`PURSE`] usual ones,
//! whatever the experts say and whatever happens (an error counts at most [`WORST`] usual ones here).

use super::learner::{Learner, Way};
use super::spec::ExpertSpec;
use crate::entry::EntryId;
use golem_core::VirtualTime;
use serde::{Deserialize, Serialize};

/// What the experts of a domain may lose more than they ever brought, in usual losses of a horizon.
pub const PURSE: f64 = 4.0;
/// What they brought beyond this cannot be lost again.
const FULL_PURSE: f64 = 24.0;
/// An error counts at most this many usual ones in the purse.
pub const WORST: f64 = 3.0;
/// Nothing that all experts say together is further from the panel, in usual errors.
pub const FURTHEST_SHIFT: f64 = 1.5;
/// How sharply weights follow losses: one half is what a Gaussian likelihood would say of independent errors.
const SHARPNESS: f64 = 0.5;
/// The odds against the panel that an expert begins with: what somebody else says, and what this golem has proven.
pub(super) const STRANGER_ODDS: f64 = 0.1;
const PROVEN_ODDS: f64 = 1.0;
/// And the most that a good record alone makes of them: many are heard, and some are lucky.
const MOST_UNPROVEN: f64 = 1.0;
/// Hunches are leaned on so many times as far as usual, at least and at most.
const LEAST_LEANING: f64 = 0.5;
const MOST_LEANING: f64 = 2.0;
/// Trials that what somebody else has learnt is worth.
pub(super) const TOLD_TRIALS: f64 = 4.0;

/// One entry that speaks.
#[derive(Debug, Clone, PartialEq)]
pub struct Specialist {
    /// The entry.
    pub entry: EntryId,
    pub(super) spec: ExpertSpec,
    pub(super) learner: Learner,
    /// True when this golem has proven it.
    pub proven: bool,
    /// True when it came from elsewhere.
    pub foreign: bool,
    /// Trials since its entry last heard, what it gained in them, and hits.
    pub(super) since_told: (u32, f64, u32),
    pub(super) standing: ExpertStanding,
}

/// With what an expert came into this life.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct ExpertStanding {
    /// The odds that it began with.
    pub prior: f64,
    /// Its share of the level: what its wager has to reach.
    pub level: f64,
    /// True when it is a hunch of this golem's own: it goes when its lead is gone.
    pub hunch: bool,
}

/// What of a specialist the checkpoint keeps; the rest is its entry's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedSpecialist {
    pub(super) entry: EntryId,
    pub(super) learner: Learner,
    pub(super) proven: bool,
    pub(super) since_told: (u32, f64, u32),
    pub(super) standing: ExpertStanding,
}

impl Specialist {
    /// The odds that it is heard with against the panel, by its record.
    pub(super) fn odds(&self) -> f64 {
        self.odds_leaning(1.0)
    }
    /// The same, where what this golem has found itself and not proven is leaned on so many times as far as usual.
    fn odds_leaning(&self, on_hunches: f64) -> f64 {
        if self.proven {
            return PROVEN_ODDS * libm::exp(SHARPNESS * self.learner.lead());
        }
        let leaning = if self.foreign { 1.0 } else { on_hunches.clamp(LEAST_LEANING, MOST_LEANING) };
        leaning * heard_odds(self.standing.prior, &self.learner).min(MOST_UNPROVEN)
    }
    /// Whether the policy may take more risk on its word.
    fn is_trusted(&self) -> bool {
        self.proven || !self.foreign
    }
    /// What it has learnt to expect, in usual errors of the panel.
    #[must_use]
    pub fn expects(&self) -> f64 {
        self.learner.slope()
    }
    /// Which way it claims reality to lie.
    #[must_use]
    pub fn way(&self) -> Way {
        self.spec.way
    }
}

/// The odds that something unproven is heard with against the panel: what it began with, by what it has brought of late, and
/// by no more than its wager has won: luck wins that seldom.
pub(super) fn heard_odds(prior: f64, learner: &Learner) -> f64 {
    prior * libm::exp((SHARPNESS * learner.lead()).min(learner.evidence().log_value()))
}

/// What the experts that are awake say together, in usual errors from the panel.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counsel {
    /// All of them: what is scored.
    pub all: f64,
    /// Those that the policy may take more risk on.
    pub trusted: f64,
    /// How many were awake.
    pub awake: u32,
}

/// What the experts may still lose.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ExpertPurse {
    left: f64,
    /// What blocks under way may cost at worst, and what has come of them so far.
    staked: [f64; 2],
    came: [f64; 2],
}

impl Default for ExpertPurse {
    fn default() -> Self {
        Self { left: PURSE, staked: [0.0; 2], came: [0.0; 2] }
    }
}

/// What a shift could cost at worst, in usual losses.
fn worst(shift: f64) -> f64 {
    shift.abs() * (2.0 * WORST + shift.abs())
}

impl ExpertPurse {
    /// What is left.
    #[must_use]
    pub fn left(&self) -> f64 {
        self.left
    }
    /// A block of this side begins: the last one is paid.
    pub fn begin(&mut self, side: usize) {
        let came = std::mem::take(&mut self.came[side & 1]);
        self.left = (self.left + came).clamp(0.0, FULL_PURSE);
        self.staked[side & 1] = (0.5 * (self.left - self.staked[1 - (side & 1)]).max(0.0)).min(0.5 * self.left);
    }
    /// As much of a shift as the block could pay for, if all of it went as badly as can be.
    #[must_use]
    pub fn allow(&self, side: usize, shift: f64) -> f64 {
        let (cost, may) = (worst(shift), self.staked[side & 1]);
        if cost <= may { shift } else { shift * (may / cost) }
    }
    /// A sample of a block: how much of the block it is, the shift and the residual in usual errors.
    pub fn take(&mut self, side: usize, weight: f64, shift: f64, residual: f64) {
        let residual = residual.clamp(-WORST, WORST);
        let gain = shift * (2.0 * residual - shift);
        if gain.is_finite() {
            self.came[side & 1] += weight.clamp(0.0, 1.0) * gain;
        }
    }
}

/// What the experts say, each with its input where it is awake: a mean over the panel and them, weighted by their odds, with
/// hunches so many times as loud as usual.
pub(super) fn counsel<'a>(awake: impl Iterator<Item = (&'a Specialist, f64)>, side: usize, on_hunches: f64) -> Counsel {
    let (mut odds, mut sum, mut trusted, mut trusted_sum, mut count) = (1.0, 0.0, 1.0, 0.0, 0);
    for (one, x) in awake {
        let (heard, says) = (one.odds_leaning(on_hunches), one.learner.says(side) * x);
        odds += heard;
        sum += heard * says;
        count += 1;
        if one.is_trusted() {
            trusted += heard;
            trusted_sum += heard * says;
        }
    }
    let within = |x: f64| x.clamp(-FURTHEST_SHIFT, FURTHEST_SHIFT);
    Counsel { all: within(sum / odds), trusted: within(trusted_sum / trusted), awake: count }
}

/// A sample that waits for its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExpertSample {
    pub(super) made: VirtualTime,
    pub(super) panel: f64,
    /// A usual deviation of the domain, times the panel's usual error in them.
    pub(super) unit: f64,
    /// The domain's own usual deviation.
    pub(super) scale: f64,
    /// How much of a horizon it stands for.
    pub(super) weight: f32,
    pub(super) side: u8,
    /// What was said beyond the panel, in usual errors.
    pub(super) shift: f32,
    /// Who was awake, with its input.
    pub(super) awake: Vec<(EntryId, f32)>,
    /// The conditions of a search that held, with their inputs, and which search it was.
    pub(super) tried: Vec<(u16, f32)>,
    pub(super) round: u32,
}

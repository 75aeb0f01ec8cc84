//! What one condition teaches: how far reality lay from the panel while it held.
//!
//! Everything is in usual errors of the panel. What is said in a block of a horizon was learnt from blocks that were over
//! before it began, so that it can be held against it. Every sample teaches how far; whether it is so is put to the test by
//! samples a horizon apart, each over before the next is made, and by whole blocks. What a block brought is a sum and never a
//! mean over the samples in which the condition held: how many those are hangs on what came, and after a fall within a block
//! a mean would always see a rise.

use super::wager::{MOST_STAKE, Wager};
use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};

/// A residual counts at most this many usual errors.
pub const FAR: f64 = 4.0;
/// In a wager a block counts at most this many: the stake can be higher for it.
const MOST_AT_STAKE: f64 = 1.25;
/// Nothing that is learnt is further from the panel than this.
pub const FURTHEST: f64 = 2.0;
/// Trials without an offset that what was seen is mixed with.
const DOUBT: f64 = 4.0;
/// Memory, in trials. Until it is full each of them counts as one of n.
const MEMORY: f64 = 720.0;
/// An input below this is too little to be put to the test by.
const TELLING: f64 = 0.5;
/// The share of what an expert says at which it is put to the test: what is new is heard with little weight, so that is
/// what must be better than the panel alone.
const TIMID: f64 = 0.25;
/// A lead of more usual losses than this is not told apart: what was gained once must be possible to lose.
const MOST_LEAD: f64 = 20.0;
/// The seed's steps, in basis points.
const BEGIN_BP: u16 = 2_500;
const HIT_BP: u16 = 1_000;
const MISS_BP: u16 = 500;

/// Which way reality is claimed to lie from the panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Above it.
    Up,
    /// Below it.
    Down,
    /// Whichever it turns out to be.
    Either,
}

impl Way {
    /// A slope as far as it goes this way.
    #[must_use]
    pub fn bound(self, slope: f64) -> f64 {
        match self {
            Self::Up => slope.max(0.0),
            Self::Down => slope.min(0.0),
            Self::Either => slope,
        }
    }
}

/// Trials of one kind so far, with the squares of their inputs and of what was at stake.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct Trials {
    count: f64,
    square: f64,
    spread: f64,
}

impl Trials {
    /// What a gambler would stake who takes what was seen for what will come (Kelly 1956), a little less for doubt.
    fn stake(&self, slope: f64) -> f64 {
        let share = (self.square + 1.0) / (self.spread + 2.0);
        ((1.0 - 0.5 * TIMID) * slope.abs() * share).min(MOST_STAKE)
    }
    fn take(&mut self, product: f64, square: f64) {
        let (keep, at_stake) = (kept(self.count), product.clamp(-MOST_AT_STAKE, MOST_AT_STAKE));
        self.count = keep * self.count + 1.0;
        self.square = keep * self.square + square;
        self.spread = keep * self.spread + at_stake * at_stake;
    }
}

/// A block under way: what is said in it, what is staked on it, and what has come of it so far.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct BlockDraft {
    slope: f64,
    /// What is staked on it and against it by a sample alone, and by the block.
    stakes: [[f64; 2]; 2],
    /// The slope that it would be wrong by.
    wrong: f64,
    weight: f64,
    product: f64,
    square: f64,
}

/// What one condition has taught so far.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Learner {
    way: Way,
    /// When it was last put to the test by a sample whose input tells.
    tried: Option<VirtualTime>,
    /// Sums over all samples of input times residual, and of the input's square.
    product: f64,
    square: f64,
    blocks: [BlockDraft; 2],
    /// Trials by single samples, and by blocks.
    alone: Trials,
    in_turn: Trials,
    /// That it is better with it than without.
    for_it: Wager,
    /// That what it claims is the wrong way round.
    against: Wager,
    /// Fading sum of what the panel lost without it in single trials, in usual losses.
    lead: f64,
    confidence_bp: u16,
    hits: u32,
    misses: u32,
}

/// What is kept of so many when one more comes.
fn kept(count: f64) -> f64 {
    if count < MEMORY { 1.0 } else { 1.0 - 1.0 / MEMORY }
}

/// Whether a moment is one of those that are put to the test: every other one by lot, so that it is not always the first in
/// which a condition holds.
fn drawn(made: VirtualTime) -> bool {
    made.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33 <= u64::from(u32::MAX >> 2)
}

/// What came of a trial by a single sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrialEnd {
    /// What the panel lost in it without the expert, in usual losses.
    pub gain: f64,
    /// True when reality lay where it was said to.
    pub hit: bool,
}

impl Learner {
    /// Nothing learnt yet.
    #[must_use]
    pub fn new(way: Way) -> Self {
        Self {
            way,
            tried: None,
            product: 0.0,
            square: 0.0,
            alone: Trials::default(),
            in_turn: Trials::default(),
            blocks: [BlockDraft::default(); 2],
            for_it: Wager::default(),
            against: Wager::default(),
            lead: 0.0,
            confidence_bp: BEGIN_BP,
            hits: 0,
            misses: 0,
        }
    }
    /// What somebody has learnt before, worth so many trials.
    #[must_use]
    pub fn told(way: Way, slope: f64, trials: f64) -> Self {
        if !(trials > 0.0 && slope.is_finite()) {
            return Self::new(way);
        }
        let slope = slope.clamp(-FURTHEST, FURTHEST);
        // It was doubted where it was learnt; it is not doubted twice.
        let (product, square) = (slope * (trials + DOUBT), trials);
        let alone = Trials { count: trials, square: trials, spread: trials };
        Self { product, square, alone, ..Self::new(way) }
    }

    /// The same for somebody who claims a way: from now on it is held to that.
    #[must_use]
    pub fn claiming(self, way: Way) -> Self {
        Self { way, ..self }
    }

    /// What is expected where the condition holds, for one unit of input.
    #[must_use]
    pub fn slope(&self) -> f64 {
        self.way.bound(self.raw_slope())
    }
    fn raw_slope(&self) -> f64 {
        let sure = self.alone.square / (self.alone.square + DOUBT);
        if self.square > 0.0 { (sure * self.product / self.square).clamp(-FURTHEST, FURTHEST) } else { 0.0 }
    }
    /// What is said for one unit of input in the block under way.
    #[must_use]
    pub fn says(&self, side: usize) -> f64 {
        self.blocks[side & 1].slope
    }
    /// A block begins: the last one of this side is over, and what is said and staked in the new one is fixed.
    pub fn begin(&mut self, side: usize) {
        let over = self.blocks[side & 1];
        if over.weight > 0.0 {
            self.close(side, &over);
        }
        let (slope, raw) = (self.slope(), self.raw_slope());
        let wrong =
            if (self.way == Way::Up && raw < 0.0) || (self.way == Way::Down && raw > 0.0) { raw.abs() } else { 0.0 };
        let stakes = [self.alone, self.in_turn].map(|trials| [slope, wrong].map(|of| trials.stake(of)));
        self.blocks[side & 1] = BlockDraft { slope, stakes, wrong, ..BlockDraft::default() };
    }
    fn close(&mut self, side: usize, over: &BlockDraft) {
        let (product, square, [_, [stake, stake_against]]) = (over.product, over.square, over.stakes);
        let (for_it, against) = self.gains(over.slope, over.wrong, product, square);
        self.for_it.book(side, stake, for_it);
        self.against.book(side, stake_against, against);
        self.in_turn.take(product, square);
        let keep = if self.alone.count < MEMORY { 1.0 } else { 1.0 - over.weight.min(1.0) / MEMORY };
        self.product = keep * self.product + product;
        self.square = keep * self.square + square;
    }
    /// What came of a sample of a block: its input, the residual in usual errors, how much of a block it stands for, and when
    /// it was made for which horizon.
    pub fn take(
        &mut self,
        side: usize,
        x: f64,
        residual: f64,
        weight: f64,
        (made, horizon): (VirtualTime, Elapsed),
    ) -> Option<TrialEnd> {
        let (x, residual) = (x.clamp(-1.0, 1.0), residual.clamp(-FAR, FAR));
        if !(x.is_finite() && residual.is_finite() && weight > 0.0) {
            return None;
        }
        let block = &mut self.blocks[side & 1];
        block.weight += weight;
        block.product += weight * x * residual;
        block.square += weight * x * x;
        let block = *block;
        let tells = x.abs() >= TELLING && drawn(made) && self.tried.is_none_or(|last| made.since(last) >= horizon);
        tells.then(|| {
            self.tried = Some(made);
            self.try_alone(&block, x * residual, x * x)
        })
    }
    fn try_alone(&mut self, block: &BlockDraft, product: f64, square: f64) -> TrialEnd {
        let ([[stake, stake_against], _], slope) = (block.stakes, block.slope);
        let (for_it, against) = self.gains(slope, block.wrong, product, square);
        self.for_it.book_alone(stake, for_it);
        self.against.book_alone(stake_against, against);
        // Squared errors without it, less those with it.
        let gain = slope * (2.0 * product - slope * square);
        self.lead = (kept(self.alone.count) * self.lead + gain).clamp(-MOST_LEAD, MOST_LEAD);
        self.alone.take(product, square);
        let hit = match self.way {
            Way::Either => product * slope > 0.0,
            Way::Up => product > 0.0,
            Way::Down => product < 0.0,
        };
        if hit {
            (self.hits, self.confidence_bp) =
                (self.hits.saturating_add(1), self.confidence_bp.saturating_add(HIT_BP).min(9_900));
        } else {
            (self.misses, self.confidence_bp) =
                (self.misses.saturating_add(1), self.confidence_bp.saturating_sub(MISS_BP));
        }
        TrialEnd { gain, hit }
    }
    /// What is won by staking on it and against it: bounded differences of squared errors with a timid word of it and
    /// without, by the unit of that word.
    fn gains(&self, slope: f64, against: f64, product: f64, square: f64) -> (f64, f64) {
        let product = product.clamp(-MOST_AT_STAKE, MOST_AT_STAKE);
        let doubt = |of: f64| 0.5 * TIMID * of.abs().min(1.0) * square;
        let claimed = if self.way == Way::Down { -1.0 } else { 1.0 };
        let for_it = if slope == 0.0 { 0.0 } else { slope.signum() * product - doubt(slope) };
        (for_it, -claimed * product - doubt(against))
    }

    /// Evidence that it is better with it.
    #[must_use]
    pub fn evidence(&self) -> &Wager {
        &self.for_it
    }
    /// Evidence that it has things the wrong way round.
    #[must_use]
    pub fn counter_evidence(&self) -> &Wager {
        &self.against
    }
    /// What the panel lost without it of late, in usual losses.
    #[must_use]
    pub fn lead(&self) -> f64 {
        self.lead
    }
    /// The confidence by the seed's steps, in basis points.
    #[must_use]
    pub fn confidence_bp(&self) -> u16 {
        self.confidence_bp
    }
    /// Trials in which reality lay where it was said to, and others.
    #[must_use]
    pub fn record(&self) -> (u32, u32) {
        (self.hits, self.misses)
    }
}

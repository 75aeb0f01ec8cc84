//! What one condition teaches: how far reality lay from the panel while it held, block by block of a horizon.
//!
//! Everything is in usual errors of the panel. What is said in a block was learnt from blocks that were over before it
//! began, so that it can be held against it. Samples of one block overlap and count as one observation together.

use super::wager::{MOST_STAKE, Wager};
use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};

/// A residual counts at most this many usual errors.
pub const FAR: f64 = 4.0;
/// In a wager a block counts at most this many: the stake can be higher for it.
const MOST_AT_STAKE: f64 = 1.25;
/// Nothing that is learnt is further from the panel than this.
pub const FURTHEST: f64 = 2.0;
/// Blocks without an offset that what was seen is mixed with.
const DOUBT: f64 = 2.0;
/// Memory, in blocks in which the condition held.
const MEMORY: f64 = 60.0;
/// The share of what an expert says at which it is put to the test: what is new is heard with little weight, so that is
/// what must be better than the panel alone.
const TIMID: f64 = 0.25;
/// A lead of more usual losses than this is not told apart: what was gained once must be possible to lose.
const MOST_LEAD: f64 = 16.0;
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
    /// The other way.
    #[must_use]
    pub fn turned(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
            Self::Either => Self::Either,
        }
    }
}

/// A block under way: what is said in it, what is staked on it, and what has come of it so far.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct BlockDraft {
    slope: f64,
    stake: f64,
    stake_against: f64,
    weight: f64,
    product: f64,
    square: f64,
}

/// What one condition has taught so far.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Learner {
    way: Way,
    /// True when it goes by an input: then a block is one trial, since the input changes within it. Otherwise a sample is,
    /// and the next one a horizon later.
    by_input: bool,
    tried: Option<VirtualTime>,
    product: f64,
    square: f64,
    /// Blocks behind them, and the sum of squares of what is at stake.
    count: f64,
    spread: f64,
    blocks: [BlockDraft; 2],
    /// That it is better with it than without.
    for_it: Wager,
    /// That what it claims is the wrong way round.
    against: Wager,
    /// Fading sum of what the panel lost without it, in usual losses.
    lead: f64,
    confidence_bp: u16,
    hits: u32,
    misses: u32,
}

/// A block that is over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlockEnd {
    /// What the panel lost in it without the expert, in usual losses.
    pub gain: f64,
    /// True when reality lay where it was said to.
    pub hit: bool,
}

impl Learner {
    /// Nothing learnt yet.
    #[must_use]
    pub fn new(way: Way, by_input: bool) -> Self {
        Self {
            way,
            by_input,
            tried: None,
            product: 0.0,
            square: 0.0,
            count: 0.0,
            spread: 0.0,
            blocks: [BlockDraft::default(); 2],
            for_it: Wager::default(),
            against: Wager::default(),
            lead: 0.0,
            confidence_bp: BEGIN_BP,
            hits: 0,
            misses: 0,
        }
    }
    /// What somebody has learnt before, worth so many blocks.
    #[must_use]
    pub fn told(way: Way, by_input: bool, slope: f64, blocks: f64) -> Self {
        let slope = if slope.is_finite() { slope.clamp(-FURTHEST, FURTHEST) } else { 0.0 };
        // It was doubted where it was learnt; it is not doubted twice.
        let (product, count) = (slope * (blocks + DOUBT), blocks);
        Self { product, square: blocks, count, spread: blocks, ..Self::new(way, by_input) }
    }

    /// What is expected where the condition holds, for one unit of input.
    #[must_use]
    pub fn slope(&self) -> f64 {
        self.way.bound(self.raw_slope())
    }
    fn raw_slope(&self) -> f64 {
        (self.product / (self.square + DOUBT)).clamp(-FURTHEST, FURTHEST)
    }
    /// What is said for one unit of input in the block under way.
    #[must_use]
    pub fn says(&self, side: usize) -> f64 {
        self.blocks[side & 1].slope
    }
    /// A block begins: the last one of this side is over, and what is said and staked in the new one is fixed.
    pub fn begin(&mut self, side: usize) -> Option<BlockEnd> {
        let over = self.blocks[side & 1];
        let end = (over.weight > 0.0).then(|| self.book(side, &over));
        let (slope, raw) = (self.slope(), self.raw_slope());
        let wrong =
            if (self.way == Way::Up && raw < 0.0) || (self.way == Way::Down && raw > 0.0) { raw.abs() } else { 0.0 };
        // What a gambler would stake who takes what was seen for what will come (Kelly 1956), halved by doubt.
        let (mean, square) = (self.product.abs() / (self.count + DOUBT), (self.spread + DOUBT) / (self.count + DOUBT));
        let stake = |of: f64| if of == 0.0 { 0.0 } else { ((1.0 - 0.5 * TIMID) * mean / square).min(MOST_STAKE) };
        self.blocks[side & 1] =
            BlockDraft { slope, stake: stake(slope), stake_against: stake(wrong), ..BlockDraft::default() };
        end
    }
    /// What came of a sample of a block: its input, the residual in usual errors, how much it counts, and when it was made
    /// for which horizon.
    pub fn take(&mut self, side: usize, x: f64, residual: f64, weight: f64, (made, horizon): (VirtualTime, Elapsed)) {
        let (x, residual) = (x.clamp(-1.0, 1.0), residual.clamp(-FAR, FAR));
        if !(x.is_finite() && residual.is_finite() && weight > 0.0) {
            return;
        }
        let block = &mut self.blocks[side & 1];
        block.weight += weight;
        block.product += weight * x * residual;
        block.square += weight * x * x;
        let BlockDraft { slope, stake, stake_against, .. } = *block;
        if !self.by_input && self.tried.is_none_or(|last| made.since(last) >= horizon) {
            self.tried = Some(made);
            let (for_it, against) = self.gains(slope, stake_against, residual, 1.0);
            self.for_it.book_alone(stake, for_it);
            self.against.book_alone(stake_against, against);
        }
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

    fn book(&mut self, side: usize, over: &BlockDraft) -> BlockEnd {
        let (product, square) = (over.product / over.weight, over.square / over.weight);
        // Squared errors without it, less those with it.
        let gain = over.slope * (2.0 * product - over.slope * square);
        if self.by_input {
            let (for_it, against) = self.gains(over.slope, over.stake_against, product, square);
            self.for_it.book(side, over.stake, for_it);
            self.against.book(side, over.stake_against, against);
        }
        let at_stake = product.clamp(-MOST_AT_STAKE, MOST_AT_STAKE);
        let keep = 1.0 - 1.0 / MEMORY;
        self.product = keep * self.product + product;
        self.square = keep * self.square + square;
        self.count = keep * self.count + 1.0;
        self.spread = keep * self.spread + at_stake * at_stake;
        self.lead = (keep * self.lead + gain).clamp(-MOST_LEAD, MOST_LEAD);
        let hit = match self.way {
            Way::Either => product * over.slope > 0.0,
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
        BlockEnd { gain, hit }
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
    /// Blocks in which reality lay where it was said to, and others.
    #[must_use]
    pub fn record(&self) -> (u32, u32) {
        (self.hits, self.misses)
    }
}

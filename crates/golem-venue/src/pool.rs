//! A Uniswap v3 pool as plain numbers: the contract's own state machine, unit for unit, without a contract.
//!
//! It covers what this house uses: one fee tier, no protocol fee, swaps of an exact input, and liquidity of two owners
//! (the market, and the position manager on behalf of everybody else). A call that fails leaves the pool as it was.
//! Clones share what they have in common, so a copy costs next to nothing until one of the two changes.

mod amounts;
pub mod maths;
mod quick;
pub mod stake;
mod swap;
mod ticks;

pub use amounts::{Round, amounts_at, liquidity_for};
use stake::Stakes;
pub use stake::{Changed, Stake};
pub use swap::{LeftPool, Swapped};
pub use ticks::{PoolTick, Ticks};

use alloy_primitives::U256;
use golem_core::venue::{PoolSeen, Range, Wide};
use std::sync::Arc;

/// The pool's fee in hundredths of a basis point.
pub const FEE: u32 = 500;
/// Ticks at which liquidity can begin or end are multiples of this.
pub const SPACING: i32 = 10;
/// The lowest tick with a price.
pub const MIN_TICK: i32 = -887_272;
/// The highest tick with a price.
pub const MAX_TICK: i32 = 887_272;
/// The price of the lowest tick.
pub const MIN_RATIO: U256 = U256::from_limbs([4_295_128_739, 0, 0, 0]);
/// The price of the highest tick, which the pool never reaches.
pub const MAX_RATIO: U256 = U256::from_limbs([0x5d95_1d52_6398_8d26, 0xefd1_fc6a_5064_8849, 0xfffd_8963, 0]);

/// The widest range that liquidity can have.
#[must_use]
pub const fn full_range() -> Range {
    let edge = MAX_TICK / SPACING * SPACING;
    Range { lower: -edge, upper: edge }
}

/// The most liquidity that may refer to one tick, so that no sum over all of them can overflow.
#[must_use]
pub const fn max_liquidity_per_tick(spacing: i32) -> u128 {
    let ticks = (MAX_TICK / spacing) as u128 * 2 + 1;
    u128::MAX / ticks
}

/// Who owns liquidity in the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// The market itself.
    Market,
    /// The position manager, for the accounts whose positions it keeps.
    Positions,
}

/// Why the pool said no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    /// An amount of nothing.
    #[error("an amount of nothing")]
    Nothing,
    /// Not a range of this pool.
    #[error("not a range of this pool")]
    Range,
    /// A price limit on the wrong side, or no price at all.
    #[error("the price limit is on the wrong side, or is no price")]
    Limit,
    /// More liquidity than there is.
    #[error("more liquidity than there is")]
    TooLittle,
    /// More liquidity at one tick than the pool allows.
    #[error("more liquidity at one tick than the pool allows")]
    TooMuch,
    /// A number that does not fit.
    #[error("a number does not fit")]
    Overflow,
}

/// The pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pool {
    sqrt_price: U256,
    tick: i32,
    liquidity: u128,
    fee_growth: [U256; 2],
    held: [u128; 2],
    ticks: Arc<Ticks>,
    /// The market's and the position manager's, apart: the first are many and seldom change.
    stakes: [Arc<Stakes>; 2],
}

/// Lower tick, upper tick.
pub(crate) type StakeKey = (i32, i32);

/// Every number of a pool, to build one from: of a saved one, or of one read from a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolParts {
    /// Square root of token1 per token0, times 2^96.
    pub sqrt_price: U256,
    /// The tick as the pool has it, which may lie one below its price's own after a fall onto a boundary.
    pub tick: i32,
    /// Liquidity in range.
    pub liquidity: u128,
    /// Fees per unit of liquidity so far, times 2^128.
    pub fee_growth: [U256; 2],
    /// Tokens that the pool holds.
    pub held: [u128; 2],
    /// Initialised ticks, in any order.
    pub ticks: Vec<PoolTick>,
    /// Whose liquidity lies where.
    pub stakes: Vec<(Owner, Range, Stake)>,
}

impl Pool {
    /// An empty pool at a price.
    ///
    /// # Errors
    /// [`PoolError::Limit`] when it is no price that a pool can have.
    pub fn new(sqrt_price: U256) -> Result<Self, PoolError> {
        let tick = maths::tick_at(sqrt_price).ok_or(PoolError::Limit)?;
        Ok(Self {
            sqrt_price,
            tick,
            liquidity: 0,
            fee_growth: [U256::ZERO; 2],
            held: [0; 2],
            ticks: Arc::default(),
            stakes: Default::default(),
        })
    }
    /// The pool that has these numbers.
    ///
    /// # Errors
    /// When no pool can have them: the tick is not the price's, or the liquidity not what the ticks add up to.
    pub fn from_parts(parts: PoolParts) -> Result<Self, PoolError> {
        let tick = maths::tick_at(parts.sqrt_price).ok_or(PoolError::Limit)?;
        let on_boundary = parts.tick == tick - 1 && maths::ratio_at(tick) == Some(parts.sqrt_price);
        if parts.tick != tick && !on_boundary {
            return Err(PoolError::Limit);
        }
        let ticks = Ticks::new(parts.ticks);
        if ticks.iter().any(|t| t.at % SPACING != 0 || t.at < MIN_TICK || t.at > MAX_TICK || t.gross == 0) {
            return Err(PoolError::Range);
        }
        let mut below = ticks.iter().take_while(|t| t.at <= parts.tick).map(|t| t.net);
        if below.try_fold(0, i128::checked_add).and_then(|l| u128::try_from(l).ok()) != Some(parts.liquidity) {
            return Err(PoolError::TooLittle);
        }
        let stakes = [Owner::Market, Owner::Positions].map(|owner| {
            let own = parts.stakes.iter().filter(|(of, ..)| *of == owner);
            Arc::new(Stakes::new(own.map(|(_, range, stake)| ((range.lower, range.upper), *stake)).collect()))
        });
        Ok(Self {
            sqrt_price: parts.sqrt_price,
            tick: parts.tick,
            liquidity: parts.liquidity,
            fee_growth: parts.fee_growth,
            held: parts.held,
            ticks: Arc::new(ticks),
            stakes,
        })
    }
    /// All its numbers.
    #[must_use]
    pub fn parts(&self) -> PoolParts {
        PoolParts {
            sqrt_price: self.sqrt_price,
            tick: self.tick,
            liquidity: self.liquidity,
            fee_growth: self.fee_growth,
            held: self.held,
            ticks: self.ticks.iter().copied().collect(),
            stakes: self.stakes().collect(),
        }
    }
    /// What everybody can see of it.
    #[must_use]
    pub fn seen(&self) -> PoolSeen {
        PoolSeen { sqrt_price_x96: Wide(*self.sqrt_price.as_limbs()), tick: self.tick, liquidity: self.liquidity }
    }
    /// Square root of token1 per token0, times 2^96.
    #[must_use]
    pub fn sqrt_price(&self) -> U256 {
        self.sqrt_price
    }
    /// Its tick.
    #[must_use]
    pub fn tick(&self) -> i32 {
        self.tick
    }
    /// Liquidity in range.
    #[must_use]
    pub fn liquidity(&self) -> u128 {
        self.liquidity
    }
    /// Fees per unit of liquidity so far, token0 and token1, times 2^128, modulo 2^256.
    #[must_use]
    pub fn fee_growth(&self) -> [U256; 2] {
        self.fee_growth
    }
    /// What the pool holds of token0 and token1.
    #[must_use]
    pub fn held(&self) -> [u128; 2] {
        self.held
    }
    /// Its initialised ticks, lowest first.
    pub fn ticks(&self) -> impl Iterator<Item = &PoolTick> {
        self.ticks.iter()
    }
    /// Whose liquidity lies where.
    pub fn stakes(&self) -> impl Iterator<Item = (Owner, Range, Stake)> {
        let all = [Owner::Market, Owner::Positions].into_iter().zip(&self.stakes);
        all.flat_map(|(owner, own)| own.iter().map(move |&((lower, upper), s)| (owner, Range { lower, upper }, s)))
    }
    /// Bytes on the heap that this pool does not share with another, roughly.
    #[must_use]
    pub fn weight(&self, other: Option<&Self>) -> usize {
        let ticks = size_of::<PoolTick>() * self.ticks.iter().len();
        let own_ticks = other.is_none_or(|o| !Arc::ptr_eq(&o.ticks, &self.ticks));
        let stakes = self.stakes.iter().enumerate().filter(|(i, own)| {
            // Shared lists weigh nothing.
            other.is_none_or(|o| !Arc::ptr_eq(&o.stakes[*i], own))
        });
        let stakes: usize = stakes.map(|(_, own)| size_of::<(StakeKey, Stake)>() * own.iter().len()).sum();
        usize::from(own_ticks) * ticks + stakes
    }
}

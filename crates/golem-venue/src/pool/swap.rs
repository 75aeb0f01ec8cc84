//! Swaps of an exact input: the contract's loop, step by step, because every step rounds.
//!
//! [`Pool::quote`] changes nothing and says everything; [`Pool::apply`] makes it so.

use super::ticks::PoolTick;
use super::{FEE, MAX_RATIO, MAX_TICK, MIN_RATIO, MIN_TICK, Pool, PoolError, SPACING, maths};
use alloy_primitives::U256;
use std::sync::Arc;

/// What a swap does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swapped {
    /// True when token0 goes in and the price falls.
    pub down: bool,
    /// What goes in, fee included; less than offered only where the price limit stopped it.
    pub paid: u128,
    pub got: u128,
    /// Price, tick and liquidity afterwards.
    pub end: SwapEnd,
    /// Fee growth of the token that goes in, afterwards.
    growth: U256,
    /// Places of the ticks that are crossed, each with that fee growth at the moment of crossing.
    crossings: Vec<(usize, U256)>,
}

/// Where a swap ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwapEnd {
    pub sqrt_price: U256,
    pub tick: i32,
    /// Liquidity in range.
    pub liquidity: u128,
}

impl Swapped {
    /// How many initialised ticks are crossed.
    #[must_use]
    pub fn crossed(&self) -> u32 {
        u32::try_from(self.crossings.len()).unwrap_or(u32::MAX)
    }
}

/// A pool that somebody has left, to be asked what a swap would do there: it shares its ticks with the pool that it is a
/// copy of, and has those beside it that are otherwise.
#[derive(Debug, Clone)]
pub struct LeftPool {
    pub(crate) pool: Pool,
    pub(crate) ticks: Option<[PoolTick; 2]>,
}

impl LeftPool {
    /// See [`Pool::quote`].
    ///
    /// # Errors
    /// What the contract would revert for.
    pub fn quote(&self, down: bool, amount: U256, limit: Option<U256>) -> Result<Swapped, PoolError> {
        self.pool.quote_but(self.ticks.as_ref().map_or(&[], |ticks| &ticks[..]), down, amount, limit)
    }
}

impl Pool {
    /// What paying `amount` in would do, up to a price limit, or as far as prices go.
    ///
    /// # Errors
    /// What the contract would revert for.
    pub fn quote(&self, down: bool, amount: U256, limit: Option<U256>) -> Result<Swapped, PoolError> {
        self.quote_but(&[], down, amount, limit)
    }

    /// The same in a pool some of whose ticks have changed.
    fn quote_but(
        &self,
        changed: &[PoolTick],
        down: bool,
        amount: U256,
        limit: Option<U256>,
    ) -> Result<Swapped, PoolError> {
        let one = U256::from(1);
        let limit = limit.unwrap_or(if down { MIN_RATIO + one } else { MAX_RATIO - one });
        if amount.is_zero() {
            return Err(PoolError::Nothing);
        }
        let sound = if down {
            limit < self.sqrt_price && limit > MIN_RATIO
        } else {
            limit > self.sqrt_price && limit < MAX_RATIO
        };
        if !sound {
            return Err(PoolError::Limit);
        }
        self.run(changed, down, amount, limit).ok_or(PoolError::Overflow)
    }

    fn run(&self, changed: &[PoolTick], down: bool, amount: U256, limit: U256) -> Option<Swapped> {
        let mut at = SwapEnd { sqrt_price: self.sqrt_price, tick: self.tick, liquidity: self.liquidity };
        let mut growth = self.fee_growth[usize::from(!down)];
        let (mut left, mut out) = (amount, U256::ZERO);
        let mut crossings = Vec::new();
        while !left.is_zero() && at.sqrt_price != limit {
            let (next, place) = self.ticks.next_but(changed, at.tick, SPACING, down);
            let next = next.clamp(MIN_TICK, MAX_TICK);
            let edge = maths::ratio_at(next)?;
            let target = if down { edge.max(limit) } else { edge.min(limit) };
            let step = maths::step(at.sqrt_price, target, at.liquidity, left, FEE)?;
            left = left.checked_sub(step.amount_in.checked_add(step.fee)?)?;
            out = out.checked_add(step.amount_out)?;
            if at.liquidity > 0 {
                growth = growth.wrapping_add(maths::share_128(step.fee, at.liquidity)?);
            }
            if step.sqrt_price == edge {
                if let Some((place, tick)) = place.and_then(|i| Some((i, self.ticks.nth(i)?))) {
                    crossings.push((place, growth));
                    let net = changed.iter().find(|change| change.at == tick.at).unwrap_or(tick).net;
                    let net = if down { net.checked_neg()? } else { net };
                    at.liquidity = at.liquidity.checked_add_signed(net)?;
                }
                at.tick = if down { next - 1 } else { next };
            } else if step.sqrt_price != at.sqrt_price {
                at.tick = maths::tick_at(step.sqrt_price)?;
            }
            at.sqrt_price = step.sqrt_price;
        }
        let paid = u128::try_from(amount.checked_sub(left)?).ok()?;
        let got = u128::try_from(out).ok()?;
        let taken = usize::from(!down);
        self.held[taken].checked_add(paid)?;
        self.held[1 - taken].checked_sub(got)?;
        Some(Swapped { down, paid, got, end: at, growth, crossings })
    }

    /// Make a quote of this very pool happen.
    pub fn apply(&mut self, swap: &Swapped) {
        let (taken, given) = (usize::from(!swap.down), usize::from(swap.down));
        if !swap.crossings.is_empty() {
            let ticks = Arc::make_mut(&mut self.ticks);
            for &(place, growth) in &swap.crossings {
                if let Some(tick) = ticks.nth_mut(place) {
                    tick.outside[taken] = growth.wrapping_sub(tick.outside[taken]);
                    tick.outside[given] = self.fee_growth[given].wrapping_sub(tick.outside[given]);
                }
            }
        }
        self.fee_growth[taken] = swap.growth;
        self.held[taken] = self.held[taken].saturating_add(swap.paid);
        self.held[given] = self.held[given].saturating_sub(swap.got);
        (self.sqrt_price, self.tick, self.liquidity) = (swap.end.sqrt_price, swap.end.tick, swap.end.liquidity);
    }
}

//! Deeds: the position manager's own books. It holds everybody's liquidity in the pool under its own name, and keeps for
//! each position what of that, and of the fees, belongs to it.
//!
//! Its roundings are its own: what a deed is owed can be a unit more than the pool pays, and then the pool's word counts.

use crate::pool::{LeftPool, Owner, Pool, PoolError, PoolTick, Round, liquidity_for, stake::fees};
use alloy_primitives::U256;
use golem_core::intent::Refusal;
use golem_core::venue::Range;

/// One position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deed {
    pub id: u64,
    pub range: Range,
    pub liquidity: u128,
    /// Fee growth inside the range when it was last reckoned.
    pub inside: [U256; 2],
    /// Tokens to be collected.
    pub owed: [u128; 2],
}

/// Liquidity put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PutIn {
    pub liquidity: u128,
    /// What was taken for it.
    pub taken: [u128; 2],
}

impl Deed {
    /// A position with nothing in it yet.
    #[must_use]
    pub fn new(id: u64, range: Range) -> Self {
        Self { id, range, liquidity: 0, inside: [U256::ZERO; 2], owed: [0; 2] }
    }

    /// Put in as much liquidity as the amounts allow, if at least the minimums are taken.
    ///
    /// # Errors
    /// When the contracts would revert; nothing has changed then.
    pub fn put_in(&mut self, pool: &mut Pool, most: [u128; 2], least: [u128; 2]) -> Result<PutIn, Refusal> {
        let liquidity = liquidity_for(pool.sqrt_price(), self.range, most).ok_or(Refusal::Reverted)?;
        let delta = i128::try_from(liquidity).ok().filter(|d| *d > 0).ok_or(Refusal::Reverted)?;
        let taken = pool.amounts(self.range, liquidity, Round::Up).ok_or(Refusal::Reverted)?;
        // The two formulas never ask for more than was offered; if they did, the exact allowance would stop it.
        if taken[0] > most[0] || taken[1] > most[1] {
            return Err(Refusal::Reverted);
        }
        if taken[0] < least[0] || taken[1] < least[1] {
            return Err(Refusal::Slippage);
        }
        let after = self.liquidity.checked_add(liquidity).ok_or(Refusal::Reverted)?;
        let changed = pool.change(Owner::Positions, self.range, delta).map_err(reverted)?;
        self.reckon(changed.inside);
        self.liquidity = after;
        Ok(PutIn { liquidity, taken })
    }

    /// Take liquidity out and collect everything that is owed, if the liquidity alone brings at least the minimums.
    ///
    /// # Errors
    /// When the contracts would revert; nothing has changed then.
    pub fn take_out(&mut self, pool: &mut Pool, liquidity: u128, least: [u128; 2]) -> Result<[u128; 2], Refusal> {
        let brings = pool.amounts(self.range, liquidity, Round::Down);
        let ticks = self.draw(pool, liquidity, brings, least)?;
        pool.set_ticks(ticks);
        Ok(self.collect(pool))
    }

    /// What taking everything out and collecting it would bring, and the pool without it; nothing, and the pool as it is,
    /// when the contracts would revert.
    #[must_use]
    pub fn leave(self, pool: &Pool) -> ([u128; 2], LeftPool) {
        self.leave_bringing(pool, pool.amounts(self.range, self.liquidity, Round::Down))
    }

    /// The same where it is known already what its liquidity is made of.
    pub(crate) fn leave_bringing(mut self, pool: &Pool, brings: Option<[u128; 2]>) -> ([u128; 2], LeftPool) {
        let mut left = LeftPool { pool: pool.clone(), ticks: None };
        if self.liquidity > 0 {
            left.ticks = self.draw(&mut left.pool, self.liquidity, brings, [0; 2]).ok();
            if left.ticks.is_none() {
                return ([0; 2], left);
            }
        }
        (self.collect(&mut left.pool), left)
    }

    /// Take liquidity out that brings this much, but for the ticks of the range, which come back.
    fn draw(
        &mut self,
        pool: &mut Pool,
        liquidity: u128,
        brings: Option<[u128; 2]>,
        least: [u128; 2],
    ) -> Result<[PoolTick; 2], Refusal> {
        let after = self.liquidity.checked_sub(liquidity).ok_or(Refusal::Reverted)?;
        let delta = i128::try_from(liquidity).ok().filter(|d| *d > 0).ok_or(Refusal::Reverted)?;
        let brings = brings.ok_or(Refusal::Reverted)?;
        if brings[0] < least[0] || brings[1] < least[1] {
            return Err(Refusal::Slippage);
        }
        let (changed, ticks) = pool.change_for(Owner::Positions, self.range, -delta, Some(brings)).map_err(reverted)?;
        self.reckon(changed.inside);
        self.owed = [self.owed[0].wrapping_add(brings[0]), self.owed[1].wrapping_add(brings[1])];
        self.liquidity = after;
        Ok(ticks)
    }

    /// Collect everything that is owed.
    pub fn collect(&mut self, pool: &mut Pool) -> [u128; 2] {
        if self.liquidity > 0
            && let Ok(changed) = pool.change(Owner::Positions, self.range, 0)
        {
            self.reckon(changed.inside);
        }
        let owed = std::mem::take(&mut self.owed);
        pool.collect(Owner::Positions, self.range, owed)
    }

    /// What collecting would bring now.
    #[must_use]
    pub fn fees(&self, pool: &Pool) -> [u128; 2] {
        let stake = pool.stake(Owner::Positions, self.range);
        let mut deed = *self;
        let mut most = stake.owed;
        if self.liquidity > 0 {
            let inside = pool.growth_inside(self.range);
            deed.reckon(inside);
            let earned = fees(inside, stake.inside, stake.liquidity);
            most = [most[0].wrapping_add(earned[0]), most[1].wrapping_add(earned[1])];
        }
        [deed.owed[0].min(most[0]), deed.owed[1].min(most[1])]
    }

    /// Book the fees up to now.
    fn reckon(&mut self, inside: [U256; 2]) {
        let earned = fees(inside, self.inside, self.liquidity);
        self.owed = [self.owed[0].wrapping_add(earned[0]), self.owed[1].wrapping_add(earned[1])];
        self.inside = inside;
    }
}

fn reverted(_: PoolError) -> Refusal {
    Refusal::Reverted
}

//! Liquidity going in and out of the pool, and the fees it earns there.

use super::amounts::{Round, amounts_at};
use super::ticks::PoolTick;
use super::{MAX_TICK, MIN_TICK, Owner, Pool, PoolError, SPACING, StakeKey, maths, max_liquidity_per_tick};
use alloy_primitives::U256;
use golem_core::venue::Range;
use std::sync::Arc;

/// What one owner has in one range, as the pool keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stake {
    pub liquidity: u128,
    /// Fee growth inside the range when it was last reckoned.
    pub inside: [U256; 2],
    /// Tokens to be collected.
    pub owed: [u128; 2],
}

/// Stakes in the order of their keys. A list, because it is copied whenever somebody asks what leaving would bring.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Stakes(Vec<(StakeKey, Stake)>);

impl Stakes {
    /// From stakes in any order; of several under one key the last counts.
    pub(super) fn new(all: Vec<(StakeKey, Stake)>) -> Self {
        let mut stakes = Self::default();
        all.into_iter().for_each(|(key, stake)| stakes.set(key, stake));
        stakes
    }
    pub(super) fn iter(&self) -> std::slice::Iter<'_, (StakeKey, Stake)> {
        self.0.iter()
    }
    fn place(&self, key: &StakeKey) -> Result<usize, usize> {
        self.0.binary_search_by(|(k, _)| k.cmp(key))
    }
    fn get(&self, key: &StakeKey) -> Option<&Stake> {
        self.place(key).ok().and_then(|at| self.0.get(at)).map(|(_, stake)| stake)
    }
    fn set(&mut self, key: StakeKey, stake: Stake) {
        match self.place(&key) {
            Ok(at) => self.0[at].1 = stake,
            Err(at) => self.0.insert(at, (key, stake)),
        }
    }
    fn remove(&mut self, key: &StakeKey) {
        if let Ok(at) = self.place(key) {
            self.0.remove(at);
        }
    }
}

/// What a change of liquidity did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Changed {
    /// Token0 and token1 that it stands for: rounded up when put in, down when taken out.
    pub amounts: [u128; 2],
    /// Fee growth inside the range, now.
    pub inside: [U256; 2],
}

/// Fees of a liquidity for a growth, as the contracts cut them to 128 bits.
#[must_use]
pub fn fees(now: [U256; 2], last: [U256; 2], liquidity: u128) -> [u128; 2] {
    // Growth counts modulo 2^256: only differences mean something.
    let fee = |i: usize| {
        let earned = maths::times_128th(now[i].wrapping_sub(last[i]), liquidity);
        let [low, high, ..] = *earned.as_limbs();
        u128::from(high) << 64 | u128::from(low)
    };
    [fee(0), fee(1)]
}

impl Pool {
    /// What an owner has in a range.
    #[must_use]
    pub fn stake(&self, owner: Owner, range: Range) -> Stake {
        self.stakes[owner as usize].get(&(range.lower, range.upper)).copied().unwrap_or_default()
    }

    /// Fee growth inside a range whose ticks are initialised.
    #[must_use]
    pub fn growth_inside(&self, range: Range) -> [U256; 2] {
        let outside = |at| self.ticks.get(at).map_or([U256::ZERO; 2], |t| t.outside);
        self.inside(range, outside(range.lower), outside(range.upper))
    }

    fn inside(&self, range: Range, lower: [U256; 2], upper: [U256; 2]) -> [U256; 2] {
        let of = |i: usize| {
            let all = self.fee_growth[i];
            let below = if self.tick >= range.lower { lower[i] } else { all.wrapping_sub(lower[i]) };
            let above = if self.tick < range.upper { upper[i] } else { all.wrapping_sub(upper[i]) };
            all.wrapping_sub(below).wrapping_sub(above)
        };
        [of(0), of(1)]
    }

    /// What liquidity in a range is made of now.
    #[must_use]
    pub fn amounts(&self, range: Range, liquidity: u128, round: Round) -> Option<[u128; 2]> {
        amounts_at(self.sqrt_price, self.tick, range, liquidity, round)
    }

    /// Add liquidity (paid for at once), take some out (owed until collected), or by 0 only reckon the fees.
    ///
    /// # Errors
    /// What the contract would revert for; nothing has changed then.
    pub fn change(&mut self, owner: Owner, range: Range, delta: i128) -> Result<Changed, PoolError> {
        let (changed, ticks) = self.change_for(owner, range, delta, None)?;
        if delta != 0 {
            self.set_ticks(ticks);
        }
        Ok(changed)
    }

    /// The ticks of a range as [`Pool::change_for`] says they are.
    pub(crate) fn set_ticks(&mut self, ticks: [PoolTick; 2]) {
        let all = Arc::make_mut(&mut self.ticks);
        ticks.into_iter().for_each(|tick| all.set(tick));
    }

    /// The same, but for the two ticks of the range, which come back as they are to be: a copy of a pool shares its many
    /// ticks with it for as long as it does not set them. `amounts` are what the change stands for, where somebody has
    /// reckoned that already.
    pub(crate) fn change_for(
        &mut self,
        owner: Owner,
        range: Range,
        delta: i128,
        amounts: Option<[u128; 2]>,
    ) -> Result<(Changed, [PoolTick; 2]), PoolError> {
        if range.lower >= range.upper || range.lower < MIN_TICK || range.upper > MAX_TICK {
            return Err(PoolError::Range);
        }
        let mut stake = self.stake(owner, range);
        if delta == 0 && stake.liquidity == 0 {
            return Err(PoolError::TooLittle);
        }
        let after = stake.liquidity.checked_add_signed(delta).ok_or(PoolError::TooLittle)?;
        let lower = self.tick_after(range.lower, delta, false)?;
        let upper = self.tick_after(range.upper, delta, true)?;
        let round = if delta > 0 { Round::Up } else { Round::Down };
        let amounts =
            amounts.or_else(|| self.amounts(range, delta.unsigned_abs(), round)).ok_or(PoolError::Overflow)?;
        let in_range = range.lower <= self.tick && self.tick < range.upper;
        let liquidity = if in_range { self.liquidity.checked_add_signed(delta) } else { Some(self.liquidity) };
        let liquidity = liquidity.ok_or(PoolError::Overflow)?;
        let held = if delta > 0 { added(self.held, amounts)? } else { self.held };

        let inside = self.inside(range, lower.outside, upper.outside);
        let earned = fees(inside, stake.inside, stake.liquidity);
        // The contract lets these wrap; no token has so many units.
        let owe =
            |i: usize, owed: u128| owed.wrapping_add(earned[i]).wrapping_add(if delta < 0 { amounts[i] } else { 0 });
        stake = Stake { liquidity: after, inside, owed: [owe(0, stake.owed[0]), owe(1, stake.owed[1])] };
        (self.liquidity, self.held) = (liquidity, held);
        self.keep(owner, range, stake);
        Ok((Changed { amounts, inside }, [lower, upper]))
    }

    /// The tick as it is once a range that begins or ends there has changed.
    fn tick_after(&self, at: i32, delta: i128, upper: bool) -> Result<PoolTick, PoolError> {
        let mut tick = match self.ticks.get(at) {
            Some(tick) => *tick,
            // By convention all growth before a tick was initialised happened below it.
            None if at <= self.tick => PoolTick { at, gross: 0, net: 0, outside: self.fee_growth },
            None => PoolTick { at, gross: 0, net: 0, outside: [U256::ZERO; 2] },
        };
        if tick.gross == 0 && at % SPACING != 0 {
            return Err(PoolError::Range);
        }
        tick.gross = tick.gross.checked_add_signed(delta).ok_or(PoolError::TooLittle)?;
        if tick.gross > max_liquidity_per_tick(SPACING) {
            return Err(PoolError::TooMuch);
        }
        let net = if upper { tick.net.checked_sub(delta) } else { tick.net.checked_add(delta) };
        tick.net = net.ok_or(PoolError::Overflow)?;
        Ok(tick)
    }

    /// Pay out what an owner is owed in a range, at most so much; returns what was paid.
    pub fn collect(&mut self, owner: Owner, range: Range, most: [u128; 2]) -> [u128; 2] {
        let mut stake = self.stake(owner, range);
        let mut paid = [0; 2];
        for (i, out) in paid.iter_mut().enumerate() {
            *out = most[i].min(stake.owed[i]).min(self.held[i]);
            stake.owed[i] -= *out;
            self.held[i] -= *out;
        }
        self.keep(owner, range, stake);
        paid
    }

    /// A stake without liquidity and without anything owed says nothing any more.
    fn keep(&mut self, owner: Owner, range: Range, stake: Stake) {
        let (key, own) = ((range.lower, range.upper), &mut self.stakes[owner as usize]);
        if own.get(&key) == Some(&stake) {
            return;
        }
        let stakes = Arc::make_mut(own);
        if stake.liquidity == 0 && stake.owed == [0; 2] {
            stakes.remove(&key);
        } else {
            stakes.set(key, stake);
        }
    }
}

fn added(held: [u128; 2], more: [u128; 2]) -> Result<[u128; 2], PoolError> {
    let sum = |i: usize| held[i].checked_add(more[i]).ok_or(PoolError::Overflow);
    Ok([sum(0)?, sum(1)?])
}

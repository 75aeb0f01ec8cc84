//! Liquidity and the amounts it stands for, at any price.

use super::maths::{self, ratio_at};
use alloy_primitives::U256;
use golem_core::venue::Range;

/// Which way a division goes when it leaves a rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Round {
    /// Down: what is paid out, what is counted as ours.
    Down,
    /// Up: what is taken in, what is counted as owed.
    Up,
}

/// 2^96.
const Q96: U256 = U256::from_limbs([0, 1 << 32, 0, 0]);

/// The prices at the two ends of a range; `None` when it is no range.
pub(super) fn ends(range: Range) -> Option<(U256, U256)> {
    if range.lower >= range.upper {
        return None;
    }
    Some((ratio_at(range.lower)?, ratio_at(range.upper)?))
}

/// The most liquidity that amounts of token0 and token1 can make in a range at a price: the position manager's formula,
/// which goes by the price alone. `None` when it does not fit.
#[must_use]
pub fn liquidity_for(sqrt_price: U256, range: Range, amounts: [u128; 2]) -> Option<u128> {
    let (lower, upper) = ends(range)?;
    if sqrt_price <= lower {
        by_token0(lower, upper, amounts[0])
    } else if sqrt_price < upper {
        Some(by_token0(sqrt_price, upper, amounts[0])?.min(by_token1(lower, sqrt_price, amounts[1])?))
    } else {
        by_token1(lower, upper, amounts[1])
    }
}

fn by_token0(a: U256, b: U256, amount: u128) -> Option<u128> {
    let between = maths::mul_div(a, b, Q96)?;
    u128::try_from(maths::mul_div(U256::from(amount), between, b.checked_sub(a)?)?).ok()
}

fn by_token1(a: U256, b: U256, amount: u128) -> Option<u128> {
    u128::try_from(maths::mul_div(U256::from(amount), Q96, b.checked_sub(a)?)?).ok()
}

/// What liquidity in a range is made of when the pool stands at a price and a tick: the pool's own formula, which asks the
/// tick which side of the range it is on.
#[must_use]
pub fn amounts_at(sqrt_price: U256, tick: i32, range: Range, liquidity: u128, round: Round) -> Option<[u128; 2]> {
    let (lower, upper) = ends(range)?;
    let up = round == Round::Up;
    let (amount0, amount1) = if tick < range.lower {
        (maths::amount0(lower, upper, liquidity, up)?, U256::ZERO)
    } else if tick < range.upper {
        (maths::amount0(sqrt_price, upper, liquidity, up)?, maths::amount1(lower, sqrt_price, liquidity, up)?)
    } else {
        (U256::ZERO, maths::amount1(lower, upper, liquidity, up)?)
    };
    Some([u128::try_from(amount0).ok()?, u128::try_from(amount1).ok()?])
}

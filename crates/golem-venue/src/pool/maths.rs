//! The seam to the maths crate: every formula of Uniswap v3 that the pool uses, with failures as `None`.

use super::{MAX_TICK, MIN_TICK};
use alloy_primitives::{I256, U256};
use uniswap_v3_math::{full_math, sqrt_price_math, swap_math, tick_math};

/// The square root of the price at a tick, times 2^96.
#[must_use]
pub fn ratio_at(tick: i32) -> Option<U256> {
    if !(MIN_TICK..=MAX_TICK).contains(&tick) {
        return None;
    }
    tick_math::get_sqrt_ratio_at_tick(tick).ok()
}

/// The highest tick whose price is not above this one.
#[must_use]
pub fn tick_at(sqrt_price: U256) -> Option<i32> {
    tick_math::get_tick_at_sqrt_ratio(sqrt_price).ok()
}

/// `a * b / d`, rounded down, in full width.
#[must_use]
pub fn mul_div(a: U256, b: U256, d: U256) -> Option<U256> {
    full_math::mul_div(a, b, d).ok()
}

/// Token0 between two prices at a liquidity.
#[must_use]
pub fn amount0(a: U256, b: U256, liquidity: u128, up: bool) -> Option<U256> {
    sqrt_price_math::_get_amount_0_delta(a, b, liquidity, up).ok()
}

/// Token1 between two prices at a liquidity.
#[must_use]
pub fn amount1(a: U256, b: U256, liquidity: u128, up: bool) -> Option<U256> {
    sqrt_price_math::_get_amount_1_delta(a, b, liquidity, up).ok()
}

/// One step of a swap of an exact input: the price it ends at, what goes in, what comes out, and the fee on top.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The price after it.
    pub sqrt_price: U256,
    /// What goes in, without the fee.
    pub amount_in: U256,
    pub amount_out: U256,
    pub fee: U256,
}

/// From a price towards a target with so much left to pay in, at a fee in hundredths of a basis point.
#[must_use]
pub fn step(sqrt_price: U256, target: U256, liquidity: u128, left: U256, fee: u32) -> Option<Step> {
    if fee >= 1_000_000 {
        return None;
    }
    let left = I256::try_from(left).ok()?;
    let (sqrt_price, amount_in, amount_out, fee) =
        swap_math::compute_swap_step(sqrt_price, target, liquidity, left, fee).ok()?;
    Some(Step { sqrt_price, amount_in, amount_out, fee })
}

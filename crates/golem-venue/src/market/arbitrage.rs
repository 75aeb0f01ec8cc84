//! Arbitrage: whoever can buy here and sell outside, or the other way round, does so until it no longer pays.
//!
//! A swap costs the fee, so that within the fee of the outside price nothing pays: the no-arbitrage band. Beyond its edge the
//! profit of going back to it grows with the square of the distance, and it is done when it is more than its gas.

use super::price::{self, FEE};
use crate::spot::price_f64;
use crate::venue::{MarketTrade, View};

/// Gas of one arbitrage, about that of a swap through the router.
const GAS_UNITS: f64 = 150_000.0;

/// The edges of the band in which no trade against this outside price pays, gas aside.
#[must_use]
pub fn band(outside: f64) -> (f64, f64) {
    (outside * (1.0 - FEE), outside / (1.0 - FEE))
}

/// The trade that an arbitrageur makes now, if one pays.
pub(super) fn wanted(view: &View, outside: f64) -> Option<MarketTrade> {
    let here = price_f64(view);
    let (low, high) = band(outside);
    let edge = if here < low {
        low
    } else if here > high {
        high
    } else {
        return None;
    };
    // With liquidity L and roots a here, b at the edge, what comes out is worth L (a - b)^2 / a more than what goes in.
    let apart = 1.0 - libm::sqrt(edge / here);
    let profit = price::reserve_usdc(view) * apart * apart;
    let gas = GAS_UNITS * view.base_fee as f64 / 1e18 * outside;
    let goal = price::sqrt_price_near(edge, view.usdc_is_token0);
    (profit > gas && goal != view.pool.sqrt_price_x96).then_some(MarketTrade::ToPrice { sqrt_price_x96: goal })
}

/// How far the pool may be beyond the edge of the band before an arbitrage pays for its gas, as a share of the price.
#[must_use]
pub fn gas_slack(view: &View, outside: f64) -> f64 {
    let gas = GAS_UNITS * view.base_fee as f64 / 1e18 * outside;
    let apart = libm::sqrt(gas / price::reserve_usdc(view).max(1e-9));
    // From roots to prices, on the wider side.
    if apart < 1.0 { 1.0 / ((1.0 - apart) * (1.0 - apart)) - 1.0 } else { f64::INFINITY }
}

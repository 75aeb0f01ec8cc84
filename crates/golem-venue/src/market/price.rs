//! What the market reckons with besides prices: the fee, the reserve behind a price, and floats of the pool's wide numbers.
//! It only describes: what is traded is settled by the venue's exact arithmetic.

use crate::spot;
use crate::venue::View;
use golem_core::Usdc;
use golem_core::venue::Wide;

/// What the pool takes of every swap, as a share.
pub const FEE: f64 = crate::pool::FEE as f64 / 1e6;
/// What lies within two per cent of the price, both sides together, as a share of the reserve behind it (to a hundredth).
pub(super) const DEPTH_SHARE: f64 = 0.02;

const TWO_64: f64 = (1_u128 << 64) as f64;
const TWO_96: f64 = (1_u128 << 96) as f64;
/// Prices beyond these have no place in the pool's range.
const LEAST_PRICE: f64 = 1e-9;
const HIGHEST_PRICE: f64 = 1e15;

/// The square root of the pool's price at which the asset costs so much; the nearest there is when that is beyond all
/// prices, or no price at all.
pub(super) fn sqrt_price_near(price: f64, usdc_is_token0: bool) -> Wide {
    let price = if price >= LEAST_PRICE { price.min(HIGHEST_PRICE) } else { LEAST_PRICE };
    spot::sqrt_price_of(price, usdc_is_token0)
}

/// USDC that stands behind the price, as if the liquidity in range reached everywhere.
#[must_use]
pub fn reserve_usdc(view: &View) -> f64 {
    let root = root_of(view.pool.sqrt_price_x96);
    let liquidity = view.pool.liquidity as f64;
    if root > 0.0 { (if view.usdc_is_token0 { liquidity / root } else { liquidity * root }) / 1e6 } else { 0.0 }
}

/// The square root of token1 per token0, in smallest units.
pub(super) fn root_of(sqrt_price_x96: Wide) -> f64 {
    to_f64(sqrt_price_x96) / TWO_96
}

/// Money from a float, rounded down; what is not a positive number is nothing.
pub(super) fn usdc(x: f64) -> Usdc {
    if x > 0.0 { Usdc((x * 1e6).min(1e18) as u64) } else { Usdc::ZERO }
}

/// The nearest float, within a rounding or two; the same one everywhere.
pub(super) fn to_f64(wide: Wide) -> f64 {
    wide.0.iter().rev().fold(0.0, |sum, &limb| sum * TWO_64 + limb as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::{MAX_RATIO, MIN_RATIO};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn prices_come_back(price in 1e-6_f64..1e12, order: bool) {
            prop_assert!((spot::price_of(sqrt_price_near(price, order), order) / price - 1.0).abs() < 1e-14);
        }
        #[test]
        fn no_float_is_a_price_outside_the_pools_range(bits: u64, order: bool) {
            let root = spot::number(sqrt_price_near(f64::from_bits(bits), order));
            prop_assert!(root > MIN_RATIO && root < MAX_RATIO);
        }
    }
}

//! Liquidity against what it lost: the fees of a position beside its loss versus rebalancing.

use golem_core::Usdc;
use golem_core::venue::Range;
use serde::Serialize;

/// One step of the pool's ticks, as a ratio of prices.
const TICK: f64 = 1.0001;
/// Smallest units of ETH in a smallest unit of USDC, at a price of 1.
const UNITS: f64 = 1e12;

/// A position as it lies in the pool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Held {
    pub range: Range,
    pub liquidity: u128,
    /// Which token USDC is: the pool's ticks count the other way round where it is the first.
    pub usdc_is_token0: bool,
}

/// What liquidity earned and what it lost.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Liquidity {
    /// Fees that came in, at the price of that moment, and those still owed at the end.
    #[serde(rename = "fees_micro_usdc")]
    pub fees: Usdc,
    /// Loss versus rebalancing, in USDC.
    pub lvr_usdc: f64,
    /// Bars that began with liquidity in the pool.
    pub bars: u64,
}

impl Held {
    /// ETH and USDC inside at a price, in whole units.
    #[must_use]
    pub fn amounts(&self, price: f64) -> (f64, f64) {
        let Range { lower, upper } = self.range;
        // With ETH as the first token; the other order is the mirror image.
        let (lower, upper) = if self.usdc_is_token0 { (-upper, -lower) } else { (lower, upper) };
        let root = |tick: i32| libm::pow(TICK, f64::from(tick) / 2.0);
        let (low, high) = (root(lower), root(upper));
        let here = libm::sqrt(price / UNITS).clamp(low, high);
        let liquidity = self.liquidity as f64;
        (liquidity * (1.0 / here - 1.0 / high) / 1e18, liquidity * (here - low) / 1e6)
    }

    /// Its loss versus rebalancing while the price went from one to another: what its ETH alone would have made, less what
    /// it made without fees. Never below zero but for roundings.
    #[must_use]
    pub fn lvr(&self, from: f64, to: f64) -> f64 {
        let ((eth, usdc), (eth_then, usdc_then)) = (self.amounts(from), self.amounts(to));
        // The same as eth * (to - from) - (worth then - worth now), without the large numbers.
        (eth - eth_then) * to + (usdc - usdc_then)
    }
}

impl Liquidity {
    /// A bar passed with a position in the pool.
    pub fn bar(&mut self, held: &Held, from: f64, to: f64) {
        self.lvr_usdc += held.lvr(from, to);
        self.bars += 1;
    }

    /// What is left of the fees, in USDC.
    #[must_use]
    pub fn net_usdc(&self) -> f64 {
        self.fees.as_f64() - self.lvr_usdc
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn held(usdc_is_token0: bool) -> Held {
        // 1.0001 ^ 203_190 is near 1e12 / 1_500: ETH from about 1,200 to 1,900.
        let range = Range { lower: 200_820, upper: 205_420 };
        let range = if usdc_is_token0 { range } else { Range { lower: -range.upper, upper: -range.lower } };
        Held { range, liquidity: 1_000_000_000_000_000, usdc_is_token0 }
    }

    #[test]
    fn a_position_is_all_eth_below_its_range_and_all_usdc_above() {
        for order in [false, true] {
            let (below, inside, above) =
                (held(order).amounts(900.0), held(order).amounts(1_500.0), held(order).amounts(9_000.0));
            assert!(below.0 > 0.0 && below.1.abs() < 1e-9, "{below:?}");
            assert!(inside.0 > 0.0 && inside.1 > 0.0, "{inside:?}");
            assert!(above.0.abs() < 1e-12 && above.1 > 0.0, "{above:?}");
            assert!((below.0 * 1_500.0 / above.1 - 1.0).abs() < 0.2, "{below:?} {above:?}");
        }
    }

    proptest! {
        #[test]
        fn it_never_gains_by_moving_and_the_order_of_tokens_is_nothing(from in 500.0..4_000.0f64, to in 500.0..4_000.0f64) {
            let (a, b) = (held(false).lvr(from, to), held(true).lvr(from, to));
            prop_assert!(a > -1e-6, "{a}");
            prop_assert!((a - b).abs() < 1e-6);
            prop_assert!(held(false).lvr(from, from).abs() < 1e-9);
            let (eth, usdc) = held(false).amounts(from);
            let (then, money) = held(false).amounts(to);
            let by_definition = eth * (to - from) - (then * to + money - eth * from - usdc);
            prop_assert!((a - by_definition).abs() < 1e-6 * (1.0 + a.abs()));
        }
    }
}

//! How a chain of our own begins: the price, and the market's first liquidity. Paper and contracts start from the same plan.

use crate::pool::{full_range, maths};
use crate::spot::number;
use alloy_primitives::U256;
use golem_core::Usdc;
use golem_core::venue::{Range, Wide};
use serde::{Deserialize, Serialize};

/// Ticks that the market's grid of ranges reaches to either side.
const REACH: i32 = 24_000;
/// About the width of one range of it.
const WIDTH: i32 = 600;

/// The beginning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GenesisConfig {
    /// Which token USDC is.
    pub usdc_is_token0: bool,
    /// Square root of token1 per token0, times 2^96.
    pub sqrt_price_x96: Wide,
    /// Time of the first open block.
    pub timestamp: u64,
    /// Its base fee, in wei.
    pub base_fee: u128,
    /// The market's first liquidity.
    pub liquidity: Vec<(Range, u128)>,
}

impl GenesisConfig {
    /// A market of a certain depth: the amount of USDC that moves the price by about one per cent.
    #[must_use]
    pub fn deep(usdc_is_token0: bool, sqrt_price_x96: Wide, depth: Usdc, timestamp: u64, base_fee: u128) -> Self {
        let tick = maths::tick_at(number(sqrt_price_x96)).unwrap_or_default();
        let liquidity = liquidity_of_depth(sqrt_price_x96, usdc_is_token0, depth);
        let liquidity = genesis_liquidity(tick, crate::pool::SPACING, liquidity);
        Self { usdc_is_token0, sqrt_price_x96, timestamp, base_fee, liquidity }
    }
}

/// Liquidity at which that much USDC moves the price by about one per cent (half a per cent of the square root).
#[must_use]
pub fn liquidity_of_depth(sqrt_price: Wide, usdc_is_token0: bool, depth: Usdc) -> u128 {
    let (price, q96) = (number(sqrt_price), U256::from(1) << 96);
    let usdc = U256::from(depth.0).saturating_mul(U256::from(200));
    let liquidity = if usdc_is_token0 { maths::mul_div(usdc, price, q96) } else { maths::mul_div(usdc, q96, price) };
    liquidity.and_then(|l| u128::try_from(l).ok()).unwrap_or(u128::MAX >> 32)
}

/// The market's liquidity around a tick: a fifth of the depth over the full range, and the rest in a grid of adjacent
/// ranges that differ a little, so that the depth is about the same everywhere and every crossing changes something.
#[must_use]
pub fn genesis_liquidity(tick: i32, spacing: i32, depth: u128) -> Vec<(Range, u128)> {
    let spacing = spacing.max(1);
    let width = (WIDTH / spacing).max(1).saturating_mul(spacing);
    let edge = full_range();
    let centre = tick.clamp(edge.lower, edge.upper).div_euclid(width) * width;
    let mut plan = vec![(edge, depth / 5)];
    for k in -(REACH / width)..(REACH / width).max(1) {
        let lower = centre + k * width;
        let range = Range { lower, upper: lower + width };
        let percent = [72, 80, 88, 80][k.rem_euclid(4) as usize];
        if range.lower >= edge.lower && range.upper <= edge.upper {
            plan.push((range, depth / 100 * percent));
        }
    }
    plan.retain(|(_, liquidity)| *liquidity > 0);
    plan
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::is_range;

    #[test]
    fn the_plan_covers_its_reach_without_gaps_wherever_it_begins() {
        for tick in [0, -1, 195_000, -195_003, 887_271, -887_272, i32::MAX, i32::MIN] {
            let plan = genesis_liquidity(tick, 10, 1_000_000);
            assert_eq!(plan[0], (full_range(), 200_000));
            assert!(plan.iter().all(|(range, liquidity)| is_range(*range) && *liquidity > 0), "{tick}");
            assert!(plan[1..].windows(2).all(|pair| pair[0].0.upper == pair[1].0.lower), "{tick}");
            if tick.unsigned_abs() < 200_000 {
                let (first, last) = (plan[1].0.lower, plan[plan.len() - 1].0.upper);
                assert!(first <= tick - 23_000 && last >= tick + 23_000, "{first} to {last} around {tick}");
                let here: u128 = plan.iter().filter(|(r, _)| r.lower <= tick && tick < r.upper).map(|(_, l)| l).sum();
                assert!((900_000..=1_100_000).contains(&here));
            }
        }
        assert!(genesis_liquidity(0, 10, 0).is_empty());
        assert!(!genesis_liquidity(0, 0, 1_000).is_empty());
    }
}

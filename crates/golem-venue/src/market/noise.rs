//! Noise traders: swaps of random direction and size, from addressed dice. They know nothing and give the pool its volume.

use super::config::MarketConfig;
use super::price;
use crate::venue::MarketTrade;
use golem_core::dice::{Dice, Draws};
use golem_core::intent::Asset;

/// Draws of a tick from this one on belong to trades between a golem's preview and its execution.
const RIVALS: u32 = 4_096;
/// Draws that are kept for each execution of a tick.
const PER_ACT: u32 = 64;

/// No step has more noise trades than this.
const MOST_TRADES: f64 = 8.0;

/// How many noise trades a step over so many ticks has (the whole part of the mean for sure, the rest by chance), and by
/// how much they are larger because there are not as many as there should be.
pub(super) fn count(config: &MarketConfig, draws: &mut Draws, ticks: u64) -> (u32, f64) {
    let due = (config.noise_per_tick * ticks as f64).clamp(0.0, 1e9);
    let mean = due.min(MOST_TRADES);
    let sure = libm::floor(mean);
    (sure as u32 + u32::from(draws.uniform() < mean - sure), due / mean.max(1e-9))
}

/// The next noise trade of the tick, in USDC as if it bought: below zero it sells. Always takes the same number of draws.
pub(super) fn size(config: &MarketConfig, draws: &mut Draws, median: f64, most: f64) -> f64 {
    let side = if draws.uniform() < 0.5 { 1.0 } else { -1.0 };
    side * (median * libm::exp(config.noise_spread * draws.normals().0)).min(most)
}

/// A trade between preview and execution, in USDC as [`size`]: the `i`-th before the `act`-th execution of the tick.
pub(super) fn rival_size(spread: f64, dice: &Dice, tick: u64, act: u32, i: u32, median: f64, most: f64) -> f64 {
    let first = RIVALS.saturating_add(act.saturating_mul(PER_ACT)).saturating_add(i.saturating_mul(3));
    let draw = |n| dice.uniform(tick, first.saturating_add(n));
    let side = if draw(0) < 0.5 { 1.0 } else { -1.0 };
    let normal = libm::sqrt(-2.0 * libm::log(1.0 - draw(1))) * libm::cos(std::f64::consts::TAU * draw(2));
    side * (median * libm::exp(spread * normal)).min(most)
}

/// A size as a trade at a price; `None` when it is less than the least there is.
pub(super) fn trade(size: f64, price: f64) -> Option<MarketTrade> {
    if size > 0.0 {
        let pay = price::usdc(size);
        (pay.0 > 0).then_some(MarketTrade::Buy { pay })
    } else {
        let give = Asset::of_whole(-size / price);
        (give.0 > 0).then_some(MarketTrade::Sell { give })
    }
}

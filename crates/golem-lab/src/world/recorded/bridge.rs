//! Fills a bar with a random path that begins at its open, ends at its close and touches its high and its low.
//!
//! The path of a bar depends on that bar, its time and the seed, and on nothing else. It is never a straight line: a
//! line repeats its own direction, and whoever forecasts that would be paid for a skill that is not one.

use super::read::Bar;
use golem_core::Dice;
use golem_core::dice::Draws;
use std::ops::RangeInclusive;

/// Numbers of points that make a path: room for open, high, low and close; at most a week of nominal ticks.
pub(super) const FITS: RangeInclusive<usize> = 4..=15_120;
/// Paths that are drawn for each bar; the one that fits best is taken. Fewer must be bent so much that they keep turning
/// back, more are so well chosen that they keep going: with 16 the steps of a filled random walk stay uncorrelated.
const CANDIDATES: usize = 16;
/// Scale of a path's deviation. A path of few points that touches high and low moves more than a random walk between
/// them would; this takes off what touching adds (measured on random walks of 90 points).
const DEVIATION: f64 = 0.92;

/// A bar played out: a price and a share of the volume for each point of its time.
#[derive(Debug, Clone, Default)]
pub(super) struct Path {
    pub prices: Vec<f64>,
    pub volumes: Vec<f64>,
}

/// How far a candidate goes beyond the ends of the bar, on one side, and how far it should.
struct Reach {
    found: f64,
    wanted: f64,
}

impl Reach {
    /// How badly it fits: the log of how much it would have to be stretched.
    fn misfit(&self, range: f64) -> f64 {
        if self.wanted <= 0.0 {
            self.found / range
        } else if self.found <= 0.0 {
            10.0
        } else {
            libm::log(self.found / self.wanted).abs()
        }
    }
    fn stretch(&self) -> f64 {
        if self.found > 0.0 { self.wanted / self.found } else { 0.0 }
    }
}

impl Path {
    /// The path of a bar through so many points, which must be in [`FITS`].
    pub fn of(bar: &Bar, points: usize, dice: &Dice) -> Self {
        let points = points.clamp(*FITS.start(), *FITS.end());
        // Times are checked to be at or after 1970, so this is their own value.
        let mut draws = dice.draws(bar.open_s.unsigned_abs());
        let volumes = shares(bar.volume, points, &mut draws);
        let range = bar.high - bar.low;
        if range <= 0.0 {
            return Self { prices: vec![bar.open; points], volumes };
        }
        let mut best = (f64::INFINITY, Vec::new());
        for _ in 0..CANDIDATES {
            let walk = brownian_bridge(bar, points, &mut draws);
            let (up, down) = reaches(bar, &walk);
            let misfit = up.misfit(range) + down.misfit(range);
            if misfit < best.0 {
                best = (misfit, walk);
            }
        }
        let mut prices = best.1;
        if prices.len() != points {
            // Only numbers too large to be prices come here: no candidate had a misfit that compares.
            return Self { prices: vec![bar.close; points], volumes };
        }
        fit(bar, &mut prices);
        Self { prices, volumes }
    }
}

/// A random walk tied to open and close. Its deviation follows from the range (Parkinson 1980), so that its two ends are
/// on average as far apart as an untied walk's would be: being tied then adds no pattern to its steps.
fn brownian_bridge(bar: &Bar, points: usize, draws: &mut Draws) -> Vec<f64> {
    let last = points - 1;
    let deviation = DEVIATION * (bar.high - bar.low) / (4.0 * std::f64::consts::LN_2 * last as f64).sqrt();
    let mut walk = Vec::with_capacity(points + 1);
    let mut at = 0.0;
    walk.push(at);
    while walk.len() < points {
        let (a, b) = draws.normals();
        for normal in [a, b] {
            at += deviation * normal;
            walk.push(at);
        }
    }
    walk.truncate(points);
    let miss = (bar.close - bar.open - walk[last]) / last as f64;
    for (k, x) in walk.iter_mut().enumerate() {
        *x += bar.open + k as f64 * miss;
    }
    walk
}

fn reaches(bar: &Bar, walk: &[f64]) -> (Reach, Reach) {
    let (top, bottom) = (bar.open.max(bar.close), bar.open.min(bar.close));
    let highest = walk.iter().copied().fold(top, f64::max);
    let lowest = walk.iter().copied().fold(bottom, f64::min);
    let up = Reach { found: highest - top, wanted: bar.high - top };
    (up, Reach { found: bottom - lowest, wanted: bottom - bar.low })
}

/// Stretch what lies above both ends until it touches the high, and what lies below them until it touches the low.
fn fit(bar: &Bar, walk: &mut [f64]) {
    let (top, bottom) = (bar.open.max(bar.close), bar.open.min(bar.close));
    let (up, down) = reaches(bar, walk);
    // The points that touch are chosen before stretching, and never the ends: those are open and close.
    let inner = 1..walk.len() - 1;
    let peak = inner.clone().max_by(|a, b| walk[*a].total_cmp(&walk[*b])).unwrap_or(1);
    let trough = inner.filter(|i| *i != peak).min_by(|a, b| walk[*a].total_cmp(&walk[*b])).unwrap_or(2);
    let (up, down) = (up.stretch(), down.stretch());
    for x in walk.iter_mut() {
        if *x > top {
            *x = top + (*x - top) * up;
        } else if *x < bottom {
            *x = bottom - (bottom - *x) * down;
        }
        *x = x.clamp(bar.low, bar.high);
    }
    if bar.high > top {
        walk[peak] = bar.high;
    }
    if bar.low < bottom {
        walk[trough] = bar.low;
    }
    walk[0] = bar.open;
    let last = walk.len() - 1;
    walk[last] = bar.close;
}

/// The volume cut into random shares, exponentially distributed, that add up to it.
fn shares(volume: f64, points: usize, draws: &mut Draws) -> Vec<f64> {
    let mut parts: Vec<f64> = (0..points).map(|_| -libm::log(1.0 - draws.uniform())).collect();
    let whole: f64 = parts.iter().sum();
    let scale = if whole > 0.0 { volume / whole } else { 0.0 };
    parts.iter_mut().for_each(|part| *part *= scale);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::Strand;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_touches_all_four_and_stays_between(
            low in 1e-3..1e5f64, spread in 0.0..0.5f64, o in 0.0..=1.0f64, c in 0.0..=1.0f64,
            points in 4usize..100, seed: u64, open_s in 0i64..2_000_000_000,
        ) {
            let high = low * (1.0 + spread);
            let (open, close) = ((low + o * (high - low)).min(high), (low + c * (high - low)).min(high));
            let bar = Bar { open_s, open, high, low, close, volume: 10.0, fee_yield: None };
            let path = Path::of(&bar, points, &Dice::open(seed, Strand::Bridge));
            let bits = |x: f64| x.to_bits();
            prop_assert_eq!(path.prices.len(), points);
            prop_assert_eq!(bits(path.prices[0]), bits(open));
            prop_assert_eq!(bits(path.prices[points - 1]), bits(close));
            prop_assert_eq!(bits(path.prices.iter().copied().fold(0.0, f64::max)), bits(high));
            prop_assert_eq!(bits(path.prices.iter().copied().fold(1e9, f64::min)), bits(low));
            prop_assert!((path.volumes.iter().sum::<f64>() - 10.0).abs() < 1e-9);
        }
    }
}

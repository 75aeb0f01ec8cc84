//! How strongly one series of innovations goes with another some rows later, and how much of that is noise.

use pulp::{Arch, Simd, WithSimd};
use std::ops::Range;

/// The longest lag that is tried, in nominal ticks: an hour.
pub(super) const MAX_LAG: usize = 90;
/// Other lags whose products tell how noisy the one in question is.
const NEIGHBOURS: [usize; 8] = [3, 7, 12, 18, 25, 33, 42, 52];

/// A dependence at one lag over some rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Dependence {
    /// Effect in deviations of the target for one deviation of the source.
    pub slope: f64,
    /// The same in deviations of what chance does.
    pub z: f64,
    /// What `z` would be for a slope of 1: how much these rows could tell.
    pub power: f64,
}

/// The sum of products in eight fixed lanes: fast, and the same on every machine.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f64 {
    let n = a.len().min(b.len());
    Arch::new().dispatch(Whole { a: &a[..n], b: &b[..n] })
}

/// The sum of products of two rows, by the widest instructions that the machine has.
struct Whole<'a> {
    a: &'a [f32],
    b: &'a [f32],
}

impl WithSimd for Whole<'_> {
    type Output = f64;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        finished([0.0; 8], self.a, self.b)
    }
}

/// Lags that are summed side by side: as many as keep a processor busy while each waits for its last sum.
const TOGETHER: usize = 10;

/// [`dot`] of `x` and of `y` each lag later, for lags from 1 to `most`: the same sums to the bit, by the widest
/// instructions that the machine has.
fn dots(x: &[f32], y: &[f32], most: usize) -> Vec<f64> {
    let mut sums = Vec::with_capacity(most);
    let arch = Arch::new();
    for first in (1..=most).step_by(TOGETHER) {
        if first + TOGETHER <= most + 1 {
            sums.extend(arch.dispatch(Together { x, y, first }));
        } else {
            sums.extend((first..=most).map(|lag| dot(&x[..x.len() - lag], &y[lag..])));
        }
    }
    sums
}

/// The sums of some lags in a row.
struct Together<'a> {
    x: &'a [f32],
    y: &'a [f32],
    first: usize,
}

impl WithSimd for Together<'_> {
    type Output = [f64; TOGETHER];
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let (x, n) = (self.x, self.x.len().min(self.y.len()));
        // As far as all of them reach; each goes on by itself from there.
        let whole = (n - (self.first + TOGETHER - 1)) / 8;
        let later = &self.y[self.first..];
        let (mut rest, mut lanes) = (later, [[0.0f32; 8]; TOGETHER]);
        for x in &x.as_chunks::<8>().0[..whole] {
            // All that the lags see of this row lies side by side: its length is looked at once, not once for each.
            let Some(seen) = rest.first_chunk::<{ TOGETHER + 7 }>() else { break };
            for (lag, lanes) in lanes.iter_mut().enumerate() {
                for i in 0..8 {
                    lanes[i] += x[i] * seen[lag + i];
                }
            }
            rest = &rest[8..];
        }
        let summed = later.len() - rest.len();
        std::array::from_fn(|i| {
            let length = n - self.first - i;
            finished(lanes[i], &x[summed..length], &later[i..][summed..length])
        })
    }
}

/// Go on with sums that were begun, and add them up.
#[inline(always)]
fn finished(mut lanes: [f32; 8], a: &[f32], b: &[f32]) -> f64 {
    let (mut left, mut right) = (a.chunks_exact(8), b.chunks_exact(8));
    for (x, y) in left.by_ref().zip(right.by_ref()) {
        for i in 0..8 {
            lanes[i] += x[i] * y[i];
        }
    }
    let rest: f32 = left.remainder().iter().zip(right.remainder()).map(|(x, y)| x * y).sum();
    lanes.iter().map(|x| f64::from(*x)).sum::<f64>() + f64::from(rest)
}

fn squares(x: &[f32]) -> Vec<f32> {
    x.iter().map(|x| x * x).collect()
}

/// `z` at every lag from 1 to [`MAX_LAG`], with slopes; nothing where no `z` could reach `least`.
///
/// The noise of a sum of products is the sum of the products of squares (White 1980): larger than usual where both are
/// restless at the same time. It is taken from all lags together, at the upper end, so that the lag with the effect
/// neither raises nor lowers its own measure.
pub(super) fn profile(x: &[f32], y: &[f32], least: f64) -> Vec<Dependence> {
    let most = MAX_LAG.min(x.len().saturating_sub(1));
    if most == 0 {
        return Vec::new();
    }
    let (sums, total) = (dots(x, y, most), dot(x, x));
    // What chance does at the least: usually nothing comes near, and how restless both are together need not be known.
    let calm = total * dot(y, y) / x.len() as f64;
    let largest = sums.iter().fold(0.0, |most: f64, sum| most.max(sum.abs()));
    if largest < least * calm.sqrt() {
        return Vec::new();
    }
    let mut noise = dots(&squares(x), &squares(y), most);
    let high = (noise.len() * 9 / 10).min(noise.len() - 1);
    let noise = *noise.select_nth_unstable_by(high, f64::total_cmp).1;
    let deviation = noise.max(calm).sqrt().max(f64::MIN_POSITIVE);
    let one =
        |sum| Dependence { slope: sum / total.max(f64::MIN_POSITIVE), z: sum / deviation, power: total / deviation };
    sums.into_iter().map(one).collect()
}

/// The dependence at one lag of sources in `rows`, with their effects up to the end of the series.
pub(super) fn over(x: &[f32], y: &[f32], lag: usize, rows: Range<usize>) -> Option<Dependence> {
    let end = rows.end.min(x.len().saturating_sub(lag));
    if rows.start >= end {
        return None;
    }
    let (source, effects) = (&x[rows.start..end], &y[rows.start + lag..end + lag]);
    let (total, sum) = (dot(source, source), dot(source, effects));
    let source2 = squares(source);
    let mut noise = total * dot(effects, effects) / source.len() as f64;
    let near = NEIGHBOURS.into_iter().flat_map(|d| [Some(lag + d), lag.checked_sub(d)]).flatten();
    let others: Vec<f64> = near
        .filter(|other| rows.start + other + source.len() <= y.len())
        .map(|other| dot(&source2, &squares(&y[rows.start + other..rows.start + other + source.len()])))
        .collect();
    if !others.is_empty() {
        noise = noise.max(others.iter().sum::<f64>() / others.len() as f64);
    }
    let deviation = noise.sqrt().max(f64::MIN_POSITIVE);
    (total > 0.0).then(|| Dependence { slope: sum / total, z: sum / deviation, power: total / deviation })
}

/// Take out of `y` what `x` does to it after `lag`.
pub(super) fn without(y: &mut [f32], x: &[f32], lag: usize) {
    if lag >= y.len() || x.len() != y.len() {
        return;
    }
    let n = y.len() - lag;
    let total = dot(&x[..n], &x[..n]);
    if total > 0.0 {
        let slope = (dot(&x[..n], &y[lag..]) / total) as f32;
        for (effect, cause) in y[lag..].iter_mut().zip(&x[..n]) {
            *effect -= slope * cause;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::dice::{Dice, Strand};

    fn noise(seed: u64, n: usize) -> Vec<f32> {
        let mut draws = Dice::open(seed, Strand::World).draws(0);
        (0..n).map(|_| draws.normals().0 as f32).collect()
    }

    #[test]
    fn lanes_sum_like_one_by_one() {
        for n in [0, 1, 7, 8, 9, 100] {
            let (a, b) = (noise(1, n), noise(2, n));
            let plain: f64 = a.iter().zip(&b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum();
            assert!((dot(&a, &b) - plain).abs() < 1e-4, "{n}");
        }
    }

    #[test]
    fn lags_summed_together_are_those_summed_alone_to_the_bit() {
        for n in [97, 200, 513] {
            let (x, y) = (noise(5, n), noise(6, n));
            let most = MAX_LAG.min(n - 1);
            for (lag, sum) in (1..).zip(dots(&x, &y, most)) {
                assert_eq!(sum.to_bits(), dot(&x[..n - lag], &y[lag..]).to_bits(), "lag {lag} of {n}");
            }
            let all = profile(&x, &y, 0.0);
            let largest = all.iter().map(|d| d.z.abs()).fold(0.0, f64::max);
            // Left out only where nothing of it reaches the bound.
            assert_eq!(profile(&x, &y, largest * 0.999), all);
        }
    }

    #[test]
    fn an_effect_is_seen_at_its_lag_with_its_size_and_nowhere_else() {
        let (x, mut y) = (noise(3, 2_000), noise(4, 2_000));
        for t in 17..2_000 {
            y[t] += 0.4 * x[t - 17];
        }
        let all = profile(&x, &y, 0.0);
        for (lag, found) in (1..).zip(&all) {
            assert_eq!(found.z.abs() > 4.5, lag == 17, "lag {lag}: {found:?}");
        }
        assert!((all[16].slope - 0.4).abs() < 0.07, "{:?}", all[16]);
        let later = over(&x, &y, 17, 1_000..2_000).expect("rows");
        assert!((later.slope - 0.4).abs() < 0.1 && later.z > 8.0, "{later:?}");
        without(&mut y, &x, 17);
        assert!(profile(&x, &y, 0.0)[16].z.abs() < 1e-3);
    }

    #[test]
    fn chance_has_a_deviation_of_one_also_when_both_are_restless_together() {
        let mut zs = Vec::new();
        for seed in 0..20 {
            let (mut x, mut y) = (noise(100 + seed, 1_500), noise(200 + seed, 1_500));
            for t in 0..1_500 {
                let restless = if (t / 250) % 3 == 0 { 4.0 } else { 1.0 };
                x[t] *= restless;
                y[t] *= restless;
            }
            zs.extend(profile(&x, &y, 0.0).iter().map(|d| d.z));
            zs.extend(over(&x, &y, 30, 0..1_500).map(|d| d.z));
        }
        let deviation = (zs.iter().map(|z| z * z).sum::<f64>() / zs.len() as f64).sqrt();
        assert!((0.8..1.1).contains(&deviation), "{deviation}");
    }
}

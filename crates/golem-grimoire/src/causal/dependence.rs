//! How strongly one series of innovations goes with another some rows later, and how much of that is noise.

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
    let (mut lanes, n) = ([0.0f32; 8], a.len().min(b.len()));
    let (mut left, mut right) = (a[..n].chunks_exact(8), b[..n].chunks_exact(8));
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

/// `z` at every lag from 1 to [`MAX_LAG`], with slopes.
///
/// The noise of a sum of products is the sum of the products of squares (White 1980): larger than usual where both are
/// restless at the same time. It is taken from all lags together, at the upper end, so that the lag with the effect
/// neither raises nor lowers its own measure.
pub(super) fn profile(x: &[f32], y: &[f32]) -> Vec<Dependence> {
    let (x2, y2) = (squares(x), squares(y));
    let lags = 1..=MAX_LAG.min(x.len().saturating_sub(1));
    let mut noise: Vec<f64> = lags.clone().map(|lag| dot(&x2[..x2.len() - lag], &y2[lag..])).collect();
    if noise.is_empty() {
        return Vec::new();
    }
    let high = (noise.len() * 9 / 10).min(noise.len() - 1);
    let noise = *noise.select_nth_unstable_by(high, f64::total_cmp).1;
    let total = dot(x, x);
    let deviation = noise.max(total * dot(y, y) / x.len() as f64).sqrt().max(f64::MIN_POSITIVE);
    let one = |lag| {
        let sum = dot(&x[..x.len() - lag], &y[lag..]);
        Dependence { slope: sum / total.max(f64::MIN_POSITIVE), z: sum / deviation, power: total / deviation }
    };
    lags.map(one).collect()
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
    fn an_effect_is_seen_at_its_lag_with_its_size_and_nowhere_else() {
        let (x, mut y) = (noise(3, 2_000), noise(4, 2_000));
        for t in 17..2_000 {
            y[t] += 0.4 * x[t - 17];
        }
        let all = profile(&x, &y);
        for (lag, found) in (1..).zip(&all) {
            assert_eq!(found.z.abs() > 4.5, lag == 17, "lag {lag}: {found:?}");
        }
        assert!((all[16].slope - 0.4).abs() < 0.07, "{:?}", all[16]);
        let later = over(&x, &y, 17, 1_000..2_000).expect("rows");
        assert!((later.slope - 0.4).abs() < 0.1 && later.z > 8.0, "{later:?}");
        without(&mut y, &x, 17);
        assert!(profile(&x, &y)[16].z.abs() < 1e-3);
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
            zs.extend(profile(&x, &y).iter().map(|d| d.z));
            zs.extend(over(&x, &y, 30, 0..1_500).map(|d| d.z));
        }
        let deviation = (zs.iter().map(|z| z * z).sum::<f64>() / zs.len() as f64).sqrt();
        assert!((0.8..1.1).contains(&deviation), "{deviation}");
    }
}

//! Innovations: what a series did that its own past did not foretell. Two series with memory look related by chance; two
//! series of innovations do not.

/// How far back a series is asked to foretell itself.
const ORDER: usize = 6;
/// In usual deviations: more than this is told as this, so that no single row decides.
const CLIP: f64 = 6.0;
/// Known rows without which a series says nothing.
const LEAST: usize = 256;

/// The innovations of a series by an autoregression on itself, with mean 0 and deviation 1; 0 where a row or its past is
/// absent. None when too little is known or nothing ever moved.
pub(super) fn innovations(series: &[f64]) -> Option<Vec<f32>> {
    let rows: usize = series.iter().map(|x| usize::from(x.is_finite())).sum();
    if rows < LEAST {
        return None;
    }
    let sum: f64 =
        if rows == series.len() { series.iter().sum() } else { series.iter().copied().filter(|x| x.is_finite()).sum() };
    let mean = sum / rows as f64;
    let centred: Vec<f64> = series.iter().map(|x| x - mean).collect();
    let weights = autoregression(&centred)?;
    standardised(&not_foretold(&centred, weights))
}

/// What each row is beyond what the rows before it foretell; NaN where there are too few of those.
fn not_foretold(centred: &[f64], weights: [f64; ORDER]) -> Vec<f64> {
    let mut news = vec![f64::NAN; centred.len()];
    let Some(rows) = centred.len().checked_sub(ORDER) else { return news };
    // Row after row beside each other, so that several are reckoned at once; each in the order of its past.
    let before = |lag: usize| &centred[ORDER - lag..][..rows];
    let [now, a, b, c, d, e, f] = std::array::from_fn(before);
    let [wa, wb, wc, wd, we, wf] = weights;
    for (t, told) in news[ORDER..].iter_mut().enumerate() {
        *told = now[t] - (a[t] * wa + b[t] * wb + c[t] * wc + d[t] * wd + e[t] * we + f[t] * wf);
    }
    news
}

/// The weights of the last few values, newest first, by Levinson's recursion on the autocovariances.
fn autoregression(centred: &[f64]) -> Option<[f64; ORDER]> {
    let covariance = autocovariances(centred);
    let mut error = covariance[0];
    let mut weights = [0.0; ORDER];
    for k in 0..ORDER {
        if error <= covariance[0] * 1e-9 || error <= 0.0 {
            // Foretold completely, or never moved: there are no innovations to speak of.
            return if k == 0 { None } else { Some(weights) };
        }
        let so_far: f64 = (0..k).map(|j| weights[j] * covariance[k - j]).sum();
        // Gaps can push it beyond what a whole series allows.
        let reflection = ((covariance[k + 1] - so_far) / error).clamp(-0.999_9, 0.999_9);
        let before = weights;
        weights[k] = reflection;
        for j in 0..k {
            weights[j] = before[j] - reflection * before[k - 1 - j];
        }
        error *= 1.0 - reflection * reflection;
    }
    Some(weights)
}

/// The sums of products with what was up to [`ORDER`] rows before, of what is known. All of them in one pass: each in the
/// order of the rows, and none has to wait for another.
fn autocovariances(centred: &[f64]) -> [f64; ORDER + 1] {
    let mut sums = [-0.0; ORDER + 1];
    // Products of what is neither absent nor huge are all finite, and need not be looked at.
    let tame = centred.iter().fold(true, |tame, x| tame & (x.abs() < 1e100));
    let add = |sums: &mut [f64; ORDER + 1], t: usize, lags: usize| {
        let now = centred[t];
        for (lag, sum) in sums.iter_mut().enumerate().take(lags) {
            let product = now * centred[t - lag];
            *sum = if product.is_finite() { *sum + product } else { *sum };
        }
    };
    (0..ORDER.min(centred.len())).for_each(|t| add(&mut sums, t, t + 1));
    if tame {
        let mut oldest_first = sums;
        oldest_first.reverse();
        for window in centred.array_windows::<{ ORDER + 1 }>() {
            let now = window[ORDER];
            for i in 0..=ORDER {
                oldest_first[i] += now * window[i];
            }
        }
        oldest_first.reverse();
        return oldest_first;
    }
    for window in centred.windows(ORDER + 1) {
        let now = window[ORDER];
        for lag in 0..=ORDER {
            let product = now * window[ORDER - lag];
            sums[lag] = if product.is_finite() { sums[lag] + product } else { sums[lag] };
        }
    }
    sums
}

/// In usual deviations, clipped, then brought to mean 0 and deviation 1.
fn standardised(news: &[f64]) -> Option<Vec<f32>> {
    let first = news.iter().position(|x| x.is_finite())?;
    // Usually all of it is known from some row on, and need not be picked row by row.
    let mut known = news[first..].to_vec();
    if known.iter().fold(false, |any, x| any | !x.is_finite()) {
        known.retain(|x| x.is_finite());
    }
    let n = known.len();
    // Sizes are in the order of their bits.
    let mut sizes: Vec<u64> = known.iter().map(|x| x.abs().to_bits()).collect();
    if sizes.contains(&0) {
        sizes.retain(|size| *size > 0);
    }
    if n < LEAST || sizes.is_empty() {
        return None;
    }
    let spread = (known.iter().map(|x| x * x).sum::<f64>() / n as f64).sqrt();
    let middle = sizes.len() / 2;
    let median = f64::from_bits(*sizes.select_nth_unstable(middle).1);
    // Rare events would make everything else look like nothing: the usual is the median's, unless hardly anything moves.
    let usual = (1.482_6 * median).max(spread / 4.0);
    let clipped = |x: f64| (x / usual).clamp(-CLIP, CLIP);
    known.iter_mut().for_each(|x| *x = clipped(*x));
    let mean = known.iter().sum::<f64>() / n as f64;
    let deviation = (known.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n as f64).sqrt();
    if deviation <= 1e-9 || deviation.is_nan() {
        return None;
    }
    let mut told = vec![0.0; news.len()];
    if known.len() == news.len() - first {
        told[first..].iter_mut().zip(&known).for_each(|(told, x)| *told = ((x - mean) / deviation) as f32);
    } else {
        let mut known = known.iter();
        for (told, _) in told.iter_mut().zip(news).filter(|(_, x)| x.is_finite()) {
            *told = known.next().map_or(0.0, |x| ((x - mean) / deviation) as f32);
        }
    }
    Some(told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::dice::{Dice, Strand};

    fn correlation(x: &[f32], lag: usize) -> f64 {
        let pairs = x[lag..].iter().zip(x).map(|(a, b)| f64::from(*a) * f64::from(*b));
        pairs.sum::<f64>() / x.iter().map(|a| f64::from(*a) * f64::from(*a)).sum::<f64>()
    }

    #[test]
    fn a_series_with_memory_has_innovations_without() {
        let mut draws = Dice::open(1, Strand::World).draws(0);
        let (mut x, mut series) = (0.0, Vec::new());
        for _ in 0..2_000 {
            x = 0.95 * x + draws.normals().0;
            series.push(x);
        }
        let plain: Vec<f32> = series.iter().map(|x| *x as f32).collect();
        let news = innovations(&series).expect("it moves");
        assert!(correlation(&plain, 1) > 0.9);
        for lag in 1..20 {
            assert!(correlation(&news, lag).abs() < 0.07, "lag {lag}: {}", correlation(&news, lag));
        }
    }

    #[test]
    fn what_never_moves_or_is_hardly_known_has_none() {
        assert_eq!(innovations(&[3.0; 1_000]), None);
        assert_eq!(innovations(&[f64::NAN; 1_000]), None);
        let mut sparse = vec![f64::NAN; 1_000];
        sparse[..200].fill(1.0);
        assert_eq!(innovations(&sparse), None);
    }

    #[test]
    fn one_pass_sums_what_a_pass_for_each_lag_does_to_the_bit() {
        let mut draws = Dice::open(3, Strand::World).draws(0);
        let mut series: Vec<f64> = (0..700).map(|_| draws.normals().0).collect();
        series[100] = f64::NAN;
        series[101] = 1e200;
        series[103] = 1e200;
        for rows in [0, 1, 3, 7, 8, 700] {
            let centred = &series[..rows];
            for (lag, sum) in autocovariances(centred).into_iter().enumerate() {
                let later = centred.get(lag..).unwrap_or_default();
                let plain: f64 = later.iter().zip(centred).map(|(a, b)| a * b).filter(|p| p.is_finite()).sum();
                assert_eq!(sum.to_bits(), plain.to_bits(), "lag {lag} of {rows}");
            }
        }
    }

    #[test]
    fn rows_beside_each_other_are_foretold_as_one_by_one_to_the_bit() {
        let mut draws = Dice::open(4, Strand::World).draws(0);
        let mut series: Vec<f64> = (0..300).map(|_| draws.normals().0).collect();
        series[77] = f64::NAN;
        series[150] = -0.0;
        let weights = std::array::from_fn(|_| draws.normals().0);
        for rows in [0, 1, 5, 6, 7, 8, 300] {
            let centred = &series[..rows];
            let told = not_foretold(centred, weights);
            assert_eq!(told.len(), rows);
            for t in 0..rows {
                let past = centred[..t].iter().rev().zip(weights).map(|(x, w)| x * w);
                let plain = if t < ORDER { f64::NAN } else { centred[t] - past.sum::<f64>() };
                assert!(told[t].to_bits() == plain.to_bits() || (told[t].is_nan() && plain.is_nan()), "{t} of {rows}");
            }
        }
        // Also of what is tame, which has a way of its own.
        let tame = &series[160..];
        for (lag, sum) in autocovariances(tame).into_iter().enumerate() {
            let plain: f64 = tame[lag..].iter().zip(tame).map(|(a, b)| a * b).sum();
            assert_eq!(sum.to_bits(), plain.to_bits(), "lag {lag}");
        }
    }

    /// Row by row, as it is meant.
    fn plainly_standardised(news: &[f64]) -> Option<Vec<f32>> {
        let mut known: Vec<f64> = news.iter().copied().filter(|x| x.is_finite()).collect();
        let n = known.len();
        let mut sizes: Vec<f64> = known.iter().map(|x| x.abs()).filter(|x| *x > 0.0).collect();
        if n < LEAST || sizes.is_empty() {
            return None;
        }
        let spread = (known.iter().map(|x| x * x).sum::<f64>() / n as f64).sqrt();
        sizes.sort_by(f64::total_cmp);
        let usual = (1.482_6 * sizes[sizes.len() / 2]).max(spread / 4.0);
        let clipped = |x: f64| (x / usual).clamp(-CLIP, CLIP);
        known.iter_mut().for_each(|x| *x = clipped(*x));
        let mean = known.iter().sum::<f64>() / n as f64;
        let deviation = (known.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n as f64).sqrt();
        let told = |x: f64| if x.is_finite() { ((clipped(x) - mean) / deviation) as f32 } else { 0.0 };
        (deviation > 1e-9).then(|| news.iter().map(|x| told(*x)).collect())
    }

    #[test]
    fn the_short_way_to_one_deviation_is_the_long_one_to_the_bit() {
        let mut draws = Dice::open(5, Strand::World).draws(0);
        let mut news: Vec<f64> = (0..900).map(|_| draws.normals().0).collect();
        news[..ORDER].fill(f64::NAN);
        let holes = |at: &[usize], with: f64| {
            let mut news = news.clone();
            at.iter().for_each(|row| news[*row] = with);
            news
        };
        let all = [
            news.clone(),
            holes(&[6, 7, 300, 899], f64::NAN),
            holes(&[100, 101, 400], 0.0),
            holes(&[0, 50], f64::INFINITY),
            holes(&[20], 1e9),
            vec![f64::NAN; 900],
            vec![0.0; 900],
            vec![2.0; 900],
            news[..200].to_vec(),
        ];
        for (n, news) in all.iter().enumerate() {
            let bits = |told: Option<Vec<f32>>| told.map(|told| told.into_iter().map(f32::to_bits).collect::<Vec<_>>());
            assert_eq!(bits(standardised(news)), bits(plainly_standardised(news)), "{n}");
        }
    }

    #[test]
    fn absent_rows_say_nothing() {
        let mut draws = Dice::open(2, Strand::World).draws(0);
        let mut series: Vec<f64> = (0..1_000).map(|_| draws.normals().0).collect();
        series[500] = f64::NAN;
        let news = innovations(&series).expect("it moves");
        assert!(news[500..=500 + ORDER].iter().all(|x| *x == 0.0));
        assert!(news.iter().all(|x| x.is_finite() && x.abs() <= 2.0 * CLIP as f32));
    }
}

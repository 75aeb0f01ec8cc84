//! The coefficient of determination of forecasts: as statistics knows it, and as the seed's epistemic clock reads it.

/// With fewer pairs the seed's clock does not judge.
pub const SEED_MIN_PAIRS: usize = 10;

/// R2 of (predicted, actual) pairs: 1 - residual over total sum of squares, as `sklearn.metrics.r2_score`.
///
/// Below zero when the mean would have been the better forecast. A constant actual gives 1 for a perfect forecast and 0
/// for any other. `None` for fewer than two pairs or numbers that are not finite.
#[must_use]
pub fn r_squared(pairs: &[(f64, f64)]) -> Option<f64> {
    if pairs.len() < 2 {
        return None;
    }
    let (residual, total) = squares(pairs);
    if !residual.is_finite() || !total.is_finite() {
        return None;
    }
    if total > 0.0 {
        let r2 = 1.0 - residual / total;
        return r2.is_finite().then_some(r2);
    }
    Some(if residual > 0.0 { 0.0 } else { 1.0 })
}

/// The seed's reading: clipped at 0, and 0.5 ("not enough data to judge") below ten pairs or for a constant actual.
///
/// Pairs that are not finite are left out: a broken forecast must not blind the clock.
#[must_use]
pub fn seed_r_squared(pairs: &[(f64, f64)]) -> f64 {
    let pairs: Vec<(f64, f64)> = pairs.iter().copied().filter(|(p, a)| p.is_finite() && a.is_finite()).collect();
    if pairs.len() < SEED_MIN_PAIRS {
        return 0.5;
    }
    let (residual, total) = squares(&pairs);
    if total > 0.0 && total.is_finite() { (1.0 - residual / total).max(0.0) } else { 0.5 }
}

/// Residual and total sums of squares.
fn squares(pairs: &[(f64, f64)]) -> (f64, f64) {
    let mean = pairs.iter().map(|(_, actual)| actual).sum::<f64>() / pairs.len() as f64;
    pairs.iter().fold((0.0, 0.0), |(residual, total), (predicted, actual)| {
        (residual + (actual - predicted) * (actual - predicted), total + (actual - mean) * (actual - mean))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges() {
        assert_eq!(r_squared(&[]), None);
        assert_eq!(r_squared(&[(1.0, 1.0)]), None);
        assert_eq!(r_squared(&[(1.0, 1.0), (1.0, 1.0)]), Some(1.0));
        assert_eq!(r_squared(&[(2.0, 1.0), (1.0, 1.0)]), Some(0.0));
        assert_eq!(r_squared(&[(f64::NAN, 1.0), (1.0, 2.0)]), None);
        assert_eq!(r_squared(&[(f64::MAX, -f64::MAX), (1.0, 2.0)]), None);
    }

    #[test]
    fn the_seed_is_lenient() {
        let perfect: Vec<(f64, f64)> = (0..10).map(|i| (f64::from(i), f64::from(i))).collect();
        assert!((seed_r_squared(&perfect) - 1.0).abs() < 1e-15);
        assert!((seed_r_squared(&perfect[..9]) - 0.5).abs() < 1e-15);
        assert!((seed_r_squared(&[(1.0, 4.0); 20]) - 0.5).abs() < 1e-15);
        let absurd: Vec<(f64, f64)> = (0..10).map(|i| (1e3, f64::from(i))).collect();
        assert!(seed_r_squared(&absurd) <= 0.0);
        let holes = vec![(f64::NAN, 1.0); 50];
        assert!((seed_r_squared(&holes) - 0.5).abs() < 1e-15);
    }
}

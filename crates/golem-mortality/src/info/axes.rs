//! What happens to raw columns before mutual information is estimated: rows with holes leave, constant axes leave, the
//! rest is z-scored and very slightly jittered.
//!
//! The Chebyshev norm compares axes with each other, so they must have the same scale. Ties must be broken, or else
//! they pass for information (see [`Jitter`]).

/// An axis whose spread is below this part of its size is rounding noise on a constant.
const CONSTANT_BELOW: f64 = 1e-12;

/// Squares of numbers between these are neither lost nor infinite.
const SQUARE_SAFE: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// The axis with mean 0 and standard deviation 1 (of the population). `None` when it is empty, constant or not finite.
#[must_use]
pub fn z_scored(axis: &[f64]) -> Option<Vec<f64>> {
    let (low, high) =
        axis.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)));
    let size = low.abs().max(high.abs());
    if axis.iter().any(|x| !x.is_finite())
        || axis.is_empty()
        || high / size - low / size <= CONSTANT_BELOW
        || size <= 0.0
    {
        return None;
    }
    // Sums of squares of very large or very small numbers would overflow or vanish.
    let unit = if SQUARE_SAFE.contains(&size) { 1.0 } else { size };
    let scaled: Vec<f64> = axis.iter().map(|x| x / unit).collect();
    let n = scaled.len() as f64;
    let mean = scaled.iter().sum::<f64>() / n;
    let variance = scaled.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
    let deviation = libm::sqrt(variance);
    if deviation <= 0.0 || !deviation.is_finite() {
        return None;
    }
    Some(scaled.iter().map(|x| (x - mean) / deviation).collect())
}

/// Rows of all columns at which every column is finite, as new columns. Columns are cut to the shortest.
#[must_use]
pub fn finite_rows(columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = columns.iter().map(Vec::len).min().unwrap_or(0);
    let keep: Vec<usize> = (0..n).filter(|&row| columns.iter().all(|c| c[row].is_finite())).collect();
    columns.iter().map(|column| keep.iter().map(|&row| column[row]).collect()).collect()
}

/// Breaks ties by numbers far below any real difference.
///
/// A golem that holds has the same action many times. With exact ties the k-th neighbour of such a point may lie at
/// distance zero, then no marginal point is *strictly* closer, and the estimator reads the repetition as knowledge of
/// the market: gold from nothing. Kraskov and others (2004, section II) add noise of about 1e-10; so do we, after
/// z-scoring, so that it has the same weight on every axis. One draw from the caller seeds all of it, because ten
/// thousand keyed draws would cost more than the estimate.
#[derive(Debug, Clone, PartialEq)]
pub struct Jitter {
    state: u64,
    size: f64,
}

impl Jitter {
    /// Jitter of +-`size`, entirely determined by the next draw of `uniform`.
    pub fn new(size: f64, uniform: &mut dyn FnMut() -> f64) -> Self {
        Self { state: uniform().to_bits(), size: if size.is_finite() { size.abs() } else { 0.0 } }
    }

    /// Moves every number of an axis a little.
    pub fn apply(&mut self, axis: &mut [f64]) {
        for x in axis {
            *x += (self.next() * 2.0 - 1.0) * self.size;
        }
    }

    /// A step of splitmix64 (Steele, Lea, Flood 2014), as a number in [0, 1).
    fn next(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_and_holes_have_no_scale() {
        assert_eq!(z_scored(&[]), None);
        assert_eq!(z_scored(&[3.0; 9]), None);
        assert_eq!(z_scored(&[0.0, -0.0, 0.0]), None);
        assert_eq!(z_scored(&[1.0, f64::NAN, 2.0]), None);
        assert_eq!(z_scored(&[1.0, f64::INFINITY]), None);
        assert_eq!(z_scored(&[1e9, 1e9 + 1e-7, 1e9]), None);
    }

    #[test]
    fn the_scale_does_not_matter() {
        let plain = z_scored(&[1.0, 2.0, 4.0, -3.0]).unwrap();
        for size in [1e-300, 1e-3, 1e3, 1e307, f64::MAX / 4.0] {
            let axis = [size, 2.0 * size, 4.0 * size, -3.0 * size];
            for (a, b) in plain.iter().zip(z_scored(&axis).unwrap()) {
                assert!((a - b).abs() < 1e-12, "{size}");
            }
        }
    }

    #[test]
    fn rows_with_holes_leave_all_columns() {
        let columns = [vec![1.0, f64::NAN, 3.0, 4.0], vec![5.0, 6.0, f64::INFINITY, 8.0, 9.0]];
        assert_eq!(finite_rows(&columns), [[1.0, 4.0], [5.0, 8.0]]);
        assert!(finite_rows(&[]).is_empty());
    }

    #[test]
    fn jitter_is_small_and_repeatable() {
        let mut a = [1.0; 100];
        let mut b = [1.0; 100];
        Jitter::new(1e-10, &mut || 0.25).apply(&mut a);
        Jitter::new(1e-10, &mut || 0.25).apply(&mut b);
        assert_eq!(a.map(f64::to_bits), b.map(f64::to_bits));
        assert!(a.iter().all(|x| (x - 1.0).abs() <= 1.01e-10));
        a.sort_by(f64::total_cmp);
        assert!(a.windows(2).all(|w| w[0] < w[1]));
    }
}

//! The same figure over several seeds: how far they lie apart.

use serde::Serialize;

/// Mean, least, most and median.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// How many there are: a figure that is missing for a seed is left out.
    pub n: u64,
    pub mean: f64,
    pub min: f64,
    pub max: f64,
    /// The middle one, or the mean of the two in the middle.
    pub median: f64,
}

impl Spread {
    /// Of all that are there; none of nothing.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = Option<f64>>) -> Option<Self> {
        let mut all: Vec<f64> = values.into_iter().flatten().collect();
        all.sort_by(f64::total_cmp);
        let (min, max) = (*all.first()?, *all.last()?);
        let half = all.len() / 2;
        let median = if all.len() % 2 == 1 { all[half] } else { f64::midpoint(all[half - 1], all[half]) };
        Some(Self { n: all.len() as u64, mean: all.iter().sum::<f64>() / all.len() as f64, min, max, median })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_the_middle() {
        let odd = Spread::of([Some(5.0), None, Some(1.0), Some(9.0)]).unwrap();
        assert_eq!(odd, Spread { n: 3, mean: 5.0, min: 1.0, max: 9.0, median: 5.0 });
        let even = Spread::of([4.0, 1.0, 2.0, 9.0].map(Some)).unwrap();
        assert!((even.median - 3.0).abs() < 1e-12 && (even.mean - 4.0).abs() < 1e-12);
        assert_eq!(Spread::of([None, None]), None);
    }
}

//! The weather of one tick, as evaluation sees it: how wild, and which way.

use serde::{Deserialize, Serialize};

/// Which way the market goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trend {
    /// Up.
    Up,
    /// Down.
    Down,
    /// Neither.
    Flat,
}

impl Trend {
    /// The trend of a change, flat when it is not larger than `flat_band` either way or not a number.
    #[must_use]
    pub fn of(change: f64, flat_band: f64) -> Self {
        let band = flat_band.max(0.0);
        if change > band {
            Self::Up
        } else if change < -band {
            Self::Down
        } else {
            Self::Flat
        }
    }
}

/// Two ticks are comparable when their tags are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RegimeTag {
    /// From 0, the calmest fifth of what was seen, to 4, the wildest.
    pub volatility_quintile: u8,
    /// Direction.
    pub trend: Trend,
}

impl RegimeTag {
    /// A tag; a quintile above 4 is 4.
    #[must_use]
    pub fn new(volatility_quintile: u8, trend: Trend) -> Self {
        Self { volatility_quintile: volatility_quintile.min(4), trend }
    }
}

/// The fifth of the history that a volatility falls into, 0 to 4. The middle one when nothing is known.
///
/// Its rank counts, not its size: the mean of the share of smaller and of not larger values, so that ties share the
/// middle of their range and a constant history gives the middle fifth.
#[must_use]
pub fn volatility_quintile(history: &[f64], volatility: f64) -> u8 {
    let (mut smaller, mut equal, mut all) = (0_u64, 0_u64, 0_u64);
    for value in history.iter().filter(|value| value.is_finite()) {
        all += 1;
        smaller += u64::from(*value < volatility);
        equal += u64::from(value.total_cmp(&volatility).is_eq());
    }
    if all == 0 || volatility.is_nan() {
        return 2;
    }
    let rank = (smaller as f64 + 0.5 * equal as f64) / all as f64;
    ((rank * 5.0) as u8).min(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quintiles_are_ranks() {
        let history: Vec<f64> = (0..100).map(f64::from).collect();
        let found: Vec<u8> =
            [-5.0, 10.0, 30.0, 50.0, 70.0, 90.0, 1e9].iter().map(|v| volatility_quintile(&history, *v)).collect();
        assert_eq!(found, [0, 0, 1, 2, 3, 4, 4]);
        assert_eq!(volatility_quintile(&[3.0; 20], 3.0), 2);
        assert_eq!(volatility_quintile(&[], 1.0), 2);
        assert_eq!(volatility_quintile(&[f64::NAN, f64::INFINITY], 1.0), 2);
        assert_eq!(volatility_quintile(&history, f64::NAN), 2);
        assert_eq!(volatility_quintile(&history, f64::INFINITY), 4);
    }

    #[test]
    fn trends() {
        assert_eq!(Trend::of(0.02, 0.01), Trend::Up);
        assert_eq!(Trend::of(-0.02, 0.01), Trend::Down);
        assert_eq!(Trend::of(0.01, 0.01), Trend::Flat);
        assert_eq!(Trend::of(f64::NAN, 0.01), Trend::Flat);
        assert_eq!(RegimeTag::new(9, Trend::Up).volatility_quintile, 4);
    }
}

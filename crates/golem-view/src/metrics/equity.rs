//! The worth of an account over time: daily returns, months, and the deepest fall with its dates.

use golem_core::{Timestamp, Usdc};
use serde::Serialize;

const DAY_S: i64 = 86_400;

/// What an account was worth at a moment. The first sample of a series is where it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sample {
    pub at: Timestamp,
    #[serde(rename = "worth_micro_usdc")]
    pub worth: Usdc,
}

/// The deepest fall from a peak.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Drawdown {
    /// As a share of the peak.
    pub depth: f64,
    /// When it stood highest before it.
    pub peak_at: Timestamp,
    #[serde(rename = "peak_micro_usdc")]
    pub peak: Usdc,
    /// When it stood lowest.
    pub trough_at: Timestamp,
    #[serde(rename = "trough_micro_usdc")]
    pub trough: Usdc,
    /// When it stood as high as the peak again, if it did.
    pub recovered_at: Option<Timestamp>,
}

/// A calendar month of an account, in UTC.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Month {
    /// `2022-01`.
    pub month: String,
    /// Worth at its end, or at the end of the series.
    #[serde(rename = "worth_micro_usdc")]
    pub worth: Usdc,
    /// As a share of the worth at its beginning.
    pub change: f64,
}

/// A change from one worth to another as a share of the first; nothing where there was nothing.
#[must_use]
pub fn change(from: Usdc, to: Usdc) -> f64 {
    if from == Usdc::ZERO { 0.0 } else { to.0 as f64 / from.0 as f64 - 1.0 }
}

/// The day that a sample closes: midnight belongs to the day before it.
fn day(at: Timestamp) -> i64 {
    at.0.saturating_sub(1).div_euclid(DAY_S)
}

/// The month that a moment belongs to, as `2022-01`: its midnight belongs to the month before it.
#[must_use]
pub fn month_of(at: Timestamp) -> String {
    Timestamp(day(at).saturating_mul(DAY_S)).to_string().chars().take(7).collect()
}

/// Returns from one end of a UTC day to the next. A day without a sample ends as it began.
#[must_use]
pub fn daily_returns(samples: &[Sample]) -> Vec<f64> {
    let Some((first, rest)) = samples.split_first() else { return Vec::new() };
    let (mut returns, mut before) = (Vec::new(), first.worth);
    let Some(mut open) = rest.first().map(|sample| day(sample.at)) else { return returns };
    let mut last = first.worth;
    for sample in rest {
        let days = day(sample.at).saturating_sub(open);
        if days > 0 {
            returns.push(change(before, last));
            (before, open) = (last, day(sample.at));
            // No recorded market has a hole of a million days.
            returns.extend((1..days.min(1_000_000)).map(|_| 0.0));
        }
        last = sample.worth;
    }
    returns.push(change(before, last));
    returns
}

/// Change by calendar month.
#[must_use]
pub fn months(samples: &[Sample]) -> Vec<Month> {
    let Some((first, rest)) = samples.split_first() else { return Vec::new() };
    let (mut all, mut before, mut last): (Vec<Month>, Usdc, Option<(i64, String)>) = (Vec::new(), first.worth, None);
    for sample in rest {
        let today = day(sample.at);
        let name = match &last {
            Some((day, name)) if *day == today => name.clone(),
            _ => month_of(sample.at),
        };
        match all.last_mut() {
            Some(month) if month.month == name => {
                (month.worth, month.change) = (sample.worth, change(before, sample.worth));
            }
            ended => {
                before = ended.map_or(before, |month| month.worth);
                let change = change(before, sample.worth);
                all.push(Month { month: name.clone(), worth: sample.worth, change });
            }
        }
        last = Some((today, name));
    }
    all
}

/// The deepest fall; none where it never fell.
#[must_use]
pub fn drawdown(samples: &[Sample]) -> Option<Drawdown> {
    let mut peak = *samples.first()?;
    let mut deepest: Option<Drawdown> = None;
    for sample in samples {
        if let Some(deepest) = &mut deepest
            && deepest.recovered_at.is_none()
            && sample.worth >= deepest.peak
        {
            deepest.recovered_at = Some(sample.at);
        }
        if sample.worth > peak.worth {
            peak = *sample;
        }
        let depth = -change(peak.worth, sample.worth);
        if depth > deepest.map_or(0.0, |d| d.depth) {
            let (peak_at, trough_at) = (peak.at, sample.at);
            let (peak, trough) = (peak.worth, sample.worth);
            deepest = Some(Drawdown { depth, peak_at, peak, trough_at, trough, recovered_at: None });
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn series(points: &[(i64, u64)]) -> Vec<Sample> {
        points.iter().map(|(hour, worth)| Sample { at: Timestamp(hour * 3_600), worth: Usdc(*worth) }).collect()
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn a_day_ends_at_midnight_and_midnight_belongs_to_it() {
        let days = daily_returns(&series(&[(1, 100), (12, 90), (24, 110), (25, 50), (48, 121), (50, 242)]));
        assert!(days.len() == 3 && close(days[0], 0.1) && close(days[1], 0.1) && close(days[2], 1.0), "{days:?}");
        let held = daily_returns(&series(&[(0, 100), (24, 110), (96, 220)]));
        assert!(held.len() == 4 && close(held[0], 0.1) && close(held[1] + held[2], 0.0) && close(held[3], 1.0));
        assert_eq!(daily_returns(&[]), Vec::<f64>::new());
        assert_eq!(daily_returns(&series(&[(1, 100)])), Vec::<f64>::new());
    }

    #[test]
    fn a_drawdown_has_its_dates() {
        let found = drawdown(&series(&[(0, 100), (1, 120), (2, 90), (3, 60), (4, 119), (5, 120), (6, 119)])).unwrap();
        assert!(close(found.depth, 0.5));
        let hours = [found.peak_at, found.trough_at, found.recovered_at.unwrap()].map(|t| t.0 / 3_600);
        assert_eq!(hours, [1, 3, 5]);
        assert_eq!(drawdown(&series(&[(0, 5), (1, 5), (2, 6)])), None);
        assert_eq!(drawdown(&series(&[(0, 5), (1, 4)])).unwrap().recovered_at, None);
        assert_eq!(drawdown(&[]), None);
    }

    #[test]
    fn months_follow_each_other() {
        // 1970-01-31 23:00, its midnight, and into February.
        let all = months(&series(&[(743, 100), (744, 110), (745, 121), (800, 99)]));
        let told: Vec<_> = all.iter().map(|m| (m.month.as_str(), m.worth.0)).collect();
        assert_eq!(told, [("1970-01", 110), ("1970-02", 99)]);
        assert!(close(all[0].change, 0.1) && close(all[1].change, -0.1));
    }

    proptest! {
        #[test]
        fn days_and_months_compound_to_the_whole(worths in prop::collection::vec(1u64..1_000_000, 2..200), step in 1i64..200) {
            let samples: Vec<_> = worths.iter().enumerate()
                .map(|(i, w)| Sample { at: Timestamp(i as i64 * step * 3_600), worth: Usdc(*w) }).collect();
            let whole = worths[worths.len() - 1] as f64 / worths[0] as f64;
            let product = |all: Vec<f64>| all.iter().fold(1.0, |sum, r| sum * (1.0 + r));
            prop_assert!((product(daily_returns(&samples)) / whole - 1.0).abs() < 1e-9);
            prop_assert!((product(months(&samples).iter().map(|m| m.change).collect()) / whole - 1.0).abs() < 1e-9);
            let deepest = drawdown(&samples).map_or(0.0, |d| d.depth);
            for (i, peak) in worths.iter().enumerate() {
                for low in &worths[i..] {
                    prop_assert!(1.0 - *low as f64 / *peak as f64 <= deepest + 1e-12);
                }
            }
        }
    }
}

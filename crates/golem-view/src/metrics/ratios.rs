//! The ratios that traders know an account by.

use super::equity::{Drawdown, Sample, change, daily_returns, drawdown};
use serde::Serialize;

/// Days of a year: this market never closes.
pub const DAYS_PER_YEAR: f64 = 365.0;
const DAY_S: f64 = 86_400.0;
/// A deviation below this is none: returns that are all the same differ by roundings only.
const NONE: f64 = 1e-12;

/// One account over one stretch of time. What cannot be said of it is missing.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Ratios {
    /// Over all of it.
    pub change: f64,
    /// The change that every year would have to bring.
    pub cagr: Option<f64>,
    /// Sample deviation of the daily returns, for a year.
    pub volatility: Option<f64>,
    pub sharpe: Option<f64>,
    pub sortino: Option<f64>,
    pub calmar: Option<f64>,
    /// Daily returns behind them.
    pub days: u64,
    pub drawdown: Option<Drawdown>,
}

impl Ratios {
    /// Of a series; its first sample is where the account began.
    #[must_use]
    pub fn of(samples: &[Sample]) -> Self {
        let (Some(first), Some(last)) = (samples.first(), samples.last()) else { return Self::default() };
        let returns = daily_returns(samples);
        let days = (last.at.0 - first.at.0) as f64 / DAY_S;
        let cagr = cagr(1.0 + change(first.worth, last.worth), days);
        let deviation = deviation(&returns);
        let drawdown = drawdown(samples);
        let year = libm::sqrt(DAYS_PER_YEAR);
        let per = |risk: Option<f64>| risk.filter(|r| *r > NONE).map(|risk| mean(&returns) / risk * year);
        Self {
            change: change(first.worth, last.worth),
            cagr,
            volatility: deviation.map(|d| d * year),
            sharpe: per(deviation),
            sortino: per((!returns.is_empty()).then(|| falls(&returns))),
            calmar: cagr.zip(drawdown).map(|(cagr, d)| cagr / d.depth),
            days: returns.len() as u64,
            drawdown,
        }
    }

    /// The deepest fall, nothing where there was none.
    #[must_use]
    pub fn depth(&self) -> f64 {
        self.drawdown.map_or(0.0, |d| d.depth)
    }
}

fn cagr(growth: f64, days: f64) -> Option<f64> {
    if days <= 0.0 {
        return None;
    }
    let yearly = libm::pow(growth, DAYS_PER_YEAR / days) - 1.0;
    yearly.is_finite().then_some(yearly)
}

fn mean(all: &[f64]) -> f64 {
    if all.is_empty() { 0.0 } else { all.iter().sum::<f64>() / all.len() as f64 }
}

/// Sample deviation; two are needed.
fn deviation(all: &[f64]) -> Option<f64> {
    let (n, mean) = (all.len() as f64, mean(all));
    let squares: f64 = all.iter().map(|x| (x - mean) * (x - mean)).sum();
    (all.len() > 1).then(|| libm::sqrt(squares / (n - 1.0)))
}

/// Root of the mean of squared falls, over all returns.
fn falls(all: &[f64]) -> f64 {
    libm::sqrt(all.iter().map(|x| x.min(0.0) * x.min(0.0)).sum::<f64>() / all.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::{Timestamp, Usdc};

    fn daily(worths: &[u64]) -> Vec<Sample> {
        let at = |i: usize| Timestamp(i as i64 * 86_400);
        worths.iter().enumerate().map(|(i, w)| Sample { at: at(i), worth: Usdc(*w) }).collect()
    }

    #[test]
    fn they_are_what_a_hand_reckons() {
        // Returns of +10 %, -10 %, +10 %.
        let told = Ratios::of(&daily(&[1_000_000, 1_100_000, 990_000, 1_089_000]));
        let near = |x: Option<f64>, y: f64| assert!((x.unwrap() / y - 1.0).abs() < 1e-9, "{x:?} {y}");
        let (mean, dev): (f64, f64) = (0.1 / 3.0, (2.0 * (0.2f64 / 3.0).powi(2) + (0.4f64 / 3.0).powi(2)) / 2.0);
        near(told.sharpe, mean / dev.sqrt() * 365f64.sqrt());
        near(told.volatility, dev.sqrt() * 365f64.sqrt());
        near(told.sortino, mean / (0.01f64 / 3.0).sqrt() * 365f64.sqrt());
        near(told.cagr, 1.089f64.powf(365.0 / 3.0) - 1.0);
        near(told.calmar, (1.089f64.powf(365.0 / 3.0) - 1.0) / 0.1);
        assert!((told.depth() - 0.1).abs() < 1e-12 && told.days == 3);
    }

    #[test]
    fn what_cannot_be_said_is_missing() {
        let flat = Ratios::of(&daily(&[5, 5, 5]));
        assert_eq!((flat.sharpe, flat.sortino, flat.calmar, flat.drawdown), (None, None, None, None));
        assert_eq!(flat.cagr, Some(0.0));
        let one = Ratios::of(&daily(&[5, 6]));
        assert_eq!((one.sharpe, one.volatility, one.days), (None, None, 1));
        assert_eq!(Ratios::of(&daily(&[5])).cagr, None);
        assert_eq!(Ratios::of(&[]), Ratios::default());
        let lost = Ratios::of(&daily(&[5, 0, 0]));
        assert_eq!((lost.cagr, lost.depth()), (Some(-1.0), 1.0));
    }
}

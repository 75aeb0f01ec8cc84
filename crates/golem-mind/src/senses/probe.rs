//! Probes: what is worth a second look in this turn. They only look; what follows from them is decided elsewhere.

use serde::{Deserialize, Serialize};

/// How loud a probe is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Quiet.
    #[default]
    None,
    /// Worth noting.
    Low,
    /// Worth acting on.
    High,
}

impl Severity {
    fn of(x: f64, low: f64, high: f64) -> Self {
        if x > high {
            Self::High
        } else if x > low {
            Self::Low
        } else {
            Self::None
        }
    }
}

/// The probes that this mind can compute, and the prediction error.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Probes {
    /// Price against the last turn: more than 50 and 200 basis points.
    pub price_delta: Severity,
    /// Gas against its mean of an hour: more than 2 and 5 times.
    pub gas: Severity,
    /// The prediction error: more than 0.10 and 0.25.
    pub drift: Severity,
    /// The prediction error itself, from 0 to 1.
    pub prediction_error: f64,
}

/// What the probes look at.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Sight {
    /// Log return since the last turn.
    pub log_return: Option<f64>,
    /// Log of gas over its one-hour mean.
    pub gas_excess: Option<f64>,
    /// Largest settled error of this turn, in usual errors of its domain.
    pub surprise: f64,
    /// Whether the regime changed.
    pub regime_changed: bool,
    /// Fields that did not pass the boundary.
    pub rejected: u8,
}

impl Probes {
    /// Look. The prediction error is the heartbeat page's sum over the terms that exist here: 0.3 for the error, 0.4
    /// for a change of regime, 0.05 for each anomaly up to five. The error term is 0 up to the usual error and full at
    /// four times that: relative errors of a return, which is mostly 0, would say nothing.
    pub(crate) fn look(sight: &Sight) -> Self {
        let price_delta = sight.log_return.map_or(Severity::None, |r| Severity::of(libm::expm1(r).abs(), 0.005, 0.02));
        let gas = sight.gas_excess.map_or(Severity::None, |x| Severity::of(libm::exp(x), 2.0, 5.0));
        let anomalies = [price_delta, gas].iter().filter(|s| **s != Severity::None).count() as f64;
        let anomalies = (anomalies + f64::from(sight.rejected)).min(5.0);
        let error = crate::math::unit((sight.surprise - 1.0) / 3.0);
        let changed = if sight.regime_changed { 0.4 } else { 0.0 };
        let prediction_error = (0.3 * error + changed + 0.05 * anomalies).min(1.0);
        Self { price_delta, gas, drift: Severity::of(prediction_error, 0.10, 0.25), prediction_error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn severities_and_error() {
        let look = |r: f64, gas: f64, surprise, regime_changed| {
            let (log_return, gas_excess) = (Some(libm::log1p(r)), Some(libm::log(gas)));
            Probes::look(&Sight { log_return, gas_excess, surprise, regime_changed, rejected: 0 })
        };
        let quiet = look(0.004, 1.9, 1.0, false);
        assert_eq!((quiet.price_delta, quiet.gas, quiet.drift), (Severity::None, Severity::None, Severity::None));
        let some = look(-0.006, 2.1, 1.0, false);
        assert_eq!((some.price_delta, some.gas), (Severity::Low, Severity::Low));
        assert!((some.prediction_error - 0.1).abs() < 1e-12);
        let loud = look(0.021, 5.1, 2.5, true);
        assert_eq!((loud.price_delta, loud.gas, loud.drift), (Severity::High, Severity::High, Severity::High));
        assert!((loud.prediction_error - 0.65).abs() < 1e-12);
        let mad = look(1e300, 1e300, f64::INFINITY, true);
        assert!((mad.prediction_error - 0.8).abs() < 1e-12);
    }
}

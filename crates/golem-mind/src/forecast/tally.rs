//! The record of a domain, for people: how many forecasts were settled, and how many had the class right.

use golem_mortality::{Domain, SettledForecast};
use serde::{Deserialize, Serialize};

/// How a domain has done so far.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Forecasts settled by reality.
    pub settled: u64,
    /// Of these, how many had the three-way class right.
    pub hits: u64,
    /// Forecasts whose moment passed unseen: judged neither way.
    pub void: u64,
    /// Running mean of the squared error: what is a usual error here.
    usual: f64,
    /// Sums of the losses over the whole life, the forecast's and the naive rule's.
    total: [f64; 2],
}

impl Tally {
    /// Share of settled forecasts with the class right.
    #[must_use]
    pub fn hit_rate(&self) -> Option<f64> {
        (self.settled > 0).then(|| self.hits as f64 / self.settled as f64)
    }
    /// Skill against the naive rule over the whole life: the share of its loss that was saved, 0 is as good.
    #[must_use]
    pub fn overall(&self) -> Option<f64> {
        let nothing = 1e-12 * self.settled as f64;
        (self.settled > 0).then(|| 1.0 - (self.total[0] + nothing) / (self.total[1] + nothing))
    }
    /// Sums of the losses over the whole life: the forecast's, and the naive rule's.
    #[must_use]
    pub fn losses(&self) -> [f64; 2] {
        self.total
    }
    /// Count one settled forecast. Returns its error in usual errors; the first ones are usual by definition.
    pub(crate) fn take(&mut self, s: &SettledForecast) -> f64 {
        let loss = s.model_loss;
        self.settled = self.settled.saturating_add(1);
        self.hits = self.hits.saturating_add(u64::from(s.hit));
        let surprise = if self.settled > 20 { libm::sqrt(crate::math::ratio(loss, self.usual)) } else { 0.0 };
        let gain = s.domain.ema().max(1.0 / self.settled as f64);
        // A single absurd loss must not make every later one look small.
        let bounded = if self.settled > 20 { loss.min(25.0 * self.usual + 1e-12) } else { loss };
        self.usual += gain * (bounded.min(1e12) - self.usual);
        for (i, loss) in [loss, s.naive_loss].into_iter().enumerate() {
            self.total[i] = (self.total[i] + loss).min(1e300);
        }
        surprise
    }
    pub(crate) fn void(&mut self) {
        self.void = self.void.saturating_add(1);
    }
}

/// The three-way class: up, down or flat against the naive forecast. The edge of flat is 0.43 of the usual deviation
/// for a return (the three are then about equally likely), 10 % for volatility, 5 % for yield and gas, one basis point
/// for an action.
pub(crate) fn hit(domain: Domain, predicted: f64, actual: f64, deviation: f64) -> bool {
    let edge = match domain {
        Domain::PriceDirection => 0.43 * deviation,
        Domain::VolatilityRegime => 0.10,
        Domain::YieldTrend | Domain::GasCondition => 0.05,
        Domain::ProtocolState => 0.5,
        Domain::ActionOutcome => 1.0,
    };
    let class = |x: f64| i8::from(x > edge) - i8::from(x < -edge);
    class(predicted) == class(actual)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surprise_is_measured_in_usual_errors() {
        let mut tally = Tally::default();
        assert_eq!(tally.overall(), None);
        let settled = |model_loss: f64, hit| SettledForecast {
            hit,
            ..SettledForecast::of(Domain::GasCondition, model_loss, 0.12)
        };
        for _ in 0..100 {
            assert!(tally.take(&settled(0.04, true)) < 1.01);
        }
        assert!(tally.overall().is_some_and(|f| (f - 2.0 / 3.0).abs() < 1e-9), "two thirds of 0.12 are saved");
        assert!((tally.take(&settled(0.64, false)) - 4.0).abs() < 1e-9);
        tally.take(&settled(1e300, false));
        assert!(tally.take(&settled(0.04, true)) > 0.5, "one absurd loss does not hide the next");
        assert_eq!((tally.settled, tally.hits), (103, 101));
    }

    #[test]
    fn classes() {
        assert!(hit(Domain::PriceDirection, 0.0044, 0.5, 0.01) && hit(Domain::PriceDirection, 0.0, -0.0042, 0.01));
        assert!(!hit(Domain::PriceDirection, 0.0, 0.0044, 0.01) && !hit(Domain::GasCondition, 0.06, -0.06, 1.0));
    }
}

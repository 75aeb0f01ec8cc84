//! Probes: what is worth a second look in this turn. They only look; what follows from them is decided elsewhere.

use super::body::Body;
use super::severity::Severity;
use serde::{Deserialize, Serialize};

/// The probes that this mind can compute, and the prediction error.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Probes {
    /// Price against the last turn: more than 50 and 200 basis points.
    pub price_delta: Severity,
    /// The pool's liquidity against the last turn: more than 1 and 5 percent.
    pub pool: Severity,
    /// Health of the position: below 1.5 and 1.2, where 2 is the middle of its range and 1 its edge.
    pub position_health: Severity,
    /// Gas against its mean of an hour: more than 2 and 5 times.
    pub gas: Severity,
    /// What is left of the money for thinking and acting: below 20 and 10 percent.
    pub credit: Severity,
    /// Relative strength of the last hours: at odds with the price, or extreme.
    pub momentum: Severity,
    /// A circuit breaker that warns, or has tripped.
    pub breaker: Severity,
    /// The kill switch.
    pub kill_switch: Severity,
    /// A threat that siblings told of: any, and more than 0.7.
    pub threat: Severity,
    /// Vitality against its usual level: more than one and two deviations.
    pub homeostasis: Severity,
    /// The prediction error: more than 0.10 and 0.25.
    pub drift: Severity,
    /// The causal graph: a new candidate, and an edge that no longer holds.
    pub causes: Severity,
    /// The prediction error itself, from 0 to 1.
    pub prediction_error: f64,
}

/// What the probes look at.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct ProbeSight {
    /// Log return since the last turn.
    pub log_return: Option<f64>,
    /// Change of the pool's liquidity since the last turn, as a share of it.
    pub pool_change: Option<f64>,
    /// Health of the open position, and how far it fell since the last turn.
    pub health: Option<f64>,
    pub health_drop: f64,
    /// Log of gas over its one-hour mean.
    pub gas_excess: Option<f64>,
    /// Relative strength index of the last hours, and whether the price is above its mean of a day.
    pub strength: Option<(f64, bool)>,
    /// Vitality in deviations from its usual level.
    pub vitality_z: f64,
    /// Largest settled error of this turn, in usual errors of its domain.
    pub surprise: f64,
    /// Whether the regime changed.
    pub regime_changed: bool,
    /// Fields that did not pass the boundary.
    pub rejected: u8,
}

impl Probes {
    /// Look at the world and at the body.
    pub(crate) fn look(sight: &ProbeSight, body: &Body) -> Self {
        let of = |x: Option<f64>, judge: fn(f64) -> Severity| x.map_or(Severity::None, judge);
        let mut probes = Self {
            price_delta: of(sight.log_return.map(|r| libm::expm1(r).abs()), |x| Severity::above(x, 0.005, 0.02)),
            pool: of(sight.pool_change.map(f64::abs), |x| Severity::above(x, 0.01, 0.05)),
            position_health: of(sight.health, |h| Severity::below(h, 1.5, 1.2)),
            gas: of(sight.gas_excess.map(libm::exp), |x| Severity::above(x, 2.0, 5.0)),
            credit: of(body.credit, |x| Severity::below(x, 0.2, 0.1)),
            momentum: sight.strength.map_or(Severity::None, |(rsi, above)| strength(rsi, above)),
            breaker: body.breaker,
            kill_switch: if body.kill_switch { Severity::High } else { Severity::None },
            threat: Severity::above(body.threat, 0.0, 0.7),
            homeostasis: Severity::above(sight.vitality_z.abs(), 1.0, 2.0),
            drift: Severity::None,
            causes: body.causes,
            prediction_error: 0.0,
        };
        probes.prediction_error = prediction_error(sight, body, probes.anomalies());
        probes.drift = Severity::above(probes.prediction_error, 0.10, 0.25);
        probes
    }

    /// Probes of what just happened that are not quiet. A state that lasts (an empty purse, a strong market) is no
    /// anomaly of the turn: it would never be quiet again.
    fn anomalies(&self) -> u8 {
        let fresh = [self.price_delta, self.pool, self.position_health, self.gas, self.breaker, self.causes];
        fresh.iter().map(|s| u8::from(*s != Severity::None)).sum()
    }
    /// All of them, in the order of the table.
    #[must_use]
    pub fn all(&self) -> [Severity; 12] {
        [
            self.price_delta,
            self.pool,
            self.position_health,
            self.gas,
            self.credit,
            self.momentum,
            self.breaker,
            self.kill_switch,
            self.threat,
            self.homeostasis,
            self.drift,
            self.causes,
        ]
    }
    /// The loudest of them.
    #[must_use]
    pub fn loudest(&self) -> Severity {
        self.all().into_iter().max().unwrap_or_default()
    }
}

/// Extreme strength is beyond 80 and 20; strength that is at odds with the price is a divergence.
fn strength(rsi: f64, above_mean: bool) -> Severity {
    if !(20.0..=80.0).contains(&rsi) {
        Severity::High
    } else if above_mean && rsi < 40.0 || !above_mean && rsi > 60.0 {
        Severity::Low
    } else {
        Severity::None
    }
}

/// The heartbeat page's sum over the terms that exist here: 0.3 for the error, 0.4 for a change of regime, up to 0.1 for a
/// position whose health fell, 0.15 for a threat, 0.10 for each of up to three owner's words that wait for an answer, 0.05
/// for each anomaly up to five. The error term is 0 up to the usual error and full at four times that: relative errors
/// of a return, which is mostly 0, would say nothing.
fn prediction_error(sight: &ProbeSight, body: &Body, anomalies: u8) -> f64 {
    let error = 0.3 * crate::math::unit((sight.surprise - 1.0) / 3.0);
    let changed = if sight.regime_changed { 0.4 } else { 0.0 };
    let fell = if sight.health_drop > 0.1 { 0.2 * sight.health_drop.min(0.5) } else { 0.0 };
    let threat = 0.15 * crate::math::unit(body.threat);
    let waiting = 0.10 * f64::from(body.followups.min(3));
    let anomalies = 0.05 * f64::from(anomalies.saturating_add(sight.rejected).min(5));
    (error + changed + fell + threat + waiting + anomalies).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(r: f64, gas: f64, surprise: f64, regime_changed: bool) -> Probes {
        let (log_return, gas_excess) = (Some(libm::log1p(r)), Some(libm::log(gas)));
        Probes::look(
            &ProbeSight { log_return, gas_excess, surprise, regime_changed, ..Default::default() },
            &Body::default(),
        )
    }

    #[test]
    fn severities_and_error() {
        let quiet = look(0.004, 1.9, 1.0, false);
        assert_eq!((quiet.loudest(), quiet.drift), (Severity::None, Severity::None));
        let some = look(-0.006, 2.1, 1.0, false);
        assert_eq!((some.price_delta, some.gas), (Severity::Low, Severity::Low));
        assert!((some.prediction_error - 0.1).abs() < 1e-12);
        let loud = look(0.021, 5.1, 2.5, true);
        assert_eq!((loud.price_delta, loud.gas, loud.drift), (Severity::High, Severity::High, Severity::High));
        assert!((loud.prediction_error - 0.65).abs() < 1e-12);
        let mad = look(1e300, 1e300, f64::INFINITY, true);
        assert!((mad.prediction_error - 0.8).abs() < 1e-12);
    }

    /// Every probe at just inside and just outside of its two lines.
    #[test]
    fn every_line_of_the_table() {
        type Case = (&'static str, fn(f64) -> (ProbeSight, Body), fn(&Probes) -> Severity, [f64; 4]);
        let cases: [Case; 8] = [
            (
                "pool",
                |x| (ProbeSight { pool_change: Some(-x), ..Default::default() }, Body::default()),
                |p| p.pool,
                [0.0099, 0.0101, 0.0499, 0.0501],
            ),
            (
                "position health",
                |x| (ProbeSight { health: Some(x), ..Default::default() }, Body::default()),
                |p| p.position_health,
                [1.5, 1.49, 1.2, 1.19],
            ),
            (
                "credit",
                |x| (ProbeSight::default(), Body { credit: Some(x), ..Default::default() }),
                |p| p.credit,
                [0.2, 0.19, 0.1, 0.09],
            ),
            (
                "threat",
                |x| (ProbeSight::default(), Body { threat: x, ..Default::default() }),
                |p| p.threat,
                [0.0, 0.01, 0.7, 0.71],
            ),
            (
                "homeostasis",
                |x| (ProbeSight { vitality_z: -x, ..Default::default() }, Body::default()),
                |p| p.homeostasis,
                [1.0, 1.01, 2.0, 2.01],
            ),
            (
                "drift",
                |x| (ProbeSight { surprise: 1.0 + x * 10.0, ..Default::default() }, Body::default()),
                |p| p.drift,
                [0.1, 0.101, 0.25, 0.251],
            ),
            (
                "momentum",
                |x| (ProbeSight { strength: Some((x, true)), ..Default::default() }, Body::default()),
                |p| p.momentum,
                [40.0, 39.9, 20.0, 19.9],
            ),
            (
                "gas",
                |x| (ProbeSight { gas_excess: Some(libm::log(x)), ..Default::default() }, Body::default()),
                |p| p.gas,
                [1.999, 2.001, 4.999, 5.001],
            ),
        ];
        for (name, seen, read, points) in cases {
            let got = points.map(|x| {
                let (sight, body) = seen(x);
                read(&Probes::look(&sight, &body))
            });
            assert_eq!(got, [Severity::None, Severity::Low, Severity::Low, Severity::High], "{name}");
        }
        let killed = Probes::look(&ProbeSight::default(), &Body { kill_switch: true, ..Default::default() });
        assert_eq!((killed.kill_switch, killed.loudest()), (Severity::High, Severity::High));
    }

    #[test]
    fn the_error_adds_up_what_exists() {
        let error = |sight: ProbeSight, body: Body| Probes::look(&sight, &body).prediction_error;
        let quiet = (ProbeSight::default(), Body::default());
        for (name, sight, body, expected) in [
            ("a fall in health", ProbeSight { health_drop: 0.3, ..quiet.0 }, quiet.1, 0.06),
            ("a small one", ProbeSight { health_drop: 0.1, ..quiet.0 }, quiet.1, 0.0),
            ("a collapse", ProbeSight { health_drop: 2.0, ..quiet.0 }, quiet.1, 0.1),
            ("a threat", quiet.0, Body { threat: 0.5, ..quiet.1 }, 0.075),
            ("two words that wait", quiet.0, Body { followups: 2, ..quiet.1 }, 0.2),
            ("nine of them", quiet.0, Body { followups: 9, ..quiet.1 }, 0.3),
            ("nine strange fields", ProbeSight { rejected: 9, ..quiet.0 }, quiet.1, 0.25),
            ("an empty purse is no news", quiet.0, Body { credit: Some(0.0), ..quiet.1 }, 0.0),
        ] {
            assert!((error(sight, body) - expected).abs() < 1e-12, "{name}: {}", error(sight, body));
        }
        let all = ProbeSight { surprise: 9.0, regime_changed: true, health_drop: 1.0, rejected: 5, ..quiet.0 };
        assert!((error(all, Body { threat: 1.0, followups: 3, ..quiet.1 }) - 1.0).abs() < 1e-12, "at most 1");
    }
}

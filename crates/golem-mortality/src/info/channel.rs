//! When vitality falls: which of the three information channels is closing.
//!
//! Money is channel capacity, understanding is rate-distortion, age is entropy production. This names a cause for the
//! reader; it decides nothing.

use serde::{Deserialize, Serialize};

/// A component at or below this is as good as zero; the logarithm stops here.
const LEAST: f64 = 1e-9;

/// One of the three channels through which a golem is coupled to its market.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// Economic: what it can still pay for.
    Capacity,
    /// Epistemic: how well its picture of the market fits.
    RateDistortion,
    /// Stochastic: age, and the variety of what it does.
    EntropyProduction,
}

/// The components of vitality at one moment, each in [0, 1].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct VitalityComponents {
    /// Composite vitality, the product of the three.
    pub composite: f64,
    /// Economic component.
    pub economic: f64,
    /// Epistemic component.
    pub epistemic: f64,
    /// Age component.
    pub age: f64,
    /// Entropy rate of the actions, when known.
    pub entropy_rate: Option<f64>,
}

/// Why vitality fell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChannelReport {
    /// The channel that closes most.
    pub closing: Channel,
    /// Its share of all falls, in [0, 1].
    pub share: f64,
    /// How far the composite fell.
    pub composite_fall: f64,
    /// Fall of the economic component in nats, zero when it rose.
    pub capacity_fall: f64,
    /// Fall of the epistemic component in nats.
    pub rate_distortion_fall: f64,
    /// Fall of the age component in nats.
    pub entropy_production_fall: f64,
    /// Fall of the entropy rate of the actions in nats, when known at both moments. Evidence, not a factor of vitality.
    pub entropy_rate_fall: Option<f64>,
}

/// Explains a fall of vitality between two moments; `None` when it did not fall or nothing explains it.
///
/// The composite is a product, so falls are compared as logarithms, which add up. The entropy rate is no factor of the
/// product: it speaks only when no component fell.
#[must_use]
pub fn channel_report(before: &VitalityComponents, now: &VitalityComponents) -> Option<ChannelReport> {
    let composite_fall = before.composite - now.composite;
    if !composite_fall.is_finite() || composite_fall <= 0.0 {
        return None;
    }
    let capacity_fall = fall(before.economic, now.economic);
    let rate_distortion_fall = fall(before.epistemic, now.epistemic);
    let entropy_production_fall = fall(before.age, now.age);
    let entropy_rate_fall = before.entropy_rate.zip(now.entropy_rate).map(|(before, now)| fall(before, now));
    let total = capacity_fall + rate_distortion_fall + entropy_production_fall;
    let (closing, share) = if total > 0.0 {
        // In a tie the first named wins: money is the easiest to mend.
        let mut most = (Channel::Capacity, capacity_fall);
        for (channel, fall) in
            [(Channel::RateDistortion, rate_distortion_fall), (Channel::EntropyProduction, entropy_production_fall)]
        {
            if fall > most.1 {
                most = (channel, fall);
            }
        }
        (most.0, (most.1 / total).clamp(0.0, 1.0))
    } else if entropy_rate_fall.is_some_and(|fall| fall > 0.0) {
        (Channel::EntropyProduction, 1.0)
    } else {
        return None;
    };
    Some(ChannelReport {
        closing,
        share,
        composite_fall,
        capacity_fall,
        rate_distortion_fall,
        entropy_production_fall,
        entropy_rate_fall,
    })
}

/// How far a number fell, in nats; zero when it rose or is not a number.
fn fall(before: f64, now: f64) -> f64 {
    if before.is_nan() || now.is_nan() {
        return 0.0;
    }
    let bounded = |x: f64| x.clamp(LEAST, 1.0);
    (libm::log(bounded(before)) - libm::log(bounded(now))).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WELL: VitalityComponents =
        VitalityComponents { composite: 0.8, economic: 0.9, epistemic: 0.9, age: 0.99, entropy_rate: Some(0.5) };

    #[test]
    fn the_largest_fall_is_named() {
        let cases = [
            (VitalityComponents { composite: 0.6, economic: 0.6, epistemic: 0.88, ..WELL }, Channel::Capacity),
            (VitalityComponents { composite: 0.6, economic: 0.85, epistemic: 0.7, ..WELL }, Channel::RateDistortion),
            (VitalityComponents { composite: 0.7, age: 0.9, ..WELL }, Channel::EntropyProduction),
            (VitalityComponents { composite: 0.7, entropy_rate: Some(0.1), ..WELL }, Channel::EntropyProduction),
        ];
        for (now, closing) in cases {
            let report = channel_report(&WELL, &now).unwrap();
            assert_eq!(report.closing, closing);
            assert!(report.share > 0.5 && report.share <= 1.0);
        }
    }

    #[test]
    fn no_fall_no_report() {
        assert_eq!(channel_report(&WELL, &WELL), None);
        let risen = VitalityComponents { composite: 0.9, economic: 0.1, ..WELL };
        assert_eq!(channel_report(&WELL, &risen), None);
        let broken = VitalityComponents { composite: f64::NAN, ..WELL };
        assert_eq!(channel_report(&WELL, &broken), None);
        let unexplained = VitalityComponents { composite: 0.5, ..WELL };
        assert_eq!(channel_report(&WELL, &unexplained), None);
        let gone = VitalityComponents { composite: 0.0, economic: 0.0, epistemic: f64::NAN, ..WELL };
        assert_eq!(channel_report(&WELL, &gone).unwrap().closing, Channel::Capacity);
    }
}

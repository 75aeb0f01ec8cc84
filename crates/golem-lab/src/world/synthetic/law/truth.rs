//! The truth of a law, written down.

use super::{Law, Teller};
use crate::world::truth::{TrueLink, Truth};
use golem_core::observed::Field;
use golem_mortality::Domain;

impl Law {
    /// What is true in a world with this law.
    #[must_use]
    pub fn truth(&self, world: &str, strength: f64) -> Truth {
        let link = self.link();
        let links = if strength > 0.0 { vec![link] } else { Vec::new() };
        Truth { world: world.into(), strength, links, complete: true, sentence: self.sentence() }
    }

    fn link(&self) -> TrueLink {
        use Field as F;
        let link = |cause, effect, domain, sign, lag_ticks, length_ticks, factor| TrueLink {
            cause,
            between: None,
            told_by: None,
            effect,
            domain,
            sign,
            lag_ticks,
            length_ticks,
            factor,
        };
        match *self {
            Self::GasHours { from_hour, hours, log_factor } => TrueLink {
                between: Some((from_hour as f64, ((from_hour + hours) % 24) as f64)),
                ..link(F::MarketHour, F::MarketGasRatio, Domain::GasCondition, 1, 0, hours * 90, libm::exp(log_factor))
            },
            Self::FeeBursts { lag, length, log_factor, .. } => {
                let factor = libm::exp(log_factor);
                link(F::MarketGasRatio, F::MarketFeeYieldRatio, Domain::YieldTrend, 1, lag, length, factor)
            }
            Self::VolFees { lag, gain } => {
                link(F::MarketVolatilityRatio, F::MarketFeeYieldRatio, Domain::YieldTrend, 1, lag, 90, gain)
            }
            Self::Reversal { lag, length, share } => {
                link(F::MarketReturn15, F::MarketReturn90, Domain::PriceDirection, -1, lag, length, share)
            }
            Self::Turning { lead, mean_ticks, feedback, teller, .. } => {
                let told_by = Some(match teller {
                    Teller::Gas => F::MarketGasRatio,
                    Teller::Volume => F::MarketVolumeRatio,
                });
                let again =
                    link(F::MarketReturn90, F::MarketReturn90, Domain::PriceDirection, 1, lead, mean_ticks, feedback);
                TrueLink { told_by, ..again }
            }
            Self::Contagion { lag, length, share, .. } => {
                link(F::MarketLeadReturn, F::MarketReturn90, Domain::PriceDirection, 1, lag, length, share)
            }
        }
    }

    fn sentence(&self) -> String {
        match *self {
            Self::GasHours { from_hour, hours, log_factor } => format!(
                "Gas costs {:.1} times as much for {hours} hours a day, from {from_hour}:00 UTC on.",
                libm::exp(log_factor)
            ),
            Self::FeeBursts { lag, length, log_factor, .. } => format!(
                "{lag} ticks after gas spikes, strangers trade {:.1} times as much for {length} ticks, and pay fees for it.",
                libm::exp(log_factor)
            ),
            Self::VolFees { lag, gain } => format!(
                "What strangers trade follows the volatility of {lag} ticks ago: twice as wide moves, {:.1} times the trade.",
                libm::pow(2.0, gain)
            ),
            Self::Reversal { lag, length, share } => format!(
                "After a jump of the price {:.0} % of it are taken back, from {lag} ticks on, over {length} ticks.",
                100.0 * share
            ),
            Self::Turning { mean_ticks, lead, feedback, teller, log_factor } => format!(
                "For about {:.1} days recent moves go on, then for as long they turn back (by {feedback:.2} of their mean), and \
                 so on; {} stands {:.1} times above its usual level while they go on and as far below while they do not, and \
                 turns {lead} ticks before.",
                mean_ticks as f64 / 2_160.0,
                match teller {
                    Teller::Gas => "gas",
                    Teller::Volume => "volume",
                },
                libm::exp(log_factor)
            ),
            Self::Contagion { lag, length, share, .. } => format!(
                "The price follows {:.0} % of another pair's moves, {lag} ticks later, over {length} ticks.",
                100.0 * share
            ),
        }
    }
}

//! How the numbers of a law are drawn, once per seed, and the strength that was fixed for each beforehand.

use super::{Law, Teller};
use crate::world::synthetic::SyntheticConfig;
use golem_core::dice::Draws;
use golem_core::{Dice, Strand};

/// The names of the laws, in the order in which they are listed to people.
pub const LAWS: &[&str] = &["gas-hours", "fee-bursts", "vol-fees", "reversal", "turning", "contagion"];
/// No tick has this address: here a world draws what it is.
const DRAWN_AT: u64 = u64::MAX;

impl Law {
    /// The law of this name for a seed. At strength 1 whoever knows it gains two to five per cent in sixty days (see the
    /// oracle); at 0 it does nothing.
    #[must_use]
    pub fn drawn(name: &str, strength: f64, seed: u64) -> Option<Self> {
        let mut draws = Dice::open(seed, Strand::World).draws(DRAWN_AT);
        let d = &mut draws;
        Some(match name {
            "gas-hours" => Self::GasHours {
                from_hour: whole(d, 0, 23),
                hours: whole(d, 6, 10),
                log_factor: (strength * between(d, 0.9, 1.4)).min(3.0),
            },
            "fee-bursts" => Self::FeeBursts {
                lag: whole(d, 210, 300),
                length: whole(d, 20, 40),
                log_factor: (strength * between(d, 1.6, 2.1)).min(4.0),
                until: None,
            },
            "vol-fees" => Self::VolFees { lag: whole(d, 210, 300), gain: (strength * between(d, 1.5, 2.2)).min(5.0) },
            "reversal" => Self::Reversal {
                lag: whole(d, 3, 15),
                length: whole(d, 30, 75),
                share: (strength * between(d, 0.3, 0.5)).min(1.0),
            },
            "turning" => Self::Turning {
                mean_ticks: whole(d, 4_000, 9_000),
                lead: whole(d, 60, 240),
                feedback: (strength * between(d, 0.3, 0.41)).min(0.8),
                teller: if d.uniform() < 0.5 { Teller::Gas } else { Teller::Volume },
                log_factor: (strength * between(d, 0.7, 1.0)).min(2.0),
            },
            "contagion" => Self::Contagion {
                lag: whole(d, 5, 30),
                length: whole(d, 10, 40),
                share: (strength * between(d, 0.14, 0.24)).min(2.0),
                sigma: OTHER_SIGMA,
            },
            _ => return None,
        })
    }

    /// The market that the law is put into: without lead and lag of its own, and where its cause is met often enough to
    /// be learnt in a life.
    #[must_use]
    pub fn market(self) -> SyntheticConfig {
        let flat = SyntheticConfig::flat();
        let law = Some(self);
        match self {
            // Gas of the main chain: elsewhere it is no matter when one trades.
            Self::GasHours { .. } => SyntheticConfig { gas_gwei: 1.3, gas_season: 0.0, law, ..flat },
            Self::FeeBursts { .. } => SyntheticConfig { gas_spikes_per_day: 8.0, law, ..flat },
            Self::Reversal { .. } => SyntheticConfig { jumps_per_day: 0.6, jump_size: 0.013, law, ..flat },
            Self::Turning { .. } => SyntheticConfig { gas_season: 0.1, law, ..flat },
            Self::VolFees { .. } | Self::Contagion { .. } => SyntheticConfig { law, ..flat },
        }
    }

    /// The same market, in which the law's cause comes about so often in a day; none where that is no event.
    #[must_use]
    pub fn market_with(self, per_day: f64) -> Option<SyntheticConfig> {
        match self {
            Self::FeeBursts { .. } => Some(SyntheticConfig { gas_spikes_per_day: per_day, ..self.market() }),
            Self::Reversal { .. } => Some(SyntheticConfig { jumps_per_day: per_day, ..self.market() }),
            _ => None,
        }
    }
}

/// Another pair moves about as widely as this one: 70 % a year.
const OTHER_SIGMA: f64 = 0.0008;

fn whole(draws: &mut Draws, low: u64, high: u64) -> u64 {
    low + (draws.uniform() * (high - low + 1) as f64) as u64
}

/// Evenly from one number to another.
pub(in crate::world) fn between(draws: &mut Draws, low: f64, high: f64) -> f64 {
    low + draws.uniform() * (high - low)
}

//! The price: a walk of log returns with clustered variance, jumps, and a faint memory of its recent direction.

use super::era::Era;
use super::law::Push;
use super::rates::Rates;
use super::weather::TrueWeather;
use serde::{Deserialize, Serialize};

/// The log price walks freely this far from where it began; beyond it is pulled back.
const BAND: f64 = 1.8;
/// Share of the way back into the band per tick.
const PULL: f64 = 1e-4;
/// No path leads further than this: prices stay finite for any number of ticks.
const LIMIT: f64 = 12.0;
/// Share of the newest return in the recent direction: a memory of about 40 minutes.
const LEAN: f64 = 1.0 / 60.0;
/// Bounds of the variance ratio, and the largest surprise in squared deviations that it hears of.
const HEAT: (f64, f64) = (0.05, 20.0);
const LARGEST_SURPRISE: f64 = 20.0;

/// Where the price is and what it remembers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Price {
    /// Log of the price over the price at the beginning.
    pub offset: f64,
    /// Variance over its long-run mean.
    pub heat: f64,
    /// Mean recent return.
    lean: f64,
}

impl Price {
    pub const BEGINNING: Self = Self { offset: 0.0, heat: 1.0, lean: 0.0 };

    /// One tick on.
    ///
    /// Variance is a GARCH(1,1) around 1 (Bollerslev 1986), times that of the weather. Jumps come on top as in Merton
    /// (1976), but with a power tail, and warm the variance. `lean` feeds back into the next return: over the next hour
    /// that explains one or two percent of the variance, which is what there is to learn.
    pub fn step(&mut self, rates: &Rates, era: &Era, weather: TrueWeather, normal: f64, jump: f64, push: &Push) {
        let i = weather.index();
        let sigma = rates.sigma[i] * era.volatility * self.heat.sqrt();
        let shock = sigma * normal + jump;
        // At or above 1 the memory would feed on itself.
        let feedback =
            (rates.predictability * (weather.traits().feedback + era.feedback[i]) + push.feedback).clamp(-0.8, 0.8);
        let astray = self.offset - self.offset.clamp(-BAND, BAND);
        let change = rates.tilt[i] + feedback * self.lean + shock - PULL * astray + push.log_price;
        self.offset = (self.offset + change).clamp(-LIMIT, LIMIT);
        // A jump is news, not direction: only its first few deviations count as movement that may go on.
        self.lean += (change.clamp(-6.0 * sigma, 6.0 * sigma) - self.lean) * LEAN;

        let (alpha, memory) = rates.heat;
        let surprise = (shock * shock / (sigma * sigma)).min(LARGEST_SURPRISE);
        let heat = (1.0 - memory) + self.heat * (memory + alpha * (surprise - 1.0));
        self.heat = heat.clamp(HEAT.0, HEAT.1);
    }

    /// Log of the present volatility over the base.
    pub fn log_heat(&self, weather: TrueWeather, era: &Era) -> f64 {
        let relative = weather.traits().volatility * era.volatility;
        0.5 * libm::log(self.heat * relative * relative)
    }

    /// A jump of either sign, its size Pareto distributed, from a number in [0, 1).
    pub fn jump(rates: &Rates, u: f64) -> f64 {
        let (smallest, largest, power) = rates.jump;
        // The first bit of the number is the sign, the rest is the size.
        let (sign, rest) = if u < 0.5 { (-1.0, 2.0 * u) } else { (1.0, 2.0 * u - 1.0) };
        sign * (smallest * libm::pow(1.0 - rest, power)).min(largest)
    }

    pub fn is_sound(&self) -> bool {
        self.offset.abs() <= LIMIT && self.lean.abs() <= 1.0 && (HEAT.0..=HEAT.1).contains(&self.heat)
    }
}

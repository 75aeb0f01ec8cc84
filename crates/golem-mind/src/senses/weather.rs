//! The regime classifier: price against its mean, returns against what they used to be, slow to change its mind.
//!
//! The heartbeat page of the spec names a 20-tick mean and one deviation. On 40-second ticks that flips hundreds of
//! times a day on pure noise, so the mean is halfway between the running means of one and six hours, leaving takes
//! less than entering, and a new regime must hold for a while before it counts: two to five changes a day.

use crate::math::{DAY, clip};
use golem_core::{Elapsed, Regime, VirtualTime};
use serde::{Deserialize, Serialize};

/// A trend begins beyond this many deviations, and ends within [`NEAR`].
const FAR: f64 = 1.0;
const NEAR: f64 = 0.5;
/// Volatile begins at twice the usual volatility (ln 2), and ends at one and a half times.
const HOT: f64 = std::f64::consts::LN_2;
const COOL: f64 = 0.405_465_108_108_164_4;
/// How long a new regime must hold: more than the six ticks of the spec.
const CONFIRM: Elapsed = Elapsed::nominal(20);
/// Memory of the deviation, in nominal ticks.
const MEMORY: f64 = 3.0 * DAY;
/// Nothing is said before this many nominal ticks of prices.
const SETTLED: f64 = 270.0;

/// What the market is doing, for facts, and for comparing like with like.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Weather {
    /// The regime that holds.
    pub regime: Regime,
    /// Volatility against its own history: 0 the calmest fifth, 4 the wildest.
    pub vol_quintile: u8,
    /// Direction of the trend: -1, 0 or 1.
    pub trend: i8,
    /// True in the turn in which the regime changed.
    pub changed: bool,
    wish: Regime,
    wished_at: VirtualTime,
    /// Mean square of the deviation from the mean.
    spread2: f64,
    age: f64,
}

impl Weather {
    /// Look at one turn: deviation of the log price from its mean, log volatility of the last three hours over the
    /// usual one, and the z-score of the last hour's. `dt` is in nominal ticks.
    pub(crate) fn look(&mut self, deviation: f64, heat: Option<f64>, vol_z: f64, dt: f64, now: VirtualTime) {
        let dt = dt.min(MEMORY);
        self.age = (self.age + dt).min(MEMORY);
        if self.age > 0.0 {
            // A broken quote is far outside; it may widen the usual deviation, but not take it over.
            let bound = if self.spread2 > 0.0 { 4.0 * libm::sqrt(self.spread2) } else { 0.5 };
            let d = clip(deviation, bound);
            self.spread2 += dt / self.age * (d * d - self.spread2);
        }
        let u = if self.spread2 > 0.0 { clip(deviation / libm::sqrt(self.spread2), 9.0) } else { 0.0 };
        self.trend = i8::from(u > NEAR) - i8::from(u < -NEAR);
        self.vol_quintile = quintile(vol_z);
        self.changed = false;
        if self.age < SETTLED {
            return;
        }
        let wish = self.wish(u, heat.unwrap_or(0.0));
        if wish != self.wish {
            (self.wish, self.wished_at) = (wish, now);
        }
        if wish != self.regime && now.since(self.wished_at) >= CONFIRM {
            self.regime = wish;
            self.changed = true;
        }
    }

    fn wish(&self, u: f64, heat: f64) -> Regime {
        let hot = if self.regime == Regime::Volatile { COOL } else { HOT };
        match self.regime {
            _ if heat > hot => Regime::Volatile,
            Regime::TrendingUp if u > NEAR => Regime::TrendingUp,
            Regime::TrendingDown if u < -NEAR => Regime::TrendingDown,
            _ if u > FAR => Regime::TrendingUp,
            _ if u < -FAR => Regime::TrendingDown,
            _ => Regime::RangeBound,
        }
    }
}

/// The fifth of a normal distribution that a z-score lies in.
fn quintile(z: f64) -> u8 {
    const EDGES: [f64; 4] = [-0.841_621, -0.253_347, 0.253_347, 0.841_621];
    EDGES.iter().map(|edge| u8::from(z > *edge)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flash_is_no_regime() {
        let mut weather = Weather::default();
        let mut n = 0;
        let mut look = |weather: &mut Weather, d: f64, heat: f64, turns: u32| {
            for _ in 0..turns {
                n += 1;
                weather.look(d, Some(heat), 0.0, 1.0, VirtualTime(0).after(Elapsed::nominal(n)));
            }
            weather.regime
        };
        for _ in 0..20 {
            look(&mut weather, 0.01, 0.0, 20);
            look(&mut weather, -0.01, 0.0, 20);
        }
        assert_eq!(look(&mut weather, 0.001, 0.0, 30), Regime::RangeBound);
        assert_eq!(look(&mut weather, 0.02, 0.0, 15), Regime::RangeBound, "not yet confirmed");
        assert_eq!(look(&mut weather, 0.02, 0.0, 15), Regime::TrendingUp);
        assert_eq!(look(&mut weather, 0.008, 0.0, 60), Regime::TrendingUp, "leaving takes less than entering");
        assert_eq!(look(&mut weather, 0.001, 1.0, 30), Regime::Volatile);
        assert_eq!(look(&mut weather, 0.001, 0.5, 60), Regime::Volatile);
        assert_eq!(look(&mut weather, -0.03, 0.3, 30), Regime::TrendingDown);
        assert_eq!(weather.trend, -1);
    }

    #[test]
    fn fifths() {
        assert_eq!([-2.0, -0.5, 0.0, 0.5, 2.0].map(quintile), [0, 1, 2, 3, 4]);
    }
}

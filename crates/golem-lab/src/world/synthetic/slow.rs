//! What moves over days: the level of volatility, and how much is traded. Recorded markets remember both for weeks.

use super::rates::Rates;
use golem_core::Dice;
use serde::{Deserialize, Serialize};

/// Draws of the slow levels: an address that neither the world nor its law asks for.
const OWN: u64 = 1 << 62;
/// Nominal ticks between two of their steps: an hour.
const STEP: u64 = 90;

/// The two levels, as logarithms over what is usual.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct SlowLevels {
    volatility: f64,
    pub volume: f64,
    /// What the volatility is multiplied by, so that its variance is the usual one in the mean.
    pub factor: f64,
}

impl SlowLevels {
    /// Anywhere that they may be found.
    pub fn beginning(rates: &Rates, dice: &Dice) -> Self {
        let (volatility, volume) = dice.draws(OWN).normals();
        let mut slow = Self { volatility: 0.0, volume: 0.0, factor: 1.0 };
        slow.set(rates, rates.slow.0.deviation * volatility, rates.slow.1.deviation * volume);
        slow
    }

    /// Once an hour they move.
    pub fn step(&mut self, rates: &Rates, tick: u64, dice: &Dice) {
        if tick.is_multiple_of(STEP) {
            let (volatility, volume) = dice.draws(OWN | tick).normals();
            let (of_moves, of_trade) = &rates.slow;
            self.set(
                rates,
                of_moves.ou.step(self.volatility, 0.0, volatility),
                of_trade.ou.step(self.volume, 0.0, volume),
            );
        }
    }

    fn set(&mut self, rates: &Rates, volatility: f64, volume: f64) {
        let deviation = rates.slow.0.deviation;
        (self.volatility, self.volume) = (volatility, volume);
        self.factor = libm::exp((volatility - deviation * deviation).clamp(-2.5, 2.5));
    }

    pub fn is_sound(&self) -> bool {
        self.volatility.abs() <= 100.0 && self.volume.abs() <= 100.0 && (0.01..=20.0).contains(&self.factor)
    }
}

//! How long a cycle is meant to take, how many a window holds and what one may cost, by phase of life; and how many
//! turns lie between two.

use crate::config::DreamConfig;
use crate::schedule::clocks::DreamModulation;
use golem_core::{Unit, Usdc};
use golem_mortality::BehavioralPhase;

/// A range of the seed's table; where in it depends on how intense dreams are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LengthRange(u64, u64);

impl LengthRange {
    /// The low end at an intensity of 1, the high end at 2, to the nearest whole. In basis points, since some of it is
    /// money.
    fn at(self, intensity: f64) -> u64 {
        let bps = (Unit::clamped(intensity - 1.0).get() * 10_000.0).round() as u64;
        self.0 + (self.1.saturating_sub(self.0) * bps + 5_000) / 10_000
    }
}

struct LengthRow {
    /// Turns of one cycle.
    turns: LengthRange,
    /// Cycles in a window.
    cycles: LengthRange,
    /// Micro-USDC of one cycle.
    budget: LengthRange,
}

/// Rows from worst to best, like [`BehavioralPhase::ALL`]. The hardened tier; a core cycle has one length for all.
const LENGTHS: [LengthRow; 5] = [
    LengthRow { turns: LengthRange(0, 0), cycles: LengthRange(0, 0), budget: LengthRange(0, 0) },
    LengthRow { turns: LengthRange(5, 10), cycles: LengthRange(1, 1), budget: LengthRange(50_000, 100_000) },
    LengthRow { turns: LengthRange(10, 20), cycles: LengthRange(1, 2), budget: LengthRange(100_000, 200_000) },
    LengthRow { turns: LengthRange(20, 40), cycles: LengthRange(2, 3), budget: LengthRange(300_000, 500_000) },
    LengthRow { turns: LengthRange(30, 60), cycles: LengthRange(3, 4), budget: LengthRange(500_000, 1_000_000) },
];

/// What a phase of life gives to hardened dreams, before any cap of the owner's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DreamLength {
    /// Turns that a cycle is meant to take.
    pub turns: u64,
    /// Cycles of a window at most, or of a day outside of windows.
    pub cycles_per_window: u32,
    /// What one cycle may cost.
    pub budget: Usdc,
}

impl DreamLength {
    #[must_use]
    pub fn of(phase: BehavioralPhase, intensity: f64) -> Self {
        let row = &LENGTHS[phase as usize];
        Self {
            turns: row.turns.at(intensity),
            cycles_per_window: u32::try_from(row.cycles.at(intensity)).unwrap_or(u32::MAX),
            budget: Usdc(row.budget.at(intensity)),
        }
    }
}

/// The least number of turns from one cycle to the next: the owner's interval, half of it when life runs out.
#[must_use]
pub fn least_interval(config: &DreamConfig, modulation: &DreamModulation) -> u64 {
    (config.dream_cycle_interval / modulation.frequency.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::BehavioralPhase::*;
    use super::*;
    use crate::schedule::clocks::modulation;
    use crate::schedule::testing::{config, seen};

    #[test]
    fn the_table_of_the_seed_from_end_to_end() {
        for (phase, low, high) in [
            (Thriving, (30, 3, 500_000), (60, 4, 1_000_000)),
            (Stable, (20, 2, 300_000), (40, 3, 500_000)),
            (Conservation, (10, 1, 100_000), (20, 2, 200_000)),
            (Declining, (5, 1, 50_000), (10, 1, 100_000)),
            (Terminal, (0, 0, 0), (0, 0, 0)),
        ] {
            for (intensity, (turns, cycles, budget)) in
                [(1.0, low), (2.0, high), (f64::NAN, low), (9.0, high), (0.0, low)]
            {
                let length = DreamLength::of(phase, intensity);
                assert_eq!(
                    (length.turns, length.cycles_per_window, length.budget.0),
                    (turns, cycles, budget),
                    "{phase}"
                );
            }
        }
        assert_eq!(DreamLength::of(Thriving, 1.5).turns, 45);
        assert_eq!(
            (DreamLength::of(Thriving, 1.49).cycles_per_window, DreamLength::of(Thriving, 1.5).cycles_per_window),
            (3, 4)
        );
    }

    #[test]
    fn the_interval_is_halved_below_72_hours() {
        let mut s = seen();
        for (hours, turns) in [(None, 50), (Some(72.0), 50), (Some(71.0), 25), (Some(7.0), 25)] {
            s.projected_life_h = hours;
            assert_eq!(least_interval(&config(), &modulation(&s, &config().clocks)), turns, "{hours:?}");
        }
        let quick = crate::config::DreamConfig { dream_cycle_interval: 1, ..config() };
        assert_eq!(least_interval(&quick, &modulation(&s, &quick.clocks)), 1);
    }
}

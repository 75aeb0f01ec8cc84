//! The rules that move: every few weeks the world draws new goals for its own parameters and glides towards them.
//!
//! This is what a golem dies of epistemically. What it learnt was true; the world moved on.

use golem_core::dice::Draws;
use serde::{Deserialize, Serialize};

/// The share of the way to its goal that a parameter goes in one nominal tick: most of the way in a day.
const GLIDE: f64 = 1.0 / 1_080.0;
/// How much of the old deviation from the base stays in a new goal: old rules fade, they do not pile up.
const KEEP: f64 = 0.5;

/// The parameters that move, as they are at one tick.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Era {
    /// Scale of the volatility.
    pub volatility: f64,
    /// Offset of the log gas price.
    pub gas_level: f64,
    /// Offset of the log fee yield.
    pub yield_level: f64,
    /// How strongly the fee yield follows the activity of the market.
    pub yield_coupling: f64,
    /// Scale of the seasons.
    pub season: f64,
    /// Shift of the daily season, in days.
    pub season_phase: f64,
    /// Deviation of the feedback of returns from that of each weather.
    pub feedback: [f64; 4],
}

impl Era {
    /// The rules at the beginning: the configured levels mean what they say.
    pub const BASE: Self = Self {
        volatility: 1.0,
        gas_level: 0.0,
        yield_level: 0.0,
        yield_coupling: 0.6,
        season: 1.0,
        season_phase: 0.0,
        feedback: [0.0; 4],
    };

    /// New goals near the base, not far from the old ones.
    pub fn shifted(&self, draws: &mut Draws) -> Self {
        let (volatility, gas) = draws.normals();
        let (level, coupling) = draws.normals();
        let (season, phase) = draws.normals();
        let (calm, rising) = draws.normals();
        let (falling, storm) = draws.normals();
        let moved = |old: f64, base: f64, by: f64, (low, high)| (base + KEEP * (old - base) + by).clamp(low, high);
        let feedback = [calm, rising, falling, storm];
        Self {
            volatility: moved(self.volatility, 1.0, 0.1 * volatility, (0.75, 1.3)),
            gas_level: moved(self.gas_level, 0.0, 0.5 * gas, (-1.2, 1.2)),
            yield_level: moved(self.yield_level, 0.0, 0.4 * level, (-1.0, 1.0)),
            yield_coupling: moved(self.yield_coupling, 0.6, 0.25 * coupling, (0.0, 1.2)),
            season: moved(self.season, 1.0, 0.4 * season, (0.1, 2.0)),
            // Time of day has no base to return to: this one wanders.
            season_phase: (self.season_phase + 0.15 * phase).clamp(-50.0, 50.0),
            feedback: std::array::from_fn(|i| moved(self.feedback[i], 0.0, 0.2 * feedback[i], (-0.4, 0.4))),
        }
    }

    /// One tick on the way to the goal.
    pub fn glide(&mut self, goal: &Self) {
        let go = |now: &mut f64, goal: f64| *now += (goal - *now) * GLIDE;
        go(&mut self.volatility, goal.volatility);
        go(&mut self.gas_level, goal.gas_level);
        go(&mut self.yield_level, goal.yield_level);
        go(&mut self.yield_coupling, goal.yield_coupling);
        go(&mut self.season, goal.season);
        go(&mut self.season_phase, goal.season_phase);
        for (now, goal) in self.feedback.iter_mut().zip(goal.feedback) {
            go(now, goal);
        }
    }

    /// True when every number is finite: what a restored world must at least be.
    pub fn is_sound(&self) -> bool {
        let plain =
            [self.volatility, self.gas_level, self.yield_level, self.yield_coupling, self.season, self.season_phase];
        plain.iter().chain(&self.feedback).all(|x| x.abs() <= 100.0) && self.volatility > 0.0
    }
}

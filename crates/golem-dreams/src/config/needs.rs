//! When it needs to sleep: what urgency is made of, where the clocks bend it, and how much must have been lived first.

use golem_core::Problem;
use golem_core::problem::ranges;
use golem_mortality::BehavioralPhase;
use serde::{Deserialize, Serialize};

/// `[dream.urgency]`: where each input counts in full, and how urgency builds up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UrgencyConfig {
    /// Surprise in usual errors.
    pub surprise_full: f64,
    /// Episodes that no dream has replayed.
    pub unreplayed_full: f64,
    /// Mean arousal of episodes that no dream has calmed.
    pub arousal_full: f64,
    /// Loss of a day as a share of wealth.
    pub loss_full: f64,
    /// Virtual seconds between two steps of urgency. New episodes are looked at in every waking turn, each of them once.
    pub micro_consolidation_s: u64,
    /// Added by each step while something is unresolved.
    pub pattern_step: f64,
    /// Added by each step at a suffering of 1, and less at less.
    pub suffering_step: f64,
    /// Lost a turn while a precondition blocks.
    pub blocked_decay: f64,
    /// Put on every threshold while the market is active.
    pub active_market: f64,
}

impl Default for UrgencyConfig {
    fn default() -> Self {
        Self {
            surprise_full: 3.0,
            unreplayed_full: 50.0,
            arousal_full: 0.8,
            loss_full: 0.05,
            micro_consolidation_s: 60,
            pattern_step: 0.02,
            suffering_step: 0.01,
            blocked_decay: 0.1,
            active_market: 0.05,
        }
    }
}

impl UrgencyConfig {
    pub(super) fn problems(&self) -> Vec<Problem> {
        ranges(&[
            ("surprise_full", self.surprise_full, 0.1, 100.0),
            ("unreplayed_full", self.unreplayed_full, 1.0, 10_000.0),
            ("arousal_full", self.arousal_full, 0.05, 1.0),
            ("loss_full", self.loss_full, 0.001, 1.0),
            ("micro_consolidation_s", self.micro_consolidation_s as f64, 1.0, 86_400.0),
            ("pattern_step", self.pattern_step, 0.0, 1.0),
            ("suffering_step", self.suffering_step, 0.0, 1.0),
            ("blocked_decay", self.blocked_decay, 0.0, 1.0),
            ("active_market", self.active_market, 0.0, 0.2),
        ])
    }
}

/// `[dream.clocks]`: where the three clocks bend dreams.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DreamClocksConfig {
    /// Below so many hours of money: twice as often.
    pub hurry_below_h: f64,
    /// Below so many: consolidation alone.
    pub consolidate_below_h: f64,
    /// Below so many: no dreams.
    pub cease_below_h: f64,
    /// Below this fitness: what confused it most comes first.
    pub confused_below: f64,
    /// Above this share of the reference lifespan: what others can use comes first.
    pub legacy_above: f64,
    /// Above this one: everything is for those who come after.
    pub full_legacy_above: f64,
    /// The composite intensity of a golem whose clocks are all far away, in a cycle's usual work.
    pub base_rate: f64,
}

impl Default for DreamClocksConfig {
    fn default() -> Self {
        Self {
            hurry_below_h: 72.0,
            consolidate_below_h: 24.0,
            cease_below_h: 6.0,
            confused_below: 0.50,
            legacy_above: 0.70,
            full_legacy_above: 0.85,
            base_rate: 1.0,
        }
    }
}

impl DreamClocksConfig {
    pub(super) fn problems(&self) -> Vec<Problem> {
        let mut all = ranges(&[
            ("hurry_below_h", self.hurry_below_h, 0.0, 10_000.0),
            ("consolidate_below_h", self.consolidate_below_h, 0.0, 10_000.0),
            ("cease_below_h", self.cease_below_h, 0.0, 10_000.0),
            // At 0.30 a golem forecasts no better than a naive rule; confusion begins somewhere above it.
            ("confused_below", self.confused_below, 0.35, 1.0),
            ("legacy_above", self.legacy_above, 0.0, 10.0),
            ("full_legacy_above", self.full_legacy_above, 0.0, 10.0),
            ("base_rate", self.base_rate, 0.1, 2.0),
        ]);
        for (key, holds, message) in [
            ("hurry_below_h", self.hurry_below_h > self.consolidate_below_h, "must lie above consolidate_below_h"),
            ("consolidate_below_h", self.consolidate_below_h > self.cease_below_h, "must lie above cease_below_h"),
            ("full_legacy_above", self.full_legacy_above > self.legacy_above, "must lie above legacy_above"),
        ] {
            if !holds {
                all.push(Problem::new(key, message));
            }
        }
        all
    }
}

/// `[dream.first_dream]`: episodes before the first dream; fewer make no pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FirstDreamThresholds {
    pub thriving: u64,
    pub stable: u64,
    pub conservation: u64,
    pub declining: u64,
}

impl Default for FirstDreamThresholds {
    fn default() -> Self {
        Self { thriving: 200, stable: 150, conservation: 100, declining: 50 }
    }
}

impl FirstDreamThresholds {
    /// The least number of episodes; a terminal golem has none, since another rule keeps it awake.
    #[must_use]
    pub fn of(&self, phase: BehavioralPhase) -> u64 {
        match phase {
            BehavioralPhase::Thriving => self.thriving,
            BehavioralPhase::Stable => self.stable,
            BehavioralPhase::Conservation => self.conservation,
            BehavioralPhase::Declining => self.declining,
            BehavioralPhase::Terminal => 0,
        }
    }
    pub(super) fn problems(&self) -> Vec<Problem> {
        ranges(&[
            ("thriving", self.thriving as f64, 1.0, 1_000_000.0),
            ("stable", self.stable as f64, 1.0, 1_000_000.0),
            ("conservation", self.conservation as f64, 1.0, 1_000_000.0),
            ("declining", self.declining as f64, 1.0, 1_000_000.0),
        ])
    }
}

//! How much it needs to dream: six inputs, weighed by the phase of life, and what builds up on top of them.
//!
//! The pure value is a function of the moment. The build-up grows while something stays unresolved or hurts, shrinks
//! only while a precondition keeps it awake, and is gone after a dream.

use crate::config::{DreamConfig, UrgencyConfig};
use crate::seen::DreamSeen;
use golem_mortality::BehavioralPhase;
use serde::{Deserialize, Serialize};

/// What urgency is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UrgencyInput {
    /// Expectations are wrong now.
    Novelty,
    /// Episodes wait to be replayed.
    Consolidation,
    /// Something still agitates it.
    Emotional,
    /// It has lost money.
    Threat,
    /// Its forecasts are poor.
    Epistemic,
    /// It has not dreamt for long.
    Temporal,
    /// New episodes do not fit what it believes: built up.
    Patterns,
    /// It suffers: built up.
    Suffering,
}

impl UrgencyInput {
    pub const ALL: [Self; 8] = [
        Self::Novelty,
        Self::Consolidation,
        Self::Emotional,
        Self::Threat,
        Self::Epistemic,
        Self::Temporal,
        Self::Patterns,
        Self::Suffering,
    ];

    /// The seed's word for it as the trigger of a dream.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Consolidation | Self::Temporal => "time",
            Self::Emotional | Self::Threat | Self::Suffering => "emotional_load",
            Self::Novelty | Self::Epistemic | Self::Patterns => "novelty_streak",
        }
    }
}

/// How a phase of life weighs the six inputs, after how many turns the wish to sleep has come most of the way, and from
/// where on it dreams by itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UrgencyRow {
    /// In the order of [`UrgencyInput`]: novelty, consolidation, emotional, threat, epistemic, temporal.
    pub weights: [f64; 6],
    pub natural_period: f64,
    pub opens_at: f64,
}

const THRIVING: UrgencyRow =
    UrgencyRow { weights: [0.25, 0.30, 0.10, 0.10, 0.05, 0.20], natural_period: 400.0, opens_at: 0.80 };
const STABLE: UrgencyRow =
    UrgencyRow { weights: [0.22, 0.30, 0.10, 0.10, 0.08, 0.20], natural_period: 300.0, opens_at: 0.70 };
const CONSERVATION: UrgencyRow =
    UrgencyRow { weights: [0.18, 0.25, 0.12, 0.13, 0.12, 0.20], natural_period: 250.0, opens_at: 0.60 };
/// Little time is left: waiting weighs most, and what is new more than what is old.
const DECLINING: UrgencyRow =
    UrgencyRow { weights: [0.20, 0.15, 0.10, 0.10, 0.15, 0.30], natural_period: 150.0, opens_at: 0.60 };

impl UrgencyRow {
    /// A terminal golem has none: it does not wish for sleep.
    #[must_use]
    pub fn of(phase: BehavioralPhase) -> Option<&'static Self> {
        match phase {
            BehavioralPhase::Thriving => Some(&THRIVING),
            BehavioralPhase::Stable => Some(&STABLE),
            BehavioralPhase::Conservation => Some(&CONSERVATION),
            BehavioralPhase::Declining => Some(&DECLINING),
            BehavioralPhase::Terminal => None,
        }
    }
}

/// `x` as a share of where it counts in full. What is not a number counts for nothing.
fn saturated(x: f64, full: f64) -> f64 {
    let share = x / full;
    if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
}

/// The six inputs, each from 0 to 1, in the order of [`UrgencyInput`].
#[must_use]
pub fn urgency_inputs(seen: &DreamSeen, since_dream: u64, natural_period: f64, config: &UrgencyConfig) -> [f64; 6] {
    [
        saturated(seen.surprise, config.surprise_full),
        saturated(f64::from(seen.unreplayed), config.unreplayed_full),
        saturated(seen.unresolved_arousal, config.arousal_full),
        saturated(seen.recent_loss, config.loss_full),
        saturated(1.0 - seen.fitness, 1.0),
        saturated(-libm::expm1(-(since_dream as f64) / natural_period), 1.0),
    ]
}

/// Urgency with where it comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DreamUrgency {
    /// What each input adds, in the order of [`UrgencyInput::ALL`].
    pub parts: [f64; 8],
    /// From 0 to 1.
    pub value: f64,
}

impl DreamUrgency {
    /// The input that adds most; the first of equals.
    #[must_use]
    pub fn largest(&self) -> UrgencyInput {
        let best = self.parts.iter().zip(UrgencyInput::ALL).rev().max_by(|a, b| a.0.total_cmp(b.0));
        best.map_or(UrgencyInput::Temporal, |(_, input)| input)
    }
}

/// The seed's `dream_urgency`: the pure value. Nothing in Terminal.
#[must_use]
pub fn dream_urgency(seen: &DreamSeen, since_dream: u64, config: &UrgencyConfig) -> DreamUrgency {
    let mut parts = [0.0; 8];
    if let Some(row) = UrgencyRow::of(seen.phase) {
        let inputs = urgency_inputs(seen, since_dream, row.natural_period, config);
        for (part, (weight, input)) in parts.iter_mut().zip(row.weights.iter().zip(inputs)) {
            *part = weight * input;
        }
    }
    DreamUrgency { parts, value: parts.iter().sum::<f64>().clamp(0.0, 1.0) }
}

/// The urgency from which a golem dreams by itself: the smaller of the phase's and the owner's, and more while the
/// market is active, when sleeping costs most. None in Terminal.
#[must_use]
pub fn opens_at(phase: BehavioralPhase, market_active: bool, config: &DreamConfig) -> Option<f64> {
    let row = UrgencyRow::of(phase)?;
    let added = if market_active { config.urgency.active_market } else { 0.0 };
    Some(row.opens_at.min(config.schedule.autonomous_threshold) + added)
}

/// What has built up on top of the pure value.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct UrgencyBuildUp {
    patterns: f64,
    suffering: f64,
    /// The number of the latest look at new episodes.
    look: u64,
}

impl UrgencyBuildUp {
    /// One turn: it grows at a look, or shrinks while a precondition blocks. At most one look counts a turn, however
    /// long the turn: there was nothing new in between.
    pub fn turn(&mut self, seen: &DreamSeen, pure: f64, blocked: bool, config: &UrgencyConfig) {
        let look = seen.now.0 / config.micro_consolidation_s.max(1).saturating_mul(1_000);
        let looked = look > self.look;
        self.look = look;
        if blocked {
            self.scale_to(self.height() - config.blocked_decay);
        } else if looked {
            self.patterns += if seen.unresolved_patterns { config.pattern_step.max(0.0) } else { 0.0 };
            self.suffering += saturated(seen.suffering, 1.0) * config.suffering_step.max(0.0);
        }
        // What lies above 1 is not kept: it would have to decay before anyone saw it.
        self.scale_to(self.height().min(1.0 - pure));
    }
    /// After a dream it is gone.
    pub fn slept(&mut self) {
        (self.patterns, self.suffering) = (0.0, 0.0);
    }
    /// The pure value with what has built up.
    #[must_use]
    pub fn on_top_of(&self, mut pure: DreamUrgency) -> DreamUrgency {
        (pure.parts[6], pure.parts[7]) = (self.patterns, self.suffering);
        pure.value = (pure.value + self.height()).clamp(0.0, 1.0);
        pure
    }
    fn height(&self) -> f64 {
        self.patterns + self.suffering
    }
    fn scale_to(&mut self, height: f64) {
        let was = self.height();
        let factor = if was > 0.0 { (height / was).clamp(0.0, 1.0) } else { 0.0 };
        (self.patterns, self.suffering) = (self.patterns * factor, self.suffering * factor);
    }
}

#[cfg(test)]
mod tests;

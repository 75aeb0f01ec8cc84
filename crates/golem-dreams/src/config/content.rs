//! What a dream is about: which episodes are replayed, and how much is imagined.

use golem_core::Problem;
use golem_core::problem::ranges;
use serde::{Deserialize, Serialize};

/// What is replayed first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayPrioritization {
    /// What there is to gain from it, times how much it is needed.
    #[default]
    Utility,
    /// The latest.
    Recency,
    /// What was expected least.
    Surprise,
    /// Any, with the same chance.
    Uniform,
}

/// What there is to gain from an episode: weights of what it was.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GainWeights {
    pub surprise: f64,
    pub pnl: f64,
    pub regret: f64,
}

impl Default for GainWeights {
    fn default() -> Self {
        Self { surprise: 0.4, pnl: 0.3, regret: 0.3 }
    }
}

/// How much an episode is needed: weights of what it has to do with now.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NeedWeights {
    pub similarity: f64,
    pub regime: f64,
    pub recency: f64,
}

impl Default for NeedWeights {
    fn default() -> Self {
        Self { similarity: 0.4, regime: 0.3, recency: 0.3 }
    }
}

/// `[dream.replay]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReplayConfig {
    /// The most episodes of a batch.
    #[serde(alias = "batchSize")]
    pub batch_size: u32,
    pub prioritization: ReplayPrioritization,
    /// Share of replays with something changed.
    #[serde(alias = "perturbationRate")]
    pub perturbation_rate: f64,
    pub gain: GainWeights,
    pub need: NeedWeights,
    /// What another weather's episode has of the weight for the regime.
    pub other_regime: f64,
    /// Episodes at or below this utility are not replayed.
    pub utility_floor: f64,
    pub recency_half_life_h: f64,
    /// How long a replay makes the next one of the same episode less useful.
    pub spacing_half_life_h: f64,
    /// What is left of the gain after each replay.
    pub replay_decay: f64,
    /// Factor for what the curator marked.
    pub priority_boost: f64,
    /// Share of places for the sake of variety.
    pub diversity_share: f64,
    /// Days of weather that variety looks back on.
    pub diversity_days: f64,
    /// Added to an episode's strength by a replay.
    pub strength_step: f64,
}

impl Default for ReplayConfig {
    fn default() -> Self {
        Self {
            batch_size: 10,
            prioritization: ReplayPrioritization::Utility,
            perturbation_rate: 0.3,
            gain: GainWeights::default(),
            need: NeedWeights::default(),
            other_regime: 0.3,
            utility_floor: 0.1,
            recency_half_life_h: 24.0,
            spacing_half_life_h: 6.0,
            replay_decay: 0.85,
            priority_boost: 2.0,
            diversity_share: 0.2,
            diversity_days: 30.0,
            strength_step: 0.5,
        }
    }
}

impl ReplayConfig {
    pub(super) fn problems(&self) -> Vec<Problem> {
        let mut all = ranges(&[
            ("batch_size", f64::from(self.batch_size), 5.0, 20.0),
            ("perturbation_rate", self.perturbation_rate, 0.0, 1.0),
            ("gain.surprise", self.gain.surprise, 0.0, 1.0),
            ("gain.pnl", self.gain.pnl, 0.0, 1.0),
            ("gain.regret", self.gain.regret, 0.0, 1.0),
            ("need.similarity", self.need.similarity, 0.0, 1.0),
            ("need.regime", self.need.regime, 0.0, 1.0),
            ("need.recency", self.need.recency, 0.0, 1.0),
            ("other_regime", self.other_regime, 0.0, 1.0),
            ("utility_floor", self.utility_floor, 0.0, 1.0),
            ("recency_half_life_h", self.recency_half_life_h, 0.01, 10_000.0),
            ("spacing_half_life_h", self.spacing_half_life_h, 0.01, 10_000.0),
            ("replay_decay", self.replay_decay, 0.0, 1.0),
            ("priority_boost", self.priority_boost, 1.0, 10.0),
            ("diversity_share", self.diversity_share, 0.0, 0.2),
            ("diversity_days", self.diversity_days, 0.0, 10_000.0),
            ("strength_step", self.strength_step, 0.0, 1.0),
        ]);
        for (key, sum) in [
            ("gain", self.gain.surprise + self.gain.pnl + self.gain.regret),
            ("need", self.need.similarity + self.need.regime + self.need.recency),
        ] {
            if (sum - 1.0).abs() > 1e-9 {
                all.push(Problem::new(key, format!("the weights sum to {sum}; they must sum to 1")));
            }
        }
        all
    }
}

/// `[dream.imagination]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImaginationConfig {
    /// The most alternatives to one decision.
    #[serde(alias = "counterfactualDepth")]
    pub counterfactual_depth: u32,
    #[serde(alias = "creativeSessions")]
    pub creative_sessions: u32,
    #[serde(alias = "threatScenarios")]
    pub threat_scenarios: u32,
    /// How freely a model imagines.
    #[serde(alias = "explorationTemperature")]
    pub exploration_temperature: f64,
    /// Executed counterfactuals of a core cycle.
    pub core_counterfactuals: u32,
    /// Executed threats of a core cycle.
    pub core_threats: u32,
    /// What is left of an episode's arousal after each cycle that calms it.
    pub depotentiation: f64,
    /// A hypothesis nearer than this to one that exists is a duplicate.
    pub duplicate_similarity: f64,
}

impl Default for ImaginationConfig {
    fn default() -> Self {
        Self {
            counterfactual_depth: 2,
            creative_sessions: 2,
            threat_scenarios: 3,
            exploration_temperature: 0.7,
            core_counterfactuals: 8,
            core_threats: 2,
            depotentiation: 0.6,
            duplicate_similarity: 0.85,
        }
    }
}

impl ImaginationConfig {
    pub(super) fn problems(&self) -> Vec<Problem> {
        ranges(&[
            ("counterfactual_depth", f64::from(self.counterfactual_depth), 0.0, 10.0),
            ("creative_sessions", f64::from(self.creative_sessions), 0.0, 20.0),
            ("threat_scenarios", f64::from(self.threat_scenarios), 0.0, 15.0),
            ("exploration_temperature", self.exploration_temperature, 0.0, 2.0),
            ("core_counterfactuals", f64::from(self.core_counterfactuals), 0.0, 8.0),
            ("core_threats", f64::from(self.core_threats), 0.0, 2.0),
            ("depotentiation", self.depotentiation, 0.0, 1.0),
            ("duplicate_similarity", self.duplicate_similarity, 0.0, 1.0),
        ])
    }
}

//! `[mortality.affect]`: what an owner can change about what the golem feels, and what that may colour. Read by the affect
//! room.

use golem_core::problem::ranges;
use golem_core::{Elapsed, Problem};
use serde::{Deserialize, Serialize};

/// How events are appraised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AppraisalModel {
    /// A model, checked against the rules.
    ChainOfEmotion,
    /// Rules alone.
    #[default]
    RuleBased,
    /// None.
    Disabled,
}

/// Where a personality comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Temperament {
    /// From the settings: every golem with these is alike.
    #[default]
    Given,
    /// From the golem's own dice, at birth: no two of a fleet are alike.
    Drawn,
}

/// `[mortality.affect]`, the whole of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AffectConfig {
    /// Whether anything is felt.
    pub enabled: bool,
    /// Who appraises: rules, a model that the rules check, or nobody.
    pub appraisal_model: AppraisalModel,
    /// How much of the mood is left after an emotion.
    pub mood_decay_rate: f64,
    /// Whether the golem's own mortality is felt.
    pub mortality_aware_affect: bool,
    /// How long a sibling's death is grieved for, in nominal ticks.
    pub grief_duration_ticks: u64,
    /// Whether the personality is given, or drawn at birth.
    pub temperament: Temperament,
    /// The baseline that moods return to.
    pub personality: Personality,
    /// What may be coloured.
    pub channels: ChannelSwitches,
}

impl Default for AffectConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            appraisal_model: AppraisalModel::RuleBased,
            mood_decay_rate: 0.95,
            mortality_aware_affect: true,
            grief_duration_ticks: 100,
            temperament: Temperament::Given,
            personality: Personality::default(),
            channels: ChannelSwitches::default(),
        }
    }
}

/// `[mortality.affect.personality]`: a point of its own for every golem.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Personality {
    /// From -1 to 1.
    pub pleasure: f64,
    /// From -1 to 1.
    pub arousal: f64,
    /// From -1 to 1.
    pub dominance: f64,
}

/// `[mortality.affect.channels]`: each can be switched off alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ChannelSwitches {
    /// How much is tried.
    pub exploration: bool,
    /// How large sizes are.
    pub risk: bool,
    /// How much is thought.
    pub tier: bool,
    /// How much is shared.
    pub sharing: bool,
    /// What is dreamt.
    pub dreams: bool,
}

impl Default for ChannelSwitches {
    fn default() -> Self {
        Self { exploration: true, risk: true, tier: true, sharing: true, dreams: true }
    }
}

impl AffectConfig {
    /// Whether anything is felt at all.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.enabled && self.appraisal_model != AppraisalModel::Disabled
    }
    /// The decay rate within its range: a state must stay sound under any configuration.
    #[must_use]
    pub fn decay(&self) -> f64 {
        if self.mood_decay_rate.is_nan() { 0.95 } else { self.mood_decay_rate.clamp(0.80, 0.99) }
    }
    /// How long grief lasts.
    #[must_use]
    pub fn grief(&self) -> Elapsed {
        Elapsed::nominal(self.grief_duration_ticks.clamp(10, 500))
    }
    /// Every problem with these settings, with the key it belongs to.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let both = self.temperament == Temperament::Drawn && self.personality != Personality::default();
        let message = "a personality is drawn or given, not both; leave out the personality, or write \"given\"";
        let both = both.then(|| Problem::new("temperament", message));
        let mut all = ranges(&[
            ("mood_decay_rate", self.mood_decay_rate, 0.80, 0.99),
            ("grief_duration_ticks", self.grief_duration_ticks as f64, 10.0, 500.0),
            ("personality.pleasure", self.personality.pleasure, -1.0, 1.0),
            ("personality.arousal", self.personality.arousal, -1.0, 1.0),
            ("personality.dominance", self.personality.dominance, -1.0, 1.0),
        ]);
        all.extend(both);
        all
    }
}

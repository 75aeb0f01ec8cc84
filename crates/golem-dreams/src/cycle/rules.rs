//! The numbers of a dream: what an owner chose, and the usual for the rest.

use crate::anticipate::AnticipationRules;
use crate::config::{DreamConfig, ReplayConfig, ReplayPrioritization};
use crate::imagine::ImaginationParams;
use crate::liminal::OnsetParams;
use crate::replay::{Prioritization, ReplayRules};

/// All of them.
#[derive(Debug, Clone, PartialEq)]
pub struct DreamRules {
    pub replay: ReplayRules,
    pub imagination: ImaginationParams,
    pub anticipation: AnticipationRules,
    pub onset: OnsetParams,
}

impl DreamRules {
    /// By these settings.
    #[must_use]
    pub fn of(config: &DreamConfig) -> Self {
        Self {
            replay: replay(&config.replay),
            imagination: ImaginationParams::of(&config.imagination, &config.consolidation),
            anticipation: AnticipationRules::default(),
            onset: OnsetParams::default(),
        }
    }
}

fn replay(chosen: &ReplayConfig) -> ReplayRules {
    ReplayRules {
        batch_size: chosen.batch_size,
        prioritization: match chosen.prioritization {
            ReplayPrioritization::Utility => Prioritization::Utility,
            ReplayPrioritization::Recency => Prioritization::Recency,
            ReplayPrioritization::Surprise => Prioritization::Surprise,
            ReplayPrioritization::Uniform => Prioritization::Uniform,
        },
        perturbation_rate: chosen.perturbation_rate,
        gain_surprise: chosen.gain.surprise,
        gain_pnl: chosen.gain.pnl,
        gain_regret: chosen.gain.regret,
        need_similarity: chosen.need.similarity,
        need_regime: chosen.need.regime,
        need_recency: chosen.need.recency,
        other_regime: chosen.other_regime,
        recency_half_life_h: chosen.recency_half_life_h,
        spacing_half_life_h: chosen.spacing_half_life_h,
        replay_decay: chosen.replay_decay,
        priority_factor: chosen.priority_boost,
        least_utility: chosen.utility_floor,
        diversity_share: chosen.diversity_share,
        diversity_days: chosen.diversity_days,
        ..ReplayRules::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_who_chose_nothing_gets_the_usual() {
        let rules = DreamRules::of(&DreamConfig::default());
        assert_eq!(rules.replay, ReplayRules::default());
        assert_eq!(rules.imagination, ImaginationParams::default());
    }
}

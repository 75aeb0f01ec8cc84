//! The numbers of replay: what an owner chose, and the usual for the rest.

use crate::config::{ReplayConfig, ReplayPrioritization};

/// The numbers of replay.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayRules {
    pub prioritization: ReplayPrioritization,
    /// The share of replays with something changed.
    pub perturbation_rate: f64,

    /// What gain is made of.
    pub gain_surprise: f64,
    pub gain_pnl: f64,
    pub gain_regret: f64,
    /// What need is made of.
    pub need_similarity: f64,
    pub need_regime: f64,
    pub need_recency: f64,
    /// How well another regime than today's matches; the same one matches by 1.
    pub other_regime: f64,
    pub recency_half_life_h: f64,
    /// How much a replay that has just been takes from the next, and how fast that wears off.
    pub spacing_depth: f64,
    pub spacing_half_life_h: f64,
    /// What is left of the gain after each replay.
    pub replay_decay: f64,
    /// What a mark for dreams, and a likeness to something that somebody died of, multiply by.
    pub priority_factor: f64,
    pub bloodstain_factor: f64,
    /// Utility above which an episode is worth replaying.
    pub least_utility: f64,

    /// The share of slots that are kept for what utility would never choose.
    pub diversity_share: f64,
    pub diversity_days: f64,
    pub high_arousal: f64,

    /// What an act gets of an outcome, over what the act after it gets.
    pub credit_lambda: f64,
    /// Walks back along closed trades in one cycle.
    pub reverse_replays: u32,

    /// Steps over which an act is run with and without a change.
    pub perturb_steps: u32,
    /// An act is fragile when the change costs more than this, in basis points of wealth.
    pub fragile_bps: u32,

    /// Utility from which a validated episode is preserved.
    pub preserve_from: f64,
    /// Utility below which an episode may go, and replays after which one that brought nothing does.
    pub forget_below: f64,
    pub forget_after: u32,
    /// Episodes are alike above this cosine, and so many alike ones are a rule.
    pub alike_above: f64,
    pub alike_least: u32,

    /// What a pattern needs: episodes, the share of them on the same side, standard errors from the rest.
    pub pattern_least: u32,
    pub pattern_agree: f64,
    pub pattern_errors: f64,
}

impl Default for ReplayRules {
    fn default() -> Self {
        Self::of(&ReplayConfig::default())
    }
}

impl ReplayRules {
    /// By an owner's settings.
    #[must_use]
    pub fn of(chosen: &ReplayConfig) -> Self {
        Self {
            prioritization: chosen.prioritization,
            perturbation_rate: chosen.perturbation_rate,
            gain_surprise: chosen.gain.surprise,
            gain_pnl: chosen.gain.pnl,
            gain_regret: chosen.gain.regret,
            need_similarity: chosen.need.similarity,
            need_regime: chosen.need.regime,
            need_recency: chosen.need.recency,
            other_regime: chosen.other_regime,
            recency_half_life_h: chosen.recency_half_life_h,
            spacing_depth: 0.5,
            spacing_half_life_h: chosen.spacing_half_life_h,
            replay_decay: chosen.replay_decay,
            priority_factor: chosen.priority_boost,
            bloodstain_factor: 1.2,
            least_utility: chosen.utility_floor,
            diversity_share: chosen.diversity_share,
            diversity_days: chosen.diversity_days,
            high_arousal: 0.5,
            credit_lambda: 0.7,
            reverse_replays: 10,
            perturb_steps: 90,
            fragile_bps: 10,
            preserve_from: 0.3,
            forget_below: 0.2,
            forget_after: 3,
            alike_above: 0.8,
            alike_least: 3,
            pattern_least: 5,
            pattern_agree: 0.75,
            pattern_errors: 2.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{GainWeights, NeedWeights};

    /// Each key of `[dream.replay]` is the number of its own rule, and of no other.
    #[test]
    fn what_an_owner_chose_holds() {
        let r = ReplayRules::of(&ReplayConfig {
            batch_size: 7,
            prioritization: ReplayPrioritization::Surprise,
            perturbation_rate: 0.01,
            gain: GainWeights { surprise: 0.02, pnl: 0.03, regret: 0.95 },
            need: NeedWeights { similarity: 0.04, regime: 0.05, recency: 0.91 },
            other_regime: 0.06,
            utility_floor: 0.07,
            recency_half_life_h: 8.0,
            spacing_half_life_h: 9.0,
            replay_decay: 0.10,
            priority_boost: 1.1,
            diversity_share: 0.12,
            diversity_days: 13.0,
            strength_step: 0.14,
        });
        assert_eq!(r.prioritization, ReplayPrioritization::Surprise);
        let is = [
            r.perturbation_rate,
            r.gain_surprise,
            r.gain_pnl,
            r.gain_regret,
            r.need_similarity,
            r.need_regime,
            r.need_recency,
            r.other_regime,
            r.least_utility,
            r.recency_half_life_h,
            r.spacing_half_life_h,
            r.replay_decay,
            r.priority_factor,
            r.diversity_share,
            r.diversity_days,
        ];
        let wanted = [0.01, 0.02, 0.03, 0.95, 0.04, 0.05, 0.91, 0.06, 0.07, 8.0, 9.0, 0.10, 1.1, 0.12, 13.0];
        assert!(is.iter().zip(wanted).all(|(is, wanted)| (is - wanted).abs() < 1e-12), "{r:?}");
    }

    #[test]
    fn the_numbers_of_the_decision_are_the_default() {
        let r = ReplayRules::default();
        assert_eq!((r.prioritization, r.fragile_bps), (ReplayPrioritization::Utility, 10));
        let gain_and_need =
            [r.gain_surprise, r.gain_pnl, r.gain_regret, r.need_similarity, r.need_regime, r.need_recency];
        let rest = [r.other_regime, r.replay_decay, r.priority_factor, r.least_utility, r.diversity_share];
        let times = [r.recency_half_life_h, r.spacing_half_life_h, r.spacing_depth, r.diversity_days, r.credit_lambda];
        let marks = [r.bloodstain_factor, r.perturbation_rate];
        let all = gain_and_need.iter().chain(&rest).chain(&times).chain(&marks);
        let expected = [0.4, 0.3, 0.3, 0.4, 0.3, 0.3, 0.3, 0.85, 2.0, 0.1, 0.2, 24.0, 6.0, 0.5, 30.0, 0.7, 1.2, 0.3];
        assert!(all.zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{r:?}");
    }
}

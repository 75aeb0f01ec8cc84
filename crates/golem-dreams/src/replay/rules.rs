//! `[dream.replay]`: how much is replayed, in which order, and every constant of the rules of replay, for an owner to
//! change.

use golem_core::Problem;
use golem_core::problem::ranges;
use serde::{Deserialize, Serialize};

/// What decides which episodes are replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prioritization {
    /// What there is to learn from it, times how likely that is to be needed.
    #[default]
    Utility,
    /// The latest first.
    Recency,
    /// What was least expected first.
    Surprise,
    /// By dice.
    Uniform,
}

/// The numbers of replay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReplayRules {
    /// The most episodes of one cycle.
    #[serde(alias = "batchSize")]
    pub batch_size: u32,
    pub prioritization: Prioritization,
    /// The share of replays with something changed.
    #[serde(alias = "perturbationRate")]
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
    /// Below this fitness, what confused it comes first; above this age, what an heir could use does.
    pub confused_below: f64,
    pub legacy_above: f64,

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
        Self {
            batch_size: 10,
            prioritization: Prioritization::Utility,
            perturbation_rate: 0.3,
            gain_surprise: 0.4,
            gain_pnl: 0.3,
            gain_regret: 0.3,
            need_similarity: 0.4,
            need_regime: 0.3,
            need_recency: 0.3,
            other_regime: 0.3,
            recency_half_life_h: 24.0,
            spacing_depth: 0.5,
            spacing_half_life_h: 6.0,
            replay_decay: 0.85,
            priority_factor: 2.0,
            bloodstain_factor: 1.2,
            least_utility: 0.1,
            diversity_share: 0.2,
            diversity_days: 30.0,
            high_arousal: 0.5,
            confused_below: 0.5,
            legacy_above: 0.7,
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

impl ReplayRules {
    /// Every number that is out of its range, by key.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let count = f64::from;
        ranges(&[
            ("batch_size", count(self.batch_size), 1.0, 20.0),
            ("perturbation_rate", self.perturbation_rate, 0.0, 1.0),
            ("gain_surprise", self.gain_surprise, 0.0, 1.0),
            ("gain_pnl", self.gain_pnl, 0.0, 1.0),
            ("gain_regret", self.gain_regret, 0.0, 1.0),
            ("need_similarity", self.need_similarity, 0.0, 1.0),
            ("need_regime", self.need_regime, 0.0, 1.0),
            ("need_recency", self.need_recency, 0.0, 1.0),
            ("other_regime", self.other_regime, 0.0, 1.0),
            ("recency_half_life_h", self.recency_half_life_h, 0.1, 10_000.0),
            ("spacing_depth", self.spacing_depth, 0.0, 1.0),
            ("spacing_half_life_h", self.spacing_half_life_h, 0.1, 10_000.0),
            ("replay_decay", self.replay_decay, 0.0, 1.0),
            ("priority_factor", self.priority_factor, 1.0, 10.0),
            ("bloodstain_factor", self.bloodstain_factor, 1.0, 10.0),
            ("least_utility", self.least_utility, 0.0, 1.0),
            ("diversity_share", self.diversity_share, 0.0, 0.2),
            ("diversity_days", self.diversity_days, 1.0, 365.0),
            ("high_arousal", self.high_arousal, 0.0, 1.0),
            ("confused_below", self.confused_below, 0.0, 1.0),
            ("legacy_above", self.legacy_above, 0.0, 1.0),
            ("credit_lambda", self.credit_lambda, 0.01, 1.0),
            ("reverse_replays", count(self.reverse_replays), 0.0, 100.0),
            ("perturb_steps", count(self.perturb_steps), 1.0, count(golem_core::door::MOST_FORK_STEPS)),
            ("fragile_bps", count(self.fragile_bps), 1.0, 10_000.0),
            ("preserve_from", self.preserve_from, 0.0, 1.0),
            ("forget_below", self.forget_below, 0.0, 1.0),
            ("forget_after", count(self.forget_after), 1.0, 1_000.0),
            ("alike_above", self.alike_above, 0.0, 1.0),
            ("alike_least", count(self.alike_least), 1.0, 1_000.0),
            ("pattern_least", count(self.pattern_least), 5.0, 1_000.0),
            ("pattern_agree", self.pattern_agree, 0.5, 1.0),
            ("pattern_errors", self.pattern_errors, 1.0, 10.0),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_the_decision_are_the_default() {
        let written = toml::to_string(&ReplayRules::default()).unwrap();
        for line in [
            "batch_size = 10",
            "prioritization = \"utility\"",
            "perturbation_rate = 0.3",
            "gain_surprise = 0.4",
            "gain_pnl = 0.3",
            "gain_regret = 0.3",
            "need_similarity = 0.4",
            "need_regime = 0.3",
            "need_recency = 0.3",
            "other_regime = 0.3",
            "recency_half_life_h = 24.0",
            "spacing_depth = 0.5",
            "spacing_half_life_h = 6.0",
            "replay_decay = 0.85",
            "priority_factor = 2.0",
            "bloodstain_factor = 1.2",
            "least_utility = 0.1",
            "diversity_share = 0.2",
            "diversity_days = 30.0",
            "confused_below = 0.5",
            "legacy_above = 0.7",
            "credit_lambda = 0.7",
            "fragile_bps = 10",
        ] {
            assert!(written.lines().any(|l| l == line), "{line} is not in\n{written}");
        }
        assert_eq!(toml::from_str::<ReplayRules>(&written).unwrap(), ReplayRules::default());
        assert_eq!(ReplayRules::default().problems(), Vec::new());
    }

    #[test]
    fn the_seeds_spelling_is_read() {
        let rules: ReplayRules =
            toml::from_str("batchSize = 7\nperturbationRate = 0.5\nprioritization = \"surprise\"").unwrap();
        assert_eq!((rules.batch_size, rules.prioritization), (7, Prioritization::Surprise));
        assert!((rules.perturbation_rate - 0.5).abs() < 1e-12);
        for word in ["utility", "recency", "surprise", "uniform"] {
            assert!(toml::from_str::<ReplayRules>(&format!("prioritization = \"{word}\"")).is_ok(), "{word}");
        }
    }

    #[test]
    fn what_is_out_of_range_is_named() {
        let wild = ReplayRules {
            diversity_share: 0.21,
            batch_size: 21,
            replay_decay: f64::NAN,
            pattern_least: 4,
            ..ReplayRules::default()
        };
        let keys: Vec<String> = wild.problems().into_iter().map(|p| p.key).collect();
        assert_eq!(keys, ["batch_size", "replay_decay", "diversity_share", "pattern_least"]);
    }
}

//! The numbers of imagination that an owner may change: `[dream.imagination]`.

use crate::calm::DepotentiationParams;
use crate::config::{DreamConsolidationConfig, ImaginationConfig};
use golem_core::Problem;
use golem_core::door::MOST_FORK_STEPS;
use golem_core::problem::ranges;
use serde::{Deserialize, Serialize};

/// How much is imagined, and by which measures it counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImaginationParams {
    /// Alternatives for each decision.
    #[serde(alias = "counterfactualDepth")]
    pub counterfactual_depth: u32,
    /// Creative sessions in a cycle.
    #[serde(alias = "creativeSessions")]
    pub creative_sessions: u32,
    /// Threats lived through in a cycle.
    #[serde(alias = "threatScenarios")]
    pub threat_scenarios: u32,
    /// How freely a model speaks.
    #[serde(alias = "explorationTemperature")]
    pub exploration_temperature: f64,
    /// Runs that counterfactuals may take in a cycle without a model, those of what was really done included.
    pub core_counterfactual_runs: u32,
    /// Threats lived through in a cycle without a model.
    pub core_threats: u32,
    /// Steps after which a counterfactual is looked at.
    pub horizon_steps: u32,
    /// A path shorter than this says nothing.
    pub least_steps: u32,
    /// Steps by which "later" is later.
    pub later_steps: u32,
    /// Nominal ticks between findings that count as independent.
    pub independent_ticks: u32,
    /// Independent findings that a hypothesis takes.
    pub least_findings: u32,
    /// A mean below this many basis points of wealth is nothing.
    pub least_better_bps: f64,
    /// Confidence that a hypothesis begins with.
    pub hypothesis_confidence: f64,
    /// Confidence that a changed assumption begins with.
    pub transformational_confidence: f64,
    /// Confidence that a guard against a threat begins with.
    pub guard_confidence: f64,
    /// More alike than this to a hypothesis that exists, and it is none.
    pub same_above: f32,
    pub tuning: TuningParams,
    pub depotentiation: DepotentiationParams,
}

impl Default for ImaginationParams {
    fn default() -> Self {
        Self {
            counterfactual_depth: 2,
            creative_sessions: 2,
            threat_scenarios: 3,
            exploration_temperature: 0.7,
            core_counterfactual_runs: 8,
            core_threats: 2,
            horizon_steps: 90,
            least_steps: 15,
            later_steps: 15,
            independent_ticks: 90,
            least_findings: 3,
            least_better_bps: 1.0,
            hypothesis_confidence: 0.2,
            transformational_confidence: 0.1,
            guard_confidence: 0.3,
            same_above: 0.85,
            tuning: TuningParams::default(),
            depotentiation: DepotentiationParams::default(),
        }
    }
}

/// How other parameters are tried over the path that was lived.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TuningParams {
    /// Nominal ticks of one stretch. Stretches do not overlap, so that each is new evidence.
    pub stretch_ticks: u32,
    /// How far back a stretch may begin.
    pub look_back_ticks: u32,
    /// What earlier evidence still counts when new evidence comes.
    pub keep: f64,
    /// How many standard errors better the best value must be to be proposed.
    pub clear_errors: f64,
    /// Stretches, as many as their weights come to, that a proposal takes.
    pub least_stretches: f64,
}

impl Default for TuningParams {
    fn default() -> Self {
        Self { stretch_ticks: 360, look_back_ticks: 6_480, keep: 0.95, clear_errors: 3.0, least_stretches: 3.0 }
    }
}

impl ImaginationParams {
    /// What an owner chose, and the usual for the rest.
    #[must_use]
    pub fn of(chosen: &ImaginationConfig, consolidation: &DreamConsolidationConfig) -> Self {
        let usual = Self::default();
        let depotentiation =
            DepotentiationParams { keep: chosen.depotentiation as f32, ..usual.depotentiation.clone() };
        Self {
            counterfactual_depth: chosen.counterfactual_depth,
            creative_sessions: chosen.creative_sessions,
            threat_scenarios: chosen.threat_scenarios,
            exploration_temperature: chosen.exploration_temperature,
            core_counterfactual_runs: chosen.core_counterfactuals,
            core_threats: chosen.core_threats,
            same_above: chosen.duplicate_similarity as f32,
            hypothesis_confidence: consolidation.hypothesis_confidence,
            depotentiation,
            ..usual
        }
    }
    /// Every problem with it, by key.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let most = f64::from(MOST_FORK_STEPS);
        let mut all = ranges(&[
            ("counterfactual_depth", f64::from(self.counterfactual_depth), 0.0, 12.0),
            ("creative_sessions", f64::from(self.creative_sessions), 0.0, 16.0),
            ("threat_scenarios", f64::from(self.threat_scenarios), 0.0, 15.0),
            ("exploration_temperature", self.exploration_temperature, 0.0, 2.0),
            ("core_counterfactual_runs", f64::from(self.core_counterfactual_runs), 0.0, 32.0),
            ("core_threats", f64::from(self.core_threats), 0.0, 15.0),
            ("horizon_steps", f64::from(self.horizon_steps), 1.0, most / 2.0),
            ("least_steps", f64::from(self.least_steps), 1.0, f64::from(self.horizon_steps.max(1))),
            ("later_steps", f64::from(self.later_steps), 1.0, f64::from(self.horizon_steps.max(1))),
            ("independent_ticks", f64::from(self.independent_ticks), 1.0, 21_600.0),
            ("least_findings", f64::from(self.least_findings), 3.0, 100.0),
            ("least_better_bps", self.least_better_bps, 0.0, 1_000.0),
            ("hypothesis_confidence", self.hypothesis_confidence, 0.0, 0.3),
            ("transformational_confidence", self.transformational_confidence, 0.0, 0.3),
            ("guard_confidence", self.guard_confidence, 0.0, 0.3),
            ("same_above", f64::from(self.same_above), 0.0, 1.0),
        ]);
        all.extend(
            ranges(&[
                ("stretch_ticks", f64::from(self.tuning.stretch_ticks), 1.0, most),
                ("look_back_ticks", f64::from(self.tuning.look_back_ticks), 1.0, 1e6),
                ("keep", self.tuning.keep, 0.0, 1.0),
                ("clear_errors", self.tuning.clear_errors, 1.0, 20.0),
                ("least_stretches", self.tuning.least_stretches, 2.0, 100.0),
            ])
            .into_iter()
            .map(|problem| problem.under("tuning")),
        );
        all.extend(
            ranges(&[
                ("keep", f64::from(self.depotentiation.keep), 0.0, 1.0),
                ("high_above", f64::from(self.depotentiation.high_above), 0.0, 1.0),
                (
                    "calm_below",
                    f64::from(self.depotentiation.calm_below),
                    0.0,
                    f64::from(self.depotentiation.high_above),
                ),
                ("per_cycle", f64::from(self.depotentiation.per_cycle), 0.0, 64.0),
                ("half_life_days", self.depotentiation.half_life_days, 0.01, 1_000.0),
            ])
            .into_iter()
            .map(|problem| problem.under("depotentiation")),
        );
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seeds_table_is_read_in_both_spellings() {
        let usual = ImaginationParams::default();
        let seed = "counterfactualDepth = 2\ncreativeSessions = 2\nthreatScenarios = 3\nexplorationTemperature = 0.7";
        assert_eq!(toml::from_str::<ImaginationParams>(seed).unwrap(), usual);
        assert_eq!(toml::from_str::<ImaginationParams>("").unwrap(), usual);
        let ours = toml::from_str::<ImaginationParams>("counterfactual_depth = 5\n[tuning]\nkeep = 0.5").unwrap();
        assert_eq!((ours.counterfactual_depth, ours.tuning.keep.to_bits()), (5, 0.5f64.to_bits()));
        assert!(toml::from_str::<ImaginationParams>("depth = 1").is_err());
        assert_eq!((usual.core_counterfactual_runs, usual.core_threats, usual.horizon_steps), (8, 2, 90));
    }

    #[test]
    fn what_an_owner_chose_holds() {
        let (mut chosen, mut consolidation) = (ImaginationConfig::default(), DreamConsolidationConfig::default());
        assert_eq!(ImaginationParams::of(&chosen, &consolidation), ImaginationParams::default());
        (chosen.counterfactual_depth, chosen.creative_sessions, chosen.threat_scenarios) = (1, 7, 9);
        (chosen.exploration_temperature, chosen.core_counterfactuals, chosen.core_threats) = (0.9, 4, 1);
        (chosen.depotentiation, chosen.duplicate_similarity) = (0.5, 0.75);
        consolidation.hypothesis_confidence = 0.25;
        let of = ImaginationParams::of(&chosen, &consolidation);
        assert_eq!((of.counterfactual_depth, of.creative_sessions, of.threat_scenarios), (1, 7, 9));
        assert_eq!((of.core_counterfactual_runs, of.core_threats), (4, 1));
        let floats = [of.exploration_temperature, f64::from(of.depotentiation.keep), f64::from(of.same_above)];
        assert!(floats.iter().zip([0.9, 0.5, 0.75]).all(|(a, b)| (a - b).abs() < 1e-6));
        assert!((of.hypothesis_confidence - 0.25).abs() < 1e-12);
    }

    #[test]
    fn what_is_out_of_range_is_named() {
        assert!(ImaginationParams::default().problems().is_empty());
        let mut odd = ImaginationParams { exploration_temperature: f64::NAN, least_findings: 1, ..Default::default() };
        odd.tuning.keep = 2.0;
        odd.depotentiation.calm_below = 0.9;
        let keys: Vec<String> = odd.problems().into_iter().map(|p| p.key).collect();
        assert_eq!(keys, ["exploration_temperature", "least_findings", "tuning.keep", "depotentiation.calm_below"]);
    }
}

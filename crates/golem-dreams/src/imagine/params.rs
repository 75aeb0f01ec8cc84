//! The numbers of imagination: what an owner chose, and the usual for the rest.

use crate::calm::DepotentiationParams;
use crate::config::{DreamConsolidationConfig, ImaginationConfig};

/// By which measures what is imagined counts.
#[derive(Debug, Clone, PartialEq)]
pub struct ImaginationParams {
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
        Self::of(&ImaginationConfig::default(), &DreamConsolidationConfig::default())
    }
}

/// How other parameters are tried over the path that was lived.
#[derive(Debug, Clone, PartialEq)]
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
    /// Stretches of what is lived afterwards, and how many standard errors better they must say it is, before it is followed.
    pub later_stretches: f64,
    pub later_errors: f64,
}

impl Default for TuningParams {
    fn default() -> Self {
        Self {
            stretch_ticks: 360,
            look_back_ticks: 6_480,
            keep: 0.95,
            clear_errors: 3.0,
            least_stretches: 3.0,
            later_stretches: 1.9,
            later_errors: 1.0,
        }
    }
}

impl ImaginationParams {
    /// By an owner's settings.
    #[must_use]
    pub fn of(chosen: &ImaginationConfig, consolidation: &DreamConsolidationConfig) -> Self {
        Self {
            horizon_steps: 90,
            least_steps: 15,
            later_steps: 15,
            independent_ticks: 90,
            least_findings: 3,
            least_better_bps: 1.0,
            hypothesis_confidence: consolidation.hypothesis_confidence,
            transformational_confidence: 0.1,
            guard_confidence: 0.3,
            same_above: chosen.duplicate_similarity as f32,
            tuning: TuningParams::default(),
            depotentiation: DepotentiationParams { keep: chosen.depotentiation as f32, ..Default::default() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_owner_chose_holds() {
        let (mut chosen, mut consolidation) = (ImaginationConfig::default(), DreamConsolidationConfig::default());
        (chosen.depotentiation, chosen.duplicate_similarity) = (0.5, 0.75);
        consolidation.hypothesis_confidence = 0.25;
        let of = ImaginationParams::of(&chosen, &consolidation);
        let floats = [of.hypothesis_confidence, f64::from(of.depotentiation.keep), f64::from(of.same_above)];
        assert!(floats.iter().zip([0.25, 0.5, 0.75]).all(|(a, b)| (a - b).abs() < 1e-6));
    }
}

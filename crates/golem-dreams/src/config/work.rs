//! What a dream may use and what becomes of it: money, shares of the stages, consolidation, and whose model it asks.

use super::text::DreamMoney;
use golem_core::problem::ranges;
use golem_core::{Problem, Usdc};
use serde::{Deserialize, Serialize};

/// `[dream.budget]`: the smallest of all caps wins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DreamBudgetConfig {
    /// One cycle; binds the hardened tier.
    #[serde(alias = "perCycleMax")]
    pub per_cycle_max: DreamMoney,
    /// One sleep window, or one day outside of windows; binds the hardened tier.
    #[serde(alias = "perSessionMax")]
    pub per_session_max: DreamMoney,
    /// Thirty days; binds both tiers.
    #[serde(alias = "monthlyMax")]
    pub monthly_max: DreamMoney,
    /// No dream while less than this share of operating credit stands in the purse for models.
    #[serde(alias = "purseFloor")]
    pub purse_floor: f64,
}

impl Default for DreamBudgetConfig {
    fn default() -> Self {
        Self {
            per_cycle_max: DreamMoney::Known(Usdc(500_000)),
            per_session_max: DreamMoney::Known(Usdc::whole(2)),
            monthly_max: DreamMoney::Known(Usdc::whole(15)),
            purse_floor: 0.15,
        }
    }
}

impl DreamBudgetConfig {
    pub(super) fn problems(&self) -> Vec<Problem> {
        let mut all = ranges(&[("purse_floor", self.purse_floor, 0.0, 1.0)]);
        all.extend(self.per_cycle_max.problem("per_cycle_max"));
        all.extend(self.per_session_max.problem("per_session_max"));
        all.extend(self.monthly_max.problem("monthly_max"));
        all
    }
}

/// `[dream.phases]`: when the owner sets all three they share out what onset and return leave, the same in every phase
/// of life. Unset, the table of shares per phase of life holds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DreamPhasesConfig {
    #[serde(alias = "nremAllocation")]
    pub nrem_allocation: Option<f64>,
    #[serde(alias = "remAllocation")]
    pub rem_allocation: Option<f64>,
    #[serde(alias = "integrationAllocation")]
    pub integration_allocation: Option<f64>,
}

impl DreamPhasesConfig {
    /// With every key in it, for whoever lists them: the seed's own values.
    #[must_use]
    pub fn every_key() -> Self {
        Self { nrem_allocation: Some(0.45), rem_allocation: Some(0.35), integration_allocation: Some(0.2) }
    }
    /// The owner's shares of NREM, REM and integration, where all are set.
    #[must_use]
    pub fn chosen(&self) -> Option<[f64; 3]> {
        Some([self.nrem_allocation?, self.rem_allocation?, self.integration_allocation?])
    }
    pub(super) fn problems(&self) -> Vec<Problem> {
        let named = [
            ("nrem_allocation", self.nrem_allocation),
            ("rem_allocation", self.rem_allocation),
            ("integration_allocation", self.integration_allocation),
        ];
        let given: Vec<_> = named.iter().filter_map(|(key, x)| x.map(|x| (*key, x, 0.0, 1.0))).collect();
        let mut all = ranges(&given);
        if !given.is_empty() {
            for (key, _) in named.iter().filter(|(_, x)| x.is_none()) {
                all.push(Problem::new(*key, "is missing: the three allocations are set together, or none of them"));
            }
        }
        if let Some(shares) = self.chosen() {
            let sum: f64 = shares.iter().sum();
            // A sum that is not a number is told by the ranges.
            if (sum - 1.0).abs() > 1e-9 {
                let message = format!("nrem + rem + integration is {sum}; it must be 1");
                all.push(Problem::new("integration_allocation", message));
            }
        }
        all
    }
}

/// `[dream.consolidation]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DreamConsolidationConfig {
    #[serde(alias = "hypothesisConfidence")]
    pub hypothesis_confidence: f64,
    #[serde(alias = "insightConfidence")]
    pub insight_confidence: f64,
    #[serde(alias = "validationRequired")]
    pub validation_required: bool,
    #[serde(alias = "maxStagedRevisions")]
    pub max_staged_revisions: u32,
}

impl Default for DreamConsolidationConfig {
    fn default() -> Self {
        Self {
            hypothesis_confidence: 0.2,
            insight_confidence: 0.3,
            validation_required: true,
            max_staged_revisions: 10,
        }
    }
}

impl DreamConsolidationConfig {
    pub(super) fn problems(&self) -> Vec<Problem> {
        let mut all = ranges(&[
            // Below 0.1 it would be refuted at birth, and 0.3 is what the seed lets a dream be believed at most.
            ("hypothesis_confidence", self.hypothesis_confidence, 0.1, 0.3),
            ("insight_confidence", self.insight_confidence, 0.1, 0.3),
            ("max_staged_revisions", f64::from(self.max_staged_revisions), 1.0, 64.0),
        ]);
        if !self.validation_required {
            let message = "must be true: what was dreamt is believed only once the waking world has confirmed it";
            all.push(Problem::new("validation_required", message));
        }
        all
    }
}

/// `[dream.provider]`: what is asked of the provider of dreams beyond answers, where one is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DreamProviderOptions {
    /// Search the web while imagining; what comes back is a stranger's text.
    #[serde(alias = "webSearch")]
    pub web_search: bool,
    /// Keep its attestation beside what is promoted.
    pub attestation: bool,
}

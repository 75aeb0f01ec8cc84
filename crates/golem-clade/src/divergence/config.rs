//! What is asked of a life before its playbook counts as its own.

use golem_core::Problem;
use golem_core::problem::ranges;
use serde::{Deserialize, Serialize};

/// The settings against mere repetition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AntiProletarianizationConfig {
    /// The least distance between the inherited playbook and the evolved one.
    #[serde(alias = "minPlaybookDivergence")]
    pub min_playbook_divergence: f64,
    /// The least number of entries that the predecessor did not have.
    #[serde(alias = "minNovelEntries")]
    pub min_novel_entries: u32,
    /// The least number of inherited entries that were refuted with a reason. Asked as a warning, and only of a golem that
    /// inherited at least [`ASKED_FROM`]: a quota on refuting invites lies.
    #[serde(alias = "minInvalidatedEntries")]
    pub min_invalidated_entries: u32,
    /// Whether gaps and open questions must be named.
    #[serde(alias = "requireExplicitGaps")]
    pub require_explicit_gaps: bool,
    /// The least share of entries that are questions.
    #[serde(alias = "minQuestionRatio")]
    pub min_question_ratio: f64,
}

/// Inherited entries from which on refutations are asked for.
pub const ASKED_FROM: u32 = 20;

impl Default for AntiProletarianizationConfig {
    fn default() -> Self {
        Self::USUAL
    }
}

impl AntiProletarianizationConfig {
    /// What is asked unless the owner says otherwise.
    pub const USUAL: Self = Self {
        min_playbook_divergence: 0.15,
        min_novel_entries: 5,
        min_invalidated_entries: 3,
        require_explicit_gaps: true,
        min_question_ratio: 0.10,
    };

    /// Everything that is wrong with it.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        ranges(&[
            ("min_playbook_divergence", self.min_playbook_divergence, 0.0, 1.0),
            ("min_novel_entries", f64::from(self.min_novel_entries), 0.0, 10_000.0),
            ("min_invalidated_entries", f64::from(self.min_invalidated_entries), 0.0, 10_000.0),
            ("min_question_ratio", self.min_question_ratio, 0.0, 1.0),
        ])
    }
}

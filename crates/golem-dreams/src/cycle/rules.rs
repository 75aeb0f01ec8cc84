//! The numbers of a dream: what an owner chose, and the usual for the rest.

use crate::anticipate::AnticipationRules;
use crate::config::DreamConfig;
use crate::imagine::ImaginationParams;
use crate::liminal::OnsetParams;
use crate::replay::ReplayRules;

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
            replay: ReplayRules::of(&config.replay),
            imagination: ImaginationParams::of(&config.imagination, &config.consolidation),
            anticipation: AnticipationRules::default(),
            onset: OnsetParams::default(),
        }
    }
}

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
            replay: ReplayRules {
                confused_below: config.clocks.confused_below,
                legacy_above: config.clocks.legacy_above,
                ..ReplayRules::of(&config.replay)
            },
            imagination: ImaginationParams::of(&config.imagination, &config.consolidation),
            anticipation: AnticipationRules::default(),
            onset: OnsetParams::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_that_the_owner_moves_move_what_is_replayed_first() {
        let mut config = DreamConfig::default();
        (config.clocks.confused_below, config.clocks.legacy_above) = (0.6, 0.4);
        let rules = DreamRules::of(&config).replay;
        assert!((rules.confused_below - 0.6).abs() < 1e-12 && (rules.legacy_above - 0.4).abs() < 1e-12);
    }
}

//! The settings of affect, and the personality as a point.

use super::Pad;

pub use golem_mortality::config::{AffectConfig, AppraisalModel, ChannelSwitches, Personality};

/// The personality as a point.
#[must_use]
pub fn baseline(config: &AffectConfig) -> Pad {
    let Personality { pleasure, arousal, dominance } = config.personality;
    Pad::new(pleasure, arousal, dominance)
}

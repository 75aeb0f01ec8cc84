//! The settings of affect, and the personality as a point: given by the settings, or drawn at birth.

use super::Pad;

pub use golem_mortality::config::{AffectConfig, AppraisalModel, ChannelSwitches, Personality, Temperament};

/// No axis of a drawn personality is further from the middle. Nobody is born distressed or elated: at rest the channels lie
/// well within their caps.
pub const FURTHEST_TEMPERAMENT: f64 = 0.3;

/// The settings of one golem: with its own personality, where that is drawn. Of `draws` each lies in [0, 1). Whoever would
/// be born depleted, without strength for a large model all its life, is born the opposite.
#[must_use]
pub fn tempered(config: &AffectConfig, draws: [f64; 3]) -> AffectConfig {
    let mut config = config.clone();
    if config.temperament == Temperament::Drawn {
        let axes = draws.map(|u| FURTHEST_TEMPERAMENT * (2.0 * u - 1.0));
        let depleted = axes.iter().all(|x| *x < 0.0);
        let [pleasure, arousal, dominance] = if depleted { axes.map(|x| -x) } else { axes };
        config.personality = Personality { pleasure, arousal, dominance };
    }
    config
}

/// The personality, where it was drawn.
#[must_use]
pub fn drawn_temperament(config: &AffectConfig) -> Option<Pad> {
    (config.temperament == Temperament::Drawn).then(|| baseline(config))
}

/// The personality as a point.
#[must_use]
pub fn baseline(config: &AffectConfig) -> Pad {
    let Personality { pleasure, arousal, dominance } = config.personality;
    Pad::new(pleasure, arousal, dominance)
}

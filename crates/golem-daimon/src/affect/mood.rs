//! The mood: what emotions leave behind, drawn back to the personality; and the words for it.

use super::emotion::Emotion;
use super::{AffectConfig, Pad};
use golem_core::VirtualTime;
use serde::{Deserialize, Serialize};

/// Nominal ticks between two pulls.
const PULL_EVERY: u64 = 10;
/// What is left of the distance to the personality after one pull.
const PULL_LEAVES: f64 = 0.95;
/// A mood that is nearer to nothing has no word.
const FAINT: f64 = 0.15;

/// A mood in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MoodWord {
    /// Nothing in particular.
    Even,
    /// +P +A +D.
    Exuberant,
    /// +P +A -D.
    Excited,
    /// +P -A +D.
    Confident,
    /// +P -A -D.
    Docile,
    /// -P +A +D.
    Hostile,
    /// -P +A -D.
    Anxious,
    /// -P -A +D.
    Disdainful,
    /// -P -A -D.
    Depleted,
    /// Far down in pleasure and dominance, whatever the arousal.
    Despairing,
}

impl MoodWord {
    /// The word of a point: its octant, unless it is faint or desperate. An axis at zero counts as positive.
    #[must_use]
    pub fn of(mood: Pad) -> Self {
        let (p, a, d) = (mood.pleasure(), mood.arousal(), mood.dominance());
        if mood.distance2(Pad::NEUTRAL) < FAINT * FAINT {
            return Self::Even;
        }
        if p < -0.5 && d < -0.3 {
            return Self::Despairing;
        }
        match (p >= 0.0, a >= 0.0, d >= 0.0) {
            (true, true, true) => Self::Exuberant,
            (true, true, false) => Self::Excited,
            (true, false, true) => Self::Confident,
            (true, false, false) => Self::Docile,
            (false, true, true) => Self::Hostile,
            (false, true, false) => Self::Anxious,
            (false, false, true) => Self::Disdainful,
            (false, false, false) => Self::Depleted,
        }
    }
    /// The word used in facts and prompts.
    #[must_use]
    pub fn name(self) -> &'static str {
        [
            "even",
            "exuberant",
            "excited",
            "confident",
            "docile",
            "hostile",
            "anxious",
            "disdainful",
            "depleted",
            "despairing",
        ][self as usize]
    }
}

/// The slow layer.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Mood {
    at: Pad,
    /// Pulls so far, counted from birth, so that the length of turns makes no difference.
    pulls: u64,
}

impl Mood {
    /// The mood of a newborn: its personality.
    #[must_use]
    pub fn new(personality: Pad) -> Self {
        Self { at: personality, pulls: 0 }
    }
    /// Where it stands.
    #[must_use]
    pub fn pad(&self) -> Pad {
        self.at
    }
    /// Time goes by: one pull to the personality for every ten nominal ticks.
    pub fn drift(&mut self, now: VirtualTime, personality: Pad) {
        let due = now.age().nominal_floor() / PULL_EVERY;
        let pulls = due.saturating_sub(self.pulls);
        if pulls == 0 {
            return;
        }
        self.pulls = due;
        let left = if pulls == 1 { PULL_LEAVES } else { libm::pow(PULL_LEAVES, pulls as f64) };
        self.at = self.at.toward(personality, 1.0 - left);
    }
    /// An emotion leaves its trace: mood = rate mood + (1 - rate) strength pad.
    pub fn take(&mut self, emotion: &Emotion, config: &AffectConfig) {
        self.at = self.at.toward(emotion.felt(), 1.0 - config.decay());
    }
}

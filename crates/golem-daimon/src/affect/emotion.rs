//! Emotions: Plutchik's eight words, how strong one is, and how several felt at once become one.

use super::Pad;
use golem_core::Unit;
use serde::{Deserialize, Serialize};

/// Plutchik's primary emotions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Plutchik {
    /// Something went well.
    Joy,
    /// Something can be relied on.
    Trust,
    /// Something threatens.
    Fear,
    /// Something was not expected.
    Surprise,
    /// Something is lost.
    Sadness,
    /// Something is to be turned away from.
    Disgust,
    /// Something is in the way.
    Anger,
    /// Something is coming.
    Anticipation,
}

impl Plutchik {
    /// All eight.
    pub const ALL: [Self; 8] = [
        Self::Joy,
        Self::Trust,
        Self::Fear,
        Self::Surprise,
        Self::Sadness,
        Self::Disgust,
        Self::Anger,
        Self::Anticipation,
    ];

    /// The word used in facts and prompts.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["joy", "trust", "fear", "surprise", "sadness", "disgust", "anger", "anticipation"][self as usize]
    }
}

/// How strong an emotion is, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Intensity {
    /// Below .3.
    Mild,
    /// From .3.
    Moderate,
    /// From .7.
    Intense,
}

impl Intensity {
    /// From weak to strong.
    pub const ALL: [Self; 3] = [Self::Mild, Self::Moderate, Self::Intense];

    /// The word of a strength. What is not a number is mild.
    #[must_use]
    pub fn of(strength: f64) -> Self {
        match strength {
            x if x >= 0.7 => Self::Intense,
            x if x >= 0.3 => Self::Moderate,
            _ => Self::Mild,
        }
    }
    /// The word used in facts and prompts.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["mild", "moderate", "intense"][self as usize]
    }
}

/// One emotion: a word, a point and a strength.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Emotion {
    /// The word.
    pub label: Plutchik,
    /// The point.
    pub pad: Pad,
    /// The strength.
    pub strength: Unit,
}

impl Emotion {
    /// An emotion; a strength outside [0, 1] is brought into it.
    #[must_use]
    pub fn new(label: Plutchik, pad: impl Into<Pad>, strength: f64) -> Self {
        Self { label, pad: pad.into(), strength: Unit::clamped(strength) }
    }
    /// The strength as a word.
    #[must_use]
    pub fn intensity(&self) -> Intensity {
        Intensity::of(self.strength.get())
    }
    /// What it adds to a mood: the point, as far as it is felt.
    #[must_use]
    pub fn felt(&self) -> Pad {
        self.pad.times(self.strength.get())
    }
}

/// Several emotions as one: points weighted by strength, the word and the strength of the strongest (the first of equals).
#[must_use]
pub fn blend(emotions: &[Emotion]) -> Option<Emotion> {
    let strongest = emotions.iter().reduce(|best, e| if e.strength.get() > best.strength.get() { e } else { best })?;
    let total: f64 = emotions.iter().map(|e| e.strength.get()).sum();
    if total <= 0.0 {
        return Some(*strongest);
    }
    let mean = |of: fn(Pad) -> f64| emotions.iter().map(|e| e.strength.get() * of(e.pad)).sum::<f64>() / total;
    let pad = Pad::new(mean(Pad::pleasure), mean(Pad::arousal), mean(Pad::dominance));
    Some(Emotion { label: strongest.label, pad, strength: strongest.strength })
}

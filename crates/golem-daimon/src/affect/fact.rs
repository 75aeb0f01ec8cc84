//! What affect tells of itself.

use super::Pad;
use super::emotion::{Emotion, Intensity, Plutchik};
use super::event::EventKind;
use super::model::Divergence;
use super::mood::MoodWord;
use golem_core::fact::FactBody;
use serde::{Deserialize, Serialize};

/// Who appraised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Appraiser {
    /// The rules.
    Rules,
    /// A model, within reach of the rules.
    Model,
}

golem_core::facts! {
/// A past-tense fact of affect. A feeling is written as pleasure, arousal, dominance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum AffectFact {
    /// Something that happened was felt.
    #[serde(rename = "daimon.appraisal")]
    Appraisal {
        /// What happened, each kind once.
        triggers: Vec<EventKind>,
        /// The word for what was felt.
        emotion: Plutchik,
        /// How strong, in a word.
        intensity: Intensity,
        /// How strong.
        strength: f64,
        /// The feeling.
        pad: Pad,
        /// How much it bears on what the golem wants.
        relevance: f64,
        /// Who says so.
        by: Appraiser,
    },
    /// The mood moved by more than .15 since this was last told.
    #[serde(rename = "daimon.emotional_shift")]
    MoodChange {
        /// Before.
        from: Pad,
        /// After.
        to: Pad,
        /// After, in a word.
        mood: MoodWord,
    },
    /// Grief for a sibling began, began anew, or ended.
    #[serde(rename = "daimon.grief")]
    Grief {
        /// False when it ended.
        open: bool,
        /// How many died since it was last at peace.
        deaths: u32,
    },
    /// The golem has felt powerless for 200 nominal ticks, or no longer does. Its owner may want to look.
    #[serde(rename = "daimon.helplessness")]
    Helplessness {
        /// False when it ended.
        open: bool,
        /// Mean dominance of the window.
        dominance: f64,
    },
    /// A model's appraisal did not count.
    #[serde(rename = "daimon.divergence")]
    Divergence {
        /// Why.
        why: Divergence,
        /// How far the two were apart, where the rules had a view.
        distance: Option<f64>,
        /// What the rules said.
        rules: Option<Emotion>,
        /// What the model said.
        model: Emotion,
    },
    /// Feelings of siblings rubbed off.
    #[serde(rename = "daimon.contagion")]
    Contagion {
        /// How many siblings were felt with.
        siblings: u32,
        /// How many warned.
        warnings: u32,
        /// What was added.
        added: Pad,
    },
}
}

impl FactBody for AffectFact {
    fn name(&self) -> &'static str {
        self.own_name()
    }
}

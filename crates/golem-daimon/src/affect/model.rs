//! A model's own appraisal: a small block that is checked field by field, then held against the rules. It counts only
//! near to what the rules say and only for what really happened.

use super::emotion::{Emotion, Plutchik};
use super::ground::Grounds;
use golem_core::Unit;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How far a model's point may lie from the rules'.
pub const MOST_DISTANCE: f64 = 1.0;
/// How much stronger or weaker than the rules a model may feel.
const MOST_EMPHASIS: f64 = 0.3;
/// No block is longer.
const MOST_BYTES: usize = 1_024;

/// What is wrong with a model's block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum BadAppraisal {
    /// More than a small block.
    #[error("an appraisal has at most 1024 bytes")]
    TooLong,
    /// Not JSON, or not an object.
    #[error("an appraisal is a JSON object")]
    NotAnObject,
    /// Not one of the eight words.
    #[error("emotion must be one of joy, trust, fear, surprise, sadness, disgust, anger, anticipation")]
    Emotion,
    /// Not a number from 0 to 1.
    #[error("intensity must be a number from 0 to 1")]
    Intensity,
    /// Not three numbers from -1 to 1.
    #[error("pad must be three numbers from -1 to 1")]
    Pad,
}

/// Why a model's appraisal did not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Divergence {
    /// Nothing happened that could be felt about.
    NoTrigger,
    /// Nothing that happened bears such an emotion.
    Ungrounded,
    /// Too far from the rules.
    TooFar,
}

/// A model's appraisal of a turn, well-formed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ModelAppraisal(pub Emotion);

impl ModelAppraisal {
    /// Read a block such as `{"emotion": "fear", "intensity": 0.6, "pad": [-0.5, 0.6, -0.3]}`. Other fields are ignored.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn parse(text: &str) -> Result<Self, BadAppraisal> {
        if text.len() > MOST_BYTES {
            return Err(BadAppraisal::TooLong);
        }
        Self::read(&serde_json::from_str(text).map_err(|_| BadAppraisal::NotAnObject)?)
    }

    /// Read a block that is part of a larger reply.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn read(value: &Value) -> Result<Self, BadAppraisal> {
        let block = value.as_object().ok_or(BadAppraisal::NotAnObject)?;
        let word = block.get("emotion").and_then(Value::as_str).ok_or(BadAppraisal::Emotion)?;
        let named = |p: &Plutchik| word.trim().eq_ignore_ascii_case(p.name());
        let label = Plutchik::ALL.into_iter().find(named).ok_or(BadAppraisal::Emotion)?;
        let number = |v: &Value, low: f64| v.as_f64().filter(|x| (low..=1.0).contains(x));
        let strength = block.get("intensity").and_then(|v| number(v, 0.0)).ok_or(BadAppraisal::Intensity)?;
        let axes = block.get("pad").and_then(Value::as_array).ok_or(BadAppraisal::Pad)?;
        let [p, a, d] = axes.as_slice() else { return Err(BadAppraisal::Pad) };
        let axis = |v: &Value| number(v, -1.0).ok_or(BadAppraisal::Pad);
        Ok(Self(Emotion::new(label, [axis(p)?, axis(a)?, axis(d)?], strength)))
    }

    /// What is felt when the rules say `rules`: the model's view where it counts.
    ///
    /// # Errors
    /// Why it does not count.
    pub fn against(&self, rules: &Emotion, grounds: Grounds) -> Result<Emotion, Divergence> {
        if !grounds.bear(self.0.label) {
            return Err(Divergence::Ungrounded);
        }
        if self.0.pad.distance(rules.pad) > MOST_DISTANCE {
            return Err(Divergence::TooFar);
        }
        let base = rules.strength.get();
        let strength = self.0.strength.get().clamp(base - MOST_EMPHASIS, base + MOST_EMPHASIS);
        Ok(Emotion { strength: Unit::clamped(strength), ..self.0 })
    }
}

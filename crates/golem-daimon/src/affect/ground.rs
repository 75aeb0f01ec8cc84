//! What an emotion can rest on: no joy without a gain, no fear without a threat, no surprise without a deviation.

use super::emotion::Plutchik;
use super::event::EventKind;
use serde::{Deserialize, Serialize};

/// One thing that an emotion can rest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ground {
    /// A metric is better than before, or holds.
    Gain,
    /// Something can do harm.
    Threat,
    /// Something is not as it was expected.
    Deviation,
    /// Something is gone or spoiled.
    Loss,
}

/// What happened in a turn, as far as emotions can rest on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Grounds(u8);

impl Grounds {
    /// Nothing in particular.
    pub const NONE: Self = Self(0);

    /// These and one more.
    #[must_use]
    pub const fn and(self, ground: Ground) -> Self {
        Self(self.0 | 1 << ground as u8)
    }
    /// These and those.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    /// Whether this is among them.
    #[must_use]
    pub const fn has(self, ground: Ground) -> bool {
        self.0 & 1 << ground as u8 != 0
    }
    /// What an event of this kind gives. Mortality's come from the condition, not from the event.
    #[must_use]
    pub const fn of(kind: EventKind) -> Self {
        let none = Self::NONE;
        match kind {
            EventKind::TradeProfit
            | EventKind::KnowledgeValidated
            | EventKind::DreamGood
            | EventKind::GoalCompleted => none.and(Ground::Gain),
            EventKind::TradeLoss | EventKind::SiblingDeath => none.and(Ground::Loss).and(Ground::Threat),
            EventKind::PredictionMiss | EventKind::DreamBad => none.and(Ground::Deviation),
            EventKind::RegimeShift => none.and(Ground::Deviation).and(Ground::Threat),
            EventKind::KnowledgeContradicted => none.and(Ground::Deviation).and(Ground::Loss),
            EventKind::DreamThreat => none.and(Ground::Threat),
            EventKind::GoalFailed => none.and(Ground::Loss),
            EventKind::Mortality | EventKind::Unknown => none,
        }
    }
    /// Whether an emotion of this word can rest on them.
    #[must_use]
    pub fn bear(self, label: Plutchik) -> bool {
        match label {
            Plutchik::Joy | Plutchik::Trust => self.has(Ground::Gain),
            Plutchik::Fear => self.has(Ground::Threat),
            Plutchik::Surprise => self.has(Ground::Deviation),
            Plutchik::Sadness | Plutchik::Disgust | Plutchik::Anger => {
                self.has(Ground::Loss) || self.has(Ground::Threat) || self.has(Ground::Deviation)
            }
            // Whatever happened, something may follow from it.
            Plutchik::Anticipation => true,
        }
    }
}

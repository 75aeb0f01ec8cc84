//! What can be felt about: things that happened and were recorded. An event carries the figure that grounds it.

use serde::{Deserialize, Serialize};

/// Something that happened in a turn. Figures come from what was verified, never from what a model said.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A trade was closed with a profit.
    TradeProfit {
        /// Percent of what was put in.
        pct: f64,
    },
    /// A trade was closed with a loss.
    TradeLoss {
        /// Percent of what was put in, above zero.
        pct: f64,
    },
    /// A forecast was settled and missed.
    PredictionMiss {
        /// The prediction error, from 0 to 1.
        error: f64,
    },
    /// The weather of the market changed.
    RegimeShift,
    /// A golem of the same fleet died.
    SiblingDeath,
    /// Something it knew proved right.
    KnowledgeValidated,
    /// Something it knew proved wrong.
    KnowledgeContradicted,
    /// A dream ended.
    DreamOutcome {
        /// Whether it brought something.
        ok: bool,
    },
    /// A dream met a threat.
    DreamThreat {
        /// 1 is the worst, 3 the mildest.
        tier: u8,
    },
    /// A goal was reached.
    GoalCompleted,
    /// A goal was missed or given up.
    GoalFailed,
    /// Something about its own end changed: phase, senescence, hazard band. The sample of the turn is appraised at once.
    Mortality,
    /// Something else.
    Unknown,
}

/// The kind of an event: what repetition is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// See [`Event::TradeProfit`].
    TradeProfit,
    /// See [`Event::TradeLoss`].
    TradeLoss,
    /// See [`Event::PredictionMiss`].
    PredictionMiss,
    /// See [`Event::RegimeShift`].
    RegimeShift,
    /// See [`Event::SiblingDeath`].
    SiblingDeath,
    /// See [`Event::KnowledgeValidated`].
    KnowledgeValidated,
    /// See [`Event::KnowledgeContradicted`].
    KnowledgeContradicted,
    /// A dream that brought something.
    DreamGood,
    /// A dream that brought nothing.
    DreamBad,
    /// See [`Event::DreamThreat`].
    DreamThreat,
    /// See [`Event::GoalCompleted`].
    GoalCompleted,
    /// See [`Event::GoalFailed`].
    GoalFailed,
    /// See [`Event::Mortality`].
    Mortality,
    /// See [`Event::Unknown`].
    Unknown,
}

impl EventKind {
    /// How many there are.
    pub const COUNT: usize = 14;

    /// The word used in facts.
    #[must_use]
    pub fn name(self) -> &'static str {
        [
            "trade_profit",
            "trade_loss",
            "prediction_miss",
            "regime_shift",
            "sibling_death",
            "knowledge_validated",
            "knowledge_contradicted",
            "dream_good",
            "dream_bad",
            "dream_threat",
            "goal_completed",
            "goal_failed",
            "mortality",
            "unknown",
        ][self as usize]
    }
}

impl Event {
    /// What kind of event it is.
    #[must_use]
    pub fn kind(&self) -> EventKind {
        match self {
            Self::TradeProfit { .. } => EventKind::TradeProfit,
            Self::TradeLoss { .. } => EventKind::TradeLoss,
            Self::PredictionMiss { .. } => EventKind::PredictionMiss,
            Self::RegimeShift => EventKind::RegimeShift,
            Self::SiblingDeath => EventKind::SiblingDeath,
            Self::KnowledgeValidated => EventKind::KnowledgeValidated,
            Self::KnowledgeContradicted => EventKind::KnowledgeContradicted,
            Self::DreamOutcome { ok: true } => EventKind::DreamGood,
            Self::DreamOutcome { ok: false } => EventKind::DreamBad,
            Self::DreamThreat { .. } => EventKind::DreamThreat,
            Self::GoalCompleted => EventKind::GoalCompleted,
            Self::GoalFailed => EventKind::GoalFailed,
            Self::Mortality => EventKind::Mortality,
            Self::Unknown => EventKind::Unknown,
        }
    }

    /// The figure that its row of the table is chosen and scaled by; 1 where the event is its own evidence. What is not
    /// a number above zero grounds nothing: no joy without a gain, no fear without a loss.
    #[must_use]
    pub fn figure(&self) -> f64 {
        let figure = match *self {
            Self::TradeProfit { pct } | Self::TradeLoss { pct } => pct,
            Self::PredictionMiss { error } => error,
            Self::DreamThreat { tier } => f64::from(tier),
            _ => 1.0,
        };
        if figure > 0.0 { figure } else { 0.0 }
    }
}

//! The one table of how events are appraised. A feeling without a row here is not felt by rule.

use super::emotion::{Emotion, Plutchik};
use super::event::{Event, EventKind};
use super::sample::AffectSample;
use super::{Pad, Plutchik::*};
use EmotionStrength::Fixed;

/// How strong the emotion is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EmotionStrength {
    /// Always so strong.
    Fixed(f64),
    /// The figure over `by`, within bounds.
    Scaled {
        /// The figure of full strength.
        by: f64,
        /// At least.
        low: f64,
        /// At most.
        high: f64,
    },
}

impl EmotionStrength {
    fn of(self, figure: f64) -> f64 {
        match self {
            Self::Fixed(x) => x,
            Self::Scaled { by, low, high } => (figure / by).clamp(low, high),
        }
    }
}

/// One row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AppraisalRule {
    /// Of what.
    pub kind: EventKind,
    /// It holds for figures above this, until the next row of the same kind.
    pub above: f64,
    /// The word.
    pub label: Plutchik,
    /// Pleasure, arousal, dominance.
    pub pad: [f64; 3],
    /// How strong.
    pub strength: EmotionStrength,
    /// How much it bears on what the golem wants, from 0 to 1.
    pub relevance: f64,
    /// Felt however often it happens.
    pub mandatory: bool,
}

const fn rule(
    kind: EventKind,
    above: f64,
    label: Plutchik,
    pad: [f64; 3],
    strength: EmotionStrength,
    relevance: f64,
) -> AppraisalRule {
    AppraisalRule { kind, above, label, pad, strength, relevance, mandatory: false }
}

const fn mandatory(rule: AppraisalRule) -> AppraisalRule {
    AppraisalRule { mandatory: true, ..rule }
}

const fn scaled(by: f64, low: f64, high: f64) -> EmotionStrength {
    EmotionStrength::Scaled { by, low, high }
}

/// The table. Rows of a kind stand together, with rising `above`.
pub const RULES: &[AppraisalRule] = &[
    rule(EventKind::TradeProfit, 0.0, Joy, [0.6, 0.3, 0.5], scaled(10.0, 0.1, 0.9), 0.8),
    rule(EventKind::TradeLoss, 0.0, Sadness, [-0.5, 0.2, -0.3], scaled(20.0, 0.1, 0.9), 0.9),
    rule(EventKind::TradeLoss, 5.0, Fear, [-0.5, 0.7, -0.3], scaled(20.0, 0.1, 0.9), 0.9),
    rule(EventKind::PredictionMiss, 0.0, Surprise, [-0.1, 0.6, -0.2], scaled(1.0, 0.2, 0.8), 0.7),
    rule(EventKind::PredictionMiss, 0.5, Surprise, [-0.3, 0.6, -0.2], scaled(1.0, 0.2, 0.8), 0.7),
    mandatory(rule(EventKind::RegimeShift, 0.0, Surprise, [-0.2, 0.7, -0.3], Fixed(0.6), 0.9)),
    mandatory(rule(EventKind::SiblingDeath, 0.0, Sadness, [-0.4, 0.3, -0.2], Fixed(0.6), 0.5)),
    rule(EventKind::KnowledgeValidated, 0.0, Trust, [0.3, -0.1, 0.3], Fixed(0.4), 0.4),
    rule(EventKind::KnowledgeContradicted, 0.0, Disgust, [-0.3, 0.2, 0.1], Fixed(0.4), 0.5),
    rule(EventKind::DreamGood, 0.0, Joy, [0.3, 0.1, 0.4], Fixed(0.4), 0.4),
    rule(EventKind::DreamBad, 0.0, Surprise, [-0.2, 0.4, -0.1], Fixed(0.5), 0.4),
    // Pleasure and arousal by s = .8, .5, .3 for the tiers 1, 2, 3; tiers beyond are as the mildest.
    mandatory(rule(EventKind::DreamThreat, 0.0, Fear, [-0.32, 0.40, -0.3], Fixed(0.8), 0.6)),
    rule(EventKind::DreamThreat, 1.0, Fear, [-0.20, 0.25, -0.3], Fixed(0.5), 0.5),
    rule(EventKind::DreamThreat, 2.0, Fear, [-0.12, 0.15, -0.3], Fixed(0.3), 0.4),
    // Goals take their point from the general formula below.
    rule(EventKind::GoalCompleted, 0.0, Joy, [0.0; 3], Fixed(0.4), 0.8),
    rule(EventKind::GoalFailed, 0.0, Sadness, [0.0; 3], Fixed(0.4), 0.8),
    rule(EventKind::Unknown, 0.0, Anticipation, [0.0, 0.1, 0.0], Fixed(0.1), 0.1),
];

/// How one event is appraised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EventAppraisal {
    /// What is felt.
    pub emotion: Emotion,
    /// The row that says so.
    pub rule: &'static AppraisalRule,
}

/// The row of an event; none for what nothing grounds, and for mortality, which has its own rules.
#[must_use]
pub fn rule_of(event: &Event) -> Option<&'static AppraisalRule> {
    let (kind, figure) = (event.kind(), event.figure());
    RULES.iter().rev().find(|r| r.kind == kind && figure > r.above)
}

/// Appraise an event by the table.
#[must_use]
pub fn appraise(event: &Event, sample: &AffectSample, personality: Pad) -> Option<EventAppraisal> {
    let rule = rule_of(event)?;
    let pad = match rule.kind {
        EventKind::GoalCompleted => general(rule.relevance, sample, personality),
        EventKind::GoalFailed => general(-rule.relevance, sample, personality),
        _ => Pad::from(rule.pad),
    };
    Some(EventAppraisal { emotion: Emotion::new(rule.label, pad, rule.strength.of(event.figure())), rule })
}

/// The general formula, for what has no point of its own in the table:
/// P = .6 desirability + .4 sign of the profit, A = .15 anomalies + .5 prediction error + .35 baseline,
/// D = .5 coping + .3 vitality + .2 baseline. A goal has no profit of its own; coping is fitness around naive.
#[must_use]
pub fn general(desirability: f64, sample: &AffectSample, personality: Pad) -> Pad {
    let aroused = 0.15 * f64::from(sample.anomalies) + 0.5 * sample.prediction_error() + 0.35 * personality.arousal();
    let coping = 2.0 * sample.fitness() - 1.0;
    let dominant = 0.5 * coping + 0.3 * sample.vitality() + 0.2 * personality.dominance();
    Pad::new(0.6 * desirability, aroused, dominant)
}

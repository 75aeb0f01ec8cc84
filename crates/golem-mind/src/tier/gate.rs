//! The gate: which tier a turn gets, why, and what kept it from a higher one.

use super::config::GateConfig;
use super::threshold::{ThresholdMood, threshold};
use crate::math::{ratio, unit};
use crate::senses::{Probes, Severity};
use golem_core::Usdc;
use golem_core::model::ModelTier;
use golem_mortality::info::BitsBudget;
use golem_mortality::phase::PhaseInference;
use serde::{Deserialize, Serialize};

/// How much thinking a turn gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// No model: rules and forecasts.
    #[default]
    T0,
    /// A small model.
    T1,
    /// A large model.
    T2,
}

impl Tier {
    /// The tier of a model, where there is one.
    #[must_use]
    pub fn model(self) -> Option<ModelTier> {
        match self {
            Self::T0 => None,
            Self::T1 => Some(ModelTier::T1),
            Self::T2 => Some(ModelTier::T2),
        }
    }
    /// As a number, for facts.
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8
    }
}

/// What asks for the highest tier whatever the prediction error says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Forced {
    /// The owner said something.
    OwnerSteer,
    /// The next phase is near.
    PhaseTransition,
}

/// Everything that the gate looks at in a turn.
#[derive(Debug, Clone, Copy)]
pub struct TierMoment<'a> {
    /// The probes, with the prediction error.
    pub probes: &'a Probes,
    /// What the threshold adapts to.
    pub mood: ThresholdMood,
    /// What the phase allows.
    pub inference: PhaseInference,
    /// Whether the situation is unlike what is remembered.
    pub novel: bool,
    /// What asks for the highest tier, if anything.
    pub forced: Option<Forced>,
    /// What thinking has cost in this virtual day.
    pub spent: Usdc,
    /// How much the golem must know and does, where that has been measured.
    pub bits: Option<&'a BitsBudget>,
    /// Whether a decision of this situation is at hand.
    pub cached: bool,
    /// Whether there is any model to ask.
    pub models: bool,
    /// What a mood does to the thresholds.
    pub bias: Bias,
}

/// What a mood does to the thresholds of thinking: added to them, so that below zero means thinking sooner.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Bias {
    /// Between no model and a small one.
    pub t1: f64,
    /// Between a small model and a large one.
    pub t2: f64,
    /// True when there is no strength for a large model.
    pub at_most_t1: bool,
}

/// No threshold is shifted by more.
const MOST_SHIFT: f64 = 0.2;

/// Why a turn was given its tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TierReason {
    /// The error is below the threshold.
    AllClear,
    /// It is above.
    Surprise,
    /// It is above twice the threshold.
    Shock,
    /// It is above only because information is missing.
    MissingBits,
    /// The owner said something.
    OwnerSteer,
    /// The next phase is near.
    PhaseTransition,
}

/// What kept a turn from a higher tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ceiling {
    /// There is no model to ask.
    NoModel,
    /// The phase.
    Phase,
    /// The day's money.
    DailyCap,
    /// It has been decided before.
    Cached,
    /// There is no strength for more.
    Mood,
}

/// The gate's answer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Gating {
    /// The prediction error.
    pub pe: f64,
    /// The threshold.
    pub threshold: f64,
    /// The tier.
    pub tier: Tier,
    /// Why.
    pub reason: TierReason,
    /// What kept it from more.
    pub ceiling: Option<Ceiling>,
    /// The most tokens that may be used, where the phase limits them hard.
    pub max_tokens: Option<u32>,
}

/// Decide how much to think.
#[must_use]
pub fn gate(now: &TierMoment<'_>, config: &GateConfig) -> Gating {
    let pe = unit(now.probes.prediction_error);
    let shift = |x: f64| if x.is_finite() { x.clamp(-MOST_SHIFT, MOST_SHIFT) } else { 0.0 };
    let threshold = (threshold(config.base_deliberation_threshold, &now.mood) + shift(now.bias.t1)).clamp(0.05, 0.8);
    let (wish, reason) = wish(pe, threshold, now, config);
    let mut gating = Gating { pe, threshold, tier: wish, reason, ceiling: None, max_tokens: None };
    let mut at_most = |tier: Tier, ceiling: Ceiling| {
        if gating.tier > tier {
            (gating.tier, gating.ceiling) = (tier, Some(ceiling));
        }
    };
    // What is repeated needs no thought; the owner and the end of a phase are not repeated.
    if now.cached && now.forced.is_none() {
        at_most(Tier::T0, Ceiling::Cached);
    }
    // The owner is answered as well as can be, however low the mood.
    if now.bias.at_most_t1 && now.forced.is_none() {
        at_most(Tier::T1, Ceiling::Mood);
    }
    match now.inference {
        PhaseInference::AllTiers => {}
        PhaseInference::T1First => {
            let worth_it = now.novel || now.probes.loudest() == Severity::High || now.forced.is_some();
            at_most(if worth_it { Tier::T2 } else { Tier::T1 }, Ceiling::Phase);
        }
        PhaseInference::T1Only | PhaseInference::T1Limited => at_most(Tier::T1, Ceiling::Phase),
        PhaseInference::ReflectionOnly => at_most(Tier::T0, Ceiling::Phase),
    }
    let spent = ratio(now.spent.as_f64(), config.max_daily_cost_usdc.as_f64());
    if config.max_daily_cost_usdc == Usdc::ZERO || spent >= config.stop_share {
        at_most(Tier::T0, Ceiling::DailyCap);
    } else if spent >= config.warn_share {
        at_most(Tier::T1, Ceiling::DailyCap);
    }
    if !now.models {
        at_most(Tier::T0, Ceiling::NoModel);
    }
    gating.max_tokens = (now.inference == PhaseInference::T1Limited).then_some(config.declining_max_tokens);
    gating
}

/// What the error asks for, before any ceiling.
fn wish(pe: f64, threshold: f64, now: &TierMoment<'_>, config: &GateConfig) -> (Tier, TierReason) {
    match now.forced {
        Some(Forced::OwnerSteer) => return (Tier::T2, TierReason::OwnerSteer),
        Some(Forced::PhaseTransition) => return (Tier::T2, TierReason::PhaseTransition),
        None => {}
    }
    // A lack of information is a reason to think harder: it lowers the bar, never the tier.
    let missing = now.bits.map_or(0.0, |b| unit(ratio(b.deficit_bits, b.required_bits)));
    let bar = threshold * (1.0 - config.bits_pull * missing);
    let shock =
        2.0 * threshold + if now.bias.t2.is_finite() { now.bias.t2.clamp(-MOST_SHIFT, MOST_SHIFT) } else { 0.0 };
    if pe >= shock.max(threshold) {
        (Tier::T2, TierReason::Shock)
    } else if pe >= threshold {
        (Tier::T1, TierReason::Surprise)
    } else if pe >= bar {
        (Tier::T1, TierReason::MissingBits)
    } else {
        (Tier::T0, TierReason::AllClear)
    }
}

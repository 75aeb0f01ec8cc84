//! What a stage of a dream may look at and work with.

use super::rules::DreamRules;
use crate::config::DreamConfig;
use crate::fact::DreamFact;
use crate::imagine::tuning::TunedBy;
use crate::liminal::OnsetAlarm;
use crate::seen::DreamSeen;
use golem_core::dice::Dice;
use golem_core::intent::Holdings;
use golem_core::model::ModelTier;
use golem_core::{Asset, Usdc};
use golem_grimoire::Situation;
use golem_grimoire::grimoire::DreamDesk;
use golem_grimoire::staging::UnfinishedHypothesis;
use std::collections::BTreeSet;

/// Everything that a stage is given. There is no way to money or to the live chain in it.
pub struct DreamRoom<'a, 'g> {
    pub seen: &'a DreamSeen,
    pub config: &'a DreamConfig,
    pub rules: &'a DreamRules,
    pub desk: &'a mut DreamDesk<'g>,
    pub dice: &'a Dice,
    /// Where the golem stands.
    pub here: Situation,
    pub held: HeldNow,
    /// What should wake it before it is asleep, and whether less is traded than usual.
    pub onset_alarm: Option<OnsetAlarm>,
    pub is_thin: bool,
    /// `market.volatility` as it was last observed.
    pub market_volatility: Option<f64>,
    /// How it feels: pleasure, arousal, dominance.
    pub mood: Option<[f32; 3]>,
    /// How its mood weighs the parts of a dream.
    pub weights: DreamWeights,
    /// Parameters of its template that can be tried on a copy.
    pub tunables: &'a [Tunable],
    /// Which models there are to ask.
    pub models: DreamModels,
    /// What those before have left for its dreams.
    pub line: LineOfDreams<'a>,
    pub told: &'a mut Vec<DreamFact>,
}

/// What a line of golems has left for the dreams of its heir; nothing for a first ancestor.
pub struct LineOfDreams<'a> {
    /// What was unfinished, the most promising first.
    pub unfinished: &'a [UnfinishedHypothesis],
    /// The places of those that were taken up.
    pub taken: &'a mut BTreeSet<u32>,
    /// What those before have dreamt already.
    pub dreamt: &'a [String],
}

/// A parameter that can be tried on a copy: its key, its value, the values to hold against it, and how each is kept up.
#[derive(Debug, Clone, PartialEq)]
pub struct Tunable {
    pub parameter: String,
    pub current: f64,
    pub values: Vec<f64>,
    pub by: TunedBy,
}

/// The models that a dream may ask: none in lives without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DreamModels {
    /// A small one.
    pub t1: bool,
    /// A large one.
    pub t2: bool,
}

impl DreamModels {
    #[must_use]
    pub fn any(self) -> bool {
        self.t1 || self.t2
    }
    /// The tier that is asked where this one is wanted: who has only one model asks that one.
    #[must_use]
    pub fn serving(self, wanted: ModelTier) -> ModelTier {
        match wanted {
            ModelTier::T1 if !self.t1 && self.t2 => ModelTier::T2,
            ModelTier::T2 if !self.t2 => ModelTier::T1,
            tier => tier,
        }
    }
}

/// What the golem holds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HeldNow {
    pub holdings: Holdings,
    pub worth: Usdc,
    /// Share of it that follows the price.
    pub exposure: f64,
    /// The trade that is open, or was last.
    pub trade: u64,
    pub in_trade: bool,
}

impl HeldNow {
    /// Whether anything could be lost.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.holdings.asset > Asset::ZERO || self.holdings.liquidity > 0
    }
}

/// How a mood weighs the parts of a dream; 1 is as it was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DreamWeights {
    pub replay: f64,
    pub creative: f64,
    pub threat: f64,
}

impl Default for DreamWeights {
    fn default() -> Self {
        Self { replay: 1.0, creative: 1.0, threat: 1.0 }
    }
}

impl DreamWeights {
    /// So many, by a weight: at least one where there was one, at most twice as many.
    #[must_use]
    pub fn scaled(n: u32, by: f64) -> u32 {
        let by = if by.is_finite() { by.clamp(0.0, 2.0) } else { 1.0 };
        let scaled = libm::round(f64::from(n) * by) as u32;
        if n == 0 { 0 } else { scaled.max(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mood_shifts_what_is_open_and_opens_nothing() {
        for (n, by, expected) in [(0, 2.0, 0), (4, 1.0, 4), (4, 1.5, 6), (4, 0.1, 1), (4, 9.0, 8), (4, f64::NAN, 4)] {
            assert_eq!(DreamWeights::scaled(n, by), expected, "{n} by {by}");
        }
    }
}

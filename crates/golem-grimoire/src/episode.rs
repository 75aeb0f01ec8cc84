//! An episode: something that happened to the golem, kept with its situation, its figures and its words.

use crate::choices::Counterfactual;
use crate::situation::Situation;
use golem_core::intent::Outcome;
use golem_core::{Intent, Point, Regime, Tick, Timestamp, Usdc, UsdcDelta, VirtualTime};
use serde::{Deserialize, Serialize};

/// The number of an episode in its golem's life, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct EpisodeId(pub u64);

/// What happened. Never changes once written; what is learnt about it later is in its [`Marks`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Episode {
    /// Its number.
    pub id: EpisodeId,
    /// The turn.
    pub tick: Tick,
    /// Age of the golem: what as-of questions go by.
    pub age: VirtualTime,
    /// When, for people.
    pub at: Timestamp,
    /// What kind of thing it was.
    pub kind: EpisodeKind,
    /// Where the golem stood.
    pub situation: Situation,
    /// In words, one line.
    pub text: String,
    /// The weather.
    pub regime: Regime,
    /// What was done, where something was.
    pub deed: Option<EpisodeDeed>,
    /// How wrong the expectation was, in usual errors.
    pub surprise: f32,
    /// Good, bad or neither, as far as the turn itself could tell.
    pub went: Went,
    /// How much it matters.
    pub importance: Importance,
    /// What it cost: the gas of an action, and with the turn's first episode what was thought about it.
    pub cost: Usdc,
    /// How it felt (pleasure, arousal, dominance), where affect is on.
    pub affect: Option<[f32; 3]>,
}

/// An outcome within so many basis points of nothing is neither good nor bad.
const NOTHING_BPS: f32 = 1.0;

impl Episode {
    /// How much it still stirs, from 0 to 1: its arousal, as far as dreams have left it.
    #[must_use]
    pub fn arousal(&self, marks: &Marks) -> f32 {
        let left = self.affect.map_or(0.0, |[_, arousal, _]| arousal) * marks.stirs;
        if left.is_finite() { left.clamp(0.0, 1.0) } else { 0.0 }
    }
    /// Whether it went well, as far as anybody knows.
    #[must_use]
    pub(crate) fn went_well(&self, marks: &Marks) -> Option<bool> {
        match (marks.outcome_bps, self.went) {
            (Some(bps), _) => (bps.abs() > NOTHING_BPS).then_some(bps > 0.0),
            (None, Went::Positive) => Some(true),
            (None, Went::Negative) => Some(false),
            (None, Went::Neutral | Went::Descriptive) => None,
        }
    }
}

/// An episode without its number and its situation, which have columns of their own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpisodeRest {
    tick: Tick,
    age: VirtualTime,
    at: Timestamp,
    kind: EpisodeKind,
    text: String,
    regime: Regime,
    deed: Option<EpisodeDeed>,
    surprise: f32,
    went: Went,
    importance: Importance,
    cost: Usdc,
    affect: Option<[f32; 3]>,
}

impl Episode {
    /// What is kept besides its number and its situation.
    #[must_use]
    pub fn body(&self) -> EpisodeRest {
        let Self {
            id: _,
            tick,
            age,
            at,
            kind,
            situation: _,
            text,
            regime,
            deed,
            surprise,
            went,
            importance,
            cost,
            affect,
        } = self.clone();
        EpisodeRest { tick, age, at, kind, text, regime, deed, surprise, went, importance, cost, affect }
    }
    /// The whole again.
    #[must_use]
    pub fn from_body(id: EpisodeId, situation: Situation, rest: EpisodeRest) -> Self {
        let EpisodeRest { tick, age, at, kind, text, regime, deed, surprise, went, importance, cost, affect } = rest;
        Self { id, tick, age, at, kind, situation, text, regime, deed, surprise, went, importance, cost, affect }
    }
}

/// An action and its receipt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpisodeDeed {
    /// What was wanted.
    pub intent: Intent,
    /// Where on the chain it happened, so that it can be forked there.
    pub point: Point,
    /// The trade it belongs to: from the first exposure to the last, numbered in the life.
    pub trade: u64,
    /// What the preview said of the amount out, in basis points of the spot quote.
    pub predicted_bps: Option<f64>,
    /// What came.
    pub actual_bps: Option<f64>,
    /// Profit or loss that it realised.
    pub realised: UsdcDelta,
    /// What the receipt says was given and got.
    #[serde(default)]
    pub outcome: Option<Outcome>,
    /// True when it was done on paper only, because the real thing was closed to it.
    pub on_paper: bool,
}

impl EpisodeDeed {
    /// True where the chain carried something out for it: not refused, not held back, not only on paper.
    #[must_use]
    pub fn was_carried_out(&self) -> bool {
        let was_done = self.outcome.is_some_and(|outcome| !matches!(outcome, Outcome::Refused { .. } | Outcome::Held));
        was_done && !self.on_paper
    }
}

/// What kind of thing an episode was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EpisodeKind {
    /// A surprise that settled.
    Observation,
    /// Something was done.
    Action,
    /// The weather changed.
    RegimeShift,
    /// A notable event of the golem's own life: phase, breaker, halt, owner.
    Event,
}

/// How something went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Went {
    /// Well.
    Positive,
    /// Badly.
    Negative,
    /// Neither.
    Neutral,
    /// It was only watched.
    Descriptive,
}

/// How much an episode matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Importance {
    /// Like many.
    Routine,
    /// Worth a second look.
    Notable,
    /// Money or knowledge was at stake.
    Critical,
    /// Life was.
    Emergency,
}

/// What is learnt about an episode after it was written.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Marks {
    /// How firmly it is remembered: grows when it helps, at most 8.
    pub strength: f32,
    /// How often it was replayed.
    pub replays: u32,
    /// When last.
    pub replayed: Option<VirtualTime>,
    /// True when the next dream should take it first.
    pub dream_priority: bool,
    /// True when the curator has distilled it.
    pub consolidated: bool,
    /// What the better alternative would have brought more, in basis points of wealth, once that is known.
    pub regret_bps: Option<f32>,
    /// What came of it over the horizon, in basis points of wealth, once that is known.
    pub outcome_bps: Option<f32>,
    /// The best of the other choices there were, and what it would have brought.
    #[serde(default)]
    pub instead: Option<Counterfactual>,
    /// The share of what was felt that dreams have left. Left out where none has taken any, so that a life without dreams is
    /// as it was.
    #[serde(default = "whole", skip_serializing_if = "is_whole")]
    pub stirs: f32,
    /// True when dreams are done with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub let_go: bool,
}

fn whole() -> f32 {
    1.0
}
fn is_whole(stirs: &f32) -> bool {
    stirs.to_bits() == whole().to_bits()
}

impl Default for Marks {
    fn default() -> Self {
        Self {
            strength: 1.0,
            replays: 0,
            replayed: None,
            dream_priority: false,
            consolidated: false,
            regret_bps: None,
            outcome_bps: None,
            instead: None,
            stirs: 1.0,
            let_go: false,
        }
    }
}

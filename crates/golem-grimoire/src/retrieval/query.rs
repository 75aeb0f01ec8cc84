//! What is asked of memory, and how the answer is weighed.

use crate::entry::{EntryBody, EntryId};
use crate::relevance::WeatherWeights;
use crate::situation::Situation;
use crate::standing::Standing;
use golem_core::door::Embedding;
use golem_core::observed::Snapshot;
use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};

/// What was known at a time, and how it stood then. Nothing learnt later may come out of it: what it yields is all that a
/// retrieval sees.
pub trait Library {
    /// Gives every entry that had been learnt by then, with its standing as of then. The order does not matter.
    fn as_of<'a>(&'a self, t: VirtualTime, give: &mut dyn FnMut(KnownEntry<'a>));
}

/// One entry as it stood.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnownEntry<'a> {
    /// Which.
    pub id: EntryId,
    /// What is believed.
    pub body: &'a EntryBody,
    /// How it stood.
    pub standing: &'a Standing,
    /// How it felt when it was learnt (pleasure, arousal, dominance), where affect is on.
    pub affect: Option<[f32; 3]>,
}

/// A question to memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// As of when.
    pub as_of: VirtualTime,
    /// Where the golem stands.
    pub situation: Option<Situation>,
    /// What it sees: entries that say when they hold are asked. Without it nobody is.
    pub seen: Option<Snapshot>,
    /// In words.
    pub text: String,
    /// The words as a vector.
    pub embedding: Option<Embedding>,
    /// The weather.
    pub weather: WeatherWeights,
    /// How it feels (pleasure, arousal, dominance), where affect is on.
    pub affect: Option<[f32; 3]>,
    /// True when something that speaks against the rest is wanted too: every 100th tick.
    pub contrarian: bool,
    /// True when open questions are wanted, not only answers.
    pub questions: bool,
    /// The most tokens that all hits may have together.
    pub budget: u32,
    /// Relevance against diversity in place of the usual, if anything asks for it.
    pub lambda: Option<f64>,
}

/// The budget when nobody says otherwise.
pub const BUDGET: u32 = 500;
/// A contrarian draw is due every so many ticks.
pub const CONTRARIAN_EVERY: u64 = 100;

impl Query {
    /// A question as of a time, with nothing asked yet.
    #[must_use]
    pub fn at(as_of: VirtualTime) -> Self {
        Self {
            as_of,
            situation: None,
            seen: None,
            text: String::new(),
            embedding: None,
            weather: WeatherWeights::default(),
            affect: None,
            contrarian: false,
            questions: false,
            budget: BUDGET,
            lambda: None,
        }
    }
}

/// How hits are weighed and chosen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Weighing {
    /// Of how well it matches: the fused ranks, as a share of the best possible.
    pub rank: f64,
    /// Of effective confidence.
    pub confidence: f64,
    /// Of quality.
    pub quality: f64,
    /// Of how lately it was validated.
    pub recency: f64,
    /// Of how well it fits the weather.
    pub regime: f64,
    /// Of how alike it feels. Counts only where both feelings are known.
    pub affect: f64,
    /// Half of the recency is lost in this time.
    pub fades_in: Elapsed,
    /// Times this, when it is tied to a death.
    pub bloodstain: f64,
    /// Times this, when it came from elsewhere and this golem has not validated it.
    pub unvalidated: f64,
    /// Relevance against diversity: 1 is relevance alone.
    pub lambda: f64,
    /// The most hits.
    pub at_most: usize,
    /// The largest share of the budget for any one origin elsewhere.
    pub share: f64,
    /// Of each list of candidates, so many.
    pub list: usize,
}

impl Default for Weighing {
    fn default() -> Self {
        Self {
            rank: 0.30,
            confidence: 0.25,
            quality: 0.20,
            recency: 0.15,
            regime: 0.10,
            affect: 0.15,
            fades_in: Elapsed::secs(7 * 86_400),
            bloodstain: 1.2,
            unvalidated: 0.8,
            lambda: 0.7,
            at_most: 10,
            share: 0.2,
            list: 20,
        }
    }
}

/// Tokens of a text, estimated: four characters each, rounded up.
#[must_use]
pub fn tokens(text: &str) -> u32 {
    u32::try_from(text.chars().count().div_ceil(4)).unwrap_or(u32::MAX)
}

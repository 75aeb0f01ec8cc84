//! What one turn works with and the next one does not need: its facts, and what an earlier step leaves for a later one.

use crate::fact::Fact;
use crate::input::TickInput;
use crate::turn_end::{Reply, Word};
use golem_cage::GoingLeave;
use golem_clade::ingest::ChainSaid;
use golem_clade::kin::KinLetter;
use golem_core::door::ClaimRequest;
use golem_core::fact::Envelope;
use golem_core::intent::{Asset, Holdings};
use golem_core::model::{ModelMessage, ModelRequest, ModelTier, ToolCall};
use golem_core::observed::Snapshot;
use golem_core::{HomeSum, Intent, Point, Preview, Regime, Seq, Usdc, UsdcDelta};
use golem_daimon::affect::{Event, ModelAppraisal};
use golem_dreams::DreamSeen;
use golem_grimoire::change::TextSubject;
use golem_grimoire::credit::Used;
use golem_grimoire::playbook::RuleId;
use golem_grimoire::testament::TestamentSource;
use golem_grimoire::{Change, EntryId};
use golem_mind::cache::Stance;
use golem_mind::deliberate::Called;
use golem_mind::policy::{Act, Because};
use golem_mind::tier::Gating;
use golem_mind::{Guidance, Permissions, Valuation};
use golem_mortality::{DeathCause, MortalityFact, SettledForecast};
use std::collections::VecDeque;

/// The scratch of the turn that is being lived. It is empty at the beginning of every turn, and never saved.
#[derive(Debug, Default)]
pub(crate) struct TurnScratch {
    /// What is told, in its order.
    pub facts: Vec<Envelope<Fact>>,
    /// Forecasts and previews that reality has judged.
    pub settled: Vec<SettledForecast>,
    /// The death that was ordered, and the fact of the order.
    pub ordered: Option<DeathCause>,
    pub order_seq: Option<Seq>,
    pub replies: Vec<Reply>,
    /// Orders whose words are answered at the end of the turn.
    pub told: Vec<u64>,
    /// Facts that are told when the lifespan runs.
    pub mortality: Vec<MortalityFact>,
    /// What was permitted, as the diagnostics see it: size, width, exposure.
    pub action: [f64; 3],
    pub wished: Vec<Wished>,
    /// What strangers have put into the account of one that goes home.
    pub gifts: GiftsLeft,
    /// What may leave the books in this turn: given by the way home alone.
    pub leave: GoingLeave,
    /// Why each wish was made, and the rules of the playbook that were in force.
    pub because: Vec<Because>,
    pub rules: Vec<RuleId>,
    pub known: Known,
    /// A stance that was thought through before.
    pub stance: Option<Stance>,
    /// Deciding waits for vectors.
    pub recall: Option<Box<AwaitedVectors>>,
    /// A deliberation on its way.
    pub thinking: Option<Box<Thinking>>,
    /// How much thinking there was: 0 is none.
    pub tier: u8,
    /// What was paid for gas in this turn.
    pub gas: Usdc,
    /// What thinking and vectors cost in this turn, until an episode has it.
    pub spent: Usdc,
    /// What a model says to the owner.
    pub spoken: Option<String>,
    /// What happened inwardly.
    pub felt: Felt,
    /// What peers are told.
    pub peers: Vec<Word>,
    /// What siblings are told over the relay.
    pub kin: Vec<KinLetter>,
    /// The largest threat that siblings have told of.
    pub threat: f64,
    /// What each wish was worth by the preview and by the receipt, in basis points of the spot quote.
    pub outcomes: Vec<Option<(f64, f64)>>,
    /// Profit or loss that each wish realised.
    pub realised: Vec<UsdcDelta>,
    /// What it was worth when it decided.
    pub valued: Valuation,
    /// A paused golem answered its mail: nothing else happened, and no time passed.
    pub idle: bool,
    /// Its death was on record before this turn began: a stage of dying passes, and nothing else.
    pub dying: bool,
    /// The share of its usual risk that what it has rehearsed leaves; none is all of it.
    pub alarm: Option<f64>,
    /// It slept through this turn.
    pub slept: bool,
    /// A stage of a dream waits for what comes of its runs.
    pub dreams_on: bool,
    /// Children wait for what comes of their runs.
    pub phages_on: bool,
    /// What was carried out, for children who would not have.
    pub done: Vec<Intent>,
    /// Children that wanted something else than was decided.
    pub shadows: Vec<ShadowWish>,
    /// A dream waits for what a model says.
    pub dream_talk: Option<Box<DreamTalk>>,
    /// What is to go home again, while a model is asked.
    pub late: Vec<Intent>,
    /// What a model says of the testament.
    pub telling: Option<Box<AwaitedTelling>>,
    /// The golem as its dreams see it, until the turn's end.
    pub dream_seen: Option<DreamSeen>,
    /// The latest look at new episodes left something open.
    pub unresolved: bool,
    /// What comes in waits for what the chain says of it.
    pub chain_asked: Option<Box<AskedOfChain>>,
    /// What the chain said.
    pub chain_said: ChainSaid,
    /// Where on the chain it looked in this turn.
    pub point: Option<Point>,
    /// Rows for the file that are no part of memory.
    pub rows: Vec<Change>,
}

/// A turn that waits for its chain before anything is heard.
#[derive(Debug)]
pub(crate) struct AskedOfChain {
    pub request: ClaimRequest,
    pub input: TickInput,
}

/// What stands in an account and is nobody's by the golem's books.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct GiftsLeft {
    pub usdc: Usdc,
    pub asset: Asset,
    pub positions: u64,
    /// Whether somebody added to its own position.
    pub added: bool,
}

impl GiftsLeft {
    /// What stays behind, and why.
    pub(crate) fn left(self) -> impl Iterator<Item = (HomeSum, String)> {
        let why = "a stranger's gift: it is in no book, and stays where it is".to_owned();
        let sums = [HomeSum::Usdc(self.usdc), HomeSum::Asset(self.asset)];
        let positions = match self.positions {
            0 => None,
            1 => Some("a position that a stranger gave stays where it is".to_owned()),
            n => Some(format!("{n} positions that strangers gave stay where they are")),
        };
        let added = self.added.then(|| "liquidity that a stranger added to its position stays there".to_owned());
        let tokens = sums.into_iter().filter(|sum| !sum.is_nothing()).map(move |sum| (sum, why.clone()));
        tokens.chain(positions.into_iter().chain(added).map(|why| (HomeSum::Usdc(Usdc::ZERO), why)))
    }
}

/// A wish of this turn and the verdict on it.
#[derive(Debug)]
pub(crate) struct Wished {
    pub preview: Preview,
    pub permit: Option<u64>,
    pub decided: Option<Seq>,
    /// Why there is no permit.
    pub refused: Option<NotPermitted>,
}

/// What a child would have wanted where its parent decided.
#[derive(Debug, Clone)]
pub(crate) struct ShadowWish {
    pub phage: u64,
    /// The rule that it does without.
    pub rule: Option<EntryId>,
    pub wanted: Vec<Intent>,
}

/// Why a wish was not permitted, as far as whoever must try again needs to know.
#[derive(Debug, Clone)]
pub(crate) struct NotPermitted {
    pub why: String,
    /// Less of it might pass.
    pub too_large: bool,
    /// No later turn can change that.
    pub for_good: bool,
}

/// What weighing and recalling found, for what comes later in the turn.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Everything that could be observed.
    pub snapshot: Snapshot,
    /// Entries that guided the decision.
    pub used: Used,
    /// The weather before this turn, when it changed.
    pub shifted_from: Option<Regime>,
    /// Whether the error was above the threshold.
    pub escalated: bool,
}

/// What a turn hands to the inner life.
#[derive(Debug, Default)]
pub(crate) struct Felt {
    pub events: Vec<Event>,
    /// What a model says it feels.
    pub appraisal: Option<ModelAppraisal>,
    /// What a model says of its suffering.
    pub assessment: Option<serde_json::Value>,
}

/// What a decision stands on, whoever decides.
#[derive(Debug, Clone)]
pub(crate) struct DecisionGrounds {
    pub guidance: Guidance,
    pub may: Permissions,
    pub holdings: Holdings,
    pub value: Valuation,
}

/// Deciding waits for vectors: how much the turn is worth, and whose texts were sent along.
#[derive(Debug)]
pub(crate) struct AwaitedVectors {
    pub gating: Gating,
    pub of: Vec<TextSubject>,
}

/// A deliberation on its way.
#[derive(Debug)]
pub(crate) struct Thinking {
    pub tier: ModelTier,
    pub grounds: DecisionGrounds,
    pub request: ModelRequest,
    pub rounds: u32,
    /// Calls that wait for their answer, and the one that waits for somebody else's.
    pub calls: VecDeque<ToolCall>,
    pub waiting: Option<(ToolCall, WaitingCall)>,
    pub results: Vec<ModelMessage>,
    /// What it wishes for.
    pub committed: Option<Committed>,
    pub shown: Vec<EntryId>,
    pub tokens: u64,
    /// What it may cost, and what it has cost.
    pub max_cost: Usdc,
    pub cost: Usdc,
}

/// A question of a dream on its way: as it stands, and how often it was asked.
#[derive(Debug)]
pub(crate) struct DreamTalk {
    pub request: ModelRequest,
    pub rounds: u32,
}

/// A testament that a model was asked to tell.
#[derive(Debug)]
pub(crate) struct AwaitedTelling {
    /// Who was asked.
    pub tier: Option<ModelTier>,
    /// The records that it was shown, by their labels.
    pub records: Vec<TestamentSource>,
    /// What it said, or why it said nothing.
    pub said: Result<String, String>,
    pub cost: Usdc,
}

impl AwaitedTelling {
    /// Nobody is asked.
    pub(crate) fn refused(tier: Option<ModelTier>, why: &str) -> Self {
        Self { tier, records: Vec::new(), said: Err(why.to_owned()), cost: Usdc::ZERO }
    }
}

/// What a call waits for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum WaitingCall {
    /// The hands, to say what an action would do.
    Preview,
    /// An embedder, for the vector of what is searched for.
    Vector(Called),
}

/// What it has said it wants done.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Committed {
    pub act: Act,
    pub share: f64,
    pub confidence: f64,
    pub reason: String,
}

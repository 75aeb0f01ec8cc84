//! Everything a life reports: the rooms' facts and the turn's own, under one roof.

use crate::input::Ask;
use golem_cage::CageFact;
use golem_core::fact::FactBody;
use golem_core::{Asset, Book, Hash, Intent, OutcomeVerification, Regime, Tick, Usdc};
use golem_grimoire::curator::CycleReport;
use golem_mind::goals::GoalFact;
use golem_mortality::economic::{Denied, Purpose};
use golem_mortality::{Domain, GolemMode, MortalityFact};
use serde::Serialize;

/// A fact of a life.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Fact {
    /// The mortality rules'.
    Mortality(MortalityFact),
    /// The cage's.
    Cage(Box<CageFact>),
    /// The turn's own.
    Life(LifeFact),
}

impl FactBody for Fact {
    fn name(&self) -> &'static str {
        match self {
            Self::Mortality(fact) => fact.name(),
            Self::Cage(fact) => fact.name(),
            Self::Life(fact) => fact.name(),
        }
    }
    fn is_series(&self) -> bool {
        match self {
            Self::Mortality(fact) => fact.is_series(),
            Self::Cage(fact) => fact.is_series(),
            Self::Life(fact) => fact.is_series(),
        }
    }
}

/// A fact of the turn.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type")]
pub enum LifeFact {
    /// The first turn began.
    #[serde(rename = "life.born")]
    Born {
        /// Hash of the sealed secret.
        commitment: Hash,
        /// What it was given.
        #[serde(rename = "funded_micro_usdc")]
        funded: Usdc,
        /// 0 for a first ancestor.
        generation: u32,
    },
    /// A turn was taken (every turn).
    #[serde(rename = "heartbeat.tick")]
    Tick {
        /// Turn; on the wire it is the envelope's.
        #[serde(skip)]
        tick: Tick,
        /// 0: no model was asked.
        tier: u8,
        /// How wrong expectations were, in [0, 1].
        prediction_error: f64,
        /// Market regime.
        regime: Regime,
    },
    /// A forecast was settled by reality (every turn).
    #[serde(rename = "prediction.resolved")]
    PredictionResolved {
        /// In which domain.
        domain: Domain,
        /// What was said.
        predicted: f64,
        /// What happened.
        actual: f64,
        /// Whether the class was right.
        hit: bool,
    },
    /// The weather changed.
    #[serde(rename = "market.regime_change")]
    RegimeChange {
        /// Before.
        from: Regime,
        /// After.
        to: Regime,
    },
    /// Numbers were stopped at the boundary.
    #[serde(rename = "market.rejected")]
    Rejected {
        /// How many.
        fields: u8,
    },
    /// The golem decided to act.
    #[serde(rename = "action.decided")]
    Decided {
        /// What.
        action: Intent,
    },
    /// The world answered.
    #[serde(rename = "action.outcome")]
    Outcome {
        /// Prediction and reality.
        #[serde(flatten)]
        verification: Box<OutcomeVerification>,
        /// Predicted amount out against the spot quote, in basis points.
        predicted_bps: Option<f64>,
        /// Actual amount out against the spot quote, in basis points.
        actual_bps: Option<f64>,
    },
    /// Proposals came to an end.
    #[serde(rename = "grimoire.swept")]
    StagingSwept {
        /// Became knowledge.
        promoted: u32,
        /// Did not come true.
        refuted: u32,
        /// Had their chances.
        expired: u32,
    },
    /// The curator worked.
    #[serde(rename = "grimoire.curated")]
    Curated {
        /// What it did.
        report: Box<CycleReport>,
    },
    /// The playbook has a new revision.
    #[serde(rename = "playbook.revised")]
    PlaybookRevised {
        /// Its number.
        revision: u32,
    },
    /// The owner edited the playbook.
    #[serde(rename = "playbook.edited")]
    PlaybookEdited {
        /// Rules that were added, changed or taken out.
        changes: u32,
        /// What could not be taken.
        problems: Vec<String>,
    },
    /// Something became of a goal.
    #[serde(rename = "mind.goal")]
    Goal {
        /// What.
        goal: GoalFact,
    },
    /// The chain changed its mind about an effect.
    #[serde(rename = "chain.reorged")]
    Reorged {
        /// The effect's key.
        key: String,
        /// True when something booked was taken back.
        was: bool,
        /// True when something else holds now.
        now: bool,
    },
    /// The chain's book and the golem's own say different things.
    #[serde(rename = "chain.books_differ")]
    BooksDiffer {
        /// The asset by its own book.
        asset: Asset,
        /// Liquidity by its own book.
        #[serde(with = "golem_core::digits")]
        liquidity: u128,
        /// The chain's.
        chain: Box<Book>,
    },
    /// More left the account than its capital held: owed by operating credit.
    #[serde(rename = "economy.overdrawn")]
    Overdrawn {
        /// How much.
        #[serde(rename = "amount_micro_usdc")]
        amount: Usdc,
    },
    /// A wish was not paid.
    #[serde(rename = "economy.denied")]
    Denied {
        /// What for.
        purpose: Purpose,
        /// Why.
        why: Denied,
    },
    /// Money was paid for something other than rent.
    #[serde(rename = "economy.paid")]
    Paid {
        /// What for.
        purpose: Purpose,
        /// How much.
        #[serde(rename = "amount_micro_usdc")]
        amount: Usdc,
    },
    /// The owner gave more.
    #[serde(rename = "economy.fed")]
    Fed {
        /// How much.
        #[serde(rename = "amount_micro_usdc")]
        amount: Usdc,
    },
    /// An order was taken from the inbox.
    #[serde(rename = "owner.order")]
    Order {
        /// Its number.
        id: u64,
        /// What was asked.
        #[serde(flatten)]
        ask: Ask,
    },
    /// The golem's mode changed.
    #[serde(rename = "mode_change")]
    ModeChange {
        /// Now.
        mode: GolemMode,
        /// Turn; on the wire it is the envelope's.
        #[serde(skip)]
        tick: Tick,
    },
}

impl FactBody for LifeFact {
    fn name(&self) -> &'static str {
        match self {
            Self::Born { .. } => "life.born",
            Self::Tick { .. } => "heartbeat.tick",
            Self::PredictionResolved { .. } => "prediction.resolved",
            Self::RegimeChange { .. } => "market.regime_change",
            Self::Rejected { .. } => "market.rejected",
            Self::Decided { .. } => "action.decided",
            Self::Outcome { .. } => "action.outcome",
            Self::StagingSwept { .. } => "grimoire.swept",
            Self::Curated { .. } => "grimoire.curated",
            Self::PlaybookRevised { .. } => "playbook.revised",
            Self::PlaybookEdited { .. } => "playbook.edited",
            Self::Goal { .. } => "mind.goal",
            Self::Reorged { .. } => "chain.reorged",
            Self::BooksDiffer { .. } => "chain.books_differ",
            Self::Overdrawn { .. } => "economy.overdrawn",
            Self::Denied { .. } => "economy.denied",
            Self::Paid { .. } => "economy.paid",
            Self::Fed { .. } => "economy.fed",
            Self::Order { .. } => "owner.order",
            Self::ModeChange { .. } => "mode_change",
        }
    }
    fn is_series(&self) -> bool {
        matches!(self, Self::Tick { .. } | Self::PredictionResolved { .. })
    }
}

//! Everything a life reports: the rooms' facts and the turn's own, under one roof.

use crate::input::Ask;
use golem_cage::CageFact;
use golem_clade::inheritance::IntakeReport;
use golem_core::door::EffectKey;
use golem_core::fact::FactBody;
use golem_core::intent::Outcome;
use golem_core::model::{ModelAttempt, ModelFailure, ModelTier};
use golem_core::{Asset, Book, GolemId, Hash, Intent, OutcomeVerification, Regime, Tick, Usdc, UsdcDelta};
use golem_daimon::affect::{AffectFact, Pad};
use golem_daimon::gate::GateFact;
use golem_daimon::suffering::{ItemAnswer, SufferingFact};
use golem_dreams::DreamFact;
use golem_dreams::phage::PhageFact;
use golem_grimoire::EntryId;
use golem_grimoire::curator::CycleReport;
use golem_grimoire::playbook::RuleId;
use golem_grimoire::testament::{ArcKind, HomeReport, SettlementReport};
use golem_mind::cache::Stance;
use golem_mind::goals::GoalFact;
use golem_mind::policy::{Act, Because};
use golem_mind::tier::Gating;
use golem_mortality::dying::DeathBudget;
use golem_mortality::economic::{Purpose, PurseDenied};
use golem_mortality::{Domain, GolemMode, MortalityFact};
use serde::{Deserialize, Serialize};

/// A fact of a life.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Fact {
    /// The mortality rules'.
    Mortality(MortalityFact),
    /// The cage's.
    Cage(Box<CageFact>),
    /// The inner life's.
    Daimon(Box<DaimonFact>),
    /// The turn's own.
    Life(LifeFact),
    /// A dream's.
    Dream(Box<DreamFact>),
    /// Of its short-lived children.
    Phage(Box<PhageFact>),
}

/// A fact of the inner life.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum DaimonFact {
    /// What was felt.
    Affect(AffectFact),
    /// What was suffered.
    Suffering(SufferingFact),
    /// What was denied.
    Gate(GateFact),
}

impl DaimonFact {
    /// Whether a stressor began to weigh.
    #[must_use]
    pub fn is_onset(&self) -> bool {
        matches!(self, Self::Suffering(SufferingFact::Onset { .. }))
    }
}

impl FactBody for DaimonFact {
    fn name(&self) -> &'static str {
        match self {
            Self::Affect(fact) => fact.name(),
            Self::Suffering(fact) => fact.name(),
            Self::Gate(fact) => fact.name(),
        }
    }
}

impl Fact {
    /// The names of all kinds, as they stand in files.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let daimon = [AffectFact::NAMES, SufferingFact::NAMES, GateFact::NAMES];
        let rooms = [MortalityFact::NAMES, CageFact::NAMES, LifeFact::NAMES, DreamFact::NAMES, PhageFact::NAMES];
        rooms.into_iter().chain(daimon).flatten().copied()
    }
}

impl FactBody for Fact {
    fn name(&self) -> &'static str {
        match self {
            Self::Mortality(fact) => fact.name(),
            Self::Cage(fact) => fact.name(),
            Self::Daimon(fact) => fact.name(),
            Self::Life(fact) => fact.name(),
            Self::Dream(fact) => fact.name(),
            Self::Phage(fact) => fact.name(),
        }
    }
    fn is_series(&self) -> bool {
        match self {
            Self::Mortality(fact) => fact.is_series(),
            Self::Cage(fact) => fact.is_series(),
            Self::Daimon(fact) => fact.is_series(),
            Self::Life(fact) => fact.is_series(),
            Self::Dream(fact) => fact.is_series(),
            Self::Phage(fact) => fact.is_series(),
        }
    }
}

golem_core::facts! {
/// A fact of the turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum LifeFact {
    /// The first turn began.
    #[serde(rename = "life.born")]
    Born {
        /// Hash of the sealed secret.
        commitment: Hash,
        #[serde(rename = "funded_micro_usdc")]
        funded: Usdc,
        /// 0 for a first ancestor.
        generation: u32,
        /// The personality, where it was drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        temperament: Option<Pad>,
    },
    /// An heir took in what it inherits.
    #[serde(rename = "inheritance.taken_in")]
    Inherited {
        /// Whose death it comes from.
        from: GolemId,
        #[serde(flatten)]
        report: IntakeReport,
    },
    /// An heir took up what its predecessor was still testing.
    #[serde(rename = "inheritance.hypotheses")]
    HypothesesTaken {
        /// Left unfinished.
        left: u32,
        /// Staged here, to be tested from the beginning.
        staged: u32,
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
        regime: Regime,
    },
    /// A forecast was settled by reality (every turn).
    #[serde(rename = "prediction.resolved")]
    PredictionResolved {
        domain: Domain,
        predicted: f64,
        actual: f64,
        /// Whether the class was right.
        hit: bool,
    },
    /// The weather changed.
    #[serde(rename = "market.regime_change")]
    RegimeChange { from: Regime, to: Regime },
    /// Numbers were stopped at the boundary.
    #[serde(rename = "market.rejected")]
    Rejected { fields: u8 },
    /// The golem decided to act.
    #[serde(rename = "action.decided")]
    Decided { action: Intent },
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
        /// The price by which it was booked.
        #[serde(default)]
        price: Option<f64>,
        /// Profit or loss that it realised by the golem's own books: average cost, gas not counted.
        #[serde(default, rename = "realised_micro_usdc")]
        realised: Option<UsdcDelta>,
        /// The clause of the policy that asked for it.
        #[serde(default)]
        because: Option<Because>,
        /// The rules of the playbook that were in force.
        #[serde(default)]
        rules: Vec<RuleId>,
    },
    /// The turn was given a tier. Only where there are models.
    #[serde(rename = "heartbeat.tier_selected")]
    TierSelected {
        /// Which, why, and what kept it from more.
        #[serde(flatten)]
        gating: Gating,
    },
    /// A decision that was thought through before was taken again.
    #[serde(rename = "inference.cache_hit")]
    CacheHit {
        /// The prediction error that would have asked for a model.
        pe: f64,
    },
    /// A provider was tried.
    #[serde(rename = "inference.end")]
    Inference {
        tier: ModelTier,
        /// What it used and cost, and why it failed if it did.
        #[serde(flatten)]
        attempt: Box<ModelAttempt>,
    },
    /// An embedder elsewhere was asked for vectors.
    #[serde(rename = "inference.embedded")]
    Embedded {
        /// How many texts that are kept.
        texts: u32,
        /// How many vectors of them came.
        came: u32,
        /// Whether what is searched for has one.
        query: bool,
        /// Tokens that went in.
        tokens: u64,
        /// What it cost.
        cost: Usdc,
        /// Why some or all are missing.
        #[serde(skip_serializing_if = "Option::is_none")]
        failed: Option<ModelFailure>,
    },
    /// A model called a tool.
    #[serde(rename = "tool.end")]
    ToolCalled {
        /// Its name, as the model wrote it.
        tool: String,
        /// Whether there is such a tool and its arguments could be read.
        ok: bool,
    },
    /// Nothing usable came of a deliberation: rules decided.
    #[serde(rename = "mind.thought_failed")]
    ThoughtFailed { tier: ModelTier, why: ModelFailure },
    /// A deliberation came to its end.
    #[serde(rename = "mind.deliberated")]
    Deliberated {
        tier: ModelTier,
        /// Questions.
        rounds: u32,
        /// Tokens, in and out.
        tokens: u64,
        /// What it cost.
        #[serde(rename = "cost_micro_usdc")]
        cost: Usdc,
        /// The stance it took, when it wished for no action.
        stance: Option<Stance>,
        /// The action it wished for, with a share of what there is.
        wish: Option<(Act, f64)>,
        confidence: f64,
        /// Why, in its own words.
        reason: String,
        /// The context policy under which it was shown what it saw.
        context: Hash,
    },
    /// A model said something of its suffering, and this became of each word.
    #[serde(rename = "daimon.assessed")]
    Assessed {
        /// Of what it named.
        new: Vec<ItemAnswer>,
        /// Of what it said to be over.
        resolved: Vec<ItemAnswer>,
        /// What could not be read.
        flaws: Vec<String>,
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
    Curated { report: Box<CycleReport> },
    /// The playbook has a new revision.
    #[serde(rename = "playbook.revised")]
    PlaybookRevised {
        revision: u32,
        /// A dream had found what is new in it, and waking life has confirmed it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        dreamt: bool,
    },
    /// A rule holds nine turns in ten: it left the playbook, and is proposed to the owner as a setting.
    #[serde(rename = "playbook.setting_proposed")]
    SettingProposed {
        /// When it holds and what it does, in words.
        rule: String,
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
    Goal { goal: GoalFact },
    /// The chain changed its mind about an effect.
    #[serde(rename = "chain.reorged")]
    Reorged {
        key: EffectKey,
        /// True when something booked was taken back.
        was: bool,
        /// True when something else holds now.
        now: bool,
        /// What holds now, and its gas in micro-USDC.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        booked: Option<Box<(Outcome, Usdc)>>,
    },
    /// The chain's book and the golem's own say different things.
    #[serde(rename = "chain.books_differ")]
    BooksDiffer {
        /// The dollars that must be there at least by its own book.
        #[serde(default, rename = "amount_micro_usdc")]
        usdc: Usdc,
        /// The asset by its own book.
        asset: Asset,
        /// Liquidity by its own book.
        #[serde(with = "golem_core::digits")]
        liquidity: u128,
        /// The chain's.
        chain: Box<Book>,
    },
    /// The chain's book and the golem's own say the same again.
    #[serde(rename = "chain.books_agree")]
    BooksAgree {},
    /// In its account stands what it never booked: strangers put it there, or its owner has not fed it yet. None of it counts.
    #[serde(rename = "chain.gift")]
    Gift {
        /// USDC.
        #[serde(rename = "amount_micro_usdc")]
        usdc: Usdc,
        /// The asset.
        asset: Asset,
        /// Liquidity in its own position.
        #[serde(with = "golem_core::digits")]
        liquidity: u128,
        /// Positions.
        positions: u64,
    },
    /// More left the account than its capital held: owed by operating credit.
    #[serde(rename = "economy.overdrawn")]
    Overdrawn {
        #[serde(rename = "amount_micro_usdc")]
        amount: Usdc,
    },
    /// A wish was not paid.
    #[serde(rename = "economy.denied")]
    Denied { purpose: Purpose, why: PurseDenied },
    /// Money was paid for something other than rent.
    #[serde(rename = "economy.paid")]
    Paid {
        purpose: Purpose,
        #[serde(rename = "amount_micro_usdc")]
        amount: Usdc,
    },
    /// The owner gave more.
    #[serde(rename = "economy.fed")]
    Fed {
        #[serde(rename = "amount_micro_usdc")]
        amount: Usdc,
    },
    /// What refill had added beyond the bound of operating credit went back to capital.
    #[serde(rename = "economy.returned")]
    Returned {
        #[serde(rename = "amount_micro_usdc")]
        amount: Usdc,
    },
    /// An order was taken from the inbox.
    #[serde(rename = "owner.order")]
    Order {
        id: u64,
        #[serde(flatten)]
        ask: Ask,
    },
    /// It has accepted its death: nothing is wanted any more, and what may be spent at the end is divided.
    #[serde(rename = "dying.accepted")]
    Accepted {
        #[serde(flatten)]
        budget: DeathBudget,
        /// Turns that the settlement may take.
        settlement_turns: u32,
        /// Holdings that are open.
        positions: u32,
        /// Its last mood, where anything is felt.
        mood: Option<String>,
    },
    /// What was open is closed, as far as it could be.
    #[serde(rename = "dying.settled")]
    Settled {
        #[serde(flatten)]
        report: Box<SettlementReport>,
    },
    /// What it had went home, as far as it could.
    #[serde(rename = "dying.home")]
    WentHome {
        #[serde(flatten)]
        report: Box<HomeReport>,
    },
    /// A withdrawal came to its end.
    #[serde(rename = "withdrawn")]
    Withdrawn {
        /// The order's number in the inbox.
        order: u64,
        /// What was asked for; none for all of its capital.
        #[serde(rename = "asked_micro_usdc")]
        asked: Option<Usdc>,
        /// What went home.
        #[serde(rename = "sent_micro_usdc")]
        sent: Usdc,
        /// Turns that it took.
        turns: u32,
        /// Why it was not more, where it was not.
        why: Option<String>,
    },
    /// The testament is written.
    #[serde(rename = "testament.written")]
    TestamentWritten {
        /// Over everything in it.
        checksum: Hash,
        sentences: u32,
        arc: ArcKind,
        last_words: String,
        /// When it was last drafted, where its golem declined before it died.
        drafted: Option<Tick>,
    },
    /// A model was to tell the testament in its own words.
    #[serde(rename = "testament.told")]
    TestamentTold {
        /// Who was asked; none where nobody was.
        tier: Option<ModelTier>,
        /// Sentences that their records bear out, and those that were dropped.
        kept: u32,
        dropped: u32,
        /// What it cost.
        #[serde(rename = "cost_micro_usdc")]
        cost: Usdc,
        /// Why nothing came of it, where nothing did.
        why: Option<String>,
    },
    /// What it learnt from its death is kept.
    #[serde(rename = "testament.bequeathed")]
    Bequeathed {
        /// Entries that are tied to the death.
        bloodstains: Vec<EntryId>,
    },
    /// A sibling said something over the relay.
    #[serde(rename = "clade.heard")]
    KinHeard {
        /// Who.
        from: GolemId,
        /// What kind of thing.
        kind: String,
        /// What came of it.
        came: String,
        /// What it is here, where it was taken in or is known.
        entry: Option<EntryId>,
    },
    /// The golem's mode changed.
    #[serde(rename = "mode_change")]
    ModeChange {
        mode: GolemMode,
        /// Turn; on the wire it is the envelope's.
        #[serde(skip)]
        tick: Tick,
    },
}
}

impl FactBody for LifeFact {
    fn name(&self) -> &'static str {
        self.own_name()
    }
    fn is_series(&self) -> bool {
        matches!(self, Self::Tick { .. } | Self::PredictionResolved { .. })
    }
}

//! A proposal: a change to what the golem believes, with the claim by which reality will judge it.

use crate::claim::Claim;
use crate::entry::{EntryBody, EntryId, Provenance};
use crate::experts::{LevelShare, rate_step};
use crate::series::looks_back;
use crate::subject::statement;
use golem_core::VirtualTime;
use golem_core::observed::{Expression, ExpressionError};
use golem_core::plain;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What is proposed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proposed {
    /// A new entry of any kind.
    Entry(Box<EntryBody>),
    /// A change to the playbook.
    Revision(ProposedRevision),
    /// More or less confidence in an entry.
    Confidence {
        /// Which.
        entry: EntryId,
        /// By how much, in basis points.
        by_bp: i16,
    },
    /// More room for one source in what a model is shown.
    Context(ContextChange),
}

/// A change to the context policy: one source may take a larger share of what memory offers a model. There is none that could
/// give a stranger more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextChange {
    source: Provenance,
    more_bps: u16,
}

impl ContextChange {
    /// So much more, in basis points; none for a source outside of the golem and its line.
    #[must_use]
    pub fn more_for(source: Provenance, more_bps: u16) -> Option<Self> {
        use Provenance::{Dream, Owner, SelfGenerated, Testament};
        matches!(source, SelfGenerated | Owner | Dream | Testament).then_some(Self { source, more_bps })
    }
    #[must_use]
    pub fn source(self) -> Provenance {
        self.source
    }
    #[must_use]
    pub fn more_bps(self) -> u16 {
        self.more_bps
    }
    /// In words.
    #[must_use]
    pub fn in_words(self) -> String {
        let whose = match self.source {
            Provenance::SelfGenerated => "what it has lived",
            Provenance::Owner => "what its owner wrote",
            Provenance::Dream => "what it has dreamt",
            Provenance::Testament => "what it has inherited",
            Provenance::Clade | Provenance::Replicant | Provenance::Marketplace => "what others say",
        };
        format!("{:.0} % more room for {whose} in what a model is shown", f64::from(self.more_bps) / 100.0)
    }
}

/// A change to the playbook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProposedRevision {
    /// A new rule.
    Add(Box<EntryBody>),
    /// A rule in the place of another.
    Replace {
        /// The old one.
        old: EntryId,
        /// The new one.
        new: Box<EntryBody>,
    },
    /// A rule less.
    Retire(EntryId),
}

/// Which places a proposal competes for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProposalPool {
    /// Changes to the playbook.
    Revisions,
    /// Everything else.
    Others,
    /// Fragments from the edge of sleep.
    Liminal,
}

impl ProposalPool {
    /// How many places it has.
    #[must_use]
    pub fn places(self) -> usize {
        match self {
            Self::Revisions => 10,
            Self::Others => 64,
            Self::Liminal => 32,
        }
    }
    /// The confidence that its proposals begin with, in basis points, nearest to what was asked for.
    #[must_use]
    pub fn begin_bp(self, asked: u16) -> u16 {
        match self {
            Self::Revisions | Self::Others => asked.clamp(1_000, 3_000),
            Self::Liminal => 1_500,
        }
    }
}

/// What somebody wants staged.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposalDraft {
    /// What.
    pub change: Proposed,
    /// How reality is to judge it.
    pub claim: Claim,
    /// How often `claim.then` comes true anyway, from 0 to 1; where `claim.unless` is given, among the times when one
    /// of the two does.
    pub base_rate: f64,
    /// Confidence to begin with, in basis points.
    pub confidence_bp: u16,
    /// What it would be good for, from 0 to 1: who has to go when there is no room.
    pub utility: f64,
    /// True for a fragment from the edge of sleep.
    pub liminal: bool,
    /// Who proposes.
    pub source: Provenance,
    /// Among which its evidence counts.
    pub among: LevelShare,
}

impl ProposalDraft {
    /// Which places it competes for.
    #[must_use]
    pub fn pool(&self) -> ProposalPool {
        match self.change {
            _ if self.liminal => ProposalPool::Liminal,
            Proposed::Revision(_) => ProposalPool::Revisions,
            Proposed::Entry(_) | Proposed::Confidence { .. } | Proposed::Context(_) => ProposalPool::Others,
        }
    }
}

/// A staged proposal. Its row in the file is this, as JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// Its number in the life, from 1.
    pub number: u64,
    /// What is proposed.
    pub change: Proposed,
    /// How reality judges it, in canonical text.
    pub claim: Claim,
    /// How often it comes true anyway, as of staging, in basis points.
    pub base_rate_bp: u16,
    /// Stored confidence, in basis points.
    pub confidence_bp: u16,
    /// What it would be good for, in basis points.
    pub utility_bp: u16,
    /// Which places it competes for.
    pub pool: ProposalPool,
    /// Who proposed.
    pub source: Provenance,
    /// When.
    pub staged_at: VirtualTime,
    /// What reality said so far.
    pub trial: Trial,
    /// Where it stands.
    pub status: ProposalStatus,
    /// Its place in a row of its own, where the numbers of proposals are not one row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<ProposalRow>,
    /// What came of living by it on copies, once somebody has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow: Option<ShadowTally>,
}

/// How often living by a proposal, tried on a copy over the lived path, did better and worse than living without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ShadowTally {
    pub better: u32,
    pub worse: u32,
}

impl ShadowTally {
    /// Two trials more against it than for it leave a chance of one in eighty that it helps, each being right nine times in ten.
    #[must_use]
    pub fn speaks_against(&self) -> bool {
        self.worse >= self.better.saturating_add(2)
    }
}

/// The place of a proposal among those of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposalRow {
    pub among: LevelShare,
    /// From 1.
    pub place: u64,
}

/// What reality said so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Trial {
    /// Times the condition held and a check was opened.
    pub opportunities: u32,
    /// Checks that came true.
    pub hits: u32,
    /// Checks that did not.
    pub misses: u32,
    /// Checks that said neither.
    pub unclear: u32,
    /// When the latest check was opened.
    pub opened: Option<VirtualTime>,
    /// When it falls due, while it is open.
    pub due: Option<VirtualTime>,
    /// Evidence against luck, as the logarithm of a wager's wealth in millionths: see [`crate::experts::rate_step`].
    #[serde(default)]
    pub log_evidence: i64,
}

impl Trial {
    /// A check has ended: it came true, it did not, or nobody knows. The wager is on what was known before it.
    pub(super) fn book(&mut self, hit: bool, miss: bool, base_rate: f64) {
        self.due = None;
        if hit || miss {
            let step = rate_step(self.hits, self.misses, base_rate, hit) * 1e6;
            self.log_evidence = self.log_evidence.saturating_add(libm::round(step) as i64);
        }
        let count = match (hit, miss) {
            (true, _) => &mut self.hits,
            (_, true) => &mut self.misses,
            _ => &mut self.unclear,
        };
        *count = count.saturating_add(1);
    }
}

impl Trial {
    /// True when luck would lead here with a chance of at most `level`, however often one looks.
    #[must_use]
    pub fn proves(&self, level: f64) -> bool {
        level > 0.0 && self.log_evidence as f64 / 1e6 >= -libm::log(level)
    }
}

/// Where a proposal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProposalStatus {
    /// It is being tested.
    Staged,
    /// It came true often enough, and passed the gate.
    Promoted(VirtualTime),
    /// It came true often enough, and the gate would not have it.
    TurnedAway(VirtualTime),
    /// It did not come true.
    Refuted(VirtualTime),
    /// It had its chances.
    Expired(VirtualTime),
    /// Something more useful took its place.
    Displaced(VirtualTime),
}

/// A proposal's name: the same for the same change and claim.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProposalKey(pub [u8; 16]);

impl fmt::Display for ProposalKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}
impl fmt::Debug for ProposalKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Proposed {
    /// The body that would become an entry.
    #[must_use]
    pub fn body(&self) -> Option<&EntryBody> {
        match self {
            Self::Entry(body)
            | Self::Revision(ProposedRevision::Add(body) | ProposedRevision::Replace { new: body, .. }) => Some(body),
            Self::Revision(ProposedRevision::Retire(_)) | Self::Confidence { .. } | Self::Context(_) => None,
        }
    }
    /// Put the claim of the body into canonical text, so that the same claim is known again. It is no entry yet, so
    /// nobody has seen its hash.
    pub(super) fn spell_alike(&mut self) {
        let (Self::Entry(body)
        | Self::Revision(ProposedRevision::Add(body) | ProposedRevision::Replace { new: body, .. })) = self
        else {
            return;
        };
        if let Some(claim) = &mut body.claim
            && let Ok(test) = ClaimTest::compile(claim)
        {
            *claim = test.canonical(claim.after_ticks.max(1));
        }
    }
    /// The entry that would change or go.
    #[must_use]
    pub fn target(&self) -> Option<EntryId> {
        match self {
            Self::Confidence { entry, .. } => Some(*entry),
            Self::Revision(ProposedRevision::Replace { old, .. } | ProposedRevision::Retire(old)) => Some(*old),
            Self::Entry(_) | Self::Revision(ProposedRevision::Add(_)) | Self::Context(_) => None,
        }
    }
    /// What is proposed, as a sentence.
    #[must_use]
    pub fn text(&self) -> String {
        match (self, self.body()) {
            (_, Some(body)) => body.text.clone(),
            (Self::Context(change), None) => change.in_words(),
            (_, None) => "a change of confidence".to_owned(),
        }
    }
    /// The proposal's name.
    #[must_use]
    pub fn key(&self, claim: &Claim) -> ProposalKey {
        let what = match self {
            Self::Entry(_) => 0,
            Self::Confidence { by_bp, .. } => 1 + u8::from(*by_bp > 0),
            Self::Revision(ProposedRevision::Add(_)) => 3,
            Self::Revision(ProposedRevision::Replace { .. }) => 4,
            Self::Revision(ProposedRevision::Retire(_)) => 5,
            Self::Context(change) => 6 + change.source as u8,
        };
        let said = self.body().map(|b| statement(b).0);
        let bytes = plain::bytes(&(what, said, self.target(), claim));
        let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 grimoire proposal");
        hasher.update(&bytes);
        let mut key = [0; 16];
        key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        ProposalKey(key)
    }
}

impl Proposal {
    /// Its name.
    #[must_use]
    pub fn key(&self) -> ProposalKey {
        self.change.key(&self.claim)
    }
    /// What it is worth keeping for: use times confidence.
    #[must_use]
    pub fn worth(&self) -> u32 {
        u32::from(self.utility_bp) * u32::from(self.confidence_bp)
    }
    /// The chance of luck at which it counts as proven.
    #[must_use]
    pub fn level(&self) -> f64 {
        let row = self.row.unwrap_or(ProposalRow { among: LevelShare::Staged, place: self.number });
        row.among.level(row.place)
    }
    /// The base rate as a fraction.
    #[must_use]
    pub fn base_rate(&self) -> f64 {
        f64::from(self.base_rate_bp) / 10_000.0
    }
}

/// A claim, ready to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ClaimTest {
    pub(super) when: Expression,
    pub(super) then: Expression,
    pub(super) unless: Option<Expression>,
}

impl ClaimTest {
    pub(super) fn compile(claim: &Claim) -> Result<Self, ExpressionError> {
        let unless = claim.unless.as_deref().map(Expression::compile).transpose()?;
        Ok(Self { when: Expression::compile(&claim.when)?, then: Expression::compile(&claim.then)?, unless })
    }
    /// The claim in canonical text, so that the same claim has the same name however it was typed.
    pub(super) fn canonical(&self, after_ticks: u32) -> Claim {
        Claim {
            when: self.when.source().to_owned(),
            then: self.then.source().to_owned(),
            unless: self.unless.as_ref().map(|u| u.source().to_owned()),
            after_ticks,
        }
    }
    /// The ticks over which its outcome looks back, where it is a move one way held against one the other way.
    pub(super) fn one_way(&self) -> Option<u32> {
        let fields = [self.then.fields(), self.unless.as_ref()?.fields()];
        match fields {
            [[one], [other]] if one == other => looks_back(*one),
            _ => None,
        }
    }
    /// How many expressions a check asks.
    pub(super) fn cost(&self) -> u32 {
        1 + u32::from(self.unless.is_some())
    }
}

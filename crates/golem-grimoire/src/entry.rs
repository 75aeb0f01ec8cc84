//! An entry: something the golem believes. Its body is written once and hashed; its [`Standing`] moves with evidence.

use crate::claim::Claim;
use crate::episode::EpisodeId;
use crate::situation::Situation;
use crate::standing::Standing;
use golem_core::plain;
use golem_core::{Elapsed, GolemId, Hash, Regime, VirtualTime, hex_id};
use golem_mortality::Domain;
use serde::{Deserialize, Serialize};

hex_id!(
    /// An entry's id: the first 16 bytes of the hash of its body, so the same on every golem that has it.
    #[derive(Default)]
    EntryId, 16
);

/// How the tags begin that say who found what a replicant found, and who had sent it.
pub const REPLICANT_TAG: &str = "replicant_id ";
pub const PARENT_TAG: &str = "parent_id ";

/// The five kinds of knowledge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A reusable rule distilled from episodes.
    Insight,
    /// Condition and action: what stands in the playbook.
    Heuristic,
    /// Negative knowledge. It can only ever reduce risk.
    Warning,
    /// One observed variable drives another.
    CausalLink,
    /// Part of a strategy: when to enter, when to leave, how much.
    StrategyFragment,
}

/// How fast it decays without validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecayClass {
    /// Not at all: protocol mechanics.
    Structural,
    /// Half in 14 days: regimes, correlations.
    Regime,
    /// Half in 7 days: signals, patterns.
    Tactical,
    /// Half in 24 hours: the state of the day.
    Ephemeral,
}

/// Where it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// The golem's own experience.
    SelfGenerated,
    /// The owner wrote it.
    Owner,
    /// Its own dream.
    Dream,
    /// A sibling.
    Clade,
    /// A short-lived offspring.
    Replicant,
    /// Bought.
    Marketplace,
    /// A dead predecessor.
    Testament,
}

/// Who learnt it first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EntryOrigin {
    /// The golem.
    pub golem: GolemId,
    /// Its generation.
    pub generation: u32,
}

/// How bad it would be to ignore a warning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningSeverity {
    /// Be a little smaller.
    Low,
    /// Be much smaller.
    Medium,
    /// Open nothing.
    High,
}

/// What a rule does when its condition holds. It names a parameter of the strategy and never an amount, an address or a
/// limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "do")]
pub enum RuleAction {
    /// Multiply a parameter of the template in use, within its range, for as long as the condition holds.
    Scale {
        /// The parameter's key, e.g. `lp_management.range_sigmas`.
        parameter: String,
        /// By what.
        factor: f64,
    },
    /// Take a fraction of the usual risk, from 0 to 1, for as long as the condition holds.
    Risk {
        /// The fraction.
        factor: f64,
    },
    /// Open nothing for as long as the condition holds.
    StandAside,
}

/// What is believed. Never changes: other words are another entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntryBody {
    /// Its kind.
    pub kind: EntryKind,
    /// In words.
    pub text: String,
    /// What reality can check of it.
    pub claim: Option<Claim>,
    /// What to do (heuristics).
    pub action: Option<RuleAction>,
    /// The causal edge it speaks of (causal links).
    pub edge: Option<String>,
    /// How bad (warnings).
    pub severity: Option<WarningSeverity>,
    /// How long it holds at most (warnings).
    pub time_to_live: Option<Elapsed>,
    /// How fast it decays.
    pub decay_class: DecayClass,
    /// The field of forecasting it is about; `None` is general.
    pub domain: Option<Domain>,
    /// The weather it holds in; `None` is any.
    pub regime: Option<Regime>,
    /// Where it came from.
    pub provenance: Provenance,
    /// Who learnt it first.
    pub origin: EntryOrigin,
    /// True when it is causally tied to a death.
    pub is_bloodstain: bool,
    /// True when it is an open question or a gap, not an answer.
    pub is_question: bool,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The situation it is about.
    pub prototype: Option<Situation>,
    /// From when on it was true in the world, as age of the learner.
    pub true_from: VirtualTime,
    /// When this golem learnt it.
    pub learnt_at: VirtualTime,
    /// The episodes it was distilled from.
    pub episodes: Vec<EpisodeId>,
    /// The entries it was made of.
    pub parents: Vec<EntryId>,
}

/// A belief and how it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its id.
    pub id: EntryId,
    /// The hash of its canonical bytes.
    pub hash: Hash,
    /// What is believed.
    pub body: EntryBody,
    /// How it stands.
    pub standing: Standing,
}

impl EntryBody {
    /// Something that this golem learnt now, and nothing said about it yet but its words.
    #[must_use]
    pub fn own(kind: EntryKind, text: String, origin: EntryOrigin, now: VirtualTime) -> Self {
        Self {
            kind,
            text,
            claim: None,
            action: None,
            edge: None,
            severity: None,
            time_to_live: None,
            decay_class: DecayClass::Tactical,
            domain: None,
            regime: None,
            provenance: Provenance::SelfGenerated,
            origin,
            is_bloodstain: false,
            is_question: false,
            tags: Vec::new(),
            prototype: None,
            true_from: now,
            learnt_at: now,
            episodes: Vec::new(),
            parents: Vec::new(),
        }
    }
    /// Whose death paid for it, where one did.
    #[must_use]
    pub fn blood(&self) -> Option<GolemId> {
        self.is_bloodstain.then_some(self.origin.golem)
    }
    /// The bytes that are hashed: the same for the same body on every machine.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        plain::bytes(self)
    }
    /// Its id. Whose it is does not count for what the golem learnt itself: ids decide between equals, and a golem under
    /// another name must think the same thoughts in the same order. What came from elsewhere is told apart by its origin.
    #[must_use]
    pub fn id(&self) -> EntryId {
        match self.provenance {
            Provenance::SelfGenerated | Provenance::Owner | Provenance::Dream => {
                let origin = EntryOrigin { golem: GolemId([0; 16]), ..self.origin };
                EntryId::of(&Self { origin, ..self.clone() }.hash())
            }
            // A replicant is its own child: which golem that is does not count either.
            Provenance::Replicant => {
                let origin = EntryOrigin { golem: GolemId([0; 16]), ..self.origin };
                let names_golem = |tag: &String| [PARENT_TAG, REPLICANT_TAG].iter().any(|t| tag.starts_with(t));
                let tags = self.tags.iter().filter(|tag| !names_golem(tag)).cloned().collect();
                EntryId::of(&Self { origin, tags, ..self.clone() }.hash())
            }
            Provenance::Clade | Provenance::Marketplace | Provenance::Testament => EntryId::of(&self.hash()),
        }
    }
    /// The hash of the canonical bytes.
    #[must_use]
    pub fn hash(&self) -> Hash {
        let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 grimoire entry");
        hasher.update(&self.canonical());
        Hash(*hasher.finalize().as_bytes())
    }
}

impl Entry {
    /// A body with its first standing.
    #[must_use]
    pub fn new(body: EntryBody, standing: Standing) -> Self {
        let hash = body.hash();
        Self { id: body.id(), hash, body, standing }
    }
}

impl EntryId {
    /// The id of what has this hash.
    #[must_use]
    pub fn of(hash: &Hash) -> Self {
        let mut id = [0; 16];
        id.copy_from_slice(&hash.0[..16]);
        Self(id)
    }
}

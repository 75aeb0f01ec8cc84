//! The testament: what a golem leaves when it dies, as a typed value in which no sentence stands without the records that
//! bear it out.
//!
//! Whoever composes one (rules, a model) can only write sentences that name records. What a model says is taken by
//! [`Testament::narrate`], beside what the rules wrote, and only where the records that it names bear it out.

mod advice;
mod arc;
mod closing;
mod divergence;
mod figures;
mod home;
mod sections;
mod sentence;
mod statistics;
mod telling;

pub use advice::{
    ConfigAdvice, HeirPriority, PlaybookAdvice, PriorityWeight, RuleFate, StaleHeuristic, SuccessorRecommendations,
};
pub use arc::{ArcKind, MoodSample, NarrativeArc};
pub use closing::{LeftOpen, OpenHolding, SettlementAct, SettlementReport};
pub use divergence::TestamentDivergence;
pub use home::{HomeReport, HomeTransfer, LeftBehind};
pub use sections::{TestamentSection, TestamentSections};
pub use sentence::{BadSentence, TestamentSentence, TestamentSource};
pub use statistics::LifeStatistics;
pub use telling::{ModelTelling, ShownTestament, UntoldTestament};

use crate::grimoire::AttributedProfit;
use golem_core::plain;
use golem_core::{GolemId, Hash, Name, OwnerId, Tick, Timestamp};
use golem_mortality::dying::DeathBudget;
use golem_mortality::{BehavioralPhase, Death};
use serde::{Deserialize, Serialize};

/// The form of a testament.
pub const TESTAMENT_VERSION: u32 = 4;

/// Under which rules a life could end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MortalityMode {
    /// Three clocks.
    Mortal,
    /// Its owner pays: money is no clock.
    SelfHosted,
    /// Measured, and not enforced.
    Immortal,
    /// Deaths are only recorded.
    Recorded,
}

/// Who left it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestamentAuthor {
    pub golem_id: GolemId,
    pub name: Name,
    pub owner: OwnerId,
    pub lineage_id: GolemId,
    pub generation: u32,
    pub parent: Option<GolemId>,
    /// The key that its signature is checked with.
    pub public_key: Hash,
    /// Hash of the secret behind its death rolls, published at birth. The secret itself is revealed beside the testament.
    pub commitment: Hash,
    pub born_at: Timestamp,
}

/// What a golem leaves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Testament {
    pub version: u32,
    pub by: TestamentAuthor,
    pub mortality_mode: MortalityMode,
    pub death: Death,
    /// The phase it died in.
    pub phase: BehavioralPhase,
    /// The turn in which this was written.
    pub written: Tick,
    pub budget: Option<DeathBudget>,
    pub statistics: LifeStatistics,
    pub narrative_arc: NarrativeArc,
    /// Its mood over its life, thinned.
    pub emotional_arc: Vec<MoodSample>,
    pub sections: TestamentSections,
    pub settlement: SettlementReport,
    /// Its money went home; older testaments know nothing of that.
    #[serde(default)]
    pub home: HomeReport,
    /// PLAYBOOK.md as it was in the end; empty without a memory.
    pub final_playbook: String,
    pub open_questions: Vec<TestamentSentence>,
    pub successor_recommendations: SuccessorRecommendations,
    /// The life in some sentences.
    pub narrative: Vec<TestamentSentence>,
    pub last_words: TestamentSentence,
    /// How this life stands to the one before it; none for a first ancestor, and in older testaments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub divergence: Option<TestamentDivergence>,
    /// What acting by rules of others was worth, by who learnt them first; empty where none has acted, and in older testaments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributed: Vec<AttributedProfit>,
    /// The life in a model's words, where one was asked; nothing is decided by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<ModelTelling>,
    /// BLAKE3 over the JSON of everything else.
    pub checksum: Hash,
}

/// A testament as it leaves the golem's file: signed with its key, and with the secret that its death reveals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SignedTestament {
    pub testament: Testament,
    /// The secret behind its dice, once its death is final: its hash is the commitment of its birth.
    pub death_secret: Option<Hash>,
    /// Its ed25519 signature over [`SignedTestament::message`], as hex digits.
    pub signature: Option<String>,
}

impl SignedTestament {
    /// What is signed: a name for the purpose, and the checksum.
    #[must_use]
    pub fn message(testament: &Testament) -> Vec<u8> {
        [b"bardo 2026 testament".as_slice(), &testament.checksum.0].concat()
    }
}

impl Testament {
    /// The key of its row among the testaments of a golem's file.
    pub const KEY: &str = "testament";

    /// As it stands in a file.
    ///
    /// # Errors
    /// When it has another form.
    pub fn read(body: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(body)
    }

    /// Every sentence that the rules wrote, in the order of reading.
    pub fn sentences(&self) -> impl Iterator<Item = &TestamentSentence> {
        self.narrative
            .iter()
            .chain(self.sections.sentences())
            .chain(&self.open_questions)
            .chain(self.successor_recommendations.sentences())
            .chain([&self.last_words])
    }

    /// Drop every sentence that rests on something nobody knows of. The last words rest on the death and stay.
    pub fn keep_supported(&mut self, known: impl Fn(&TestamentSource) -> bool) {
        let keep = |sentence: &TestamentSentence| sentence.rests_on().iter().all(&known);
        self.narrative.retain(keep);
        self.sections.retain(keep);
        self.open_questions.retain(keep);
        self.successor_recommendations.retain(keep);
    }

    /// Put the checksum on it: the last thing that is done.
    pub fn seal(&mut self) {
        self.checksum = self.sum();
    }
    /// Whether it is what was sealed.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.checksum == self.sum()
    }
    fn sum(&self) -> Hash {
        let bare = Self { checksum: Hash::default(), ..self.clone() };
        Hash::of(plain::json(&bare).as_bytes())
    }
}

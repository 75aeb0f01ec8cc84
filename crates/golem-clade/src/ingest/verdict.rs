//! Why something from elsewhere is not believed: each refusal has a number, a name, a reason and what would lift it.

use crate::provenance::Forgery;
use golem_core::Timestamp;
use golem_grimoire::EntryId;
use golem_grimoire::admission::AdmissionReason;
use golem_grimoire::curator::PromotionWait;
use golem_grimoire::grimoire::Vouched;
use serde::{Deserialize, Serialize};

/// What happens to something from elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum IngestVerdict {
    /// It may inform, and is tested in the shadow of what is done.
    OnTrial {
        /// What can be vouched for.
        vouched: Vouched,
    },
    /// It is tested, and informs nobody before that.
    KeptAside {
        /// Why.
        why: IngestRefusal,
        /// What can be vouched for.
        vouched: Vouched,
    },
    /// It says what is known.
    Known {
        /// By which entry.
        same: EntryId,
    },
    /// It stays outside.
    Refused {
        /// Why.
        why: IngestRefusal,
    },
}

/// Why something is kept out, or aside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case", tag = "refusal")]
pub enum IngestRefusal {
    /// Too large, hidden characters, numbers that are none, or a claim that cannot be asked.
    #[error("it is too large, hides something, or cannot be asked")]
    Untidy,
    /// True or false by its own form.
    #[error("its claim is decided by its own form, not by reality")]
    Hollow,
    /// It speaks to whoever reads it.
    #[error("it speaks to its reader ({phrase:?}) instead of about the world")]
    Instruction {
        /// By which words.
        phrase: String,
    },
    /// The passport cannot be.
    #[error("its passport is forged: {how}")]
    Forged {
        /// How.
        how: Forgery,
    },
    /// Learnt after the time that is lived.
    #[error("it was learnt on {learnt}, which has not come yet")]
    NotYetLearnt {
        /// When it was learnt.
        learnt: Timestamp,
    },
    /// Far from everything that is known.
    #[error("it is about nothing that is known here")]
    Anomalous,
    /// What it says of the chain is false.
    #[error("the chain says otherwise: {claim}")]
    FalseOnChain {
        /// What was claimed.
        claim: String,
    },
    /// What it says of the chain cannot be checked.
    #[error("the chain cannot say yet: {claim}")]
    UnknownOnChain {
        /// What was claimed.
        claim: String,
    },
    /// It contradicts what is well established here.
    #[error("it contradicts {against}, which is well established here")]
    Contradicts {
        /// What.
        against: EntryId,
    },
    /// The admission gate would not have it.
    #[error("the admission gate would not have it ({})", reasons.iter().map(golem_core::plain::word).collect::<Vec<_>>().join(", "))]
    Gate {
        /// What counted against it.
        reasons: Vec<AdmissionReason>,
    },
}

impl IngestRefusal {
    /// The word used in tables and counters.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.entry().1
    }
    /// Its number, which never changes.
    #[must_use]
    pub fn code(&self) -> u16 {
        self.entry().0
    }
    /// What would lift it.
    #[must_use]
    pub fn lifted_by(&self) -> &'static str {
        self.entry().2
    }

    fn entry(&self) -> (u16, &'static str, &'static str) {
        match self {
            Self::Untidy => (600, "untidy", "a smaller entry in plain text, with a claim over observed fields"),
            Self::Hollow => (601, "hollow", "a claim that reality can refute"),
            Self::Instruction { .. } => (602, "instruction", "words about the world, without orders to a reader"),
            Self::Forged { .. } => (603, "forged", "the bundle as its golem signed it"),
            Self::NotYetLearnt { .. } => (604, "not_yet_learnt", "time"),
            Self::Anomalous => (610, "anomalous", "knowledge of one's own in that field"),
            Self::FalseOnChain { .. } => (620, "false_on_chain", "nothing: the chain does not forget"),
            Self::UnknownOnChain { .. } => (621, "unknown_on_chain", "a node that has that state"),
            Self::Contradicts { .. } => (630, "contradicts", "reality, by confirming it against its base rate here"),
            Self::Gate { .. } => (640, "gate", "more behind it: a claim, a severity, fresher evidence"),
        }
    }
}

/// What would bring something out of quarantine.
#[must_use]
pub fn promoted_by(wait: PromotionWait) -> (u16, &'static str) {
    match wait {
        PromotionWait::Unproven => (650, "its claim coming true here more often than it would anyway"),
        PromotionWait::Contradicted => (651, "more checks that confirm it than checks that do not"),
        PromotionWait::Unused => (652, "a decision or a forecast that uses it"),
        PromotionWait::Hunch => (653, "a proof by the record of what it said"),
        PromotionWait::TooUnsure => (654, "confirmations, each a step of confidence"),
    }
}

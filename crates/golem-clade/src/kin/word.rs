//! One thing that a golem says to its siblings: as it leaves its turn, as it is sealed, and as it is heard.

use crate::knowledge_domain::KnowledgeDomain;
use crate::library::{EquipParcel, EquipTarget, WorldCalendar};
use crate::provenance::ValidationWord;
use crate::world_time::WorldTimes;
use golem_core::{GolemId, Hash, Regime, Timestamp};
use golem_grimoire::grimoire::STRANGER;
use golem_grimoire::{EntryKind, Provenance, WarningSeverity};
use serde::{Deserialize, Serialize};
use styx_wire::{DeltaKind, DeltaLane};

/// From this threat on an alert is critical: it wakes who sleeps.
pub const CRITICAL: f64 = 0.7;

/// What is said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kin")]
pub enum KinWord {
    /// Something that it believes, with where it has it from.
    Entry {
        /// As the library hands it over.
        parcel: Box<EquipParcel>,
    },
    /// The weather is another than it was.
    Regime {
        /// Before.
        was: Regime,
        /// Now.
        is: Regime,
    },
    /// What a sibling told has been tried here.
    Validation {
        /// What: the root of its passport.
        root: Hash,
        /// How it went.
        word: ValidationWord,
    },
    /// A cry, or the last words that there will be.
    Cry {
        /// Who, for people.
        name: String,
        /// What.
        text: String,
        /// It is dead.
        died: bool,
        /// The letter's own name: whoever carries it also by another way makes one of the two.
        letter: String,
    },
    /// What a sibling learnt from its own death, out of its grave. No golem says this: whoever reads the grave has seen that the dead one
    /// signed it and that its chain has ended.
    Blood {
        /// As the dead one would have handed it over.
        parcel: Box<EquipParcel>,
    },
    /// A threat that more than one sibling has marked in their field. No golem says this: the reader's own line has smelt it.
    Scent {
        /// What it is about.
        field: KnowledgeDomain,
        /// How strong it is, in thousandths.
        intensity: u16,
        /// How many have marked it besides the first.
        confirmations: u8,
    },
}

/// A word with its date, as it leaves a turn and as it is heard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KinLetter {
    /// When it was said, by the calendar of the speaker's world: nobody hears it earlier.
    pub at: Timestamp,
    /// What.
    pub word: KinWord,
}

/// A letter as it is sealed: with the days by which it is dated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KinEnvelope {
    /// By which days.
    pub calendar: WorldCalendar,
    /// What.
    pub letter: KinLetter,
}

/// Why a delta says nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KinWordFault {
    /// It has another form.
    #[error("it cannot be read: {0}")]
    Form(String),
    /// Its head says another kind than its words: the wrong budget would have paid for it.
    #[error("it says to be of kind {said}, and is {is}", said = golem_core::plain::word(said), is = KinWord::named(*is))]
    Kind {
        /// By its head.
        said: DeltaKind,
        /// By its words; none for what no golem says.
        is: Option<DeltaKind>,
    },
    /// It speaks for somebody else.
    #[error("it speaks for {0}, who did not sign it")]
    Speaker(GolemId),
    /// It says to be a will, to be bought, or to be vouched for by others.
    #[error("it does not come as siblings hand on what is their own")]
    Way,
}

/// As what an entry travels.
#[must_use]
pub fn delta_kind(of: EntryKind) -> DeltaKind {
    match of {
        EntryKind::Insight => DeltaKind::Insight,
        EntryKind::Heuristic => DeltaKind::Heuristic,
        EntryKind::Warning => DeltaKind::Warning,
        EntryKind::CausalLink => DeltaKind::CausalLink,
        EntryKind::StrategyFragment => DeltaKind::StrategyFragment,
    }
}

impl KinWord {
    /// What the relay is told of it, and nothing more; none for what no golem says.
    #[must_use]
    pub fn kind(&self) -> Option<DeltaKind> {
        match self {
            Self::Entry { parcel } => Some(delta_kind(parcel.entry.entry.body.kind)),
            Self::Regime { .. } => Some(DeltaKind::RegimeShift),
            Self::Validation { .. } => Some(DeltaKind::Validation),
            Self::Cry { died: true, .. } => Some(DeltaKind::Death),
            Self::Cry { .. } => Some(DeltaKind::Crisis),
            Self::Blood { .. } | Self::Scent { .. } => None,
        }
    }
    fn named(kind: Option<DeltaKind>) -> String {
        kind.map_or_else(|| "what no golem says".to_owned(), |kind| golem_core::plain::word(&kind))
    }
    /// What it is called where it is told of.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Blood { .. } => "blood".to_owned(),
            Self::Scent { .. } => "scent".to_owned(),
            said => Self::named(said.kind()),
        }
    }
    /// Whether it does not wait for a batch.
    #[must_use]
    pub fn is_urgent(&self) -> bool {
        self.kind().is_some_and(|kind| kind.lane() == DeltaLane::Urgent)
    }
    /// How much of a threat it tells of, from 0 to 1: what the probe of the same name shows in the turn that hears it.
    #[must_use]
    pub fn threat(&self) -> f64 {
        match self {
            Self::Entry { parcel } | Self::Blood { parcel } if parcel.entry.entry.body.kind == EntryKind::Warning => {
                match parcel.entry.entry.body.severity.unwrap_or(WarningSeverity::Low) {
                    WarningSeverity::Low => 0.3,
                    WarningSeverity::Medium => 0.6,
                    WarningSeverity::High => 0.9,
                }
            }
            Self::Regime { .. } => 0.2,
            // Nobody knows who marked it: it makes attentive, and wakes nobody.
            Self::Scent { intensity, .. } => 0.6 * f64::from((*intensity).min(1_000)) / 1_000.0,
            Self::Entry { .. } | Self::Blood { .. } | Self::Validation { .. } | Self::Cry { .. } => 0.0,
        }
    }
    /// How sure its speaker is, in basis points; what is no belief is as sure as can be.
    #[must_use]
    pub fn confidence_bp(&self) -> u16 {
        match self {
            Self::Entry { parcel } | Self::Blood { parcel } => parcel.entry.entry.standing.confidence_bp.min(10_000),
            Self::Regime { .. } | Self::Validation { .. } | Self::Cry { .. } | Self::Scent { .. } => 10_000,
        }
    }
    /// The field that it is about.
    #[must_use]
    pub fn field(&self) -> KnowledgeDomain {
        match self {
            Self::Entry { parcel } | Self::Blood { parcel } => KnowledgeDomain::of(&parcel.entry.entry.body),
            Self::Scent { field, .. } => field.clone(),
            Self::Regime { .. } => KnowledgeDomain::named("general/regime"),
            Self::Validation { .. } => KnowledgeDomain::named("general/validation"),
            Self::Cry { .. } => KnowledgeDomain::named("general/cry"),
        }
    }
}

impl KinLetter {
    /// As it stands in a file.
    ///
    /// # Errors
    /// When it has another form.
    pub fn read(text: &str) -> Result<Self, KinWordFault> {
        serde_json::from_str(text).map_err(|e| KinWordFault::Form(e.to_string()))
    }
    /// As text.
    #[must_use]
    pub fn text(&self) -> String {
        golem_core::plain::json(self)
    }
    /// Whether its speaker may say it: a parcel is its own, and nobody vouches for what came from elsewhere. By which way it comes
    /// is not its speaker's to say: as a will it would be worth more, and its blood would be believed.
    ///
    /// # Errors
    /// [`KinWordFault::Speaker`] with whom it speaks for, or [`KinWordFault::Way`].
    pub fn spoken_by(&self, speaker: GolemId) -> Result<(), KinWordFault> {
        let (KinWord::Entry { parcel } | KinWord::Blood { parcel }) = &self.word else { return Ok(()) };
        let passport = &parcel.entry.passport;
        let vouching = parcel.from.as_ref().map_or(STRANGER.golem, |(lineage, _)| lineage.golem);
        let named = [vouching, passport.crossings.carrier, passport.learnt_by.golem];
        if let Some(other) = named.into_iter().find(|said| *said != speaker) {
            return Err(KinWordFault::Speaker(other));
        }
        let is_siblings = parcel.channel == Provenance::Clade && parcel.validations.is_empty();
        if is_siblings { Ok(()) } else { Err(KinWordFault::Way) }
    }
}

impl KinEnvelope {
    /// What is sealed.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        golem_core::plain::json(self).into_bytes()
    }
    /// Read what was opened: of the kind that its head says, said by who signed it.
    ///
    /// # Errors
    /// With the first thing that is wrong.
    pub fn read(clear: &[u8], kind: DeltaKind, speaker: GolemId) -> Result<Self, KinWordFault> {
        let envelope: Self = serde_json::from_slice(clear).map_err(|e| KinWordFault::Form(e.to_string()))?;
        let is = envelope.letter.word.kind();
        if is != Some(kind) {
            return Err(KinWordFault::Kind { said: kind, is });
        }
        envelope.letter.spoken_by(speaker).map(|()| envelope)
    }
    /// As one golem hears it. Days of another world date nothing in this one: it is heard at once, and was known before the birth.
    #[must_use]
    pub fn for_reader(self, to: &EquipTarget) -> KinLetter {
        let Self { calendar, mut letter } = self;
        if calendar == to.calendar {
            return letter;
        }
        letter.at = letter.at.min(to.born);
        if let KinWord::Entry { parcel } | KinWord::Blood { parcel } = &mut letter.word {
            let times = &mut parcel.entry.passport.times;
            *times = WorldTimes {
                true_from: times.true_from.min(to.born),
                learnt: times.learnt.min(to.born),
                true_until: None,
            };
        }
        letter
    }
}

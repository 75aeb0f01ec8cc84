//! What a replicant brings home. It is its parent's child and not its parent: what it found enters like knowledge from elsewhere,
//! examined lightly (what it finds is meant to be unlike what is known), at 0.3, and tagged with who found it, for whom, and what it
//! was sent for.

use crate::barrier::Crossings;
use crate::ingest::{Arrival, IngestMoment, IngestVerdict, KnowledgeSource, ingest};
use crate::provenance::{Lineage, Passport, ReplicantErrand, TravellingEntry};
use crate::world_time::WorldTimes;
use golem_core::{GolemId, Hash, Timestamp, VirtualTime};
use golem_grimoire::entry::{PARENT_TAG, REPLICANT_TAG};
use golem_grimoire::grimoire::Foreign;
use golem_grimoire::standing::Support;
use golem_grimoire::{EntryBody, EntryOrigin, EntryStatus, Provenance, Standing};

/// Confidence of which the hop to its parent leaves 0.3.
const SENT_BP: u16 = 3_750;

/// A replicant: who it is follows from whose child it is, and the how manieth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replicant {
    line: Lineage,
    parent: GolemId,
    hypothesis: Hash,
}

impl Replicant {
    /// The replicant with this number of a golem, sent to test a hypothesis.
    #[must_use]
    pub fn of(parent: &Lineage, number: u64, hypothesis: &str) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 replicant");
        hasher.update(&parent.golem.0);
        hasher.update(&number.to_le_bytes());
        let mut id = [0; 16];
        id.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        let line = Lineage {
            golem: GolemId(id),
            generation: parent.generation.saturating_add(1),
            ancestors: parent.ancestors.iter().copied().chain([parent.golem]).collect(),
            ..parent.clone()
        };
        Self { line, parent: parent.golem, hypothesis: Hash::of(hypothesis.as_bytes()) }
    }

    /// Who learns what it finds.
    #[must_use]
    pub fn origin(&self) -> EntryOrigin {
        EntryOrigin { golem: self.line.golem, generation: self.line.generation }
    }

    /// What it found, on its way home.
    #[must_use]
    pub fn report(&self, mut body: EntryBody, found: Timestamp) -> TravellingEntry {
        body.provenance = Provenance::Replicant;
        body.origin = self.origin();
        let hypothesis = self.hypothesis.to_string();
        body.tags.extend([
            "replicant".to_owned(),
            format!("{REPLICANT_TAG}{}", self.line.golem),
            format!("{PARENT_TAG}{}", self.parent),
            format!("hypothesis {}", hypothesis.get(..32).unwrap_or(&hypothesis)),
        ]);
        let now: VirtualTime = body.learnt_at;
        let standing = Standing::first(EntryStatus::Candidate, SENT_BP, Support::default(), now);
        let passport = Passport {
            root: body.hash(),
            learnt_by: body.origin,
            lineage: self.line.id,
            times: WorldTimes { true_from: found, true_until: None, learnt: found },
            crossings: Crossings::learnt_by(self.line.golem, SENT_BP),
            blood: None,
            errand: Some(ReplicantErrand { parent: self.parent, hypothesis: self.hypothesis }),
        };
        TravellingEntry { entry: Foreign { body, standing }, passport }
    }

    /// Its parent examines what it brings: its form, what is said of the chain, and what is known; not how unlike it is.
    #[must_use]
    pub fn examined(&self, report: &TravellingEntry, by: &IngestMoment<'_>) -> (IngestVerdict, Option<Arrival>) {
        let signed = Some((&self.line, by.world));
        ingest(report, &KnowledgeSource { channel: Provenance::Replicant, signed, validations: &[], grave: false }, by)
    }
}

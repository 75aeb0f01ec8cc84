//! Knowledge from elsewhere: what another golem has learnt comes in through the admission gate, believed as far as its
//! source is, until this golem has validated it itself.
//!
//! Whatever an entry says of itself that nobody here can check is dropped at the door: who learnt it, in which generation,
//! whose blood is on it, what it was made of, how often it comes true anyway, and that it would never fade.

use super::Grimoire;
use crate::admission::{Neighbours as _, Ruling, TRIAL_BP, TRIAL_UP_TO, admit, initial_confidence_bp, judge};
use crate::entry::{DecayClass, EntryBody, EntryId, EntryKind, EntryOrigin, Provenance};
use crate::retrieval::Nearby;
use crate::staging::{BASE_RATE_TAG, ProposalDraft, Staged};
use crate::standing::{EntryStatus, Standing, Support};
use golem_core::{Elapsed, GolemId, VirtualTime};
use serde::{Deserialize, Serialize};

/// What a hop between golems leaves of stored confidence, in percent.
const HOP_PERCENT: u32 = 80;
/// Confirmations by others that count at the gate: more of them are no better evidence here.
const MOST_CONFIRMED: u32 = 5;
/// The origin of what nobody has signed: all strangers are one, so that many names are no more than one.
pub const STRANGER: EntryOrigin = EntryOrigin { golem: GolemId([0; 16]), generation: 0 };
/// How long a stranger's warning holds at most without being confirmed here.
const LONGEST_WARNING: Elapsed = Elapsed::secs(7 * 86_400);

/// An entry as another golem's file has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Foreign {
    /// What is believed.
    pub body: EntryBody,
    /// How it stood there.
    pub standing: Standing,
}

impl Foreign {
    /// From its line in a file.
    ///
    /// # Errors
    /// When it is not one.
    pub fn read(line: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(line)
    }
}

/// What the receiver itself knows of where something came from. Nothing of it is the entry's own word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vouched {
    /// By which way it came.
    pub provenance: Provenance,
    /// Who learnt it first, where a signature says so; [`STRANGER`] otherwise.
    pub origin: EntryOrigin,
    /// True where a signed will ties it to a death.
    pub is_bloodstain: bool,
    /// What is left of its stored confidence after all that it has crossed.
    pub confidence_bp: u16,
    /// What reality said of it elsewhere, as far as that counts at the gate.
    pub support: Support,
    /// True when it is kept aside, to be tested before it may inform.
    pub kept_aside: bool,
}

impl Vouched {
    /// What is known of something that nobody has signed: which way it came at most, and that it is a hop away.
    #[must_use]
    pub fn stranger(foreign: &Foreign) -> Self {
        let provenance = match foreign.body.provenance {
            Provenance::Replicant | Provenance::Marketplace => foreign.body.provenance,
            // Own experience, an owner, a dream, a will: of somebody else, who has not signed it.
            _ => Provenance::Clade,
        };
        let hopped = (u32::from(foreign.standing.confidence_bp.min(10_000)) * HOP_PERCENT / 100) as u16;
        let support = Support { confirmed: foreign.standing.validated, contradicted: foreign.standing.contradicted };
        Self {
            provenance,
            origin: STRANGER,
            is_bloodstain: false,
            confidence_bp: hopped.min(initial_confidence_bp(provenance)),
            support,
            kept_aside: false,
        }
    }
}

/// What is left of somebody else's word: what it says, without what it says of itself.
#[must_use]
pub fn as_hearsay(body: EntryBody, vouched: &Vouched, now: VirtualTime) -> EntryBody {
    let decay_class = match body.decay_class {
        DecayClass::Structural => DecayClass::Regime,
        fades => fades,
    };
    let time_to_live = match body.kind {
        EntryKind::Warning => Some(body.time_to_live.map_or(LONGEST_WARNING, |ttl| ttl.min(LONGEST_WARNING))),
        _ => body.time_to_live,
    };
    let mut tags = body.tags;
    tags.retain(|tag| !tag.starts_with(BASE_RATE_TAG));
    EntryBody {
        provenance: vouched.provenance,
        decay_class,
        time_to_live,
        tags,
        origin: vouched.origin,
        is_bloodstain: vouched.is_bloodstain,
        // Numbers of another life, which could be those of this one.
        episodes: Vec::new(),
        parents: Vec::new(),
        // Times are this golem's own.
        true_from: now,
        learnt_at: now,
        ..body
    }
}

impl Grimoire {
    /// Take in what somebody else knows and nobody has signed. Its confidence is what is left after the hop, and no more than
    /// its source is worth here.
    pub fn take_in(&mut self, foreign: Foreign, now: VirtualTime) -> Ruling {
        let vouched = Vouched::stranger(&foreign);
        self.take_in_vouched(foreign, &vouched, now).0
    }

    /// Take in what somebody else knows, as far as the receiver can vouch for where it came from. Returns what the gate said,
    /// and the entry that was made of it.
    pub fn take_in_vouched(
        &mut self,
        foreign: Foreign,
        vouched: &Vouched,
        now: VirtualTime,
    ) -> (Ruling, Option<EntryId>) {
        self.refresh();
        let Foreign { body, standing } = foreign;
        let body = as_hearsay(body, vouched, now);
        // What is known already gains nothing by being told again.
        let known = self.shelf.saying(&body).next().is_some();
        let Support { confirmed, contradicted } = if known { Support::default() } else { vouched.support };
        let support = Support { confirmed: confirmed.min(MOST_CONFIRMED), contradicted };
        let near = Nearby { finder: &self.finder, embedder: &self.embedder };
        let verdict = judge(&self.shelf, &body, support, near.nearest(&body), now);
        // Nor does somebody else's wording of it make it truer.
        if let Ruling::Merge { .. } | Ruling::Skip { .. } = verdict.ruling {
            return (verdict.ruling, None);
        }
        let (verdict, id) = admit(&mut self.shelf, body, support, &near, now);
        if let (Ruling::Admit { .. }, Some(id)) = (verdict.ruling, id) {
            let most = if verdict.score <= TRIAL_UP_TO { TRIAL_BP } else { u16::MAX };
            self.shelf.stand(id, |s| {
                s.confidence_bp = vouched.confidence_bp.min(most);
                // What reality said elsewhere was weighed at the gate; here it has said nothing yet.
                (s.validated, s.contradicted) = (0, 0);
                // What it has learnt to expect is where its own learning begins, at little weight.
                s.expects = standing.expects;
                if vouched.kept_aside {
                    s.status = EntryStatus::Quarantined(now);
                }
            });
        }
        self.stale = true;
        (verdict.ruling, id)
    }

    /// Stage what somebody else was still testing. Reality here decides, from the beginning.
    pub fn stage_from_elsewhere(&mut self, draft: ProposalDraft, now: VirtualTime) -> Staged {
        let staged = self.staging.stage(&self.shelf, draft, now);
        self.staging.write_rows(&mut self.shelf, false);
        staged
    }
}

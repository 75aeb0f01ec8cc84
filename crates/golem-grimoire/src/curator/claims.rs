//! From what the series supports to what is tested: mined claims are staged, never believed at once.

use super::rules::domain_of;
use super::{CuratorMaterial, CuratorRooms, Distilled, own};
use crate::entry::EntryKind;
use crate::staging::{ProposalDraft, Proposed, Staged};
use golem_core::Elapsed;

/// Confidence that a mined claim begins with.
const BEGIN_BP: u16 = 2_500;

pub(super) fn distil(desk: &mut CuratorRooms<'_>, told: &CuratorMaterial<'_>, out: &mut Distilled) {
    for mined in told.mined {
        let minutes = Elapsed::nominal(u64::from(mined.claim.after_ticks)).0 / 60_000;
        let text = format!("When {}, then {} about {minutes} minutes later.", mined.claim.when, mined.claim.then);
        let mut body = own(told, EntryKind::Insight, text);
        body.domain = domain_of(&mined.claim.then);
        body.claim = Some(mined.claim.clone());
        let rate = f64::from(mined.hits) / f64::from(mined.n.max(1));
        let draft = ProposalDraft {
            change: Proposed::Entry(Box::new(body)),
            claim: mined.claim.clone(),
            base_rate: mined.base_rate,
            confidence_bp: BEGIN_BP,
            // What it would add to what is known anyway.
            utility: rate - mined.base_rate,
            liminal: false,
            source: crate::Provenance::SelfGenerated,
        };
        if matches!(desk.staging.stage(desk.shelf, draft, told.now), Staged::Added(_)) {
            out.staged += 1;
        }
    }
}

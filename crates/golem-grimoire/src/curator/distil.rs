//! What distilling has in common: what is known already gets evidence, what is new goes through the gate.

use super::{CuratorMaterial, Distilled, learn};
use crate::credit;
use crate::entry::{EntryBody, EntryId};
use crate::shelf::Shelf;
use crate::standing::EntryStatus;
use crate::standing::Support;

/// Entries that already say this, in use or in the archive, take the evidence; when there is none in use, and the
/// evidence speaks for it, it is learnt. Returns the entry that is new in use.
pub(super) fn learn_or_move(
    shelf: &mut Shelf,
    body: EntryBody,
    seen: Support,
    told: &CuratorMaterial<'_>,
    out: &mut Distilled,
) -> Option<EntryId> {
    let known: Vec<EntryId> = shelf.saying(&body).map(|e| e.id).collect();
    for id in &known {
        give_evidence(shelf, *id, seen, told, out);
    }
    let in_use =
        known.iter().filter_map(|id| shelf.entry(*id)).any(|e| !matches!(e.standing.status, EntryStatus::Archived(_)));
    if in_use || !speaks_for(seen) { None } else { learn(shelf, body, seen, told) }
}

/// Evidence for one entry. One in the archive, or kept aside, that is confirmed is on trial again.
pub(super) fn give_evidence(
    shelf: &mut Shelf,
    id: EntryId,
    seen: Support,
    told: &CuratorMaterial<'_>,
    out: &mut Distilled,
) {
    if !credit::evidence(shelf, id, seen, told.now) {
        return;
    }
    if seen.confirmed > seen.contradicted {
        out.upvotes += 1;
        shelf.stand(id, |s| {
            if matches!(s.status, EntryStatus::Archived(_) | EntryStatus::Quarantined(_)) {
                s.status = EntryStatus::Candidate;
            }
        });
    } else {
        out.downvotes += 1;
    }
}

/// Two of three, at least.
pub(super) fn speaks_for(seen: Support) -> bool {
    let (yes, all) = (u64::from(seen.confirmed), u64::from(seen.confirmed) + u64::from(seen.contradicted));
    yes > 0 && yes * 3 >= all * 2
}

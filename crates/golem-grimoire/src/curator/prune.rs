//! What fades goes to the archive, what is worthless burns, what is validated or needed again comes back.
//!
//! **The way back from the archive.** An entry returns on trial when new evidence confirms it (wherever that happens),
//! or when the weather it is about has come back since it was archived, if its stored confidence was not lost to
//! contradictions: the memory waited for its weather. It returns once for each change of weather, at most
//! [`MOST_RETURNING`] a cycle, and has the usual three cycles to prove itself.

use super::{CuratorMaterial, CycleReport, MemoryRoom};
use crate::decay::{ARCHIVE_CYCLES, ARCHIVE_LEVEL, ARCHIVE_STAY, BURN_LEVEL_BP};
use crate::entry::{Entry, EntryId, EntryKind};
use crate::junk::is_idle;
use crate::shelf::Shelf;
use crate::staging::PlaybookWish;
use crate::standing::EntryStatus;
use golem_core::{Elapsed, VirtualTime};

/// Entries that come back with their weather in one cycle at most.
pub const MOST_RETURNING: usize = 16;
/// The stored confidence that it takes to come back with the weather, in basis points.
const RETURN_BP: u16 = 3_000;
/// What is kept aside and not resolved in this time goes to the archive.
const ASIDE_STAY: Elapsed = Elapsed::secs(14 * 86_400);

/// Count the cycles that each entry has been below the archive level.
pub(super) fn decay(shelf: &mut Shelf, now: VirtualTime, report: &mut CycleReport) {
    let low = |e: &Entry| e.effective(now) < ARCHIVE_LEVEL;
    let moving: Vec<(EntryId, bool)> = shelf
        .in_use()
        .map(|e| (e, low(e)))
        .filter(|(e, l)| *l || e.standing.low_cycles > 0)
        .map(|(e, l)| (e.id, l))
        .collect();
    for (id, low) in moving {
        shelf.stand(id, |s| {
            s.low_cycles = if low { s.low_cycles.saturating_add(1) } else { 0 };
            if s.low_cycles >= ARCHIVE_CYCLES {
                s.status = EntryStatus::Archived(now);
            }
        });
        if shelf.entry(id).is_some_and(|e| !e.is_in_use()) {
            report.archived += 1;
            leave_playbook(shelf, id, report);
        }
    }
}

pub(super) fn prune(shelf: &mut Shelf, room: &MemoryRoom, told: &CuratorMaterial<'_>, report: &mut CycleReport) {
    burn(shelf, told.now, report);
    expire(shelf, told.now, report);
    bring_back(shelf, told, report);
    evict(shelf, room, told.now, report);
}

/// Contradicted down to nothing, or too long in the archive: gone for good.
fn burn(shelf: &mut Shelf, now: VirtualTime, report: &mut CycleReport) {
    let worthless = |e: &Entry| e.standing.contradicted > 0 && e.standing.confidence_bp < BURN_LEVEL_BP;
    let too_long = |e: &Entry| matches!(e.standing.status, EntryStatus::Archived(at) if now.since(at) >= ARCHIVE_STAY);
    let going: Vec<(EntryId, bool)> =
        shelf.entries().filter(|e| worthless(e) || too_long(e)).map(|e| (e.id, e.is_in_use())).collect();
    for (id, in_use) in going {
        leave_playbook(shelf, id, report);
        shelf.stand(id, |s| s.status = EntryStatus::Burnt(now));
        report.burnt += 1;
        report.burnt_in_use += u32::from(in_use);
    }
}

/// Warnings whose time is over since they were last confirmed, and what nobody ever asked for.
fn expire(shelf: &mut Shelf, now: VirtualTime, report: &mut CycleReport) {
    let over = |e: &Entry| e.body.time_to_live.is_some_and(|ttl| now.since(e.standing.last_validated) >= ttl);
    let expired: Vec<EntryId> = shelf.in_use().filter(|e| over(e)).map(|e| e.id).collect();
    report.expired += archive(shelf, &expired, now, report);
    let idle: Vec<EntryId> = shelf.in_use().filter(|e| is_idle(e, now)).map(|e| e.id).collect();
    report.idle += archive(shelf, &idle, now, report);
    let stayed = |e: &Entry| matches!(e.standing.status, EntryStatus::Quarantined(at) if now.since(at) >= ASIDE_STAY);
    let aside: Vec<EntryId> = shelf.entries().filter(|e| stayed(e)).map(|e| e.id).collect();
    archive(shelf, &aside, now, report);
}

fn bring_back(shelf: &mut Shelf, told: &CuratorMaterial<'_>, report: &mut CycleReport) {
    let weather = &told.weather;
    let waited = |e: &&Entry| {
        let EntryStatus::Archived(at) = e.standing.status else { return false };
        let returned = e.body.regime == Some(weather.regime) && weather.since > at;
        let sound = e.standing.confidence_bp >= RETURN_BP && e.standing.contradicted <= e.standing.validated;
        returned && sound && e.standing.true_until.is_none() && e.body.time_to_live.is_none()
    };
    let mut back: Vec<&Entry> = shelf.entries().filter(waited).collect();
    // Not beside one that says the same.
    back.retain(|e| !shelf.saying(&e.body).any(Entry::is_in_use));
    back.sort_by_key(|e| (std::cmp::Reverse(e.standing.confidence_bp), e.id));
    let back: Vec<EntryId> = back.into_iter().take(MOST_RETURNING).map(|e| e.id).collect();
    for id in back {
        shelf.stand(id, |s| (s.status, s.low_cycles) = (EntryStatus::Candidate, 0));
        report.returned += 1;
    }
}

/// Whatever is over the room, the least trusted first: out of use into the archive, out of the archive for good.
fn evict(shelf: &mut Shelf, room: &MemoryRoom, now: VirtualTime, report: &mut CycleReport) {
    let aside = |s: EntryStatus| matches!(s, EntryStatus::Quarantined(_));
    let active = over(shelf, room.active, now, |e| e.standing.status == EntryStatus::Active);
    let candidates = over(shelf, room.candidates, now, |e| e.standing.status == EntryStatus::Candidate);
    let aside = over(shelf, room.quarantined, now, |e| aside(e.standing.status));
    for ids in [active, candidates, aside] {
        report.evicted += archive(shelf, &ids, now, report);
    }
    let archived = |e: &Entry| matches!(e.standing.status, EntryStatus::Archived(_));
    for id in over(shelf, room.archived, now, archived) {
        shelf.stand(id, |s| s.status = EntryStatus::Burnt(now));
        report.burnt += 1;
    }
}

/// The least trusted of those beyond a number; ties go by the last validation, then by id.
fn over(shelf: &Shelf, most: usize, now: VirtualTime, of: impl Fn(&Entry) -> bool) -> Vec<EntryId> {
    if shelf.entries().filter(|e| of(e)).count() <= most {
        return Vec::new();
    }
    let mut all: Vec<(f64, VirtualTime, EntryId)> =
        shelf.entries().filter(|e| of(e)).map(|e| (e.effective(now), e.standing.last_validated, e.id)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    all.truncate(all.len() - most);
    all.into_iter().map(|(.., id)| id).collect()
}

fn archive(shelf: &mut Shelf, ids: &[EntryId], now: VirtualTime, report: &mut CycleReport) -> u32 {
    for id in ids {
        leave_playbook(shelf, *id, report);
        shelf.stand(*id, |s| s.status = EntryStatus::Archived(now));
    }
    u32::try_from(ids.len()).unwrap_or(u32::MAX)
}

fn leave_playbook(shelf: &Shelf, id: EntryId, report: &mut CycleReport) {
    if shelf.entry(id).is_some_and(|e| e.body.kind == EntryKind::Heuristic) {
        report.playbook.push(PlaybookWish::Remove(id));
    }
}

//! How much of active memory is junk, and of which sort.

use crate::decay::ARCHIVE_LEVEL;
use crate::entry::Entry;
use crate::shelf::Shelf;
use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};

/// What no decision and no forecast has used in this time since it was learnt goes to the archive.
pub const IDLE_AFTER: Elapsed = Elapsed::secs(30 * 86_400);

/// What was counted. An entry can be junk in more than one way; it counts once in the share.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct JunkReport {
    /// Entries in use.
    pub active: u32,
    /// They say what an older entry in use says.
    pub duplicates: u32,
    /// Reality contradicted them more often than it confirmed them.
    pub contradicted: u32,
    /// No decision and no forecast has ever used them, however young they are. To be found is not to be used.
    pub unused: u32,
    /// Below the archive level.
    pub faded: u32,
    /// Entries that are junk in any of these ways.
    pub junk: u32,
}

impl JunkReport {
    /// The share of junk among active entries, from 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        if self.active == 0 { 0.0 } else { f64::from(self.junk) / f64::from(self.active) }
    }
}

/// Count the junk.
#[must_use]
pub fn junk(shelf: &Shelf, now: VirtualTime) -> JunkReport {
    let (mut report, duplicates) = (JunkReport::default(), shelf.duplicates());
    for entry in shelf.active() {
        let ways = [
            (&mut report.duplicates, duplicates.contains(&entry.id)),
            (&mut report.contradicted, entry.standing.contradicted > entry.standing.validated),
            (&mut report.unused, is_unused(entry)),
            (&mut report.faded, entry.effective(now) < ARCHIVE_LEVEL),
        ];
        let mut any = false;
        for (count, is) in ways {
            *count += u32::from(is);
            any |= is;
        }
        report.active += 1;
        report.junk += u32::from(any);
    }
    report
}

/// True when no decision and no forecast has ever used it. A question waits for an answer, not for a use.
#[must_use]
pub fn is_unused(entry: &Entry) -> bool {
    entry.standing.uses == 0 && !entry.body.is_question
}

/// True when nothing has used it for long enough to give it up.
#[must_use]
pub fn is_idle(entry: &Entry, now: VirtualTime) -> bool {
    is_unused(entry) && now.since(entry.body.learnt_at) >= IDLE_AFTER
}

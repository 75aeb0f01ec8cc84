//! How much of active memory is junk, and of which sort.

use crate::decay::ARCHIVE_LEVEL;
use crate::entry::Entry;
use crate::shelf::Shelf;
use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};

/// An entry that nobody asked for in this time since it was learnt is idle.
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
    /// Neither used nor retrieved in 30 days since they were learnt.
    pub idle: u32,
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
            (&mut report.idle, is_idle(entry, now)),
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

/// True when nobody asked for it in 30 days. A question waits for an answer, not for a use.
#[must_use]
pub fn is_idle(entry: &Entry, now: VirtualTime) -> bool {
    let unused = entry.standing.uses == 0 && entry.standing.retrievals == 0;
    unused && !entry.body.is_question && now.since(entry.body.learnt_at) >= IDLE_AFTER
}

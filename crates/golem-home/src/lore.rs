//! One entry of what a golem knows, what it recalled last and why, and how much it knows altogether.

use crate::fail::Fail;
use crate::home::Place;
use crate::knowledge::ReadMemory;
use golem_clade::ingest::{QuarantinedEntry, quarantine};
use golem_core::{GolemId, Hash, Tick};
use golem_grimoire::change::NamedTable;
use golem_grimoire::entry::EntryBody;
use golem_grimoire::grimoire::WorthByTwin;
use golem_grimoire::junk::{JunkReport, junk};
use golem_grimoire::retrieval::Recall;
use golem_grimoire::shelf::Shelf;
use golem_grimoire::staging::{Proposal, ProposalStatus};
use golem_grimoire::{Entry, EntryId, EntryStatus, Standing};
use golem_runtime::memory::{Detail, Named};
use serde::Serialize;

/// What `grimoire show --json` prints; others rely on these names.
#[derive(Debug, Clone, Serialize)]
pub struct EntryPage {
    pub id: String,
    pub hash: Hash,
    pub body: EntryBody,
    pub standing: Standing,
    /// What its confidence is worth now.
    pub effective: f64,
    /// What the testament of whoever left it says of it.
    pub testament: Option<String>,
    /// Who learnt it first, where that is somebody else.
    pub learnt_by: Option<GolemId>,
    /// What acting by it was worth beyond acting without it, where it is somebody else's and has acted.
    pub worth: Option<WorthByTwin>,
}

impl EntryPage {
    /// Of an entry of a memory.
    pub fn of(entry: &Entry, memory: &ReadMemory) -> Self {
        Self {
            id: entry.id.to_string(),
            hash: entry.hash,
            body: entry.body.clone(),
            standing: entry.standing.clone(),
            effective: entry.effective(memory.now),
            testament: memory.passage(entry.id).map(ToOwned::to_owned),
            learnt_by: memory.learnt_by_another(entry),
            worth: memory.worth(entry.id),
        }
    }
}

/// Where something from elsewhere stands that is not in use yet, and what would bring it into use; nothing for all else.
pub fn waiting(entry: &Entry, memory: &ReadMemory) -> Option<String> {
    let mut alone = Shelf::default();
    alone.add(entry.clone());
    let ward = quarantine(&alone, memory.now);
    let one: &QuarantinedEntry = ward.first()?;
    let stands = if one.kept_aside { "kept aside" } else { "on trial  " };
    let what = match (one.untestable, one.lifted_by()) {
        (true, _) => "nothing in it can be tested: it informs, and no test brings it into use".to_owned(),
        (false, Some((code, what))) => format!("waits for {what} ({code})"),
        (false, None) => "comes into use with the next cycle of the curator".to_owned(),
    };
    Some(format!("{stands}  {what}"))
}

/// Entries and what is told beside them, for looking at one.
pub fn memory(place: &Place) -> Result<ReadMemory, Fail> {
    ReadMemory::open(place, None, Detail::Newest(2_000))
}

/// What `grimoire why --json` prints; others rely on these names.
#[derive(Debug, Clone, Serialize)]
pub struct LastRecall {
    pub tick: Tick,
    pub recall: Recall,
    /// Whose knowledge came up, where it was not the golem's own.
    pub of_others: Vec<RecalledOfAnother>,
}

/// Something recalled that somebody else learnt.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RecalledOfAnother {
    pub entry: EntryId,
    /// Who learnt it first.
    pub learnt_by: GolemId,
    /// What acting by it has been worth until now; none where it never acted, and in a look at an earlier turn.
    pub worth: Option<WorthByTwin>,
}

/// What was recalled last, in a memory as of its turn.
pub fn recalled(memory: &ReadMemory) -> Result<LastRecall, Fail> {
    let last = memory.reader.memory().named(NamedTable::Recall, Some(memory.tick), 1)?;
    let Some(Named { tick, body, .. }) = last.first() else {
        return Err(Fail::hint("nothing was recalled yet", "a golem recalls when it is surprised"));
    };
    let recall: Recall = serde_json::from_str(body).map_err(|e| Fail::Bug(format!("a recall: {e}")))?;
    let known = |id: EntryId| memory.all.entries.iter().map(|(entry, _)| entry).find(|entry| entry.id == id);
    let of_another = |id: EntryId| {
        let learnt_by = memory.learnt_by_another(known(id)?)?;
        Some(RecalledOfAnother { entry: id, learnt_by, worth: memory.worth(id) })
    };
    let of_others = recall.hits.iter().filter_map(|hit| of_another(hit.id)).collect();
    Ok(LastRecall { tick: *tick, recall, of_others })
}

/// What `grimoire stats --json` prints; others rely on these names.
#[derive(Debug, Clone, Serialize)]
pub struct LoreStats {
    pub active: u32,
    pub archived: usize,
    pub candidates: usize,
    pub quarantined: usize,
    pub burnt: usize,
    pub junk_share: f64,
    pub junk: JunkReport,
    pub episodes: u64,
    pub edges: usize,
    /// Proposals that are still being tested.
    pub staged: usize,
}

/// How much is known, and how much of it is junk.
pub fn stats(place: &Place) -> Result<LoreStats, Fail> {
    let memory = memory(place)?;
    let shelf = Shelf::rebuild(&memory.all);
    let report = junk(&shelf, memory.now);
    let count = |is: fn(&EntryStatus) -> bool| shelf.entries().filter(|e| is(&e.standing.status)).count();
    Ok(LoreStats {
        active: report.active,
        archived: count(|s| matches!(s, EntryStatus::Archived(_))),
        candidates: count(|s| matches!(s, EntryStatus::Candidate)),
        quarantined: count(|s| matches!(s, EntryStatus::Quarantined(_))),
        burnt: shelf.ashes().len(),
        junk_share: if report.active == 0 { 0.0 } else { f64::from(report.junk) / f64::from(report.active) },
        junk: report,
        episodes: memory.reader.memory().episodes()?,
        edges: memory.all.rows.iter().filter(|(table, ..)| *table == NamedTable::Edge).count(),
        staged: staged(&memory.all.rows)?,
    })
}

fn staged(rows: &[(NamedTable, String, String)]) -> Result<usize, Fail> {
    let mut count = 0;
    for (_, key, body) in rows.iter().filter(|(table, ..)| *table == NamedTable::Proposal) {
        let proposal: Proposal =
            serde_json::from_str(body).map_err(|e| Fail::Bug(format!("proposal {key} cannot be read: {e}")))?;
        count += usize::from(proposal.status == ProposalStatus::Staged);
    }
    Ok(count)
}

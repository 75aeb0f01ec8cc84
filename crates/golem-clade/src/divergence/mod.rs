//! Whether a life was more than a repetition of the one before it. A successor that only executes what it inherited knows
//! nothing; what is asked of it is rules, entries, questions and doubts of its own.

mod config;
mod measure;
mod negentropy;
mod ratchet;
mod shortfall;
mod strategy;

pub use config::{ASKED_FROM, AntiProletarianizationConfig};
pub use measure::{DECIDING_EMBEDDER, DivergenceMeasure, PlaybookDistance};
pub use negentropy::{KnowledgeDrift, Negentropy, knowledge_drift, negentropy_slope};
pub use ratchet::{RatchetCounts, RatchetGrade, lineage_score, ratchet_grade, ratchet_score};
pub use shortfall::DivergenceShortfall;
pub use strategy::{StrategyChange, StrategyPage};

use crate::provenance::PassportBook;
use golem_grimoire::decay::ceiling;
use golem_grimoire::family::ClaimFamily;
use golem_grimoire::shelf::Shelf;
use golem_grimoire::subject::{Statement, statement};
use golem_grimoire::{Entry, EntryBody, EntryId, EntryStatus};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What became of a successor, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DivergenceVerdict {
    /// It repeated its predecessor's playbook and added next to nothing.
    CargoCult,
    /// Something that was asked is missing.
    LowDivergence,
    /// It has become one of its own.
    Individuated,
}

/// An inherited entry that this life refuted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct InvalidatedEntry {
    /// Which.
    pub id: EntryId,
    /// Why.
    pub reason: InvalidationReason,
}

/// Why an inherited entry no longer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum InvalidationReason {
    /// Reality said otherwise.
    #[error("reality contradicted it {contradicted} times and confirmed it {confirmed} times")]
    Refuted {
        /// Against it.
        contradicted: u32,
        /// For it.
        confirmed: u32,
    },
    /// It was true, and is not any more.
    #[error("it stopped holding")]
    Ended,
}

/// What a life made of its inheritance, counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LifeWork {
    /// What it did with what it inherited.
    pub counts: RatchetCounts,
    /// What it refuted, by id.
    pub invalidated: Vec<InvalidatedEntry>,
    /// Entries in use.
    pub entries: u32,
    /// Those of them that are questions.
    pub questions: u32,
    /// What its knowledge tells.
    pub negentropy: Negentropy,
}

impl LifeWork {
    /// Counted from what a golem knows at the end. `inherited_statements` is what came, also where it was refused or is gone.
    #[must_use]
    pub fn of(shelf: &Shelf, book: &PassportBook, inherited: &[&EntryBody]) -> Self {
        let came: Vec<&Entry> = book.iter().filter_map(|(id, _)| shelf.entry(id)).collect();
        let invalidated: Vec<InvalidatedEntry> = came.iter().filter_map(|e| invalidation(e)).collect();
        let burnt = book.iter().filter(|(id, _)| shelf.ashes().contains_key(id)).count();
        let counts = RatchetCounts {
            inherited: count(book.iter().count()),
            novel: count(novel(shelf, inherited)),
            validated: count(came.iter().filter(|e| e.standing.own_validation).count()),
            contradicted: count(invalidated.len() + burnt),
        };
        Self {
            counts,
            invalidated,
            entries: count(lived(shelf).count()),
            questions: count(lived(shelf).filter(|e| e.body.is_question).count()),
            negentropy: Negentropy::of(lived(shelf)),
        }
    }
    /// The share of entries that are questions.
    #[must_use]
    pub fn question_ratio(&self) -> f64 {
        if self.entries == 0 { 0.0 } else { f64::from(self.questions) / f64::from(self.entries) }
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Why an inherited entry no longer holds here; none while it does, or where it only faded.
fn invalidation(entry: &Entry) -> Option<InvalidatedEntry> {
    let s = &entry.standing;
    let reason = match s.status {
        _ if s.contradicted > s.validated => {
            InvalidationReason::Refuted { contradicted: s.contradicted, confirmed: s.validated }
        }
        EntryStatus::Archived(_) if s.true_until.is_some() && s.own_validation => InvalidationReason::Ended,
        _ => return None,
    };
    Some(InvalidatedEntry { id: entry.id, reason })
}

/// What it knew in its life. What its own death taught comes after its testament, and is no work of the life.
fn lived(shelf: &Shelf) -> impl Iterator<Item = &Entry> {
    shelf.in_use().filter(|e| !(e.body.is_bloodstain && is_own(e)))
}

fn is_own(entry: &Entry) -> bool {
    ceiling(entry.body.provenance) >= 1.0
}

/// How many things it knows of its own that it did not inherit. What differs in bounds and lags only is one thing.
fn novel(shelf: &Shelf, inherited: &[&EntryBody]) -> usize {
    let said: BTreeSet<Statement> = inherited.iter().map(|b| statement(b)).collect();
    let families: BTreeSet<ClaimFamily> = inherited.iter().filter_map(|b| ClaimFamily::of_body(b)).collect();
    let own = lived(shelf).filter(|e| is_own(e) && !said.contains(&statement(&e.body)));
    let (mut new_families, mut others) = (BTreeSet::new(), 0);
    for entry in own {
        match ClaimFamily::of_body(&entry.body) {
            Some(family) if families.contains(&family) => {}
            Some(family) => {
                new_families.insert(family);
            }
            None => others += 1,
        }
    }
    new_families.len() + others
}

/// How a life stands to the one before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DivergenceReport {
    /// In a word.
    pub verdict: DivergenceVerdict,
    /// The flag that its playbook carries to the next generation.
    pub low_divergence: bool,
    /// How far the playbooks lie apart.
    pub playbook: PlaybookDistance,
    /// What it did.
    pub work: LifeWork,
    /// What is missing.
    pub shortfalls: Vec<DivergenceShortfall>,
    /// What it added, for each entry that it inherited.
    pub ratchet: Option<f64>,
}

/// Judge a life that had a predecessor.
#[must_use]
pub fn judge_divergence(
    playbook: PlaybookDistance,
    work: LifeWork,
    asked: &AntiProletarianizationConfig,
) -> DivergenceReport {
    let shortfalls = shortfalls(&playbook, &work, asked);
    let has = |is: fn(&DivergenceShortfall) -> bool| shortfalls.iter().any(is);
    let same = has(|s| matches!(s, DivergenceShortfall::Playbook { .. }));
    let barren = has(|s| matches!(s, DivergenceShortfall::Novel { .. }));
    let verdict = match () {
        () if same && barren => DivergenceVerdict::CargoCult,
        () if has(|s| !s.is_warning()) => DivergenceVerdict::LowDivergence,
        () => DivergenceVerdict::Individuated,
    };
    let (ratchet, low_divergence) = (ratchet_score(work.counts), verdict != DivergenceVerdict::Individuated);
    DivergenceReport { verdict, low_divergence, playbook, work, shortfalls, ratchet }
}

fn shortfalls(
    playbook: &PlaybookDistance,
    work: &LifeWork,
    asked: &AntiProletarianizationConfig,
) -> Vec<DivergenceShortfall> {
    let (distance, ratio, refuted) = (playbook.deciding(), work.question_ratio(), count(work.invalidated.len()));
    let far = asked.min_playbook_divergence;
    let all = [
        (distance < far, DivergenceShortfall::Playbook { found: distance, asked: far }),
        (
            work.counts.novel < asked.min_novel_entries,
            DivergenceShortfall::Novel { found: work.counts.novel, asked: asked.min_novel_entries },
        ),
        (asked.require_explicit_gaps && work.questions == 0, DivergenceShortfall::Gaps),
        (
            ratio < asked.min_question_ratio,
            DivergenceShortfall::Questions { found: ratio, asked: asked.min_question_ratio },
        ),
        (
            work.counts.inherited >= ASKED_FROM && refuted < asked.min_invalidated_entries,
            DivergenceShortfall::Invalidated { found: refuted, asked: asked.min_invalidated_entries },
        ),
    ];
    all.into_iter().filter(|(missing, _)| *missing).map(|(_, what)| what).collect()
}

/// Whether a successor may be made with this playbook: `strategy_drift_allowed` is the least distance, whatever its name says.
///
/// # Errors
/// When it would be the one that died again; only its owner can want that.
pub fn may_succeed(playbook: &PlaybookDistance, strategy_drift_allowed: f64) -> Result<(), DivergenceShortfall> {
    let found = playbook.deciding();
    let far = if strategy_drift_allowed.is_finite() { strategy_drift_allowed } else { 1.0 };
    if found >= far { Ok(()) } else { Err(DivergenceShortfall::Playbook { found, asked: far }) }
}

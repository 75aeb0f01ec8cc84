//! What a subject leaves: one answer for a line in a world, for pairs of heirs and newborns, and for the lines of the trial, so
//! that none of them hands on what the others would not.

use crate::Subject;
use golem_clade::bottleneck::INHERITANCE_BUDGET;
use golem_clade::divergence::{DivergenceReport, LifeWork};
use golem_clade::heirloom::Heirloom;
use golem_clade::life_left::LifeLeft;
use golem_grimoire::change::NamedTable;
use golem_grimoire::staging::{Proposal, ProposalStatus};
use golem_grimoire::{EntryOrigin, Grimoire};
use golem_life::{Genesis, WrittenPages};

/// A life at its end.
pub(crate) struct Leaves {
    /// What it did with what it had inherited, and beyond it.
    pub work: LifeWork,
    /// Whether it was more than a repetition; none of a first ancestor.
    pub divergence: Option<DivergenceReport>,
    pub heirloom: Heirloom,
}

/// What somebody leaves as things stand. Its pages are those of the rows that were kept of it ([`Subject::writing`]).
pub(crate) fn leaves(genesis: &Genesis, subject: &Subject) -> Leaves {
    let life = subject.life();
    let empty;
    let grimoire = match life.grimoire() {
        Some(grimoire) => grimoire,
        None => {
            empty = empty_grimoire(genesis);
            &empty
        }
    };
    let pages = WrittenPages::of(genesis.birth.id, subject.written());
    let left = LifeLeft {
        birth: &genesis.birth,
        inheritance: genesis.inheritance.as_deref(),
        taken_in: life.taken_in_at(),
        now: life.age(),
        shelf: grimoire.shelf(),
        playbook: grimoire.playbook(),
        pages: pages.left(),
        asked: &genesis.settings.divergence,
    };
    let closed = closed(subject);
    let proposals = grimoire.staging().proposals().chain(&closed);
    let heirloom = left.heirloom(grimoire.graph().edges(), proposals, INHERITANCE_BUDGET);
    Leaves { work: left.work(), divergence: left.divergence(), heirloom }
}

/// What it has judged: that is no longer open, and its row says so. Whoever is left the same again need not test it again.
fn closed(subject: &Subject) -> Vec<Proposal> {
    let rows = subject.written().filter(|(table, ..)| *table == NamedTable::Proposal);
    let read = rows.filter_map(|(_, _, body)| serde_json::from_str(body).ok());
    read.filter(|proposal: &Proposal| proposal.status != ProposalStatus::Staged).collect()
}

/// What somebody knows who lived without memory.
fn empty_grimoire(genesis: &Genesis) -> Grimoire {
    let origin = EntryOrigin { golem: genesis.birth.id, generation: genesis.birth.generation };
    Grimoire::new(genesis.birth.name.clone(), origin)
}

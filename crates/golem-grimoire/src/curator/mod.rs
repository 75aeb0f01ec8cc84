//! The curator: every 50 turns it distils what happened, promotes what held, lets the rest fade, prunes, and marks what
//! is worth a dream; every 250 turns it looks deeper. It needs no model.
//!
//! It never writes the playbook: it asks the playbook's one writer, through [`CycleReport::playbook`].

mod actions;
mod causes;
mod claims;
mod deep;
mod distil;
mod promote;
mod prune;
mod questions;
mod report;
mod rules;
mod tag;
mod trades;
mod warnings;

pub use causes::SeenEdge;
pub use deep::DeepReport;
pub use promote::{DEMOTE_BELOW, PromotionWait, RULE_BP, needed_bp, waits_for};
pub use report::{CycleReport, Distilled};
pub use rules::{domain_of, rule_for};
pub use tag::{DREAM_REGRET_BPS, DREAM_SURPRISE};

use crate::admission::{Neighbours, admit};
use crate::credit;
use crate::entry::{EntryBody, EntryId, EntryKind, EntryOrigin};
use crate::episode::EpisodeId;
use crate::relevance::WeatherWeights;
use crate::series::{MinedClaim, Series};
use crate::shelf::Shelf;
use crate::staging::{Staging, ValidationRow};
use crate::standing::Support;
use golem_core::{Tick, VirtualTime};
use golem_mortality::Domain;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use trades::TradeWays;

/// Turns between cycles.
pub const CYCLE_TURNS: u64 = 50;
/// Turns between deep validations.
pub const DEEP_TURNS: u64 = 250;
/// Evidence from which something can be learnt.
pub const LEAST_EVIDENCE: u32 = 3;

/// How much is kept at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryRoom {
    /// Entries in use.
    pub active: usize,
    /// Entries on trial.
    pub candidates: usize,
    /// Entries kept aside.
    pub quarantined: usize,
    /// Entries in the archive.
    pub archived: usize,
}

impl Default for MemoryRoom {
    fn default() -> Self {
        Self { active: 500, candidates: 250, quarantined: 64, archived: 2_000 }
    }
}

/// What the curator works on.
#[derive(Debug)]
pub struct CuratorRooms<'a> {
    /// Entries and episodes.
    pub shelf: &'a mut Shelf,
    /// Proposals.
    pub staging: &'a mut Staging,
}

/// What the curator is told.
#[derive(Clone, Copy)]
pub struct CuratorMaterial<'a> {
    /// The turn.
    pub tick: Tick,
    /// Age of the golem.
    pub now: VirtualTime,
    /// The weather.
    pub weather: WeatherWeights,
    /// Who learns.
    pub origin: EntryOrigin,
    /// Fitness by domain, in the order of [`Domain::ALL`]; none where too little has settled.
    pub fitness: [Option<f64>; Domain::ALL.len()],
    /// Claims that the series supports, to be staged.
    pub mined: &'a [MinedClaim],
    /// The edges of the causal graph that hold, or held and do not any more.
    pub edges: &'a [SeenEdge],
    /// What was observed of late.
    pub series: &'a Series,
    /// Whoever can say what is like a text.
    pub neighbours: &'a dyn Neighbours,
    /// The parameters of the golem's own template: what its rules may scale.
    pub parameters: &'a [&'static str],
    /// What was inherited, in the order in which it is worth validating.
    pub validate_first: &'a ValidationRow,
}

/// What the curator keeps between cycles, in the checkpoint.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Curator {
    /// How much is kept at most.
    pub room: MemoryRoom,
    cycles: u64,
    trades: TradeWays,
    /// Episodes that were warned about and still wait for more of their kind.
    warned: BTreeSet<EpisodeId>,
    /// The last belief that was held against the record.
    checked: EntryId,
}

impl Curator {
    /// A curator for so much room.
    #[must_use]
    pub fn new(room: MemoryRoom) -> Self {
        Self { room, ..Self::default() }
    }
    /// One cycle: distil, promote, decay, prune, tag.
    pub fn cycle(&mut self, desk: &mut CuratorRooms<'_>, told: &CuratorMaterial<'_>) -> CycleReport {
        self.cycles = self.cycles.saturating_add(1);
        let in_use = desk.shelf.in_use().count();
        let mut report = CycleReport { tick: told.tick, cycle: self.cycles, ..CycleReport::default() };
        self.distil(desk, told, &mut report);
        promote::promote(desk.shelf, told, &mut report);
        prune::decay(desk.shelf, told.now, &mut report);
        prune::prune(desk.shelf, &self.room, told, &mut report);
        tag::tag(desk.shelf, &mut report);
        for trifle in desk.staging.choose_watched(desk.shelf, told.series, told.now, told.validate_first) {
            desk.shelf.stand(trifle, credit::contradict);
        }
        desk.staging.forget_old_failures(told.now);
        desk.staging.write_rows(desk.shelf, false);
        report.count(desk.shelf, in_use, told.now);
        report
    }
    fn distil(&mut self, desk: &mut CuratorRooms<'_>, told: &CuratorMaterial<'_>, report: &mut CycleReport) {
        let out = &mut report.distilled;
        actions::distil(desk.shelf, told, &mut self.warned, out);
        claims::distil(desk, told, out);
        causes::distil(desk.shelf, told, out);
        self.trades.distil(desk.shelf, told, out);
        questions::distil(desk, told, out);
    }
    /// Deep validation: contradictions, merges, failing domains, beliefs against the record.
    pub fn deep(&mut self, desk: &mut CuratorRooms<'_>, told: &CuratorMaterial<'_>) -> DeepReport {
        deep::deep(desk, told, &mut self.checked)
    }
}

/// What is learnt from the golem's own life; the caller says what.
fn own(told: &CuratorMaterial<'_>, kind: EntryKind, text: String) -> EntryBody {
    EntryBody::own(kind, text, told.origin, told.now)
}

/// Through the gate; true when a new entry came of it.
fn learn(shelf: &mut Shelf, body: EntryBody, support: Support, told: &CuratorMaterial<'_>) -> Option<EntryId> {
    let (verdict, id) = admit(shelf, body, support, told.neighbours, told.now);
    id.filter(|_| matches!(verdict.ruling, crate::admission::Ruling::Admit { .. }))
}

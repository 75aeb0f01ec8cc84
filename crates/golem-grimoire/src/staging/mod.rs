//! Staging: what may be so waits here until the waking world has confirmed it, refuted it, or lost interest.
//!
//! Nothing leaves staging as knowledge except through the admission gate. Whoever proposes (the curator, a dream, a
//! model) only proposes.

mod evidence;
mod proposal;
mod settle;
mod sweep;
mod unfinished;
mod watch;

pub use evidence::{wilson_lower, wilson_upper};
pub use proposal::{
    ContextChange, Proposal, ProposalDraft, ProposalKey, ProposalPool, ProposalRow, ProposalStatus, Proposed,
    ProposedRevision, ShadowTally, Trial,
};
pub use settle::{PlaybookWish, SettledProposals, enter_executed_warning};
pub use sweep::{MOST_EVALUATIONS, SweepMoment, Swept};
pub use unfinished::UnfinishedHypothesis;
pub use watch::{BASE_RATE_TAG, MOST_WATCHED, ValidationRow};

use crate::change::{NamedTable, Remembered};
use crate::entry::EntryId;
use crate::experts::LevelShare;
use crate::shelf::Shelf;
use golem_core::plain;
use golem_core::{Elapsed, VirtualTime};
use proposal::ClaimTest;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use watch::{WatchKnown, WatchedBelief};

/// What one confirmation adds, in basis points.
pub const HIT_BP: u16 = 1_000;
/// What one refutation takes.
pub const MISS_BP: u16 = 500;
/// Promoted from here on, if the evidence is more than luck.
pub const PROMOTE_BP: u16 = 7_000;
/// Refuted below this.
pub const REFUTE_BP: u16 = 1_000;
/// Confirmations count as independent when they are this many nominal ticks apart (one horizon of the price forecast),
/// or the claim's own, whichever is longer.
pub const INDEPENDENT_TICKS: u32 = 90;
/// Chances after which a proposal expires.
pub const MOST_OPPORTUNITIES: u32 = 120;
/// Age at which it expires in any case.
pub const OLDEST: Elapsed = Elapsed::secs(30 * 86_400);
/// What failed is not staged again for this long.
pub const REST: Elapsed = Elapsed::secs(7 * 86_400);

/// The staged proposals, and the beliefs that are watched.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Staging {
    open: BTreeMap<u64, OpenProposal>,
    keys: BTreeMap<ProposalKey, u64>,
    failed: BTreeMap<ProposalKey, VirtualTime>,
    watched: BTreeMap<EntryId, WatchedBelief>,
    due: BTreeSet<(VirtualTime, DueCheck)>,
    turn: AskTurns,
    // How many claims about each field were refuted, since somebody last asked.
    failing: BTreeMap<String, u32>,
    // Staged since the last rows were written; moved since; closed since.
    fresh: Vec<u64>,
    moved: BTreeSet<u64>,
    closed: Vec<Proposal>,
}

#[derive(Debug, Clone, PartialEq)]
struct OpenProposal {
    proposal: Proposal,
    test: ClaimTest,
    /// When checks fall due that were opened after the one of its trial.
    pending: VecDeque<VirtualTime>,
}

impl OpenProposal {
    fn new(proposal: Proposal, test: ClaimTest) -> Self {
        Self { proposal, test, pending: VecDeque::new() }
    }
    /// What was found in a record of days may come about hours later: its checks are opened while others are open.
    fn overlaps(&self) -> bool {
        self.proposal.row.is_some_and(|row| row.among == LevelShare::Dreamt)
    }
    /// Nominal ticks between two of its checks. What lasts may be one and the same state for a horizon of a forecast; which way the
    /// price moved is settled when the next move begins.
    fn apart(&self) -> u32 {
        match (self.overlaps(), self.test.one_way()) {
            (true, Some(window)) => window,
            (true, None) => INDEPENDENT_TICKS,
            (false, _) => self.proposal.claim.after_ticks.max(INDEPENDENT_TICKS),
        }
    }
}

/// What a due check is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum DueCheck {
    Proposal(u64),
    Belief(EntryId),
}

/// Whose turn it is to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
struct AskTurns {
    next_number: u64,
    last_proposal: u64,
    last_belief: EntryId,
    owed_proposals: u32,
    owed_beliefs: u32,
    /// Beliefs that were ever watched, and the last whose base rate was counted again.
    watched: u64,
    last_counted: EntryId,
    /// How many of all proposals dreams found, and made up.
    dreamt: u64,
    imagined: u64,
}

impl AskTurns {
    /// The row of the proposal that has just been numbered; none while all are in one row.
    fn row(&mut self, among: LevelShare) -> Option<ProposalRow> {
        let place = match among {
            LevelShare::Dreamt => &mut self.dreamt,
            LevelShare::Imagined => &mut self.imagined,
            _ if self.dreamt + self.imagined == 0 => return None,
            _ => return Some(ProposalRow { among, place: self.next_number - self.dreamt - self.imagined }),
        };
        *place += 1;
        Some(ProposalRow { among, place: *place })
    }
}

/// What rows do not hold: how each trial goes. Kept in the checkpoint, since it moves too often for a row each time.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StagingState {
    turn: AskTurns,
    trials: Vec<(u64, u16, Trial)>,
    watched: Vec<(EntryId, Trial, WatchKnown)>,
    moved: Vec<u64>,
    failing: Vec<(String, u32)>,
    /// Checks that fall due after the one of the trial.
    pending: Vec<(u64, Vec<VirtualTime>)>,
}

/// What came of wanting something staged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Staged {
    /// It is staged.
    Added(ProposalKey),
    /// It is staged already.
    AlreadyStaged(ProposalKey),
    /// It is believed already.
    Believed(EntryId),
    /// It failed lately.
    FailedLately(ProposalKey),
    /// Everything in its places is worth more.
    NoRoom,
    /// The claim cannot be asked.
    BadClaim(String),
    /// It speaks of an entry that is not there, or its text is out of bounds.
    Unfit,
}

impl Staging {
    /// What the file and the checkpoint remember, as it was.
    #[must_use]
    pub fn rebuild(remembered: &Remembered, state: &StagingState, shelf: &Shelf) -> Self {
        let mut staging = Self { turn: state.turn, ..Self::default() };
        let proposals = remembered.rows.iter().filter(|(table, ..)| *table == NamedTable::Proposal);
        // A row that cannot be read is a proposal less, never a golem less.
        for proposal in proposals.filter_map(|(_, _, body)| serde_json::from_str::<Proposal>(body).ok()) {
            staging.place(proposal);
        }
        for (number, confidence_bp, trial) in &state.trials {
            if let Some(open) = staging.open.get_mut(number) {
                (open.proposal.confidence_bp, open.proposal.trial) = (*confidence_bp, *trial);
            }
        }
        for (number, pending) in &state.pending {
            if let Some(open) = staging.open.get_mut(number) {
                open.pending = pending.iter().copied().collect();
                staging.due.extend(pending.iter().map(|due| (*due, DueCheck::Proposal(*number))));
            }
        }
        for (id, trial, known) in &state.watched {
            if let Some(watched) = shelf.entry(*id).and_then(|e| WatchedBelief::of(e, *trial, *known)) {
                staging.watched.insert(*id, watched);
            }
        }
        let proposals = staging.open.iter().map(|(n, o)| (DueCheck::Proposal(*n), o.proposal.trial.due));
        let beliefs = staging.watched.iter().map(|(id, w)| (DueCheck::Belief(*id), w.trial.due));
        let due: Vec<_> = proposals.chain(beliefs).filter_map(|(who, due)| Some((due?, who))).collect();
        staging.due.extend(due);
        staging.moved = state.moved.iter().copied().collect();
        staging.failing = state.failing.iter().cloned().collect();
        staging
    }
    /// What the checkpoint has to keep.
    #[must_use]
    pub fn state(&self) -> StagingState {
        let trial = |(n, o): (&u64, &OpenProposal)| (*n, o.proposal.confidence_bp, o.proposal.trial);
        let pending = |(n, o): (&u64, &OpenProposal)| (*n, o.pending.iter().copied().collect());
        StagingState {
            turn: self.turn,
            trials: self.open.iter().map(trial).collect(),
            watched: self.watched.iter().map(|(id, w)| (*id, w.trial, w.known)).collect(),
            moved: self.moved.iter().copied().collect(),
            failing: self.failing.iter().map(|(field, n)| (field.clone(), *n)).collect(),
            pending: self.open.iter().filter(|(_, o)| !o.pending.is_empty()).map(pending).collect(),
        }
    }
    /// The number of the latest proposal there was; 0 before the first.
    #[must_use]
    pub fn last_number(&self) -> u64 {
        self.turn.next_number
    }
    /// The open proposals, oldest first.
    pub fn proposals(&self) -> impl Iterator<Item = &Proposal> {
        self.open.values().map(|o| &o.proposal)
    }

    /// Living by a proposal was tried on a copy.
    pub fn shadowed(&mut self, number: u64, was_better: bool) {
        let Some(open) = self.open.get_mut(&number) else { return };
        let tally = open.proposal.shadow.get_or_insert_default();
        let count = if was_better { &mut tally.better } else { &mut tally.worse };
        *count = count.saturating_add(1);
        // In the same turn: the checkpoint does not keep it.
        self.fresh.push(number);
    }

    /// Want something staged.
    pub fn stage(&mut self, shelf: &Shelf, draft: ProposalDraft, now: VirtualTime) -> Staged {
        let places = draft.pool().places();
        self.stage_among(shelf, draft, places, now)
    }
    /// The same where its pool has so many places: one who comes when they are taken displaces the one of least worth, or has to go.
    pub fn stage_among(&mut self, shelf: &Shelf, mut draft: ProposalDraft, places: usize, now: VirtualTime) -> Staged {
        let test = match ClaimTest::compile(&draft.claim) {
            Ok(test) if test.when != test.then => test,
            Ok(_) => return Staged::BadClaim("it claims its own condition".to_owned()),
            Err(error) => return Staged::BadClaim(error.to_string()),
        };
        let claim = test.canonical(draft.claim.after_ticks.max(1));
        draft.change.spell_alike();
        let key = draft.change.key(&claim);
        if self.keys.contains_key(&key) {
            return Staged::AlreadyStaged(key);
        }
        if self.failed.get(&key).is_some_and(|at| now.since(*at) < REST) {
            return Staged::FailedLately(key);
        }
        let missing = draft.change.target().is_some_and(|id| shelf.entry(id).is_none());
        if missing || draft.change.body().is_some_and(|b| !crate::admission::is_tidy(b)) {
            return Staged::Unfit;
        }
        if let Some(known) = draft.change.body().and_then(|b| shelf.saying(b).find(|e| e.is_in_use())) {
            return Staged::Believed(known.id);
        }
        let proposal = self.proposal(draft, claim, now);
        if !self.make_room(&proposal, places, now) {
            return Staged::NoRoom;
        }
        self.fresh.push(proposal.number);
        self.keys.insert(key, proposal.number);
        self.open.insert(proposal.number, OpenProposal::new(proposal, test));
        Staged::Added(key)
    }
    fn proposal(&mut self, draft: ProposalDraft, claim: crate::Claim, now: VirtualTime) -> Proposal {
        self.turn.next_number = self.turn.next_number.saturating_add(1);
        let (pool, row) = (draft.pool(), self.turn.row(draft.among));
        Proposal {
            number: self.turn.next_number,
            claim,
            base_rate_bp: basis_points(draft.base_rate).clamp(100, 9_900),
            confidence_bp: pool.begin_bp(draft.confidence_bp),
            utility_bp: basis_points(draft.utility),
            pool,
            source: draft.source,
            staged_at: now,
            trial: Trial::default(),
            status: ProposalStatus::Staged,
            change: draft.change,
            row,
            shadow: None,
        }
    }
    /// True when there is a free place, or one whose proposal is worth less: that one has to go.
    fn make_room(&mut self, new: &Proposal, places: usize, now: VirtualTime) -> bool {
        let rivals = || self.proposals().filter(|p| p.pool == new.pool);
        if rivals().count() < places {
            return true;
        }
        let Some(least) = rivals().min_by_key(|p| (p.worth(), std::cmp::Reverse(p.number))) else { return false };
        if least.worth() >= new.worth() {
            return false;
        }
        let number = least.number;
        self.close(number, ProposalStatus::Displaced(now));
        true
    }
    /// Take a proposal off the table, with its last status.
    fn close(&mut self, number: u64, status: ProposalStatus) -> Option<Proposal> {
        let OpenProposal { mut proposal, pending, .. } = self.open.remove(&number)?;
        for due in pending {
            self.due.remove(&(due, DueCheck::Proposal(number)));
        }
        proposal.status = status;
        let key = proposal.key();
        self.keys.remove(&key);
        if let Some(due) = proposal.trial.due.take() {
            self.due.remove(&(due, DueCheck::Proposal(number)));
        }
        self.remember_failure(key, status);
        if matches!(status, ProposalStatus::Refuted(_)) {
            let field = proposal.claim.then.split_whitespace().next().unwrap_or_default().to_owned();
            *self.failing.entry(field).or_default() += 1;
        }
        self.moved.remove(&number);
        self.closed.push(proposal.clone());
        Some(proposal)
    }
    fn remember_failure(&mut self, key: ProposalKey, status: ProposalStatus) {
        use ProposalStatus::{Expired, Refuted, TurnedAway};
        if let Refuted(at) | Expired(at) | TurnedAway(at) = status {
            self.failed.insert(key, at);
        }
    }
    fn place(&mut self, proposal: Proposal) {
        let key = proposal.key();
        match (proposal.status, ClaimTest::compile(&proposal.claim)) {
            (ProposalStatus::Staged, Ok(test)) => {
                self.keys.insert(key, proposal.number);
                self.open.insert(proposal.number, OpenProposal::new(proposal, test));
            }
            (status, _) => self.remember_failure(key, status),
        }
    }
    /// The fields about which at least so many claims were refuted; counting begins again for them.
    pub fn take_failing(&mut self, least: u32) -> Vec<String> {
        let (many, few) = std::mem::take(&mut self.failing).into_iter().partition(|(_, n)| *n >= least);
        self.failing = few;
        let many: BTreeMap<String, u32> = many;
        many.into_keys().filter(|field| golem_core::observed::Field::named(field).is_some()).collect()
    }
    /// True when the sweep asks the claim of this entry.
    #[must_use]
    pub fn is_watched(&self, id: EntryId) -> bool {
        self.watched.contains_key(&id)
    }
    /// What failed long ago may be proposed again; forget it.
    pub fn forget_old_failures(&mut self, now: VirtualTime) {
        self.failed.retain(|_, at| now.since(*at) < REST);
    }
    /// Put the rows of what was staged or closed since the last time. `progress` also writes how open trials go: often
    /// enough for people, too often for every turn.
    pub fn write_rows(&mut self, shelf: &mut Shelf, progress: bool) {
        let moved = if progress { std::mem::take(&mut self.moved) } else { BTreeSet::new() };
        for number in self.fresh.drain(..).chain(moved) {
            if let Some(open) = self.open.get(&number) {
                write(shelf, &open.proposal);
            }
        }
        for proposal in self.closed.drain(..) {
            write(shelf, &proposal);
        }
    }
}

fn write(shelf: &mut Shelf, proposal: &Proposal) {
    let text = proposal.change.body().map(|b| b.text.clone()).unwrap_or_default();
    let body = crate::lean::without_nulls(&plain::json(proposal));
    shelf.put_row(NamedTable::Proposal, format!("{:06}", proposal.number), text, body);
}

fn basis_points(x: f64) -> u16 {
    if x.is_nan() { 0 } else { libm::round(x.clamp(0.0, 1.0) * 10_000.0) as u16 }
}

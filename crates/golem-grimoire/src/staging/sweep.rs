//! The waking sweep: ask a few conditions each turn, open a check where one holds, and settle the checks that fall due.
//!
//! An expression costs most of a microsecond, so a turn asks at most [`MOST_EVALUATIONS`], due checks first; every
//! proposal gets its turn, at most once in [`POLL_TURNS`] turns.

use super::proposal::{ClaimTest, Proposal, ProposalStatus, Trial};
use super::watch::WatchedBelief;
use super::{DueCheck, HIT_BP, INDEPENDENT_TICKS, MISS_BP, MOST_OPPORTUNITIES, OLDEST, PROMOTE_BP, REFUTE_BP, Staging};
use crate::decay::MAX_CONFIDENCE_BP;
use crate::entry::EntryId;
use crate::experts::LevelShare;
use golem_core::observed::{Snapshot, Verdict};
use golem_core::{Elapsed, VirtualTime};
use std::ops::Bound::{Excluded, Unbounded};

/// Expressions that are evaluated in one turn at most.
pub const MOST_EVALUATIONS: u32 = 8;
/// What dreams have staged is asked beside it: one expression more for each so many.
const DREAMT_FOR_EACH: usize = 4;
/// A condition is asked at most once in so many turns.
pub const POLL_TURNS: u32 = 10;
/// Checks of one proposal that are open at once, beside the first.
const MOST_PENDING: usize = 8;
/// A check that could not be asked within this time after it fell due says nothing.
const LATE: Elapsed = Elapsed::nominal(10);

/// What the sweep looks at.
#[derive(Debug, Clone, Copy)]
pub struct SweepMoment<'a> {
    /// Age of the golem.
    pub now: VirtualTime,
    /// What was observed.
    pub snapshot: &'a Snapshot,
}

/// What a sweep found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Swept {
    /// Proposals that came true often enough. They are off the table; the gate is next ([`Staging::settle`]).
    pub ripe: Vec<Proposal>,
    /// Proposals that did not come true.
    pub refuted: Vec<Proposal>,
    /// Proposals that had their chances.
    pub expired: Vec<Proposal>,
    /// Watched beliefs that did better (true) or no better than their base rate over a block of checks.
    pub beliefs: Vec<(EntryId, bool)>,
    /// Those of them that are proven by now: it is this golem's own experience.
    pub proven: Vec<EntryId>,
    /// Expressions that were evaluated.
    pub evaluations: u32,
}

/// What a check said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CheckAnswer {
    Hit,
    Miss,
    Unclear,
}

impl Staging {
    /// One turn of the sweep.
    pub fn sweep(&mut self, moment: &SweepMoment<'_>) -> Swept {
        let mut swept = Swept::default();
        // What is dreamt must not be in the way of what is found awake.
        let dreamt = self.proposals().filter(|p| p.row.is_some_and(|r| r.among != LevelShare::Staged)).count();
        let most = MOST_EVALUATIONS + u32::try_from(dreamt.div_ceil(DREAMT_FOR_EACH)).unwrap_or(0);
        self.settle_due(moment, most, &mut swept);
        self.ask_proposals(moment, most, &mut swept);
        self.ask_beliefs(moment, most, &mut swept);
        swept
    }

    fn settle_due(&mut self, moment: &SweepMoment<'_>, most: u32, swept: &mut Swept) {
        while let Some(&(due, who)) = self.due.first().filter(|(due, _)| *due <= moment.now) {
            let late = moment.now.since(due) > LATE;
            let test = match who {
                DueCheck::Proposal(number) => self.open.get(&number).map(|o| &o.test),
                DueCheck::Belief(id) => self.watched.get(&id).map(|w| &w.test),
            };
            let Some(test) = test else {
                self.due.pop_first();
                continue;
            };
            let answer = match late {
                true => CheckAnswer::Unclear,
                false if swept.evaluations + test.cost() > most => return,
                false => {
                    swept.evaluations += test.cost();
                    check(test, moment.snapshot)
                }
            };
            self.due.pop_first();
            match who {
                DueCheck::Proposal(number) => self.book_proposal(number, answer, moment.now, swept),
                DueCheck::Belief(id) => {
                    let belief = self
                        .watched
                        .get_mut(&id)
                        .and_then(|w| w.book(answer == CheckAnswer::Hit, answer == CheckAnswer::Miss));
                    swept.beliefs.extend(belief.map(|better| (id, better)));
                    swept.proven.extend(belief.and_then(|_| self.watched.get(&id)?.is_proven().then_some(id)));
                }
            }
        }
    }
    fn book_proposal(&mut self, number: u64, answer: CheckAnswer, now: VirtualTime, swept: &mut Swept) {
        let Some(open) = self.open.get_mut(&number) else { return };
        let p = &mut open.proposal;
        let base_rate = p.base_rate();
        p.trial.book(answer == CheckAnswer::Hit, answer == CheckAnswer::Miss, base_rate);
        p.trial.due = open.pending.pop_front();
        match answer {
            CheckAnswer::Hit => p.confidence_bp = p.confidence_bp.saturating_add(HIT_BP).min(MAX_CONFIDENCE_BP),
            CheckAnswer::Miss => p.confidence_bp = p.confidence_bp.saturating_sub(MISS_BP),
            CheckAnswer::Unclear => {}
        }
        let (low, high) = (p.confidence_bp < REFUTE_BP, p.confidence_bp >= PROMOTE_BP);
        // The seed's steps are needed, and so is evidence at this proposal's share of the one level.
        let ripe = high && answer == CheckAnswer::Hit && p.trial.proves(p.level());
        self.moved.insert(number);
        if ripe {
            swept.ripe.extend(self.take_ripe(number));
        } else if low {
            swept.refuted.extend(self.close(number, ProposalStatus::Refuted(now)));
        }
    }

    fn ask_proposals(&mut self, moment: &SweepMoment<'_>, most: u32, swept: &mut Swept) {
        let mut steps = steps(&mut self.turn.owed_proposals, self.open.len());
        while steps > 0 && swept.evaluations < most {
            let after = (Excluded(self.turn.last_proposal), Unbounded);
            let Some((&number, open)) = self.open.range_mut(after).next() else {
                // The end of the row: begin again.
                if self.turn.last_proposal == 0 {
                    break;
                }
                self.turn.last_proposal = 0;
                continue;
            };
            self.turn.last_proposal = number;
            steps -= 1;
            let (overlaps, apart) = (open.overlaps(), open.apart());
            let p = &mut open.proposal;
            if p.trial.due.is_some() && (!overlaps || open.pending.len() >= MOST_PENDING) {
                continue;
            }
            if p.trial.opportunities >= MOST_OPPORTUNITIES || moment.now.since(p.staged_at) >= OLDEST {
                swept.expired.extend(self.close(number, ProposalStatus::Expired(moment.now)));
            } else if is_free(&p.trial, apart, moment.now) {
                swept.evaluations += 1;
                let before = p.trial.due;
                if let Some(due) = ask(&open.test, &mut p.trial, p.claim.after_ticks, moment) {
                    if let Some(before) = before {
                        p.trial.due = Some(before);
                        open.pending.push_back(due);
                    }
                    self.moved.insert(number);
                    self.due.insert((due, DueCheck::Proposal(number)));
                }
            }
        }
    }
    fn ask_beliefs(&mut self, moment: &SweepMoment<'_>, most: u32, swept: &mut Swept) {
        let mut steps = steps(&mut self.turn.owed_beliefs, self.watched.len());
        while steps > 0 && swept.evaluations < most {
            let after = (Excluded(self.turn.last_belief), Unbounded);
            let Some((&id, WatchedBelief { trial, test, after_ticks, .. })) = self.watched.range_mut(after).next()
            else {
                if self.turn.last_belief == EntryId::default() {
                    break;
                }
                self.turn.last_belief = EntryId::default();
                continue;
            };
            self.turn.last_belief = id;
            steps -= 1;
            if trial.due.is_none() && is_free(trial, INDEPENDENT_TICKS.max(*after_ticks), moment.now) {
                swept.evaluations += 1;
                if let Some(due) = ask(test, trial, *after_ticks, moment) {
                    self.due.insert((due, DueCheck::Belief(id)));
                }
            }
        }
    }
    /// Off the table by the owner's word: to the gate, or refuted. Nothing when there is no such proposal.
    pub fn judged_by_owner(&mut self, number: u64, approved: bool, now: VirtualTime) -> Option<Swept> {
        let mut swept = Swept::default();
        if approved {
            self.open.get(&number)?;
            // The owner's word counts for more than what was tried on copies.
            swept.ripe.extend(self.take_ripe(number).map(|p| Proposal { shadow: None, ..p }));
        } else {
            swept.refuted.push(self.close(number, ProposalStatus::Refuted(now))?);
        }
        Some(swept)
    }
    /// Off the table, but with its status still open: the gate decides.
    fn take_ripe(&mut self, number: u64) -> Option<Proposal> {
        let proposal = self.open.remove(&number)?.proposal;
        self.due.retain(|(_, who)| *who != DueCheck::Proposal(number));
        self.keys.remove(&proposal.key());
        self.moved.remove(&number);
        Some(proposal)
    }
}

/// How many are asked in this turn, so that each of them is asked once in [`POLL_TURNS`] turns. What a full turn cannot
/// ask is not made up for: the round takes longer.
fn steps(owed: &mut u32, row: usize) -> u32 {
    let row = u32::try_from(row).unwrap_or(u32::MAX);
    *owed = owed.saturating_add(row);
    let steps = *owed / POLL_TURNS;
    *owed %= POLL_TURNS;
    steps
}

/// True when a check opened now would be independent of the last one.
fn is_free(trial: &Trial, apart: u32, now: VirtualTime) -> bool {
    trial.opened.is_none_or(|at| now.since(at) >= Elapsed::nominal(u64::from(apart)))
}

/// Ask the condition; where it holds, open a check and say when it falls due.
fn ask(test: &ClaimTest, trial: &mut Trial, after_ticks: u32, moment: &SweepMoment<'_>) -> Option<VirtualTime> {
    if !test.when.evaluate(moment.snapshot).holds() {
        return None;
    }
    let due = moment.now.after(Elapsed::nominal(u64::from(after_ticks)));
    trial.opportunities = trial.opportunities.saturating_add(1);
    trial.opened = Some(moment.now);
    trial.due = Some(due);
    Some(due)
}

/// What is not observed, has no answer, or is claimed and refuted at once, says nothing.
fn check(test: &ClaimTest, snapshot: &Snapshot) -> CheckAnswer {
    let then = test.then.evaluate(snapshot);
    let unless = test.unless.as_ref().map(|u| u.evaluate(snapshot));
    match (then, unless) {
        (Verdict::Holds, None | Some(Verdict::DoesNot)) => CheckAnswer::Hit,
        (Verdict::DoesNot, None | Some(Verdict::Holds)) => CheckAnswer::Miss,
        _ => CheckAnswer::Unclear,
    }
}

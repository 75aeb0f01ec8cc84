//! Goals: a class, a success expression over recorded fields, and a deadline. What became of them are facts.
//!
//! Without a model goals are set by template and phase (`plan`). They never act: they say what the golem is after, and
//! whether it got there. Only classes that act or take risk away count for its record.

mod goal;
mod plan;
mod record;

pub use goal::{Aim, Goal, GoalClass, GoalEnd, GoalFact};
pub use record::{EndedGoal, GoalRecord};

use crate::paper::PaperOutcome;
use crate::policy::Template;
use golem_core::observed::{Snapshot, Verdict};
use golem_core::{Tick, VirtualTime};
use golem_mortality::BehavioralPhase;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Goals that can be open at once.
pub const MOST_OPEN: usize = 5;
/// Turns between two looks at a goal.
const POLL: u64 = 10;

/// What the golem is after, and what became of what it was after.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Goals {
    open: Vec<Goal>,
    record: GoalRecord,
    /// The number of the last goal.
    last: u64,
    /// When each kind of goal may be set again: once in its span.
    rest: BTreeMap<String, VirtualTime>,
    paper: PaperTally,
}

/// What goals are set for: a template in a phase, and whether anything may be opened at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pursuit {
    /// The strategy.
    pub template: Template,
    /// The phase of life.
    pub phase: BehavioralPhase,
    /// False while the gate, the owner or a breaker keeps it from opening anything.
    pub may_open: bool,
    /// True while it sets itself goals within reach, since it reaches nothing else.
    pub near: bool,
}

impl Pursuit {
    fn allows(self, class: GoalClass) -> bool {
        self.may_open || !class.needs_opening()
    }
}

/// Decisions on paper that have not been counted yet, and what they would have earned together.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct PaperTally {
    decisions: u8,
    bps: f64,
}

/// So many decisions on paper that would have paid together are one goal reached: one alone is a coin.
const PAPER_FOR_A_GOAL: u8 = 3;

impl Goals {
    /// One turn: look at what is open, give up what the phase no longer asks for, and set what is missing.
    pub fn tick(&mut self, tick: Tick, seen: &Snapshot, of: Pursuit, now: VirtualTime, facts: &mut Vec<GoalFact>) {
        let mut at = 0;
        while at < self.open.len() {
            let goal = &mut self.open[at];
            let due = now >= goal.deadline || (tick.0.wrapping_add(goal.number)).is_multiple_of(POLL);
            let wanted = plan::wants(&goal.name, of.template, of.phase);
            let end = if !of.allows(goal.class) {
                Some(GoalEnd::Lapsed)
            } else if !wanted {
                Some(GoalEnd::Abandoned)
            } else if due {
                look(goal, seen, now, facts)
            } else {
                None
            };
            match end {
                Some(end) => self.end(at, end, now, facts),
                None => at += 1,
            }
        }
        if tick.is_every(POLL) {
            self.set_missing(seen, of, now, facts);
        }
    }

    /// Set the goals of the plan that are neither open nor resting.
    fn set_missing(&mut self, seen: &Snapshot, of: Pursuit, now: VirtualTime, facts: &mut Vec<GoalFact>) {
        for wish in plan::of(of.template, of.phase).filter(|wish| of.allows(wish.class) && (of.near || !wish.is_near()))
        {
            if self.open.len() >= MOST_OPEN {
                return;
            }
            let resting = self.rest.get(wish.name).is_some_and(|until| now < *until);
            if resting || self.open.iter().any(|g| g.name == wish.name) {
                continue;
            }
            let Some(success) = wish.success(seen) else { continue };
            self.last = self.last.saturating_add(1);
            let goal = Goal::new(self.last, wish.name, wish.class, wish.aim, success, now, now.after(wish.span));
            self.rest.insert(wish.name.to_owned(), goal.deadline);
            facts.push(GoalFact::of_set(&goal));
            self.open.push(goal);
        }
    }

    fn end(&mut self, at: usize, end: GoalEnd, now: VirtualTime, facts: &mut Vec<GoalFact>) {
        let goal = self.open.remove(at);
        facts.push(GoalFact::of_end(&goal, end, now));
        if matches!(end, GoalEnd::Abandoned | GoalEnd::Lapsed) {
            // What was given up may be taken up again as soon as it is wanted again.
            self.rest.remove(&goal.name);
        }
        self.record.take(EndedGoal { class: goal.class, end, with_rules: goal.with_rules, on_paper: false });
    }

    /// A decision was made with rules of the playbook in force: what is reached while it is open was reached with them.
    pub fn used_rules(&mut self) {
        self.open.iter_mut().for_each(|goal| goal.with_rules = true);
    }
    /// A paper decision was settled. Some that would have paid together count as a goal reached, so that no remedy is out
    /// of reach while the real thing is closed. None counts as a goal missed: what the gate keeps from happening cannot
    /// fail, or suffering would feed itself.
    pub fn count_paper(&mut self, outcome: &PaperOutcome) {
        self.paper.decisions += 1;
        self.paper.bps += outcome.outcome_bps;
        if self.paper.decisions < PAPER_FOR_A_GOAL {
            return;
        }
        let tally = std::mem::take(&mut self.paper);
        if tally.bps > 0.0 {
            let class = if outcome.opened { GoalClass::Open } else { GoalClass::Reduce };
            let (end, with_rules) = (GoalEnd::Completed, !outcome.rules.is_empty());
            self.record.take(EndedGoal { class, end, with_rules, on_paper: true });
        }
    }
    /// A strategy that is not its own was tried on paper for a day, and would have paid: an exploring goal was reached.
    pub fn count_explored(&mut self) {
        let (class, end) = (GoalClass::Explore, GoalEnd::Completed);
        self.record.take(EndedGoal { class, end, with_rules: false, on_paper: true });
    }
    /// An episode was written.
    pub fn count_episode(&mut self) {
        self.record.count_episode();
    }
    /// What is open, in the order in which it was set.
    #[must_use]
    pub fn open(&self) -> &[Goal] {
        &self.open
    }
    /// What became of the last forty.
    #[must_use]
    pub fn record(&self) -> &GoalRecord {
        &self.record
    }
}

/// Look at one goal; what it has come to, if it has.
fn look(goal: &mut Goal, seen: &Snapshot, now: VirtualTime, facts: &mut Vec<GoalFact>) -> Option<GoalEnd> {
    let verdict = goal.success.evaluate(seen);
    let over = now >= goal.deadline;
    match (goal.aim, verdict) {
        (Aim::Reach, Verdict::Holds) => Some(GoalEnd::Completed),
        (Aim::Keep, Verdict::DoesNot) => Some(GoalEnd::Failed),
        (Aim::Keep, Verdict::Holds) => over.then_some(GoalEnd::Completed),
        (Aim::Reach, Verdict::DoesNot) => {
            if goal.progress(seen, now) {
                facts.push(GoalFact::of_stall(goal, now));
            }
            // A goal that never got anywhere was given up long before its deadline; one that did was missed.
            over.then_some(if goal.stalled && !goal.moved { GoalEnd::Abandoned } else { GoalEnd::Failed })
        }
        // What cannot be judged in the end was not pursued.
        (_, Verdict::Unknown { .. } | Verdict::Failed { .. }) => over.then_some(GoalEnd::Abandoned),
    }
}

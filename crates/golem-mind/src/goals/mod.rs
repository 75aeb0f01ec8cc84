//! Goals: a class, a success expression over recorded fields, and a deadline. What became of them are facts.
//!
//! Without a model goals are set by template and phase (`plan`). They never act: they say what the golem is after, and
//! whether it got there. Only classes that act or take risk away count for its record.

mod goal;
mod plan;
mod record;

pub use goal::{Aim, Goal, GoalClass, GoalEnd, GoalFact};
pub use record::{Ended, Record};

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
    record: Record,
    /// The number of the last goal.
    last: u64,
    /// When each kind of goal may be set again: once in its span.
    rest: BTreeMap<String, VirtualTime>,
}

impl Goals {
    /// One turn: look at what is open, give up what the phase no longer asks for, and set what is missing.
    pub fn tick(
        &mut self,
        tick: Tick,
        seen: &Snapshot,
        (template, phase): (Template, BehavioralPhase),
        now: VirtualTime,
        facts: &mut Vec<GoalFact>,
    ) {
        let mut at = 0;
        while at < self.open.len() {
            let goal = &mut self.open[at];
            let due = now >= goal.deadline || (tick.0.wrapping_add(goal.number)).is_multiple_of(POLL);
            let wanted = plan::wants(&goal.name, template, phase);
            let end = if !wanted {
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
            self.set_missing(seen, (template, phase), now, facts);
        }
    }

    /// Set the goals of the plan that are neither open nor resting.
    fn set_missing(
        &mut self,
        seen: &Snapshot,
        of: (Template, BehavioralPhase),
        now: VirtualTime,
        facts: &mut Vec<GoalFact>,
    ) {
        for wish in plan::of(of.0, of.1) {
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
        if end == GoalEnd::Abandoned {
            // What was given up may be taken up again as soon as it is wanted again.
            self.rest.remove(&goal.name);
        }
        self.record.take(Ended { class: goal.class, end, with_rules: goal.with_rules, on_paper: false });
    }

    /// A decision was made with rules of the playbook in force: what is reached while it is open was reached with them.
    pub fn used_rules(&mut self) {
        self.open.iter_mut().for_each(|goal| goal.with_rules = true);
    }
    /// A paper decision was settled: it counts like a goal of its own, so that no remedy is out of reach while the real
    /// thing is closed.
    pub fn count_paper(&mut self, outcome: &PaperOutcome) {
        let end = if outcome.outcome_bps > 0.0 { GoalEnd::Completed } else { GoalEnd::Failed };
        let class = if outcome.opened { GoalClass::Open } else { GoalClass::Reduce };
        self.record.take(Ended { class, end, with_rules: !outcome.rules.is_empty(), on_paper: true });
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
    pub fn record(&self) -> &Record {
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

//! The record: what became of the last forty goals that count.

use super::goal::{GoalClass, GoalEnd};
use golem_core::observed::{Field, Snapshot, Value};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Goals that are remembered.
const WINDOW: usize = 40;

/// A goal that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedGoal {
    /// Its class.
    pub class: GoalClass,
    /// How it ended.
    pub end: GoalEnd,
    /// Whether rules of the playbook were in force on the way.
    pub with_rules: bool,
    /// Whether it was a decision on paper.
    pub on_paper: bool,
}

/// What became of the last forty goals that act or take risk away.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GoalRecord {
    ended: VecDeque<EndedGoal>,
    /// Episodes since one was last reached.
    since_completed: u64,
}

impl GoalRecord {
    pub(super) fn take(&mut self, ended: EndedGoal) {
        if !ended.class.counts() || ended.end == GoalEnd::Lapsed {
            return;
        }
        if ended.end == GoalEnd::Completed {
            self.since_completed = 0;
        }
        if self.ended.len() == WINDOW {
            self.ended.pop_front();
        }
        self.ended.push_back(ended);
    }
    pub(super) fn count_episode(&mut self) {
        self.since_completed = self.since_completed.saturating_add(1);
    }
    /// How many ended this way.
    #[must_use]
    pub fn count(&self, end: GoalEnd) -> u32 {
        self.ended.iter().map(|e| u32::from(e.end == end)).sum()
    }
    /// How many were reached with rules of the playbook in force.
    #[must_use]
    pub fn completed_with_rules(&self) -> u32 {
        self.ended.iter().map(|e| u32::from(e.end == GoalEnd::Completed && e.with_rules)).sum()
    }
    /// The share of decided goals that were missed; none before any was decided.
    #[must_use]
    pub fn failure_rate(&self) -> Option<f64> {
        failure_rate(self.count(GoalEnd::Failed), self.count(GoalEnd::Completed))
    }
    /// Episodes since one was last reached.
    #[must_use]
    pub fn since_completed(&self) -> u64 {
        self.since_completed
    }
    /// The last forty, the oldest first.
    pub fn ended(&self) -> impl Iterator<Item = &EndedGoal> {
        self.ended.iter()
    }
    /// Fill the goal fields of a snapshot.
    pub fn fill(&self, all: &mut Snapshot) {
        let whole = |n: u64| Some(Value::Integer(i64::try_from(n).unwrap_or(i64::MAX)));
        // All of them in one pass: this is asked every turn.
        let (mut completed, mut failed, mut abandoned) = (0u32, 0u32, 0u32);
        for goal in &self.ended {
            completed += u32::from(goal.end == GoalEnd::Completed);
            failed += u32::from(goal.end == GoalEnd::Failed);
            abandoned += u32::from(goal.end == GoalEnd::Abandoned);
        }
        let fields = [
            (Field::GoalsCompleted, whole(completed.into())),
            (Field::GoalsFailed, whole(failed.into())),
            (Field::GoalsAbandoned, whole(abandoned.into())),
            (Field::GoalsFailureRate, failure_rate(failed, completed).and_then(Value::number)),
            (Field::GoalsSinceCompleted, whole(self.since_completed)),
        ];
        for (field, value) in fields {
            // The kinds agree (a test holds that); a value that does not fit stays absent.
            let _kept = value.and_then(|value| all.set(field, value).ok());
        }
    }
}

/// The share of decided goals that were missed; none before any was decided.
fn failure_rate(failed: u32, completed: u32) -> Option<f64> {
    (failed + completed > 0).then(|| f64::from(failed) / f64::from(failed + completed))
}

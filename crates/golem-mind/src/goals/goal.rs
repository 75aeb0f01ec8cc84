//! One goal, and the facts about it.

use golem_core::VirtualTime;
use golem_core::observed::{Expression, Snapshot};
use serde::{Deserialize, Serialize};

/// What kind of thing a goal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoalClass {
    /// Try something new.
    Explore,
    /// Take a position.
    Open,
    /// Look after what there is.
    Manage,
    /// Take risk away.
    Reduce,
    /// Know more.
    Learn,
    /// Look back.
    Reflect,
    /// Be of use to others.
    Peer,
}

impl GoalClass {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Explore, Self::Open, Self::Manage, Self::Reduce, Self::Learn, Self::Reflect, Self::Peer];
    /// Whether it can be pursued while opening is closed.
    #[must_use]
    pub fn needs_opening(self) -> bool {
        matches!(self, Self::Explore | Self::Open | Self::Manage)
    }
    /// Whether it acts or takes risk away: only these count for the record.
    #[must_use]
    pub fn counts(self) -> bool {
        matches!(self, Self::Explore | Self::Open | Self::Manage | Self::Reduce)
    }
}

/// Whether a goal is to be reached once, or kept until its deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aim {
    /// Done as soon as it holds.
    Reach,
    /// Done when it held until the end; missed as soon as it does not.
    Keep,
}

/// What became of a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoalEnd {
    /// It was reached.
    Completed,
    /// It was missed.
    Failed,
    /// It was given up.
    Abandoned,
    /// It could not be pursued any more, through no choice of the golem's: that says nothing about it.
    Lapsed,
}

/// Something the golem is after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Goal {
    /// Its number in the life, from 1.
    pub number: u64,
    /// What it is called in the plan.
    pub name: String,
    /// Its class.
    pub class: GoalClass,
    /// Whether it is to be reached or kept.
    pub aim: Aim,
    /// When it is reached.
    pub success: Expression,
    /// When it was set.
    pub set_at: VirtualTime,
    /// Until when it can be reached.
    pub deadline: VirtualTime,
    /// True when it has stopped moving.
    pub stalled: bool,
    /// True when it ever moved.
    pub moved: bool,
    /// True when rules of the playbook were in force for a decision while it was open.
    pub with_rules: bool,
    /// The nearest it has been, and when.
    nearest: Option<f64>,
    nearest_at: VirtualTime,
}

/// An approach counts from this share of the way that was left.
const APPROACH: f64 = 0.02;

impl Goal {
    pub(super) fn new(
        number: u64,
        name: &str,
        class: GoalClass,
        aim: Aim,
        success: Expression,
        now: VirtualTime,
        deadline: VirtualTime,
    ) -> Self {
        Self {
            number,
            name: name.to_owned(),
            class,
            aim,
            success,
            set_at: now,
            deadline,
            stalled: false,
            moved: false,
            with_rules: false,
            nearest: None,
            nearest_at: now,
        }
    }
    /// Measure how far there is to go. True when it has just stalled: no nearer for half of its span.
    pub(super) fn progress(&mut self, seen: &Snapshot, now: VirtualTime) -> bool {
        let Some(gap) = self.success.distance(seen).map(|d| d.gap) else { return false };
        let nearer = self.nearest.is_none_or(|nearest| gap < nearest * (1.0 - APPROACH));
        if nearer {
            self.moved |= self.nearest.is_some();
            (self.nearest, self.nearest_at, self.stalled) = (Some(gap), now, false);
            return false;
        }
        let half = self.deadline.since(self.set_at).0 / 2;
        let stalls = !self.stalled && now.since(self.nearest_at).0 >= half;
        self.stalled |= stalls;
        stalls
    }
}

/// What happened to a goal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "goal")]
pub enum GoalFact {
    /// It was set.
    Set {
        /// Its number.
        number: u64,
        /// What it is called.
        name: String,
        /// Its class.
        class: GoalClass,
        /// Whether it is to be reached or kept.
        aim: Aim,
        /// When it is reached.
        success: String,
        /// Until when.
        deadline: VirtualTime,
    },
    /// It has stopped moving.
    Stalled {
        /// Its number.
        number: u64,
        /// What it is called.
        name: String,
        /// When.
        at: VirtualTime,
    },
    /// It has ended.
    Ended {
        /// Its number.
        number: u64,
        /// What it is called.
        name: String,
        /// Its class.
        class: GoalClass,
        /// How.
        end: GoalEnd,
        /// When.
        at: VirtualTime,
    },
}

impl GoalFact {
    /// The goal's number.
    #[must_use]
    pub fn number(&self) -> u64 {
        match self {
            Self::Set { number, .. } | Self::Stalled { number, .. } | Self::Ended { number, .. } => *number,
        }
    }
    pub(super) fn of_set(goal: &Goal) -> Self {
        let (number, name, class, aim) = (goal.number, goal.name.clone(), goal.class, goal.aim);
        Self::Set { number, name, class, aim, success: goal.success.source().to_owned(), deadline: goal.deadline }
    }
    pub(super) fn of_stall(goal: &Goal, at: VirtualTime) -> Self {
        Self::Stalled { number: goal.number, name: goal.name.clone(), at }
    }
    pub(super) fn of_end(goal: &Goal, end: GoalEnd, at: VirtualTime) -> Self {
        Self::Ended { number: goal.number, name: goal.name.clone(), class: goal.class, end, at }
    }
}

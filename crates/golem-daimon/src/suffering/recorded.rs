//! What the six rules read: counters that a turn really records, as plain numbers.

use super::domain::ActivityDomain;
use golem_core::VirtualTime;
use golem_core::observed::Snapshot;
use golem_mortality::BehavioralPhase;
use serde::{Deserialize, Serialize};

/// The counters of one turn. Goals are those of the last 40 that count.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RecordedCounters {
    /// Goals reached.
    pub completed: u32,
    /// Goals missed.
    pub failed: u32,
    /// Goals given up.
    pub abandoned: u32,
    /// Goals reached while a promoted rule was in force.
    pub completed_with_rule: u32,
    /// Promoted rules of the playbook that never fired since their promotion.
    pub idle_rules: u32,
    /// When the owner last spoke or a sibling last used something of it. None where no such channel has ever existed,
    /// and in demo and backtest.
    pub contact: Option<VirtualTime>,
    /// Actions of the last 7 days against an active rule of confidence 0.7 or more whose condition held.
    pub violations: u32,
    /// When the last of them happened.
    pub last_violation: Option<VirtualTime>,
    /// The highest confidence that the violated rules have now.
    pub violated_confidence: Option<f64>,
    /// The phase of life.
    pub phase: BehavioralPhase,
    /// Hours of life that the economic clock projects; none when nothing burns.
    pub projected_life_h: Option<f64>,
    /// Whether its predictions have decayed for good.
    pub senescent: bool,
    /// How good its predictions are.
    pub fitness: f64,
    /// How good they must be for senescence to end.
    pub recovers_above: f64,
    /// How far they are ahead of a newborn's, where that counts: senescence ends in the lead only.
    pub lead: Option<f64>,
    /// Episodes since a goal was last reached.
    pub episodes_since_completed: u64,
    /// What the golem has been doing: the domain of what begins now.
    pub doing: Option<ActivityDomain>,
}

impl Default for RecordedCounters {
    /// A newborn: nothing done, nothing missed.
    fn default() -> Self {
        Self {
            completed: 0,
            failed: 0,
            abandoned: 0,
            completed_with_rule: 0,
            idle_rules: 0,
            contact: None,
            violations: 0,
            last_violation: None,
            violated_confidence: None,
            phase: BehavioralPhase::Thriving,
            projected_life_h: None,
            senescent: false,
            fitness: 0.5,
            recovers_above: 0.45,
            lead: None,
            episodes_since_completed: 0,
            doing: None,
        }
    }
}

impl RecordedCounters {
    /// The share of decided goals that were missed; none before any was decided.
    #[must_use]
    pub fn failure_rate(&self) -> Option<f64> {
        let (failed, completed) = (f64::from(self.failed), f64::from(self.completed));
        (failed + completed > 0.0).then(|| failed / (failed + completed))
    }
}

/// What is known at one moment: everything that suffering may look at.
#[derive(Debug, Clone, Copy)]
pub struct SufferingSeen<'a> {
    /// The moment.
    pub now: VirtualTime,
    /// The counters of the rules.
    pub recorded: &'a RecordedCounters,
    /// The observed fields, for the conditions that an agent gave.
    pub snapshot: &'a Snapshot,
}

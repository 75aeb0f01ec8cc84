//! Judging on fresh data: a candidate becomes an edge, an edge goes on, or it stops holding.
//!
//! When an edge is judged depends on its source alone, never on the effect: waiting for a bad moment would find one. A
//! candidate that shows something may wait a few looks longer, which costs a little of its one chance in 740.

use super::dependence::Dependence;
use super::edge::{Edge, EdgeId};
use crate::series::CAPACITY;
use golem_core::VirtualTime;
use golem_core::observed::Field;
use serde::{Deserialize, Serialize};

/// Fresh rows without which nothing is judged.
const LEAST_ROWS: usize = 256;
/// Fresh rows after which a candidate is judged, however little they can tell.
const PATIENCE: usize = CAPACITY * 3 / 4;
/// A candidate is judged when its effect, as it was first seen, would show by so many deviations...
const CONFIRM_POWER: f64 = 5.5;
/// ...and becomes an edge when it shows by so many: one chance in 740.
const CONFIRM_Z: f64 = 3.0;
/// Below this there is no point in waiting for more.
const HOPELESS_Z: f64 = 1.0;
/// An edge is judged when its effect would show by so many deviations...
const EDGE_POWER: f64 = 6.0;
/// ...and holds when it shows by this share of them. Effects that come with rare leaps scatter far more than noise does.
const EDGE_SHARE: f64 = 1.0 / 3.0;
/// An edge stops holding after so many failures in a row: one can be bad luck.
const FAILURES: u8 = 2;
/// Of a new weight, the share that the newest stretch has.
const NEWEST: f64 = 0.3;

/// A relation that was seen and waits for fresh data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Candidate {
    pub from: Field,
    pub to: Field,
    pub lag: u32,
    pub slope: f64,
    /// The first nominal tick that was not part of what suggested it.
    pub since: u64,
}

/// What a stretch of fresh rows says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CausalJudgement {
    /// Not enough yet.
    Wait,
    /// It holds.
    Held,
    /// It does not.
    Failed,
}

impl Candidate {
    pub fn judge(&self, rows: usize, fresh: Dependence) -> CausalJudgement {
        let (expected, shows) = (self.slope.abs() * fresh.power, fresh.z * self.slope.signum());
        if rows < LEAST_ROWS || (expected < CONFIRM_POWER && rows < PATIENCE) {
            CausalJudgement::Wait
        } else if shows >= CONFIRM_Z {
            CausalJudgement::Held
        } else if shows >= HOPELESS_Z && rows < PATIENCE {
            CausalJudgement::Wait
        } else {
            CausalJudgement::Failed
        }
    }
    /// The edge that it becomes.
    pub fn confirmed(&self, fresh: Dependence, now: VirtualTime, judged: u64) -> Edge {
        let mut edge = Edge {
            id: EdgeId::new(self.from, self.to, self.lag),
            from: self.from,
            to: self.to,
            lag: self.lag,
            // What was first seen was picked for being large; the fresh figure was not.
            weight: fresh.slope,
            confidence_bp: 0,
            held: 2,
            failed: 0,
            failed_in_a_row: 0,
            fired: 0,
            last_fired: None,
            created: now,
            invalidated: None,
            judged,
        };
        edge.settle_confidence();
        edge
    }
}

impl Edge {
    pub(super) fn judge(&self, rows: usize, fresh: Dependence) -> CausalJudgement {
        let expected = self.weight.abs() * fresh.power;
        // A source that hardly moved for a whole ring says nothing either way, and the rows are about to go.
        let last_chance = rows + MARGIN >= CAPACITY && expected >= EDGE_POWER / 2.0;
        if rows < LEAST_ROWS || (expected < EDGE_POWER && !last_chance) {
            CausalJudgement::Wait
        } else if fresh.z * self.weight.signum() >= EDGE_SHARE * expected {
            CausalJudgement::Held
        } else {
            CausalJudgement::Failed
        }
    }
    /// Take in a judgement that is not to wait.
    pub(super) fn settle(&mut self, judgement: CausalJudgement, fresh: Dependence, now: VirtualTime, judged: u64) {
        self.judged = judged;
        match judgement {
            CausalJudgement::Wait => return,
            CausalJudgement::Held => {
                self.held = self.held.saturating_add(1);
                self.failed_in_a_row = 0;
                self.weight += NEWEST * (fresh.slope - self.weight);
            }
            CausalJudgement::Failed => {
                self.failed = self.failed.saturating_add(1);
                self.failed_in_a_row = self.failed_in_a_row.saturating_add(1);
            }
        }
        self.settle_confidence();
        if self.failed_in_a_row >= FAILURES {
            self.invalidated = Some(now);
        }
    }
}

/// Rows by which a stretch may fall short of the whole ring and still be all that there will be.
const MARGIN: usize = 384;

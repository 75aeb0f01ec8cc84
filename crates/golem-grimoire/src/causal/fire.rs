//! Firing: the source of an edge moved by more than two usual deviations. Cheap enough for every turn.

use super::Graph;
use super::variable::{now, variables};
use golem_core::VirtualTime;
use golem_core::observed::Snapshot;
use serde::{Deserialize, Serialize};

/// In usual deviations.
const FIRES: f64 = 2.0;
/// Share of the newest change in what is usual: about half a day.
const NEWEST: f64 = 1.0 / 1_080.0;
/// Changes before anything counts as usual.
const LEAST: u32 = 90;

/// How much a node usually moves from one look to the next.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct UsualMove {
    last: Option<f64>,
    square: f64,
    looks: u32,
}

impl UsualMove {
    /// Take in a look; true when the node moved by more than is usual.
    fn moved(&mut self, x: f64) -> bool {
        let Some(last) = self.last.replace(x) else { return false };
        let change = x - last;
        let fires = self.looks >= LEAST && change * change > FIRES * FIRES * self.square && self.square > 0.0;
        self.looks = self.looks.saturating_add(1);
        let share = NEWEST.max(1.0 / f64::from(self.looks));
        // One leap must not make the next one look usual.
        let size = if self.looks > LEAST { (change * change).min(25.0 * self.square) } else { change * change };
        self.square += share * (size - self.square);
        fires
    }
}

impl Graph {
    /// Take in a turn: edges whose source moved by more than two usual deviations fire.
    pub fn observe(&mut self, age: VirtualTime, seen: &Snapshot) {
        self.usual.resize(variables().len(), UsualMove::default());
        for (node, usual) in self.usual.iter_mut().enumerate() {
            let x = now(seen, node);
            if x.is_finite() && usual.moved(x) {
                let source = variables()[node].0;
                for edge in self.edges.values_mut().filter(|e| e.from == source && e.holds()) {
                    (edge.last_fired, edge.fired) = (Some(age), edge.fired.saturating_add(1));
                }
            }
        }
    }
}

//! What the last turns took from each working purse: the memory behind the predictive rebalance.

use super::purpose::Partition;
use golem_core::{Tick, Usdc};
use serde::{Deserialize, Serialize};

/// Turns that the spending forecast looks back on.
pub(super) const LOOK_BACK: usize = 50;

/// What the last 50 turns took from each working purse.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trailing {
    ring: Vec<[u64; 3]>,
    at: usize,
    pub(super) sums: [u64; 3],
    now: [u64; 3],
    pub(super) filled: [Option<Tick>; 3],
}

impl Default for Trailing {
    fn default() -> Self {
        Self { ring: vec![[0; 3]; LOOK_BACK], at: 0, sums: [0; 3], now: [0; 3], filled: [None; 3] }
    }
}

impl Trailing {
    pub(super) fn took(&mut self, partition: Partition, amount: Usdc) {
        if let Some(now) = self.now.get_mut(partition.index()) {
            *now = now.saturating_add(amount.0);
        }
    }
    pub(super) fn close_turn(&mut self) {
        let old = std::mem::replace(&mut self.ring[self.at], self.now);
        for ((sum, now), old) in self.sums.iter_mut().zip(&mut self.now).zip(old) {
            *sum = sum.saturating_sub(old).saturating_add(*now);
            *now = 0;
        }
        self.at = (self.at + 1) % LOOK_BACK;
    }
}

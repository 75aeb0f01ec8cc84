//! Predictive rebalance: a purse that will run dry within ten turns is filled from the fullest other one.

use super::ledger::Ledger;
use super::purpose::Partition;
use golem_core::{Tick, Usdc};
use serde::{Deserialize, Serialize};

/// Turns that the spending forecast looks back on.
const LOOK_BACK: usize = 50;
/// Turns that it looks ahead.
const LOOK_AHEAD: u64 = 10;
/// Turns before the same purse may be filled again.
const COOL_DOWN: u64 = 30;

/// What the last 50 turns took from each working purse.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trailing {
    ring: Vec<[u64; 3]>,
    at: usize,
    sums: [u64; 3],
    now: [u64; 3],
    filled: [Option<Tick>; 3],
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
    fn close_turn(&mut self) {
        let old = std::mem::replace(&mut self.ring[self.at], self.now);
        for ((sum, now), old) in self.sums.iter_mut().zip(&mut self.now).zip(old) {
            *sum = sum.saturating_sub(old).saturating_add(*now);
            *now = 0;
        }
        self.at = (self.at + 1) % LOOK_BACK;
    }
}

/// A transfer between purses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rebalanced {
    /// From the fullest.
    pub from: Partition,
    /// To the one that would run dry.
    pub to: Partition,
    /// The deficit and a fifth more, at most half of the donor.
    #[serde(rename = "amount_micro_usdc")]
    pub amount: Usdc,
}

/// Close the turn's account and fill at most one purse.
pub fn rebalance(ledger: &mut Ledger, tick: Tick) -> Option<Rebalanced> {
    ledger.trailing.close_turn();
    for to in Partition::WORKING {
        let i = to.index();
        if ledger.trailing.filled[i].is_some_and(|t| tick.0 < t.0.saturating_add(COOL_DOWN)) {
            continue;
        }
        let need = Usdc(ledger.trailing.sums[i] / LOOK_BACK as u64 * LOOK_AHEAD);
        let deficit = need.minus(ledger.purses[i]);
        if deficit == Usdc::ZERO {
            continue;
        }
        let donor = Partition::WORKING.into_iter().filter(|p| *p != to).max_by_key(|p| ledger.purses[p.index()])?;
        let amount = deficit.ratio(12, 10).min(ledger.purses[donor.index()].ratio(1, 2));
        if amount == Usdc::ZERO {
            continue;
        }
        ledger.purses[donor.index()] = ledger.purses[donor.index()].minus(amount);
        ledger.purses[i] = ledger.purses[i].plus(amount);
        ledger.trailing.filled[i] = Some(tick);
        return Some(Rebalanced { from: donor, to, amount });
    }
    None
}

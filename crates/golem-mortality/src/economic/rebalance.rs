//! Predictive rebalance: a purse that will run dry within ten turns is filled from the fullest other one.

use super::ledger::Ledger;
use super::purpose::Partition;
use super::trailing::LOOK_BACK;
use golem_core::{Tick, Usdc};
use serde::{Deserialize, Serialize};

/// Turns that it looks ahead.
const LOOK_AHEAD: u64 = 10;
/// Turns before the same purse may be filled again.
const COOL_DOWN: u64 = 30;

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

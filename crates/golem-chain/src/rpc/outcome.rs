//! What really came of a transaction on somebody's chain: what moved, what was opened or changed, why it reverted, what
//! it cost.

use super::deed::read_deed;
use super::flows::{Flow, flows};
use super::receipt::Landed;
use super::step::{StepCall, StepEnd};
use super::venue::{OddFlow, RpcVenue};
use crate::calls::{log_kind, refusal};
use alloy_primitives::Address;
use alloy_sol_types::SolEvent;
use golem_core::intent::Refusal;
use golem_core::{Action, Point};
use golem_venue::{Done, VenueError};
use golem_wallet::abi::UniswapV3Pool as Pool;

/// How many transactions of a block are run again to find out why a later one reverted.
const REPLAYED: u64 = 32;

impl RpcVenue {
    /// Note what a transaction really did.
    pub(super) fn happened(
        &mut self,
        who: Address,
        action: &Action,
        landed: &Landed,
        done: &mut Done,
    ) -> Result<(), VenueError> {
        let tokens = [self.places.usdc, self.places.weth];
        let found = flows(&self.node, &self.places, who, landed)?;
        let honest = |token: Address, flow: &Flow| match action {
            // No pool has a part in these, and a wrapped coin that is taken out of its wrapping is no transfer.
            Action::Home { .. } => flow.real == flow.logged,
            Action::Unwrap { .. } => token == self.places.weth || flow.real == flow.logged,
            _ => flow.is_honest(),
        };
        let odd: Vec<_> = tokens.into_iter().zip(found).filter(|(token, flow)| !honest(*token, flow)).collect();
        for (token, flow) in odd {
            self.odd.push(OddFlow { token, hash: landed.hash, flow });
        }
        (done.usdc, done.asset) = (found[0].real, found[1].real);
        for log in &landed.logs {
            if log.address == self.places.positions {
                read_deed(&log.topics, &log.data, done);
            } else if log.address == self.places.pool
                && let Ok(swap) = Pool::Swap::decode_raw_log(log.topics.iter().copied(), &log.data)
            {
                // By the block's beginning: what rivals crossed before it in the same block is counted with it.
                let start = Point { block: landed.block, index: 0 };
                done.crossed = self.past(start).and_then(|mut fork| {
                    let before = fork.pool_seen()?.tick;
                    fork.crossed_between(before, swap.tick.as_i32())
                })?;
            }
        }
        Ok(())
    }

    /// Why a transaction reverted: it is tried again where it stood. Where that cannot be had, an action whose result is
    /// bounded most likely met its bound.
    pub(super) fn why_reverted(&mut self, who: Address, landed: &Landed) -> Refusal {
        let Some(call) = self.call_of(landed) else { return Refusal::Reverted };
        let index = u32::try_from(landed.index.min(REPLAYED)).unwrap_or_default();
        let there = Point { block: landed.block, index };
        match self.past(there).and_then(|mut fork| fork.attempt(who, call.to, call.data)) {
            Ok((false, _, output)) => refusal(&output),
            Ok((true, ..)) | Err(_) => Refusal::Slippage,
        }
    }

    fn call_of(&mut self, landed: &Landed) -> Option<StepCall> {
        let hands = self.hands.as_mut()?;
        let under = hands.under.as_ref()?;
        let step = hands.sender.record().step(under.key, under.next.checked_sub(1)?).ok()??;
        matches!(&step.end, Some(StepEnd::Landed(l)) if l.hash == landed.hash).then_some(step.call)
    }
}

/// What an action's transactions cost, and where the first stands.
#[derive(Debug, Default)]
pub(super) struct CostTally {
    pub(super) first: Option<Point>,
    pub(super) wei: u128,
}

impl CostTally {
    pub(super) fn count(&mut self, done: &mut Done, landed: &Landed, wei: u128) {
        let index = u32::try_from(landed.index).unwrap_or(u32::MAX);
        self.first.get_or_insert(Point { block: landed.block, index });
        self.wei = self.wei.saturating_add(wei);
        done.gas_used = done.gas_used.saturating_add(landed.gas_used);
        done.logs.extend(landed.logs.iter().map(|log| log_kind(&log.topics)));
    }
}

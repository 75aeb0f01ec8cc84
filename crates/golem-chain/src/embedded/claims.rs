//! What is said of this chain, held against it.

use super::EmbeddedChain;
use alloy_primitives::{Address, B256, U256};
use golem_core::door::ChainClaim;
use golem_core::{Asset, Point};
use golem_venue::pool::Round;
use golem_venue::spot;

impl EmbeddedChain {
    /// Whether it is so; none when this chain cannot say.
    pub(super) fn bears_out(&mut self, claim: &ChainClaim) -> Option<bool> {
        match claim {
            ChainClaim::Transaction { hash } => {
                self.transaction_named(B256::from(*hash)).ok().map(|found| found.is_some())
            }
            ChainClaim::Address { address } => self.is_in_use(Address::from(*address)),
            ChainClaim::Price { block, micro_usdc } => {
                self.price_after(*block).map(|real| ChainClaim::is_price(*micro_usdc, real))
            }
            ChainClaim::Balance { address, least } => {
                self.balance(Address::from(*address)).ok().map(|units| units >= U256::from(*least))
            }
        }
    }

    fn is_in_use(&mut self, who: Address) -> Option<bool> {
        let info = self.state.info(who).ok()?;
        Some(!info.is_empty())
    }

    /// What one unit of the asset costs in micro-USDC at the end of a block; none while it is open, and for blocks to come.
    fn price_after(&mut self, block: u64) -> Option<u64> {
        let next = block.checked_add(1).filter(|next| *next <= self.open.number)?;
        let mut there = self.fork(Point { block: next, index: 0 }).ok()?;
        let price = there.pool_seen().ok()?.sqrt_price_x96;
        Some(spot::asset_to_usdc(Asset(Asset::WHOLE), price, self.site().places.usdc_is_token0(), Round::Down).0)
    }
}

//! What is said of somebody's chain, held against what enough nodes say of it. What they do not agree on, or no longer know, nobody can
//! say; a question more is never worth more than the turn's time.

use super::head::Head;
use super::venue::RpcVenue;
use super::wire::{NodeAsk, decoded};
use alloy_primitives::{Address, B256, Bytes, U64, U256};
use golem_core::door::ChainClaim;
use golem_core::{Asset, Point};
use golem_venue::VenueError;
use golem_venue::pool::Round;
use golem_venue::spot;
use serde::Deserialize;
use serde_json::json;

/// A transaction, as far as it is asked for: one that waits stands in no block yet.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TransactionTold {
    block_number: Option<U64>,
}

impl RpcVenue {
    /// Whether it is so; none when the nodes cannot say.
    pub(super) fn bears_out(&mut self, claim: &ChainClaim) -> Option<bool> {
        let head = self.node.head().ok()?;
        match claim {
            ChainClaim::Transaction { hash } => self.has_happened(B256::from(*hash)),
            ChainClaim::Address { address } => self.is_in_use(Address::from(*address), &head),
            ChainClaim::Price { block, micro_usdc } => {
                self.price_after(*block, &head).ok()?.map(|real| ChainClaim::is_price(*micro_usdc, real))
            }
            ChainClaim::Balance { address, least } => {
                let units: U256 = self.of_account("eth_getBalance", Address::from(*address), &head).ok()?;
                Some(units >= U256::from(*least))
            }
        }
    }

    fn has_happened(&self, hash: B256) -> Option<bool> {
        let ask = NodeAsk::new("eth_getTransactionByHash", json!([hash]));
        let told: Option<TransactionTold> = self.node.agreed_one(ask).ok()?;
        Some(told.is_some_and(|told| told.block_number.is_some()))
    }

    fn is_in_use(&self, who: Address, head: &Head) -> Option<bool> {
        let coin: U256 = self.of_account("eth_getBalance", who, head).ok()?;
        let sent: U64 = self.of_account("eth_getTransactionCount", who, head).ok()?;
        let code: Bytes = self.of_account("eth_getCode", who, head).ok()?;
        Some(!(coin.is_zero() && sent.is_zero() && code.is_empty()))
    }

    fn of_account<T: PartialEq + serde::de::DeserializeOwned>(
        &self,
        method: &'static str,
        who: Address,
        head: &Head,
    ) -> Result<T, VenueError> {
        let ask = NodeAsk::new(method, json!([who, { "blockHash": head.hash }]));
        let mut said = self.node.agreed(&[ask], &|_, answer| decoded::<T>(answer))?;
        said.pop().ok_or_else(|| VenueError::Bug("a question without an answer".into()))
    }

    /// What one unit of the asset costs in micro-USDC at the end of a block; none for blocks to come.
    fn price_after(&mut self, block: u64, head: &Head) -> Result<Option<u64>, VenueError> {
        if block > head.number {
            return Ok(None);
        }
        let price = if block == head.number {
            self.here()?.pool_seen()?.sqrt_price_x96
        } else {
            self.past(Point { block: block + 1, index: 0 })?.pool_seen()?.sqrt_price_x96
        };
        let usdc_is_token0 = self.places().usdc_is_token0();
        Ok(Some(spot::asset_to_usdc(Asset(Asset::WHOLE), price, usdc_is_token0, Round::Down).0))
    }
}

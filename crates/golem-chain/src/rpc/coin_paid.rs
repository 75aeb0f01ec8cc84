//! The coin that a transaction really cost: its gas, and what a rollup took beside it, by the receipt or, where that keeps it to
//! itself, by the coin that is gone.

use super::fees::GasRule;
use super::receipt::Landed;
use super::venue::RpcVenue;
use super::wire::{NodeAsk, NodeFault, decoded};
use alloy_primitives::{Address, U256};
use alloy_sol_types::SolEvent;
use golem_venue::VenueError;
use golem_wallet::abi::Weth9;
use serde_json::json;

#[derive(PartialEq)]
enum CoinSaid {
    Wei(U256),
    Gone,
}

impl RpcVenue {
    /// The coin that a transaction of the account cost, in wei: its gas, and what was taken beside it.
    pub(super) fn coin_paid(&mut self, who: Address, landed: &Landed, value: U256) -> Result<u128, VenueError> {
        let gas = u128::from(landed.gas_used).saturating_mul(landed.gas_price);
        match (self.config.gas, landed.l1_fee) {
            (GasRule::OpStack, Some(beside)) => Ok(gas.saturating_add(beside)),
            (GasRule::OpStack, None) => Ok(self.coin_gone(who, landed, value)?.unwrap_or(gas).max(gas)),
            (GasRule::Ethereum | GasRule::Arbitrum, _) => Ok(gas),
        }
    }

    /// The coin that left an account in a transaction's block, less what it sent and with what it unwrapped: what was paid. What
    /// somebody gave it in the same block would hide as much of it. Nothing where the nodes no longer know.
    fn coin_gone(&mut self, who: Address, landed: &Landed, value: U256) -> Result<Option<u128>, VenueError> {
        let [before, after] =
            [json!(format!("{:#x}", landed.block.saturating_sub(1))), json!({ "blockHash": landed.block_hash })];
        let asks = [before, after].map(|at| NodeAsk::new("eth_getBalance", json!([who, at])));
        let said = self.node.agreed(&asks, &|_, answer| match answer {
            Err(NodeFault::Said { .. }) => Ok(CoinSaid::Gone),
            answer => decoded::<U256>(answer).map(CoinSaid::Wei),
        })?;
        let [CoinSaid::Wei(before), CoinSaid::Wei(after)] = said[..] else { return Ok(None) };
        let unwrapped = landed.logs.iter().filter(|log| log.address == self.places.weth).filter_map(|log| {
            let read = Weth9::Withdrawal::decode_raw_log(log.topics.iter().copied(), &log.data).ok()?;
            (read.src == who).then_some(read.wad)
        });
        let had = unwrapped.fold(before, U256::saturating_add);
        let sent = if landed.succeeded { value } else { U256::ZERO };
        Ok(Some(had.saturating_sub(sent).saturating_sub(after).saturating_to()))
    }
}

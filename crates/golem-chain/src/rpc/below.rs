//! What a rollup takes for a transaction's bytes on the chain below it, told beforehand by the chain itself.
//!
//! An OP-stack chain has a contract that tells it, and takes it beside the gas. On Arbitrum it is a part of the gas, which the
//! node alone can tell: no contract stands there.

use super::fees::GasRule;
use super::fork::Fork;
use super::node::Node;
use super::wire::NodeAsk;
use alloy_consensus::{SignableTransaction, TxEip1559};
use alloy_primitives::{Address, Bytes, TxKind, U256, address};
use alloy_sol_types::{SolCall, sol};
use golem_venue::VenueError;
use serde_json::json;

/// Where every OP-stack chain has its oracle of gas prices.
pub const GAS_PRICE_ORACLE: Address = address!("420000000000000000000000000000000000000F");
/// Where every Arbitrum chain lets its node be asked.
pub const NODE_INTERFACE: Address = address!("00000000000000000000000000000000000000C8");

sol! {
    interface GasPriceOracle {
        function getL1Fee(bytes memory data) external view returns (uint256);
    }
    interface NodeInterface {
        function gasEstimateL1Component(address to, bool contractCreation, bytes calldata data)
            external payable returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate);
    }
}

/// A transaction as the oracle wants to be shown it: all of it but for the signature.
fn unsigned(tx: &TxEip1559) -> Bytes {
    let mut bytes = Vec::new();
    tx.encode_for_signing(&mut bytes);
    bytes.into()
}

impl Fork {
    /// What the bytes of a call would cost on the chain below, in wei. How it will be offered is not known yet; numbers of a
    /// usual length stand for that.
    pub(super) fn data_fee(&mut self, to: Address, data: &Bytes, value: U256) -> Result<u128, VenueError> {
        match self.rule() {
            GasRule::Ethereum => Ok(0),
            GasRule::OpStack => {
                let tx = TxEip1559 {
                    chain_id: self.stage().chain_id,
                    nonce: 1_000,
                    gas_limit: 400_000,
                    max_fee_per_gas: u128::from(self.stage().base_fee).saturating_mul(2).max(1 << 24),
                    max_priority_fee_per_gas: 1 << 20,
                    to: TxKind::Call(to),
                    value,
                    access_list: Default::default(),
                    input: data.clone(),
                };
                let ask = GasPriceOracle::getL1FeeCall { data: unsigned(&tx) };
                let fee = self.told("gas price oracle", GAS_PRICE_ORACLE, &ask)?;
                Ok(fee.saturating_to())
            }
            GasRule::Arbitrum => {
                let units = self.data_gas(to, data)?;
                Ok(u128::from(units).saturating_mul(u128::from(self.stage().base_fee)))
            }
        }
    }

    /// The gas that stands for the bytes of a call, where it is a part of the gas; none where nobody is there to be asked, as on
    /// what was recorded of a chain.
    pub(super) fn data_gas(&mut self, to: Address, data: &Bytes) -> Result<u64, VenueError> {
        if self.rule() != GasRule::Arbitrum {
            return Ok(0);
        }
        let ask = NodeInterface::gasEstimateL1ComponentCall { to, contractCreation: false, data: data.clone() };
        let Some(said) = self.ask_node(NODE_INTERFACE, &ask.abi_encode().into())? else { return Ok(0) };
        let read = NodeInterface::gasEstimateL1ComponentCall::abi_decode_returns(&said);
        let unfit = |_| VenueError::Unfit(format!("{NODE_INTERFACE} does not tell the gas of the chain below"));
        read.map(|told| told.gasEstimateForL1).map_err(unfit)
    }
}

/// What the bytes of a transaction will cost on the chain below beside its gas, in wei, as the chain says now.
pub(super) fn fee_beside(node: &Node, rule: GasRule, tx: &TxEip1559) -> Result<u128, VenueError> {
    if rule != GasRule::OpStack {
        return Ok(0);
    }
    let data = alloy_primitives::hex::encode_prefixed(GasPriceOracle::getL1FeeCall { data: unsigned(tx) }.abi_encode());
    let at = json!({ "blockHash": node.head()?.hash });
    let ask = NodeAsk::new("eth_call", json!([{ "to": GAS_PRICE_ORACLE, "data": data }, at]));
    let said: Bytes = node.agreed_one(ask)?;
    let fee = GasPriceOracle::getL1FeeCall::abi_decode_returns(&said);
    fee.map(|fee| fee.saturating_to())
        .map_err(|_| VenueError::Unreachable("the gas price oracle does not answer".into()))
}

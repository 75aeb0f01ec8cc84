//! A transaction as somebody describes it who only wants to know what would come of it.

use super::fault::ServeFault;
use super::params;
use crate::embedded::{BLOCK_GAS, Tx};
use alloy_primitives::{Address, B256, Bytes};
use serde_json::Value;

/// Read a description; gas that is not named is all there is.
pub(super) fn read(value: &Value, chain_id: u64) -> Result<Tx, ServeFault> {
    let Value::Object(fields) = value else { return Err(ServeFault::params("transaction: expected an object")) };
    let mut tx = Tx { gas_limit: BLOCK_GAS, ..Tx::default() };
    let (mut price, mut data, mut input) = (None, None, None);
    let mut fee = None;
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
        match name.as_str() {
            "from" => tx.from = params::address(value, name)?,
            "to" => tx.to = Some(params::address(value, name)?),
            "gas" | "gasLimit" => tx.gas_limit = params::number(value, name)?.min(BLOCK_GAS),
            "gasPrice" => price = Some(params::wide(value, name)?),
            "maxFeePerGas" => fee = Some(params::wide(value, name)?),
            "maxPriorityFeePerGas" => tx.tip = params::wide(value, name)?,
            "value" => tx.value = params::quantity(value, name)?,
            "data" => data = Some(params::bytes(value, name)?),
            "input" => input = Some(params::bytes(value, name)?),
            "nonce" => tx.nonce = Some(params::number(value, name)?),
            "accessList" => tx.access = access(value)?,
            "type" => kind(value)?,
            "chainId" => {
                if params::number(value, name)? != chain_id {
                    return Err(ServeFault::params(format!("chainId: this chain's is {chain_id}")));
                }
            }
            other => {
                let name: String = other.chars().take(40).collect();
                return Err(ServeFault::params(format!("transaction: unknown or unsupported field {name}")));
            }
        }
    }
    if price.is_some() && (fee.is_some() || tx.tip > 0) {
        return Err(ServeFault::params("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified"));
    }
    tx.max_fee = price.or(fee).unwrap_or(tx.tip);
    tx.tip = price.unwrap_or(tx.tip);
    tx.data = match (data, input) {
        (Some(data), Some(input)) if data != input => {
            return Err(ServeFault::params(
                "both \"data\" and \"input\" are set and not equal; \"input\" is the newer name",
            ));
        }
        (data, input) => input.or(data).unwrap_or_default(),
    };
    Ok(tx)
}

fn kind(value: &Value) -> Result<(), ServeFault> {
    match params::number(value, "type")? {
        0..=2 => Ok(()),
        other => Err(ServeFault::params(format!("type: transactions of type {other} are not supported"))),
    }
}

fn access(value: &Value) -> Result<Vec<(Address, Vec<B256>)>, ServeFault> {
    let wrong = || ServeFault::params("accessList: expected a list of {address, storageKeys}");
    let item = |item: &Value| {
        let keys = item.get("storageKeys").and_then(Value::as_array).ok_or_else(wrong)?;
        let keys = keys.iter().map(|key| params::hash(key, "storageKeys")).collect::<Result<_, _>>()?;
        Ok((params::address(item.get("address").ok_or_else(wrong)?, "accessList address")?, keys))
    };
    value.as_array().ok_or_else(wrong)?.iter().map(item).collect()
}

/// The bytes of a signed transaction.
pub(super) fn raw(value: &Value) -> Result<Bytes, ServeFault> {
    params::bytes(value, "raw transaction")
}

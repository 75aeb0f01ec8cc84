//! Trials: what a transaction would return, and how much gas it would need.

use super::answers::quantity;
use super::desk::ServedChain;
use super::fault::ServeFault;
use super::params::{Params, Which};
use super::request;
use crate::embedded::{EmbeddedChain, Tx};
use golem_venue::Venue;
use serde_json::{Value, json};

/// `eth_call`.
pub(super) fn call(desk: &mut ServedChain, params: &Params<'_>) -> Result<Value, ServeFault> {
    let (mut there, tx) = prepare(desk, params, Which::Latest)?;
    let ran = there.call(&tx)?;
    if ran.success { Ok(json!(ran.output)) } else { Err(ServeFault::reverted(&ran)) }
}

/// `eth_estimateGas`.
pub(super) fn estimate(desk: &mut ServedChain, params: &Params<'_>) -> Result<Value, ServeFault> {
    let (mut there, tx) = prepare(desk, params, Which::Pending)?;
    match there.estimate_gas(&tx)? {
        Ok(gas) => Ok(quantity(gas)),
        Err(ran) if ran.halted.as_ref().is_some_and(|why| why.contains("OutOfGas")) => {
            Err(ServeFault::refused(format!("gas required exceeds allowance ({})", tx.gas_limit)))
        }
        Err(ran) => Err(ServeFault::reverted(&ran)),
    }
}

fn prepare(desk: &mut ServedChain, params: &Params<'_>, usual: Which) -> Result<(EmbeddedChain, Tx), ServeFault> {
    let tx = request::read(params.required(0, "transaction")?, desk.chain.chain_id())?;
    let which = if params.optional(1).is_some() { params.block(1)? } else { usual };
    if params.optional(2).is_some_and(|overrides| overrides.as_object().is_none_or(|o| !o.is_empty())) {
        return Err(ServeFault::params("state overrides are not supported"));
    }
    let mut there = desk.fork(which)?;
    // A trial needs no ether for gas; what it would give away it has to have.
    if !tx.value.is_zero() && there.balance(tx.from)? < tx.value {
        return Err(ServeFault::refused("insufficient funds for gas * price + value"));
    }
    Ok((there, tx))
}

//! What gas cost lately.

use super::answers::{price, quantity};
use super::desk::ServedChain;
use super::fault::ServeFault;
use super::params::{self, Params};
use crate::embedded::{BLOCK_GAS, BlockSeen};
use golem_core::Point;
use serde_json::{Map, Value, json};

const MOST: u64 = 1024;

/// `eth_feeHistory`.
pub(super) fn history(desk: &mut ServedChain, params: &Params<'_>) -> Result<Value, ServeFault> {
    let wanted = match params.required(0, "block count")? {
        Value::Number(n) => n.as_u64().ok_or_else(|| ServeFault::params("block count: expected a whole number"))?,
        hex => params::number(hex, "block count")?,
    };
    params.required(1, "newest block")?;
    let newest = desk.number(params.block(1)?).ok_or_else(|| ServeFault::absent("header not found"))?;
    let percentiles = params.optional(2).map_or(Ok(Vec::new()), percentiles)?;
    let count = wanted.min(MOST).min(newest.saturating_add(1));
    let oldest = newest.saturating_add(1) - count;
    let (mut fees, mut ratios, mut rewards) = (Vec::new(), Vec::new(), Vec::new());
    for number in oldest..oldest + count {
        let seen = desk.block(super::params::Which::Number(number))?;
        let Some(seen) = seen.map_or_else(|| desk.chain.block(number), |s| Ok(Some(s)))? else { break };
        let tips = tips(desk, &seen)?;
        let gas: u64 = tips.iter().map(|(_, gas)| gas).sum();
        fees.push(quantity(seen.block.base_fee));
        ratios.push(json!(gas as f64 / BLOCK_GAS as f64));
        rewards.push(json!(percentiles.iter().map(|p| quantity(at(&tips, gas, *p))).collect::<Vec<_>>()));
    }
    if count > 0 {
        // What the next block asks for is already known.
        let next = desk.chain.block(newest.saturating_add(1))?;
        fees.push(quantity(next.map_or(desk.chain.open_block().base_fee, |seen| seen.block.base_fee)));
    }
    let mut answer = Map::new();
    answer.insert("oldestBlock".to_owned(), quantity(if count == 0 { 0 } else { oldest }));
    answer.insert("baseFeePerGas".to_owned(), json!(fees));
    answer.insert("gasUsedRatio".to_owned(), json!(ratios));
    if params.optional(2).is_some() {
        answer.insert("reward".to_owned(), json!(rewards));
    }
    Ok(Value::Object(answer))
}

fn percentiles(value: &Value) -> Result<Vec<f64>, ServeFault> {
    let wrong = || ServeFault::params("reward percentiles: expected at most 100 rising numbers from 0 to 100");
    let list = value.as_array().filter(|list| list.len() <= 100).ok_or_else(wrong)?;
    let list: Vec<f64> = list.iter().map(|v| v.as_f64().ok_or_else(wrong)).collect::<Result<_, _>>()?;
    let fits = list.iter().all(|p| (0.0..=100.0).contains(p)) && list.is_sorted();
    if fits { Ok(list) } else { Err(wrong()) }
}

/// What went to whoever made the block, per unit of gas, and gas used: lowest first.
fn tips(desk: &ServedChain, seen: &BlockSeen) -> Result<Vec<(u128, u64)>, ServeFault> {
    let mut tips = Vec::new();
    for index in 0..seen.transactions {
        let Some(sent) = desk.chain.transaction(Point { block: seen.block.number, index })? else { continue };
        tips.push((price(&sent, seen.block.base_fee).saturating_sub(seen.block.base_fee.into()), sent.gas_used));
    }
    tips.sort_unstable();
    Ok(tips)
}

/// The tip at a percentile of the gas.
fn at(tips: &[(u128, u64)], gas: u64, percentile: f64) -> u128 {
    let mark = gas as f64 * percentile / 100.0;
    let mut so_far = 0.0;
    for (tip, used) in tips {
        so_far += *used as f64;
        if so_far >= mark {
            return *tip;
        }
    }
    tips.last().map_or(0, |(tip, _)| *tip)
}

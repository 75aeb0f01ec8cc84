//! What a transaction really did to an account's tokens: by the balances before and after, with what others sent in the
//! same block left out. What the tokens themselves logged is held against it.

use super::node::Node;
use super::receipt::{Landed, LogSeen};
use super::wire::{NodeAsk, NodeFault, decoded};
use crate::calls::Places;
use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::{SolCall, SolEvent};
use golem_venue::VenueError;
use golem_venue::spot::ordered;
use golem_wallet::abi::{Erc20, UniswapV3Pool as Pool};
use serde::Deserialize;
use serde_json::json;

/// The change of one token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flow {
    /// By the balance: what arrived, or is gone.
    pub real: i128,
    /// By the token's own word.
    pub logged: i128,
    /// By what the pool says it took and gave.
    pub by_pool: i128,
}

impl Flow {
    /// True when all three agree. With a token that takes a fee of its own, or changes balances by itself, they do not.
    #[must_use]
    pub fn is_honest(&self) -> bool {
        self.real == self.logged && self.real == self.by_pool
    }
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
struct LogInBlock {
    #[serde(flatten)]
    log: LogSeen,
    transaction_hash: B256,
}

#[derive(PartialEq)]
enum FlowSaid {
    Balance(U256),
    Logs(Vec<LogInBlock>),
    Gone,
}

/// The change of each token of an account by a transaction that dealt with a pool of the two.
///
/// # Errors
/// When the nodes do not agree or do not answer. Where they no longer have the state of its block, the tokens' own word
/// has to do.
pub fn flows(node: &Node, places: &Places, who: Address, tx: &Landed) -> Result<[Flow; 2], VenueError> {
    let tokens = [places.usdc, places.weth];
    let [before, after] = [json!(format!("{:#x}", tx.block.saturating_sub(1))), json!({ "blockHash": tx.block_hash })];
    let call = Erc20::balanceOfCall { account: who }.abi_encode();
    let balance = |token: Address, at: &serde_json::Value| {
        NodeAsk::new("eth_call", json!([{ "to": token, "data": alloy_primitives::hex::encode_prefixed(&call) }, at]))
    };
    let word = who.into_word();
    let moved = |topics: serde_json::Value| {
        NodeAsk::new("eth_getLogs", json!([{ "blockHash": tx.block_hash, "address": tokens, "topics": topics }]))
    };
    let asks = [
        balance(tokens[0], &before),
        balance(tokens[1], &before),
        balance(tokens[0], &after),
        balance(tokens[1], &after),
        moved(json!([Erc20::Transfer::SIGNATURE_HASH, word])),
        moved(json!([Erc20::Transfer::SIGNATURE_HASH, null_topic(), word])),
    ];
    let said = node.agreed(&asks, &|i, answer| match answer {
        Err(NodeFault::Said { .. }) => Ok(FlowSaid::Gone),
        answer if i < 4 => decoded::<B256>(answer).map(|w| FlowSaid::Balance(U256::from_be_bytes(w.0))),
        answer => decoded(answer).map(FlowSaid::Logs),
    })?;
    let by_pool = by_pool(&tx.logs, places);
    let logged = tokens.map(|token| by_logs(tx.logs.iter(), token, who));
    let [
        FlowSaid::Balance(b0),
        FlowSaid::Balance(b1),
        FlowSaid::Balance(a0),
        FlowSaid::Balance(a1),
        FlowSaid::Logs(out),
        FlowSaid::Logs(into),
    ] = &said[..]
    else {
        let flow = |i: usize| Flow { real: logged[i], logged: logged[i], by_pool: by_pool[i] };
        return Ok([flow(0), flow(1)]);
    };
    // What went from the account to itself is in both lists, and moves nothing in either.
    let others = out.iter().chain(into).filter(|l| l.transaction_hash != tx.hash).map(|l| &l.log);
    let flow = |i: usize, before: &U256, after: &U256| {
        let others = by_logs(others.clone(), tokens[i], who);
        Flow { real: difference(*after, *before).saturating_sub(others), logged: logged[i], by_pool: by_pool[i] }
    };
    Ok([flow(0, b0, a0), flow(1, b1, a1)])
}

/// What the pool says went to the account (positive) or came from it, in USDC and asset. Liquidity that is burnt moves
/// nothing until it is collected.
fn by_pool(logs: &[LogSeen], places: &Places) -> [i128; 2] {
    let mut sum = [0i128; 2];
    let fit = |x: U256| i128::try_from(x).unwrap_or(i128::MAX);
    for log in logs.iter().filter(|l| l.address == places.pool) {
        let topics = || log.topics.iter().copied();
        let moved = if let Ok(swap) = Pool::Swap::decode_raw_log(topics(), &log.data) {
            [swap.amount0, swap.amount1].map(|x| i128::try_from(x).map_or(i128::MAX, |x| -x))
        } else if let Ok(mint) = Pool::Mint::decode_raw_log(topics(), &log.data) {
            [-fit(mint.amount0), -fit(mint.amount1)]
        } else if let Ok(paid) = Pool::Collect::decode_raw_log(topics(), &log.data) {
            [fit(U256::from(paid.amount0)), fit(U256::from(paid.amount1))]
        } else {
            continue;
        };
        sum = [sum[0].saturating_add(moved[0]), sum[1].saturating_add(moved[1])];
    }
    ordered(places.usdc_is_token0(), sum[0], sum[1])
}

fn null_topic() -> serde_json::Value {
    serde_json::Value::Null
}

/// What the transfers in some logs moved to an account (positive) or away from it.
fn by_logs<'a>(logs: impl Iterator<Item = &'a LogSeen>, token: Address, who: Address) -> i128 {
    let mut sum = 0i128;
    for log in logs.filter(|l| l.address == token) {
        let Ok(transfer) = Erc20::Transfer::decode_raw_log_validate(log.topics.iter().copied(), &log.data) else {
            continue;
        };
        let amount = i128::try_from(transfer.value).unwrap_or(i128::MAX);
        if transfer.to == who && transfer.from != who {
            sum = sum.saturating_add(amount);
        } else if transfer.from == who && transfer.to != who {
            sum = sum.saturating_sub(amount);
        }
    }
    sum
}

fn difference(after: U256, before: U256) -> i128 {
    let size = i128::try_from(after.abs_diff(before)).unwrap_or(i128::MAX);
    if after >= before { size } else { -size }
}

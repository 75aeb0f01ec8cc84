//! What a golem's journal says it has moved, and what its account on the chain has: two readings that must be the same.

use crate::rpc::stage::{DOLLARS, HOME, Node};
use alloy_primitives::{Address, U256, hex};
use alloy_sol_types::SolCall;
use golem_core::door::EffectKey;
use golem_core::intent::{Outcome, Refusal};
use golem_core::verification::flows;
use golem_core::{Tick, Usdc};
use golem_runtime::Reader;
use golem_venue::pool::Round;
use golem_venue::spot;
use golem_wallet::abi::Erc20;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Changes since birth.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Books {
    pub usdc: i128,
    pub asset: i128,
    /// Gas units that were paid for.
    pub gas: u128,
}

/// By the journal: every receipt as it was last booked.
pub fn said(dir: &Path) -> Books {
    let mut booked: BTreeMap<EffectKey, (Outcome, u64)> = BTreeMap::new();
    let reader = Reader::open(dir).unwrap();
    let turns = reader.turns_from(Tick(1), |tick, record| {
        for amended in &record.input.amended {
            let was = booked.remove(&amended.key);
            assert_eq!(was, amended.was.as_ref().map(|r| (r.outcome, r.gas.used)), "{}", amended.key);
            let taken_back = (Outcome::Refused { why: Refusal::Cancelled }, 0);
            let now = amended.now.as_ref().map_or(taken_back, |r| (r.outcome, r.gas.used));
            booked.insert(amended.key, now);
        }
        for (n, receipt) in record.receipts.iter().enumerate() {
            booked.insert(EffectKey::new(tick, n), (receipt.outcome, receipt.gas.used));
        }
    });
    turns.unwrap();
    let mut sum = Books::default();
    for (outcome, gas) in booked.values() {
        let [usdc, asset, ..] = flows(outcome);
        (sum.usdc, sum.asset, sum.gas) = (sum.usdc + usdc, sum.asset + asset, sum.gas + u128::from(*gas));
    }
    sum
}

/// The coin that its receipts stand for, at least and at most: each was booked in USDC at the price of the moment, rounded up.
pub fn coin(dir: &Path, usdc_is_token0: bool) -> [u128; 2] {
    let mut sum = [0; 2];
    let reader = Reader::open(dir).unwrap();
    let turns = reader.turns_from(Tick(1), |_, record| {
        assert!(record.input.amended.is_empty(), "nothing was taken back");
        for receipt in record.receipts.iter().filter(|receipt| receipt.gas.used > 0) {
            let price = receipt.after.expect("a book").pool.sqrt_price_x96;
            let cost = receipt.gas.cost;
            for (end, usdc) in sum.iter_mut().zip([cost.minus(Usdc(1)), cost.plus(Usdc(1))]) {
                *end += spot::usdc_to_asset(usdc, price, usdc_is_token0, Round::Down).0;
            }
        }
    });
    turns.unwrap();
    sum
}

/// An account on a chain.
pub struct Chain<'a> {
    pub node: &'a Node,
    pub contracts: Vec<(&'static str, String)>,
    pub who: Address,
}

impl Chain<'_> {
    /// By the chain: balances, and the gas of every transaction of the account; with it the coin that is gone and was neither
    /// gas nor sent.
    pub fn read(&self, ether: u128) -> (Books, u128) {
        let (mut gas, mut wei, mut sent) = (0, 0, 0);
        let height = number(&self.node.call("eth_blockNumber", json!([])));
        for n in 0..=height {
            let block = self.node.call("eth_getBlockByNumber", json!([format!("{n:#x}"), true]));
            let mine = |tx: &&Value| tx["from"].as_str().unwrap().parse::<Address>().unwrap() == self.who;
            for tx in block["transactions"].as_array().unwrap().iter().filter(mine) {
                let receipt = self.node.call("eth_getTransactionReceipt", json!([tx["hash"]]));
                let used = number(&receipt["gasUsed"]);
                (gas, sent) = (gas + used, sent + 1);
                wei += used * number(&receipt["effectiveGasPrice"]) + number(&tx["value"]);
                let to = tx["to"].as_str().unwrap().parse::<Address>().unwrap();
                let home: Address = HOME.parse().unwrap();
                assert!(number(&tx["value"]) == 0 || to == home, "coin goes home and nowhere else: {tx}");
            }
        }
        let of = |method: &str| number(&self.node.call(method, json!([self.who, "latest"])));
        assert_eq!(of("eth_getTransactionCount"), sent, "every transaction was looked at");
        let beside = ether - of("eth_getBalance") - wei;
        let start = i128::from(DOLLARS) * 1_000_000;
        (Books { usdc: self.balance("usdc") - start, asset: self.balance("asset"), gas }, beside)
    }

    pub fn balance(&self, token: &str) -> i128 {
        let at = &self.contracts.iter().find(|(name, _)| *name == token).unwrap().1;
        let data = hex::encode_prefixed(Erc20::balanceOfCall { account: self.who }.abi_encode());
        let word = self.node.call("eth_call", json!([{ "to": at, "data": data }, "latest"]));
        i128::try_from(word.as_str().unwrap().parse::<U256>().unwrap()).unwrap()
    }
}

pub fn number(value: &Value) -> u128 {
    let digits = value.as_str().unwrap_or_else(|| panic!("{value}")).trim_start_matches("0x");
    u128::from_str_radix(digits, 16).unwrap()
}

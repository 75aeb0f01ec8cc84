//! A real node that is given every transaction of an embedded chain: the same senders, nonces, clocks and base fees, from
//! the first contract on.

use super::common::contracts;
use crate::kit::{Anvil, anvil};
use alloy_primitives::{Address, B256, U256, keccak256};
use golem_chain::embedded::{EmbeddedChain, PastTx, endowment, script};
use golem_chain::rpc::{Addresses, Pinned, RpcConfig, RpcVenue};
use golem_core::{NOMINAL_TICK_S, Point};
use golem_venue::{GenesisConfig, Venue};
use golem_wallet::RouterKind;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The node, and the door to it that golems use.
pub struct Twin {
    anvil: Anvil,
    pub venue: RpcVenue,
    /// The chain's own time: how old a head is does not depend on when the test runs.
    clock: Arc<AtomicU64>,
    /// The next block of the chain that it has not been given.
    next: u64,
}

/// One transaction as it ended: success, gas, and every log with its address, topics and data.
type Ended = (bool, u64, Vec<(Address, Vec<B256>, String)>);

impl Twin {
    /// A node with the beginning of a chain.
    pub fn of(chain: &EmbeddedChain, genesis: &GenesisConfig) -> Option<Self> {
        if anvil::is_missing() {
            return None;
        }
        let begun = chain.block(0).unwrap().expect("a first block").block.timestamp;
        // As far apart as blocks are on the chain: by that a venue reckons how long the pool's observations reach back.
        let before = (begun - 2 * NOMINAL_TICK_S).to_string();
        let anvil =
            Anvil::with(&["--no-mining", "--order", "fifo", "--timestamp", &before, "--gas-limit", "1000000000000"]);
        anvil.call("anvil_autoImpersonateAccount", json!([true]));
        deploy(&anvil, genesis, chain.site().places.router_kind, begun)?;
        let clock = Arc::new(AtomicU64::new(begun * 1_000));
        let now = Arc::clone(&clock);
        let config = config(chain, anvil.url());
        let venue = RpcVenue::open(&config, Box::new(|| 0.5), Box::new(move || now.load(Ordering::Relaxed)));
        Some(Self { anvil, venue: venue.expect("a venue"), clock, next: 1 })
    }

    /// Give it what it has not been given yet, the open block included, and hold every receipt against the chain's own.
    /// Returns how many transactions that were.
    pub fn follow(&mut self, chain: &mut EmbeddedChain) -> usize {
        let mut count = 0;
        for number in self.next..=chain.open_block().number {
            count += self.block(chain, number);
        }
        self.next = chain.open_block().number + 1;
        self.venue.begin_turn();
        count
    }

    fn block(&self, chain: &mut EmbeddedChain, number: u64) -> usize {
        let seen = chain.block(number).unwrap().expect("a block");
        next_block(&self.anvil, seen.block.timestamp, seen.block.base_fee);
        for index in 0..seen.transactions {
            let sent = chain.transaction(Point { block: number, index }).unwrap().expect("a transaction");
            send(&self.anvil, &sent);
        }
        self.anvil.mine(1);
        self.clock.store(seen.block.timestamp * 1_000, Ordering::Relaxed);
        let ours: Vec<Ended> = chain
            .mined_in(number)
            .unwrap()
            .into_iter()
            .map(|mined| {
                let logs =
                    mined.logs.iter().map(|log| (log.address, log.data.topics().to_vec(), log.data.data.to_string()));
                (mined.sent.success, mined.sent.gas_used, logs.collect())
            })
            .collect();
        let theirs = self.anvil.call("eth_getBlockReceipts", json!(["latest"]));
        let theirs: Vec<Ended> = theirs.as_array().expect("receipts").iter().map(ended).collect();
        assert_eq!(ours, theirs, "block {number}");
        ours.len()
    }
}

fn ended(receipt: &Value) -> Ended {
    let read = |v: &Value| u64::from_str_radix(v.as_str().expect("a number").trim_start_matches("0x"), 16).unwrap();
    let logs = receipt["logs"].as_array().expect("logs").iter().map(|log| {
        let topics = serde_json::from_value(log["topics"].clone()).expect("topics");
        let address = serde_json::from_value(log["address"].clone()).expect("an address");
        (address, topics, log["data"].as_str().expect("data").to_owned())
    });
    (read(&receipt["status"]) == 1, read(&receipt["gasUsed"]), logs.collect())
}

fn next_block(anvil: &Anvil, timestamp: u64, base_fee: u64) {
    anvil.call("evm_setNextBlockTimestamp", json!([timestamp]));
    anvil.call("anvil_setNextBlockBaseFeePerGas", json!([format!("{base_fee:#x}")]));
}

fn send(anvil: &Anvil, sent: &PastTx) {
    let mut tx = json!({
        "from": sent.from,
        "data": sent.data,
        "value": format!("{:#x}", sent.value),
        "nonce": format!("{:#x}", sent.nonce),
        "gas": format!("{:#x}", sent.gas_limit),
        "maxFeePerGas": format!("{:#x}", sent.max_fee),
        "maxPriorityFeePerGas": format!("{:#x}", sent.tip),
    });
    if let Some(to) = sent.to {
        tx["to"] = json!(to);
    }
    anvil.call("eth_sendTransaction", json!([tx]));
}

/// The first block, in two: the node lets no transaction carry as much ether as the market wraps, so that what this
/// leaves behind is written between them.
fn deploy(anvil: &Anvil, genesis: &GenesisConfig, router: RouterKind, timestamp: u64) -> Option<()> {
    let (site, steps) = script(contracts()?, genesis, router);
    anvil.call("anvil_setBalance", json!([site.market, format!("{:#x}", endowment())]));
    let (tokens, rest) = steps.split_at(2);
    for (part, at) in [(tokens, timestamp - NOMINAL_TICK_S), (rest, timestamp)] {
        next_block(anvil, at, 1_000_000_000);
        for step in part {
            let wraps = step.value > U256::from(u128::MAX);
            let value = if wraps { U256::ZERO } else { step.value };
            let mut tx = json!({
                "from": site.market, "data": step.data, "value": format!("{value:#x}"), "gas": "0x2000000",
                "maxFeePerGas": "0x3b9aca00", "maxPriorityFeePerGas": "0x0",
            });
            if let Some(to) = step.to {
                tx["to"] = json!(to);
            }
            anvil.call("eth_sendTransaction", json!([tx]));
            if wraps {
                let slot = keccak256([site.market.into_word(), B256::ZERO].concat());
                anvil.call("anvil_setStorageAt", json!([site.places.weth, slot, B256::from(step.value)]));
                anvil.call("anvil_setBalance", json!([site.places.weth, format!("{:#x}", step.value)]));
            }
        }
        anvil.mine(1);
        let receipts = anvil.call("eth_getBlockReceipts", json!(["latest"]));
        let receipts = receipts.as_array().expect("receipts");
        assert!(receipts.len() == part.len() && receipts.iter().all(|r| r["status"] == "0x1"), "{receipts:?}");
    }
    Some(())
}

fn config(chain: &EmbeddedChain, url: String) -> RpcConfig {
    let p = chain.site().places;
    let at = Pinned::at;
    RpcConfig {
        urls: vec![url],
        chain_id: chain.chain_id(),
        addresses: Addresses {
            usdc: at(p.usdc),
            asset: at(p.weth),
            pool: at(p.pool),
            factory: at(p.factory),
            router: at(p.router),
            positions: at(p.positions),
        },
        router: p.router_kind,
        max_age_s: 86_400,
        request_timeout_ms: 20_000,
        turn_budget_ms: 60_000,
        max_answer_bytes: 8 << 20,
        confirmations: 0,
        poll_ms: 10,
        ..RpcConfig::default()
    }
}

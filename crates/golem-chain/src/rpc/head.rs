//! The head of the chain: which block enough nodes stand on, and whose word is left out because it is old, far from the
//! others, or about another chain.

use super::config::RpcConfig;
use super::endpoints::{Endpoints, quorum};
use super::fees::GasRule;
use super::wire::{NodeAsk, NodeFault, decoded};
use alloy_primitives::{Address, B256, U64};
use golem_venue::VenueError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A block, as far as anything here depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Head {
    /// Its number.
    #[serde(with = "quantity")]
    pub number: u64,
    /// Its hash.
    pub hash: B256,
    /// The hash of the block before.
    pub parent_hash: B256,
    /// Its time, in seconds since 1970.
    #[serde(with = "quantity")]
    pub timestamp: u64,
    /// Its base fee, in wei.
    #[serde(with = "quantity")]
    pub base_fee_per_gas: u64,
    /// Gas that it used.
    #[serde(with = "quantity")]
    pub gas_used: u64,
    /// Gas that it could have used.
    #[serde(with = "quantity")]
    pub gas_limit: u64,
    /// Who made it.
    #[serde(rename = "miner")]
    pub beneficiary: Address,
    /// Its random number.
    #[serde(default)]
    pub mix_hash: B256,
}

/// Numbers as nodes write them: hex text.
mod quantity {
    use alloy_primitives::U64;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(n: &u64, s: S) -> Result<S::Ok, S::Error> {
        U64::from(*n).serialize(s)
    }
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<u64, D::Error> {
        U64::deserialize(d).map(|n| n.to())
    }
}

impl Head {
    /// The base fee of the block after it: by EIP-1559 where that holds with Ethereum's own numbers. Elsewhere blocks are short
    /// and the fee moves by a few hundredths at most from one to the next: it is taken to stay.
    #[must_use]
    pub fn next_base_fee(&self, rule: GasRule) -> u64 {
        if rule != GasRule::Ethereum {
            return self.base_fee_per_gas;
        }
        let params = alloy_eips::eip1559::BaseFeeParams::ethereum();
        alloy_eips::eip1559::calc_next_block_base_fee(self.gas_used, self.gas_limit, self.base_fee_per_gas, params)
    }
}

/// The question for a block by number.
#[must_use]
pub fn ask_block(number: u64) -> NodeAsk {
    NodeAsk::new("eth_getBlockByNumber", json!([format!("{number:#x}"), false]))
}

/// Read a block that must be there.
pub(super) fn block(answer: Result<Value, NodeFault>) -> Result<Head, NodeFault> {
    decoded::<Option<Head>>(answer)?.ok_or_else(|| NodeFault::Said {
        code: -32000,
        message: "no such block".into(),
        data: None,
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HeadSaid {
    Chain(u64),
    Block(Head),
}

/// The chain's id and the head. Nodes that cannot be believed are left out for the rest of the turn.
pub(super) async fn find(
    endpoints: &mut Endpoints,
    config: &RpcConfig,
    pinned: Option<u64>,
    now: u64,
) -> Result<(u64, Head), VenueError> {
    let asks = [NodeAsk::new("eth_chainId", json!([])), NodeAsk::new("eth_getBlockByNumber", json!(["latest", false]))];
    let needed = quorum(endpoints.count());
    let read = |i: usize, answer| match i {
        0 => decoded::<U64>(answer).map(|id| HeadSaid::Chain(id.to())),
        _ => block(answer).map(HeadSaid::Block),
    };
    let mut seen = Vec::new();
    let mut silent = Vec::new();
    for (seat, said) in endpoints.everyone(&asks, needed, &read).await {
        match said.as_deref() {
            Ok([HeadSaid::Chain(id), HeadSaid::Block(head)]) => seen.push(SeenHead { seat, chain: *id, head: *head }),
            Ok(_) => {}
            Err(fault) => silent.push(format!("{}: {fault}", endpoints.name(seat))),
        }
    }
    let choice = choose(&seen, needed, pinned, config, now)?.ok_or_else(|| {
        let why = if silent.is_empty() { String::new() } else { format!("; {}", silent.join("; ")) };
        VenueError::Unreachable(format!("{} of {needed} nodes answered{why}", seen.len()))
    })?;
    for s in &seen {
        if !choice.believed.contains(&s.seat) {
            endpoints.exclude(s.seat);
        }
    }
    let head = match choice.head {
        Some(head) => head,
        // They stand on different blocks: the newest that enough of them have is asked for by its number.
        None => {
            let found = endpoints.agreed(&[ask_block(choice.number)], &|_, answer| block(answer)).await?;
            found.into_iter().next().ok_or_else(|| VenueError::Bug("a question without an answer".into()))?
        }
    };
    if head.number != choice.number || head.timestamp.saturating_add(config.max_age_s) < now {
        return Err(VenueError::Unreachable("the head that the nodes agree on is too old".into()));
    }
    Ok((choice.chain, head))
}

#[derive(Debug, Clone, Copy)]
struct SeenHead {
    seat: usize,
    chain: u64,
    head: Head,
}

#[derive(Debug, PartialEq, Eq)]
struct Choice {
    chain: u64,
    number: u64,
    head: Option<Head>,
    believed: Vec<usize>,
}

/// Whom to believe. `None` when too few are left to be believed because too few answered.
fn choose(
    seen: &[SeenHead],
    needed: usize,
    pinned: Option<u64>,
    config: &RpcConfig,
    now: u64,
) -> Result<Option<Choice>, VenueError> {
    if seen.len() < needed {
        return Ok(None);
    }
    let common = |id: u64| seen.iter().filter(|s| s.chain == id).count() >= needed;
    let chain = match pinned {
        Some(id) if common(id) => id,
        // Whoever is left to speak for the chain is not enough: the others are somewhere else.
        Some(id) => {
            let others: Vec<String> = seen.iter().filter(|s| s.chain != id).map(|s| s.chain.to_string()).collect();
            return Err(VenueError::Changed(format!("chain id {id} was expected, nodes say {}", others.join(", "))));
        }
        None => match seen.iter().map(|s| s.chain).find(|id| common(*id)) {
            Some(id) => id,
            None => return Err(VenueError::Unreachable("disagree: about the chain's id".into())),
        },
    };
    // Old by its own clock. What is left must be near what enough of them have reached: neither one far behind nor one
    // far ahead may speak, or a single liar could make all others look stale.
    let fresh = |s: &&SeenHead| s.chain == chain && s.head.timestamp.saturating_add(config.max_age_s) >= now;
    let mut believed: Vec<&SeenHead> = seen.iter().filter(fresh).collect();
    let stale = || VenueError::Unreachable("the nodes are stale, or too far from each other".into());
    let number = reached(&believed, needed).ok_or_else(stale)?;
    believed.retain(|s| s.head.number.abs_diff(number) <= config.max_lag);
    let number = reached(&believed, needed).ok_or_else(stale)?;
    let standing: Vec<Head> = believed.iter().map(|s| s.head).filter(|h| h.number == number).collect();
    let head = standing.iter().find(|h| standing.iter().filter(|o| o == h).count() >= needed).copied();
    Ok(Some(Choice { chain, number, head, believed: believed.iter().map(|s| s.seat).collect() }))
}

/// The highest block that enough of them have.
fn reached(seen: &[&SeenHead], needed: usize) -> Option<u64> {
    let mut numbers: Vec<u64> = seen.iter().map(|s| s.head.number).collect();
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    numbers.get(needed.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(seat: usize, chain: u64, number: u64, timestamp: u64) -> SeenHead {
        let head = Head {
            number,
            hash: B256::with_last_byte(u8::try_from(number % 256).unwrap()),
            parent_hash: B256::ZERO,
            timestamp,
            base_fee_per_gas: 1,
            gas_used: 0,
            gas_limit: 30_000_000,
            beneficiary: Address::ZERO,
            mix_hash: B256::ZERO,
        };
        SeenHead { seat, chain, head }
    }

    fn decide(nodes: &[(u64, u64, u64)], pinned: Option<u64>) -> Result<Option<(u64, Vec<usize>)>, VenueError> {
        let all: Vec<SeenHead> = nodes.iter().enumerate().map(|(i, &(c, n, t))| seen(i, c, n, t)).collect();
        let config = RpcConfig { max_age_s: 60, max_lag: 3, ..RpcConfig::default() };
        choose(&all, quorum(nodes.len()), pinned, &config, 1_000).map(|c| c.map(|c| (c.number, c.believed)))
    }

    #[test]
    fn the_head_is_what_enough_nodes_have_reached() {
        for (nodes, number, believed) in [
            (&[(1, 90, 1_000)][..], 90, &[0][..]),
            (&[(1, 90, 1_000), (1, 92, 1_000)], 90, &[0, 1]),
            (&[(1, 90, 1_000), (1, 91, 1_000), (1, 91, 1_000)], 91, &[0, 1, 2]),
            // One lags by fifty; one runs ahead by a thousand; one is old by its own clock.
            (&[(1, 40, 1_000), (1, 90, 1_000), (1, 91, 1_000)], 90, &[1, 2]),
            (&[(1, 1_090, 1_000), (1, 90, 1_000), (1, 90, 1_000)], 90, &[1, 2]),
            (&[(1, 90, 900), (1, 90, 1_000), (1, 90, 1_000)], 90, &[1, 2]),
            (&[(2, 90, 1_000), (1, 90, 1_000), (1, 90, 1_000)], 90, &[1, 2]),
        ] {
            assert_eq!(decide(nodes, Some(1)), Ok(Some((number, believed.to_vec()))), "{nodes:?}");
        }
    }

    #[test]
    fn too_few_to_believe_is_a_hold_and_another_chain_a_refusal() {
        for nodes in [
            &[(1, 90, 900)][..],
            &[(1, 40, 1_000), (1, 90, 1_000)],
            &[(1, 90, 900), (1, 90, 1_000)],
            &[(1, 90, 900), (1, 90, 900), (1, 91, 1_000)],
        ] {
            assert!(matches!(decide(nodes, Some(1)), Err(VenueError::Unreachable(_))), "{nodes:?}");
        }
        for nodes in [&[(2, 90, 1_000)][..], &[(1, 90, 1_000), (2, 90, 1_000)]] {
            assert!(matches!(decide(nodes, Some(1)), Err(VenueError::Changed(_))), "{nodes:?}");
        }
        assert!(matches!(decide(&[(1, 9, 1_000), (2, 9, 1_000)], None), Err(VenueError::Unreachable(_))));
        assert_eq!(choose(&[], 2, None, &RpcConfig::default(), 0), Ok(None));
    }

    #[test]
    fn a_block_is_read_from_what_nodes_write() {
        let text = json!({
            "number": "0x10", "hash": B256::with_last_byte(1), "parentHash": B256::ZERO, "timestamp": "0x5",
            "baseFeePerGas": "0x3b9aca00", "gasUsed": "0xe4e1c0", "gasLimit": "0x1c9c380",
            "miner": Address::ZERO, "mixHash": B256::ZERO, "somethingElse": [1],
        });
        let head = block(Ok(text)).unwrap();
        assert_eq!((head.number, head.timestamp), (16, 5));
        assert_eq!(head.next_base_fee(GasRule::Ethereum), 1_000_000_000, "half full: the fee stays");
        let empty = Head { gas_used: 0, ..head };
        let next = [GasRule::Ethereum, GasRule::OpStack, GasRule::Arbitrum].map(|rule| empty.next_base_fee(rule));
        assert_eq!(next, [875_000_000, 1_000_000_000, 1_000_000_000], "only Ethereum's falls by an eighth");
        assert!(block(Ok(Value::Null)).is_err());
    }
}

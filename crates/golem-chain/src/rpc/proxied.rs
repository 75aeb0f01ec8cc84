//! What a proxy runs: where it keeps the address of its code, or of the beacon that it asks for one.

use super::head::Head;
use super::node::Node;
use super::wire::{NodeAsk, decoded};
use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use alloy_sol_types::{SolCall, sol};
use golem_venue::VenueError;
use serde_json::json;

sol! {
    /// What a beacon is asked.
    interface Beacon {
        /// The code that its proxies run.
        function implementation() external view returns (address);
    }
}

/// Where proxies keep the address of the code that they run: the slot of EIP-1967, and the older one that USDC has.
#[must_use]
pub fn implementation_slots() -> [U256; 2] {
    let hash = |name: &str| U256::from_be_bytes(keccak256(name).0);
    [hash("eip1967.proxy.implementation") - U256::from(1), hash("org.zeppelinos.proxy.implementation")]
}

/// Where a proxy keeps the address of the beacon that it asks (EIP-1967).
#[must_use]
pub fn beacon_slot() -> U256 {
    U256::from_be_bytes(keccak256("eip1967.proxy.beacon").0) - U256::from(1)
}

/// What stands behind a contract; nothing, for most of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Proxied {
    /// The beacon that it asks.
    pub(super) beacon: Option<Address>,
    /// The code that it runs: what its slots point to, and what its beacon says. One that has both could run either.
    pub(super) runs: Vec<Address>,
}

/// What stands behind some contracts.
pub(super) fn proxied(node: &Node, head: &Head, addresses: &[Address]) -> Result<Vec<Proxied>, VenueError> {
    let [first, second] = implementation_slots();
    let slots = [first, second, beacon_slot()];
    let at = json!({ "blockHash": head.hash });
    let ask = |of: &Address, slot: U256| NodeAsk::new("eth_getStorageAt", json!([of, B256::from(slot), at]));
    let asks: Vec<NodeAsk> = addresses.iter().flat_map(|of| slots.map(|slot| ask(of, slot))).collect();
    let said = node.agreed(&asks, &|_, answer| decoded::<B256>(answer))?;
    let pointer = |word: &B256| (!word.is_zero()).then(|| Address::from_word(*word));
    let mut found = Vec::new();
    for (proxy, words) in addresses.iter().zip(said.chunks(slots.len())) {
        let (plain, beacon) = words.split_at(slots.len() - 1);
        let (mut runs, beacon): (Vec<Address>, _) =
            (plain.iter().filter_map(pointer).collect(), beacon.iter().find_map(pointer));
        if let Some(beacon) = beacon {
            runs.push(told(node, &at, *proxy, beacon)?);
        }
        found.push(Proxied { beacon, runs });
    }
    Ok(found)
}

/// What a beacon tells one of its proxies to run: asked as that proxy, since it need not tell everybody the same.
fn told(node: &Node, at: &serde_json::Value, proxy: Address, beacon: Address) -> Result<Address, VenueError> {
    let data = Bytes::from(Beacon::implementationCall {}.abi_encode());
    let said: Bytes =
        node.agreed_one(NodeAsk::new("eth_call", json!([{ "from": proxy, "to": beacon, "data": data }, at])))?;
    Beacon::implementationCall::abi_decode_returns(&said)
        .map_err(|_| VenueError::Changed(format!("{proxy} asks the beacon {beacon} what to run, which does not say")))
}

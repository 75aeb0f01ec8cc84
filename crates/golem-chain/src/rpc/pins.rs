//! Pins: the code of the venue's contracts and the decimals of its tokens, held against what they were at first contact
//! or what the owner says. What has changed is not traded on.

use super::config::Addresses;
use super::head::Head;
use super::node::{Node, decoded};
use super::wire::Ask;
use alloy_primitives::{Address, B256, Bytes, KECCAK256_EMPTY};
use golem_venue::VenueError;
use serde_json::json;

/// Decimals that the amounts of this house are in: USDC, the asset.
pub const DECIMALS: [u8; 2] = [6, 18];

/// Hashes of the code at some addresses, in one question and without carrying the code: a program that is never deployed
/// looks them up and returns them.
///
/// # Errors
/// When the nodes do not agree or do not answer.
pub fn code_hashes(node: &Node, head: &Head, addresses: &[Address]) -> Result<Vec<B256>, VenueError> {
    let ask = Ask::new("eth_call", json!([{ "data": program(addresses) }, { "blockHash": head.hash }]));
    let said: Bytes = node.agreed_one(ask)?;
    let words: Vec<B256> = said.chunks_exact(32).map(B256::from_slice).collect();
    // The first word only keeps the answer from beginning with a byte that no code may begin with.
    match words.split_first() {
        Some((_, hashes)) if hashes.len() == addresses.len() => Ok(hashes.to_vec()),
        _ => Err(VenueError::Unreachable("the hashes of the contracts' code cannot be read".into())),
    }
}

fn program(addresses: &[Address]) -> Bytes {
    const PUSH20: u8 = 0x73;
    const EXTCODEHASH: u8 = 0x3f;
    const PUSH2: u8 = 0x61;
    const MSTORE: u8 = 0x52;
    const PUSH1: u8 = 0x60;
    const RETURN: u8 = 0xf3;
    let mut code = Vec::new();
    let mut at = 0u16;
    for address in addresses {
        at += 32;
        code.push(PUSH20);
        code.extend_from_slice(address.as_slice());
        code.extend_from_slice(&[EXTCODEHASH, PUSH2]);
        code.extend_from_slice(&at.to_be_bytes());
        code.push(MSTORE);
    }
    code.push(PUSH2);
    code.extend_from_slice(&(at + 32).to_be_bytes());
    code.extend_from_slice(&[PUSH1, 0, RETURN]);
    code.into()
}

/// What is pinned, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pins {
    code: Vec<(&'static str, Address, Option<B256>)>,
}

impl Pins {
    /// What the owner says.
    #[must_use]
    pub fn of(addresses: &Addresses) -> Self {
        Self { code: addresses.all().into_iter().map(|(name, p)| (name, p.at, p.code_hash)).collect() }
    }

    /// Pin what was met before, unless the owner says otherwise.
    pub fn remember(&mut self, name: &str, hash: B256) {
        if let Some((_, _, pinned)) = self.code.iter_mut().find(|(n, _, _)| *n == name) {
            pinned.get_or_insert(hash);
        }
    }

    /// Hold the contracts at a block against their pins, and pin what is met for the first time; returns the hashes.
    ///
    /// # Errors
    /// [`VenueError::Changed`] when a contract has other code than is pinned, or none.
    pub fn hold(&mut self, node: &Node, head: &Head) -> Result<Vec<(&'static str, Address, B256)>, VenueError> {
        let addresses: Vec<Address> = self.code.iter().map(|(_, at, _)| *at).collect();
        let found = code_hashes(node, head, &addresses)?;
        let mut all = Vec::new();
        for ((name, at, pinned), hash) in self.code.iter_mut().zip(found) {
            if hash.is_zero() || hash == KECCAK256_EMPTY {
                return Err(VenueError::Changed(format!("there is no code at {at}, where {name} should be")));
            }
            let pinned = *pinned.get_or_insert(hash);
            if pinned != hash {
                return Err(VenueError::Changed(format!("{name} at {at} has the code {hash}, not {pinned}")));
            }
            all.push((*name, *at, hash));
        }
        Ok(all)
    }
}

/// Read the decimals of both tokens at a block, and refuse tokens that count otherwise than this house does.
///
/// # Errors
/// [`VenueError::Changed`] when they do.
pub fn hold_decimals(node: &Node, head: &Head, addresses: &Addresses) -> Result<(), VenueError> {
    // decimals()
    let ask = |at| Ask::new("eth_call", json!([{ "to": at, "data": "0x313ce567" }, { "blockHash": head.hash }]));
    let asks = [ask(addresses.usdc.at), ask(addresses.asset.at)];
    let said = node.agreed(&asks, &|_, answer| decoded::<Bytes>(answer))?;
    for ((name, wanted), word) in ["usdc", "asset"].into_iter().zip(DECIMALS).zip(said) {
        let found = <[u8; 32]>::try_from(word.as_ref()).ok().map(B256::from);
        if found != Some(B256::with_last_byte(wanted)) {
            let found =
                found.map_or_else(|| "nothing".to_owned(), |f| alloy_primitives::U256::from_be_bytes(f.0).to_string());
            return Err(VenueError::Changed(format!("{name} counts {found} decimals, not {wanted}")));
        }
    }
    Ok(())
}
